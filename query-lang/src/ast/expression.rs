//! Expressions.
//!
//! Next: `schema.rs`.

use super::{GraphPattern, Identifier, LabelExpression, PathPattern, Query};
use crate::span::Span;
use std::sync::Arc;

/// An expression and its place.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What it says.
    pub kind: ExpressionKind,
    /// Its place, parentheses around it left out.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// `null`, `1`, `'text'`.
    Literal(Literal),
    /// `$name`.
    Parameter(Arc<str>),
    /// `name`.
    Variable(Arc<str>),
    /// `[a, b]`.
    List(Vec<Expression>),
    /// `{key: value}`.
    Map(Vec<(Identifier, Expression)>),
    /// `a OR b OR c`.
    Or(Vec<Expression>),
    /// `a XOR b XOR c`.
    Xor(Vec<Expression>),
    /// `a AND b AND c`.
    And(Vec<Expression>),
    /// `NOT a`.
    Not(Box<Expression>),
    /// `a < b <= c`: each neighbour with the next.
    Comparison {
        /// The leftmost.
        first: Box<Expression>,
        /// Operators, and what is to the right of each.
        rest: Vec<(ComparisonOperator, Expression)>,
    },
    /// `a + b - c`: operators of one precedence, from left to right.
    Arithmetic {
        /// The leftmost.
        first: Box<Expression>,
        /// Operators, and what is to the right of each.
        rest: Vec<(ArithmeticOperator, Expression)>,
    },
    /// `-a`.
    Negate(Box<Expression>),
    /// `+a`.
    Plus(Box<Expression>),
    /// `a STARTS WITH b`, `a IN b`, `a =~ b`.
    Predicate {
        /// The left one.
        left: Box<Expression>,
        /// Which.
        operator: PredicateOperator,
        /// The right one.
        right: Box<Expression>,
    },
    /// `a IS [NOT] NULL`.
    IsNull {
        /// Of what.
        of: Box<Expression>,
        /// Whether it is `IS NOT NULL`.
        negated: bool,
    },
    /// `a:Label`, also `a IS Label`.
    HasLabels {
        /// Of what.
        of: Box<Expression>,
        /// Which labels.
        labels: LabelExpression,
    },
    /// `a.key`.
    Property {
        /// Of what.
        of: Box<Expression>,
        /// Which.
        key: Identifier,
    },
    /// `a[index]`.
    Index {
        /// Of what.
        of: Box<Expression>,
        /// Which.
        index: Box<Expression>,
    },
    /// `a[from..to]`.
    Slice {
        /// Of what.
        of: Box<Expression>,
        /// The first; from the beginning if not said.
        from: Option<Box<Expression>>,
        /// The first that is left out; to the end if not said.
        to: Option<Box<Expression>>,
    },
    /// `name(arguments)`.
    Call(FunctionCall),
    /// `count(*)`.
    CountAll,
    /// `CASE ... END`.
    Case {
        /// `CASE subject`; without one the conditions are booleans.
        subject: Option<Box<Expression>>,
        /// The arms.
        arms: Vec<CaseArm>,
        /// `ELSE`.
        otherwise: Option<Box<Expression>>,
    },
    /// `[x IN list WHERE filter | result]`.
    ListComprehension {
        /// What each element is called.
        variable: Identifier,
        /// The list.
        list: Box<Expression>,
        /// `WHERE`.
        filter: Option<Box<Expression>>,
        /// What stands after `|`.
        result: Option<Box<Expression>>,
    },
    /// `[path = (a)-->(b) WHERE filter | result]`.
    PatternComprehension {
        /// The path; its variable may be named.
        path: Box<PathPattern>,
        /// `WHERE`.
        filter: Option<Box<Expression>>,
        /// What stands after `|`.
        result: Box<Expression>,
    },
    /// `all(x IN list WHERE predicate)`.
    Quantified {
        /// Which.
        kind: ListQuantifier,
        /// What each element is called.
        variable: Identifier,
        /// The list.
        list: Box<Expression>,
        /// The predicate; the element itself if it is not said.
        predicate: Option<Box<Expression>>,
    },
    /// `reduce(total = 0, x IN list | total + x)`.
    Reduce {
        /// What is carried along.
        accumulator: Identifier,
        /// What it is at first.
        initial: Box<Expression>,
        /// What each element is called.
        variable: Identifier,
        /// The list.
        list: Box<Expression>,
        /// What it becomes.
        result: Box<Expression>,
    },
    /// `n {.name, .*, key: value, other}`.
    MapProjection {
        /// Of what.
        of: Box<Expression>,
        /// What the map gets.
        items: Vec<MapProjectionItem>,
    },
    /// `(a)-->(b)` as a predicate; in `size(...)` and `exists(...)` also.
    Pattern(Box<PathPattern>),
    /// `shortestPath(...)` and `allShortestPaths(...)` as an expression; the path has the selector.
    ShortestPath(Box<PathPattern>),
    /// `EXISTS { ... }`.
    Exists(Box<Subquery>),
    /// `COUNT { ... }`.
    Count(Box<Subquery>),
    /// `COLLECT { ... }`.
    Collect(Box<Subquery>),
}

/// What stands in the braces of `EXISTS`, `COUNT` and `COLLECT`.
#[derive(Clone, Debug)]
pub enum Subquery {
    /// A query.
    Query(Query),
    /// A pattern alone, without `MATCH`.
    Pattern {
        /// The pattern.
        pattern: GraphPattern,
        /// `WHERE`.
        filter: Option<Expression>,
    },
}

/// A value that is written down.
#[derive(Clone, Debug)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true`, `false`.
    Boolean(bool),
    /// A whole number. The smallest of all is written with its minus.
    Integer(i64),
    /// A number with a point or an exponent, `NaN`, `Inf`.
    Float(f64),
    /// Text.
    String(Arc<str>),
}

/// `name([DISTINCT] arguments)`.
#[derive(Clone, Debug)]
pub struct FunctionCall {
    /// The name, namespaces first.
    pub name: Vec<Identifier>,
    /// `DISTINCT`.
    pub distinct: bool,
    /// The arguments.
    pub arguments: Vec<Expression>,
}

impl FunctionCall {
    /// The name as it is written, with its dots, and its place.
    #[must_use]
    pub fn full_name(&self) -> (String, Span) {
        super::clause::full_name(&self.name)
    }
}

/// `WHEN conditions THEN result`.
#[derive(Clone, Debug)]
pub struct CaseArm {
    /// Any of these; more than one only with a subject.
    pub conditions: Vec<Expression>,
    /// The result.
    pub result: Expression,
}

/// What a map projection takes over.
#[derive(Clone, Debug)]
pub enum MapProjectionItem {
    /// `.key`.
    Property(Identifier),
    /// `.*`.
    All(Span),
    /// `key: value`.
    Entry(Identifier, Expression),
    /// `variable`.
    Variable(Identifier),
}

/// `=`, `<>`, `<`, `<=`, `>`, `>=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonOperator {
    /// `=`.
    Equal,
    /// `<>`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
}

impl ComparisonOperator {
    /// The one that says the same with its sides changed.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            Self::Equal | Self::NotEqual => self,
        }
    }
}

/// `+`, `-`, `*`, `/`, `%`, `^`, `||`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArithmeticOperator {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`.
    Divide,
    /// `%`.
    Remainder,
    /// `^`.
    Power,
    /// `||`.
    Concatenate,
}

impl ArithmeticOperator {
    /// How it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Power => "^",
            Self::Concatenate => "||",
        }
    }
}

/// `IN`, `STARTS WITH`, `ENDS WITH`, `CONTAINS`, `=~`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredicateOperator {
    /// `IN`.
    In,
    /// `STARTS WITH`.
    StartsWith,
    /// `ENDS WITH`.
    EndsWith,
    /// `CONTAINS`.
    Contains,
    /// `=~`.
    Matches,
}

/// `all`, `any`, `none`, `single`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListQuantifier {
    /// Every element.
    All,
    /// At least one.
    Any,
    /// None of them.
    None,
    /// Exactly one.
    Single,
}
