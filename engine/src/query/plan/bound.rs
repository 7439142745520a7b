//! What the binder makes: clauses over slots, with nothing decided about how they run.
//!
//! Next: `matching.rs`, which decides.

use super::{
    Aggregate, CallProcedure, CreateItem, InTransactions, RemoveItem, Search, SelectorKind,
    SetItem, SortKey, TypeNames,
};
use crate::query::expr::{Expr, Slot};
use std::sync::Arc;
use stratigraph_query_lang::ast::Arrow;

/// A query: its arms, united.
#[derive(Clone, Debug)]
pub(crate) struct BoundQuery {
    /// The arms, at least one.
    pub(crate) arms: Vec<BoundArm>,
    /// Whether equal rows of the arms become one.
    pub(crate) distinct: bool,
    /// The columns and their slots; none if it gives no rows.
    pub(crate) columns: Vec<(Arc<str>, Slot)>,
}

/// One arm of a query.
#[derive(Clone, Debug)]
pub(crate) struct BoundArm {
    pub(crate) clauses: Vec<BoundClause>,
    /// The slots of its columns.
    pub(crate) returns: Vec<Slot>,
}

/// A clause.
#[derive(Clone, Debug)]
pub(crate) enum BoundClause {
    /// `MATCH`.
    Match(BoundMatch),
    /// `UNWIND`.
    Unwind { list: Expr, into: Slot },
    /// `WITH`, `RETURN`.
    Project(Box<BoundProjection>),
    /// `CREATE`, and the paths that it names.
    Create {
        items: Vec<CreateItem>,
        paths: Vec<(Slot, Expr)>,
    },
    /// `MERGE`.
    Merge(Box<BoundMerge>),
    /// `SET`.
    Set(Vec<SetItem>),
    /// `REMOVE`.
    Remove(Vec<RemoveItem>),
    /// `DELETE`.
    Delete { detach: bool, items: Vec<Expr> },
    /// `FOREACH`.
    Foreach {
        list: Expr,
        into: Slot,
        clauses: Vec<BoundClause>,
    },
    /// `CALL` of a procedure, and the `WHERE` of its `YIELD`.
    Call {
        call: Box<CallProcedure>,
        filter: Option<Expr>,
    },
    /// `CALL { ... }`.
    Subquery(Box<BoundSubquery>),
    /// `FINISH`.
    Finish,
}

/// `MATCH`.
#[derive(Clone, Debug)]
pub(crate) struct BoundMatch {
    pub(crate) optional: bool,
    pub(crate) pattern: Pattern,
    /// The slots that it fills.
    pub(crate) fills: Vec<Slot>,
}

/// What is matched: nodes, links between them, and what must be true of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    /// The nodes, each once, in the order of the text.
    pub(crate) nodes: Vec<Slot>,
    /// The slots that were filled before.
    pub(crate) given: Vec<Slot>,
    pub(crate) links: Vec<Link>,
    /// Conditions: labels, properties, `WHERE`, taken apart at `AND`.
    pub(crate) filters: Vec<Expr>,
    /// Named paths.
    pub(crate) paths: Vec<(Slot, Expr)>,
    /// Relationships that are found by themselves, as nodes are, and not by walking: what may be searched for.
    pub(crate) loose: Vec<Slot>,
    /// What an index finds of it.
    pub(crate) search: Option<Box<BoundSearch>>,
}

/// `SEARCH`, a part of `MATCH`.
#[derive(Clone, Debug)]
pub(crate) struct BoundSearch {
    /// The operator, but for what it searches among.
    pub(crate) search: Search,
    /// Conditions on what may be found, taken apart at `AND`.
    pub(crate) filters: Vec<Expr>,
}

/// A link between two nodes of a pattern.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    /// As seen from `from`.
    pub(crate) arrow: Arrow,
    pub(crate) kind: LinkKind,
    /// The slots of the relationships that it walks, or of lists of them: no other link of the pattern may
    /// share one.
    pub(crate) relationships: Vec<Slot>,
}

/// The kinds of links.
#[derive(Clone, Debug)]
pub(crate) enum LinkKind {
    /// One relationship.
    One {
        relationship: Slot,
        /// Whether it was filled before.
        bound: bool,
        types: TypeNames,
    },
    /// Relationships of variable length.
    Many {
        relationships: Slot,
        bound: bool,
        types: TypeNames,
        min: u64,
        max: Option<u64>,
        each: Option<(Slot, Expr)>,
    },
    /// Rounds of a pattern.
    Rounds {
        pattern: Pattern,
        round_from: Slot,
        round_to: Slot,
        min: u64,
        max: Option<u64>,
        lists: Vec<(Slot, Slot)>,
        relationships: Vec<Slot>,
    },
    /// The shortest ways over one link of variable length.
    Shortest {
        relationships: Slot,
        types: TypeNames,
        min: u64,
        max: Option<u64>,
        each: Option<(Slot, Expr)>,
        kind: SelectorKind,
        single: bool,
    },
}

/// `WITH` and `RETURN`.
#[derive(Clone, Debug)]
pub(crate) struct BoundProjection {
    /// Groups and aggregates, computed first.
    pub(crate) aggregate: Option<Aggregate>,
    /// The items that are computed.
    pub(crate) items: Vec<(Slot, Expr)>,
    /// All slots of the new scope.
    pub(crate) scope: Vec<Slot>,
    pub(crate) distinct: bool,
    pub(crate) order: Vec<SortKey>,
    pub(crate) skip: Option<Expr>,
    pub(crate) limit: Option<Expr>,
    pub(crate) filter: Option<Expr>,
}

/// `MERGE`.
#[derive(Clone, Debug)]
pub(crate) struct BoundMerge {
    pub(crate) pattern: Pattern,
    pub(crate) create: Vec<CreateItem>,
    pub(crate) on_create: Vec<SetItem>,
    pub(crate) on_match: Vec<SetItem>,
    pub(crate) paths: Vec<(Slot, Expr)>,
}

/// `CALL { ... }`.
#[derive(Clone, Debug)]
pub(crate) struct BoundSubquery {
    pub(crate) query: BoundQuery,
    pub(crate) gives_rows: bool,
    pub(crate) optional: bool,
    pub(crate) transactions: Option<InTransactions>,
}
