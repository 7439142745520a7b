//! Creating nodes and relationships, and what `MERGE` must not look for.
//!
//! Next: `set.rs`.

use super::refusal::refused;
use super::written::{Properties, labels, properties, relationship_type};
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::{Context, eval};
use crate::query::expr::{Expr, ExprKind, Slot, Span};
use crate::query::functions::operators::with_article;
use crate::query::plan::CreateItem;
use crate::value::{NodeId, NodeValue, RelationshipValue, Value};

/// Creates what is written, in order, and fills its slots.
pub(crate) fn create(
    context: &mut Context<'_>,
    items: &[CreateItem],
    row: &mut [Value],
) -> Result<(), Fault> {
    for item in items {
        let (into, made) = match item {
            CreateItem::Node {
                into,
                labels: written,
                properties,
                span,
            } => {
                let labels = labels(context, written, row)?;
                let properties = given(context, properties.as_ref(), row)?;
                let (labeled, set) = (labels.len() as u64, properties.len() as u64);
                let created = context.graph.writer()?.create_node(labels, properties);
                let node = created.map_err(|error| refused(error).at(*span))?;
                context.counters.nodes_created += 1;
                context.counters.labels_added += labeled;
                context.counters.properties_set += set;
                (*into, Value::Node(NodeValue::of(node)))
            }
            CreateItem::Relationship {
                into,
                from,
                to,
                relationship_type: written,
                properties,
                span,
            } => {
                let source = end(context, row, *from, *span)?;
                let target = end(context, row, *to, *span)?;
                let of = relationship_type(context, written, row)?;
                let properties = given(context, properties.as_ref(), row)?;
                let set = properties.len() as u64;
                let writer = context.graph.writer()?;
                let created = writer.create_relationship(source, &of, target, properties);
                let relationship = created.map_err(|error| refused(error).at(*span))?;
                context.counters.relationships_created += 1;
                context.counters.properties_set += set;
                (
                    *into,
                    Value::Relationship(RelationshipValue::of(relationship)),
                )
            }
        };
        row[into.at()] = made;
    }
    Ok(())
}

/// The properties of something new: those that are null are left out.
fn given(
    context: &mut Context<'_>,
    written: Option<&Expr>,
    row: &mut [Value],
) -> Result<Properties, Fault> {
    let Some(written) = written else {
        return Ok(Properties::new());
    };
    let mut properties = properties(context, written, row)?;
    properties.retain(|_, value| !value.is_null());
    Ok(properties)
}

/// The node at an end of a new relationship.
fn end(context: &Context<'_>, row: &[Value], slot: Slot, span: Span) -> Result<NodeId, Fault> {
    match &row[slot.at()] {
        Value::Node(node) if context.graph.is_deleted(node.id()) => {
            Err(crate::query::exec::face::deleted(node.id().into()).at(span))
        }
        Value::Node(node) => Ok(node.id()),
        Value::Null => {
            let message = "a relationship needs a node at each end, and one of these is null";
            let hint =
                "filter the rows in which it is null before, as OPTIONAL MATCH may leave them";
            let fault = raise(Detail::InvalidArgumentValue, message);
            Err(fault.hint(hint).at(span))
        }
        other => {
            let kind = with_article(other.kind());
            let message =
                format!("a relationship needs a node at each end, and one of these is {kind}");
            Err(raise(Detail::InvalidArgumentType, message).at(span))
        }
    }
}

/// Refuses properties that are null: nothing would ever be found by them, so `MERGE` would create the same
/// again and again.
pub(crate) fn check_merge(
    context: &mut Context<'_>,
    items: &[CreateItem],
    row: &mut [Value],
) -> Result<(), Fault> {
    for item in items {
        let (CreateItem::Node { properties, .. } | CreateItem::Relationship { properties, .. }) =
            item;
        let Some(written) = properties else {
            continue;
        };
        let Value::Map(entries) = eval(context, written, row)? else {
            continue;
        };
        let Some((key, _)) = entries.iter().find(|(_, value)| value.is_null()) else {
            continue;
        };
        let span = match &written.kind {
            ExprKind::Map(entries) => entries.iter().find(|(known, _)| known == key),
            _ => None,
        };
        let span = span.map_or(written.span, |(_, value)| value.span);
        let message = format!("MERGE cannot look for something whose {key} is null");
        let hint = "leave the property out, or set it with ON CREATE SET";
        let fault = raise(Detail::MergeReadOwnWrites, message);
        return Err(fault.hint(hint).at(span));
    }
    Ok(())
}
