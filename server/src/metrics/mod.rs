//! What the server counts, in the words and units of Prometheus.
//!
//! Labels have few values: methods of the protocol, codes, names of databases and indexes. What a client sends is none.
//!
//! Next: `calls.rs`, `statements.rs`, `databases.rs`, `rag.rs`.

mod calls;
mod databases;
mod rag;
mod statements;

use crate::shared::Shared;
use calls::CallMetrics;
use databases::{DatabaseMetrics, OfIndex};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use rag::RagMetrics;
use statements::StatementMetrics;
use std::time::Duration;
use stratigraph_proto::v1;
use tonic::Code;

/// What the server counts.
pub(crate) struct Metrics {
    registry: Registry,
    calls: CallMetrics,
    statements: StatementMetrics,
    connections: Gauge,
    connections_refused: Counter,
    request_memory: Gauge,
    recall: Family<OfIndex, Histogram>,
    rag: RagMetrics,
    databases: DatabaseMetrics,
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

/// What a gauge takes.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("stratigraph");
        let calls = CallMetrics::new(&mut registry);
        let statements = StatementMetrics::new(&mut registry);
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
            statements,
            connections,
            connections_refused,
            request_memory,
            recall,
            rag,
            databases,
        }
    }

    /// The head of an answer has gone out; the code is known if it is all of the answer.
    pub(crate) fn answered(&self, method: &'static str, code: Option<Code>, took: Duration) {
        self.calls.answered(method, code, took);
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
        self.statements.ran(kind, rows, waited, took, slow);
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
        self.statements.read(shared);
        self.request_memory.set(whole(shared.intake.taken() as u64));
        self.databases.read(&shared.databases.all());
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
