//! Functions of nodes, relationships, paths and maps.
//!
//! Nothing here reads the graph but through the face it is given.
//!
//! Next: `hierarchies.rs`.

use super::arguments::{value, wrong};
use super::{Call, Lasts, Nulls};
use crate::graph::Entity;
use crate::query::element_id::element_id as element_text;
use crate::query::error::Fault;
use crate::value::{NodeValue, Value};
use std::sync::Arc;

super::table::functions! {
    "id"(of: NODE | RELATIONSHIP) -> INTEGER = id,
        "The number of a node or a relationship, which is never given to another of its kind.", "" => "";
    "elementId"(of: NODE | RELATIONSHIP) -> STRING = element_id,
        "A text for a node or a relationship, like `n2-17`; such texts sort as the numbers do.", "" => "";
    "labels"(node: NODE) -> LIST = labels,
        "The labels of a node.", "" => "" [lasts: Lasts::Query];
    "type"(relationship: RELATIONSHIP) -> STRING = relationship_type,
        "The type of a relationship.", "" => "" [lasts: Lasts::Query];
    "keys"(of: NODE | RELATIONSHIP | MAP) -> LIST = keys,
        "The names of the properties of a node or a relationship, or of the entries of a map.",
        "keys({b: 1, a: null})" => "['a', 'b']" [lasts: Lasts::Query];
    "properties"(of: NODE | RELATIONSHIP | MAP) -> MAP = properties,
        "The properties of a node or a relationship as a map.",
        "properties({a: 1})" => "{a: 1}" [lasts: Lasts::Query];
    "startNode"(relationship: RELATIONSHIP) -> NODE = start_node,
        "The node that a relationship leaves.", "" => "" [lasts: Lasts::Query];
    "endNode"(relationship: RELATIONSHIP) -> NODE = end_node,
        "The node that a relationship reaches.", "" => "" [lasts: Lasts::Query];
    "nodes"(path: PATH) -> LIST = nodes,
        "The nodes of a path, in order.", "" => "";
    "relationships"(path: PATH) -> LIST = relationships,
        "The relationships of a path, in order.", "" => "";
    "length"(path: PATH) -> INTEGER = length,
        "How many relationships a path has.", "" => "";
    "exists"(value: ANY) -> BOOLEAN = exists,
        "Whether a value is not null.", "exists(null)" => "false" [nulls: Nulls::Taken];
}

/// A node or a relationship.
fn entity(arguments: &[Value]) -> Result<Entity, Fault> {
    match value(arguments, 0) {
        Value::Node(node) => Ok(Entity::Node(node.id())),
        Value::Relationship(one) => Ok(Entity::Relationship(one.id())),
        other => Err(wrong("a node or a relationship", other)),
    }
}

fn id(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let number = entity(arguments)?.number();
    Value::try_from(number).map_err(|_| super::operators::overflow(number))
}

fn element_id(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(Value::from(element_text(entity(arguments)?)))
}

fn labels(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    match value(arguments, 0) {
        Value::Node(node) => Ok(Value::from(call.graph.labels(node.id())?)),
        other => Err(wrong("a node", other)),
    }
}

fn relationship_type(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    match value(arguments, 0) {
        Value::Relationship(one) => Ok(Value::from(call.graph.relationship_type(one.id())?)),
        other => Err(wrong("a relationship", other)),
    }
}

fn keys(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let keys: Vec<Arc<str>> = match value(arguments, 0) {
        Value::Map(entries) => entries.keys().cloned().collect(),
        Value::Node(_) | Value::Relationship(_) => {
            let properties = call.graph.properties(entity(arguments)?)?;
            properties.into_keys().collect()
        }
        other => return Err(wrong("a node, a relationship or a map", other)),
    };
    Ok(Value::from(keys))
}

fn properties(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    match value(arguments, 0) {
        map @ Value::Map(_) => Ok(map.clone()),
        Value::Node(_) | Value::Relationship(_) => {
            Ok(Value::map(call.graph.properties(entity(arguments)?)?)?)
        }
        other => Err(wrong("a node, a relationship or a map", other)),
    }
}

fn start_node(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    match value(arguments, 0) {
        Value::Relationship(one) => Ok(NodeValue::of(call.graph.ends(one.id())?.0).into()),
        other => Err(wrong("a relationship", other)),
    }
}

fn end_node(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    match value(arguments, 0) {
        Value::Relationship(one) => Ok(NodeValue::of(call.graph.ends(one.id())?.1).into()),
        other => Err(wrong("a relationship", other)),
    }
}

fn nodes(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    match value(arguments, 0) {
        Value::Path(path) => Ok(Value::from(path.nodes().to_vec())),
        other => Err(wrong("a path", other)),
    }
}

fn relationships(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    match value(arguments, 0) {
        Value::Path(path) => Ok(Value::from(path.relationships().to_vec())),
        other => Err(wrong("a path", other)),
    }
}

fn length(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    match value(arguments, 0) {
        Value::Path(path) => Ok(Value::Int(path.relationships().len() as i64)),
        other => Err(wrong("a path", other)),
    }
}

fn exists(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(Value::Bool(!value(arguments, 0).is_null()))
}
