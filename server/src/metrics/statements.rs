//! Statements: those that wait, those that run, and how long both took.

use super::{seconds, whole};
use crate::shared::Shared;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use std::time::Duration;

/// What is counted of statements.
pub(super) struct StatementMetrics {
    queue_wait: Histogram,
    query_time: Family<KindLabels, Histogram>,
    rows: Counter,
    slow: Counter,
    running: Gauge,
    waiting: Gauge,
    memory_free: Gauge,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct KindLabels {
    kind: &'static str,
}

impl StatementMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let queue_wait = seconds();
        registry.register_with_unit(
            "queue_wait",
            "Time that statements waited for a turn",
            Unit::Seconds,
            queue_wait.clone(),
        );
        let query_time = Family::new_with_constructor(seconds as fn() -> Histogram);
        registry.register_with_unit(
            "query_duration",
            "Time that statements ran",
            Unit::Seconds,
            query_time.clone(),
        );
        let (rows, slow) = (Counter::default(), Counter::default());
        registry.register("rows", "Rows given", rows.clone());
        registry.register("slow_queries", "Statements that were slow", slow.clone());
        let (running, waiting, memory_free) =
            (Gauge::default(), Gauge::default(), Gauge::default());
        registry.register("queries_running", "Statements that run", running.clone());
        registry.register(
            "queries_waiting",
            "Statements that wait for a turn",
            waiting.clone(),
        );
        registry.register_with_unit(
            "query_memory_free",
            "Memory for rows that no statement has reserved",
            Unit::Bytes,
            memory_free.clone(),
        );
        Self {
            queue_wait,
            query_time,
            rows,
            slow,
            running,
            waiting,
            memory_free,
        }
    }

    pub(super) fn ran(
        &self,
        kind: &'static str,
        rows: u64,
        waited: Duration,
        took: Duration,
        slow: bool,
    ) {
        self.query_time
            .get_or_create(&KindLabels { kind })
            .observe(took.as_secs_f64());
        self.queue_wait.observe(waited.as_secs_f64());
        self.rows.inc_by(rows);
        if slow {
            self.slow.inc();
        }
    }

    /// Looks at what runs and waits now.
    pub(super) fn read(&self, shared: &Shared) {
        self.running.set(whole(shared.running.count() as u64));
        self.waiting.set(whole(
            (shared.readers.waiting() + shared.writers.waiting()) as u64,
        ));
        self.memory_free.set(whole(
            shared.readers.memory_free() + shared.writers.memory_free(),
        ));
    }
}
