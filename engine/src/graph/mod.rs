//! The graph: nodes and relationships, and everything that is kept in step with them.
//!
//! ```text
//! one node          nodes, labels (a set per label), prop_index, text and vectors (what lies apart)
//! one relationship  edges, out, in (both directions), labels (a set per type), prop_index, ...
//! both              degrees in out and in, counts in meta, levels in hierarchy
//! ```
//! A [`WriteTxn`] changes all of it together, a [`ReadTxn`] sees one commit of it; what both can read
//! is in [`Read`]. Start with [`read`] and [`mod@write`]; [`keys`] and [`record`] are the bytes.
//! [`hierarchy`] is about relationship types that lead from parent to child. Nothing here must ever
//! take a damaged byte for an absent one.

mod adjacency;
mod bulk;
pub(crate) mod check;
mod entity;
pub mod hierarchy;
mod ids;
pub mod keys;
mod own_texts;
pub(crate) mod pending;
pub(crate) mod properties;
mod read;
mod read_txn;
pub(crate) mod record;
pub(crate) mod rules;
pub(crate) mod sets;
pub(crate) mod view;
mod viewed;
mod write;

pub use adjacency::{Direction, Neighbour, Neighbours};
pub use bulk::{BulkLoad, BulkOptions, BulkReport};
pub use entity::{Node, Relationship};
pub use hierarchy::Hierarchy;
pub use ids::Ids;
pub use keys::{Entity, Way};
pub use properties::{MAX_PROPERTIES, MAX_VALUE_BYTES};
pub use read::Read;
pub use read_txn::ReadTxn;
pub use record::MAX_LABELS;
pub use write::{Savepoint, WriteTxn, Written};

use crate::catalog::Scope;
use crate::value::{NodeId, RelationshipId, Value};

/// No labels: for nodes that have none.
pub const NO_LABELS: [&str; 0] = [];
/// No properties: for nodes and relationships that have none.
pub const NO_PROPERTIES: [(&str, Value); 0] = [];

impl Scope {
    /// An entity of its kind.
    #[must_use]
    pub fn entity(self, number: u64) -> Entity {
        if self.is_node() {
            Entity::Node(NodeId::new(number))
        } else {
            Entity::Relationship(RelationshipId::new(number))
        }
    }
}

impl From<NodeId> for Entity {
    fn from(id: NodeId) -> Self {
        Self::Node(id)
    }
}

impl From<RelationshipId> for Entity {
    fn from(id: RelationshipId) -> Self {
        Self::Relationship(id)
    }
}
