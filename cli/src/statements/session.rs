//! A database, and what a conversation with it holds: parameters, limits, a transaction that may be open.
//!
//! Next: `script.rs`.

use crate::failure::Failure;
use std::time::Duration;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, Error, Parameters, QueryOptions, Rows, WriteTxn};

/// What a statement may take.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    /// How long it may run.
    pub(crate) time: Option<Duration>,
    /// How many rows it may give; one that gives more fails.
    pub(crate) rows: Option<u64>,
}

/// A conversation with a database.
pub(crate) struct Session {
    database: Database,
    open: Option<WriteTxn>,
    /// What the `$names` stand for.
    pub(crate) parameters: Parameters,
    /// What each statement may take.
    pub(crate) limits: Limits,
}

impl Session {
    /// A conversation without an open transaction.
    pub(crate) fn new(database: Database) -> Self {
        Self {
            database,
            open: None,
            parameters: Parameters::new(),
            limits: Limits::default(),
        }
    }

    /// The database.
    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// Runs a statement, in the open transaction if there is one, and gives its rows to `take`.
    ///
    /// # Errors
    /// Those of the statement and of `take`.
    pub(crate) fn run<T>(
        &mut self,
        text: &str,
        cancel: &CancelToken,
        take: impl FnOnce(Rows<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut options = QueryOptions::new().cancel(cancel.clone());
        if let Some(time) = self.limits.time {
            options = options.timeout(time);
        }
        if let Some(rows) = self.limits.rows {
            options = options.max_rows(rows);
        }
        let Some(open) = &mut self.open else {
            return take(self.database.query_with(text, &self.parameters, &options)?);
        };
        let rows = open.query_with(text, &self.parameters, &options);
        let taken = rows.map_err(Failure::from).and_then(take);
        if let Err(Failure::Engine(Error::TransactionExpired { .. })) = &taken {
            // It is rolled back already.
            self.open = None;
        }
        taken
    }

    /// Whether a transaction is open.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Opens a transaction.
    ///
    /// # Errors
    /// One is open already; what the engine refuses.
    pub(crate) fn begin(&mut self) -> Result<(), Failure> {
        if self.is_open() {
            return Err(Failure::Command(
                "a transaction is open: :commit or :rollback first".to_owned(),
            ));
        }
        self.open = Some(self.database.write()?);
        Ok(())
    }

    /// Makes what the open transaction has changed durable.
    ///
    /// # Errors
    /// None is open; what keeps it from being committed, and it is rolled back then.
    pub(crate) fn commit(&mut self) -> Result<(), Failure> {
        self.taken()?.commit()?;
        Ok(())
    }

    /// Takes back what the open transaction has changed.
    ///
    /// # Errors
    /// None is open.
    pub(crate) fn roll_back(&mut self) -> Result<(), Failure> {
        self.taken().map(drop)
    }

    fn taken(&mut self) -> Result<WriteTxn, Failure> {
        let none = || Failure::Command("no transaction is open: :begin opens one".to_owned());
        self.open.take().ok_or_else(none)
    }

    /// Closes the database. What is open is rolled back.
    ///
    /// # Errors
    /// What keeps it from being closed in order.
    pub(crate) fn close(self) -> Result<(), Failure> {
        drop(self.open);
        self.database.close()?;
        Ok(())
    }
}
