//! Along a list of relationships that is known already.
//!
//! Next: `repeat.rs`.

use super::apart::Apart;
use super::expand_many::fulfils;
use crate::query::error::Fault;
use crate::query::exec::context::Context;
use crate::query::plan::{Arrow, ExpandMany};
use crate::value::{NodeId, Value};
use std::collections::HashSet;

/// Where the list leads from a node; nothing if it does not lead on from it, or is not as the pattern has it.
pub(super) fn follow(
    of: &ExpandMany,
    from: NodeId,
    apart: &Apart,
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Option<NodeId>, Fault> {
    let Value::List(list) = row[of.relationships.at()].clone() else {
        return Ok(None);
    };
    let length = list.len() as u64;
    if length < of.min || of.max.is_some_and(|max| length > max) {
        return Ok(None);
    }
    let mut seen = HashSet::with_capacity(list.len());
    let mut node = from;
    for at in 0..list.len() {
        let at = if of.reversed { list.len() - 1 - at } else { at };
        let Value::Relationship(relationship) = &list[at] else {
            return Ok(None);
        };
        let relationship = relationship.id();
        context.look(1)?;
        let graph = &context.graph;
        if !seen.insert(relationship) || apart.has(relationship) || graph.is_deleted(relationship) {
            return Ok(None);
        }
        let Some((of_type, source, target)) = graph.stored_ends(relationship)? else {
            return Ok(None);
        };
        if !graph.is_of_types(of_type, &of.types)? {
            return Ok(None);
        }
        node = match of.arrow {
            Arrow::Right | Arrow::Either if source == node => target,
            Arrow::Left | Arrow::Either if target == node => source,
            _ => return Ok(None),
        };
        if !fulfils(of, relationship, context, row)? {
            return Ok(None);
        }
    }
    Ok(Some(node))
}
