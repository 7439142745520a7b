//! Where in a file something is wrong, and what: the words that the user reads.

use std::fmt;
use std::sync::Arc;

/// A place in a file, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The file as it was named.
    pub(crate) file: Arc<str>,
    /// The line.
    pub(crate) line: u64,
    /// The column in characters; none if it is about the whole line.
    pub(crate) column: Option<u64>,
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
pub(crate) struct BadRecord {
    /// Where.
    pub(crate) place: Place,
    /// Why. In a box: most records are good, and carry the room for this.
    pub(crate) problem: Box<Problem>,
}

impl BadRecord {
    pub(super) fn new(place: Place, problem: Problem) -> Self {
        Self {
            place,
            problem: Box::new(problem),
        }
    }
}

/// What is wrong with a record.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Problem {
    /// Bytes that are no text.
    #[error("this is not text in UTF-8")]
    NotText,
    /// A field of the wrong kind.
    #[error("{field}: {text:?} is not of the type {kind}{}", hint(.reason))]
    Value {
        field: String,
        text: String,
        kind: String,
        reason: String,
    },
    /// More or fewer fields than the header has.
    #[error(
        "this record has {found} fields and the header {expected}: is a quote or a delimiter missing?"
    )]
    Fields { found: usize, expected: usize },
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
    Twice { id: String, space: String },
    /// An end that no node has as its id.
    #[error("no node has the id {id:?}{}: nodes come before the relationships between them", in_space(.space))]
    UnknownEnd { id: String, space: String },
    /// The engine has refused it.
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
pub(super) fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// What ends a transfer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TransferError {
    /// A record is bad, and none may be.
    #[error(
        "{0}\nNothing was imported. --skip-bad N leaves out up to N such records, --dry-run finds them first"
    )]
    Bad(BadRecord),
    /// More records are bad than may be.
    #[error("more than {limit} records are bad; the last was {last}\nNothing was imported")]
    TooManyBad { limit: u64, last: BadRecord },
    /// Nothing after this place can be understood.
    #[error("{place}: {reason}\nNothing was imported")]
    Unreadable { place: Place, reason: String },
    /// The header of a CSV file makes no sense.
    #[error("{place}: {reason}")]
    Header { place: Place, reason: String },
    /// The mapping makes no sense.
    #[error("the mapping {file}: {reason}")]
    Mapping { file: String, reason: String },
    /// The declarations refuse what was imported.
    #[error("{file}: {reason}\n{after}")]
    Declaration {
        file: String,
        reason: String,
        after: &'static str,
    },
    /// What was asked for cannot be.
    #[error("{0}")]
    Request(String),
    /// The graph holds what the form cannot say.
    #[error("{what} cannot be exported in this form: {reason}")]
    NoForm { what: String, reason: String },
}
