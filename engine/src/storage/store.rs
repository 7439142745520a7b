//! The narrow face under the engine: what an ordered store must offer, in types of our own.
//!
//! [`rocks`](super::rocks) and [`memory`](super::memory) implement it and pass the same tests. A
//! commit crosses this face as one serialised [`Batch`] and is applied whole or not at all, so that
//! a replicated log or another store can be put here later. It must never name RocksDB.

use super::batch::Batch;
use super::family::Family;
use super::range::{Direction, KeyRange};
use crate::error::Result;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An ordered store of several families with atomic batches and snapshots.
pub trait Store: Send + Sync + 'static {
    /// A view of everything applied so far, which never changes.
    fn snapshot(&self) -> Arc<dyn Snapshot>;

    /// Appends the batch to the log and makes it visible to later snapshots, whole or not at all.
    ///
    /// It survives a crash of the process, but only [`sync_log`](Self::sync_log) makes it survive a
    /// loss of power.
    fn append(&self, batch: &Batch) -> Result<()>;

    /// Makes everything appended before the call survive a loss of power.
    fn sync_log(&self) -> Result<()>;

    /// Moves what is in memory into sorted files, for all families at one moment.
    fn flush(&self) -> Result<()>;

    /// Ends for good what the store does by itself: afterwards its files only change when somebody asks for it.
    fn rest(&self);

    /// Rewrites a family without its deleted and overwritten entries.
    fn compact(&self, family: Family) -> Result<()>;

    /// Starts a sorted run for [`ingest`](Self::ingest), kept at `path`.
    fn new_run(&self, family: Family, path: &Path) -> Result<Box<dyn RunWriter>>;

    /// Adds finished runs to a family at once, outside the log. The runs stay where they are.
    fn ingest(&self, family: Family, runs: &[PathBuf]) -> Result<()>;

    /// Calls `visit` with every pair of a finished run.
    fn read_run(
        &self,
        family: Family,
        path: &Path,
        visit: &mut dyn FnMut(Entry<'_>) -> Result<()>,
    ) -> Result<()>;

    /// A copy of the store in `dir` (which must not exist), of one moment, sharing files where it can.
    fn checkpoint(&self, dir: &Path) -> Result<()>;

    /// About how many bytes a part of a family takes.
    fn approximate_bytes(&self, family: Family, range: &KeyRange) -> u64;

    /// Reads every block of every file and compares its checksum.
    fn verify_checksums(&self) -> Result<()>;

    /// What the store says of itself.
    fn metrics(&self) -> StoreMetrics;
}

/// A view of a [`Store`] at one moment.
pub trait Snapshot: Send + Sync {
    /// Calls `visit` with the value of `key` and returns `true`, or returns `false`.
    fn get(&self, family: Family, key: &[u8], visit: &mut dyn FnMut(&[u8])) -> Result<bool>;

    /// The values of several keys, in their order.
    fn multi_get(&self, family: Family, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>>;

    /// A walk over the keys of `range`.
    fn cursor<'a>(
        &'a self,
        family: Family,
        range: &KeyRange,
        options: ScanOptions,
    ) -> Box<dyn Cursor + 'a>;
}

/// How a scan reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanOptions {
    /// Which way it walks.
    pub direction: Direction,
    /// Whether the blocks it reads should stay in the cache; off for scans of whole families.
    pub keep_in_cache: bool,
}

impl ScanOptions {
    /// One pass over everything, which must not push out what others read again and again.
    #[must_use]
    pub fn once() -> Self {
        Self {
            keep_in_cache: false,
            ..Self::default()
        }
    }
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self {
            direction: Direction::Forward,
            keep_in_cache: true,
        }
    }
}

/// One stored pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The key.
    pub key: &'a [u8],
    /// The value.
    pub value: &'a [u8],
}

/// A walk over stored pairs in one direction.
pub trait Cursor: Send {
    /// Moves to the next pair.
    ///
    /// `None` means that the end was reached, and has been proven: a damaged block looks like the
    /// end of the data to RocksDB's iterator, so the implementation must ask for its status first.
    fn next(&mut self) -> Result<Option<Entry<'_>>>;

    /// Moves so that the next pair is the first at or beyond `key` in the cursor's direction.
    fn seek(&mut self, key: &[u8]);
}

/// Writes a sorted run for [`Store::ingest`].
pub trait RunWriter: Send {
    /// Adds a pair; keys must rise.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()>;

    /// Finishes the run and makes it durable; returns its size in bytes.
    fn finish(self: Box<Self>) -> Result<u64>;
}

/// What a store says of itself; counts are since it was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreMetrics {
    /// Bytes of sorted files that the current state needs.
    pub live_file_bytes: u64,
    /// How many such files there are.
    pub live_files: u64,
    /// Bytes in memory tables.
    pub memtable_bytes: u64,
    /// Bytes in the block cache.
    pub block_cache_bytes: u64,
    /// Bytes waiting for compaction.
    pub pending_compaction_bytes: u64,
    /// How many log syncs were asked for.
    pub log_syncs: u64,
    /// How many batches were appended.
    pub batches: u64,
    /// Snapshots that are held now.
    pub snapshots: u64,
    /// A line per family: its name, about how many keys, and the bytes of its files.
    pub families: Vec<FamilyMetrics>,
}

/// What a store says of one family.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FamilyMetrics {
    /// The family's name.
    pub name: &'static str,
    /// About how many keys it has.
    pub keys: u64,
    /// Bytes of its sorted files.
    pub file_bytes: u64,
    /// How many sorted files it has.
    pub files: u64,
}
