//! One value as a cell of a table: short, on one line, and not to be mistaken for another.
//!
//! Text stands as it is, unless it could be taken for something else: then it is written as the language writes
//! it, in quotes. So `null` is nothing, and `'null'` is a word.
//!
//! Next: `table.rs`.

use super::json;
use stratigraph::Value;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What stands where a cell is cut.
const CUT: char = '…';

/// The text of a value.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.to_string(),
        Value::Date(_)
        | Value::Time(_)
        | Value::LocalTime(_)
        | Value::DateTime(_)
        | Value::LocalDateTime(_)
        | Value::Duration(_) => json::text(value),
        // The language's own form has no control characters, which might steer a terminal.
        other => other.to_string(),
    }
}

/// Whether the cell stands to the right.
pub(super) fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Float(_))
}

/// How many columns of a terminal a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text in at most `room` columns of a terminal.
pub(crate) fn cut(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut left = room.saturating_sub(1);
    let mut kept = String::new();
    for character in text.chars() {
        let takes = character.width().unwrap_or(0);
        if takes > left {
            break;
        }
        left -= takes;
        kept.push(character);
    }
    if room > 0 {
        kept.push(CUT);
    }
    kept
}

fn is_plain(text: &str) -> bool {
    let like_another = matches!(text, "null" | "true" | "false")
        || text.starts_with(['\'', '"', '[', '{', '(', '<'])
        || text.parse::<f64>().is_ok();
    let blank = text.is_empty()
        || text.starts_with(char::is_whitespace)
        || text.ends_with(char::is_whitespace);
    !like_another && !blank && !text.contains(is_unseen)
}

/// Controls, and marks that turn the direction of writing.
fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_quoted_when_it_could_be_something_else() {
        let cases: [(Value, &str); 10] = [
            (Value::Null, "null"),
            ("null".into(), "'null'"),
            ("Ann".into(), "Ann"),
            ("it's".into(), "it's"),
            ("12".into(), "'12'"),
            (12.into(), "12"),
            ("".into(), "''"),
            ("a ".into(), "'a '"),
            ("two\nlines".into(), "'two\\nlines'"),
            ("\u{1b}[2J".into(), "'\\u001B[2J'"),
        ];
        for (value, shown) in cases {
            assert_eq!(text(&value), shown);
        }
    }

    #[test]
    fn cells_are_cut_by_the_room_they_take() {
        let cases = [
            ("layers", 6, "layers"),
            ("layers", 5, "laye…"),
            ("layers", 1, "…"),
            ("layers", 0, ""),
            // Two columns each: four of them do not fit into seven.
            ("地层学说", 8, "地层学说"),
            ("地层学说", 7, "地层学…"),
            ("地层学说", 6, "地层…"),
            ("e\u{301}te\u{301}s", 4, "e\u{301}te\u{301}s"),
        ];
        for (text, room, left) in cases {
            assert_eq!(cut(text, room), left, "{text} in {room}");
            assert!(width(&cut(text, room)) <= room);
        }
    }
}
