//! `DELETE`: collected for all rows first, then done.
//!
//! So nodes and the relationships between them may come in any order, and a row sees what a row before it
//! deletes. Relationships go before nodes; what is gone already is fine.
//!
//! Next: `exec/pipeline.rs`, which runs the operators.

use super::refusal::refused;
use crate::error::Error;
use crate::graph::{Direction, Entity};
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::{Context, DeletedRelationship, Deletions, eval};
use crate::query::expr::{Expr, Span};
use crate::query::functions::operators::with_article;
use crate::value::{NodeId, RelationshipId, Value};
use std::sync::Arc;

/// About what it takes to remember that something was deleted.
const REMEMBERED_BYTES: usize = 64;

/// Collects what is to be deleted for a row.
pub(crate) fn delete(
    context: &mut Context<'_>,
    detach: bool,
    items: &[Expr],
    row: &mut [Value],
) -> Result<(), Fault> {
    context.deletions.detach = detach;
    for item in items {
        match eval(context, item, row)? {
            Value::Null => {}
            Value::Node(node) => collect(context, node.id(), item)?,
            Value::Relationship(one) => collect(context, one.id(), item)?,
            Value::Path(path) => {
                for one in path.relationships() {
                    collect(context, one.id(), item)?;
                }
                for node in path.nodes() {
                    collect(context, node.id(), item)?;
                }
            }
            other => {
                let kind = with_article(other.kind());
                let message = format!(
                    "only nodes, relationships and paths can be deleted, and this is {kind}"
                );
                let fault = raise(Detail::InvalidArgumentType, message);
                let fault = match other {
                    Value::List(_) => {
                        fault.hint("UNWIND the list, and delete each of its elements")
                    }
                    Value::Map(_) => {
                        fault.hint("name the entry that is to be deleted, as in map.key")
                    }
                    _ => fault.hint("to remove a property, say REMOVE or set it to null"),
                };
                return Err(fault.at(item.span));
            }
        }
    }
    Ok(())
}

fn collect(context: &mut Context<'_>, entity: impl Into<Entity>, item: &Expr) -> Result<(), Fault> {
    let entity = entity.into();
    if context.graph.is_deleted(entity) {
        return Ok(());
    }
    let new = match entity {
        Entity::Node(node) => context.deletions.nodes.insert(node),
        Entity::Relationship(one) => context.deletions.relationships.insert(one),
    };
    if new {
        context
            .memory
            .charge(REMEMBERED_BYTES)
            .map_err(|fault| fault.at(item.span))?;
    }
    Ok(())
}

/// Deletes what was collected. A node that still has relationships is gone for the rest of the statement, and
/// may keep them until its end: another clause may delete them.
pub(crate) fn apply_deletions(context: &mut Context<'_>, span: Span) -> Result<(), Fault> {
    let Deletions {
        nodes,
        relationships,
        detach,
    } = std::mem::take(&mut context.deletions);
    for relationship in relationships {
        delete_relationship(context, relationship)?;
    }
    let mut found = Vec::new();
    for node in nodes {
        context.look(1)?;
        // Something that was never there, or that was deleted with another path.
        if context.graph.is_deleted(node) || !context.graph.contains(node)? {
            continue;
        }
        if detach {
            found.clear();
            let graph = &context.graph;
            graph.neighbours(node, Direction::Both, &None, &mut found)?;
            for neighbour in &found {
                context.memory.charge(REMEMBERED_BYTES)?;
                delete_relationship(context, neighbour.relationship)?;
            }
        }
        delete_node(context, node, span)?;
    }
    Ok(())
}

fn delete_node(context: &mut Context<'_>, node: NodeId, span: Span) -> Result<(), Fault> {
    match context.graph.writer()?.delete_node(node) {
        Err(Error::HasRelationships { .. }) => {
            context.connected.insert(node, span);
        }
        deleted => deleted.map_err(refused)?,
    }
    context.graph.note_deleted_node(node);
    context.counters.nodes_deleted += 1;
    Ok(())
}

/// At the end of a statement, or of what is committed of it: no relationship may be left of a deleted node.
pub(crate) fn settle(context: &mut Context<'_>) -> Result<(), Fault> {
    for (node, span) in std::mem::take(&mut context.connected) {
        let deleted = context.graph.writer()?.delete_node(node);
        deleted.map_err(|error| refused(error).at(span))?;
    }
    Ok(())
}

fn delete_relationship(
    context: &mut Context<'_>,
    relationship: RelationshipId,
) -> Result<(), Fault> {
    context.look(1)?;
    // A loop is seen from both of its ends.
    if context.graph.is_deleted(relationship) {
        return Ok(());
    }
    let Some((of, source, target)) = context.graph.stored_ends(relationship)? else {
        return Ok(());
    };
    let name = context.graph.catalog()?.types.name(of).cloned();
    let deleted = context.graph.writer()?.delete_relationship(relationship);
    deleted.map_err(refused)?;
    let was = DeletedRelationship {
        relationship_type: name.unwrap_or_else(|| Arc::from("")),
        ends: (source, target),
    };
    context.graph.note_deleted_relationship(relationship, was);
    context.counters.relationships_deleted += 1;
    Ok(())
}
