//! What is told after the last row.

use std::time::Duration;
use stratigraph::algo::traverse::BudgetUnit;
use stratigraph::{
    BudgetUse, Counters, OperatorWork, PlanOperator, ScoreScale, SearchReport, Summary, TextAnswer,
    TraversalReport, VectorAnswer,
};
use stratigraph_proto::v1;

/// A summary, but for the times, which the server knows.
pub(crate) fn summary(of: &Summary) -> v1::QuerySummary {
    v1::QuerySummary {
        rows: of.rows(),
        counters: Some(counters(of.counters())),
        plan: of.plan().unwrap_or_default().to_owned(),
        operators: of.operators().iter().map(operator).collect(),
        searches: of.searches().iter().map(provenance).collect(),
        sequence: of.sequence().map(stratigraph::codec::CommitSeq::get),
        steps: of.steps(),
        truncated: of.truncated(),
        traversals: of.traversals().iter().map(traversal).collect(),
        queued_us: 0,
        elapsed_us: 0,
    }
}

fn counters(of: &Counters) -> v1::QueryCounters {
    v1::QueryCounters {
        nodes_created: of.nodes_created(),
        nodes_deleted: of.nodes_deleted(),
        relationships_created: of.relationships_created(),
        relationships_deleted: of.relationships_deleted(),
        properties_set: of.properties_set(),
        labels_added: of.labels_added(),
        labels_removed: of.labels_removed(),
        indexes_added: of.indexes_added(),
        indexes_removed: of.indexes_removed(),
        constraints_added: of.constraints_added(),
        constraints_removed: of.constraints_removed(),
        hierarchies_added: of.hierarchies_added(),
        hierarchies_removed: of.hierarchies_removed(),
    }
}

fn operator(of: &PlanOperator) -> v1::PlanOperator {
    v1::PlanOperator {
        depth: u32::try_from(of.depth()).unwrap_or(u32::MAX),
        text: of.text().to_owned(),
        work: of.work().map(work),
    }
}

fn work(of: &OperatorWork) -> v1::OperatorWork {
    v1::OperatorWork {
        rows: of.rows,
        batches: of.batches,
        seeks: of.seeks,
        properties: of.properties,
        distances: of.distances,
        memory_bytes: of.memory_bytes,
        elapsed_us: micros(of.time),
        read_bytes: of.read_bytes,
    }
}

fn provenance(of: &SearchReport) -> v1::SearchProvenance {
    v1::SearchProvenance {
        index: of.index.to_string(),
        fulltext: of.fulltext,
        runs: of.runs,
        found: of.found,
        exact: of.exact,
        breadth: of.breadth,
        strategy: of.strategy.map(|one| word(&one)).unwrap_or_default(),
        served_by: of.served_by.map(|one| word(&one)).unwrap_or_default(),
        compared: of.compared,
        estimated_recall: of.estimated_recall,
        among: of.among,
        scale: scale(of.scale).into(),
    }
}

fn scale(of: ScoreScale) -> v1::ScoreScale {
    match of {
        ScoreScale::HalfOfOnePlusCosine => v1::ScoreScale::HalfOfOnePlusCosine,
        ScoreScale::OneByOnePlusSquaredDistance => v1::ScoreScale::OneByOnePlusSquaredDistance,
        ScoreScale::Cosine => v1::ScoreScale::Cosine,
        ScoreScale::Dot => v1::ScoreScale::Dot,
        ScoreScale::Bm25 => v1::ScoreScale::Bm25,
        // One that the protocol has no word for yet.
        _ => v1::ScoreScale::Unspecified,
    }
}

fn traversal(of: &TraversalReport) -> v1::TraversalReport {
    v1::TraversalReport {
        runs: of.runs,
        levels: of.levels,
        candidates: of.candidates,
        admitted: of.admitted,
        relationships: of.relationships,
        scored: of.scored,
        recover_scanned: of.recover_scanned,
        budget: of.budget.map(budget),
        truncated: of.truncated,
    }
}

fn budget(of: BudgetUse) -> v1::BudgetUse {
    let unit = match of.unit {
        BudgetUnit::Nodes => v1::BudgetUnit::Nodes,
        BudgetUnit::Edges => v1::BudgetUnit::Relationships,
        BudgetUnit::Milliseconds => v1::BudgetUnit::Milliseconds,
    };
    v1::BudgetUse {
        unit: unit.into(),
        limit: of.limit,
        used: of.used,
    }
}

/// How a search in a vector index was answered.
pub(crate) fn vector_provenance(index: &str, of: &VectorAnswer) -> v1::SearchProvenance {
    v1::SearchProvenance {
        index: index.to_owned(),
        runs: 1,
        found: of.hits.len() as u64,
        exact: of.how == stratigraph::How::Exact,
        strategy: word(&of.strategy),
        served_by: word(&of.served_by),
        compared: of.compared,
        estimated_recall: of.estimated_recall,
        ..v1::SearchProvenance::default()
    }
}

/// How a search in a full-text index was answered.
pub(crate) fn text_provenance(index: &str, of: &TextAnswer) -> v1::SearchProvenance {
    v1::SearchProvenance {
        index: index.to_owned(),
        fulltext: true,
        runs: 1,
        found: of.hits.len() as u64,
        exact: true,
        compared: of.work.documents,
        scale: v1::ScoreScale::Bm25.into(),
        ..v1::SearchProvenance::default()
    }
}

/// `VectorsWhileBuilding` as `vectors_while_building`.
fn word(of: &impl std::fmt::Debug) -> String {
    let mut word = String::new();
    for one in format!("{of:?}").chars() {
        if one.is_ascii_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.push(one.to_ascii_lowercase());
    }
    word
}

pub(crate) fn micros(of: Duration) -> u64 {
    u64::try_from(of.as_micros()).unwrap_or(u64::MAX)
}
