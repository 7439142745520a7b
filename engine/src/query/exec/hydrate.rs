//! Values for those outside: with the labels and properties that were only ids while the query ran.
//!
//! Next: `pipeline.rs`.

use super::graph::Graph;
use crate::query::error::Fault;
use crate::query::graph_face::GraphFace;
use crate::value::{NodeId, NodeValue, PathValue, RelationshipId, RelationshipValue, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A value whose nodes and relationships can be kept without the transaction. What was deleted has nothing but
/// its id, a relationship also its type and its ends.
pub(crate) fn hydrate(graph: &Graph<'_>, value: Value) -> Result<Value, Fault> {
    Ok(match value {
        Value::Node(node) => Value::Node(hydrate_node(graph, node.id())?),
        Value::Relationship(relationship) => {
            Value::Relationship(hydrate_relationship(graph, relationship.id())?)
        }
        Value::Path(path) => {
            let nodes = path.nodes().iter();
            let nodes = nodes.map(|node| hydrate_node(graph, node.id()));
            let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
            let relationships = path.relationships().iter();
            let relationships = relationships.map(|one| hydrate_relationship(graph, one.id()));
            let relationships = relationships.collect::<Result<Vec<_>, _>>()?;
            PathValue::new(nodes, relationships)
                .map_or(Value::Null, |path| Value::Path(Arc::new(path)))
        }
        Value::List(list) if list.iter().any(has_ids) => {
            let list = list.iter().map(|value| hydrate(graph, value.clone()));
            Value::List(list.collect::<Result<_, _>>()?)
        }
        Value::Map(map) if map.values().any(has_ids) => {
            let entries = map.iter();
            let entries = entries.map(|(key, value)| {
                let value = hydrate(graph, value.clone())?;
                Ok((Arc::clone(key), value))
            });
            Value::Map(Arc::new(
                entries.collect::<Result<BTreeMap<_, _>, Fault>>()?,
            ))
        }
        other => other,
    })
}

/// Whether there is a node, a relationship or a path anywhere in it.
fn has_ids(value: &Value) -> bool {
    match value {
        Value::Node(_) | Value::Relationship(_) | Value::Path(_) => true,
        Value::List(list) => list.iter().any(has_ids),
        Value::Map(map) => map.values().any(has_ids),
        _ => false,
    }
}

fn hydrate_node(graph: &Graph<'_>, id: NodeId) -> Result<NodeValue, Fault> {
    // What a transaction that was taken back had made is not there either, and was not deleted.
    let node = match graph.is_deleted(id) {
        true => None,
        false => graph.stored_node(id)?,
    };
    let Some(node) = node else {
        return Ok(NodeValue::new(id, Vec::new(), BTreeMap::new()));
    };
    let catalog = graph.catalog()?;
    let labels = node.label_ids().iter();
    let labels = labels.filter_map(|label| catalog.labels.name(*label).cloned());
    let properties = node.property_ids().iter();
    let properties = properties.filter_map(|(key, value)| {
        let key = catalog.properties.name(*key)?;
        Some((Arc::clone(key), value.clone()))
    });
    Ok(NodeValue::new(id, labels.collect(), properties.collect()))
}

fn hydrate_relationship(graph: &Graph<'_>, id: RelationshipId) -> Result<RelationshipValue, Fault> {
    if graph.is_deleted(id) {
        let (of, ends) = (graph.relationship_type(id)?, graph.ends(id)?);
        return Ok(RelationshipValue::new(id, of, ends, BTreeMap::new()));
    }
    let Some(relationship) = graph.stored_relationship(id)? else {
        return Ok(RelationshipValue::of(id));
    };
    let catalog = graph.catalog()?;
    let of = catalog.types.name(relationship.type_id());
    let properties = relationship.property_ids().iter();
    let properties = properties.filter_map(|(key, value)| {
        let key = catalog.properties.name(*key)?;
        Some((Arc::clone(key), value.clone()))
    });
    Ok(RelationshipValue::new(
        id,
        of.map_or_else(|| "".into(), Arc::clone),
        (relationship.source(), relationship.target()),
        properties.collect(),
    ))
}
