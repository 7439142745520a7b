//! What goes wrong at an address, in the words that a folder has for it.
//!
//! A mistake in a statement looks as if the database were here: the server tells its place, and the text is known on
//! this side. Everything else says what happened to the statement, to the transaction and to the connection.
//!
//! Next: `values.rs`.

use crate::exit::Exit;
use crate::failure::Failure;
use std::fmt;
use stratigraph_client::{Error, ErrorKind, Refusal};
use stratigraph_query_lang::Position;

/// Why a server gave no answer.
#[derive(Debug)]
pub(crate) struct RemoteFailure {
    what: What,
    /// What has become of the transaction that was open, if that is not what it was.
    lost: bool,
}

#[derive(Debug)]
enum What {
    /// The statement is wrong, or went wrong.
    Query(RefusedQuery),
    /// Anything else.
    Said {
        message: String,
        exit: Exit,
        kind: &'static str,
    },
}

/// A statement that is wrong, as the server tells it.
#[derive(Debug)]
pub(crate) struct RefusedQuery {
    pub(crate) error_type: String,
    pub(crate) phase: String,
    pub(crate) detail: String,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) position: Option<Position>,
    /// The line that the position is in.
    line: String,
}

impl RemoteFailure {
    /// What an error of the client means, of a statement with that text.
    pub(super) fn of(error: &Error, address: &str, text: &str) -> Self {
        let what = match error {
            Error::Refused(refusal) => match RefusedQuery::of(refusal, text) {
                Some(query) => What::Query(query),
                None => refused(refusal, address),
            },
            Error::Connect { problem, .. } => said(
                format!(
                    "cannot connect to {address}: {problem}; is the server there, and is it grpcs:// if it has TLS?"
                ),
                error,
            ),
            Error::Deadline { allowed } => said(
                format!("no answer came within {} ms", allowed.as_millis()),
                error,
            ),
            Error::TooLarge { problem, .. } => {
                said(format!("{problem}: work on less at a time"), error)
            }
            Error::TransactionOver { problem } => {
                return Self::lost(problem.strip_prefix("TransactionOver: ").unwrap_or(problem));
            }
            other => said(other.to_string(), other),
        };
        Self { what, lost: false }
    }

    /// That the open transaction is lost, and why.
    pub(super) fn lost(why: &str) -> Self {
        let message = format!(
            "the open transaction is lost, and nothing of it was kept: {why}; :begin opens another"
        );
        let what = What::Said {
            message,
            exit: Exit::Unavailable,
            kind: "retry",
        };
        Self { what, lost: true }
    }

    /// The same, because somebody has pressed Ctrl-C.
    pub(super) fn lost_by_cancelling() -> Self {
        let why =
            "the statement was cancelled before its answer, and nobody knows what it had changed";
        let mut lost = Self::lost(why);
        if let What::Said { exit, kind, .. } = &mut lost.what {
            (*exit, *kind) = (Exit::Cancelled, "cancelled");
        }
        lost
    }

    /// Something else.
    pub(super) fn other(message: String, exit: Exit, kind: &'static str) -> Self {
        Self {
            what: What::Said {
                message,
                exit,
                kind,
            },
            lost: false,
        }
    }

    /// Whether the transaction that was open is no more.
    pub(super) fn has_lost_transaction(&self) -> bool {
        self.lost
    }

    /// What is wrong with the statement, if that is it.
    pub(crate) fn query(&self) -> Option<&RefusedQuery> {
        match &self.what {
            What::Query(query) => Some(query),
            What::Said { .. } => None,
        }
    }

    /// How it ends the command.
    pub(crate) fn exit(&self) -> Exit {
        match &self.what {
            What::Query(_) => Exit::Request,
            What::Said { exit, .. } => *exit,
        }
    }

    /// Its kind as one word.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.what {
            What::Query(_) => "request",
            What::Said { kind, .. } => kind,
        }
    }
}

impl From<RemoteFailure> for Failure {
    fn from(failure: RemoteFailure) -> Self {
        Self::Remote(Box::new(failure))
    }
}

/// What the server says of anything but a statement that is wrong.
fn refused(refusal: &Refusal, address: &str) -> What {
    let error = Error::Refused(Box::new(refusal.clone()));
    // Every server of ours says whether trying again helps.
    if refusal.fact("retryable").is_none() {
        let message = refusal.message();
        return What::Said {
            message: format!(
                "no answer from {address}: {message}; is the server there, and is it grpcs:// if it has TLS?"
            ),
            exit: Exit::Unavailable,
            kind: "unavailable",
        };
    }
    let mut message = refusal.message().to_owned();
    match (refusal.hint(), error.kind()) {
        (Some(hint), _) => message.push_str(&format!("; {hint}")),
        (None, ErrorKind::Denied) if refusal.code() == "Unauthenticated" => {
            message.push_str("; put the token into STRATIGRAPH_TOKEN, or pass --token-file");
        }
        // The log of the server says more, and finds it by this.
        (None, ErrorKind::Bug | ErrorKind::Unavailable | ErrorKind::Corrupt) => {
            if let Some(id) = refusal.request_id() {
                message.push_str(&format!(" (request {id})"));
            }
        }
        _ => {}
    }
    if refusal.code() == "Cancelled" {
        return What::Said {
            message,
            exit: Exit::Cancelled,
            kind: "cancelled",
        };
    }
    said(message, &error)
}

fn said(message: String, error: &Error) -> What {
    let (exit, kind) = match error.kind() {
        ErrorKind::Retry => (Exit::Unavailable, "retry"),
        // `Exit::Conflict` is for a database that somebody else has open.
        ErrorKind::Conflict => (Exit::Unavailable, "conflict"),
        ErrorKind::OutcomeUnknown | ErrorKind::Unavailable => (Exit::Unavailable, "unavailable"),
        ErrorKind::Corrupt => (Exit::Damage, "corrupt"),
        ErrorKind::Bug => (Exit::Bug, "bug"),
        // `Denied` too: who asks in the same way is denied again.
        _ => (Exit::Request, "request"),
    };
    What::Said {
        message,
        exit,
        kind,
    }
}

impl RefusedQuery {
    /// What a server says of the statement; `None` if it is about something else.
    fn of(refusal: &Refusal, text: &str) -> Option<Self> {
        let position = refusal.position().map(|at| Position {
            line: at.line,
            column: at.column,
            offset: refusal
                .fact("offset")
                .and_then(|offset| offset.parse().ok())
                .unwrap_or(0),
            length: at.length,
        });
        let line = position.and_then(|at| text.lines().nth((at.line as usize).checked_sub(1)?));
        Some(Self {
            error_type: refusal.fact("type")?.to_owned(),
            phase: refusal.fact("phase")?.to_owned(),
            detail: refusal.code().to_owned(),
            message: refusal.message().to_owned(),
            hint: refusal.hint().map(str::to_owned),
            position,
            line: line.unwrap_or_default().to_owned(),
        })
    }
}

impl fmt::Display for RefusedQuery {
    /// As the engine shows its own.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "{} ({}): {}",
            self.error_type, self.detail, self.message
        )?;
        if let Some(position) = self.position {
            let (line, column) = (position.line, position.column);
            writeln!(out, "\n  at line {line}, column {column}")?;
            out.write_str(&position.shown_in(&self.line))?;
        }
        if let Some(hint) = &self.hint {
            write!(out, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl fmt::Display for RemoteFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::Query(query) => query.fmt(out),
            What::Said { message, .. } => out.write_str(message),
        }
    }
}

impl std::error::Error for RemoteFailure {}
