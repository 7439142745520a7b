//! Documents and tables that came over the network, and what models were paid for them.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use stratigraph_proto::v1;

/// What is counted of documents.
pub(super) struct RagMetrics {
    documents: Counter,
    failed: Counter,
    tables: Counter,
    broken_rows: Counter,
    calls: Counter,
    kept: Counter,
    input_tokens: Counter,
    output_tokens: Counter,
}

impl RagMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let mut counter = |name: &str, help: &str| {
            let counter = Counter::default();
            registry.register(name, help, counter.clone());
            counter
        };
        Self {
            documents: counter(
                "rag_documents",
                "Documents of RagService that have a report",
            ),
            failed: counter(
                "rag_documents_failed",
                "Documents of RagService that were not taken in",
            ),
            tables: counter("rag_tables", "Streams of tables that RagService took in"),
            broken_rows: counter("rag_rows_broken", "Rows of tables that RagService left out"),
            calls: counter("model_calls", "Calls of the model for RagService"),
            kept: counter(
                "model_replies_kept",
                "Replies for RagService that were there already",
            ),
            input_tokens: counter("model_input_tokens", "Tokens that the model has read"),
            output_tokens: counter("model_output_tokens", "Tokens that the model has written"),
        }
    }

    pub(super) fn took_in(&self, failed: u64, bill: Option<&v1::ModelBill>) {
        self.documents.inc();
        self.failed.inc_by(failed);
        self.asked_model(bill);
    }

    pub(super) fn took_in_tables(&self, broken_rows: u64) {
        self.tables.inc();
        self.broken_rows.inc_by(broken_rows);
    }

    pub(super) fn asked_model(&self, bill: Option<&v1::ModelBill>) {
        if let Some(bill) = bill {
            self.calls.inc_by(bill.calls);
            self.kept.inc_by(bill.kept);
            self.input_tokens.inc_by(bill.input_tokens);
            self.output_tokens.inc_by(bill.output_tokens);
        }
    }
}
