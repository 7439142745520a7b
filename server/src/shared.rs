//! What all calls share.

use crate::auth::Authority;
use crate::config::Config;
use crate::databases::Databases;
use crate::ending::{Ending, Stage};
use crate::intake::{Bounds, Budget};
use crate::metrics::Metrics;
use crate::recall::RecallSampler;
use crate::work::{Places, Running, Side, Slots};
use std::sync::Arc;
use stratigraph_proto::Method;
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
    /// The places for what blocks beside statements.
    pub(crate) side: Side,
    /// The places for transactions that read.
    pub(crate) read_transactions: Places,
    /// The places for transactions that write, or wait to.
    pub(crate) write_transactions: Places,
    /// The places for bulk writes, also for those that wait.
    pub(crate) bulk_writes: Places,
    /// The places for exports.
    pub(crate) exports: Places,
    /// The places for documents that come in and summaries that are written.
    pub(crate) ingestions: Places,
    /// The place for backups, checks and other long work, one at a time.
    pub(crate) maintenance: Arc<Semaphore>,
    pub(crate) running: Arc<Running>,
    pub(crate) metrics: Metrics,
    pub(crate) recall: RecallSampler,
    pub(crate) ending: Arc<Ending>,
    /// The memory for messages that come in.
    pub(crate) intake: Arc<Budget>,
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
            side: Side::new(&config),
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
            exports: Places::new(&config, config.max_bulk_writes, "exports"),
            bulk_writes: Places::new(&config, config.max_bulk_writes, "bulk writes"),
            ingestions: Places::new(&config, config.max_ingestions, "ingestions"),
            maintenance: Arc::new(Semaphore::new(2)),
            running: Running::new(&config),
            metrics: Metrics::new(),
            recall: RecallSampler::new(config.recall_sample_every),
            ending: Ending::new(),
            intake: Budget::new(config.max_request_memory.bytes()),
            config,
        })
    }

    /// What a message of a method may be; of a service that is not ours without one.
    pub(crate) fn bounds(&self, method: Option<&Method>) -> Bounds {
        let config = &self.config;
        // Bulk writes and documents come as streams of messages.
        let size = match method {
            Some(method) if method.client_streams => config.max_bulk_message_size,
            _ => config.max_request_size,
        };
        Bounds {
            message_bytes: size.bytes(),
            weight: config.max_request_memory.bytes() / 4,
            stall: config.max_stall.0,
        }
    }

    /// How many transactions and bulk writes are open or about to be.
    pub(crate) fn open_transactions(&self) -> usize {
        let databases = self.databases.all();
        databases.iter().map(|database| database.unfinished()).sum()
    }

    /// Whether nothing begins any more.
    pub(crate) fn is_ending(&self) -> bool {
        self.ending.stage() > Stage::Serving
    }
}
