//! Why a file could not be read: which, where, and what to do about it.

use std::fmt;

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{place}: {reason}; {hint}")]
#[non_exhaustive]
pub struct ReadError {
    /// The file, as the document's id names it.
    pub file: String,
    /// Where in it.
    pub place: Place,
    /// What is wrong.
    pub reason: String,
    /// What to do about it.
    pub hint: String,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    File,
    /// A place in a text; lines and columns count from 1, columns in characters.
    Text {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
}

impl ReadError {
    pub(crate) fn new(file: &str, place: Place, reason: String, hint: &str) -> Self {
        Self {
            file: file.to_owned(),
            place,
            reason,
            hint: hint.to_owned(),
        }
    }
}

impl Place {
    /// The place of a byte in a text.
    pub(crate) fn of_byte(text: &str, at: usize) -> Self {
        let before = &text[..text.floor_char_boundary(at)];
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self::Text {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Text { line, column } => write!(f, ", line {line}, column {column}"),
        }
    }
}
