//! Commits of the database's own, made by its threads beside everybody's transactions.
//!
//! They hold what they need of an open database and not the database itself, whose last user must be
//! able to close it.

use super::View;
use super::ground::Ground;
use crate::codec::{CommitSeq, DatabaseId};
use crate::error::{Error, Result};
use crate::storage::batch::Batch;
use crate::storage::cancel::CancelToken;
use crate::storage::family::Family;
use crate::storage::files::Layout;
use crate::storage::queue::WriterPlace;
use crate::storage::store::Store;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// What a thread of the database's own works on.
#[derive(Clone)]
pub(crate) struct Background {
    ground: Arc<Ground>,
}

impl Background {
    pub(crate) fn new(ground: &Arc<Ground>) -> Self {
        Self {
            ground: Arc::clone(ground),
        }
    }

    /// The last commit that readers see.
    pub(crate) fn published(&self) -> Arc<View> {
        self.ground.log.published()
    }

    /// The oldest commit that somebody may still read.
    pub(crate) fn oldest(&self) -> CommitSeq {
        self.ground.log.oldest()
    }

    /// The database's id.
    pub(crate) fn id(&self) -> DatabaseId {
        self.ground.id
    }

    /// Where its files are; nothing for a database in memory.
    pub(crate) fn folder(&self) -> Option<&Layout> {
        self.ground.disk.as_ref().map(|disk| &disk.layout)
    }

    /// How many bytes a transaction may hold.
    pub(crate) fn transaction_bytes(&self) -> u64 {
        self.ground.transaction_bytes
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.ground.read_only
    }

    /// The store, to write runs for.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.ground.store
    }

    /// Takes a run into the store, outside the log: nobody looks at its keys before a commit says so.
    ///
    /// # Errors
    /// [`Error::DiskFull`], or what the store refuses.
    pub(crate) fn ingest(&self, family: Family, run: &Path) -> Result<()> {
        let bytes = fs::metadata(run).map_err(|error| Error::io("measure", run, error))?;
        self.ground.admit(bytes.len(), false)?;
        let _listing = self.ground.file_list.lock();
        self.ground.store.ingest(family, &[run.to_path_buf()])
    }

    /// Waits for the writer's place, however long that takes, and says what the next commit stands on. Nobody
    /// takes the place away, so it must be left soon.
    ///
    /// # Errors
    /// [`Error::Closed`]; [`Error::Poisoned`]; [`Error::Cancelled`] by `stop`.
    pub(crate) fn enter(&self, stop: &CancelToken) -> Result<(WriterPlace, Arc<View>)> {
        loop {
            stop.check()?;
            let place = match self.ground.queue.enter() {
                Err(Error::WriterQueueTimeout { .. }) => continue,
                place => place?,
            };
            match place.begin_commit() {
                Err(Error::TransactionExpired { .. }) => {}
                begun => return begun.and_then(|()| Ok((place, self.ground.log.appended()?))),
            }
        }
    }

    /// Waits until readers see a commit.
    ///
    /// # Errors
    /// [`Error::OutcomeUnknown`] if it cannot be made durable.
    pub(crate) fn acknowledge(&self, commit: CommitSeq) -> Result<()> {
        self.ground.log.acknowledge(commit)
    }

    /// Makes everything that was committed durable.
    ///
    /// # Errors
    /// [`Error::OutcomeUnknown`] if it cannot be made durable.
    pub(crate) fn sync(&self) -> Result<()> {
        self.ground.log.sync().map(drop)
    }

    /// Commits what `fill` makes of what is there now. Nothing is written if that is nothing.
    ///
    /// # Errors
    /// [`Error::Closed`]; [`Error::DiskFull`]; [`Error::OutcomeUnknown`].
    pub(crate) fn commit(&self, fill: impl FnOnce(&View) -> Result<Batch>) -> Result<()> {
        self.commit_shared(|view| fill(&view))
    }

    /// The same for who keeps the view.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub(crate) fn commit_shared(
        &self,
        fill: impl FnOnce(Arc<View>) -> Result<Batch>,
    ) -> Result<()> {
        let (place, view) = self.enter(&CancelToken::new())?;
        let batch = fill(Arc::clone(&view))?;
        let commit = self.append(batch, &view)?;
        drop(place);
        self.ground.log.acknowledge(commit)
    }

    /// The same when nobody else can write any more.
    pub(crate) fn commit_alone(&self, fill: impl FnOnce(&View) -> Result<Batch>) -> Result<()> {
        let view = self.ground.log.appended()?;
        let batch = fill(&view)?;
        self.append(batch, &view).map(|_| ())
    }

    fn append(&self, batch: Batch, view: &View) -> Result<CommitSeq> {
        if batch.is_empty() {
            return Ok(view.commit);
        }
        self.ground
            .admit(batch.bytes() as u64, batch.only_deletes())?;
        self.ground
            .log
            .append_upkeep(batch, Arc::clone(&view.state))
    }
}
