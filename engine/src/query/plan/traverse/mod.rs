//! `TRAVERSE`: what the binder makes of it, and what the planner decides about it.
//!
//! The same struct stands for both: patterns are [`Pattern`]s at first, and operators then.
//!
//! Next: `planning.rs`, then `exec/flat/traverse/mod.rs`.

mod planning;
mod whole_levels;

use super::{Arrow, BoundClause, Pattern, TypeNames};
use crate::query::expr::{Expr, Slot, Span};
use crate::query::functions::HostFunction;
use std::sync::Arc;

/// A traversal, level by level.
#[derive(Clone, Debug)]
pub(crate) struct Traverse<P> {
    pub(crate) roots: Roots<P>,
    /// Whether all roots are admitted.
    pub(crate) unfiltered: bool,
    pub(crate) step: Step<P>,
    pub(crate) first_level: Option<Expr>,
    pub(crate) last_level: Option<Expr>,
    /// Gets the number of the level that is being looked at.
    pub(crate) level: Slot,
    /// Gets the score of the candidate that is being looked at.
    pub(crate) score: Slot,
    pub(crate) scored: Option<Scored>,
    pub(crate) keep: Keep,
    pub(crate) recover: Option<Recover<P>>,
    /// Whether rows are given of all candidates, not only of those that are admitted.
    pub(crate) candidates: bool,
    pub(crate) budget: Option<Budget>,
    /// Which columns go into which slots.
    pub(crate) yields: Vec<(TraverseColumn, Slot)>,
    pub(crate) span: Span,
}

/// Where it begins.
#[derive(Clone, Debug)]
pub(crate) enum Roots<P> {
    /// At every match of a pattern.
    Matches { pattern: P, node: Slot },
    /// At a node, or at the nodes of a list. Null gives no rows.
    Value(Expr),
}

/// How it goes from one level to the next.
#[derive(Clone, Debug)]
pub(crate) struct Step<P> {
    /// The node that it leaves, which is filled.
    pub(crate) from: Slot,
    /// What it passes through. The last node is the candidate.
    pub(crate) hops: Vec<Hop>,
    pub(crate) pattern: P,
    /// How it can be walked without rows, if it can.
    pub(crate) direct: Option<DirectStep>,
}

/// A relationship of a step, and the node behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hop {
    pub(crate) relationship: Slot,
    pub(crate) node: Slot,
}

/// A step along one relationship to a node with a label.
#[derive(Clone, Debug)]
pub(crate) struct DirectStep {
    pub(crate) arrow: Arrow,
    pub(crate) types: TypeNames,
    pub(crate) label: Option<Arc<str>>,
}

/// How candidates are scored.
#[derive(Clone, Debug)]
pub(crate) struct Scored {
    pub(crate) expr: Expr,
    /// Whether the score depends on the way to the candidate.
    pub(crate) sees_way: bool,
    /// How a whole level can be scored at once, if it can.
    pub(crate) at_once: Option<AtOnce>,
    /// Whether codes of an index may rule out members that RECOVER does not keep.
    pub(crate) by_codes: bool,
}

/// How the candidates of a level are scored at once.
#[derive(Clone, Debug)]
pub(crate) enum AtOnce {
    /// By how like a property is to a vector that is the same for all.
    Likeness {
        function: &'static str,
        property: Arc<str>,
        to: Expr,
    },
    /// By a function of the host that takes columns.
    Batch {
        function: Arc<HostFunction>,
        arguments: Vec<Expr>,
    },
}

/// `KEEP`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keep {
    pub(crate) top: Option<Expr>,
    pub(crate) per_parent: bool,
    pub(crate) filter: Option<Expr>,
    /// Whether the condition depends on the way to the candidate.
    pub(crate) sees_way: bool,
    /// The threshold that the condition is, if it is one, and whether it counts itself.
    pub(crate) threshold: Option<(Expr, bool)>,
}

/// `RECOVER`.
#[derive(Clone, Debug)]
pub(crate) struct Recover<P> {
    pub(crate) pattern: P,
    pub(crate) node: Slot,
    /// Where its members are, if they are a level of a hierarchy.
    pub(crate) level_of: Option<LevelOf>,
    /// How its members are scored if not as candidates are.
    pub(crate) scored: Option<Scored>,
    pub(crate) keep: Keep,
}

/// The members of one level of a hierarchy.
#[derive(Clone, Debug)]
pub(crate) struct LevelOf {
    pub(crate) hierarchy: Arc<str>,
    pub(crate) label: Option<Arc<str>>,
}

/// `BUDGET`.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    pub(crate) limit: Expr,
    pub(crate) unit: BudgetUnit,
    /// Whether it ends at the limit instead of failing.
    pub(crate) stops: bool,
}

pub(crate) use crate::algo::traverse::BudgetUnit;

/// A column of a traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraverseColumn {
    Node,
    Level,
    Score,
    Status,
    Parent,
    Edge,
    Path,
    Roots,
    Rank,
}

impl TraverseColumn {
    /// All columns, by name.
    pub(crate) const ALL: &'static [(&'static str, Self)] = &[
        ("node", Self::Node),
        ("level", Self::Level),
        ("score", Self::Score),
        ("status", Self::Status),
        ("parent", Self::Parent),
        ("edge", Self::Edge),
        ("path", Self::Path),
        ("roots", Self::Roots),
        ("rank", Self::Rank),
    ];
}

/// The clause as it was bound.
#[derive(Clone, Debug)]
pub(crate) struct BoundTraverse {
    pub(crate) traverse: Traverse<Pattern>,
    pub(crate) optional: bool,
    /// The `WHERE` of its `YIELD`.
    pub(crate) filter: Option<Expr>,
}

impl<P> Step<P> {
    /// The slot of the candidate.
    pub(crate) fn to(&self) -> Slot {
        self.hops.last().map_or(self.from, |hop| hop.node)
    }

    /// The slots that say on which way a candidate was reached.
    pub(crate) fn way(&self) -> impl Iterator<Item = Slot> {
        let to = self.to();
        let passed = { &self.hops }
            .iter()
            .flat_map(|hop| [hop.relationship, hop.node]);
        [self.from]
            .into_iter()
            .chain(passed)
            .filter(move |slot| *slot != to)
    }
}

impl From<BoundTraverse> for BoundClause {
    fn from(bound: BoundTraverse) -> Self {
        Self::Traverse(Box::new(bound))
    }
}
