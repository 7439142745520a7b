//! From a relationship that is known to its ends.
//!
//! Next: `expand_many.rs`.

use super::apart::Apart;
use super::{Flat, is_node};
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::stage::Site;
use crate::query::plan::{Arrow, Ends};
use crate::value::{NodeId, NodeValue, Value};

/// The ways that are still to be given.
#[derive(Default)]
pub(in crate::query::exec) struct EndsOf {
    /// Last first.
    ways: Vec<(NodeId, NodeId)>,
    apart: Apart,
}

impl Flat for EndsOf {
    type Of<'o> = &'o Ends;

    fn begin(
        &mut self,
        of: &Ends,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        self.ways.clear();
        let Value::Relationship(relationship) = &row[of.relationship.at()] else {
            return Ok(());
        };
        let relationship = relationship.id();
        let graph = &site.context.graph;
        self.apart.fill(&of.apart_from, row);
        if graph.is_deleted(relationship) || self.apart.has(relationship) {
            return Ok(());
        }
        let Some((of_type, source, target)) = graph.stored_ends(relationship)? else {
            return Ok(());
        };
        if !graph.is_of_types(of_type, &of.types)? {
            return Ok(());
        }
        match of.arrow {
            Arrow::Right => self.ways.push((source, target)),
            Arrow::Left => self.ways.push((target, source)),
            Arrow::Either => {
                if source != target {
                    self.ways.push((target, source));
                }
                self.ways.push((source, target));
            }
        }
        self.ways.retain(|(from, to)| {
            (!of.from_bound || is_node(&row[of.from.at()], *from))
                && (!of.to_bound || is_node(&row[of.to.at()], *to))
                // One slot for both ends, before anything is in it.
                && (of.from != of.to || from == to)
        });
        site.context.look(1)
    }

    fn give(
        &mut self,
        of: &Ends,
        _: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        while let Some((from, to)) = self.ways.pop() {
            let new = out.push(row);
            new[of.from.at()] = Value::Node(NodeValue::of(from));
            new[of.to.at()] = Value::Node(NodeValue::of(to));
        }
        Ok(true)
    }
}
