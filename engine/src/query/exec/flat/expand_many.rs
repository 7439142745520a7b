//! Along relationships of variable length: all trails, depth first.
//!
//! The trail is a list and not a recursion: it may be as long as the graph is large.
//!
//! Next: `follow.rs`, for a list that is known already.

use super::apart::Apart;
use super::follow::follow;
use super::{Flat, is_node, node_in};
use crate::graph::Neighbour;
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::context::Context;
use crate::query::exec::eval::is_true;
use crate::query::exec::graph::direction;
use crate::query::exec::stage::Site;
use crate::query::plan::ExpandMany;
use crate::value::{NodeId, NodeValue, RelationshipId, RelationshipValue, Value};
use std::collections::HashSet;

/// The trail that is being walked, and what lies beside it.
#[derive(Default)]
pub(in crate::query::exec) struct Trails {
    /// What is left to be tried at each node of the trail: parts of `neighbours`.
    steps: Vec<Step>,
    /// What the nodes of the trail are connected to, one after the other.
    neighbours: Vec<Neighbour>,
    trail: Vec<RelationshipId>,
    used: HashSet<RelationshipId>,
    apart: Apart,
    /// A result that is ready: nothing walked at all, or a list that was followed.
    ready: Option<NodeId>,
}

/// A node of the trail.
#[derive(Clone, Copy)]
struct Step {
    /// Where its neighbours begin.
    start: usize,
    /// The next one to be tried.
    next: usize,
}

impl Trails {
    /// Stands at a node, whose relationships are tried next.
    fn enter(
        &mut self,
        of: &ExpandMany,
        node: NodeId,
        site: &mut Site<'_, '_>,
    ) -> Result<(), Fault> {
        let start = self.neighbours.len();
        let graph = &site.context.graph;
        graph.neighbours(node, direction(of.arrow), &of.types, &mut self.neighbours)?;
        site.context.look(self.neighbours.len() - start)?;
        self.steps.push(Step { start, next: start });
        let trail = self.steps.len() * (size_of::<Step>() + 4 * size_of::<RelationshipId>());
        site.charge_in_all(self.neighbours.len() * size_of::<Neighbour>() + trail)
    }

    /// Goes back one step.
    fn leave(&mut self) {
        if let Some(step) = self.steps.pop() {
            self.neighbours.truncate(step.start);
        }
        self.step_back();
    }

    fn step_back(&mut self) {
        if let Some(relationship) = self.trail.pop() {
            self.used.remove(&relationship);
        }
    }

    /// The next relationship that the trail can go on along; nothing at the end of all trails.
    fn advance(
        &mut self,
        of: &ExpandMany,
        context: &mut Context<'_>,
        row: &mut [Value],
    ) -> Result<Option<Neighbour>, Fault> {
        while let Some(step) = self.steps.last_mut() {
            let Some(neighbour) = self.neighbours.get(step.next).copied() else {
                self.leave();
                continue;
            };
            step.next += 1;
            let relationship = neighbour.relationship;
            let taken = self.used.contains(&relationship) || self.apart.has(relationship);
            if !taken && fulfils(of, relationship, context, row)? {
                return Ok(Some(neighbour));
            }
        }
        Ok(None)
    }

    /// Adds a row that ends at a node, if it may end there.
    fn arrive(&self, of: &ExpandMany, node: NodeId, row: &[Value], out: &mut Batch) {
        if of.to_bound && !is_node(&row[of.to.at()], node) {
            return;
        }
        let new = out.push(row);
        new[of.to.at()] = Value::Node(NodeValue::of(node));
        if !of.bound {
            new[of.relationships.at()] = list_of(&self.trail, of.reversed);
        }
    }
}

/// Whether a relationship is as every one of them must be.
pub(super) fn fulfils(
    of: &ExpandMany,
    relationship: RelationshipId,
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<bool, Fault> {
    let Some((slot, condition)) = &of.each else {
        return Ok(true);
    };
    let value = Value::Relationship(RelationshipValue::of(relationship));
    let before = std::mem::replace(&mut row[slot.at()], value);
    let fulfils = is_true(context, condition, row);
    row[slot.at()] = before;
    fulfils
}

/// The list of some relationships.
pub(super) fn list_of(relationships: &[RelationshipId], reversed: bool) -> Value {
    let value = |id: &RelationshipId| Value::Relationship(RelationshipValue::of(*id));
    let relationships = relationships.iter();
    Value::List(match reversed {
        true => relationships.rev().map(value).collect(),
        false => relationships.map(value).collect(),
    })
}

impl Flat for Trails {
    type Of<'o> = &'o ExpandMany;

    fn begin(
        &mut self,
        of: &ExpandMany,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        self.steps.clear();
        self.neighbours.clear();
        self.trail.clear();
        self.used.clear();
        self.ready = None;
        let Some(from) = node_in(&row[of.from.at()])? else {
            return Ok(());
        };
        self.apart.fill(&of.apart_from, row);
        if of.bound {
            self.ready = follow(of, from, &self.apart, site.context, row)?;
            return Ok(());
        }
        if of.min == 0 {
            self.ready = Some(from);
        }
        if of.max != Some(0) && of.max.is_none_or(|max| max >= of.min) {
            self.enter(of, from, site)?;
        }
        Ok(())
    }

    fn give(
        &mut self,
        of: &ExpandMany,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        if let Some(node) = self.ready.take() {
            self.arrive(of, node, row, out);
        }
        while out.len() < site.frame.room {
            let Some(neighbour) = self.advance(of, site.context, row)? else {
                return Ok(true);
            };
            self.trail.push(neighbour.relationship);
            self.used.insert(neighbour.relationship);
            let length = self.trail.len() as u64;
            if length >= of.min {
                self.arrive(of, neighbour.node, row, out);
            }
            if of.max.is_none_or(|max| length < max) {
                self.enter(of, neighbour.node, site)?;
            } else {
                self.step_back();
            }
        }
        Ok(false)
    }
}
