//! What the binder makes: clauses over slots, with nothing decided about how they run.
//!
//! Next: `matching.rs`, which decides.

use super::{
    Aggregate, BoundTraverse, CallProcedure, CreateItem, InTransactions, RemoveItem, Search,
    SelectorKind, SetItem, SortKey, TypeNames,
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
    /// `TRAVERSE`.
    Traverse(Box<BoundTraverse>),
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
    /// What its conditions read beside itself: it is not walked before that is known.
    pub(crate) reads: Vec<Slot>,
}

impl Link {
    /// What it fills beside its ends.
    pub(crate) fn fills(&self) -> Vec<Slot> {
        match &self.kind {
            LinkKind::One {
                relationship,
                bound: false,
                ..
            } => vec![*relationship],
            LinkKind::One { .. } | LinkKind::Many { bound: true, .. } => Vec::new(),
            LinkKind::Many { relationships, .. } => vec![*relationships],
            LinkKind::Rounds { lists, .. } => lists.iter().map(|(_, list)| *list).collect(),
            LinkKind::Chosen(chosen) => {
                let mut fills: Vec<Slot> = chosen.inner().collect();
                fills.extend(chosen.links.iter().flat_map(|one| one.link.fills()));
                fills
            }
        }
    }

    /// The conditions that are asked while it is walked.
    pub(crate) fn conditions(&self) -> Vec<&Expr> {
        match &self.kind {
            LinkKind::One { .. } => Vec::new(),
            LinkKind::Many { each, .. } => each.iter().map(|(_, each)| each).collect(),
            LinkKind::Chosen(chosen) => {
                let inner = chosen.links.iter();
                let inner =
                    inner.flat_map(|one| one.link.conditions().into_iter().chain(&one.checks));
                chosen.filters.iter().chain(inner).collect()
            }
            LinkKind::Rounds { pattern, .. } => {
                let inner = pattern.links.iter().flat_map(Self::conditions);
                pattern.filters.iter().chain(inner).collect()
            }
        }
    }
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
    /// The shortest ways over a chain of links.
    Chosen(Box<Chosen>),
}

/// The shortest ways over a chain of links.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) kind: SelectorKind,
    /// The links, in the order of the text.
    pub(crate) links: Vec<ChosenLink>,
    /// What is asked of whole ways.
    pub(crate) filters: Vec<Expr>,
}

impl Chosen {
    /// The nodes between its links.
    pub(crate) fn inner(&self) -> impl Iterator<Item = Slot> {
        self.links.iter().skip(1).map(|one| one.link.from)
    }
}

/// One link of such a chain.
#[derive(Clone, Debug)]
pub(crate) struct ChosenLink {
    /// Relationships of variable length, or rounds.
    pub(crate) link: Link,
    /// Whether one relationship, of a pattern without a length, is meant.
    pub(crate) single: bool,
    /// What is asked of the node at its end, if that is not the end of the chain.
    pub(crate) checks: Vec<Expr>,
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
