//! Trails in the order of their length, which may be very many: they are walked one by one, and those that
//! cannot come to the end any more are given up early.
//!
//! Next: `filter.rs`.

use super::shortest::{Ground, Way};
use crate::graph::Neighbour;
use crate::query::error::Fault;
use crate::query::plan::SelectorKind;
use crate::value::{NodeId, RelationshipId};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The trails that were begun.
pub(super) struct Layers {
    /// All trails, each as one step after another that is before it in the list.
    trails: Vec<Trail>,
    /// The first that was not looked at yet.
    next: usize,
    to: Option<NodeId>,
    max: Option<u64>,
    /// How far it is from each node to the end, if that is known.
    left: Option<HashMap<NodeId, u64>>,
    /// What was given for each end.
    given: HashMap<NodeId, Given>,
    neighbours: Vec<Neighbour>,
}

#[derive(Clone, Copy)]
struct Trail {
    before: usize,
    /// The last relationship; none for the trail that has not begun.
    last: Option<RelationshipId>,
    node: NodeId,
    length: u64,
}

#[derive(Clone, Copy, Default)]
struct Given {
    ways: u64,
    lengths: u64,
    length: u64,
}

impl Given {
    /// Whether one more way is wanted, of this length.
    fn wants(&self, kind: SelectorKind, length: u64) -> bool {
        let same = self.ways > 0 && self.length == length;
        match kind {
            SelectorKind::All => true,
            SelectorKind::Any(most) | SelectorKind::Shortest(most) => self.ways < most,
            SelectorKind::AllShortest => self.ways == 0 || same,
            SelectorKind::ShortestGroups(most) => same || self.lengths < most,
        }
    }

    fn note(&mut self, length: u64) {
        if self.ways == 0 || self.length != length {
            self.lengths += 1;
            self.length = length;
        }
        self.ways += 1;
    }
}

impl Layers {
    /// Trails from a node, to one node or to all.
    pub(super) fn new(
        from: NodeId,
        to: Option<NodeId>,
        max: Option<u64>,
        ground: &mut Ground<'_, '_, '_>,
    ) -> Result<Self, Fault> {
        let left = match to {
            Some(to) => Some(distances(to, max, ground)?),
            None => None,
        };
        let start = Trail {
            before: 0,
            last: None,
            node: from,
            length: 0,
        };
        Ok(Self {
            trails: vec![start],
            next: 0,
            to,
            max,
            left,
            given: HashMap::new(),
            neighbours: Vec::new(),
        })
    }

    /// The next way.
    pub(super) fn next(&mut self, ground: &mut Ground<'_, '_, '_>) -> Result<Option<Way>, Fault> {
        let (min, kind) = (ground.of.link.min, ground.of.kind);
        while let Some(trail) = self.trails.get(self.next).copied() {
            if let Some(given) = self.to.and_then(|to| self.given.get(&to)) {
                // Later trails are as long or longer.
                if !given.wants(kind, trail.length) {
                    self.trails.clear();
                    return Ok(None);
                }
            }
            self.go_on(self.next, ground)?;
            self.next += 1;
            if trail.length < min || self.to.is_some_and(|to| to != trail.node) {
                continue;
            }
            let given = self.given.entry(trail.node).or_default();
            if given.wants(kind, trail.length) {
                given.note(trail.length);
                return Ok(Some((trail.node, self.way(trail))));
            }
        }
        Ok(None)
    }

    /// Adds the trails that are one step longer.
    fn go_on(&mut self, at: usize, ground: &mut Ground<'_, '_, '_>) -> Result<(), Fault> {
        let trail = self.trails[at];
        if self.max.is_some_and(|max| trail.length >= max) {
            return Ok(());
        }
        let mut neighbours = std::mem::take(&mut self.neighbours);
        ground.neighbours(trail.node, false, &mut neighbours)?;
        let length = trail.length + 1;
        let before = self.trails.len();
        for neighbour in &neighbours {
            if self.can_arrive(neighbour.node, length) && !self.has(trail, neighbour.relationship) {
                self.trails.push(Trail {
                    before: at,
                    last: Some(neighbour.relationship),
                    node: neighbour.node,
                    length,
                });
            }
        }
        self.neighbours = neighbours;
        let added = self.trails.len() - before;
        ground.site.charge(added * size_of::<Trail>())
    }

    fn can_arrive(&self, node: NodeId, length: u64) -> bool {
        let Some(left) = &self.left else { return true };
        let Some(left) = left.get(&node) else {
            return false;
        };
        self.max
            .is_none_or(|max| length.saturating_add(*left) <= max)
    }

    /// Whether the trail has a relationship already.
    fn has(&self, mut trail: Trail, relationship: RelationshipId) -> bool {
        while let Some(last) = trail.last {
            if last == relationship {
                return true;
            }
            trail = self.trails[trail.before];
        }
        false
    }

    fn way(&self, mut trail: Trail) -> Vec<RelationshipId> {
        let mut way = Vec::new();
        while let Some(last) = trail.last {
            way.push(last);
            trail = self.trails[trail.before];
        }
        way.reverse();
        way
    }
}

/// How far it is from each node to the end, up to the greatest length.
fn distances(
    to: NodeId,
    max: Option<u64>,
    ground: &mut Ground<'_, '_, '_>,
) -> Result<HashMap<NodeId, u64>, Fault> {
    let mut left = HashMap::from([(to, 0)]);
    let (mut frontier, mut neighbours) = (vec![to], Vec::new());
    let mut distance = 0;
    while !frontier.is_empty() && max.is_none_or(|max| distance < max) {
        distance += 1;
        let mut next = Vec::new();
        for node in frontier {
            ground.neighbours(node, true, &mut neighbours)?;
            for neighbour in &neighbours {
                if let Entry::Vacant(entry) = left.entry(neighbour.node) {
                    ground.site.charge(2 * size_of::<(NodeId, u64)>())?;
                    entry.insert(distance);
                    next.push(neighbour.node);
                }
            }
        }
        frontier = next;
    }
    Ok(left)
}
