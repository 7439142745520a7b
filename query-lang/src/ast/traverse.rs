//! `TRAVERSE`: level by level, of each level only the best.
//!
//! Next: `write.rs`.

use super::{Expression, Identifier, NodePattern, PathPattern, YieldItem};
use crate::span::Span;

/// `[OPTIONAL] TRAVERSE FROM roots [UNFILTERED] STEP step ... YIELD items [WHERE filter]`.
#[derive(Clone, Debug)]
pub struct Traverse {
    /// Whether a row for which it gives nothing goes on with nulls.
    pub optional: bool,
    /// `FROM`: where it begins.
    pub roots: Roots,
    /// `UNFILTERED`: the roots are kept, whatever `KEEP` says.
    pub unfiltered: Option<Span>,
    /// `STEP`: nodes with one relationship of one step between two, and nothing else; at least one
    /// relationship. The first node is a kept one, the last a candidate of the next level.
    pub step: PathPattern,
    /// `LEVELS`.
    pub levels: Option<Levels>,
    /// `SCORE`.
    pub score: Option<Score>,
    /// `KEEP`.
    pub keep: Option<Keep>,
    /// `RECOVER`; the levels have an upper end then.
    pub recover: Option<Recover>,
    /// `EMIT`.
    pub emit: Option<Emit>,
    /// `BUDGET`.
    pub budget: Option<Budget>,
    /// `YIELD`: the columns, at least one.
    pub yields: Vec<YieldItem>,
    /// `WHERE` after them.
    pub filter: Option<Expression>,
    /// Its place.
    pub span: Span,
}

/// Where a traversal begins.
#[derive(Clone, Debug)]
pub enum Roots {
    /// `(n:Label {key: value})`: all nodes that it matches.
    Pattern(NodePattern),
    /// A node, or a list of nodes.
    Value(Expression),
}

impl Roots {
    /// Their place.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Pattern(node) => node.span,
            Self::Value(value) => value.span,
        }
    }
}

/// `LEVELS [from]..[to] [AS variable]`.
#[derive(Clone, Debug)]
pub struct Levels {
    /// The first level that is given, a whole number or a parameter; 0 if not said.
    pub from: Option<Expression>,
    /// The last level, a whole number or a parameter; as many as there are if not said.
    pub to: Option<Expression>,
    /// What the number of the level is called; `level` if not said.
    pub alias: Option<Identifier>,
    /// Its place.
    pub span: Span,
}

/// `SCORE expression [AS variable]`.
#[derive(Clone, Debug)]
pub struct Score {
    /// The score of a candidate.
    pub expression: Expression,
    /// What it is called; `score` if not said.
    pub alias: Option<Identifier>,
    /// Its place.
    pub span: Span,
}

/// `KEEP TOP count [PER PARENT] [WHERE filter]`, `KEEP WHERE filter`: at least one of the two.
#[derive(Clone, Debug)]
pub struct Keep {
    /// `TOP`.
    pub top: Option<Top>,
    /// `WHERE`: it comes before `TOP`.
    pub filter: Option<Expression>,
    /// Its place.
    pub span: Span,
}

/// `TOP count [PER PARENT]`.
#[derive(Clone, Debug)]
pub struct Top {
    /// How many.
    pub count: Expression,
    /// `PER PARENT`: as many for each parent, rather than for the level; never in `RECOVER`.
    pub per_parent: Option<Span>,
    /// Its place.
    pub span: Span,
}

/// `RECOVER (node) [SCORE score] KEEP ...`.
#[derive(Clone, Debug)]
pub struct Recover {
    /// What is looked for on each level.
    pub node: NodePattern,
    /// `SCORE`; that of the traversal if not said.
    pub score: Option<Expression>,
    /// `KEEP`.
    pub keep: Keep,
    /// Its place.
    pub span: Span,
}

/// `EMIT KEPT`, `EMIT CANDIDATES`.
#[derive(Clone, Copy, Debug)]
pub struct Emit {
    /// What is given.
    pub what: Emitted,
    /// Its place.
    pub span: Span,
}

/// What a traversal gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emitted {
    /// What was kept or recovered; if nothing is said too.
    Kept,
    /// All that was looked at.
    Candidates,
}

/// `BUDGET limit unit [ON EXCEED ...]`.
#[derive(Clone, Debug)]
pub struct Budget {
    /// How much.
    pub limit: Expression,
    /// Of what.
    pub unit: BudgetUnit,
    /// What happens when it is not enough.
    pub on_exceed: OnExceed,
    /// Its place.
    pub span: Span,
}

/// What a budget counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetUnit {
    /// `NODES`.
    Nodes,
    /// `EDGES`.
    Edges,
    /// `MILLISECONDS`.
    Milliseconds,
}

/// What happens when a budget is not enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnExceed {
    /// `ERROR`: the query fails; if nothing is said too.
    Error,
    /// `STOP`: the levels that are complete are given.
    Stop,
}
