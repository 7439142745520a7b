//! What a procedure of the host is given beside its arguments, and how it fails.
//!
//! Next: `call.rs`.

use crate::error::Error;
use crate::storage::cancel::CancelToken;

/// A call of a procedure of the host.
#[derive(Debug)]
pub struct HostCall {
    pub(crate) stop: CancelToken,
}

impl HostCall {
    /// Is cancelled when somebody stops the statement, and when its time is over. Hand it to whatever works long.
    #[must_use]
    pub fn stop(&self) -> &CancelToken {
        &self.stop
    }
}

/// Why a procedure of the host failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum HostFailure {
    /// What the caller of the statement reads.
    Said(String),
    /// The engine refused, and that is the error of the statement: whoever reads it can tell whether to try again.
    Engine(Box<Error>),
}

impl From<String> for HostFailure {
    fn from(said: String) -> Self {
        Self::Said(said)
    }
}

impl From<&str> for HostFailure {
    fn from(said: &str) -> Self {
        Self::Said(said.to_owned())
    }
}

impl From<Error> for HostFailure {
    fn from(error: Error) -> Self {
        Self::Engine(Box::new(error))
    }
}
