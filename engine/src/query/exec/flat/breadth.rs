//! Breadth first: each node is reached once, by all of its shortest ways.
//!
//! Next: `layers.rs`.

use super::shortest::{Ground, Way};
use crate::query::error::Fault;
use crate::query::plan::{Arrow, SelectorKind};
use crate::value::{NodeId, RelationshipId};
use std::collections::HashMap;

/// About how many bytes a node that was reached takes.
const REACHED_BYTES: usize = 96;

/// The nodes that were reached, and the ways to them that are still to be given.
pub(super) struct Breadth {
    reached: HashMap<NodeId, Reached>,
    /// Where ways are to be given to, the last first.
    targets: Vec<NodeId>,
    /// The way that is being walked back: nodes, and which of the relationships that lead there is next.
    back: Vec<(NodeId, usize)>,
    way: Vec<RelationshipId>,
}

struct Reached {
    distance: u64,
    /// The relationships that lead here from nodes one step nearer.
    before: Vec<(NodeId, RelationshipId)>,
}

impl Breadth {
    /// Reaches one node, or all.
    pub(super) fn search(
        from: NodeId,
        to: Option<NodeId>,
        ground: &mut Ground<'_, '_, '_>,
    ) -> Result<Self, Fault> {
        let link = &ground.of.link;
        let (min, max) = (link.min, link.max);
        let first_is_enough = matches!(
            ground.of.kind,
            SelectorKind::Any(1) | SelectorKind::Shortest(1)
        );
        let start = Reached {
            distance: 0,
            before: Vec::new(),
        };
        let mut reached = HashMap::from([(from, start)]);
        let mut order = Vec::new();
        if min == 0 {
            order.push(from);
        }
        let (mut frontier, mut neighbours) = (vec![from], Vec::new());
        let mut distance = 0;
        let there = |reached: &HashMap<_, _>| to.is_some_and(|to| reached.contains_key(&to));
        while !frontier.is_empty() && max.is_none_or(|max| distance < max) && !there(&reached) {
            distance += 1;
            let mut next = Vec::new();
            for node in frontier {
                ground.neighbours(node, false, &mut neighbours)?;
                for neighbour in &neighbours {
                    let step = (node, neighbour.relationship);
                    match reached.get_mut(&neighbour.node) {
                        None => {
                            ground.site.charge(REACHED_BYTES)?;
                            let before = vec![step];
                            reached.insert(neighbour.node, Reached { distance, before });
                            next.push(neighbour.node);
                        }
                        Some(known) if known.distance == distance && !first_is_enough => {
                            ground.site.charge(size_of_val(&step))?;
                            known.before.push(step);
                        }
                        Some(_) => {}
                    }
                }
            }
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

    /// How long the shortest way is that leads from a node back to it, without taking a relationship twice.
    ///
    /// Where relationships have a direction that is the shortest way round. Where they have none, it leaves along
    /// one and comes back along another: two ways that began differently, and a relationship between their ends.
    pub(super) fn round_trip(
        from: NodeId,
        ground: &mut Ground<'_, '_, '_>,
    ) -> Result<Option<u64>, Fault> {
        let max = ground.of.link.max;
        let either = ground.of.link.arrow == Arrow::Either;
        // How far each node is, by which relationship it was reached, and with which the way there began.
        let mut reached: HashMap<NodeId, (u64, RelationshipId, RelationshipId)> = HashMap::new();
        let (mut frontier, mut neighbours) = (vec![from], Vec::new());
        let (mut distance, mut best): (u64, Option<u64>) = (0, None);
        while !frontier.is_empty() && best.is_none_or(|best| 2 * distance < best.max(distance + 1))
        {
            let mut next = Vec::new();
            for node in frontier {
                ground.neighbours(node, false, &mut neighbours)?;
                let here = reached.get(&node).copied();
                for neighbour in &neighbours {
                    let taken = neighbour.relationship;
                    let begun = here.map_or(taken, |(_, _, begun)| begun);
                    let length = if neighbour.node == from {
                        // Back along the relationship that led here would be no round trip.
                        let same = either && here.is_some_and(|(_, by, _)| by == taken);
                        (!same).then_some(distance + 1)
                    } else if let Some((far, by, other)) = reached.get(&neighbour.node) {
                        let round = either && *other != begun && *by != taken;
                        round.then_some(distance + 1 + far)
                    } else {
                        ground.site.charge(REACHED_BYTES)?;
                        reached.insert(neighbour.node, (distance + 1, taken, begun));
                        next.push(neighbour.node);
                        None
                    };
                    best = match (best, length) {
                        (Some(best), Some(length)) => Some(best.min(length)),
                        (best, length) => best.or(length),
                    };
                }
            }
            frontier = next;
            distance += 1;
        }
        Ok(best.filter(|length| max.is_none_or(|max| *length <= max)))
    }
}
