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
//! | which rules are followed | `rules.rs` |
//! | `WITH` and `RETURN`: what is computed, sorted and cut when | `projection.rs` |
//! | a pattern: in which order, from where | `matching.rs`, `order.rs`, `estimate.rs`, `start.rs` |
//! | subqueries that a number answers | `degree.rs` |
//! | level-wise traversals | `traverse/` |
//! | patterns of which only numbers are asked | `walks.rs`, `stated.rs` |
//! | what an index may find | `search.rs` |
//! | how a plan is shown | `explain.rs`, `explain/` |

mod barrier;
mod bound;
mod clauses;
mod degree;
mod estimate;
mod explain;
mod matching;
mod ops;
mod order;
mod projection;
mod rules;
mod search;
mod start;
mod stated;
mod traverse;
mod walks;
mod write;

pub(crate) use bound::*;
pub(crate) use explain::PlanLine;
pub(crate) use matching::turned;
pub(crate) use ops::*;
pub(crate) use rules::Rules;
pub(crate) use traverse::*;
pub(crate) use walks::*;

use super::bind::Bound;
use crate::catalog::{Catalog, IndexDef};
use std::sync::Arc;

/// A rule of the planner: something that it decides beside the order of the text. Without it a statement gives the
/// same rows and does more for them; [`QueryOptions::without_rule`](crate::QueryOptions::without_rule) is the
/// switch, for tests and for finding faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// Conditions come as soon as what they read is known.
    FilterEarly,
    /// A pattern begins where the fewest rows are expected.
    StartWhereLeastIs,
    /// What an index finds for a value is not asked again whether it has that value.
    AskTheIndexAlone,
    /// Links between nodes that are known come before those that lead to others.
    CloseBeforeOpening,
    /// Of all orders in which a pattern can be found, the one with the least work is taken.
    OrderByCost,
    /// What is on one level of a hierarchy is taken from the hierarchy.
    LevelFromHierarchy,
    /// Sorting with a limit keeps only so many rows.
    SortOnlyWhatIsKept,
    /// Rows that come in the order that is asked for are not sorted again.
    SortOnce,
    /// Groups that differ in all columns are not made distinct again.
    DistinctOnce,
    /// What only the result needs is computed after rows were cut off.
    ComputeOnlyWhatIsKept,
    /// A node's relationships are read only as far as a limit needs them.
    ExpandOnlyWhatIsKept,
    /// How many relationships a node has is read and not counted.
    CountByDegree,
    /// TRAVERSE steps, scores and keeps a whole level at once.
    WholeLevels,
    /// RECOVER reads no vector of a member whose code in an index proves that it is not kept.
    RecoverByCodes,
    /// What a search may find is reached by a walk where its condition is a pattern.
    WalkToWhatIsSearched,
    /// A search that compares everything finds no more than a limit lets through.
    SearchOnlyWhatIsKept,
    /// Matches of which only the number is asked are counted without a row for each.
    CountWalksAtOnce,
    /// Conditions on two nodes of such matches, and what need not be there, are counted with them.
    CountAcrossNodes,
    /// Whether something is found from a node of such matches, and how often, is told of all nodes at once.
    CountWhereSomethingHangs,
    /// Sums, extremes and averages over such matches are made of how often each node is met.
    SumOverCounts,
    /// The shortest ways between two known nodes are looked for from both.
    SearchFromBothEnds,
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
        Rule::OrderByCost,
        "what is found first is walked from by all that follows: a bad order multiplies, and counts tell which one is",
    ),
    (
        Rule::LevelFromHierarchy,
        "a hierarchy keeps the members of each level as a set: to ask every node for its level reads all of them",
    ),
    (
        Rule::SortOnlyWhatIsKept,
        "with a limit the other rows need no place",
    ),
    (
        Rule::SortOnce,
        "sorting keeps equal rows as they came, so to sort what is sorted already changes nothing",
    ),
    (
        Rule::DistinctOnce,
        "groups differ in what they are grouped by, and there is nothing else in the row that could be equal twice",
    ),
    (
        Rule::ComputeOnlyWhatIsKept,
        "a column of a row that is cut off is read for nobody",
    ),
    (
        Rule::ExpandOnlyWhatIsKept,
        "a node may have a million relationships, of which a limit lets ten through",
    ),
    (
        Rule::CountByDegree,
        "the store keeps how many relationships of a type a node has, in one key",
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
        Rule::SearchOnlyWhatIsKept,
        "the best ten of the best thousand are the best ten, and all that is compared is held against the worst of these",
    ),
    (
        Rule::CountWalksAtOnce,
        "how many ways go on from a node is the length of its row: a count needs no row for each match, and most \
         nodes are met more than once",
    ),
    (
        Rule::CountAcrossNodes,
        "how many of a row are not alike is all less those that are, and what need not be there is a factor: neither \
         needs a row for each match",
    ),
    (
        Rule::CountWhereSomethingHangs,
        "whether there is something over a link is a sum over a row, one or nothing: to ask it of each match is to ask \
         the same node again and again",
    ),
    (
        Rule::SumOverCounts,
        "a node that is met a thousand times adds its number a thousand times: one product, and the number is read once",
    ),
    (
        Rule::SearchFromBothEnds,
        "what is so many steps away grows with each step by as much again: two searches of half the way meet few nodes, \
         and the end that leads to less goes on",
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
    /// How many relationships of a type leave nodes with a label.
    fn leaving(&self, label: &str, of: &str) -> u64;
    /// How many relationships of a type reach nodes with a label.
    fn reaching(&self, label: &str, of: &str) -> u64;
    /// How many members a hierarchy has; none if there is no such hierarchy.
    fn members(&self, hierarchy: &str) -> Option<u64>;
    /// How many entries an index has.
    fn entries(&self, index: &IndexDef) -> u64;
    /// How many entities an index finds for one value, on average.
    fn found_by(&self, index: &IndexDef) -> u64;
}

/// Makes a plan.
pub(crate) fn plan(bound: Bound, statistics: &dyn Statistics, rules: Rules) -> Plan {
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
    rules: Rules,
}

impl Planner<'_> {
    /// Whether a rule is applied.
    pub(super) fn follows(&self, rule: Rule) -> bool {
        self.rules.has(rule)
    }
}

/// Operators that nothing changes any more.
type Ops = Arc<[Op]>;
