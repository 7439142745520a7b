//! What all calls share.

use crate::auth::Authority;
use crate::config::Config;
use crate::databases::Databases;
use crate::metrics::Metrics;
use crate::work::{Places, Running, Slots};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;

/// What all calls share.
pub(crate) struct Shared {
    pub(crate) config: Arc<Config>,
    pub(crate) databases: Databases,
    pub(crate) authority: Authority,
    /// The places for statements that read, and for searches.
    pub(crate) readers: Slots,
    /// The places for statements that write.
    pub(crate) writers: Slots,
    /// The places for transactions that read.
    pub(crate) read_transactions: Places,
    /// The places for transactions that write, or wait to.
    pub(crate) write_transactions: Places,
    /// The places for bulk writes, also for those that wait.
    pub(crate) bulk_writes: Places,
    /// The place for backups, checks and other long work, one at a time.
    pub(crate) maintenance: Arc<Semaphore>,
    pub(crate) running: Arc<Running>,
    pub(crate) metrics: Metrics,
    ending: AtomicBool,
}

impl Shared {
    pub(crate) fn new(
        config: Arc<Config>,
        databases: Databases,
        authority: Authority,
    ) -> Arc<Self> {
        Arc::new(Self {
            databases,
            authority,
            readers: Slots::for_readers(&config),
            writers: Slots::for_writers(&config),
            read_transactions: Places::new(
                &config,
                config.max_transactions,
                "transactions that read",
            ),
            write_transactions: Places::new(
                &config,
                config.max_write_transactions,
                "transactions that write",
            ),
            bulk_writes: Places::new(&config, config.max_bulk_writes, "bulk writes"),
            maintenance: Arc::new(Semaphore::new(2)),
            running: Running::new(&config),
            metrics: Metrics::new(),
            ending: AtomicBool::new(false),
            config,
        })
    }

    /// From here on nothing begins.
    pub(crate) fn begin_ending(&self) {
        self.ending.store(true, Ordering::Release);
    }

    /// Whether nothing begins any more.
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }
}
