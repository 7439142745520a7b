//! The database as its users see it: open, read, write, load, back up, check.
//!
//! [`open`] walks from a folder to a database. Its transactions come from below: [`graph`](crate::graph)
//! has those on nodes and relationships, [`keys`](crate::keys) those on bytes. What they stand on is a
//! [`Ground`]; the rest of an open database is here. Nothing here names RocksDB.

mod backup;
mod check;
mod info;
mod look;
mod manifest;
mod migrate;
mod open;
mod prune;
mod restore;
mod schema;
mod settings;
mod texts;

pub use backup::{BackupInfo, list_backups, verify_backup};
pub use check::{CheckReport, Finding};
pub use info::DatabaseInfo;
pub use manifest::BackupManifest;
pub use prune::PrunedBackups;
pub use restore::restore;
pub use schema::{
    Constraint, ConstraintOn, Declaration, HierarchyOptions, Index, TextIndex, VectorIndex,
};
pub use settings::DatabaseBuilder;

use crate::algo::snapshot::ProjectionCache;
use crate::catalog::TextIndexDef;
use crate::codec::{CommitSeq, DatabaseId};
use crate::error::{Error, Result};
use crate::graph::{BulkLoad, BulkOptions, ReadTxn, WriteTxn};
use crate::index::Jobs;
use crate::index::property::ValueSets;
use crate::index::text::TextCache;
use crate::index::vector::VectorIndexes;
use crate::keys::{Ground, KeyBulkLoad, KeyReadTxn, KeyWriteTxn, OnlyWriter, OpenDatabase};
use crate::query::{PlanCache, Registry};
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use crate::storage::files::Layout;
use crate::storage::files::header::Header;
use crate::storage::files::mark::ManifestFloor;
use crate::storage::store::Store;
use parking_lot::{Mutex, RwLock};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

/// An open database. Clones share it; it closes when the last one, and the last transaction, is dropped.
///
/// ```
/// use stratigraph::{Database, Read};
///
/// let db = Database::in_memory()?;
/// let mut txn = db.write()?;
/// let ann = txn.create_node(["Person"], [("name", "Ann")])?;
/// txn.commit()?;
/// assert_eq!(db.read()?.node(ann)?.unwrap().get("name").unwrap().as_str(), Some("Ann"));
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone)]
pub struct Database {
    inner: Arc<Inner>,
    /// Who has this one, if that one has to know who else writes.
    only: Option<Arc<OnlyWriter>>,
}

struct Inner {
    ground: Arc<Ground>,
    syncer: Mutex<Option<JoinHandle<()>>>,
    projections: ProjectionCache,
    /// What queries can call.
    procedures: RwLock<Arc<Registry>>,
    /// Plans of queries that ran before.
    plans: PlanCache,
    vectors: Arc<VectorIndexes>,
    texts: TextCache,
    value_sets: ValueSets,
    text_merger: texts::TextMerger,
    jobs: Arc<Jobs>,
    /// Indexes and constraints that are being built.
    builds: schema::Builds,
    /// Held by the one backup that is being taken, and by who removes old ones.
    backing_up: Mutex<()>,
}

impl Database {
    /// Opens the database in `path` with the default settings.
    ///
    /// # Errors
    /// As [`DatabaseBuilder::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::builder().open(path)
    }

    /// Creates a database in `path`, which must be missing or empty.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] if it is not.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        // A creation that was cut short left a header that says so, and may start over.
        let unfinished = Header::read(&Layout::new(path))?.is_some_and(|header| !header.ready);
        if !unfinished
            && path
                .read_dir()
                .is_ok_and(|mut entries| entries.next().is_some())
        {
            return Err(Error::AlreadyExists {
                path: path.to_path_buf(),
            });
        }
        Self::builder().create_if_missing(true).open(path)
    }

    /// A database in memory with the default settings.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn in_memory() -> Result<Self> {
        Self::builder().in_memory()
    }

    /// A builder with the default settings.
    pub fn builder() -> DatabaseBuilder {
        DatabaseBuilder::default()
    }

    /// Starts a read transaction on the last published commit. It never blocks nor is blocked.
    ///
    /// # Errors
    /// [`Error::Closed`] after [`close`](Self::close).
    pub fn read(&self) -> Result<ReadTxn> {
        Ok(ReadTxn::new(self.key_read()?))
    }

    /// Starts a write transaction, waiting for the one before it.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::Closed`], [`Error::Poisoned`] after a failed write, or
    /// [`Error::WriterQueueTimeout`] if another writer is in the way for too long.
    pub fn write(&self) -> Result<WriteTxn> {
        Ok(WriteTxn::new(self.key_write()?))
    }

    /// Starts a bulk load of nodes and relationships, with the default options. It holds the writer's
    /// place.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn bulk_load(&self) -> Result<BulkLoad> {
        self.bulk_load_with(BulkOptions::default())
    }

    /// Starts a bulk load of nodes and relationships.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn bulk_load_with(&self, options: BulkOptions) -> Result<BulkLoad> {
        let load = self.key_bulk_load()?;
        // The load holds the writer's place, so what is published is what it starts from.
        let read = self.key_read()?;
        BulkLoad::begin(load, read, options)
    }

    /// A read transaction below the graph, on bytes.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn key_read(&self) -> Result<KeyReadTxn> {
        self.inner.ground.ensure_open()?;
        Ok(KeyReadTxn::new(self.opened()))
    }

    /// A write transaction below the graph, on bytes: it can break what the graph promises.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn key_write(&self) -> Result<KeyWriteTxn> {
        KeyWriteTxn::begin(self.opened(), self.only.clone())
    }

    /// A bulk load below the graph, of sorted entries outside the log. It holds the writer's place.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn key_bulk_load(&self) -> Result<KeyBulkLoad> {
        KeyBulkLoad::begin(self.opened(), self.only.clone())
    }

    /// The same database for somebody who means to be the only one who writes: all that is written through this one
    /// is theirs.
    pub(crate) fn written_by(&self, only: &Arc<OnlyWriter>) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            only: Some(Arc::clone(only)),
        }
    }

    /// The database as transactions keep it open.
    fn opened(&self) -> Arc<dyn OpenDatabase> {
        self.inner.clone()
    }

    /// Makes everything committed so far durable; only [`Durability::Periodic`] needs it.
    ///
    /// [`Durability::Periodic`]: crate::storage::commit::Durability::Periodic
    ///
    /// # Errors
    /// [`Error::OutcomeUnknown`] if the sync failed.
    pub fn sync(&self) -> Result<CommitSeq> {
        self.inner.ground.ensure_writable()?;
        self.inner.ground.log.sync()
    }

    /// Moves what is in memory into sorted files.
    ///
    /// # Errors
    /// What the store refuses.
    pub fn flush(&self) -> Result<()> {
        self.inner.ground.ensure_writable()?;
        self.inner.ground.store.flush()
    }

    /// Rewrites every family without its deleted and overwritten entries.
    ///
    /// # Errors
    /// What the store refuses; [`Error::Cancelled`] between two families.
    pub fn compact(&self, watch: &mut Watch<'_>) -> Result<()> {
        self.inner.ground.ensure_writable()?;
        let families: Vec<Family> = Family::all().collect();
        for (done, family) in families.iter().enumerate() {
            watch.step(family.name(), done as u64, families.len() as u64)?;
            self.inner.ground.store.compact(*family)?;
        }
        watch.step("done", families.len() as u64, families.len() as u64)
    }

    /// How many bytes a write transaction may hold.
    #[must_use]
    pub fn transaction_bytes(&self) -> u64 {
        self.inner.ground.transaction_bytes
    }

    /// The database's id, which never changes.
    #[must_use]
    pub fn id(&self) -> DatabaseId {
        self.inner.ground.id
    }

    /// The store underneath, for benchmarks and tools that look below transactions.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.inner.ground.store
    }

    /// What queries can call.
    pub(crate) fn registry(&self) -> &RwLock<Arc<Registry>> {
        &self.inner.procedures
    }

    /// Plans of queries that ran before.
    pub(crate) fn plans(&self) -> &PlanCache {
        &self.inner.plans
    }

    /// Tells others who find this database open where it can be asked: [`Error::AlreadyOpen`] names the address
    /// then. A server calls it when it listens. In memory and read-only it does nothing.
    ///
    /// ```no_run
    /// let db = stratigraph::Database::open("library")?;
    /// db.announce("grpc://127.0.0.1:7474");
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    pub fn announce(&self, address: &str) {
        if let Some(disk) = &self.inner.ground.disk {
            disk.lock.announce(address);
        }
    }

    /// Closes the database: no transaction starts any more, and what is in memory goes to files, so
    /// that the next open has nothing to replay. Running transactions keep their view.
    ///
    /// Dropping the last clone does the same, but cannot report what goes wrong.
    ///
    /// # Errors
    /// [`Error::LoadInProgress`] while a bulk load is open, and what the store refuses; everything
    /// acknowledged is safe all the same.
    pub fn close(self) -> Result<()> {
        self.inner.close()
    }
}

/// A database that is not kept open by this: for what the database itself holds, such as procedures of the host.
#[derive(Clone, Debug)]
pub struct WeakDatabase {
    inner: Weak<Inner>,
}

impl Database {
    /// The same without keeping it open. A procedure that held a [`Database`] and is registered with it would keep it
    /// open for ever.
    ///
    /// ```
    /// use stratigraph::Database;
    ///
    /// let db = Database::in_memory()?;
    /// let weak = db.downgrade();
    /// assert!(weak.upgrade().is_some());
    /// drop(db);
    /// assert!(weak.upgrade().is_none());
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    #[must_use]
    pub fn downgrade(&self) -> WeakDatabase {
        WeakDatabase {
            inner: Arc::downgrade(&self.inner),
        }
    }
}

impl WeakDatabase {
    /// The database, if it is still open somewhere.
    #[must_use]
    pub fn upgrade(&self) -> Option<Database> {
        let inner = self.inner.upgrade()?;
        Some(Database { inner, only: None })
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner")
            .field("id", &self.ground.id)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let disk = self.inner.ground.disk.as_ref();
        let path = disk.map(|disk| disk.layout.root());
        f.debug_struct("Database")
            .field("id", &self.inner.ground.id)
            .field("path", &path)
            .finish_non_exhaustive()
    }
}

impl OpenDatabase for Inner {
    fn ground(&self) -> &Arc<Ground> {
        &self.ground
    }

    fn vectors(&self) -> &Arc<VectorIndexes> {
        &self.vectors
    }

    fn texts(&self) -> &TextCache {
        &self.texts
    }

    fn value_sets(&self) -> &ValueSets {
        &self.value_sets
    }

    fn projections(&self) -> &ProjectionCache {
        &self.projections
    }

    fn registry(&self) -> Arc<Registry> {
        Arc::clone(&self.procedures.read())
    }

    fn plans(&self) -> &PlanCache {
        &self.plans
    }

    fn tend_texts(&self, indexes: &[Arc<TextIndexDef>]) {
        self.text_merger.tend(indexes);
    }

    fn finish_texts(self: Arc<Self>, watch: &mut Watch<'_>) -> Result<()> {
        let database = Database {
            inner: self,
            only: None,
        };
        database.finish_texts(watch)
    }
}

impl Inner {
    fn close(&self) -> Result<()> {
        let ground = &self.ground;
        if ground.queue.is_loading() {
            return Err(Error::LoadInProgress);
        }
        if ground.closed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        ground.queue.close();
        ground.log.stop();
        if let Some(syncer) = self.syncer.lock().take() {
            // The thread's failures are in the log's state, which `settle` asks.
            let _ = syncer.join();
        }
        if ground.read_only {
            self.jobs.stop();
            self.vectors.close();
            Ok(())
        } else {
            self.settle()
        }
    }

    /// Leaves nothing to replay.
    fn settle(&self) -> Result<()> {
        let ground = &self.ground;
        // A writer that is at its commit now finishes first; others find the database closed.
        ground.queue.drain();
        // Those that wait for the writer's place find the database closed by now.
        self.jobs.stop();
        // They keep what they can; without it the next open reads their journals.
        self.vectors.close();
        if let Some(cause) = ground.log.failure() {
            return Err(Error::Poisoned { cause });
        }
        ground.log.sync()?;
        ground.store.flush()?;
        // A sync that fails may lose what a compaction has just written to the manifest, and still sync it "well"
        // afterwards; its inputs would be gone by then.
        ground.store.rest();
        if let Some(disk) = &ground.disk {
            ground
                .log
                .rely_on_manifest(ManifestFloor::synced(&disk.layout.store())?)?;
        }
        Ok(())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::error!(%error, "the database did not close cleanly; the next open replays its log");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::batch::Batch;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Were another appended in its place, two commits would have one number and the same ids.
    #[test]
    fn nobody_commits_after_one_that_was_not_followed() {
        let db = Database::in_memory().unwrap();
        let log = &db.inner.ground.log;
        let before = log.appended().unwrap();
        let appended = catch_unwind(AssertUnwindSafe(|| {
            let state = Arc::clone(&before.state);
            log.append_followed(Batch::new(), state, |_| panic!("planted"))
        }));
        assert!(appended.is_err());
        let refused = log
            .append(Batch::new(), Arc::clone(&before.state))
            .unwrap_err();
        assert!(matches!(refused, Error::Poisoned { .. }), "{refused}");
        assert!(matches!(db.write().map(drop), Err(Error::Poisoned { .. })));
    }

    /// Once it was refused as if a load were going on.
    #[test]
    fn a_backup_waits_while_an_index_is_taken_in() {
        let folder = tempfile::tempdir().unwrap();
        let db = Database::create(folder.path().join("database")).unwrap();
        let ground = Arc::clone(&db.inner.ground);
        let taking_in = ground.file_list.lock();
        let backup = std::thread::spawn({
            let (db, target) = (db.clone(), folder.path().join("backups"));
            move || {
                db.backup(target, &mut Watch::quiet())
                    .map(|made| made.manifest.number)
            }
        });
        std::thread::sleep(std::time::Duration::from_millis(200));
        drop(taking_in);
        assert_eq!(backup.join().unwrap().unwrap(), 1);
    }
}
