//! Breadth first: each node is reached once, by all of its shortest ways.
//!
//! Next: `between.rs`.

use super::between::between;
use super::shortest::{Ground, Way};
use crate::query::error::Fault;
use crate::query::plan::{Arrow, ExpandMany, SelectorKind};
use crate::value::{NodeId, RelationshipId};
use std::collections::HashMap;

/// About how many bytes a node that was reached takes.
const REACHED_BYTES: usize = 96;

/// The nodes that were reached, and the ways to them that are still to be given.
pub(super) struct Breadth {
    reached: AllReached,
    /// Where ways are to be given to, the last first.
    targets: Vec<NodeId>,
    /// The way that is being walked back: nodes, and which of the relationships that lead there is next.
    back: Vec<(NodeId, usize)>,
    way: Vec<RelationshipId>,
}

/// Nodes that were reached.
pub(super) type AllReached = HashMap<NodeId, Reached>;

/// A node that was reached.
pub(super) struct Reached {
    pub(super) distance: u64,
    /// The relationships that lead here from nodes one step nearer.
    pub(super) before: Vec<(NodeId, RelationshipId)>,
}

impl Reached {
    /// Where a search begins.
    pub(super) fn start() -> Self {
        Self {
            distance: 0,
            before: Vec::new(),
        }
    }
}

/// Steps from some nodes of a level to the next one: the nodes that are reached for the first time. One way to each is
/// enough, or all are wanted.
pub(super) fn step(
    (link, arrow): (&ExpandMany, Arrow),
    (level, distance): (&[NodeId], u64),
    (reached, one_is_enough): (&mut AllReached, bool),
    ground: &mut Ground<'_, '_, '_>,
) -> Result<Vec<NodeId>, Fault> {
    let (mut next, mut neighbours) = (Vec::new(), Vec::new());
    for node in level.iter().copied() {
        ground.neighbours((link, arrow), node, &mut neighbours)?;
        for neighbour in &neighbours {
            let step = (node, neighbour.relationship);
            let place = (neighbour.node, distance);
            if arrive(place, step, (reached, one_is_enough), ground)? {
                next.push(neighbour.node);
            }
        }
    }
    Ok(next)
}

/// Comes to a node so far away by a step; whether for the first time. Who comes to it later has no shortest way.
pub(super) fn arrive(
    (node, distance): (NodeId, u64),
    step: (NodeId, RelationshipId),
    (reached, one_is_enough): (&mut AllReached, bool),
    ground: &mut Ground<'_, '_, '_>,
) -> Result<bool, Fault> {
    match reached.get_mut(&node) {
        None => {
            ground.site.charge(REACHED_BYTES)?;
            let before = vec![step];
            reached.insert(node, Reached { distance, before });
            return Ok(true);
        }
        Some(known) if known.distance == distance && !one_is_enough => {
            ground.site.charge(size_of_val(&step))?;
            known.before.push(step);
        }
        Some(_) => {}
    }
    Ok(false)
}

impl Breadth {
    /// Reaches one node, or all.
    pub(super) fn search(
        link: &ExpandMany,
        (from, to): (NodeId, Option<NodeId>),
        ground: &mut Ground<'_, '_, '_>,
    ) -> Result<Self, Fault> {
        let (min, max) = (link.min, link.max);
        let first_is_enough = matches!(
            ground.of.kind,
            SelectorKind::Any(1) | SelectorKind::Shortest(1)
        );
        if let Some(to) = to.filter(|to| ground.of.from_both && *to != from) {
            let reached = between(link, (from, to), first_is_enough, ground)?;
            let found = reached.contains_key(&to).then_some(to);
            return Ok(Self {
                reached,
                targets: found.into_iter().collect(),
                back: Vec::new(),
                way: Vec::new(),
            });
        }
        let mut reached = HashMap::from([(from, Reached::start())]);
        let mut order = Vec::new();
        if min == 0 {
            order.push(from);
        }
        let mut frontier = vec![from];
        let mut distance = 0;
        let there = |reached: &AllReached| to.is_some_and(|to| reached.contains_key(&to));
        while !frontier.is_empty() && max.is_none_or(|max| distance < max) && !there(&reached) {
            distance += 1;
            let next = step(
                (link, link.arrow),
                (&frontier, distance),
                (&mut reached, first_is_enough),
                ground,
            )?;
            order.extend_from_slice(&next);
            frontier = next;
        }
        if let Some(to) = to {
            order.retain(|node| *node == to);
        }
        order.reverse();
        Ok(Self {
            reached,
            targets: order,
            back: Vec::new(),
            way: Vec::new(),
        })
    }

    /// The next way.
    pub(super) fn next(&mut self, kind: SelectorKind) -> Option<Way> {
        loop {
            let target = self.targets.last().copied()?;
            if self.back.is_empty() {
                self.back.push((target, 0));
            }
            let way = self.walk_back();
            let done =
                way.is_none() || matches!(kind, SelectorKind::Any(_) | SelectorKind::Shortest(_));
            if done {
                self.back.clear();
                self.way.clear();
            }
            if done || self.back.is_empty() {
                self.targets.pop();
            }
            if let Some(way) = way {
                return Some((target, way));
            }
        }
    }

    /// Walks back to the start, along the next way that was not walked.
    fn walk_back(&mut self) -> Option<Vec<RelationshipId>> {
        while let Some((node, next)) = self.back.last_mut() {
            let reached = self.reached.get(node)?;
            if let Some((before, relationship)) = reached.before.get(*next) {
                *next += 1;
                self.way.push(*relationship);
                self.back.push((*before, 0));
                continue;
            }
            let found = (reached.distance == 0).then(|| self.way.iter().rev().copied().collect());
            self.back.pop();
            self.way.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// How much it holds.
    pub(super) fn bytes(&self) -> usize {
        let before = self.reached.values().map(|reached| reached.before.len());
        self.reached.len() * REACHED_BYTES
            + before.sum::<usize>() * size_of::<(NodeId, RelationshipId)>()
    }
}
