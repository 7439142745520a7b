//! What the server says of an error.

use super::ErrorKind;
use std::collections::HashMap;
use std::fmt;
use std::time::Duration;
use stratigraph_proto::ERROR_DOMAIN;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// The longest that a server may make us wait; what it says beyond that is not believed.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(300);

/// An error that the server, or somebody between, has answered with.
#[derive(Debug, Clone)]
pub struct Refusal {
    status: StatusCode,
    code: String,
    message: String,
    facts: HashMap<String, String>,
    retry_after: Option<Duration>,
    request_id: Option<String>,
    is_ours: bool,
}

/// A place in the text of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column, in characters from 1.
    pub column: u32,
    /// How many bytes it is about.
    pub length: u32,
}

/// The codes of gRPC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "the names are gRPC's, and so is what they mean"
)]
#[non_exhaustive]
pub enum StatusCode {
    Cancelled,
    Unknown,
    InvalidArgument,
    DeadlineExceeded,
    NotFound,
    AlreadyExists,
    PermissionDenied,
    ResourceExhausted,
    FailedPrecondition,
    Aborted,
    OutOfRange,
    Unimplemented,
    Internal,
    Unavailable,
    DataLoss,
    Unauthenticated,
}

impl Refusal {
    pub(crate) fn new(status: &Status) -> Self {
        let details = status.get_error_details();
        let info = details
            .error_info()
            .filter(|info| info.domain == ERROR_DOMAIN);
        let code = StatusCode::new(status.code());
        let request_id = status.metadata().get(crate::call::REQUEST_ID);
        Self {
            status: code,
            code: info.map_or_else(|| format!("{code:?}"), |info| info.reason.clone()),
            // What a stranger says is little; what is behind it tells more.
            message: match info {
                Some(_) => status.message().to_owned(),
                None => super::failure::chain(status),
            },
            facts: info.map_or_else(HashMap::new, |info| info.metadata.clone()),
            retry_after: details
                .retry_info()
                .and_then(|info| info.retry_delay)
                .map(|after| after.min(MAX_RETRY_AFTER)),
            request_id: request_id
                .and_then(|id| id.to_str().ok())
                .map(ToOwned::to_owned),
            is_ours: info.is_some(),
        }
    }

    pub(crate) fn with_request_id(mut self, request_id: &str) -> Self {
        self.request_id.get_or_insert_with(|| request_id.to_owned());
        self
    }

    /// Whether a server of Stratigraph wrote it, and not somebody between.
    pub(crate) fn is_ours(&self) -> bool {
        self.is_ours
    }

    /// The code of gRPC.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The server's stable word for it, such as `UndefinedVariable` or `ServerBusy`; that of the status if a
    /// stranger answered.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// What it is, for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where in the statement it is.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        let number = |name| self.facts.get(name)?.parse().ok();
        Some(Position {
            line: number("line")?,
            column: number("column")?,
            length: number("length").unwrap_or(1),
        })
    }

    /// What would help.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.facts.get("hint").map(String::as_str)
    }

    /// Something else that the server said, by its name: `type`, `phase`, ...
    #[must_use]
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.get(name).map(String::as_str)
    }

    /// Whether the server says that trying again can help.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.retry_after.is_some() || self.fact("retryable") == Some("true")
    }

    /// When the server wants to be asked again.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// The id of the request, which the log of the server knows.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    pub(super) fn kind(&self) -> ErrorKind {
        match self.status {
            _ if self.is_retryable() => ErrorKind::Retry,
            StatusCode::Unauthenticated | StatusCode::PermissionDenied => ErrorKind::Denied,
            StatusCode::Aborted => ErrorKind::Conflict,
            StatusCode::Unavailable => ErrorKind::Unavailable,
            StatusCode::DataLoss => ErrorKind::Corrupt,
            StatusCode::Internal | StatusCode::Unknown => ErrorKind::Bug,
            StatusCode::Cancelled
            | StatusCode::InvalidArgument
            | StatusCode::DeadlineExceeded
            | StatusCode::NotFound
            | StatusCode::AlreadyExists
            | StatusCode::ResourceExhausted
            | StatusCode::FailedPrecondition
            | StatusCode::OutOfRange
            | StatusCode::Unimplemented => ErrorKind::Request,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.code, self.message)?;
        if let Some(Position { line, column, .. }) = self.position() {
            write!(out, " (line {line}, column {column})")?;
        }
        if let Some(hint) = self.hint() {
            write!(out, "; {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

impl StatusCode {
    fn new(code: Code) -> Self {
        match code {
            Code::Cancelled => Self::Cancelled,
            Code::InvalidArgument => Self::InvalidArgument,
            Code::DeadlineExceeded => Self::DeadlineExceeded,
            Code::NotFound => Self::NotFound,
            Code::AlreadyExists => Self::AlreadyExists,
            Code::PermissionDenied => Self::PermissionDenied,
            Code::ResourceExhausted => Self::ResourceExhausted,
            Code::FailedPrecondition => Self::FailedPrecondition,
            Code::Aborted => Self::Aborted,
            Code::OutOfRange => Self::OutOfRange,
            Code::Unimplemented => Self::Unimplemented,
            Code::Internal => Self::Internal,
            Code::Unavailable => Self::Unavailable,
            Code::DataLoss => Self::DataLoss,
            Code::Unauthenticated => Self::Unauthenticated,
            // A call that has failed has no status `OK`.
            Code::Ok | Code::Unknown => Self::Unknown,
        }
    }
}
