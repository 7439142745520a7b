//! What functions and expressions ask the graph, answered for a query that may have deleted what it names.
//!
//! Next: `eval/`.

use super::graph::Graph;
use crate::error::Error;
use crate::graph::Entity;
use crate::query::error::{Detail, Fault, raise};
use crate::query::graph_face::GraphFace;
use crate::value::{NodeId, RelationshipId, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is not there any more cannot be asked.
pub(crate) fn deleted(entity: Entity) -> Fault {
    let (what, number) = match entity {
        Entity::Node(node) => ("node", node.get()),
        Entity::Relationship(relationship) => ("relationship", relationship.get()),
    };
    let message =
        format!("the {what} {number} was deleted, and has neither properties nor labels any more");
    let hint = "keep what is needed of it with WITH before the DELETE";
    raise(Detail::DeletedEntityAccess, message).hint(hint)
}

impl Graph<'_> {
    fn ensure_there(&self, entity: Entity) -> Result<(), Fault> {
        if self.is_deleted(entity) {
            return Err(deleted(entity));
        }
        Ok(())
    }
}

/// What the engine says of what is not there, in the words of the query.
fn missing(entity: Entity, error: Error) -> Fault {
    match error {
        Error::NodeNotFound { .. } | Error::RelationshipNotFound { .. } => deleted(entity),
        error => error.into(),
    }
}

impl GraphFace for Graph<'_> {
    fn property(&self, entity: Entity, key: &str) -> Result<Value, Fault> {
        self.ensure_there(entity)?;
        let value = self.stored_property(entity, key);
        value.map_err(|error| missing(entity, error))
    }

    fn properties(&self, entity: Entity) -> Result<BTreeMap<Arc<str>, Value>, Fault> {
        self.ensure_there(entity)?;
        let gone = || deleted(entity);
        let own = |(key, value): (&str, &Value)| (Arc::from(key), value.clone());
        Ok(match entity {
            Entity::Node(id) => {
                let node = self.stored_node(id)?.ok_or_else(gone)?;
                node.properties().map(own).collect()
            }
            Entity::Relationship(id) => {
                let relationship = self.stored_relationship(id)?.ok_or_else(gone)?;
                relationship.properties().map(own).collect()
            }
        })
    }

    fn labels(&self, node: NodeId) -> Result<Vec<Arc<str>>, Fault> {
        self.ensure_there(node.into())?;
        let ids = self.label_ids(node)?.ok_or_else(|| deleted(node.into()))?;
        let names = &self.catalog()?.labels;
        Ok(ids
            .into_iter()
            .filter_map(|id| names.name(id).cloned())
            .collect())
    }

    fn has_label(&self, node: NodeId, label: &str) -> Result<bool, Fault> {
        self.ensure_there(node.into())?;
        if self.surely_has_label(node, label)? {
            return Ok(true);
        }
        let ids = self.label_ids(node)?.ok_or_else(|| deleted(node.into()))?;
        let label = self.catalog()?.labels.id(label);
        Ok(label.is_some_and(|label| ids.contains(&label)))
    }

    fn relationship_type(&self, relationship: RelationshipId) -> Result<Arc<str>, Fault> {
        if let Some(was) = self.deleted_relationship(relationship) {
            return Ok(Arc::clone(&was.relationship_type));
        }
        let ends = self.stored_ends(relationship)?;
        let (of, ..) = ends.ok_or_else(|| deleted(relationship.into()))?;
        let name = self.catalog()?.types.name(of).cloned();
        name.ok_or_else(|| Error::bug("a relationship has a type without a name").into())
    }

    fn ends(&self, relationship: RelationshipId) -> Result<(NodeId, NodeId), Fault> {
        if let Some(was) = self.deleted_relationship(relationship) {
            return Ok(was.ends);
        }
        let ends = self.stored_ends(relationship)?;
        let (_, source, target) = ends.ok_or_else(|| deleted(relationship.into()))?;
        Ok((source, target))
    }

    fn level(&self, node: NodeId, hierarchy: &str) -> Result<Option<u32>, Fault> {
        self.ensure_there(node.into())?;
        self.level_in(node, hierarchy)
    }

    fn roots(&self, hierarchy: &str) -> Result<Vec<NodeId>, Fault> {
        self.roots_of(hierarchy)
    }

    fn ancestors(&self, node: NodeId, hierarchy: &str) -> Result<Vec<NodeId>, Fault> {
        self.ensure_there(node.into())?;
        self.ancestors_in(node, hierarchy)
    }
}
