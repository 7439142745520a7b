//! The tree of a statement.
//!
//! Every node has its place in the text. Chains of one operator are flat lists, so that a sum of ten
//! thousand numbers is no deeper than one of two; what does nest is at most
//! [`MAX_DEPTH`](crate::MAX_DEPTH) deep, which bounds every pass over the tree and its drop.
//!
//! | what | where |
//! |---|---|
//! | statements, unions, clauses | `clause.rs` |
//! | similarity, levels | `search.rs`, `traverse.rs` |
//! | what a clause changes | `write.rs` |
//! | patterns and labels | `pattern.rs` |
//! | expressions | `expression.rs` |
//! | indexes and constraints | `schema.rs` |

mod clause;
mod expression;
mod pattern;
mod schema;
mod search;
mod traverse;
mod write;

pub use clause::*;
pub use expression::*;
pub use pattern::*;
pub use schema::*;
pub use search::*;
pub use traverse::*;
pub use write::*;

use crate::span::Span;
use std::sync::Arc;

/// A name with its place. Quoting is gone: `` `a b` `` is the name `a b`.
#[derive(Clone, Debug)]
pub struct Identifier {
    /// The name.
    pub name: Arc<str>,
    /// Its place, quotes included.
    pub span: Span,
}
