//! Work that reads one snapshot: it has a place among readers, ends at its deadline and when its caller leaves, and can be
//! seen and stopped while it runs.

use super::{CancelOnDrop, RunLimits, Slot, blocking};
use crate::caller::Caller;
use crate::databases::OpenDatabase;
use crate::failure::Failure;
use crate::shared::Shared;
use std::pin::pin;
use std::sync::Arc;
use stratigraph::ReadTxn;
use stratigraph::storage::cancel::CancelToken;

/// Work that reads, on its way to a thread.
pub(crate) struct Reading {
    pub(crate) shared: Arc<Shared>,
    pub(crate) database: Arc<OpenDatabase>,
    caller: Caller,
    limits: RunLimits,
    cancel: CancelToken,
    /// Under which name it is counted.
    kind: &'static str,
    /// What stands among the statements that run. What is looked for is data, and is not told.
    shown: String,
}

impl Reading {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        (caller, database): (Caller, Arc<OpenDatabase>),
        kind: &'static str,
        shown: String,
    ) -> Result<Self, Failure> {
        Ok(Self {
            limits: RunLimits::new(&shared.config, &caller, None)?,
            shared: Arc::clone(shared),
            database,
            caller,
            cancel: CancelToken::new(),
            kind,
            shown,
        })
    }

    /// A snapshot of the database, which cannot be read any more once the work is stopped.
    pub(crate) fn read(&self) -> Result<ReadTxn, Failure> {
        self.database.read(&self.cancel)
    }

    /// What stops it.
    pub(crate) fn cancel(&self) -> &CancelToken {
        &self.cancel
    }

    /// Whether it may go on.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        self.limits.time_left()?;
        Ok(self.cancel.check()?)
    }

    /// Does `work`, which says how many rows it has found.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce(&Self) -> Result<(T, u64), Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let slot = self.shared.readers.enter(
            self.caller.identity.name(),
            self.limits.memory_bytes,
            self.limits.time_left()?,
        );
        let slot = slot.await?;
        let (deadline, cancel) = (self.limits.deadline, self.cancel.clone());
        let _guard = CancelOnDrop(cancel.clone());
        let mut done = pin!(blocking(move || self.work(&slot, work)));
        tokio::select! {
            done = &mut done => done,
            () = tokio::time::sleep_until(deadline.into()) => {
                cancel.cancel();
                done.await.map_err(|failure| match failure {
                    Failure::Engine(stratigraph::Error::Cancelled) => Failure::Deadline,
                    other => other,
                })
            }
        }
    }

    fn work<T>(
        &self,
        slot: &Slot,
        work: impl FnOnce(&Self) -> Result<(T, u64), Failure>,
    ) -> Result<T, Failure> {
        let running = &self.shared.running;
        let started = running.begin(&self.caller, &self.database.name, &self.shown, &self.cancel);
        let done = work(self).map_err(|failure| started.explain(failure));
        let finished = started.finished();
        let rows = done.as_ref().map_or(0, |(_, rows)| *rows);
        let (took, is_slow) = (finished.elapsed, finished.is_slow);
        self.shared
            .metrics
            .ran(self.kind, rows, slot.waited, took, is_slow);
        if is_slow {
            started.note_slow(rows, "", done.as_ref().err());
        }
        done.map(|(done, _)| done)
    }
}
