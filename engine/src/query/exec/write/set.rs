//! `SET`: single properties, all properties, labels.
//!
//! Null has no properties and no labels, and setting them changes nothing.
//!
//! Next: `remove.rs`.

use super::refusal::refused;
use super::remove::existing;
use super::written::{changed, key, labels, properties};
use crate::graph::Entity;
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::{Context, eval};
use crate::query::expr::Span;
use crate::query::graph_face::GraphFace;
use crate::query::plan::SetItem;
use crate::value::{NodeId, Value};

/// Sets what is written, in order: each item sees what those before it have set.
pub(crate) fn set(
    context: &mut Context<'_>,
    items: &[SetItem],
    row: &mut [Value],
) -> Result<(), Fault> {
    for item in items {
        match item {
            SetItem::Property { of, key: by, value } => {
                let owner = eval(context, of, row)?;
                let Some(entity) = changed(&owner, of.span)? else {
                    continue;
                };
                let key = key(context, by, row)?;
                let value_is = eval(context, value, row)?;
                if value_is.is_null() {
                    let there = existing(context, entity, [&*key], of.span)?;
                    context.counters.properties_set += there;
                } else {
                    ensure_there(context, entity, of.span)?;
                    context.counters.properties_set += 1;
                }
                let changed = context.graph.writer()?.set_property(entity, &key, value_is);
                changed.map_err(|error| refused(error).at(value.span))?;
            }
            SetItem::Replace { of, value, span } => {
                let Some(entity) = changed(&row[of.at()], *span)? else {
                    continue;
                };
                let mut after = properties(context, value, row)?;
                after.retain(|_, value| !value.is_null());
                let before = context.graph.properties(entity);
                let before = before.map_err(|fault| fault.at(*span))?;
                let removed = before.keys().filter(|key| !after.contains_key(*key));
                let count = (removed.count() + after.len()) as u64;
                let replaced = context.graph.writer()?.replace_properties(entity, after);
                replaced.map_err(|error| refused(error).at(value.span))?;
                context.counters.properties_set += count;
            }
            SetItem::Add { of, value, span } => {
                let Some(entity) = changed(&row[of.at()], *span)? else {
                    continue;
                };
                let added = properties(context, value, row)?;
                ensure_there(context, entity, *span)?;
                let nulls = added.iter().filter(|(_, value)| value.is_null());
                let nulls: Vec<&str> = nulls.map(|(key, _)| &**key).collect();
                let mut count = (added.len() - nulls.len()) as u64;
                count += existing(context, entity, nulls, *span)?;
                let set = context.graph.writer()?.set_properties(entity, added);
                set.map_err(|error| refused(error).at(value.span))?;
                context.counters.properties_set += count;
            }
            SetItem::Labels {
                of,
                labels: written,
                span,
            } => {
                let Some(node) = labeled(&row[of.at()], *span)? else {
                    continue;
                };
                for label in labels(context, written, row)? {
                    let has = context.graph.has_label(node, &label);
                    if has.map_err(|fault| fault.at(*span))? {
                        continue;
                    }
                    let added = context.graph.writer()?.add_label(node, &label);
                    added.map_err(|error| refused(error).at(*span))?;
                    context.counters.labels_added += 1;
                }
            }
        }
    }
    Ok(())
}

/// Refuses what the query has deleted.
fn ensure_there(context: &Context<'_>, entity: Entity, span: Span) -> Result<(), Fault> {
    if context.graph.is_deleted(entity) {
        return Err(crate::query::exec::face::deleted(entity).at(span));
    }
    Ok(())
}

/// The node whose labels are to be changed; none for null.
pub(super) fn labeled(value: &Value, span: Span) -> Result<Option<NodeId>, Fault> {
    match changed(value, span)? {
        None => Ok(None),
        Some(Entity::Node(node)) => Ok(Some(node)),
        Some(Entity::Relationship(_)) => {
            let message = "only nodes have labels, and this is a relationship";
            let hint = "a relationship has one type for ever: create another one of the type that is wanted";
            Err(raise(Detail::InvalidArgumentType, message)
                .hint(hint)
                .at(span))
        }
    }
}
