//! Raw RocksDB as our equal, with the options that `recorded` has read.
//!
//! After opening, the OPTIONS files of both sides are compared line by line: should the engine get
//! an option that the peer lacks, the benchmark stops and names it.

use super::recorded::Recorded;
use anyhow::{Context, Result, bail};
use rocksdb::{ColumnFamily, ColumnFamilyDescriptor, DB, InfoLogger, LogLevel, Options};
use std::path::Path;
use stratigraph::storage::family::{FAMILIES, Family};

/// An open raw RocksDB.
pub(crate) struct Peer {
    pub(crate) db: DB,
}

/// RocksDB's options as a store's files say, with a cache of its own.
pub(crate) struct SameOptions {
    pub(crate) database: Options,
    pub(crate) families: Vec<ColumnFamilyDescriptor>,
}

impl SameOptions {
    /// Reads them from the store in `store`.
    pub(crate) fn of(store: &Path, cache_bytes: usize) -> Result<Self> {
        let recorded = Recorded::read(store)?;
        let mut database = recorded.database(store)?;
        let families = recorded.families(cache_bytes)?;
        if families.len() != FAMILIES.len() {
            bail!("{} names {} families", store.display(), families.len());
        }
        // The one thing that no file records: our store keeps RocksDB from writing its LOG file,
        // so the peer must not pay for one either.
        let logger = InfoLogger::new_callback_logger(LogLevel::Warn, |level, line| {
            // RocksDB passes its header lines at every level.
            if matches!(level, LogLevel::Warn | LogLevel::Error | LogLevel::Fatal) {
                eprintln!("raw RocksDB: {}", line.trim_end());
            }
        });
        database.set_info_logger(logger);
        Ok(Self { database, families })
    }
}

impl Peer {
    /// Opens `dir`, or creates it, with the options of the store in `like`.
    pub(crate) fn open_like(like: &Path, dir: &Path, cache_bytes: usize) -> Result<Self> {
        let SameOptions {
            mut database,
            families,
        } = SameOptions::of(like, cache_bytes)?;
        database.create_if_missing(true);
        database.create_missing_column_families(true);
        let db = DB::open_cf_descriptors(&database, dir, families)?;
        compare_options(like, dir)?;
        Ok(Self { db })
    }

    /// Every family, by its place in the table: looked up once, outside what is measured.
    pub(crate) fn families(&self) -> Result<Vec<&ColumnFamily>> {
        FAMILIES
            .iter()
            .map(|spec| self.family(spec.family))
            .collect()
    }

    pub(crate) fn family(&self, family: Family) -> Result<&ColumnFamily> {
        // RocksDB insists on a family called `default`, which holds ours called `meta`.
        let name = match family {
            Family::Meta => rocksdb::DEFAULT_COLUMN_FAMILY_NAME,
            other => other.name(),
        };
        self.db
            .cf_handle(name)
            .with_context(|| format!("no family {}", family.name()))
    }
}

/// Refuses to compare two databases whose options differ.
fn compare_options(ours: &Path, raw: &Path) -> Result<()> {
    let (ours, raw) = (Recorded::read(ours)?, Recorded::read(raw)?);
    match ours.first_difference(&raw) {
        None => Ok(()),
        Some((ours, raw)) => bail!("the options differ: ours has {ours}, raw has {raw}"),
    }
}
