//! Terms in quotes, titles in 《》, and terms that a sentence defines.

use std::ops::Range;

use super::tokens::is_wide;

/// A term that somebody marked as one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) span: Range<usize>,
    /// Whether it is a title of a work.
    pub(super) work: bool,
    /// Whether the sentence says what it means.
    pub(super) defined: bool,
}

const PAIRS: [(char, char); 7] = [
    ('“', '”'),
    ('"', '"'),
    ('«', '»'),
    ('《', '》'),
    ('「', '」'),
    ('『', '』'),
    ('`', '`'),
];

/// No term is longer; so much is looked ahead for its end.
const LONGEST: usize = 60;
const MOST_WORDS: usize = 6;

/// What follows a term that is defined, and what is before one.
const MEANS: [&str; 13] = [
    "means",
    "shall mean",
    "refers to",
    "is defined",
    "denotes",
    "si intende",
    "si intendono",
    "indica",
    "significa",
    "是指",
    "，是指",
    "指的是",
    "系指",
];
const CALLED: [&str; 9] = [
    "hereinafter",
    "(the",
    "referred to as",
    "di seguito",
    "d'ora in poi",
    "si intende per",
    "以下简称",
    "简称",
    "以下称",
];

/// Calls for each term of a sentence.
pub(super) fn each_term(text: &str, sentence: &Range<usize>, mut each: impl FnMut(Term)) {
    let words = &text[sentence.clone()];
    let mut passed = 0;
    for (at, sign) in words.char_indices() {
        if at < passed {
            continue;
        }
        // Most signs are letters.
        if sign.is_ascii_alphanumeric() || sign == ' ' {
            continue;
        }
        let Some((open, close)) = PAIRS.iter().find(|(open, _)| *open == sign) else {
            continue;
        };
        let from = at + sign.len_utf8();
        let ahead = words[from..].char_indices().take(LONGEST + 1);
        let Some(length) = ahead
            .filter(|(_, sign)| sign == close)
            .map(|(at, _)| at)
            .next()
        else {
            continue;
        };
        let inner = &words[from..from + length];
        passed = from + length + close.len_utf8();
        if !is_term(inner) {
            continue;
        }
        let after = &words[passed..];
        let after = after.trim_start_matches([' ', '*', ')', '）']);
        let before = words[..at].trim_end_matches([' ', '*', ':', '：', '“']);
        let defined = MEANS.iter().any(|word| after.starts_with(word))
            || CALLED.iter().any(|word| before.ends_with(word));
        let start = sentence.start + from;
        each(Term {
            span: start..start + length,
            work: *open == '《',
            defined,
        });
    }
    if words.is_ascii() {
        return;
    }
    each_called(words, |span| {
        each(Term {
            span: sentence.start + span.start..sentence.start + span.end,
            work: false,
            defined: true,
        });
    });
}

/// Whether what is in quotes is a term and not something that was said.
fn is_term(inner: &str) -> bool {
    let count = inner.split_whitespace().count();
    let ends = inner
        .chars()
        .next_back()
        .is_some_and(|sign| ".,;:!?。，；！？…".contains(sign));
    let blank = inner.starts_with(' ') || inner.ends_with(' ') || inner.contains('\n');
    let letters = inner.chars().filter(|sign| sign.is_alphabetic()).count();
    let wide = inner.chars().filter(|sign| is_wide(*sign)).count();
    let short = if wide > 0 {
        inner.chars().count() <= 30
    } else {
        count <= MOST_WORDS
    };
    short && letters >= 2 && !ends && !blank && !inner.contains("://")
}

/// 本法所称X，是指: what a Chinese law defines has no quotes.
fn each_called(words: &str, mut each: impl FnMut(Range<usize>)) {
    const CALLED: &str = "所称";
    for (at, _) in words.match_indices(CALLED) {
        let from = at + CALLED.len();
        let ahead = &words[from..];
        let end = ahead.char_indices().take(24).find(|(at, sign)| {
            matches!(sign, '，' | '、' | '。')
                || ["是指", "系指"]
                    .iter()
                    .any(|word| ahead[*at..].starts_with(word))
        });
        let Some((length, _)) = end else { continue };
        let means = ahead[length..].trim_start_matches('，');
        let term = &ahead[..length];
        let means = ["是指", "系指"].iter().any(|word| means.starts_with(word));
        let quoted = term.starts_with(['“', '《', '「']);
        if means && !quoted && term.chars().count() >= 2 {
            each(from..from + length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<(&str, bool, bool)> {
        let mut found = Vec::new();
        each_term(text, &(0..text.len()), |term| {
            found.push((&text[term.span], term.work, term.defined));
        });
        found
    }

    #[test]
    fn terms_are_quoted_and_what_was_said_is_none() {
        assert_eq!(
            terms(
                "\"Contracting authority\" means a body; he said \"No, we will never do that again.\""
            ),
            [("Contracting authority", false, true)]
        );
        assert_eq!(
            terms("Per «stazione appaltante» si intende l'ente (di seguito «ente»)."),
            [("stazione appaltante", false, true), ("ente", false, true)]
        );
        assert_eq!(
            terms("依照《中华人民共和国审计法》和「监督」办理（以下简称“审计法”）。"),
            [
                ("中华人民共和国审计法", true, false),
                ("监督", false, false),
                ("审计法", false, true)
            ]
        );
        assert_eq!(
            terms("本办法所称预算单位，是指各级机关。"),
            [("预算单位", false, true)]
        );
    }

    /// An open quote looks ahead a little and no further.
    #[test]
    fn open_quotes_are_read_once() {
        let text = "“".repeat(300_000);
        assert!(terms(&text).is_empty());
    }
}
