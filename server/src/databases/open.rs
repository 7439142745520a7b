//! One database that is open: what the engine has, and who waits for its writer's place.
//!
//! The engine has a queue of writers of its own, in which threads wait. Here calls wait, which can be given up at any
//! time; whoever has the turn finds the engine's queue empty, but for builders of indexes, which are quick.

use super::holds::Holds;
use super::named::NamedQueries;
use super::prepared::{MOST_PREPARED, MOST_PREPARED_BYTES, PreparedStatements};
use crate::failure::Failure;
use crate::transactions::Transactions;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stratigraph::Database;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_rag::door::{Equipment, Library};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// One database that is open.
pub(crate) struct OpenDatabase {
    /// Its name.
    pub(crate) name: Arc<str>,
    /// The engine's.
    pub(crate) engine: Database,
    /// The same for documents, with the models of the server.
    pub(crate) library: Library,
    /// Statements that were prepared.
    pub(crate) prepared: PreparedStatements,
    /// Statements that have names.
    pub(crate) named: NamedQueries,
    /// Transactions that are open.
    pub(crate) transactions: Transactions,
    /// What else must not lose it.
    pub(crate) holds: Holds,
    writer: Arc<Semaphore>,
    /// Those that wait and the one that writes.
    line: Arc<Semaphore>,
    line_length: u32,
    closing: AtomicBool,
}

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// It changes nothing.
    Reads,
    /// It changes the graph, and holds the writer's place while it runs.
    Writes,
    /// It changes what is declared, or calls what commits on its own, such as `rag.upsertDocument`. That goes on while
    /// others write, and takes the writer's place now and then: whoever held the turn meanwhile would hold the others up.
    Declares,
}

/// The turn to write. Dropping it lets the next one in.
pub(crate) struct WriterTurn {
    _line: OwnedSemaphorePermit,
    _turn: OwnedSemaphorePermit,
}

impl OpenDatabase {
    pub(super) fn new(
        name: &str,
        engine: Database,
        named: NamedQueries,
        limits: &crate::Config,
        equipment: &Equipment,
    ) -> Result<Self, stratigraph::Error> {
        let line_length = limits.max_queued.saturating_add(1);
        let library = Library::new(&engine, equipment.clone());
        library.register()?;
        Ok(Self {
            name: name.into(),
            engine,
            library,
            prepared: PreparedStatements::new(MOST_PREPARED, MOST_PREPARED_BYTES),
            named,
            transactions: Transactions::default(),
            holds: Holds::default(),
            writer: Arc::new(Semaphore::new(1)),
            line: Arc::new(Semaphore::new(line_length as usize)),
            line_length,
            closing: AtomicBool::new(false),
        })
    }

    /// Waits for the turn to write, at most so long.
    pub(crate) async fn writer_turn(&self, patience: Duration) -> Result<WriterTurn, Failure> {
        let line = Arc::clone(&self.line).try_acquire_owned();
        let line = line.map_err(|_| Failure::Busy {
            what: "writers of this database",
            limit: self.line_length.into(),
            retry_after: patience / 2,
        })?;
        let began = Instant::now();
        let turn = Arc::clone(&self.writer).acquire_owned();
        match tokio::time::timeout(patience, turn).await {
            Ok(Ok(turn)) if !self.is_closing() => Ok(WriterTurn {
                _line: line,
                _turn: turn,
            }),
            Ok(_) => Err(Failure::NoDatabase {
                name: self.name.to_string(),
            }),
            Err(_) => Err(Failure::WaitedTooLong {
                what: "the writer before this one",
                waited: began.elapsed(),
                retry_after: Duration::from_millis(100),
            }),
        }
    }

    /// How many transactions and bulk writes have begun and not ended.
    pub(crate) fn unfinished(&self) -> usize {
        self.transactions.count() + self.holds.writing()
    }

    /// How many write or wait to.
    pub(crate) fn writers(&self) -> usize {
        (self.line_length as usize).saturating_sub(self.line.available_permits())
    }

    /// Begins to close it if nobody would lose anything by that.
    pub(super) fn close_for_dropping(&self) -> Result<(), Failure> {
        // Nobody gets a turn to write from here on, so nothing comes in between.
        self.closing.store(true, Ordering::Release);
        let mut held = self.holds.all();
        let open = self.transactions.count();
        if open > 0 {
            held.push(("open transaction", open));
        }
        if held.is_empty() {
            self.begin_closing();
            return Ok(());
        }
        self.closing.store(false, Ordering::Release);
        let held = held.iter().map(|(what, count)| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        });
        let held: Vec<String> = held.collect();
        let problem = format!(
            "database {} cannot be dropped while it is in use ({}): end that first, or wait for it",
            self.name,
            held.join(", ")
        );
        Err(Failure::State {
            code: "DatabaseInUse",
            problem,
        })
    }

    /// Nobody begins anything any more.
    pub(crate) fn begin_closing(&self) {
        self.closing.store(true, Ordering::Release);
        self.writer.close();
        self.transactions.end_all("the database is being closed");
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// What a statement does. Planning reads no data, and the plan is kept for the run.
    pub(crate) fn doing(&self, text: &str) -> Result<Doing, Failure> {
        let prepared = self.engine.prepare(text)?;
        Ok(match prepared.writes() {
            false => Doing::Reads,
            true if prepared.declares() || prepared.commits_itself() => Doing::Declares,
            true => Doing::Writes,
        })
    }

    /// A snapshot that `cancel` stops.
    pub(crate) fn read(&self, cancel: &CancelToken) -> Result<stratigraph::ReadTxn, Failure> {
        Ok(self.engine.read()?.with_cancel(cancel.clone()))
    }
}
