//! Statements and the clauses that they are made of.
//!
//! Next: `search.rs`.

use super::{
    Create, Delete, Expression, Foreach, GraphPattern, Identifier, Merge, Remove, SchemaCommand,
    Search, Set, Traverse,
};
use crate::span::Span;

/// One statement: what stands between two `;`.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Whether to run it, or to tell how it would be run.
    pub mode: Mode,
    /// What it says.
    pub body: Body,
    /// Its place.
    pub span: Span,
}

/// What to do with a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Run it.
    Run,
    /// `EXPLAIN`: show the plan and run nothing.
    Explain,
    /// `PROFILE`: run it and show the plan with what it cost.
    Profile,
}

/// What a statement is about.
#[derive(Clone, Debug)]
pub enum Body {
    /// The graph.
    Query(Query),
    /// Indexes, constraints and hierarchies.
    Schema(SchemaCommand),
}

/// Single queries, united.
#[derive(Clone, Debug)]
pub struct Query {
    /// The queries, at least one.
    pub parts: Vec<SingleQuery>,
    /// What stands between them, one less.
    pub unions: Vec<Union>,
    /// Its place.
    pub span: Span,
}

/// `UNION` between two queries.
#[derive(Clone, Copy, Debug)]
pub struct Union {
    /// Whether equal rows stay: `UNION ALL`.
    pub all: bool,
    /// Its place.
    pub span: Span,
}

/// Clauses, one after the other.
#[derive(Clone, Debug)]
pub struct SingleQuery {
    /// The clauses, at least one.
    pub clauses: Vec<Clause>,
    /// Its place.
    pub span: Span,
}

/// One clause.
#[derive(Clone, Debug)]
pub enum Clause {
    /// `MATCH`, `OPTIONAL MATCH`.
    Match(Match),
    /// `TRAVERSE`, `OPTIONAL TRAVERSE`.
    Traverse(Box<Traverse>),
    /// `UNWIND`.
    Unwind(Unwind),
    /// `WITH`.
    With(Projection),
    /// `RETURN`.
    Return(Projection),
    /// `FINISH`: no rows.
    Finish(Span),
    /// `CREATE`.
    Create(Create),
    /// `MERGE`.
    Merge(Merge),
    /// `SET`.
    Set(Set),
    /// `REMOVE`.
    Remove(Remove),
    /// `DELETE`, `DETACH DELETE`.
    Delete(Delete),
    /// `FOREACH`.
    Foreach(Foreach),
    /// `CALL` of a procedure.
    Call(ProcedureCall),
    /// `CALL { ... }`.
    Subquery(CallSubquery),
    /// `SHOW INDEXES` and its kin, with what they yield.
    Show(Show),
}

impl Clause {
    /// Whether the clause itself changes the graph. Of those that hold or call others, nothing is said here.
    #[must_use]
    pub fn writes(&self) -> bool {
        match self {
            Self::Create(_)
            | Self::Merge(_)
            | Self::Set(_)
            | Self::Remove(_)
            | Self::Delete(_)
            | Self::Foreach(_) => true,
            Self::Match(_)
            | Self::Traverse(_)
            | Self::Unwind(_)
            | Self::With(_)
            | Self::Return(_)
            | Self::Finish(_)
            | Self::Call(_)
            | Self::Subquery(_)
            | Self::Show(_) => false,
        }
    }

    /// Its place.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Match(clause) => clause.span,
            Self::Traverse(clause) => clause.span,
            Self::Unwind(clause) => clause.span,
            Self::With(clause) | Self::Return(clause) => clause.span,
            Self::Finish(span) => *span,
            Self::Create(clause) => clause.span,
            Self::Merge(clause) => clause.span,
            Self::Set(clause) => clause.span,
            Self::Remove(clause) => clause.span,
            Self::Delete(clause) => clause.span,
            Self::Foreach(clause) => clause.span,
            Self::Call(clause) => clause.span,
            Self::Subquery(clause) => clause.span,
            Self::Show(clause) => clause.span,
        }
    }
}

/// `[OPTIONAL] MATCH pattern [SEARCH ...] [WHERE filter]`.
#[derive(Clone, Debug)]
pub struct Match {
    /// Whether a row without a match goes on with nulls.
    pub optional: bool,
    /// What is matched.
    pub pattern: GraphPattern,
    /// `SEARCH`, before or after `WHERE`.
    pub search: Option<Box<Search>>,
    /// `WHERE`: looked at when something is found.
    pub filter: Option<Expression>,
    /// Its place.
    pub span: Span,
}

/// `UNWIND list AS variable`.
#[derive(Clone, Debug)]
pub struct Unwind {
    /// The list.
    pub list: Expression,
    /// What each element is called.
    pub variable: Identifier,
    /// Its place.
    pub span: Span,
}

/// What `WITH` and `RETURN` have in common.
#[derive(Clone, Debug)]
pub struct Projection {
    /// `DISTINCT`.
    pub distinct: bool,
    /// The place of `*`, if it is there; items may follow it.
    pub all: Option<Span>,
    /// The items.
    pub items: Vec<ProjectionItem>,
    /// `ORDER BY`; empty if absent.
    pub order: Vec<SortItem>,
    /// `SKIP` or `OFFSET`.
    pub skip: Option<Expression>,
    /// `LIMIT`.
    pub limit: Option<Expression>,
    /// `WHERE`, only after `WITH`.
    pub filter: Option<Expression>,
    /// Its place.
    pub span: Span,
}

/// `expression [AS alias]`.
#[derive(Clone, Debug)]
pub struct ProjectionItem {
    /// What is projected. Without an alias the column is called as this stands in the text; here, unlike
    /// elsewhere, the place has the parentheses around it.
    pub expression: Expression,
    /// `AS alias`.
    pub alias: Option<Identifier>,
}

/// `expression [ASC | DESC]`.
#[derive(Clone, Debug)]
pub struct SortItem {
    /// What is sorted by.
    pub expression: Expression,
    /// Whether the greatest comes first.
    pub descending: bool,
}

/// `[OPTIONAL] CALL name[(arguments)] [YIELD ...]`.
#[derive(Clone, Debug)]
pub struct ProcedureCall {
    /// Whether a row for which it gives nothing goes on with nulls.
    pub optional: bool,
    /// The name, namespaces first.
    pub name: Vec<Identifier>,
    /// The arguments; without parentheses they come from parameters of the same names.
    pub arguments: Option<Vec<Expression>>,
    /// `YIELD`.
    pub yields: Option<Yield>,
    /// Its place.
    pub span: Span,
}

impl ProcedureCall {
    /// The name as it is written, with its dots, and its place.
    #[must_use]
    pub fn full_name(&self) -> (String, Span) {
        full_name(&self.name)
    }
}

/// A name of several parts with dots between them, and its place.
pub(super) fn full_name(parts: &[Identifier]) -> (String, Span) {
    let names: Vec<&str> = parts.iter().map(|part| &*part.name).collect();
    let span = match (parts.first(), parts.last()) {
        (Some(first), Some(last)) => first.span.to(last.span),
        _ => Span::default(),
    };
    (names.join("."), span)
}

/// `YIELD * | column [AS variable], ... [WHERE filter]`.
#[derive(Clone, Debug)]
pub struct Yield {
    /// The place of `*`, if that is what it says.
    pub all: Option<Span>,
    /// The columns.
    pub items: Vec<YieldItem>,
    /// `ORDER BY`, only after `SHOW`.
    pub order: Vec<SortItem>,
    /// `SKIP`, only after `SHOW`.
    pub skip: Option<Expression>,
    /// `LIMIT`, only after `SHOW`.
    pub limit: Option<Expression>,
    /// `WHERE`.
    pub filter: Option<Expression>,
    /// Its place.
    pub span: Span,
}

/// `column [AS variable]`.
#[derive(Clone, Debug)]
pub struct YieldItem {
    /// The column.
    pub column: Identifier,
    /// What it is called from here on.
    pub alias: Option<Identifier>,
    /// Its place.
    pub span: Span,
}

/// `[OPTIONAL] CALL [(imports)] { query } [IN TRANSACTIONS ...]`.
#[derive(Clone, Debug)]
pub struct CallSubquery {
    /// Whether a row for which it gives nothing goes on with nulls.
    pub optional: bool,
    /// The variables that it may see.
    pub imports: Imports,
    /// The query.
    pub query: Query,
    /// `IN TRANSACTIONS`.
    pub transactions: Option<InTransactions>,
    /// Its place.
    pub span: Span,
}

/// Which variables a subquery sees.
#[derive(Clone, Debug)]
pub enum Imports {
    /// Without a list: those that its leading `WITH` names.
    Leading,
    /// `(*)`.
    All(Span),
    /// `(a, b)`, or none of them: `()`.
    Named(Vec<Identifier>),
}

/// `IN TRANSACTIONS [OF n ROWS] [ON ERROR ...] [REPORT STATUS AS s]`.
#[derive(Clone, Debug)]
pub struct InTransactions {
    /// How many rows make a transaction.
    pub rows: Option<Expression>,
    /// What to do when one fails.
    pub on_error: OnError,
    /// What the status is called.
    pub report: Option<Identifier>,
    /// Its place.
    pub span: Span,
}

/// What happens after a transaction of a subquery has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// `FAIL`: the query fails.
    Fail,
    /// `CONTINUE`: go on with the next.
    Continue,
    /// `BREAK`: do no more of them.
    Break,
}

/// `SHOW what [YIELD ...] [WHERE ...]`.
#[derive(Clone, Debug)]
pub struct Show {
    /// What is shown.
    pub what: Shown,
    /// `YIELD`.
    pub yields: Option<Yield>,
    /// `WHERE` without `YIELD`.
    pub filter: Option<Expression>,
    /// Its place.
    pub span: Span,
}

/// What can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// `INDEXES`: all of them.
    Indexes,
    /// `VECTOR INDEXES`.
    VectorIndexes,
    /// `FULLTEXT INDEXES`.
    FulltextIndexes,
    /// `RANGE INDEXES`.
    RangeIndexes,
    /// `CONSTRAINTS`.
    Constraints,
    /// `HIERARCHIES`.
    Hierarchies,
    /// `FUNCTIONS`.
    Functions,
    /// `PROCEDURES`.
    Procedures,
}
