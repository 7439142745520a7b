//! Properties, elements, labels, and projections of maps.
//!
//! Of a stored entity only the property that is asked for is read.
//!
//! Next: `lists.rs`.

use super::{Context, eval, wrong_kind};
use crate::graph::Entity;
use crate::query::error::{Detail, ErrorType, Fault, raise};
use crate::query::expr::{Expr, Labels, Projected};
use crate::query::functions::limits;
use crate::query::functions::operators::with_article;
use crate::query::graph_face::GraphFace;
use crate::query::temporal::component::component;
use crate::value::{NodeId, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// `of.key`.
pub(super) fn property(
    context: &mut Context<'_>,
    of: &Expr,
    key: &Arc<str>,
    row: &mut [Value],
) -> Result<Value, Fault> {
    let of = eval(context, of, row)?;
    property_of(context, &of, key)
}

fn property_of(context: &Context<'_>, of: &Value, key: &str) -> Result<Value, Fault> {
    if let Some(entity) = entity(of) {
        return context.graph.property(entity, key);
    }
    match of {
        Value::Null => Ok(Value::Null),
        Value::Map(entries) => Ok(entries.get(key).cloned().unwrap_or(Value::Null)),
        Value::Date(_)
        | Value::Time(_)
        | Value::LocalTime(_)
        | Value::DateTime(_)
        | Value::LocalDateTime(_)
        | Value::Duration(_) => Ok(component(of, key).unwrap_or(Value::Null)),
        other => {
            let message = format!("{} has no property `{key}`", with_article(other.kind()));
            Err(raise(Detail::InvalidArgumentType, message)
                .of_type(ErrorType::TypeError)
                .hint("nodes, relationships, maps and temporal values have properties"))
        }
    }
}

/// `entity[key]`.
pub(super) fn dynamic(context: &Context<'_>, of: &Value, key: &Value) -> Result<Value, Fault> {
    match key {
        Value::Null => Ok(Value::Null),
        Value::String(key) => property_of(context, of, key),
        other => {
            let message = format!(
                "a property is named by a string, and this is {}",
                with_article(other.kind())
            );
            Err(raise(Detail::MapElementAccessByNonString, message))
        }
    }
}

/// A node or a relationship as the graph knows it.
pub(super) fn entity(value: &Value) -> Option<Entity> {
    match value {
        Value::Node(node) => Some(Entity::Node(node.id())),
        Value::Relationship(relationship) => Some(Entity::Relationship(relationship.id())),
        _ => None,
    }
}

/// `of:Label`.
pub(super) fn has_labels(
    context: &mut Context<'_>,
    of: &Expr,
    labels: &Labels,
    row: &mut [Value],
) -> Result<Value, Fault> {
    let of = eval(context, of, row)?;
    match &of {
        Value::Null => Ok(Value::Null),
        Value::Node(node) => node_has(context, node.id(), labels, row),
        Value::Relationship(relationship) => {
            let of = context.graph.relationship_type(relationship.id())?;
            let held = type_is(context, &of, labels, row)?;
            Ok(held.map_or(Value::Null, Value::Bool))
        }
        other => Err(wrong_kind(
            "only nodes and relationships have labels and types",
            other,
        )),
    }
}

fn node_has(
    context: &mut Context<'_>,
    node: NodeId,
    labels: &Labels,
    row: &mut [Value],
) -> Result<Value, Fault> {
    // One label is one look into its set; of several the node's own list is read once.
    let held = match labels {
        Labels::Name(name) => Some(context.graph.has_label(node, name)?),
        labels => {
            let own = context.graph.labels(node)?;
            holds(context, &own, labels, row)?
        }
    };
    Ok(held.map_or(Value::Null, Value::Bool))
}

/// Whether a relationship's type fits: a type is the only one of its labels.
fn type_is(
    context: &mut Context<'_>,
    of: &Arc<str>,
    labels: &Labels,
    row: &mut [Value],
) -> Result<Option<bool>, Fault> {
    holds(context, std::slice::from_ref(of), labels, row)
}

fn holds(
    context: &mut Context<'_>,
    own: &[Arc<str>],
    labels: &Labels,
    row: &mut [Value],
) -> Result<Option<bool>, Fault> {
    let has = |name: &str| own.iter().any(|label| **label == *name);
    Ok(match labels {
        Labels::Name(name) => Some(has(name)),
        Labels::Any => Some(!own.is_empty()),
        Labels::Not(of) => holds(context, own, of, row)?.map(|held| !held),
        Labels::And(parts) => {
            let mut held = Some(true);
            for part in parts {
                let part = holds(context, own, part, row)?;
                held = crate::query::functions::operators::and(held, part);
            }
            held
        }
        Labels::Or(parts) => {
            let mut held = Some(false);
            for part in parts {
                let part = holds(context, own, part, row)?;
                held = crate::query::functions::operators::or(held, part);
            }
            held
        }
        Labels::Dynamic(of) => match eval(context, of, row)? {
            Value::Null => None,
            Value::String(name) => Some(has(&name)),
            Value::List(names) => {
                let mut all = true;
                for name in names.iter() {
                    let Some(name) = name.as_str() else {
                        return Err(wrong_kind("labels are named by strings", name));
                    };
                    all &= has(name);
                }
                Some(all)
            }
            other => return Err(wrong_kind("labels are named by strings", &other)),
        },
    })
}

/// `n {.name, .*, key: value}`.
pub(super) fn map_projection(
    context: &mut Context<'_>,
    of: &Expr,
    items: &[Projected],
    row: &mut [Value],
) -> Result<Value, Fault> {
    let of = eval(context, of, row)?;
    if of.is_null() {
        return Ok(Value::Null);
    }
    let mut map = BTreeMap::new();
    for item in items {
        match item {
            Projected::Property(key) => {
                let value = property_of(context, &of, key)?;
                map.insert(Arc::clone(key), value);
            }
            Projected::All => match (&of, entity(&of)) {
                (_, Some(entity)) => map.extend(context.graph.properties(entity)?),
                (Value::Map(entries), None) => {
                    let entries = entries.iter();
                    map.extend(entries.map(|(key, value)| (Arc::clone(key), value.clone())));
                }
                (other, None) => return Err(wrong_kind("a map projection needs a map", other)),
            },
            Projected::Entry(key, value) => {
                let value = eval(context, value, row)?;
                map.insert(Arc::clone(key), value);
            }
        }
    }
    limits::map_of(map)
}
