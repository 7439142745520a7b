//! Patterns of the graph.
//!
//! Next: `expression.rs`.

use super::{Expression, Identifier};
use crate::span::Span;

/// Paths that are matched or created together.
#[derive(Clone, Debug)]
pub struct GraphPattern {
    /// The paths, at least one.
    pub paths: Vec<PathPattern>,
    /// Its place.
    pub span: Span,
}

/// `[variable =] [selector] elements`.
#[derive(Clone, Debug)]
pub struct PathPattern {
    /// What the whole path is called.
    pub variable: Option<Identifier>,
    /// Which of the paths between two ends are wanted.
    pub selector: Option<Selector>,
    /// Nodes, with one relationship between two; groups stand where a relationship may, or next to
    /// nodes and each other: the first and last node of a group are those beside it.
    pub elements: Vec<Element>,
    /// Its place.
    pub span: Span,
}

/// A part of a path.
#[derive(Clone, Debug)]
pub enum Element {
    /// `(n)`.
    Node(NodePattern),
    /// `-[r]->`.
    Relationship(RelationshipPattern),
    /// `((a)-[r]->(b) WHERE ...){1,3}`.
    Group(GroupPattern),
}

impl Element {
    /// Its place.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Node(node) => node.span,
            Self::Relationship(relationship) => relationship.span,
            Self::Group(group) => group.span,
        }
    }
}

/// `(variable:Label {key: value} WHERE filter)`.
#[derive(Clone, Debug)]
pub struct NodePattern {
    /// Its name.
    pub variable: Option<Identifier>,
    /// Its labels.
    pub labels: Option<LabelExpression>,
    /// A map or a parameter.
    pub properties: Option<Expression>,
    /// `WHERE` inside the parentheses.
    pub filter: Option<Expression>,
    /// Its place.
    pub span: Span,
}

/// `-[variable:TYPE *1..3 {key: value} WHERE filter]->{1,3}`.
#[derive(Clone, Debug)]
pub struct RelationshipPattern {
    /// Its name.
    pub variable: Option<Identifier>,
    /// Its type.
    pub types: Option<LabelExpression>,
    /// `*1..3`: the variable is a list then.
    pub length: Option<Length>,
    /// `{1,3}`, `+`, `*` after the arrow: the same, as a quantified pattern.
    pub quantifier: Option<Quantifier>,
    /// A map or a parameter.
    pub properties: Option<Expression>,
    /// `WHERE` inside the brackets.
    pub filter: Option<Expression>,
    /// Which way it leads.
    pub arrow: Arrow,
    /// Its place.
    pub span: Span,
}

/// Which way a relationship leads, as the pattern is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    /// `-->`.
    Right,
    /// `<--`.
    Left,
    /// `--` and `<-->`.
    Either,
}

/// `*`, `*2`, `*1..`, `*..3`, `*1..3`.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// The fewest relationships, 1 if not said.
    pub min: Option<u64>,
    /// The most; none if not said.
    pub max: Option<u64>,
    /// Its place.
    pub span: Span,
}

/// `+`, `*`, `{2}`, `{1,}`, `{,3}`, `{1,3}` after a group or an arrow.
#[derive(Clone, Copy, Debug)]
pub struct Quantifier {
    /// The fewest rounds.
    pub min: u64,
    /// The most; as many as there are if not said.
    pub max: Option<u64>,
    /// Its place.
    pub span: Span,
}

/// `(path WHERE filter){1,3}`.
#[derive(Clone, Debug)]
pub struct GroupPattern {
    /// What is repeated.
    pub path: Box<PathPattern>,
    /// `WHERE` inside the parentheses.
    pub filter: Option<Expression>,
    /// How often; once if not said, and its variables are no lists then.
    pub quantifier: Option<Quantifier>,
    /// Its place.
    pub span: Span,
}

/// Which of the paths between the same two ends are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Selector {
    /// Which of them.
    pub kind: SelectorKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of selectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorKind {
    /// `ALL`: no choice.
    All,
    /// `ANY [k]`.
    Any(u64),
    /// `ANY SHORTEST`, `SHORTEST k`, `shortestPath(...)`: k of them, the shortest first.
    Shortest(u64),
    /// `ALL SHORTEST`, `allShortestPaths(...)`.
    AllShortest,
    /// `SHORTEST k GROUPS`: all of the k smallest lengths.
    ShortestGroups(u64),
}

/// What labels or types something has.
#[derive(Clone, Debug)]
pub struct LabelExpression {
    /// What it says.
    pub kind: LabelExpressionKind,
    /// Its place, the colon left out.
    pub span: Span,
}

/// The kinds of label expressions.
#[derive(Clone, Debug)]
pub enum LabelExpressionKind {
    /// `A`.
    Name(Identifier),
    /// `$(expression)`: all labels of a list, or one.
    Dynamic(Box<Expression>),
    /// `%`: any label at all.
    Any,
    /// `!A`.
    Not(Box<LabelExpression>),
    /// `A&B`, and `:A:B`.
    And(Vec<LabelExpression>),
    /// `A|B`, and `:A|:B`.
    Or(Vec<LabelExpression>),
}
