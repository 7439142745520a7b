//! Where something stands in a text.
//!
//! Next: `error.rs`, which shows it to people.

/// Bytes of the text, from `start` up to and without `end`, both on the edge of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The first byte after it.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to `end`.
    #[must_use]
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// From the beginning of this to the end of `other`.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// What stands there; empty if this is no place in `text`.
    #[must_use]
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize)
            .unwrap_or("")
    }

    /// The place as people count: lines and columns from 1, columns in characters.
    #[must_use]
    pub fn position(self, text: &str) -> Position {
        let before = text.get(..self.start as usize).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position {
            line: count(before.matches('\n').count() + 1),
            column: count(before[line_start..].chars().count() + 1),
            offset: self.start,
            length: self.end.saturating_sub(self.start),
        }
    }
}

/// A place in a text as people and tools count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
    /// The byte in the text, from 0.
    pub offset: u32,
    /// How many bytes.
    pub length: u32,
}

/// How much of a long line is shown before and after the place.
const SHOWN: usize = 60;

impl Position {
    /// The line that it is in, and below it carets under the place: two lines without an end. Only the neighbourhood of
    /// the place if the line is long. A place that is not in the line is shown at its end.
    #[must_use]
    pub fn shown_in(self, line: &str) -> String {
        let column = (self.column as usize).saturating_sub(1);
        let skipped = column.saturating_sub(SHOWN);
        let shown: String = line.chars().skip(skipped).take(2 * SHOWN).collect();
        let shown = shown.replace(['\t', '\r'], " ");
        let column = column.min(skipped + shown.chars().count());
        let dots = if skipped > 0 { "..." } else { "" };
        let from = line
            .char_indices()
            .nth(column)
            .map_or(line.len(), |(at, _)| at);
        let to = line.len().min(from.saturating_add(self.length as usize));
        let wide = line.get(from..to).map_or(1, |part| part.chars().count());
        let room = shown.chars().count().saturating_sub(column - skipped);
        let carets = "^".repeat(wide.clamp(1, room.max(1)));
        let before = " ".repeat(dots.len() + column - skipped);
        format!("  | {dots}{}\n  | {before}{carets}", shown.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_shown_with_carets() {
        let place = |column, length| Position {
            line: 1,
            column,
            offset: 0,
            length,
        };
        assert_eq!(
            place(3, 2).shown_in("a\tlé"),
            "  | a lé\n  |   ^",
            "a length that ends within a character is one"
        );
        assert_eq!(place(3, 3).shown_in("a\tlé"), "  | a lé\n  |   ^^");
        // What another process says of a place may be anything.
        for (column, length) in [(0, 0), (9, 9), (u32::MAX, u32::MAX)] {
            assert!(place(column, length).shown_in("ab").ends_with('^'));
        }
        let long = "x".repeat(500);
        let shown = place(200, 5).shown_in(&long);
        assert!(shown.starts_with("  | ...xxx"), "{shown}");
        let (above, below) = shown.split_once('\n').unwrap();
        assert_eq!((above.len(), below.len()), (4 + 3 + 120, 4 + 3 + 60 + 5));
    }
}
