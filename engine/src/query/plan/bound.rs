//! What the binder makes: clauses over slots, with nothing decided about how they run.
//!
//! Next: `mod.rs`.

use super::{Apply, CallProcedure, CreateItem, RemoveItem, SetItem, SortKey, Aggregated};
use crate::query::expr::{Expr, Slot};
use std::sync::Arc;

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

/// A clause. (Filled in with the binder.)
#[derive(Clone, Debug)]
#[expect(dead_code, reason = "the binder comes next")]
pub(crate) enum BoundClause {
    Placeholder(Vec<SortKey>, Vec<SetItem>, Vec<RemoveItem>, Vec<CreateItem>, Box<Apply>, Box<CallProcedure>, Vec<Aggregated>, Vec<Expr>),
}
