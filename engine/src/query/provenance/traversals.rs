//! What the traversals of a query have cost, and how much of their budgets that was.
//!
//! Next: `result.rs`, whose summary carries it.

use super::Merged;
use crate::algo::traverse::{Budget, BudgetUnit, Summary};

/// What one `TRAVERSE` of a query did. It may have run for many rows: counts are of all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraversalReport {
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
    /// Members that `RECOVER` has looked at.
    pub recover_scanned: u64,
    /// The `BUDGET` of a run, and the most that a run has used of it; none without a `BUDGET`.
    pub budget: Option<BudgetUse>,
    /// Whether a run has ended at its budget, so that levels are missing.
    pub truncated: bool,
}

/// How much of a budget was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetUse {
    /// What it counts.
    pub unit: BudgetUnit,
    /// How much a run may use.
    pub limit: u64,
    /// The most that a run has used, of complete levels.
    pub used: u64,
}

impl TraversalReport {
    /// A run has ended after so long.
    pub(crate) fn of(summary: &Summary, budget: Option<Budget>, elapsed_ms: u64) -> Self {
        let used = |unit| match unit {
            BudgetUnit::Nodes => summary.candidates,
            BudgetUnit::Edges => summary.edges_read,
            BudgetUnit::Milliseconds => elapsed_ms,
        };
        Self {
            runs: 1,
            levels: u64::from(summary.levels),
            candidates: summary.candidates,
            admitted: summary.admitted,
            relationships: summary.edges_read,
            scored: summary.scored,
            recover_scanned: summary.recover_scanned,
            budget: budget.map(|Budget { unit, limit, .. }| BudgetUse {
                unit,
                limit,
                used: used(unit),
            }),
            truncated: summary.truncated,
        }
    }
}

impl Merged for TraversalReport {
    fn merge(&mut self, new: Self) {
        self.runs += new.runs;
        self.levels = self.levels.max(new.levels);
        self.candidates += new.candidates;
        self.admitted += new.admitted;
        self.relationships += new.relationships;
        self.scored += new.scored;
        self.recover_scanned += new.recover_scanned;
        let most = self.budget.into_iter().chain(new.budget);
        self.budget = most.max_by_key(|budget| budget.used);
        self.truncated |= new.truncated;
    }

    fn runs(&self) -> u64 {
        self.runs
    }
}
