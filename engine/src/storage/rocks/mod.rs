//! The store on disk. Only the files of this folder name RocksDB.
//!
//! [`options`] turns the family table into RocksDB's options, [`handle`] holds the open database
//! with its families and snapshots, [`cursor`] walks, [`run`] writes sorted files for bulk loads.
//! Nothing here decides when to sync or what a commit is: that is the transactions' business.

mod cursor;
mod handle;
mod log_format;
mod logs;
mod manifest;
mod options;
mod refusal;
mod run;
mod verify;

use super::batch::Batch;
use super::family::{FAMILIES, Family};
use super::range::KeyRange;
use super::store::{Entry, FamilyMetrics, RunWriter, Snapshot, Store, StoreMetrics};
use crate::error::{Error, Result};
use handle::Handle;
pub use logs::{FirstEntry, check_manifest, visit_batches};
pub use manifest::TornManifest;
pub use options::StoreSettings;
use refusal::refused;
use rocksdb::checkpoint::Checkpoint;
use rocksdb::{
    BottommostLevelCompaction, CompactOptions, FlushOptions, IngestExternalFileOptions, WriteBatch,
    WriteOptions,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A store in RocksDB.
pub struct RocksStore {
    handle: Arc<Handle>,
    /// WAL on, no sync: the transactions' group commit decides when to sync.
    log_only: WriteOptions,
    log_syncs: AtomicU64,
    batches: AtomicU64,
    live_snapshots: Arc<()>,
}

impl RocksStore {
    /// Opens the store in `dir` for reading and writing, with recovery; creates what is missing.
    ///
    /// # Errors
    /// Whatever RocksDB refuses, with the file it names.
    pub fn open(dir: &Path, settings: &StoreSettings) -> Result<Self> {
        let store = Self::over(Handle::open(dir, settings)?);
        store.leave_sequence_zero()?;
        Ok(store)
    }

    /// RocksDB's compaction takes a snapshot at its sequence 0 for no snapshot at all, and drops what
    /// only that snapshot still sees. A store that was only ever ingested into would have such ones;
    /// one write of nothing prevents it.
    fn leave_sequence_zero(&self) -> Result<()> {
        if self.handle.db().latest_sequence_number() > 0 {
            return Ok(());
        }
        let mut nothing = Batch::new();
        nothing.delete(Family::Meta, &[]);
        self.append(&nothing)
    }

    /// Opens the store without writing a byte; the log is replayed in memory only.
    ///
    /// # Errors
    /// Whatever RocksDB refuses, with the file it names.
    pub fn open_read_only(dir: &Path, settings: &StoreSettings) -> Result<Self> {
        Ok(Self::over(Handle::open_read_only(dir, settings)?))
    }

    /// Looks at the `meta` family alone, before recovery may rewrite anything: files are only read,
    /// and the log's other families are skipped.
    ///
    /// # Errors
    /// Whatever RocksDB refuses, or the caller's own error.
    pub fn look(dir: &Path, visit: &mut dyn FnMut(&dyn Snapshot) -> Result<()>) -> Result<()> {
        let store = Self::over(Handle::open_meta_only(dir)?);
        visit(&*store.snapshot())
    }

    fn over(handle: Handle) -> Self {
        let mut log_only = WriteOptions::default();
        log_only.set_sync(false);
        Self {
            handle: Arc::new(handle),
            log_only,
            log_syncs: AtomicU64::new(0),
            batches: AtomicU64::new(0),
            live_snapshots: Arc::new(()),
        }
    }

    fn property(&self, name: &str) -> u64 {
        // A property RocksDB does not know is a zero in a report, never a failure of the caller.
        self.handle
            .db()
            .property_int_value(name)
            .ok()
            .flatten()
            .unwrap_or(0)
    }

    fn sum_of_property(&self, name: &str) -> u64 {
        let db = self.handle.db();
        let values =
            Family::all().map(|family| db.property_int_value_cf(self.handle.family(family), name));
        values.map(|value| value.ok().flatten().unwrap_or(0)).sum()
    }

    fn background_errors(&self) -> u64 {
        self.property("rocksdb.background-errors")
    }
}

impl Store for RocksStore {
    fn snapshot(&self) -> Arc<dyn Snapshot> {
        Arc::new(handle::OwnedSnapshot::take(
            &self.handle,
            &self.live_snapshots,
        ))
    }

    fn append(&self, batch: &Batch) -> Result<()> {
        // A guess at the serialised size, so that the buffer seldom grows: per entry a tag, a
        // family number and two length bytes beside key and value.
        let mut log_record = WriteBatch::with_capacity_bytes(batch.bytes());
        for family in Family::all() {
            let handle = self.handle.family(family);
            for (key, change) in batch.changes(family) {
                match change {
                    Some(value) => log_record.put_cf(handle, key, value),
                    None => log_record.delete_cf(handle, key),
                }
            }
        }
        self.batches.fetch_add(1, Ordering::Relaxed);
        let written = self.handle.db().write_opt(log_record, &self.log_only);
        written.map_err(|error| refused("append to the log", self.handle.dir(), &error))
    }

    fn sync_log(&self) -> Result<()> {
        self.log_syncs.fetch_add(1, Ordering::Relaxed);
        self.handle
            .db()
            .flush_wal(true)
            .map_err(|error| refused("sync the log", self.handle.dir(), &error))
    }

    fn flush(&self) -> Result<()> {
        let families: Vec<_> = Family::all()
            .map(|family| self.handle.family(family))
            .collect();
        let references: Vec<_> = families.iter().collect();
        let mut options = FlushOptions::default();
        options.set_wait(true);
        let flushed = self.handle.db().flush_cfs_opt(&references, &options);
        flushed.map_err(|error| refused("flush", self.handle.dir(), &error))
    }

    fn rest(&self) {
        self.handle.db().cancel_all_background_work(true);
    }

    fn compact(&self, family: Family) -> Result<()> {
        let mut options = CompactOptions::default();
        options.set_bottommost_level_compaction(BottommostLevelCompaction::Force);
        // RocksDB's C face returns nothing from a compaction: a failed one shows only in the count
        // of background errors.
        let before = self.background_errors();
        self.handle.db().compact_range_cf_opt(
            self.handle.family(family),
            None::<&[u8]>,
            None::<&[u8]>,
            &options,
        );
        if self.background_errors() > before {
            self.verify_checksums()?;
            return Err(Error::Store {
                operation: "compact",
                message: "a background error stopped it: the disk is full, or a file is damaged, which `stratigraph scrub` tells".into(),
            });
        }
        Ok(())
    }

    fn new_run(&self, family: Family, path: &Path) -> Result<Box<dyn RunWriter>> {
        Ok(Box::new(run::SstRun::create(family, path)?))
    }

    fn ingest(&self, family: Family, runs: &[PathBuf]) -> Result<()> {
        let mut options = IngestExternalFileOptions::default();
        options.set_snapshot_consistency(true);
        options.set_allow_global_seqno(true);
        options.set_allow_blocking_flush(true);
        // RocksDB takes the link it is given away; the run itself stays for a possible undo.
        options.set_move_files(true);
        let links = run::link_for_ingest(runs)?;
        let ingested = self.handle.db().ingest_external_file_cf_opts(
            self.handle.family(family),
            &options,
            links,
        );
        ingested.map_err(|error| refused("ingest", self.handle.dir(), &error))
    }

    fn read_run(
        &self,
        family: Family,
        path: &Path,
        visit: &mut dyn FnMut(Entry<'_>) -> Result<()>,
    ) -> Result<()> {
        run::read(family, path, visit)
    }

    fn checkpoint(&self, dir: &Path) -> Result<()> {
        let checkpoint = Checkpoint::new(self.handle.db())
            .map_err(|error| refused("checkpoint", dir, &error))?;
        checkpoint
            .create_checkpoint(dir)
            .map_err(|error| refused("checkpoint", dir, &error))
    }

    fn approximate_bytes(&self, family: Family, range: &KeyRange) -> u64 {
        // RocksDB wants two keys; no key of ours is as large as this one.
        const BEYOND_EVERY_KEY: [u8; 64] = [0xFF; 64];
        let end = range.end.as_deref().unwrap_or(&BEYOND_EVERY_KEY);
        let ranges = [rocksdb::Range::new(&range.start, end)];
        self.handle
            .db()
            .get_approximate_sizes_cf(self.handle.family(family), &ranges)
            .first()
            .copied()
            .unwrap_or(0)
    }

    fn verify_checksums(&self) -> Result<()> {
        verify::every_block(&self.handle)
    }

    fn metrics(&self) -> StoreMetrics {
        let db = self.handle.db();
        let families = FAMILIES.iter().map(|spec| {
            let family = self.handle.family(spec.family);
            let files = db.get_column_family_metadata_cf(family);
            let keys = db
                .property_int_value_cf(family, "rocksdb.estimate-num-keys")
                .ok()
                .flatten();
            FamilyMetrics {
                name: spec.name,
                keys: keys.unwrap_or(0),
                file_bytes: files.size,
                files: files.file_count as u64,
            }
        });
        let families: Vec<FamilyMetrics> = families.collect();
        StoreMetrics {
            live_file_bytes: families.iter().map(|family| family.file_bytes).sum(),
            live_files: families.iter().map(|family| family.files).sum(),
            memtable_bytes: self.sum_of_property("rocksdb.cur-size-all-mem-tables"),
            block_cache_bytes: self.property("rocksdb.block-cache-usage"),
            pending_compaction_bytes: self
                .sum_of_property("rocksdb.estimate-pending-compaction-bytes"),
            log_syncs: self.log_syncs.load(Ordering::Relaxed),
            batches: self.batches.load(Ordering::Relaxed),
            snapshots: Arc::strong_count(&self.live_snapshots) as u64 - 1,
            families,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_of_a_store_that_was_only_ingested_into_outlives_a_compaction() {
        let folder = tempfile::tempdir().unwrap();
        let store =
            RocksStore::open(&folder.path().join("store"), &StoreSettings::default()).unwrap();
        let path = folder.path().join("run.sst");
        let mut run = store.new_run(Family::Nodes, &path).unwrap();
        run.put(b"key", b"value").unwrap();
        run.finish().unwrap();
        store.ingest(Family::Nodes, &[path]).unwrap();
        let before = store.snapshot();
        let mut delete = Batch::new();
        delete.delete(Family::Nodes, b"key");
        store.append(&delete).unwrap();
        store.compact(Family::Nodes).unwrap();
        assert!(before.get(Family::Nodes, b"key", &mut |_| {}).unwrap());
    }
}
