//! RocksDB's options, made from the family table and the few settings that a user may change.

use crate::storage::family::{FAMILIES, Family, FamilySpec, Tuning};
use rocksdb::{
    BlockBasedOptions, Cache, ColumnFamilyDescriptor, DBCompressionType, DBRecoveryMode,
    InfoLogger, LogLevel, Options, SliceTransform,
};

/// Settings of the store that depend on the machine.
#[derive(Debug, Clone)]
pub struct StoreSettings {
    /// Bytes of the block cache, shared by all families.
    pub cache_bytes: usize,
    /// Bytes of all memory tables together; also bounds how much log a recovery replays.
    pub write_buffer_bytes: usize,
    /// Threads for flush and compaction.
    pub background_threads: u16,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            cache_bytes: 256 << 20,
            write_buffer_bytes: 64 << 20,
            background_threads: 2,
        }
    }
}

/// Options of the database as a whole.
pub(super) fn database(settings: &StoreSettings) -> Options {
    let mut options = Options::default();
    options.set_paranoid_checks(true);
    // With the high-water mark, point-in-time recovery takes every legal crash image and refuses
    // every loss; the stricter modes refuse torn tails, which are legal.
    options.set_wal_recovery_mode(DBRecoveryMode::PointInTime);
    // A loss in a closed log is found by RocksDB itself; the live log is the mark's business.
    options.set_track_and_verify_wals_in_manifest(true);
    // All families reach the files at one moment. Otherwise `meta`, flushed alone, could claim a
    // sequence whose other families were only in a log that is gone.
    options.set_atomic_flush(true);
    options.set_db_write_buffer_size(settings.write_buffer_bytes);
    options.set_max_total_wal_size(settings.write_buffer_bytes as u64 * 2);
    options.set_max_background_jobs(i32::from(settings.background_threads.max(1)));
    // RocksDB's 4 MiB would be most of what a small database takes on its disk.
    options.set_manifest_preallocation_size(64 << 10);
    options.set_max_open_files(-1);
    options.set_skip_stats_update_on_db_open(true);
    options.set_stats_dump_period_sec(0);
    options.set_stats_persist_period_sec(0);
    // Writing back evenly keeps one large sync from stalling commits.
    options.set_bytes_per_sync(1 << 20);
    quiet_files(&mut options);
    options
}

/// RocksDB's own log goes to `tracing`, so that a read-only open writes no file at all.
pub(super) fn quiet_files(options: &mut Options) {
    options.set_info_logger(InfoLogger::new_callback_logger(
        LogLevel::Warn,
        |level, line| match level {
            LogLevel::Error | LogLevel::Fatal => {
                tracing::error!(target: "stratigraph::rocksdb", "{}", line.trim_end());
            }
            // Its warnings are for those who tune it; what goes wrong comes back as an error.
            LogLevel::Warn => tracing::info!(target: "stratigraph::rocksdb", "{}", line.trim_end()),
            _ => tracing::debug!(target: "stratigraph::rocksdb", "{}", line.trim_end()),
        },
    ));
}

/// Every family with its options, in the table's order.
pub(super) fn families(settings: &StoreSettings) -> Vec<ColumnFamilyDescriptor> {
    // Without the lock and the list of the LRU cache, which every block of every read goes through.
    let cache = Cache::new_hyper_clock_cache(settings.cache_bytes, 0);
    FAMILIES
        .iter()
        .map(|spec| ColumnFamilyDescriptor::new(name(spec), family(spec, &cache, settings)))
        .collect()
}

/// A family's name in RocksDB, which insists on one called `default`.
pub(super) fn name(spec: &FamilySpec) -> &'static str {
    match spec.family {
        Family::Meta => rocksdb::DEFAULT_COLUMN_FAMILY_NAME,
        _ => spec.name,
    }
}

/// Options of one family; also those of the sorted runs written for it.
pub(super) fn family(spec: &FamilySpec, cache: &Cache, settings: &StoreSettings) -> Options {
    let Tuning {
        point_reads,
        prefix_bytes,
        incompressible,
        block_bytes,
    } = spec.tuning;
    let mut table = BlockBasedOptions::default();
    table.set_block_cache(cache);
    table.set_block_size(block_bytes);
    table.set_format_version(6);
    table.set_cache_index_and_filter_blocks(true);
    table.set_cache_index_and_filter_blocks_with_high_priority(true);
    table.set_pin_l0_filter_and_index_blocks_in_cache(true);
    if point_reads || prefix_bytes.is_some() {
        table.set_bloom_filter(10.0, false);
        table.set_whole_key_filtering(point_reads);
    }
    let mut options = Options::default();
    if point_reads || prefix_bytes.is_some() {
        // Whether a value is taken, or a node has relationships at all, is asked with every write: a
        // filter on what is in memory answers without a walk down its list.
        options.set_memtable_prefix_bloom_ratio(0.005);
        options.set_memtable_whole_key_filtering(point_reads);
    }
    options.set_block_based_table_factory(&table);
    // Each family's memory table takes a block as soon as it is written to; all of them together
    // must stay far below the budget, or every commit would set off a flush.
    let arena_bytes = settings.write_buffer_bytes / (8 * FAMILIES.len());
    options.set_arena_block_size(arena_bytes.clamp(4 << 10, 1 << 20));
    // The whole database shares one budget of memory tables; one family may use all of it.
    options.set_write_buffer_size(settings.write_buffer_bytes);
    options.set_level_compaction_dynamic_level_bytes(true);
    if let Some(bytes) = prefix_bytes {
        options.set_prefix_extractor(SliceTransform::create_fixed_prefix(bytes));
    }
    if incompressible {
        options.set_compression_type(DBCompressionType::None);
    } else {
        options.set_compression_type(DBCompressionType::Lz4);
        options.set_bottommost_compression_type(DBCompressionType::Zstd);
    }
    options
}
