//! What can go wrong, and what to do about it.
//!
//! [`Error::kind`] is the question to ask. What the server said of an error, its stable code, the place in the
//! statement, a hint, is a [`Refusal`], read from the details of the status in `refusal.rs`. Whether a call that failed
//! may be made again is decided in `failure.rs`, and nowhere else.

mod failure;
mod refusal;

pub(crate) use failure::{Failure, Safety, read_failure, too_large};
pub use refusal::{Position, Refusal, StatusCode};

use std::time::Duration;

/// Why something failed.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting of the client cannot be.
    #[error("{setting}: {problem}")]
    Settings {
        /// The setting.
        setting: &'static str,
        /// What is wrong with it, and what to do.
        problem: String,
    },
    /// The server cannot be reached.
    #[error("cannot connect to {endpoint}: {problem}")]
    Connect {
        /// Where it should be.
        endpoint: String,
        /// Why not.
        problem: String,
    },
    /// The server refused, or failed. Nothing has changed, unless rows had come: a statement that writes has committed
    /// before its first row.
    #[error(transparent)]
    Refused(#[from] Box<Refusal>),
    /// The time of the call is over; nothing has changed.
    #[error("the call took longer than {} ms; allow it more with `timeout`", allowed.as_millis())]
    Deadline {
        /// How long it was allowed to take.
        allowed: Duration,
    },
    /// The call may have changed something, or not: its answer has not come.
    #[error(
        "nobody knows whether the call {request_id} has changed anything: {problem}; look before doing it again"
    )]
    OutcomeUnknown {
        /// The id of the request, which the log of the server knows.
        request_id: String,
        /// What happened instead of an answer.
        problem: String,
    },
    /// The rows stopped before the last one. A statement that changes something had committed before its first row.
    #[error("the answer to the call {request_id} stopped after {rows} rows: {problem}")]
    Interrupted {
        /// The id of the request.
        request_id: String,
        /// How many rows had come.
        rows: u64,
        /// What happened.
        problem: String,
        /// Whether the statement may be one that changed something, and has committed.
        may_have_written: bool,
    },
    /// A transaction ended by itself, and was rolled back.
    #[error("the transaction is over: {problem}")]
    TransactionOver {
        /// Why.
        problem: String,
    },
    /// The rows of a transaction's last statement have not been read to their end, nor dropped.
    #[error(
        "read or drop the rows of the last statement before the transaction does the next thing"
    )]
    TransactionBusy,
    /// A message is larger than the client allows.
    #[error("{problem}; allow more with `{setting}`")]
    TooLarge {
        /// The setting of the builder that allows more.
        setting: &'static str,
        /// How large it is.
        problem: String,
    },
    /// A parameter is nothing that the language has.
    #[error("the parameter ${name}: {problem}")]
    Parameter {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A value is not of the type that was asked for.
    #[error("{place}: {problem}")]
    Type {
        /// The column, or the row.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// There is no such column.
    #[error("there is no column `{name}`; there are: {}", columns.join(", "))]
    NoColumn {
        /// The name.
        name: String,
        /// Those that are there.
        columns: Vec<String>,
    },
    /// Exactly one row was asked for, or one at most, and others came.
    #[error("{wanted} was asked for, and {came}")]
    RowCount {
        /// What was asked for.
        wanted: &'static str,
        /// What came.
        came: &'static str,
    },
    /// The server sent what this client does not understand. It may be newer.
    #[error("the server sent what this client does not understand: {what}")]
    Protocol {
        /// What is wrong.
        what: String,
    },
}

/// What to do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Change the request: as it stands it will never succeed.
    Request,
    /// Say who you are, or ask for the right.
    Denied,
    /// Do it again a little later: nothing has changed. The client has tried already, as often as it was told to.
    Retry,
    /// Do the whole transaction again.
    Conflict,
    /// Look whether it happened, and do it again if not.
    OutcomeUnknown,
    /// See why the server, or the network, does not work.
    Unavailable,
    /// Restore data: the server has found some that is damaged or lost.
    Corrupt,
    /// Report it: it is a mistake of the server, or of this client.
    Bug,
}

impl Error {
    /// What to do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Settings { .. }
            | Self::TransactionBusy
            | Self::TooLarge { .. }
            | Self::Parameter { .. }
            | Self::Type { .. }
            | Self::NoColumn { .. }
            | Self::RowCount { .. } => ErrorKind::Request,
            Self::Connect { .. } => ErrorKind::Unavailable,
            Self::Refused(refusal) => refusal.kind(),
            Self::Deadline { .. } => ErrorKind::Retry,
            Self::OutcomeUnknown { .. } => ErrorKind::OutcomeUnknown,
            Self::Interrupted {
                may_have_written, ..
            } => {
                if *may_have_written {
                    ErrorKind::OutcomeUnknown
                } else {
                    ErrorKind::Retry
                }
            }
            Self::TransactionOver { .. } => ErrorKind::Conflict,
            Self::Protocol { .. } => ErrorKind::Bug,
        }
    }

    /// What the server said, if it said something.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }

    /// The server's stable word for the error, such as `UndefinedVariable` or `ServerBusy`.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.refusal().map(Refusal::code)
    }

    /// Where in the statement it is.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.refusal().and_then(Refusal::position)
    }

    /// What would help.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.refusal().and_then(Refusal::hint)
    }

    /// Whether the same call may be made again without doing anything twice, and may succeed then.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Connect { .. } => true,
            other => other.kind() == ErrorKind::Retry,
        }
    }

    /// The id of the request, which the log of the server knows.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Refused(refusal) => refusal.request_id(),
            Self::OutcomeUnknown { request_id, .. } | Self::Interrupted { request_id, .. } => {
                Some(request_id)
            }
            _ => None,
        }
    }

    pub(crate) fn protocol(what: impl Into<String>) -> Self {
        Self::Protocol { what: what.into() }
    }

    pub(crate) fn settings(setting: &'static str, problem: impl Into<String>) -> Self {
        Self::Settings {
            setting,
            problem: problem.into(),
        }
    }
}
