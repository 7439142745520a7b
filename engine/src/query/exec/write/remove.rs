//! `REMOVE`: properties and labels. What is not there is fine.
//!
//! Next: `delete.rs`.

use super::refusal::refused;
use super::set::labeled;
use super::written::{changed, key, labels};
use crate::graph::Entity;
use crate::query::error::Fault;
use crate::query::exec::{Context, eval};
use crate::query::expr::Span;
use crate::query::graph_face::GraphFace;
use crate::query::plan::RemoveItem;
use crate::value::Value;

/// Removes what is written, in order.
pub(crate) fn remove(
    context: &mut Context<'_>,
    items: &[RemoveItem],
    row: &mut [Value],
) -> Result<(), Fault> {
    for item in items {
        match item {
            RemoveItem::Property { of, key: by } => {
                let owner = eval(context, of, row)?;
                let Some(entity) = changed(&owner, of.span)? else {
                    continue;
                };
                let key = key(context, by, row)?;
                let there = existing(context, entity, [&*key], of.span)?;
                let removed = context.graph.writer()?.remove_property(entity, &key);
                removed.map_err(|error| refused(error).at(by.span))?;
                context.counters.properties_set += there;
            }
            RemoveItem::Labels {
                of,
                labels: written,
                span,
            } => {
                let Some(node) = labeled(&row[of.at()], *span)? else {
                    continue;
                };
                for label in labels(context, written, row)? {
                    let has = context.graph.has_label(node, &label);
                    if !has.map_err(|fault| fault.at(*span))? {
                        continue;
                    }
                    let removed = context.graph.writer()?.remove_label(node, &label);
                    removed.map_err(|error| refused(error).at(*span))?;
                    context.counters.labels_removed += 1;
                }
            }
        }
    }
    Ok(())
}

/// How many of these properties are there: only those are changed when they are removed.
pub(super) fn existing<'k>(
    context: &Context<'_>,
    entity: Entity,
    keys: impl IntoIterator<Item = &'k str>,
    span: Span,
) -> Result<u64, Fault> {
    let mut count = 0;
    for key in keys {
        let value = context.graph.property(entity, key);
        let value = value.map_err(|fault| fault.at(span))?;
        count += u64::from(!value.is_null());
    }
    Ok(count)
}
