//! Settings of a database, and the builder that opens one.

use super::{Database, open};
use crate::clock::{Clock, SystemClock};
use crate::error::{Error, Result};
use crate::index::text::DEFAULT_TEXT_CACHE_BYTES;
use crate::index::vector::VectorSettings;
use crate::storage::commit::Durability;
use crate::storage::queue::TimeLimits;
use crate::storage::rocks::StoreSettings;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What a builder has collected.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) create_if_missing: bool,
    pub(crate) accept_data_loss: bool,
    pub(crate) durability: Durability,
    pub(crate) limits: TimeLimits,
    pub(crate) transaction_bytes: u64,
    pub(crate) disk_reserve_bytes: u64,
    pub(crate) projection_cache_bytes: u64,
    pub(crate) text_cache_bytes: usize,
    pub(crate) vectors: VectorSettings,
    pub(crate) store: StoreSettings,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            create_if_missing: false,
            accept_data_loss: false,
            durability: Durability::Commit,
            limits: TimeLimits {
                queue: Duration::from_secs(30),
                idle: Duration::from_secs(60),
                total: Duration::from_secs(600),
            },
            transaction_bytes: 256 << 20,
            disk_reserve_bytes: 64 << 20,
            projection_cache_bytes: 512 << 20,
            text_cache_bytes: DEFAULT_TEXT_CACHE_BYTES,
            vectors: VectorSettings {
                memory_bytes: 8 << 30,
                threads: std::thread::available_parallelism().map_or(1, NonZero::get),
            },
            store: StoreSettings::default(),
            clock: Arc::new(SystemClock::new()),
        }
    }
}

/// Opens a [`Database`] with other settings than the defaults.
///
/// ```
/// use std::time::Duration;
/// use stratigraph::Database;
///
/// # let folder = tempfile::tempdir().unwrap();
/// let db = Database::builder()
///     .create_if_missing(true)
///     .cache_bytes(64 << 20)
///     .write_queue_timeout(Duration::from_secs(5))
///     .open(folder.path().join("library"))?;
/// # drop(db);
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone, Default)]
#[must_use = "a builder does nothing until it opens"]
pub struct DatabaseBuilder {
    settings: Settings,
}

impl DatabaseBuilder {
    /// Creates the database if the folder is missing or empty. Off by default.
    pub fn create_if_missing(mut self, yes: bool) -> Self {
        self.settings.create_if_missing = yes;
        self
    }

    /// When a commit is durable. Before it is acknowledged by default.
    pub fn durability(mut self, durability: Durability) -> Self {
        self.settings.durability = durability;
        self
    }

    /// Bytes of the cache of stored blocks. 256 MiB by default.
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.settings.store.cache_bytes = bytes;
        self
    }

    /// Bytes that are collected in memory before they go to sorted files. 64 MiB by default; also
    /// bounds how much log there is to replay after a crash.
    pub fn write_buffer_bytes(mut self, bytes: usize) -> Self {
        self.settings.store.write_buffer_bytes = bytes;
        self
    }

    /// Threads that move memory to files and merge files. 2 by default.
    pub fn background_threads(mut self, threads: u16) -> Self {
        self.settings.store.background_threads = threads;
        self
    }

    /// How long a write transaction waits for those before it. 30 s by default.
    pub fn write_queue_timeout(mut self, limit: Duration) -> Self {
        self.settings.limits.queue = limit;
        self
    }

    /// How long a write transaction may rest between two steps. 60 s by default.
    pub fn transaction_idle_limit(mut self, limit: Duration) -> Self {
        self.settings.limits.idle = limit;
        self
    }

    /// How long a write transaction may be open. 10 minutes by default.
    pub fn transaction_time_limit(mut self, limit: Duration) -> Self {
        self.settings.limits.total = limit;
        self
    }

    /// How many bytes a write transaction may hold in memory. 256 MiB by default.
    pub fn transaction_bytes(mut self, bytes: u64) -> Self {
        self.settings.transaction_bytes = bytes;
        self
    }

    /// Disk space set aside so that deleting works when the disk is full. 64 MiB by default; 0
    /// switches the watch over free space off.
    ///
    /// Under the watch, a commit that adds data is refused with [`Error::DiskFull`] unless four
    /// times the write buffer stays free beside it: what is in memory must always find room.
    pub fn disk_reserve_bytes(mut self, bytes: u64) -> Self {
        self.settings.disk_reserve_bytes = bytes;
        self
    }

    /// How many bytes of text indexes are kept decoded for later searches. 256 MiB by default. Whose each document is
    /// and how long takes 16 bytes of it: with less than that for all documents, searches read it anew.
    pub fn text_cache_bytes(mut self, bytes: usize) -> Self {
        self.settings.text_cache_bytes = bytes;
        self
    }

    /// How many bytes of projections are kept for later calls of algorithms, and for queries that count what
    /// matches over much of the graph. 512 MiB by default; 0 keeps none, and such queries then go row by row.
    /// Properties that these group by take up to a quarter of it beside.
    ///
    /// A projection that has grown since, because an algorithm built the incoming direction, counts
    /// with its new size as soon as any projection is asked for.
    pub fn projection_cache_bytes(mut self, bytes: u64) -> Self {
        self.settings.projection_cache_bytes = bytes;
        self
    }

    /// How many bytes of memory each vector index may take. 8 GiB by default; a commit that would take more
    /// is refused.
    pub fn vector_index_bytes(mut self, bytes: u64) -> Self {
        self.settings.vectors.memory_bytes = bytes;
        self
    }

    /// How many threads link a vector index. As many as there are processors by default; what searches
    /// find does not depend on it.
    pub fn vector_threads(mut self, threads: usize) -> Self {
        self.settings.vectors.threads = threads;
        self
    }

    /// Opens a database that has lost acknowledged commits with what is left of it.
    ///
    /// For recovery by hand after [`Error::DataLoss`], when there is no backup.
    pub fn accept_data_loss(mut self, yes: bool) -> Self {
        self.settings.accept_data_loss = yes;
        self
    }

    /// Another clock than the system's, for simulation.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.settings.clock = clock;
        self
    }

    /// Opens the database in `path` for reading and writing.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is none, [`Error::AlreadyOpen`] if somebody has it,
    /// [`Error::DataLoss`] or [`Error::Corruption`] if its files are not what was written; nothing
    /// has been changed then.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Database> {
        self.check()?;
        open::for_writing(path.as_ref(), &self.settings)
    }

    /// Opens the database in `path` without writing a byte; several processes may.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_read_only(self, path: impl AsRef<Path>) -> Result<Database> {
        self.check()?;
        open::for_reading(path.as_ref(), &self.settings)
    }

    /// A database that lives in memory and is gone when it is dropped.
    ///
    /// # Errors
    /// [`Error::Setting`] if a setting is out of range.
    pub fn in_memory(self) -> Result<Database> {
        self.check()?;
        open::in_memory(&self.settings)
    }

    fn check(&self) -> Result<()> {
        const SMALLEST_BUFFER: usize = 64 << 10;
        const MOST_THREADS: usize = 1024;
        let settings = &self.settings;
        let refuse = |name, value: u64, reason| {
            Err(Error::Setting {
                name,
                value,
                reason,
            })
        };
        if settings.store.write_buffer_bytes < SMALLEST_BUFFER {
            return refuse(
                "write_buffer_bytes",
                settings.store.write_buffer_bytes as u64,
                "at least 64 KiB are needed",
            );
        }
        if settings.store.background_threads == 0 {
            return refuse("background_threads", 0, "at least one thread is needed");
        }
        if !(1..=MOST_THREADS).contains(&settings.vectors.threads) {
            return refuse(
                "vector_threads",
                settings.vectors.threads as u64,
                "between 1 and 1,024 threads can link an index",
            );
        }
        if settings.transaction_bytes == 0 {
            return refuse("transaction_bytes", 0, "no transaction could hold anything");
        }
        if settings.durability == Durability::Periodic(Duration::ZERO) {
            return refuse(
                "durability",
                0,
                "an interval of zero would sync without end; use `Durability::Commit`",
            );
        }
        Ok(())
    }
}
