//! Running one statement, wherever it runs: rows out, a summary, what is counted and what is logged.
//!
//! It blocks, and so runs on a thread that may.

use crate::caller::Caller;
use crate::convert;
use crate::databases::{OpenDatabase, WriterTurn};
use crate::failure::Failure;
use crate::shared::Shared;
use crate::work::{Outlet, RunLimits, Started};
use std::sync::Arc;
use std::time::Duration;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Database, Parameters, ReadTxn, Summary, WriteTxn};

/// Where a statement runs.
pub(crate) enum Place<'p> {
    /// Over a snapshot: the engine refuses whatever writes.
    Snapshot(&'p ReadTxn),
    /// Within a transaction.
    Transaction(&'p mut WriteTxn),
    /// In a transaction of its own, which has committed before its first row is given. The turn to write is given
    /// back then: a slow reader must not hold up other writers.
    Own(&'p Database, Option<WriterTurn>),
}

/// A statement to run.
pub(crate) struct Run<'r> {
    pub(crate) shared: &'r Arc<Shared>,
    pub(crate) database: &'r OpenDatabase,
    pub(crate) caller: &'r Caller,
    pub(crate) text: &'r str,
    pub(crate) parameters: &'r Parameters,
    pub(crate) limits: &'r RunLimits,
    pub(crate) cancel: &'r CancelToken,
    /// How long it has waited for its turn.
    pub(crate) waited: Duration,
}

impl Run<'_> {
    /// Runs it, and sends all of the answer but a failure.
    ///
    /// In a transaction a statement that fails has changed nothing, also when it fails while its rows are on their way.
    /// Whoever leaves in the middle of them has seen that it ran, and it stays.
    pub(crate) fn answer(&self, place: &mut Place<'_>, outlet: &Outlet) -> Result<(), Failure> {
        let Place::Transaction(write) = place else {
            return self.told(place, outlet);
        };
        let before = write.savepoint()?;
        let told = self.told(place, outlet);
        if let Place::Transaction(write) = place {
            if told.as_ref().is_err_and(|failure| !is_left(failure)) {
                write.rollback_to(before).map_err(|_| NOT_TAKEN_BACK)?;
            }
            write.release(before).map_err(|_| NOT_TAKEN_BACK)?;
        }
        told
    }

    fn told(&self, place: &mut Place<'_>, outlet: &Outlet) -> Result<(), Failure> {
        let started =
            self.shared
                .running
                .begin(self.caller, &self.database.name, self.text, self.cancel);
        let ran = self
            .rows(place, outlet)
            .map_err(|failure| started.explain(failure));
        let finished = started.finished();
        let rows = ran.as_ref().map_or(0, Summary::rows);
        let kind = match place {
            Place::Snapshot(_) => "read",
            Place::Transaction(_) => "transaction",
            Place::Own(..) => "write",
        };
        self.shared
            .metrics
            .ran(kind, rows, self.waited, finished.elapsed, finished.is_slow);
        let told = ran.as_ref().map_err(Clone::clone).and_then(|summary| {
            let mut told = convert::summary(summary);
            told.queued_us = convert::micros(self.waited);
            told.elapsed_us = convert::micros(finished.elapsed);
            let told = outlet.summary(told);
            told.map_err(|failure| started.explain(after(place, failure)))
        });
        if finished.is_slow {
            // The client has its answer by now.
            self.note_slow(&started, ran.as_ref().ok(), ran.as_ref().err());
        }
        told
    }

    fn rows(&self, place: &mut Place<'_>, outlet: &Outlet) -> Result<Summary, Failure> {
        let text = self.limits.text_to_run(self.text);
        let options = self.limits.options(self.cancel)?;
        let rows = match place {
            Place::Snapshot(read) => read.query_with(&text, self.parameters, &options)?,
            Place::Transaction(write) => write.query_with(&text, self.parameters, &options)?,
            Place::Own(database, turn) => {
                let rows = database.query_with(&text, self.parameters, &options);
                drop(turn.take());
                rows?
            }
        };
        let answered = outlet.rows(rows, self.limits.batch_rows);
        answered.map_err(|failure| after(place, failure))
    }

    /// Keeps a slow statement with its plan, which is made anew: it costs little beside what was slow.
    fn note_slow(&self, started: &Started, summary: Option<&Summary>, failure: Option<&Failure>) {
        let plan = summary.and_then(Summary::plan).map(ToOwned::to_owned);
        let explained = || {
            let text = format!("EXPLAIN\n{}", self.text);
            let rows = self.database.engine.read().ok()?;
            let rows = rows.query(&text, ()).ok()?;
            rows.summary().plan().map(ToOwned::to_owned)
        };
        let plan = plan.or_else(explained).unwrap_or_default();
        started.note_slow(summary.map_or(0, Summary::rows), &plan, failure);
    }
}

/// A transaction that this has befallen ends.
const NOT_TAKEN_BACK: Failure = Failure::Bug {
    what: "a statement could not be taken back",
};

/// What a failure is that comes when the statement has run.
fn after(place: &Place<'_>, failure: Failure) -> Failure {
    match place {
        Place::Own(..) => Failure::AfterCommit {
            source: Box::new(failure),
        },
        Place::Snapshot(_) | Place::Transaction(_) => failure,
    }
}

/// Whether the client has left of its own will.
fn is_left(failure: &Failure) -> bool {
    matches!(failure, Failure::Cancelled)
}
