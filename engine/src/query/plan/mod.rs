//! From bound clauses to operators.
//!
//! Planning is pure: it sees names, declarations and counts, never what is stored. What it decides beside
//! the order of the text is in one list of rules, [`RULES`], each with its reason; without them the plan
//! follows the text, gives the same rows, and is slower.
//!
//! | what | where |
//! |---|---|
//! | what comes in, and what goes out | `bound.rs`, `ops.rs` |
//! | clauses | `clauses.rs`, `write.rs` |
//! | when rows must wait for what is written | `barrier.rs` |
//! | a pattern: in which order, from where | `matching.rs`, `start.rs` |
//! | level-wise traversals | `traverse/` |
//! | patterns of which only numbers are asked | `walks.rs` |
//! | what an index may find | `search.rs` |
//! | how a plan is shown | `explain.rs` |

mod barrier;
mod bound;
mod clauses;
mod explain;
mod matching;
mod ops;
mod search;
mod start;
mod traverse;
mod walks;
mod write;

pub(crate) use bound::*;
pub(crate) use explain::PlanLine;
pub(crate) use ops::*;
pub(crate) use traverse::*;
pub(crate) use walks::*;

use super::bind::Bound;
use crate::catalog::{Catalog, IndexDef};
use std::sync::Arc;

/// A rule of the planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// Conditions come as soon as what they read is known.
    FilterEarly,
    /// A pattern begins where the fewest rows are expected.
    StartWhereLeastIs,
    /// What an index finds for a value is not asked again whether it has that value.
    AskTheIndexAlone,
    /// Links between nodes that are known come before those that lead to others.
    CloseBeforeOpening,
    /// Sorting with a limit keeps only so many rows.
    SortOnlyWhatIsKept,
    /// TRAVERSE steps, scores and keeps a whole level at once.
    WholeLevels,
    /// RECOVER reads no vector of a member whose code in an index proves that it is not kept.
    RecoverByCodes,
    /// What a search may find is reached by a walk where its condition is a pattern.
    WalkToWhatIsSearched,
    /// Matches of which only the number is asked are counted without a row for each.
    CountWalksAtOnce,
}

/// The rules, in the order in which they are applied, and why each is there.
pub(crate) const RULES: &[(Rule, &str)] = &[
    (
        Rule::FilterEarly,
        "a row that is dropped before a link is walked saves the walk",
    ),
    (
        Rule::StartWhereLeastIs,
        "every row of the start is walked from: an id, an index or a label is less than all nodes",
    ),
    (
        Rule::AskTheIndexAlone,
        "an index has a value under the same bytes as all that equal it, and no others: to read the property of what \
         it has found gives that value again",
    ),
    (
        Rule::CloseBeforeOpening,
        "a link between nodes that are known makes no rows, only drops some",
    ),
    (
        Rule::SortOnlyWhatIsKept,
        "with a limit the other rows need no place",
    ),
    (
        Rule::WholeLevels,
        "a level has many candidates: arrays and kernels need no row for each of them",
    ),
    (
        Rule::RecoverByCodes,
        "most members are far from what is kept, and a code of a quarter of the bytes proves it; only the others are \
         read whole",
    ),
    (
        Rule::WalkToWhatIsSearched,
        "a walk from a node that is known meets what may be found; asking each whether there is such a walk meets \
         everything",
    ),
    (
        Rule::CountWalksAtOnce,
        "how many ways go on from a node is the length of its row: a count needs no row for each match, and most \
         nodes are met more than once",
    ),
];

/// What the planner may ask about the graph.
pub(crate) trait Statistics {
    /// Names and declarations.
    fn catalog(&self) -> &Catalog;
    /// How many nodes there are.
    fn nodes(&self) -> u64;
    /// How many nodes have a label.
    fn labelled(&self, label: &str) -> u64;
    /// How many relationships there are; of a type, if one is named.
    fn relationships(&self, of: Option<&str>) -> u64;
    /// How many entries an index has.
    fn entries(&self, index: &IndexDef) -> u64;
    /// How many entities an index finds for one value, on average.
    fn found_by(&self, index: &IndexDef) -> u64;
}

/// Makes a plan.
pub(crate) fn plan(bound: Bound, statistics: &dyn Statistics, rules: &[(Rule, &str)]) -> Plan {
    let planner = Planner { statistics, rules };
    let columns = bound.query.columns.clone();
    Plan {
        ops: planner.query(bound.query).into(),
        width: bound.names.len(),
        names: bound.names,
        columns,
        writes: bound.writes,
        transactions: bound.transactions,
        commits: bound.commits,
        parameters: bound.parameters,
    }
}

/// Plans one statement.
pub(super) struct Planner<'a> {
    statistics: &'a dyn Statistics,
    /// The rules that are applied.
    rules: &'a [(Rule, &'a str)],
}

impl Planner<'_> {
    /// Whether a rule is applied.
    pub(super) fn follows(&self, rule: Rule) -> bool {
        self.rules.iter().any(|(known, _)| *known == rule)
    }
}

/// Operators that nothing changes any more.
type Ops = Arc<[Op]>;
