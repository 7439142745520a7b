//! What is known after the last row.

use crate::made::Made;
use std::fmt;
use std::time::Duration;
use stratigraph_proto::v1;

/// What is known after the last row of an answer.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Summary {
    /// How many rows were given.
    pub rows: u64,
    /// What was changed.
    pub counters: Counters,
    /// How the statement runs, for people; empty unless it was explained or profiled.
    pub plan: String,
    /// The operators of the plan in the order in which it is shown; none unless it was explained or profiled.
    pub operators: Vec<Operator>,
    /// How each SEARCH was answered, in the order of the text.
    pub searches: Vec<Provenance>,
    /// The commit that was read; if the statement writes, the one before its own. `None` if nothing was read.
    pub sequence: Option<u64>,
    /// How much work it was: rows that operators made and relationships that were looked at.
    pub steps: u64,
    /// Whether a TRAVERSE ended at its BUDGET, so that levels are missing.
    pub truncated: bool,
    /// How long it waited for its turn.
    pub queued: Duration,
    /// How long it ran, waiting for a slow reader included.
    pub elapsed: Duration,
    /// What each TRAVERSE did, in the order of the text.
    pub traversals: Vec<Traversal>,
}

/// What a statement changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "the names say it: of each, how many")]
#[non_exhaustive]
pub struct Counters {
    pub nodes_created: u64,
    pub nodes_deleted: u64,
    pub relationships_created: u64,
    pub relationships_deleted: u64,
    pub properties_set: u64,
    pub labels_added: u64,
    pub labels_removed: u64,
    pub indexes_added: u64,
    pub indexes_removed: u64,
    pub constraints_added: u64,
    pub constraints_removed: u64,
    pub hierarchies_added: u64,
    pub hierarchies_removed: u64,
}

impl Counters {
    /// Whether anything was changed.
    #[must_use]
    pub fn any(&self) -> bool {
        *self != Self::default()
    }
}

/// An operator of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Operator {
    /// How deep it is nested in others.
    pub depth: u32,
    /// What it is called, and what it works on.
    pub text: String,
    /// What it did; `None` unless the statement was profiled.
    pub work: Option<OperatorWork>,
}

/// What an operator did, without what is nested in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct OperatorWork {
    /// The rows that it gave.
    pub rows: u64,
    /// The batches that they came in.
    pub batches: u64,
    /// How often it asked the store.
    pub seeks: u64,
    /// How many properties it read.
    pub properties: u64,
    /// How many distances between vectors it computed.
    pub distances: u64,
    /// The most memory that it held between two steps.
    pub memory_bytes: u64,
    /// The time that it took.
    pub elapsed: Duration,
    /// How many bytes of keys and values the store gave it. What an index has in memory does not count.
    pub read_bytes: u64,
}

/// How an answer of an index came about.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Provenance {
    /// The name of the index.
    pub index: String,
    /// Whether it is a full-text index, and no vector index.
    pub fulltext: bool,
    /// How often it was asked.
    pub runs: u64,
    /// How many were found.
    pub found: u64,
    /// Whether none can be missing.
    pub exact: bool,
    /// How many candidates a walk through a vector index keeps; `None` if everything was compared.
    pub breadth: Option<u64>,
    /// Which way was taken through a vector index; empty for a full-text index.
    pub strategy: String,
    /// Who answered of a vector index: it, or the stored vectors while it is being made; empty for a full-text index.
    pub served_by: String,
    /// How many vectors or codes were compared, or documents scored.
    pub compared: u64,
    /// Which share of the true nearest was most likely found, if the index has measured it.
    pub estimated_recall: Option<f32>,
    /// Among how many was searched, if there was a filter.
    pub among: Option<u64>,
    /// What the scores mean, where the server tells it.
    pub scale: Option<ScoreScale>,
}

/// What the scores of a search mean. More is always nearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ScoreScale {
    /// (1 + cosine) / 2, from 0 to 1: of a SEARCH in an index of cosines.
    HalfOfOnePlusCosine,
    /// 1 / (1 + distance squared), from 0 to 1: of a SEARCH in an index of distances.
    OneByOnePlusSquaredDistance,
    /// The cosine, from -1 to 1.
    Cosine,
    /// The dot product, which has no bounds.
    Dot,
    /// BM25, from 0 on, which has no upper bound: of a full-text index.
    Bm25,
}

/// What a TRAVERSE did. It may have run for many rows: counts are of all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Traversal {
    /// How often it ran.
    pub runs: u64,
    /// The most levels that a run has completed.
    pub levels: u64,
    /// Candidates; a node that came back at a later level counts again.
    pub candidates: u64,
    /// Nodes that were kept or recovered.
    pub admitted: u64,
    /// Relationships that were followed.
    pub relationships: u64,
    /// Scores that were asked for.
    pub scored: u64,
    /// Members that RECOVER has looked at.
    pub recover_scanned: u64,
    /// Its BUDGET, and the most that a run has used of it; `None` without a BUDGET.
    pub budget: Option<BudgetUse>,
    /// Whether a run has ended at its budget, so that levels are missing.
    pub truncated: bool,
}

/// How much of a budget was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct BudgetUse {
    /// What it counts; `None` if that is newer than this client.
    pub unit: Option<BudgetUnit>,
    /// How much a run may use.
    pub limit: u64,
    /// The most that a run has used, of complete levels.
    pub used: u64,
}

/// What a budget counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BudgetUnit {
    /// Candidates of all levels.
    Nodes,
    /// Relationships that were followed.
    Relationships,
    /// Milliseconds.
    Milliseconds,
}

impl fmt::Display for Summary {
    /// One line for people.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} rows in {:.1?}", self.rows, self.elapsed)?;
        let counters = &self.counters;
        for (count, what) in [
            (counters.nodes_created, "nodes created"),
            (counters.nodes_deleted, "nodes deleted"),
            (counters.relationships_created, "relationships created"),
            (counters.relationships_deleted, "relationships deleted"),
            (counters.properties_set, "properties set"),
        ] {
            if count > 0 {
                write!(out, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

impl Made<v1::QuerySummary> for Summary {
    fn made_of(sent: v1::QuerySummary) -> Self {
        Self {
            rows: sent.rows,
            counters: sent.counters.map(Counters::made_of).unwrap_or_default(),
            plan: sent.plan,
            operators: sent.operators.into_iter().map(Operator::made_of).collect(),
            searches: sent.searches.into_iter().map(Provenance::made_of).collect(),
            sequence: sent.sequence,
            steps: sent.steps,
            truncated: sent.truncated,
            queued: Duration::from_micros(sent.queued_us),
            elapsed: Duration::from_micros(sent.elapsed_us),
            traversals: sent
                .traversals
                .into_iter()
                .map(Traversal::made_of)
                .collect(),
        }
    }
}

impl Made<v1::QueryCounters> for Counters {
    fn made_of(sent: v1::QueryCounters) -> Self {
        Self {
            nodes_created: sent.nodes_created,
            nodes_deleted: sent.nodes_deleted,
            relationships_created: sent.relationships_created,
            relationships_deleted: sent.relationships_deleted,
            properties_set: sent.properties_set,
            labels_added: sent.labels_added,
            labels_removed: sent.labels_removed,
            indexes_added: sent.indexes_added,
            indexes_removed: sent.indexes_removed,
            constraints_added: sent.constraints_added,
            constraints_removed: sent.constraints_removed,
            hierarchies_added: sent.hierarchies_added,
            hierarchies_removed: sent.hierarchies_removed,
        }
    }
}

impl Made<v1::PlanOperator> for Operator {
    fn made_of(sent: v1::PlanOperator) -> Self {
        Self {
            depth: sent.depth,
            text: sent.text,
            work: sent.work.map(|work| OperatorWork {
                rows: work.rows,
                batches: work.batches,
                seeks: work.seeks,
                properties: work.properties,
                distances: work.distances,
                memory_bytes: work.memory_bytes,
                elapsed: Duration::from_micros(work.elapsed_us),
                read_bytes: work.read_bytes,
            }),
        }
    }
}

impl Made<v1::SearchProvenance> for Provenance {
    fn made_of(sent: v1::SearchProvenance) -> Self {
        Self {
            scale: scale(sent.scale()),
            index: sent.index,
            fulltext: sent.fulltext,
            runs: sent.runs,
            found: sent.found,
            exact: sent.exact,
            breadth: sent.breadth,
            strategy: sent.strategy,
            served_by: sent.served_by,
            compared: sent.compared,
            estimated_recall: sent.estimated_recall,
            among: sent.among,
        }
    }
}

fn scale(sent: v1::ScoreScale) -> Option<ScoreScale> {
    match sent {
        v1::ScoreScale::Unspecified => None,
        v1::ScoreScale::HalfOfOnePlusCosine => Some(ScoreScale::HalfOfOnePlusCosine),
        v1::ScoreScale::OneByOnePlusSquaredDistance => {
            Some(ScoreScale::OneByOnePlusSquaredDistance)
        }
        v1::ScoreScale::Cosine => Some(ScoreScale::Cosine),
        v1::ScoreScale::Dot => Some(ScoreScale::Dot),
        v1::ScoreScale::Bm25 => Some(ScoreScale::Bm25),
    }
}

impl Made<v1::TraversalReport> for Traversal {
    fn made_of(sent: v1::TraversalReport) -> Self {
        Self {
            runs: sent.runs,
            levels: sent.levels,
            candidates: sent.candidates,
            admitted: sent.admitted,
            relationships: sent.relationships,
            scored: sent.scored,
            recover_scanned: sent.recover_scanned,
            budget: sent.budget.map(BudgetUse::made_of),
            truncated: sent.truncated,
        }
    }
}

impl Made<v1::BudgetUse> for BudgetUse {
    fn made_of(sent: v1::BudgetUse) -> Self {
        let unit = match sent.unit() {
            v1::BudgetUnit::Unspecified => None,
            v1::BudgetUnit::Nodes => Some(BudgetUnit::Nodes),
            v1::BudgetUnit::Relationships => Some(BudgetUnit::Relationships),
            v1::BudgetUnit::Milliseconds => Some(BudgetUnit::Milliseconds),
        };
        Self {
            unit,
            limit: sent.limit,
            used: sent.used,
        }
    }
}
