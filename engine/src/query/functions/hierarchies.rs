//! Functions of hierarchies, which are declared and whose levels the database keeps.
//!
//! Next: `lists.rs`.

use super::arguments::{text, value, wrong};
use super::{Call, Lasts, limits};
use crate::query::error::Fault;
use crate::value::{NodeId, NodeValue, Value};

super::table::functions! {
    "level"(node: NODE, hierarchy: STRING) -> INTEGER = level,
        "The level of a node in a hierarchy: its shortest distance from a root, which is at 0. Null if it is no member.",
        "" => "" [lasts: Lasts::Query];
    "roots"(hierarchy: STRING) -> LIST = roots,
        "The roots of a hierarchy, by their numbers: the members that have no parent.",
        "" => "" [lasts: Lasts::Query];
    "ancestors"(node: NODE, hierarchy: STRING) -> LIST = ancestors,
        "All nodes above a node in a hierarchy, each once: the nearest first, at one distance by their numbers.",
        "" => "" [lasts: Lasts::Query];
}

fn node(arguments: &[Value]) -> Result<NodeId, Fault> {
    match value(arguments, 0) {
        Value::Node(node) => Ok(node.id()),
        other => Err(wrong("a node", other)),
    }
}

fn level(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let level = call.graph.level(node(arguments)?, text(arguments, 1)?)?;
    Ok(level.map_or(Value::Null, |level| Value::from(i64::from(level))))
}

fn roots(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    listed(call.graph.roots(text(arguments, 0)?)?)
}

fn ancestors(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    listed(
        call.graph
            .ancestors(node(arguments)?, text(arguments, 1)?)?,
    )
}

fn listed(nodes: Vec<NodeId>) -> Result<Value, Fault> {
    let nodes = nodes.into_iter().map(|node| NodeValue::of(node).into());
    limits::list_of(nodes.collect())
}
