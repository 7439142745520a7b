//! Why a file could not be read: which, where, and what to do about it.

use std::fmt;

use stratigraph_tables::{BadRecord, Problem, TableError};

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
    /// A line, from 1.
    Line(usize),
    /// A page as a viewer counts, from 1.
    Page(usize),
    /// A place in a text; lines and columns count from 1, columns in characters.
    Text {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
}

/// What to do about bytes that are no text.
pub(super) const CONVERT: &str = "convert the file first, for example with `iconv -f GB18030 -t UTF-8`, or with `-f UTF-16` if it is Excel's Unicode text";

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

impl ReadError {
    /// What a reader of tables says.
    pub(crate) fn of_table(error: TableError) -> Self {
        match error {
            TableError::Input { name, source } => {
                let reason = format!("it cannot be read: {source}");
                Self::new(&name, Place::File, reason, "look at the disk")
            }
            TableError::Unreadable { place, reason } => Self::at(
                &place,
                reason,
                "mend it: nobody knows where the next record begins",
            ),
            TableError::TooLong { place, what, limit } => Self::at(
                &place,
                format!("{what} of more than {limit} bytes"),
                "divide it, or raise the limit",
            ),
        }
    }

    /// What is wrong with a record of a table.
    pub(crate) fn of_record(bad: &BadRecord) -> Self {
        let hint = match *bad.problem {
            Problem::NotText => CONVERT,
            _ => "mend the record",
        };
        Self::at(&bad.place, bad.problem.to_string(), hint)
    }

    fn at(place: &stratigraph_tables::Place, reason: String, hint: &str) -> Self {
        let at = Place::of_line(place.line, place.column);
        Self::new(&place.file, at, reason, hint)
    }
}

impl Place {
    /// A line, and a column of it if one is known.
    pub(crate) fn of_line(line: u64, column: Option<u64>) -> Self {
        let number = |one: u64| usize::try_from(one).unwrap_or(usize::MAX);
        match column {
            None => Self::Line(number(line)),
            Some(column) => Self::Text {
                line: number(line),
                column: number(column),
            },
        }
    }

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
            Self::Line(line) => write!(f, ", line {line}"),
            Self::Page(page) => write!(f, ", page {page}"),
            Self::Text { line, column } => write!(f, ", line {line}, column {column}"),
        }
    }
}
