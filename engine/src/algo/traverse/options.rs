//! What a TRAVERSE may be told: levels, KEEP, RECOVER, BUDGET, EMIT, and which columns to return.
//!
//! These are plain values; what they mean is in `verdict.rs`, `recover.rs` and `stepper.rs`. Whether
//! they fit together is checked when the traversal starts, not here.

use super::scorer::{ArrivalView, Scorer};
use crate::value::NodeId;
use std::fmt;

/// One candidate with its score, as a KEEP WHERE sees it.
#[derive(Clone, Copy, Debug)]
pub struct Considered<'a> {
    /// The node.
    pub node: NodeId,
    /// Its score; nothing is null.
    pub score: Option<f64>,
    /// The level.
    pub level: u32,
    /// Its best arrival: none for roots, for recovered nodes, and where none was asked for.
    pub arrival: Option<ArrivalView<'a>>,
}

/// A test in three-valued logic: only `Some(true)` lets a node pass.
pub type Test<'a, E> = Box<dyn FnMut(&Considered<'_>) -> Result<Option<bool>, E> + 'a>;

/// The WHERE of a KEEP.
pub enum Where<'a, E> {
    /// No WHERE: everything passes, also a null score.
    Always,
    /// `score > threshold`.
    Above(f64),
    /// `score >= threshold`.
    AtLeast(f64),
    /// Any condition over node, score and level.
    Node(Test<'a, E>),
    /// Any condition that also looks at the best arrival, which must then be found out.
    Arrival(Test<'a, E>),
}

impl<E> Where<'_, E> {
    pub(super) fn sees_arrivals(&self) -> bool {
        matches!(self, Self::Arrival(_))
    }

    /// Whether the node passes.
    #[inline]
    pub(super) fn passes(&mut self, considered: &Considered<'_>) -> Result<bool, E> {
        Ok(match self {
            Self::Always => true,
            Self::Above(threshold) => considered.score.is_some_and(|score| score > *threshold),
            Self::AtLeast(threshold) => considered.score.is_some_and(|score| score >= *threshold),
            Self::Node(test) | Self::Arrival(test) => test(considered)? == Some(true),
        })
    }
}

impl<E> fmt::Debug for Where<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => f.write_str("Always"),
            Self::Above(threshold) => write!(f, "Above({threshold})"),
            Self::AtLeast(threshold) => write!(f, "AtLeast({threshold})"),
            Self::Node(_) => f.write_str("Node(..)"),
            Self::Arrival(_) => f.write_str("Arrival(..)"),
        }
    }
}

/// KEEP: which candidates of a level are admitted.
pub struct Keep<'a, E> {
    pub(super) top: Option<usize>,
    pub(super) per_parent: bool,
    pub(super) condition: Where<'a, E>,
}

impl<'a, E> Keep<'a, E> {
    /// All candidates.
    #[must_use]
    pub fn all() -> Self {
        Self {
            top: None,
            per_parent: false,
            condition: Where::Always,
        }
    }

    /// TOP k: of those that pass the WHERE, the `count` best of the level; null scores never.
    #[must_use]
    pub fn top(mut self, count: usize) -> Self {
        self.top = Some(count);
        self
    }

    /// PER PARENT: TOP counts within each parent, and who is in any parent's TOP is kept.
    #[must_use]
    pub fn per_parent(mut self) -> Self {
        self.per_parent = true;
        self
    }

    /// WHERE.
    #[must_use]
    pub fn only(mut self, condition: Where<'a, E>) -> Self {
        self.condition = condition;
        self
    }
}

impl<E> fmt::Debug for Keep<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keep")
            .field("top", &self.top)
            .field("per_parent", &self.per_parent)
            .field("condition", &self.condition)
            .finish()
    }
}

/// The nodes that RECOVER looks at, level by level.
pub trait Members<E> {
    /// Puts every match of the RECOVER pattern at this level into the list, in any order.
    ///
    /// # Errors
    ///
    /// Whatever the source of the nodes fails with.
    fn members(&mut self, level: u32, into: &mut Vec<NodeId>) -> Result<(), E>;

    /// The last level that has members, if it is known: behind it the traversal ends as soon as no
    /// candidate is left. It is asked once, at the start.
    ///
    /// # Errors
    ///
    /// As for [`members`](Self::members).
    fn last_level(&mut self) -> Result<Option<u32>, E> {
        Ok(None)
    }
}

impl<E, F: FnMut(u32, &mut Vec<NodeId>) -> Result<(), E>> Members<E> for F {
    fn members(&mut self, level: u32, into: &mut Vec<NodeId>) -> Result<(), E> {
        self(level, into)
    }
}

/// RECOVER: nodes of a level that the steps did not reach, or that KEEP refused.
pub struct Recover<'a, E> {
    pub(super) members: Box<dyn Members<E> + 'a>,
    pub(super) scorer: Option<Box<dyn Scorer<E> + 'a>>,
    pub(super) keep: Keep<'a, E>,
}

impl<'a, E> Recover<'a, E> {
    /// Takes of the members of each level what this KEEP admits; PER PARENT has no meaning here.
    #[must_use]
    pub fn new(members: impl Members<E> + 'a, keep: Keep<'a, E>) -> Self {
        Self {
            members: Box::new(members),
            scorer: None,
            keep,
        }
    }

    /// SCORE of its own. Without one, the scorer of the traversal is used.
    #[must_use]
    pub fn scorer(mut self, scorer: impl Scorer<E> + 'a) -> Self {
        self.scorer = Some(Box::new(scorer));
        self
    }
}

impl<E> fmt::Debug for Recover<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recover")
            .field("own_scorer", &self.scorer.is_some())
            .field("keep", &self.keep)
            .finish_non_exhaustive()
    }
}

/// LEVELS first..last: rows of earlier levels are not returned, later levels are not visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// The first level that returns rows.
    pub first: u32,
    /// The last level; nothing means until no candidate is left.
    pub last: Option<u32>,
}

/// What a budget counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetUnit {
    /// Candidates of all levels; a node that comes back counts again. Members of RECOVER do not.
    Nodes,
    /// Arrivals read, also those at nodes that are already admitted, and also those that turn out
    /// to lead to nothing new after the last level.
    Edges,
    /// Time since the traversal started. The only unit that does not repeat.
    Milliseconds,
}

/// What happens when a level would exceed the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnExceed {
    /// The traversal fails with [`BudgetExceeded`](super::TraverseError::BudgetExceeded).
    #[default]
    Error,
    /// The levels before it are returned, and the summary says `truncated`.
    Stop,
}

/// BUDGET: checked before a level is scored, and already while its candidates are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// How much is allowed.
    pub limit: u64,
    /// Of what.
    pub unit: BudgetUnit,
    /// And if it is not enough.
    pub on_exceed: OnExceed,
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            BudgetUnit::Nodes => "nodes",
            BudgetUnit::Edges => "edges",
            BudgetUnit::Milliseconds => "milliseconds",
        };
        write!(f, "{} {unit}", self.limit)
    }
}

/// EMIT: which candidates become rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Emit {
    /// What was admitted: kept and recovered.
    #[default]
    Kept,
    /// Every candidate with its status, which answers "why was this not found".
    Candidates,
}

/// The columns that cost something; node, level, score, status and rank are always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Columns {
    /// `parent` and `edge`.
    pub arrivals: bool,
    /// `path`.
    pub paths: bool,
    /// `roots`.
    pub roots: bool,
}
