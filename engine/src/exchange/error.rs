//! Why a dump was not written or not loaded. Line numbers start at 1, columns are bytes from 1.

use crate::error::{Error, ErrorKind};
use crate::value::json::BadJson;
use std::sync::Arc;

/// What went wrong with a dump.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// The first line is not a dump's.
    #[error(
        "this is not a dump of Stratigraph: its first line is not a header {{\"stratigraph_dump\":1, ...}} ({reason}); `stratigraph dump` writes one"
    )]
    NotADump {
        /// What was seen.
        reason: String,
    },
    /// The dump was written by a newer version.
    #[error(
        "the dump has format {found}, and this version reads format {supported}: load it with a newer stratigraph"
    )]
    FutureFormat {
        /// Its format.
        found: u64,
        /// The newest format that this version reads.
        supported: u64,
    },
    /// The dump is one for comparing.
    #[error("a canonical dump has no ids and is only for comparing: dump without `--canonical`")]
    Canonical,
    /// The line is not what a dump has in its place.
    #[error("line {line}{}: {problem}", in_column(*column))]
    Line {
        /// The line.
        line: u64,
        /// The column; none if it is about the whole line.
        column: Option<u64>,
        /// What is wrong there.
        problem: String,
    },
    /// The line is not UTF-8.
    #[error("line {line}, column {column}: the bytes are not UTF-8 text")]
    NotText {
        /// The line.
        line: u64,
        /// The column of the first wrong byte.
        column: u64,
    },
    /// The line is too long.
    #[error(
        "line {line} is longer than {limit_bytes} bytes: raise the limit (`line_bytes`, or `--line-limit`) if it is right"
    )]
    LineTooLong {
        /// The line.
        line: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// A property's JSON is no value.
    #[error("line {line}, property {property}: {source}")]
    Value {
        /// The line.
        line: u64,
        /// The property.
        property: Arc<str>,
        /// What is wrong with it, and where in it.
        source: Box<BadJson>,
    },
    /// A line of this kind comes too late.
    #[error("line {line}: a {found} line cannot come after a {after} line")]
    Misplaced {
        /// The line.
        line: u64,
        /// Its kind.
        found: &'static str,
        /// The kind of a line before it.
        after: &'static str,
    },
    /// An id is there twice, or ids do not rise.
    #[error(
        "line {line}: {what} {id} comes after {what} {last}: each id is there once, and they rise"
    )]
    IdOrder {
        /// The line.
        line: u64,
        /// `node` or `relationship`.
        what: &'static str,
        /// Its id.
        id: u64,
        /// The id before it.
        last: u64,
    },
    /// An id is not below the next free one.
    #[error("line {line}: {what} {id} is not below {limit}, the next free id of the header")]
    IdRange {
        /// The line.
        line: u64,
        /// `node` or `relationship`.
        what: &'static str,
        /// Its id.
        id: u64,
        /// What it has to be below.
        limit: u64,
    },
    /// A line names a node that the dump does not have.
    #[error("line {line}, field {field}: the dump has no node {node}")]
    Dangling {
        /// The line.
        line: u64,
        /// The field that names it.
        field: &'static str,
        /// The node.
        node: u64,
    },
    /// A line names a hierarchy that was not declared before.
    #[error("line {line}: no hierarchy {name} was declared in the lines before")]
    UnknownHierarchy {
        /// The line.
        line: u64,
        /// The name.
        name: Arc<str>,
    },
    /// There are not as many as the dump says.
    #[error(
        "the {place} says {stated} {what}, and the dump has {found}: it was cut or edited; `ignore_checksum` (`--ignore-checksum`) loads what is there"
    )]
    Count {
        /// `header` or `end line`.
        place: &'static str,
        /// What is counted, in the plural.
        what: &'static str,
        /// What the line says.
        stated: u64,
        /// What there is.
        found: u64,
    },
    /// The bytes are not those that were written.
    #[error(
        "the checksum is {found}, and the end line says {stated}: the dump was damaged or edited; `ignore_checksum` (`--ignore-checksum`) loads what is there"
    )]
    Checksum {
        /// What the end line says.
        stated: String,
        /// What the bytes give.
        found: String,
    },
    /// The dump ends without its last line.
    #[error("the dump ends after line {lines} without an end line: it was cut; dump again")]
    Cut {
        /// How many lines there are.
        lines: u64,
    },
    /// Something follows the end line.
    #[error("line {line}: nothing may follow the end line")]
    AfterEnd {
        /// The line.
        line: u64,
    },
    /// The engine refuses what a line says.
    #[error("line {line}: {source}")]
    Refused {
        /// The line.
        line: u64,
        /// Why.
        source: Box<Error>,
    },
    /// The database is not as new as a load needs it.
    #[error(
        "the database is not new: it has, or had, nodes, relationships, names or declarations; load into one that was just created"
    )]
    NotEmpty,
    /// Somebody else wrote into the database while it was loaded.
    #[error("somebody else wrote into the database during the load")]
    Disturbed,
    /// The load stopped when a part of the dump was in the database already.
    #[error(
        "{source}; {nodes} nodes and {relationships} relationships had been loaded before: delete this database and load into a new one"
    )]
    Partial {
        /// How many nodes are in the database.
        nodes: u64,
        /// How many relationships are.
        relationships: u64,
        /// Why it stopped.
        source: Box<Error>,
    },
    /// The graph is too large for a canonical dump.
    #[error(
        "{count} {what} are over the limit of {limit} of a canonical dump, which is made in memory: compare dumps with ids"
    )]
    TooLargeToCompare {
        /// What there is too much of, in the plural.
        what: &'static str,
        /// How many there are.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// The dump could not be written out.
    #[error("cannot write the dump: {source}")]
    Write {
        /// What the writer said.
        source: Arc<std::io::Error>,
    },
    /// The dump could not be read.
    #[error("cannot read the dump after line {lines}: {source}")]
    Read {
        /// How many lines were read.
        lines: u64,
        /// What the reader said.
        source: Arc<std::io::Error>,
    },
}

/// The column of a message, where there is one.
fn in_column(column: Option<u64>) -> String {
    column.map_or_else(String::new, |column| format!(", column {column}"))
}

impl DumpError {
    /// What to do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Refused { source, .. } | Self::Partial { source, .. } => source.kind(),
            Self::Write { .. } | Self::Read { .. } => ErrorKind::Unavailable,
            Self::Disturbed => ErrorKind::Conflict,
            _ => ErrorKind::Request,
        }
    }

    /// Whether the caller cancelled the work.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        match self {
            Self::Refused { source, .. } | Self::Partial { source, .. } => match &**source {
                Error::Cancelled => true,
                Error::Dump(inner) => inner.is_cancelled(),
                _ => false,
            },
            _ => false,
        }
    }
}

impl From<DumpError> for Error {
    fn from(error: DumpError) -> Self {
        Self::Dump(Box::new(error))
    }
}
