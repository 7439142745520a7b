//! The operators that a query runs as.
//!
//! A statement has one row layout of [`Plan::width`] slots. Operators stand in a row; each takes the rows of
//! the one before it, and the first takes one row: at the top, one of nulls, in a nested list of operators,
//! the row around it. An operator fills slots and leaves the others as they are. Those that gather rows
//! (sort, aggregate, distinct, eager) give rows that begin as a copy of the row that the whole list was given.
//!
//! Next: `exec/`, which runs them.

use super::{Traverse, Walks};
use crate::query::expr::{Expr, ExprKind, Slot, Span};
use crate::query::functions::AggregateFunction;
use std::sync::Arc;
pub(crate) use stratigraph_query_lang::ast::{Arrow, OnError, SearchKind, SelectorKind};

/// What a statement runs as.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The operators.
    pub(crate) ops: Arc<[Op]>,
    /// How many slots a row has.
    pub(crate) width: usize,
    /// What each slot is called in the text; empty if it has no name there.
    pub(crate) names: Vec<Arc<str>>,
    /// The columns of the result; empty if it gives no rows.
    pub(crate) columns: Vec<(Arc<str>, Slot)>,
    /// Whether it changes the graph.
    pub(crate) writes: bool,
    /// Whether it commits on its own on the way.
    pub(crate) transactions: bool,
    /// The first call of a procedure that changes the graph in transactions of its own, and its name.
    pub(crate) commits: Option<(Span, Arc<str>)>,
    /// The parameters, by number.
    pub(crate) parameters: Vec<Needed>,
}

/// A parameter that a statement needs.
#[derive(Clone, Debug)]
pub(crate) struct Needed {
    pub(crate) name: Arc<str>,
    /// Where it first stands.
    pub(crate) span: Span,
}

/// One operator.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Nodes, for each row.
    Scan { into: Slot, by: ScanBy },
    /// Relationships, for each row.
    ScanRelationships { into: Slot, by: ScanBy },
    /// What an index finds, for each row, the best first.
    Search(Box<Search>),
    /// Along one relationship.
    Expand(Expand),
    /// The ends of a relationship that is known.
    Ends(Ends),
    /// Along relationships of variable length.
    ExpandMany(ExpandMany),
    /// Along the rounds of a quantified pattern.
    Repeat(Box<Repeat>),
    /// Along the shortest ways.
    Shortest(Box<Shortest>),
    /// Level by level.
    Traverse(Box<Traverse<Arc<[Op]>>>),
    /// Rows for which this is true.
    Filter(Expr),
    /// Slots computed from the row; none of them is read by another.
    Compute(Vec<(Slot, Expr)>),
    /// An element of a list, for each row. Null gives no row, anything else is a list of one.
    Unwind { list: Expr, into: Slot },
    /// What the operators give for each row, or one row with nulls in these slots if they give none.
    Optional { ops: Arc<[Op]>, nulls: Vec<Slot> },
    /// What the operators of each arm give, one arm after the other, for each row.
    Union(Union),
    /// A subquery, for each row.
    Apply(Box<Apply>),
    /// A procedure, for each row.
    Call(Box<CallProcedure>),
    /// Groups of rows.
    Aggregate(Box<Aggregate>),
    /// Groups of the matches of a pattern, which are only counted.
    Walks(Box<Walks>),
    /// Rows in order; only the first `limit` after `skip` if it is known that no more are needed.
    Sort {
        by: Vec<SortKey>,
        skip: Option<Expr>,
        limit: Option<Expr>,
        /// The slots that are read later.
        keep: Vec<Slot>,
    },
    /// Rows that differ in these slots, the first of each.
    Distinct(Vec<Slot>),
    /// All but the first.
    Skip(Expr),
    /// Only the first.
    Limit(Expr),
    /// All rows, before any goes on: what comes later must not be seen by what came before.
    Eager {
        /// The slots that are read later.
        keep: Vec<Slot>,
        /// Why, for `EXPLAIN`.
        why: &'static str,
    },
    /// No rows, after all were made.
    Drain,
    /// Creates, for each row.
    Create(Vec<CreateItem>),
    /// Finds or else creates, for each row.
    Merge(Box<Merge>),
    /// Sets, for each row.
    Set(Vec<SetItem>),
    /// Removes, for each row.
    Remove(Vec<RemoveItem>),
    /// Deletes, for each row.
    Delete { detach: bool, items: Vec<Expr> },
    /// Runs the operators for each element of a list, and lets the row through.
    Foreach {
        list: Expr,
        into: Slot,
        ops: Arc<[Op]>,
    },
}

/// Which nodes a scan gives, or which relationships.
#[derive(Clone, Debug)]
pub(crate) enum ScanBy {
    /// All.
    All,
    /// Those with a label, or of a type.
    Label(Arc<str>),
    /// This one, or with `one_of` those of a list of them.
    Entity { value: Expr, one_of: bool },
    /// Those that a property index finds. A null gives none.
    Index {
        /// The index.
        index: Arc<str>,
        /// What is looked up.
        seek: Seek,
        /// The label or type that it is on: what cannot be sought is left to the conditions on all that have it.
        label: Arc<str>,
    },
    /// The members of a level of a hierarchy. What is no level, or of no hierarchy, gives all nodes: the condition
    /// is asked of them.
    Level {
        /// The hierarchy's name.
        hierarchy: Arc<str>,
        /// The level's number.
        level: Expr,
    },
    /// The one with this id, as `id()` or `elementId()` gives it, or with `one_of` those of a list of them.
    Id {
        id: Expr,
        element: bool,
        one_of: bool,
    },
}

/// What is looked up in an index.
#[derive(Clone, Debug)]
pub(crate) enum Seek {
    /// Values of the first properties.
    Equal(Vec<Expr>),
    /// Any of a list of values of the only property.
    AnyOf(Expr),
    /// What lies between; whether the bound itself counts.
    Range {
        above: Option<(Expr, bool)>,
        below: Option<(Expr, bool)>,
    },
    /// What begins like this.
    StartsWith(Expr),
}

/// Which types a relationship may have: any if there is no list. What a list cannot say is a filter.
pub(crate) type TypeNames = Option<Vec<Arc<str>>>;

/// Along one relationship. A null `from` gives no row.
#[derive(Clone, Debug)]
pub(crate) struct Expand {
    pub(crate) from: Slot,
    pub(crate) relationship: Slot,
    pub(crate) to: Slot,
    /// Whether `to` is filled already and must be met.
    pub(crate) to_bound: bool,
    /// As seen from `from`: `Right` leaves it.
    pub(crate) arrow: Arrow,
    pub(crate) types: TypeNames,
    /// Relationships, or lists of them, that it must not be.
    pub(crate) apart_from: Vec<Slot>,
    /// How many rows are needed of all that it gives, if not all are: these are added up.
    pub(crate) most: Vec<Expr>,
}

/// How many relationships a node has, of these types, as seen from it. Of null there are none.
#[derive(Clone, Debug)]
pub(crate) struct Degree {
    pub(crate) of: Slot,
    pub(crate) arrow: Arrow,
    pub(crate) types: TypeNames,
}

/// From a known relationship to its ends. Null, or what is no relationship, gives no row.
#[derive(Clone, Debug)]
pub(crate) struct Ends {
    pub(crate) relationship: Slot,
    pub(crate) from: Slot,
    pub(crate) from_bound: bool,
    pub(crate) to: Slot,
    pub(crate) to_bound: bool,
    /// `Right`: from its source to its target. `Either`: both ways, a loop once.
    pub(crate) arrow: Arrow,
    pub(crate) types: TypeNames,
    pub(crate) apart_from: Vec<Slot>,
}

/// Along relationships of variable length: trails, which have no relationship twice.
#[derive(Clone, Debug)]
pub(crate) struct ExpandMany {
    pub(crate) from: Slot,
    /// Gets the list of relationships; if `bound`, has it already, and it is followed.
    pub(crate) relationships: Slot,
    pub(crate) bound: bool,
    pub(crate) to: Slot,
    pub(crate) to_bound: bool,
    pub(crate) arrow: Arrow,
    pub(crate) types: TypeNames,
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
    /// What each relationship, put into the slot, must fulfil.
    pub(crate) each: Option<(Slot, Expr)>,
    /// Whether it is walked against the text, so that the list is turned round.
    pub(crate) reversed: bool,
    pub(crate) apart_from: Vec<Slot>,
}

/// Along the rounds of a quantified pattern: trails over all rounds.
#[derive(Clone, Debug)]
pub(crate) struct Repeat {
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) to_bound: bool,
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
    /// One round: from `round_from`, which is filled, to `round_to`.
    pub(crate) ops: Arc<[Op]>,
    pub(crate) round_from: Slot,
    pub(crate) round_to: Slot,
    /// The relationships, or lists of them, of one round: none may be twice in all rounds.
    pub(crate) relationships: Vec<Slot>,
    /// From a variable of a round to the list of it over all rounds.
    pub(crate) lists: Vec<(Slot, Slot)>,
    /// Whether the rounds are walked from the last to the first, so that the lists are turned round.
    pub(crate) reversed: bool,
    pub(crate) apart_from: Vec<Slot>,
}

/// The shortest ways between two nodes over a chain of links. They are walked from `from`, be that the first or
/// the last node of the text.
#[derive(Clone, Debug)]
pub(crate) struct Shortest {
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) to_bound: bool,
    /// The links, in the order in which they are walked; at least one.
    pub(crate) segments: Vec<Segment>,
    /// What is asked of the node at the end of each segment.
    pub(crate) checks: Vec<Vec<Expr>>,
    /// What is asked of a whole way.
    pub(crate) filters: Vec<Expr>,
    /// Which of the ways between the same two nodes.
    pub(crate) kind: SelectorKind,
    pub(crate) apart_from: Vec<Slot>,
    /// Whether a plain search may begin at both ends.
    pub(crate) from_both: bool,
}

impl Shortest {
    /// The single link of a pattern of which only the smallest length matters, and whether the pattern has no length.
    pub(crate) fn plain(&self) -> Option<(&ExpandMany, bool)> {
        let smallest = matches!(
            self.kind,
            SelectorKind::Any(1)
                | SelectorKind::Shortest(1)
                | SelectorKind::ShortestGroups(1)
                | SelectorKind::AllShortest
        );
        match self.segments.as_slice() {
            [Segment::Link { link, single }]
                if smallest && link.min <= 1 && self.filters.is_empty() =>
            {
                Some((link, *single))
            }
            _ => None,
        }
    }
}

/// One link of a chain.
#[derive(Clone, Debug)]
pub(crate) enum Segment {
    /// Relationships. With `single` one of a pattern without a length is meant, so that the slot is no list.
    Link { link: ExpandMany, single: bool },
    /// Rounds of a pattern.
    Rounds(Repeat),
}

impl Segment {
    /// The slot of the node at its end.
    pub(crate) fn to(&self) -> Slot {
        match self {
            Self::Link { link, .. } => link.to,
            Self::Rounds(repeat) => repeat.to,
        }
    }

    /// How often it is walked at least and at most.
    pub(crate) fn bounds(&self) -> (u64, Option<u64>) {
        match self {
            Self::Link { link, .. } => (link.min, link.max),
            Self::Rounds(repeat) => (repeat.min, repeat.max),
        }
    }
}

/// A union of queries.
#[derive(Clone, Debug)]
pub(crate) struct Union {
    /// Operators, and the slots of the columns in their rows.
    pub(crate) arms: Vec<(Arc<[Op]>, Vec<Slot>)>,
    /// The slots of the columns after it.
    pub(crate) into: Vec<Slot>,
    /// Whether equal rows become one.
    pub(crate) distinct: bool,
}

/// `CALL { ... }`.
#[derive(Clone, Debug)]
pub(crate) struct Apply {
    /// What runs for each row.
    pub(crate) ops: Arc<[Op]>,
    /// The slots that it fills for the rows after it; none if it is run for its effects only.
    pub(crate) returns: Vec<Slot>,
    /// Whether it gives rows; otherwise each row goes on once.
    pub(crate) gives_rows: bool,
    /// Whether a row without a result goes on with nulls.
    pub(crate) optional: bool,
    /// `IN TRANSACTIONS`.
    pub(crate) transactions: Option<InTransactions>,
}

/// `IN TRANSACTIONS OF rows ROWS ON ERROR ...`.
#[derive(Clone, Debug)]
pub(crate) struct InTransactions {
    pub(crate) rows: Option<Expr>,
    pub(crate) on_error: OnError,
    /// Gets the status of each row's transaction: a map of `started`, `committed`, `transactionId`, `errorMessage`.
    pub(crate) report: Option<Slot>,
    pub(crate) span: Span,
}

/// A procedure that is called.
#[derive(Clone, Debug)]
pub(crate) struct CallProcedure {
    pub(crate) procedure: Arc<crate::query::procedures::Procedure>,
    pub(crate) arguments: Vec<Expr>,
    /// From its columns, by number, to slots.
    pub(crate) yields: Vec<(usize, Slot)>,
    /// Whether a row without a result goes on with nulls.
    pub(crate) optional: bool,
    pub(crate) span: Span,
}

/// Groups of rows.
#[derive(Clone, Debug)]
pub(crate) struct Aggregate {
    /// What the groups differ in. Without any there is one group, also without rows.
    pub(crate) groups: Vec<(Expr, Slot)>,
    /// What is computed of each group.
    pub(crate) aggregates: Vec<Aggregated>,
}

/// One aggregate.
#[derive(Clone)]
pub(crate) struct Aggregated {
    pub(crate) function: &'static AggregateFunction,
    pub(crate) distinct: bool,
    pub(crate) arguments: Vec<Expr>,
    pub(crate) into: Slot,
    pub(crate) span: Span,
}

impl Aggregated {
    /// Whether it counts rows, or things that are never null in them, once it is known that it asks of nothing else.
    pub(crate) fn counts(&self) -> bool {
        let mut arguments = self.arguments.iter();
        let are_whole =
            arguments.all(|one| matches!(one.kind, ExprKind::Constant(_) | ExprKind::Slot(_)));
        self.function.name == "count" && are_whole
    }
}

impl std::fmt::Debug for Aggregated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let distinct = if self.distinct { " DISTINCT" } else { "" };
        write!(
            f,
            "{:?} = {}{distinct} {:?}",
            self.into, self.function.name, self.arguments
        )
    }
}

/// What rows are sorted by.
#[derive(Clone, Debug)]
pub(crate) struct SortKey {
    pub(crate) expr: Expr,
    pub(crate) descending: bool,
}

/// What `CREATE` makes, in order.
#[derive(Clone, Debug)]
pub(crate) enum CreateItem {
    /// A node.
    Node {
        into: Slot,
        labels: Vec<LabelOf>,
        properties: Option<Expr>,
        span: Span,
    },
    /// A relationship between two nodes that are there.
    Relationship {
        into: Slot,
        from: Slot,
        to: Slot,
        relationship_type: LabelOf,
        properties: Option<Expr>,
        span: Span,
    },
}

/// A label or type that is written.
#[derive(Clone, Debug)]
pub(crate) enum LabelOf {
    /// By name.
    Name(Arc<str>),
    /// A string, or for labels a list of strings.
    Dynamic(Expr),
}

/// Finds or creates.
#[derive(Clone, Debug)]
pub(crate) struct Merge {
    /// What is looked for.
    pub(crate) ops: Arc<[Op]>,
    /// What is created if nothing is found.
    pub(crate) create: Vec<CreateItem>,
    /// Set for what was created, and for what was found.
    pub(crate) on_create: Vec<SetItem>,
    pub(crate) on_match: Vec<SetItem>,
}

/// What `SET` sets.
#[derive(Clone, Debug)]
pub(crate) enum SetItem {
    /// `of.key = value`; nothing if `of` is null.
    Property { of: Expr, key: Expr, value: Expr },
    /// `of = value`: all properties.
    Replace { of: Slot, value: Expr, span: Span },
    /// `of += value`.
    Add { of: Slot, value: Expr, span: Span },
    /// `of:Label`.
    Labels {
        of: Slot,
        labels: Vec<LabelOf>,
        span: Span,
    },
}

/// What `REMOVE` removes.
#[derive(Clone, Debug)]
pub(crate) enum RemoveItem {
    /// `of.key`; nothing if `of` is null.
    Property { of: Expr, key: Expr },
    /// `of:Label`.
    Labels {
        of: Slot,
        labels: Vec<LabelOf>,
        span: Span,
    },
}

/// `SEARCH`: the best of an index, each in a row. A null query gives no row.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    pub(crate) kind: SearchKind,
    pub(crate) index: IndexName,
    /// What is looked for: a vector or a list of numbers; or a text.
    pub(crate) query: Expr,
    /// How many are found at most.
    pub(crate) limit: Expr,
    /// How many rows are needed of all that it gives, if not all are: these are added up.
    pub(crate) most: Vec<Expr>,
    /// Whether everything is compared.
    pub(crate) exact: bool,
    /// Gets what was found.
    pub(crate) into: Slot,
    /// Whether these are relationships.
    pub(crate) relationships: bool,
    /// What was found must be this, which was filled before.
    pub(crate) must_be: Option<Slot>,
    /// Gets how good it is.
    pub(crate) score: Option<Slot>,
    /// Finds, in `into`, whatever may be found; none if that is everything.
    pub(crate) among: Option<Arc<[Op]>>,
    /// The slots that it depends on: while they stay the same, so does what is found. None if it may differ from
    /// row to row whatever they are.
    pub(crate) depends_on: Option<Vec<Slot>>,
    /// The same of what may be found.
    pub(crate) among_depends_on: Option<Vec<Slot>>,
    pub(crate) span: Span,
}

/// The index that is searched.
#[derive(Clone, Debug)]
pub(crate) enum IndexName {
    /// By name, which was looked up.
    Known(Arc<str>, Span),
    /// A parameter, by its number.
    Parameter(u32, Span),
}
