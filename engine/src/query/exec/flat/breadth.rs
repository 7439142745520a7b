//! Breadth first: each node is reached once, by all of its shortest ways.
//!
//! Next: `field.rs`.

use super::shortest::{Ground, Way};
use crate::query::error::Fault;
use crate::query::plan::{ExpandMany, SelectorKind};
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
        link: &ExpandMany,
        (from, to): (NodeId, Option<NodeId>),
        ground: &mut Ground<'_, '_, '_>,
    ) -> Result<Self, Fault> {
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
                ground.neighbours(link, node, &mut neighbours)?;
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

    /// How much it holds.
    pub(super) fn bytes(&self) -> usize {
        let before = self.reached.values().map(|reached| reached.before.len());
        self.reached.len() * REACHED_BYTES
            + before.sum::<usize>() * size_of::<(NodeId, RelationshipId)>()
    }
}
