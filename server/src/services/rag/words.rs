//! Reports and bills as messages of the protocol.

use crate::config::Config;
use crate::models::prices;
use stratigraph_models::Usage;
use stratigraph_proto::v1;
use stratigraph_rag::build::{Change, NodeKey};
use stratigraph_rag::extract::{Cost, Estimate};

/// The most stale summaries that the report of one document names.
const MOST_STALE: usize = 1000;

pub(super) fn bill(cost: &Cost, config: &Config) -> v1::ModelBill {
    let bill = v1::ModelBill {
        calls: cost.calls,
        kept: cost.kept,
        input_tokens: cost.usage.input_tokens,
        output_tokens: cost.usage.output_tokens,
        dropped: cost.dropped,
        cost: 0.0,
    };
    priced(bill, config)
}

/// A bill with what it costs, if prices were said.
pub(super) fn priced(mut bill: v1::ModelBill, config: &Config) -> v1::ModelBill {
    let usage = Usage {
        input_tokens: bill.input_tokens,
        output_tokens: bill.output_tokens,
    };
    bill.cost = prices(config).map_or(0.0, |prices| prices.of(usage));
    bill
}

pub(super) fn foreseen(estimate: &Estimate, config: &Config) -> v1::ModelBill {
    let bill = v1::ModelBill {
        calls: estimate.calls,
        kept: estimate.kept,
        input_tokens: estimate.input_tokens,
        output_tokens: estimate.output_tokens,
        dropped: 0,
        cost: 0.0,
    };
    priced(bill, config)
}

pub(super) fn change(change: &Change) -> v1::GraphChange {
    let stale = change.stale.iter().take(MOST_STALE);
    v1::GraphChange {
        written: change.written,
        deleted: change.deleted,
        unchanged: change.unchanged,
        vectors: change.vectors,
        vector_tokens: change.vector_tokens,
        cut_off: change.cut_off.pieces,
        reads: change.cut_off.reads as u64,
        stale: stale.map(subject).collect(),
    }
}

pub(super) fn subject(node: &NodeKey) -> v1::SummarySubject {
    v1::SummarySubject {
        label: node.label.name().to_owned(),
        key: node.key.clone(),
    }
}
