#![expect(
    unsafe_code,
    reason = "references into the open database are kept beside the database itself"
)]
//! The open database together with what borrows from it: its families and its snapshots.
//!
//! RocksDB's crate ties families and snapshots to a borrow of the database, while ours live beside
//! it in one value. The two `unsafe` blocks of this file lengthen those borrows; everything outside
//! sees lifetimes that are tied to `&self` again.

use super::cursor::RocksCursor;
use super::options::{self, StoreSettings};
use super::refusal::refused;
use crate::error::Result;
use crate::storage::family::{FAMILIES, Family};
use crate::storage::range::KeyRange;
use crate::storage::store::{Cursor, ScanOptions, Snapshot};
use rocksdb::{Cache, ColumnFamily, ColumnFamilyDescriptor, DB, ReadOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An open RocksDB with its families at hand.
pub(super) struct Handle {
    /// By the families' places in the table; shorter when only `meta` was opened.
    families: Vec<&'static ColumnFamily>,
    db: Box<DB>,
    dir: PathBuf,
}

impl Handle {
    pub(super) fn open(dir: &Path, settings: &StoreSettings) -> Result<Self> {
        let mut database = options::database(settings);
        database.create_if_missing(true);
        database.create_missing_column_families(true);
        let opened = DB::open_cf_descriptors(&database, dir, options::families(settings));
        Self::over(opened, dir, FAMILIES.len())
    }

    pub(super) fn open_read_only(dir: &Path, settings: &StoreSettings) -> Result<Self> {
        let database = options::database(settings);
        let opened =
            DB::open_cf_descriptors_read_only(&database, dir, options::families(settings), false);
        Self::over(opened, dir, FAMILIES.len())
    }

    /// Opens the first family alone, read-only: the others' entries in the log are passed over.
    pub(super) fn open_meta_only(dir: &Path) -> Result<Self> {
        let settings = StoreSettings {
            cache_bytes: 1 << 20,
            ..StoreSettings::default()
        };
        let mut database = options::database(&settings);
        // Only the files of one small family will be read.
        database.set_max_open_files(16);
        let spec = Family::Meta.spec();
        let cache = Cache::new_lru_cache(settings.cache_bytes);
        let meta = ColumnFamilyDescriptor::new(
            options::name(spec),
            options::family(spec, &cache, &settings),
        );
        Self::over(
            DB::open_cf_descriptors_read_only(&database, dir, [meta], false),
            dir,
            1,
        )
    }

    fn over(opened: Result<DB, rocksdb::Error>, dir: &Path, count: usize) -> Result<Self> {
        let db = Box::new(opened.map_err(|error| refused("open", dir, &error))?);
        let mut families = Vec::with_capacity(count);
        for spec in &FAMILIES[..count] {
            let family: &ColumnFamily = db.cf_handle(options::name(spec)).ok_or_else(|| {
                crate::Error::corruption(dir, format_args!("family {} is missing", spec.name))
            })?;
            // SAFETY: the reference points into a map that `db` owns on the heap. `db` is boxed,
            // lives as long as this value, and is never borrowed mutably, which is the only way to
            // add or drop families; so the map never moves or changes while the reference exists.
            // It leaves this value only through `family(&self)`, with the lifetime of `&self`.
            families.push(unsafe {
                std::mem::transmute::<&ColumnFamily, &'static ColumnFamily>(family)
            });
        }
        Ok(Self {
            families,
            db,
            dir: dir.to_path_buf(),
        })
    }

    pub(super) fn db(&self) -> &DB {
        &self.db
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn family(&self, family: Family) -> &ColumnFamily {
        self.families[family.index()]
    }
}

/// A snapshot that keeps its database open.
pub(super) struct OwnedSnapshot {
    // Dropped in this order: what reads, what it reads from, and last the database.
    point_reads: ReadOptions,
    snapshot: rocksdb::Snapshot<'static>,
    handle: Arc<Handle>,
    /// Counts the snapshots that are alive.
    _alive: Arc<()>,
}

impl OwnedSnapshot {
    pub(super) fn take(handle: &Arc<Handle>, alive: &Arc<()>) -> Self {
        let snapshot = handle.db().snapshot();
        // SAFETY: the snapshot borrows the boxed `DB` inside `handle`, which this value keeps alive
        // through its own `Arc` and which does not move. Fields drop in order of declaration, so the
        // snapshot is released before the database can be closed.
        let snapshot = unsafe {
            std::mem::transmute::<rocksdb::Snapshot<'_>, rocksdb::Snapshot<'static>>(snapshot)
        };
        let mut point_reads = ReadOptions::default();
        point_reads.set_snapshot(&snapshot);
        Self {
            point_reads,
            snapshot,
            handle: Arc::clone(handle),
            _alive: Arc::clone(alive),
        }
    }
}

impl Snapshot for OwnedSnapshot {
    fn get(&self, family: Family, key: &[u8], visit: &mut dyn FnMut(&[u8])) -> Result<bool> {
        let found =
            self.handle
                .db()
                .get_pinned_cf_opt(self.handle.family(family), key, &self.point_reads);
        match found.map_err(|error| refused("read", self.handle.dir(), &error))? {
            Some(value) => {
                visit(&value);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    fn multi_get(&self, family: Family, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>> {
        let family = self.handle.family(family);
        let keys = keys.iter().copied();
        let found =
            self.handle
                .db()
                .batched_multi_get_cf_opt(family, keys, false, &self.point_reads);
        let values = found.into_iter().map(|value| match value {
            Ok(value) => Ok(value.map(|value| value.to_vec())),
            Err(error) => Err(refused("read", self.handle.dir(), &error)),
        });
        values.collect()
    }

    fn cursor<'a>(
        &'a self,
        family: Family,
        range: &KeyRange,
        options: ScanOptions,
    ) -> Box<dyn Cursor + 'a> {
        let mut read = ReadOptions::default();
        read.set_snapshot(&self.snapshot);
        Box::new(RocksCursor::new(&self.handle, family, range, options, read))
    }
}
