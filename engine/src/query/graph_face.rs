//! What functions and expressions may ask the graph.
//!
//! A query runs over a snapshot or within a write transaction, and may have deleted what it still names;
//! whoever computes need not know which.
//!
//! Next: `exec/graph.rs`, which answers.

use super::error::Fault;
use crate::graph::Entity;
use crate::value::{NodeId, RelationshipId, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The graph as a query sees it while it runs.
///
/// Asking about what this query has deleted is `DeletedEntityAccess`, except for the type and the ends of a
/// relationship, which never change.
pub(crate) trait GraphFace {
    /// One property; null if there is none of that name.
    fn property(&self, entity: Entity, key: &str) -> Result<Value, Fault>;

    /// All properties.
    fn properties(&self, entity: Entity) -> Result<BTreeMap<Arc<str>, Value>, Fault>;

    /// The labels of a node, in the order of their first use in the database.
    fn labels(&self, node: NodeId) -> Result<Vec<Arc<str>>, Fault>;

    /// Whether a node has a label.
    fn has_label(&self, node: NodeId, label: &str) -> Result<bool, Fault>;

    /// The type of a relationship.
    fn relationship_type(&self, relationship: RelationshipId) -> Result<Arc<str>, Fault>;

    /// The nodes that a relationship leaves and reaches.
    fn ends(&self, relationship: RelationshipId) -> Result<(NodeId, NodeId), Fault>;

    /// The level of a node in a hierarchy; nothing if it is no member.
    fn level(&self, node: NodeId, hierarchy: &str) -> Result<Option<u32>, Fault>;

    /// The roots of a hierarchy, by id.
    fn roots(&self, hierarchy: &str) -> Result<Vec<NodeId>, Fault>;

    /// What is above a node in a hierarchy, each once: by distance, then by id.
    fn ancestors(&self, node: NodeId, hierarchy: &str) -> Result<Vec<NodeId>, Fault>;
}
