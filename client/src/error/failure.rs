//! From a status to an error, and whether the call may be made again.
//!
//! | what happened | a call that reads | one that may change something |
//! |---|---|---|
//! | the message is larger than this client sends | its error | its error |
//! | there was no connection, or the call did not get onto it | again | again |
//! | the server refused and says "retryable": it has done nothing | again | again |
//! | the server refused otherwise | its error | its error |
//! | the server says itself that it cannot know | its error | outcome unknown |
//! | UNAVAILABLE, or the connection broke | again | outcome unknown |
//! | the time is over, or anything else that no server of ours wrote | its error | outcome unknown |

use super::{Error, Refusal, StatusCode};
use std::error::Error as _;
use std::time::Duration;
use tonic::{Code, ConnectError, Status};

/// Whether doing something twice is the same as doing it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Safety {
    /// It is.
    Reads,
    /// It may not be.
    MayWrite,
}

/// A call that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What to tell the caller.
    pub(crate) error: Error,
    /// Whether it may be made again, and when at the earliest.
    pub(crate) again: Option<Duration>,
}

/// Codes of the server that it may also give after a commit, when the answer does not get out any more.
const AFTER_COMMIT: &[&str] = &[
    "OutcomeUnknown",
    "Bug",
    "Cancelled",
    "ClientStalled",
    "CommittedWithoutAnswer",
    "DeadlineExceeded",
    "PartlyCommitted",
];

/// What a status means for a call.
pub(crate) fn read_failure(
    status: &Status,
    safety: Safety,
    request_id: &str,
    endpoint: &str,
) -> Failure {
    if !got_onto_the_wire(status) {
        return Failure {
            error: Error::Connect {
                endpoint: endpoint.to_owned(),
                problem: chain(status),
            },
            again: Some(Duration::ZERO),
        };
    }
    if let Some(error @ Error::TooLarge { setting, .. }) = too_large(status)
        && (setting == SENDING || safety == Safety::Reads)
    {
        return Failure { error, again: None };
    }
    let refusal = Refusal::new(status).with_request_id(request_id);
    if refusal.is_ours() && !AFTER_COMMIT.contains(&refusal.code()) {
        let again = refusal.is_retryable();
        let after = refusal.retry_after().unwrap_or_default();
        return Failure {
            error: Box::new(refusal).into(),
            again: again.then_some(after),
        };
    }
    // A definite answer of somebody between, such as a proxy that wants another token: it was not let through.
    let was_refused = matches!(
        refusal.status(),
        StatusCode::Unauthenticated
            | StatusCode::PermissionDenied
            | StatusCode::InvalidArgument
            | StatusCode::NotFound
            | StatusCode::Unimplemented
            | StatusCode::FailedPrecondition
            | StatusCode::AlreadyExists
    ) || (refusal.status() == StatusCode::ResourceExhausted
        && refusal.retry_after().is_some());
    let broke = matches!(refusal.status(), StatusCode::Unavailable)
        || (!refusal.is_ours() && is_broken_connection(status));
    match safety {
        _ if was_refused => {
            let again = refusal.retry_after();
            Failure {
                error: Box::new(refusal).into(),
                again,
            }
        }
        Safety::Reads => {
            let again = broke.then(|| refusal.retry_after().unwrap_or_default());
            Failure {
                error: Box::new(refusal).into(),
                again,
            }
        }
        Safety::MayWrite => Failure {
            error: Error::OutcomeUnknown {
                request_id: refusal.request_id().unwrap_or(request_id).to_owned(),
                problem: chain(status),
            },
            again: None,
        },
    }
}

const SENDING: &str = "max_send_bytes";
const RECEIVING: &str = "max_receive_bytes";

/// A limit of this client was met. tonic says so in words only.
pub(crate) fn too_large(status: &Status) -> Option<Error> {
    let message = status.message();
    let setting = match status.code() {
        Code::OutOfRange if message.contains("encoded message length too large") => SENDING,
        Code::OutOfRange if message.contains("decoded message length too large") => RECEIVING,
        Code::ResourceExhausted if message.contains("exceeded while decompressing") => RECEIVING,
        _ => return None,
    };
    Some(Error::TooLarge {
        setting,
        problem: message.to_owned(),
    })
}

/// Whether any of the call can have reached the server.
fn got_onto_the_wire(status: &Status) -> bool {
    let mut source = status.source();
    while let Some(error) = source {
        if error.is::<ConnectError>() {
            return false;
        }
        source = error.source();
    }
    true
}

/// Whether the status was made here, of a connection that broke under the call.
fn is_broken_connection(status: &Status) -> bool {
    status.source().is_some()
}

/// A status with what is behind it.
pub(super) fn chain(status: &Status) -> String {
    let mut said = status.message().to_owned();
    let mut source = status.source();
    while let Some(error) = source {
        let next = error.to_string();
        if !next.is_empty() && !said.ends_with(&next) && !said.contains(&next) {
            if !said.is_empty() {
                said.push_str(": ");
            }
            said.push_str(&next);
        }
        source = error.source();
    }
    if said.is_empty() {
        said = format!("{:?}", status.code());
    }
    said
}
