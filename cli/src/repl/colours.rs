//! Colours of a statement while it is typed, and of what is told about it.
//!
//! Only at a terminal that has them, and not for who has set `NO_COLOR` (no-color.org).

use std::borrow::Cow;
use std::ffi::OsString;
use stratigraph_query_lang::{Paint, paint};

const RESET: &str = "\u{1b}[0m";
const ERROR: &str = "\u{1b}[1;31m";

/// Whether this terminal wants colours.
pub(super) fn are_wanted() -> bool {
    wanted(std::env::var_os("NO_COLOR"), std::env::var_os("TERM"))
}

fn wanted(no_color: Option<OsString>, term: Option<OsString>) -> bool {
    let refused = no_color.is_some_and(|value| !value.is_empty());
    let able = term.is_some_and(|term| !term.is_empty() && term != "dumb");
    able && !refused
}

fn sign(paint: Paint) -> &'static str {
    match paint {
        Paint::Keyword => "\u{1b}[1;34m",
        Paint::String => "\u{1b}[32m",
        Paint::Number => "\u{1b}[36m",
        Paint::Parameter => "\u{1b}[35m",
        Paint::Comment => "\u{1b}[90m",
        _ => "\u{1b}[31m",
    }
}

/// A line of a statement, after the lines that are `pending`. Without the signs it is the same text.
pub(super) fn line<'l>(pending: &str, line: &'l str) -> Cow<'l, str> {
    if line.is_empty() || (pending.is_empty() && line.trim_start().starts_with(':')) {
        return line.into();
    }
    let whole = format!("{pending}{line}");
    let from = pending.len();
    let mut coloured = String::with_capacity(line.len() * 2);
    let mut done = from;
    for (span, paint) in paint(&whole) {
        let (start, end) = ((span.start as usize).max(from), span.end as usize);
        let (Some(between), Some(part)) = (whole.get(done..start), whole.get(start..end)) else {
            continue;
        };
        coloured.push_str(between);
        coloured.push_str(sign(paint));
        coloured.push_str(part);
        coloured.push_str(RESET);
        done = end;
    }
    coloured.push_str(whole.get(done..).unwrap_or_default());
    coloured.into()
}

/// `error: ...` with the first word and the carets in red.
pub(super) fn error(text: &str) -> String {
    let mut coloured = String::new();
    for (number, line) in text.lines().enumerate() {
        let carets = line.trim_start_matches(['|', ' ']);
        let is_carets = !carets.is_empty() && carets.chars().all(|one| one == '^');
        if number > 0 {
            coloured.push('\n');
        }
        match line.strip_prefix("error:") {
            Some(rest) if number == 0 => coloured.push_str(&format!("{ERROR}error:{RESET}{rest}")),
            _ if is_carets => coloured.push_str(&format!("{ERROR}{line}{RESET}")),
            _ => coloured.push_str(line),
        }
    }
    coloured
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str) -> String {
        let mut plain = String::new();
        let mut parts = text.split('\u{1b}');
        plain.push_str(parts.next().unwrap_or_default());
        for part in parts {
            plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
        }
        plain
    }

    #[test]
    fn colours_change_no_character() {
        for (pending, text) in [
            ("", "MATCH (n:Book {title: 'a'}) // b"),
            ("RETURN 'an open\n", "text' AS x, 1.5"),
            ("/* a\n", "comment */ RETURN $x"),
            ("", "'地层 \u{301}"),
            ("", ":help"),
            ("", ""),
            ("RETURN `a\n", "b` AS x"),
        ] {
            assert_eq!(without(&line(pending, text)), text, "{pending}{text}");
        }
        assert!(line("", "RETURN 1").starts_with("\u{1b}[1;34mRETURN\u{1b}[0m "));
        let told = "error: no\n  | a\n  | ^";
        assert_eq!(without(&error(told)), told);
    }

    #[test]
    fn colours_can_be_refused() {
        let some = |text: &str| Some(OsString::from(text));
        assert!(wanted(None, some("xterm")) && wanted(some(""), some("xterm")));
        assert!(
            !wanted(some("1"), some("xterm")) && !wanted(None, some("dumb")) && !wanted(None, None)
        );
    }
}
