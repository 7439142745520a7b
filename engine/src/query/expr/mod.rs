//! Expressions over slots: what the binder makes and the executor computes.
//!
//! A statement has one row layout: every variable of every clause, also those of comprehensions and
//! subqueries, is a slot of its own. Whatever is computed gets the whole row.
//!
//! Next: `walk.rs`, then `exec/eval/`.

mod same;
mod walk;

use crate::query::functions::{Function, HostFunction};
use crate::query::plan::{BoundQuery, Degree, Op};
use crate::query::types::Types;
use crate::value::Value;
use std::sync::Arc;
pub(crate) use stratigraph_query_lang::Span;
pub(crate) use stratigraph_query_lang::ast::{
    ArithmeticOperator, ComparisonOperator, ListQuantifier, PredicateOperator,
};

/// A place in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Slot(pub(crate) u32);

impl Slot {
    /// Where in the row.
    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

/// An expression, where it stands in the text, and which types its value may have.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    pub(crate) types: Types,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    /// A value that is known.
    Constant(Value),
    /// A variable.
    Slot(Slot),
    /// A parameter, by its number among the statement's parameters.
    Parameter(u32),
    /// `[a, b]`.
    List(Vec<Expr>),
    /// `{key: value}`.
    Map(Vec<(Arc<str>, Expr)>),
    /// Three-valued `OR`.
    Or(Vec<Expr>),
    /// Three-valued `XOR`.
    Xor(Vec<Expr>),
    /// Three-valued `AND`.
    And(Vec<Expr>),
    /// Three-valued `NOT`.
    Not(Box<Expr>),
    /// `a < b <= c`: the conjunction of neighbours.
    Comparison {
        first: Box<Expr>,
        rest: Vec<(ComparisonOperator, Expr)>,
    },
    /// `a + b - c`, from left to right.
    Arithmetic {
        first: Box<Expr>,
        rest: Vec<(ArithmeticOperator, Expr)>,
    },
    /// `-a`.
    Negate(Box<Expr>),
    /// `+a`.
    Plus(Box<Expr>),
    /// `a IN b` and its kin.
    Predicate {
        left: Box<Expr>,
        operator: PredicateOperator,
        right: Box<Expr>,
    },
    /// `a IS [NOT] NULL`.
    IsNull { of: Box<Expr>, negated: bool },
    /// `a:Label`, for nodes and relationships; null of null.
    HasLabels { of: Box<Expr>, labels: Labels },
    /// `a.key`: of a node, a relationship, a map, a temporal value; null of null.
    Property { of: Box<Expr>, key: Arc<str> },
    /// `a[index]`.
    Index { of: Box<Expr>, index: Box<Expr> },
    /// `a[from..to]`.
    Slice {
        of: Box<Expr>,
        from: Option<Box<Expr>>,
        to: Option<Box<Expr>>,
    },
    /// A function.
    Call {
        function: FunctionOf,
        arguments: Vec<Expr>,
    },
    /// `CASE`; with a subject the conditions are values to be equal to it.
    Case {
        subject: Option<Box<Expr>>,
        arms: Vec<(Vec<Expr>, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    /// `[x IN list WHERE filter | result]`.
    ListComprehension {
        element: Slot,
        list: Box<Expr>,
        filter: Option<Box<Expr>>,
        result: Option<Box<Expr>>,
    },
    /// `all(x IN list WHERE predicate)`.
    Quantified {
        kind: ListQuantifier,
        element: Slot,
        list: Box<Expr>,
        predicate: Box<Expr>,
    },
    /// `reduce(accumulator = initial, element IN list | result)`.
    Reduce {
        accumulator: Slot,
        initial: Box<Expr>,
        element: Slot,
        list: Box<Expr>,
        result: Box<Expr>,
    },
    /// `n {.name, .*, key: value}`: null of null.
    MapProjection {
        of: Box<Expr>,
        items: Vec<Projected>,
    },
    /// `EXISTS`, `COUNT`, `COLLECT`, pattern predicates and comprehensions.
    Subquery { kind: SubqueryKind, body: Body },
    /// The path from `start` along `steps`.
    Path { start: Slot, steps: Vec<PathStep> },
}

/// Which function is called.
#[derive(Clone)]
pub(crate) enum FunctionOf {
    /// One of the engine's.
    Engine(&'static Function),
    /// One of the host's.
    Host(Arc<HostFunction>),
}

impl std::fmt::Debug for FunctionOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Engine(function) => f.write_str(function.name),
            Self::Host(function) => f.write_str(function.name()),
        }
    }
}

/// What a subquery in an expression gives.
#[derive(Clone, Debug)]
pub(crate) enum SubqueryKind {
    /// Whether there is a row.
    Exists,
    /// How many rows there are.
    Count,
    /// This of every row, as a list.
    Collect(Box<Expr>),
}

/// A subquery before and after planning. It runs on a copy of the row around it.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// As it was bound.
    Bound(Box<BoundBody>),
    /// As it runs.
    Planned {
        ops: Arc<[Op]>,
        /// What answers it without running, if something does.
        degree: Option<Degree>,
    },
}

/// A subquery as it was bound.
#[derive(Clone, Debug)]
pub(crate) struct BoundBody {
    pub(crate) query: BoundQuery,
    /// The slots of the variables around it.
    pub(crate) sees: Vec<Slot>,
}

/// What a map projection takes over.
#[derive(Clone, Debug)]
pub(crate) enum Projected {
    /// `.key`.
    Property(Arc<str>),
    /// `.*`.
    All,
    /// `key: value`, and variables.
    Entry(Arc<str>, Expr),
}

/// How a path goes on. Each relationship's other end is the next node.
#[derive(Clone, Debug)]
pub(crate) enum PathStep {
    /// Along one relationship.
    One(Slot),
    /// Along a list of them.
    Many(Slot),
    /// Along the first of each of these lists, then along the second of each, and so on: the rounds of a
    /// quantified pattern. A list may hold lists, where relationships of variable length are repeated.
    Rounds(Vec<Slot>),
}

/// Which labels, or which types.
#[derive(Clone, Debug)]
pub(crate) enum Labels {
    /// This one.
    Name(Arc<str>),
    /// All of a list of strings, or one string.
    Dynamic(Box<Expr>),
    /// Any at all.
    Any,
    /// Not these.
    Not(Box<Labels>),
    /// All of these.
    And(Vec<Labels>),
    /// At least one of these.
    Or(Vec<Labels>),
}
