//! The store in memory: for tests, for databases that need no disk, and to disagree with RocksDB.
//!
//! Every family is one ordered [`tree`] whose keys keep a short history of values. A writer writes
//! under a version number that nobody reads yet and publishes it when the whole batch is in; that
//! is what makes [`append`](Store::append) atomic, although each family has its own lock. Versions
//! that no snapshot can see go when their key is written again or, for keys that are not, by a
//! bounded sweep after each batch. No lock is ever held while the caller's code runs.

mod cursor;
mod run;
#[cfg(test)]
mod tests;
mod tree;

use self::cursor::MemoryCursor;
use self::run::Staging;
use self::tree::{Bytes, Tree};
use super::batch::Batch;
use super::family::{FAMILY_COUNT, Family};
use super::range::KeyRange;
use super::store::{
    Cursor, Entry, FamilyMetrics, RunWriter, ScanOptions, Snapshot, Store, StoreMetrics,
};
use crate::error::{Error, Result};
use parking_lot::{Mutex, RwLock, RwLockWriteGuard};
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// After so many changes a long batch lets waiting readers in.
const CHANGES_PER_LOCK: usize = 256;

/// A batch sweeps two keys for each that it changes, so the sweep overtakes any churn; these come
/// on top, so that small batches work off what a long-held snapshot has left behind.
const EXTRA_SWEPT_KEYS: usize = 64;

/// A [`Store`] without a disk.
pub struct MemoryStore {
    state: Arc<State>,
    /// Keys with a history to shorten, each once. Its lock is also what lets one writer in at a
    /// time.
    stale: Mutex<VecDeque<(Family, Bytes)>>,
    staging: Arc<Staging>,
    batches: AtomicU64,
    log_syncs: AtomicU64,
}

/// What snapshots share with their store.
struct State {
    families: [RwLock<Tree>; FAMILY_COUNT],
    views: Mutex<Views>,
}

/// Which versions can be read.
#[derive(Default)]
struct Views {
    /// The version that the next snapshot sees.
    published: u64,
    /// How many snapshots hold each version.
    held: BTreeMap<u64, u64>,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self {
            state: Arc::new(State {
                families: std::array::from_fn(|_| RwLock::default()),
                views: Mutex::default(),
            }),
            stale: Mutex::default(),
            staging: Arc::default(),
            batches: AtomicU64::new(0),
            log_syncs: AtomicU64::new(0),
        }
    }

    /// Shortens the histories of up to `limit` keys from the front of the queue.
    fn sweep(&self, stale: &mut VecDeque<(Family, Bytes)>, limit: usize, only: Option<Family>) {
        let views = self.state.views.lock().readable();
        for _ in 0..limit.min(stale.len()) {
            let Some((family, key)) = stale.pop_front() else {
                break;
            };
            let skipped = only.is_some_and(|only| only != family);
            if skipped || self.state.tree(family).write().sweep(&key, &views) {
                stale.push_back((family, key));
            }
        }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl Views {
    /// Every version that a snapshot holds or that the next one will see, in rising order.
    fn readable(&self) -> Vec<u64> {
        let mut views: Vec<u64> = self.held.keys().copied().collect();
        if views.last() != Some(&self.published) {
            views.push(self.published);
        }
        views
    }
}

impl State {
    fn tree(&self, family: Family) -> &RwLock<Tree> {
        &self.families[family.index()]
    }

    /// Writes changes that nobody sees before `version` is published.
    fn write<'a>(
        &self,
        family: Family,
        changes: impl Iterator<Item = (&'a [u8], Option<Bytes>)>,
        version: u64,
        views: &[u64],
        stale: &mut VecDeque<(Family, Bytes)>,
    ) {
        let mut changes = changes.peekable();
        if changes.peek().is_none() {
            return;
        }
        let mut tree = self.tree(family).write();
        for (count, (key, value)) in changes.enumerate() {
            if count % CHANGES_PER_LOCK == CHANGES_PER_LOCK - 1 {
                RwLockWriteGuard::bump(&mut tree);
            }
            if tree.set(key, version, value, views) {
                stale.push_back((family, key.into()));
            }
        }
    }
}

impl Store for MemoryStore {
    fn snapshot(&self) -> Arc<dyn Snapshot> {
        let mut views = self.state.views.lock();
        let view = views.published;
        *views.held.entry(view).or_default() += 1;
        Arc::new(MemorySnapshot {
            state: Arc::clone(&self.state),
            view,
        })
    }

    fn append(&self, batch: &Batch) -> Result<()> {
        let mut stale = self.stale.lock();
        let views = self.state.views.lock().readable();
        let version = self.state.views.lock().published + 1;
        for family in Family::all() {
            let changes = batch
                .changes(family)
                .map(|(key, value)| (key, value.map(Bytes::from)));
            self.state
                .write(family, changes, version, &views, &mut stale);
        }
        self.state.views.lock().published = version;
        self.sweep(&mut stale, 2 * batch.len() + EXTRA_SWEPT_KEYS, None);
        self.batches.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn sync_log(&self) -> Result<()> {
        self.log_syncs.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn flush(&self) -> Result<()> {
        Ok(())
    }

    fn rest(&self) {}

    fn compact(&self, family: Family) -> Result<()> {
        // Every key with more than one plain value is in the queue, so one round of it is enough.
        self.sweep(&mut self.stale.lock(), usize::MAX, Some(family));
        Ok(())
    }

    fn new_run(&self, family: Family, path: &Path) -> Result<Box<dyn RunWriter>> {
        Ok(self.staging.start(family, path))
    }

    fn ingest(&self, family: Family, runs: &[PathBuf]) -> Result<()> {
        let runs = runs
            .iter()
            .map(|path| self.staging.finished(family, path))
            .collect::<Result<Vec<_>>>()?;
        let mut stale = self.stale.lock();
        let views = self.state.views.lock().readable();
        let version = self.state.views.lock().published + 1;
        let pairs = runs.iter().flat_map(|run| run.pairs.iter());
        let changes = pairs.map(|(key, value)| (&**key, Some(Arc::clone(value))));
        self.state
            .write(family, changes, version, &views, &mut stale);
        self.state.views.lock().published = version;
        self.sweep(&mut stale, EXTRA_SWEPT_KEYS, None);
        Ok(())
    }

    fn read_run(
        &self,
        family: Family,
        path: &Path,
        visit: &mut dyn FnMut(Entry<'_>) -> Result<()>,
    ) -> Result<()> {
        let run = self.staging.finished(family, path)?;
        let mut pairs = run.pairs.iter();
        pairs.try_for_each(|(key, value)| visit(Entry { key, value }))
    }

    fn checkpoint(&self, _dir: &Path) -> Result<()> {
        Err(Error::NeedsDisk {
            operation: "checkpoint",
        })
    }

    /// Walks the range, since a tree does not know how much lies between two keys.
    fn approximate_bytes(&self, family: Family, range: &KeyRange) -> u64 {
        let snapshot = self.snapshot();
        let mut cursor = snapshot.cursor(family, range, ScanOptions::default());
        let mut bytes = 0;
        while let Ok(Some(entry)) = cursor.next() {
            bytes += (entry.key.len() + entry.value.len()) as u64;
        }
        bytes
    }

    fn verify_checksums(&self) -> Result<()> {
        Ok(())
    }

    fn metrics(&self) -> StoreMetrics {
        let mut metrics = StoreMetrics {
            log_syncs: self.log_syncs.load(Ordering::Relaxed),
            batches: self.batches.load(Ordering::Relaxed),
            snapshots: self.state.views.lock().held.values().sum(),
            ..StoreMetrics::default()
        };
        for family in Family::all() {
            let tree = self.state.tree(family).read();
            metrics.memtable_bytes += tree.bytes();
            metrics.families.push(FamilyMetrics {
                name: family.name(),
                keys: tree.live_keys(),
                file_bytes: 0,
                files: 0,
            });
        }
        metrics
    }
}

/// One version of a [`MemoryStore`], held until this is dropped.
struct MemorySnapshot {
    state: Arc<State>,
    view: u64,
}

impl MemorySnapshot {
    fn value(&self, family: Family, key: &[u8]) -> Option<Bytes> {
        self.state.tree(family).read().get(key, self.view)
    }
}

impl Snapshot for MemorySnapshot {
    fn get(&self, family: Family, key: &[u8], visit: &mut dyn FnMut(&[u8])) -> Result<bool> {
        let value = self.value(family, key);
        if let Some(value) = &value {
            visit(value);
        }
        Ok(value.is_some())
    }

    fn multi_get(&self, family: Family, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        Ok(keys
            .iter()
            .map(|key| self.value(family, key).map(|value| value.to_vec()))
            .collect())
    }

    fn cursor<'a>(
        &'a self,
        family: Family,
        range: &KeyRange,
        options: ScanOptions,
    ) -> Box<dyn Cursor + 'a> {
        let tree = self.state.tree(family);
        Box::new(MemoryCursor::new(
            tree,
            self.view,
            range.clone(),
            options.direction,
        ))
    }
}

impl Drop for MemorySnapshot {
    fn drop(&mut self) {
        let mut views = self.state.views.lock();
        if let Some(holders) = views.held.get_mut(&self.view) {
            *holders -= 1;
            if *holders == 0 {
                views.held.remove(&self.view);
            }
        }
    }
}
