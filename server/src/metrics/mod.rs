//! What the server counts, in the words and units of Prometheus.
//!
//! Labels have few values: methods of the protocol, codes, names of databases and indexes. What a client sends is none.
//!
//! Next: `databases.rs`, `rag.rs`.

mod databases;
mod rag;

use crate::shared::Shared;
use databases::{DatabaseMetrics, OfIndex};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use rag::RagMetrics;
use std::time::Duration;
use stratigraph_proto::v1;
use tonic::Code;

/// What the server counts.
pub(crate) struct Metrics {
    registry: Registry,
    calls: Family<CallLabels, Counter>,
    latency: Family<MethodLabels, Histogram>,
    queue_wait: Histogram,
    query_time: Family<KindLabels, Histogram>,
    rows: Counter,
    slow: Counter,
    connections: Gauge,
    connections_refused: Counter,
    running: Gauge,
    waiting: Gauge,
    memory_free: Gauge,
    request_memory: Gauge,
    recall: Family<OfIndex, Histogram>,
    rag: RagMetrics,
    databases: DatabaseMetrics,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct CallLabels {
    method: &'static str,
    code: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct MethodLabels {
    method: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct KindLabels {
    kind: &'static str,
}

/// From 100 microseconds to about 100 seconds.
fn seconds() -> Histogram {
    Histogram::new([
        0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0,
    ])
}

/// Shares, where those near to the whole matter.
fn shares() -> Histogram {
    Histogram::new([0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0])
}

/// What a code is called, without making a text of it for each call.
fn word(code: Code) -> &'static str {
    match code {
        Code::Ok => "Ok",
        Code::Cancelled => "Cancelled",
        Code::Unknown => "Unknown",
        Code::InvalidArgument => "InvalidArgument",
        Code::DeadlineExceeded => "DeadlineExceeded",
        Code::NotFound => "NotFound",
        Code::AlreadyExists => "AlreadyExists",
        Code::PermissionDenied => "PermissionDenied",
        Code::ResourceExhausted => "ResourceExhausted",
        Code::FailedPrecondition => "FailedPrecondition",
        Code::Aborted => "Aborted",
        Code::OutOfRange => "OutOfRange",
        Code::Unimplemented => "Unimplemented",
        Code::Internal => "Internal",
        Code::Unavailable => "Unavailable",
        Code::DataLoss => "DataLoss",
        Code::Unauthenticated => "Unauthenticated",
    }
}

/// What a gauge takes.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("stratigraph");
        let calls = Family::default();
        registry.register("calls", "Calls answered, by method and code", calls.clone());
        let latency = Family::new_with_constructor(seconds as fn() -> Histogram);
        registry.register_with_unit(
            "call_duration",
            "Time to the head of the answer",
            Unit::Seconds,
            latency.clone(),
        );
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
        let (connections, connections_refused) = (Gauge::default(), Counter::default());
        registry.register(
            "connections",
            "Connections that are open",
            connections.clone(),
        );
        registry.register(
            "connections_refused",
            "Connections that were over the limit or failed in TLS",
            connections_refused.clone(),
        );
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
        let request_memory = Gauge::default();
        registry.register_with_unit(
            "request_memory",
            "Memory that messages on their way in take, as it is estimated",
            Unit::Bytes,
            request_memory.clone(),
        );
        let recall = Family::new_with_constructor(shares as fn() -> Histogram);
        registry.register(
            "vector_recall",
            "Share of the true nearest that sampled searches found (recall_sample_every)",
            recall.clone(),
        );
        let rag = RagMetrics::new(&mut registry);
        let databases = DatabaseMetrics::new(&mut registry);
        Self {
            registry,
            calls,
            latency,
            queue_wait,
            query_time,
            rows,
            slow,
            connections,
            connections_refused,
            running,
            waiting,
            memory_free,
            request_memory,
            recall,
            rag,
            databases,
        }
    }

    /// The head of an answer has gone out; the code is known if it is all of the answer.
    pub(crate) fn answered(&self, method: &'static str, code: Option<Code>, took: Duration) {
        let code = word(code.unwrap_or(Code::Ok));
        self.calls.get_or_create(&CallLabels { method, code }).inc();
        self.latency
            .get_or_create(&MethodLabels { method })
            .observe(took.as_secs_f64());
    }

    /// A statement has ended.
    pub(crate) fn ran(
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

    /// A search was made once more, exactly.
    pub(crate) fn recalled(&self, database: &str, index: &str, share: f64) {
        let labels = OfIndex {
            database: database.to_owned(),
            index: index.to_owned(),
        };
        self.recall.get_or_create(&labels).observe(share);
    }

    /// A document has its report.
    pub(crate) fn took_in(&self, failed: u64, bill: Option<&v1::ModelBill>) {
        self.rag.took_in(failed, bill);
    }

    /// Tables are taken in, but for so many rows.
    pub(crate) fn took_in_tables(&self, broken_rows: u64) {
        self.rag.took_in_tables(broken_rows);
    }

    /// A model was asked for something else.
    pub(crate) fn asked_model(&self, bill: Option<&v1::ModelBill>) {
        self.rag.asked_model(bill);
    }

    pub(crate) fn connected(&self) {
        self.connections.inc();
    }

    pub(crate) fn disconnected(&self) {
        self.connections.dec();
    }

    pub(crate) fn refused_connection(&self) {
        self.connections_refused.inc();
    }

    /// All of it as text.
    pub(crate) fn text(&self, shared: &Shared) -> String {
        self.running.set(whole(shared.running.count() as u64));
        self.waiting.set(whole(
            (shared.readers.waiting() + shared.writers.waiting()) as u64,
        ));
        self.memory_free.set(whole(
            shared.readers.memory_free() + shared.writers.memory_free(),
        ));
        self.request_memory.set(whole(shared.intake.taken() as u64));
        self.databases.read(&shared.databases.all());
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
