//! Relationship types that form a hierarchy: no cycles, and a level for every member.
//!
//! A hierarchy leads from parents to children. Its members are the ends of its relationships and
//! the nodes that were added to it by name; a root is a member without a parent; the level of a
//! member is its shortest distance from a root.
//!
//! The pure part reads the graph through [`Lineage`] and must never know how relationships are
//! stored, nor write anything: it says what is wrong or what changes, and whoever asked writes it.
//! Every function takes a limit of work, which bounds its memory as well, and none recurses, so that
//! a chain of any length is safe.
//!
//! - `lineage.rs`: the view of the graph, and reading it in portions.
//! - `reach.rs`: would a new relationship close a cycle?
//! - `order.rs`: is there a cycle anywhere below these nodes? For bulk loads.
//! - `levels.rs`: which levels differ after a batch of changes?
//!
//! The stored part binds it to the graph:
//!
//! - `keys.rs`: what is stored of a hierarchy.
//! - `stored.rs`: the graph as a [`Lineage`], and [`Hierarchy`], which answers questions.
//! - `releveled.rs`: the levels that a transaction has moved so far.
//! - `moves.rs`: from levels that changed to the members of levels.
//! - `change.rs`: what a write transaction must refuse, and what it writes.

mod change;
pub(crate) mod keys;
mod levels;
mod lineage;
#[cfg(test)]
mod model;
mod moves;
mod order;
mod reach;
mod releveled;
mod stored;

pub(crate) use change::{admit, named_in, settle};
pub use levels::{LevelChanges, relevel};
pub use lineage::{Lineage, LineageError};
pub(crate) use moves::{LevelMoves, Rewritten};
pub use order::find_cycle;
pub use reach::find_path;
pub(crate) use releveled::Releveled;
pub use stored::Hierarchy;
pub(crate) use stored::{Stored, WHOLE_READ_LIMIT, failed};
