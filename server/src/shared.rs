//! What all calls share.

use crate::auth::Authority;
use crate::config::Config;
use crate::databases::Databases;
use crate::metrics::Metrics;
use crate::work::{Running, Slots};
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
    /// The places for transactions and bulk writes.
    pub(crate) transactions: Arc<Semaphore>,
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
            transactions: Arc::new(Semaphore::new(config.max_transactions as usize)),
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
