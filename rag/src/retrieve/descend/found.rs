//! What a descent has kept so far, each with the way that led to it.

use std::collections::HashMap;

use roaring::RoaringTreemap;
use stratigraph::graph::Entity;
use stratigraph::{Direction, NodeId, Read};

use super::super::{Item, RetrieveError, Score};
use super::{Descent, DescentLevel, MOST, RECOVERED, parents};
use crate::build::LinkKind;

/// What was kept so far.
#[derive(Default)]
pub(super) struct Found {
    items: Vec<Item>,
    places: HashMap<Entity, usize>,
    /// What was kept on the last level.
    pub(super) edge: RoaringTreemap,
    pub(super) levels: Vec<DescentLevel>,
}

impl Found {
    /// Adds a node that lies in `parent`, which was kept before or is where its way begins.
    pub(super) fn add(
        &mut self,
        entity: Entity,
        parent: Option<u64>,
        by: &'static str,
        score: Score,
    ) {
        let parent = parent.map(|parent| Entity::from(NodeId::new(parent)));
        let item = match parent {
            Some(parent) => {
                let known = self.places.get(&parent).filter(|_| by != RECOVERED);
                let from = known.map(|place| self.items[*place].clone());
                let from = from.unwrap_or_else(|| Item::found(parent, score));
                let stepped = from.step(by, entity);
                Item { score, ..stepped }
            }
            None => Item::found(entity, score),
        };
        self.edge.insert(entity.number());
        self.places.insert(entity, self.items.len());
        self.items.push(item);
    }

    /// Adds what was kept and what was recovered of a level, each from the first of what it lies in.
    pub(super) fn add_level<R: Read>(
        &mut self,
        read: &R,
        kept: Vec<Item>,
        recovered: Vec<Item>,
    ) -> Result<(), RetrieveError> {
        self.edge.clear();
        let of = kept
            .iter()
            .chain(&recovered)
            .map(|item| item.entity.number());
        let mut lies_in: HashMap<u64, u64> = HashMap::new();
        for (of, parent) in parents(read, &of.collect())? {
            let first = lies_in.entry(of.get()).or_insert(parent.get());
            *first = parent.get().min(*first);
        }
        for (items, by) in [(kept, LinkKind::HasChild.name()), (recovered, RECOVERED)] {
            for item in items {
                let parent = lies_in.get(&item.entity.number()).copied();
                self.add(item.entity, parent, by, item.score);
            }
        }
        Ok(())
    }

    /// Adds the sections below those of the last level, with their scores.
    pub(super) fn all_below<R: Read>(
        &mut self,
        read: &R,
        sections: &RoaringTreemap,
    ) -> Result<(), RetrieveError> {
        let by = LinkKind::HasChild.name();
        while !self.edge.is_empty() {
            for above in std::mem::take(&mut self.edge) {
                let above = NodeId::new(above);
                let Some(place) = self.places.get(&above.into()) else {
                    continue;
                };
                let score = self.items[*place].score;
                for below in read.neighbours(above, Direction::Outgoing, Some(by))? {
                    let below = below?.node;
                    if self.items.len() >= MOST {
                        return Ok(());
                    }
                    if sections.contains(below.get()) {
                        self.add(below.into(), Some(above.get()), by, score);
                    }
                }
            }
        }
        Ok(())
    }

    /// The nearest first; of equals those of the higher level, and of one level the smaller id.
    pub(super) fn descent(self) -> Descent {
        let Self {
            mut items, levels, ..
        } = self;
        items.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        Descent { items, levels }
    }
}
