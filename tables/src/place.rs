//! Where in a file something is wrong, and what: the words that the user reads.

use std::fmt;
use std::io;
use std::sync::Arc;

/// A place in a file, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file as it was named.
    pub file: Arc<str>,
    /// The line.
    pub line: u64,
    /// The column in characters; none if it is about the whole line.
    pub column: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if let Some(column) = self.column {
            write!(f, ":{column}")?;
        }
        Ok(())
    }
}

/// One record that cannot be taken. The others may go on without it.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct BadRecord {
    /// Where.
    pub place: Place,
    /// Why. In a box: most records are good, and carry the room for this.
    pub problem: Box<Problem>,
}

impl BadRecord {
    /// What is wrong at this place.
    #[must_use]
    pub fn new(place: Place, problem: Problem) -> Self {
        Self {
            place,
            problem: Box::new(problem),
        }
    }
}

/// What is wrong with a record.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Problem {
    /// Bytes that are no text.
    #[error("this is not text in UTF-8")]
    NotText,
    /// A field of the wrong kind.
    #[error("{field}: {text:?} is not of the type {kind}{}", hint(.reason))]
    Value {
        /// Which.
        field: String,
        /// What it holds.
        text: String,
        /// What it should be.
        kind: String,
        /// What there is to add; may be empty.
        reason: String,
    },
    /// More or fewer fields than the header has.
    #[error(
        "this record has {found} fields and the header {expected}: is a quote or a delimiter missing?"
    )]
    Fields {
        /// So many there are.
        found: usize,
        /// So many there should be.
        expected: usize,
    },
    /// Something follows a closing quote.
    #[error("something follows the closing quote: a quote within a field is written twice")]
    AfterQuote,
    /// A JSON line is no record.
    #[error("{0}")]
    Json(String),
    /// What every such record must have.
    #[error("there is no {0}")]
    Missing(&'static str),
    /// Two nodes with one id.
    #[error("the id {id:?}{} is there already: ids are unique, each in its space", in_space(.space))]
    Twice {
        /// The id.
        id: String,
        /// Its space.
        space: String,
    },
    /// An end that no node has as its id.
    #[error("no node has the id {id:?}{}: nodes come before the relationships between them", in_space(.space))]
    UnknownEnd {
        /// The id.
        id: String,
        /// Its space.
        space: String,
    },
    /// Whoever takes the records refuses this one.
    #[error("{0}")]
    Refused(String),
}

fn hint(reason: &str) -> String {
    if reason.is_empty() {
        String::new()
    } else {
        format!(": {reason}")
    }
}

fn in_space(space: &str) -> String {
    if space.is_empty() {
        String::new()
    } else {
        format!(" of {space}")
    }
}

/// So much of a text is repeated in a message.
#[must_use]
pub fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Why a file cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The system gives no more of it.
    #[error("cannot read {name}: {source}")]
    Input {
        /// The file.
        name: String,
        /// What the system says.
        source: io::Error,
    },
    /// Nobody knows where the next record would begin.
    #[error("{place}: {reason}")]
    Unreadable {
        /// Where.
        place: Place,
        /// Why.
        reason: String,
    },
    /// A record is longer than whoever reads allows.
    #[error("{place}: {what} of more than {limit} bytes")]
    TooLong {
        /// Where.
        place: Place,
        /// What it is, and what may be the matter.
        what: &'static str,
        /// The most bytes.
        limit: u64,
    },
}
