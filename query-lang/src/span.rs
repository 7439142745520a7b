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
