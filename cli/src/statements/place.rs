//! Where statements are answered: what a conversation needs of a database, wherever that is.
//!
//! A folder is one such place (`folder.rs`), a server at an address another (`remote/server.rs`). What is not asked by
//! the user's own statements is asked by ours ([`Place::look`]), so that both say the same.
//!
//! Next: `folder.rs`.

use super::session::Limits;
use crate::failure::Failure;
use std::sync::Arc;
use std::time::Duration;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{AskedName, Database, Parameters, Value};

/// What a statement is asked with.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) text: &'a str,
    pub(crate) parameters: &'a Parameters,
    pub(crate) limits: Limits,
    pub(crate) cancel: &'a CancelToken,
}

/// The rows of a statement as they come, and what is known of it after the last.
pub(crate) trait Answer {
    /// The names of the columns.
    fn columns(&self) -> &[Arc<str>];
    /// The next row: a value for each column.
    fn next(&mut self) -> Option<Result<Vec<Value>, Failure>>;
    /// The plan of a statement that is not run, as a drawing; whoever has it needs no rows.
    ///
    /// # Errors
    /// What keeps it from being known.
    fn planned(&mut self) -> Result<Option<String>, Failure>;
    /// What it has come to. Asked when nobody wants more rows.
    ///
    /// # Errors
    /// What keeps it from being known.
    fn told(&mut self) -> Result<Told, Failure>;
}

/// What is known of a statement.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    /// What it changed, each with its name.
    pub(crate) changes: Vec<(String, u64)>,
    /// The same in words: `added 2 nodes`; what a statement without changes says.
    pub(crate) changed: String,
    /// How it runs, for `EXPLAIN` and `PROFILE`.
    pub(crate) plan: Option<String>,
    /// The operators of that plan.
    pub(crate) operators: Vec<Operator>,
    /// Whether a budget has ended it early.
    pub(crate) truncated: bool,
}

impl Told {
    /// What was changed, and nothing of a plan yet.
    pub(crate) fn of(counters: &stratigraph::Counters) -> Self {
        let changes = counters.all().map(|(name, count)| (name.to_owned(), count));
        let changed = if counters.contains_updates() {
            counters.to_string()
        } else {
            String::new()
        };
        Self {
            changes: changes.collect(),
            changed,
            ..Self::default()
        }
    }
}

/// An operator of a plan.
#[derive(Debug, Clone)]
pub(crate) struct Operator {
    pub(crate) depth: usize,
    pub(crate) text: String,
    pub(crate) work: Option<Work>,
}

/// What an operator has done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work {
    pub(crate) rows: u64,
    pub(crate) seeks: u64,
    pub(crate) memory_bytes: u64,
    pub(crate) time: Duration,
}

/// Takes the answer to a statement.
pub(crate) type Take<'t> = &'t mut dyn FnMut(&mut dyn Answer) -> Result<(), Failure>;

/// Where statements are answered, in transactions of their own or in one that stays open.
pub(crate) trait Place {
    /// Runs a statement, in the open transaction if there is one, and gives its answer to `take`.
    ///
    /// # Errors
    /// Those of the statement and of `take`.
    fn run(&mut self, asked: Asked<'_>, take: Take<'_>) -> Result<(), Failure>;
    /// Whether a transaction is open.
    fn is_open(&self) -> bool;
    /// Opens a transaction; none is open. Gives what somebody should know who lets it rest.
    ///
    /// # Errors
    /// What keeps it from being opened.
    fn begin(&mut self, cancel: &CancelToken) -> Result<String, Failure>;
    /// Ends the open transaction, for good or without a trace; one is open.
    ///
    /// # Errors
    /// What keeps it from being committed; it is rolled back then.
    fn end(&mut self, commit: bool) -> Result<(), Failure>;
    /// The rows of a statement that reads, beside the transaction that may be open: what the conversation itself
    /// wants to know. There are not many.
    ///
    /// # Errors
    /// Those of the statement.
    fn look(&self, text: &str) -> Result<Vec<Vec<Value>>, Failure>;
    /// The names that a statement asks for; none of one that only the place itself can read.
    fn asked_names(&self, text: &str) -> Vec<AskedName> {
        // The text says it, wherever the database is.
        let read = Database::in_memory().and_then(|db| db.prepare(text));
        read.map_or_else(|_| Vec::new(), |read| read.asked_names().to_vec())
    }
    /// Closes it. What is open is rolled back.
    ///
    /// # Errors
    /// What keeps it from being closed in order.
    fn close(self: Box<Self>) -> Result<(), Failure>;
}
