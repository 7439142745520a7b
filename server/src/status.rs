//! From whatever went wrong to a gRPC status: the one place that chooses codes.
//!
//! A status says what the engine's error says, with the same stable code as `reason` of `google.rpc.ErrorInfo`, the place
//! in the text and a hint in its metadata, and `google.rpc.RetryInfo` if trying again can help. What names files of
//! the server stays in the server's log: the client gets the code and the id of its request.

use crate::failure::Failure;
use std::collections::HashMap;
use std::time::Duration;
use stratigraph::{Detail, Error, ErrorKind, ErrorType, QueryError};
use stratigraph_proto::ERROR_DOMAIN;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// When to try again, if nothing better is known.
const SOON: Duration = Duration::from_millis(100);
/// The longest message that goes out; statuses are metadata, and peers limit that.
const MAX_MESSAGE_BYTES: usize = 2048;

/// What a status is made of.
struct Told {
    code: Code,
    reason: &'static str,
    message: String,
    facts: HashMap<String, String>,
    retry_after: Option<Duration>,
}

/// The status of a failure.
pub(crate) fn status(failure: &Failure) -> Status {
    let mut told = match failure {
        Failure::Engine(error) => of_engine(error),
        other => of_server(other),
    };
    shorten(&mut told.message);
    let retryable = told.retry_after.is_some();
    told.facts
        .insert("retryable".to_owned(), retryable.to_string());
    let mut details = ErrorDetails::new();
    details.set_error_info(told.reason, ERROR_DOMAIN, told.facts);
    if let Some(after) = told.retry_after {
        details.set_retry_info(Some(after));
    }
    Status::with_error_details(told.code, told.message, details)
}

impl From<Failure> for Status {
    fn from(failure: Failure) -> Self {
        status(&failure)
    }
}

fn told(code: Code, reason: &'static str, message: String) -> Told {
    Told {
        code,
        reason,
        message,
        facts: HashMap::new(),
        retry_after: None,
    }
}

fn of_server(failure: &Failure) -> Told {
    let message = failure.to_string();
    let plain = |code, reason| told(code, reason, message.clone());
    let again = |code, reason, after: Duration| Told {
        retry_after: Some(after),
        ..told(code, reason, message.clone())
    };
    match failure {
        Failure::Engine(error) => of_engine(error),
        Failure::Unauthenticated { .. } => plain(Code::Unauthenticated, "Unauthenticated"),
        Failure::Denied { .. } => plain(Code::PermissionDenied, "PermissionDenied"),
        Failure::NoMethod { .. } => plain(Code::Unimplemented, "NoSuchMethod"),
        Failure::NoDatabase { .. } => plain(Code::NotFound, "DatabaseNotFound"),
        Failure::DatabaseExists { .. } => plain(Code::AlreadyExists, "DatabaseExists"),
        Failure::Request { .. } => plain(Code::InvalidArgument, "InvalidRequest"),
        Failure::Unknown { .. } => plain(Code::NotFound, "NotFound"),
        Failure::State { code, .. } => plain(Code::FailedPrecondition, code),
        Failure::Busy { retry_after, .. } => {
            again(Code::ResourceExhausted, "ServerBusy", *retry_after)
        }
        Failure::ShareTaken { retry_after, .. } => {
            again(Code::ResourceExhausted, "ShareTaken", *retry_after)
        }
        Failure::WaitedTooLong { retry_after, .. } => {
            again(Code::ResourceExhausted, "QueueTimeout", *retry_after)
        }
        Failure::Limit { .. } => plain(Code::ResourceExhausted, "LimitExceeded"),
        Failure::Deadline => plain(Code::DeadlineExceeded, "DeadlineExceeded"),
        Failure::Cancelled => plain(Code::Cancelled, "Cancelled"),
        Failure::Killed => plain(Code::Aborted, "Killed"),
        Failure::Stalled { .. } | Failure::Unsent { .. } => plain(Code::Aborted, "ClientStalled"),
        Failure::TransactionOver { .. } => plain(Code::Aborted, "TransactionOver"),
        Failure::TransactionBroken { .. } => plain(Code::Internal, "TransactionOver"),
        Failure::AfterCommit { source } => {
            // Its code says why there is no answer; nothing about it may be tried again.
            let mut facts = HashMap::new();
            facts.insert("committed".to_owned(), true.to_string());
            let told = match &**source {
                Failure::Engine(error) => of_engine(error),
                other => of_server(other),
            };
            facts.insert("cause".to_owned(), told.reason.to_owned());
            Told {
                facts,
                ..plain(told.code, "CommittedWithoutAnswer")
            }
        }
        // Another server, or this one after its restart, will do it.
        Failure::ShuttingDown => again(Code::Unavailable, "ShuttingDown", SOON),
        Failure::Bug { .. } => plain(Code::Internal, "Bug"),
    }
}

fn of_engine(error: &Error) -> Told {
    if let Error::Query(query) = error {
        return of_query(query);
    }
    if let Error::PartlyCommitted { portions, source } = error {
        let source = of_engine(source);
        let message = format!(
            "portions that are committed: {portions}; and then: {}; look at what is there before you run the statement again",
            source.message
        );
        let mut told = told(Code::Aborted, error.code(), message);
        told.facts
            .insert("portions".to_owned(), portions.to_string());
        told.facts
            .insert("cause".to_owned(), source.reason.to_owned());
        return told;
    }
    let (code, again) = match error {
        Error::Cancelled => (Code::Cancelled, false),
        Error::WriterQueueTimeout { .. } => (Code::ResourceExhausted, true),
        Error::TransactionExpired { .. } => (Code::Aborted, false),
        Error::LoadInProgress | Error::IndexNotReady { .. } => (Code::Unavailable, true),
        Error::TransactionTooLarge { .. } | Error::TooLarge { .. } | Error::TooMany { .. } => {
            (Code::ResourceExhausted, false)
        }
        Error::DiskFull { .. } => (Code::ResourceExhausted, false),
        // Nobody may try again without a look at what is there.
        Error::OutcomeUnknown { .. } => (Code::Unknown, false),
        Error::NodeNotFound { .. }
        | Error::RelationshipNotFound { .. }
        | Error::UnknownName { .. }
        | Error::NoSuchBackup { .. }
        | Error::NotFound { .. } => (Code::NotFound, false),
        Error::AlreadyDeclared { .. } | Error::AlreadyExists { .. } => (Code::AlreadyExists, false),
        Error::ReadOnly
        | Error::ConstraintViolation(_)
        | Error::HierarchyCycle { .. }
        | Error::HierarchyParent { .. }
        | Error::HasRelationships { .. }
        | Error::IndexOfConstraint { .. }
        | Error::NeedsDisk { .. } => (Code::FailedPrecondition, false),
        other => match other.kind() {
            ErrorKind::Request => (Code::InvalidArgument, false),
            ErrorKind::Retry => (Code::Unavailable, true),
            ErrorKind::Conflict => (Code::Aborted, false),
            ErrorKind::Corrupt => (Code::DataLoss, false),
            ErrorKind::Unavailable => (Code::Unavailable, false),
            ErrorKind::Bug => (Code::Internal, false),
        },
    };
    let message = if let Error::OutcomeUnknown { .. } = error {
        tracing::error!(%error, "a commit failed half-way");
        "the outcome of this commit is unknown: look at what is there before you try again"
            .to_owned()
    } else if names_files(error) {
        tracing::error!(%error, code = error.code(), "a call failed");
        "the server cannot do this now; its log says why, under the id of this request".to_owned()
    } else {
        error.to_string()
    };
    Told {
        retry_after: again.then_some(SOON),
        ..told(code, error.code(), message)
    }
}

/// Whether its message has paths of the server in it.
fn names_files(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Corrupt | ErrorKind::Unavailable | ErrorKind::Bug
    ) && !matches!(error, Error::Closed | Error::Poisoned { .. })
        || matches!(
            error,
            Error::NotFound { .. }
                | Error::NotADatabase { .. }
                | Error::AlreadyExists { .. }
                | Error::AlreadyOpen { .. }
                | Error::FutureFormat { .. }
                | Error::MigrationNeeded { .. }
                | Error::RecoveryNeeded { .. }
                | Error::NoSuchBackup { .. }
        )
}

fn of_query(error: &QueryError) -> Told {
    let code = match error.error_type() {
        ErrorType::LimitExceeded => match error.detail() {
            Detail::TimeLimit => Code::DeadlineExceeded,
            _ => Code::ResourceExhausted,
        },
        ErrorType::ConstraintValidationFailed | ErrorType::ConstraintVerificationFailed => {
            Code::FailedPrecondition
        }
        ErrorType::EntityNotFound => Code::NotFound,
        ErrorType::SchemaError => match error.detail() {
            Detail::AlreadyDeclared => Code::AlreadyExists,
            Detail::InvalidDeclaration => Code::InvalidArgument,
            _ => Code::NotFound,
        },
        ErrorType::SemanticError => match error.detail() {
            Detail::ReadOnlyQuery | Detail::InvalidTransaction => Code::FailedPrecondition,
            Detail::NotSupported => Code::Unimplemented,
            _ => Code::InvalidArgument,
        },
        ErrorType::SyntaxError
        | ErrorType::TypeError
        | ErrorType::ArgumentError
        | ErrorType::ArithmeticError
        | ErrorType::ParameterMissing
        | ErrorType::ProcedureError => Code::InvalidArgument,
    };
    let mut told = told(code, error.detail().name(), error.message().to_owned());
    let mut fact = |name: &str, value: String| told.facts.insert(name.to_owned(), value);
    fact("type", error.error_type().name().to_owned());
    fact("phase", error.phase().name().to_owned());
    if let Some(position) = error.position() {
        fact("line", position.line.to_string());
        fact("column", position.column.to_string());
        fact("offset", position.offset.to_string());
        fact("length", position.length.to_string());
    }
    if let Some(hint) = error.hint() {
        let mut hint = hint.to_owned();
        shorten(&mut hint);
        fact("hint", hint);
    }
    told
}

fn shorten(text: &mut String) {
    if text.len() > MAX_MESSAGE_BYTES {
        text.truncate(text.floor_char_boundary(MAX_MESSAGE_BYTES));
        text.push_str("...");
    }
}

#[cfg(test)]
mod tests;
