//! Reports and bills as messages of the protocol.

use stratigraph_proto::v1;
use stratigraph_rag::build::{Change, NodeKey};
use stratigraph_rag::extract::{Cost, Estimate};

/// The most stale summaries that the report of one document names.
const MOST_STALE: usize = 1000;

pub(super) fn bill(cost: &Cost) -> v1::ModelBill {
    v1::ModelBill {
        calls: cost.calls,
        kept: cost.kept,
        input_tokens: cost.usage.input_tokens,
        output_tokens: cost.usage.output_tokens,
        dropped: cost.dropped,
    }
}

pub(super) fn foreseen(estimate: &Estimate) -> v1::ModelBill {
    v1::ModelBill {
        calls: estimate.calls,
        kept: estimate.kept,
        input_tokens: estimate.input_tokens,
        output_tokens: estimate.output_tokens,
        dropped: 0,
    }
}

pub(super) fn change(change: &Change) -> v1::GraphChange {
    let stale = change.stale.iter().take(MOST_STALE);
    v1::GraphChange {
        written: change.written,
        deleted: change.deleted,
        unchanged: change.unchanged,
        vectors: change.vectors,
        stale: stale.map(subject).collect(),
    }
}

pub(super) fn subject(node: &NodeKey) -> v1::SummarySubject {
    v1::SummarySubject {
        label: node.label.name().to_owned(),
        key: node.key.clone(),
    }
}
