//! Where a walk begins: nodes with shares, made of what was found.

use std::collections::HashMap;

use roaring::RoaringTreemap;
use stratigraph::graph::Entity;
use stratigraph::{Direction, NodeId, Read};

use super::super::{Along, Item, RetrieveError, Scale};
use crate::build::LinkKind;

/// What was found, by the nodes at which a walk begins for it.
pub(super) struct Seeds<'a, R> {
    read: &'a R,
    chunks: &'a RoaringTreemap,
    /// Chunks that the question is not about.
    closed: &'a RoaringTreemap,
    found: Vec<Seed>,
    places: HashMap<NodeId, usize>,
}

struct Seed {
    item: Item,
    node: NodeId,
    direct: f64,
    by_facts: f64,
    facts: f64,
}

/// What can be compared with what: kinds, and their scales.
type Alike = (Option<bool>, Scale);

impl<'a, R: Read> Seeds<'a, R> {
    pub(super) fn new(read: &'a R, chunks: &'a RoaringTreemap, closed: &'a RoaringTreemap) -> Self {
        Self {
            read,
            chunks,
            closed,
            found: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// Adds what was found; chunks count so much.
    pub(super) fn add(&mut self, from: &[Item], passages: f64) -> Result<(), RetrieveError> {
        let mut best: Vec<(Alike, f32)> = Vec::new();
        for item in from {
            let alike = self.alike(item);
            match best.iter_mut().find(|(other, _)| *other == alike) {
                Some((_, best)) => *best = best.max(item.score.value),
                None => best.push((alike, item.score.value)),
            }
        }
        for item in from {
            let alike = self.alike(item);
            let best = best.iter().find(|(other, _)| *other == alike);
            let Some((_, best)) = best.filter(|_| item.score.value > 0.0) else {
                continue;
            };
            let weight = f64::from(item.score.value / best);
            match item.entity {
                Entity::Node(node) if self.closed.contains(node.get()) => {}
                Entity::Node(node) => {
                    let factor = if self.chunks.contains(node.get()) {
                        passages
                    } else {
                        1.0
                    };
                    self.at(node, || item.clone()).direct += weight * factor;
                }
                Entity::Relationship(fact) => {
                    let Some(fact) = self.read.relationship_with(fact, &[])? else {
                        continue;
                    };
                    for end in [fact.source(), fact.target()] {
                        let seed = self.at(end, || item.step(Along::Facts.name(), end));
                        seed.by_facts += weight;
                        seed.facts += 1.0;
                    }
                }
            }
        }
        Ok(())
    }

    fn alike(&self, item: &Item) -> Alike {
        let node = item.entity.node();
        let is_chunk = node.map(|node| self.chunks.contains(node.get()));
        (is_chunk, item.score.scale)
    }

    fn at(&mut self, node: NodeId, item: impl FnOnce() -> Item) -> &mut Seed {
        let place = *self.places.entry(node).or_insert(self.found.len());
        if place == self.found.len() {
            self.found.push(Seed {
                item: item(),
                node,
                direct: 0.0,
                by_facts: 0.0,
                facts: 0.0,
            });
        }
        &mut self.found[place]
    }

    /// The shares, which make 1 together, of the nodes in the order in which they were named.
    pub(super) fn shares(self, specific: bool) -> Result<Vec<(Item, f64)>, RetrieveError> {
        let mut shares = Vec::with_capacity(self.found.len());
        for seed in self.found {
            let mut weight = seed.direct + seed.by_facts / seed.facts.max(1.0);
            if specific && !self.chunks.contains(seed.node.get()) {
                let mentions = Some(LinkKind::Mentions.name());
                let named = self.read.degree(seed.node, Direction::Incoming, mentions)?;
                weight /= named.max(1) as f64;
            }
            if weight > 0.0 {
                shares.push((seed.item, weight));
            }
        }
        let all: f64 = shares.iter().map(|(_, weight)| weight).sum();
        shares.iter_mut().for_each(|(_, weight)| *weight /= all);
        Ok(shares)
    }
}
