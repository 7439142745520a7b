//! What can go wrong in the server, beside what goes wrong in the engine.
//!
//! It carries facts; `status.rs` alone makes a gRPC status of it.

use crate::auth::Role;
use std::sync::Arc;
use std::time::Duration;

/// Why a call fails.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum Failure {
    /// The engine refused.
    #[error(transparent)]
    Engine(#[from] stratigraph::Error),
    /// The caller has not said who it is, or has said it wrongly.
    #[error("{problem}")]
    Unauthenticated {
        /// What is wrong.
        problem: &'static str,
    },
    /// The caller may not do that.
    #[error("this needs the role {needs} on {}", place(database))]
    Denied {
        /// The role that is needed.
        needs: Role,
        /// On which database.
        database: String,
    },
    /// Nobody knows that method.
    #[error("there is no method {path}")]
    NoMethod {
        /// Its path.
        path: String,
    },
    /// There is no such database.
    #[error("there is no database {name}")]
    NoDatabase {
        /// Its name.
        name: String,
    },
    /// There is such a database.
    #[error("there is a database {name} already")]
    DatabaseExists {
        /// Its name.
        name: String,
    },
    /// Something in the request is not as it must be.
    #[error("{field}: {problem}")]
    Request {
        /// The field.
        field: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Something that the request names is not there.
    #[error("there is no {what} {name}: {hint}")]
    Unknown {
        /// What it is.
        what: &'static str,
        /// Its name.
        name: String,
        /// What to do.
        hint: &'static str,
    },
    /// Something cannot be done as things are.
    #[error("{problem}")]
    State {
        /// A stable code.
        code: &'static str,
        /// Why not.
        problem: String,
    },
    /// There is too much to do already.
    #[error("the server is busy: {limit} {what} are under way or wait; try again in a while")]
    Busy {
        /// What there is too much of.
        what: &'static str,
        /// How many may be.
        limit: u64,
        /// When to try again.
        retry_after: Duration,
    },
    /// The token has enough to do already, although others have not.
    #[error(
        "this token has {limit} {what} under way or waiting, which is its share; try again in a while"
    )]
    ShareTaken {
        /// What it has too much of.
        what: &'static str,
        /// How many it may have.
        limit: u64,
        /// When to try again.
        retry_after: Duration,
    },
    /// The turn did not come in time.
    #[error("waited {} ms for {what}; try again in a while", waited.as_millis())]
    WaitedTooLong {
        /// What for.
        what: &'static str,
        /// How long.
        waited: Duration,
        /// When to try again.
        retry_after: Duration,
    },
    /// A limit of the server was met, which trying again will meet too.
    #[error("{what} is over the limit of {limit}: {hint}")]
    Limit {
        /// What is too much.
        what: &'static str,
        /// The limit.
        limit: String,
        /// What to do.
        hint: &'static str,
    },
    /// The time is over.
    #[error("the time of this call is over")]
    Deadline,
    /// The client has left, or has said that it does not want the answer any more.
    #[error("cancelled")]
    Cancelled,
    /// Somebody has killed the statement.
    #[error("an administrator has stopped this statement")]
    Killed,
    /// The client does not take its rows.
    #[error("nobody has taken rows for {} ms", limit.as_millis())]
    Stalled {
        /// How long they may lie.
        limit: Duration,
    },
    /// The client does not send the rest of its message.
    #[error("nothing more of the message came for {} ms", limit.as_millis())]
    Unsent {
        /// How long it may be unfinished.
        limit: Duration,
    },
    /// The transaction has ended without its client.
    #[error("the transaction was rolled back: {why}")]
    TransactionOver {
        /// Why.
        why: Arc<str>,
    },
    /// A statement of the transaction has met a bug, and the transaction was rolled back.
    #[error("the transaction was rolled back, and nothing of it is left: {why}")]
    TransactionBroken {
        /// Why.
        why: Arc<str>,
    },
    /// The statement is committed, but the answer to it could not be given.
    #[error(
        "the statement is committed, and must not be run again, but its answer broke off: {source}"
    )]
    AfterCommit {
        /// What the answer broke off with.
        source: Box<Self>,
    },
    /// The server is about to end.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// A thread of ours has panicked, or could not be started.
    #[error("a bug in the server: {what}; please report it")]
    Bug {
        /// What happened.
        what: &'static str,
    },
}

impl Failure {
    /// A field that is not as it must be.
    pub(crate) fn request(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Request {
            field: field.into(),
            problem: problem.into(),
        }
    }

    /// Whether a promise was broken here or in the engine.
    pub(crate) fn is_bug(&self) -> bool {
        match self {
            Self::Bug { .. } => true,
            Self::Engine(error) => error.kind() == stratigraph::ErrorKind::Bug,
            _ => false,
        }
    }
}

fn place(database: &str) -> String {
    match database {
        crate::auth::EVERY_DATABASE => "all databases".to_owned(),
        name => format!("database {name}"),
    }
}
