//! Which headings the words of the question lie under.

use std::collections::{BTreeMap, HashMap};

use roaring::RoaringTreemap;
use stratigraph::graph::Entity;
use stratigraph::{NodeId, Read};

use super::super::{Bm25, Desk, Item, RetrieveError, Scale, Score};
use super::parents;
use crate::cosine::cosine;

/// So many chunks that have words of the question say which headings they lie under.
const MOST_CHUNKS: usize = 200;

/// Sections by what the chunks in them say of the question, however deep these lie: the share of the best chunk's BM25.
pub(super) struct Said {
    weight: f32,
    shares: HashMap<u64, f32>,
    /// Documents by what stands in them under no heading.
    bare: BTreeMap<u64, f32>,
}

impl Said {
    pub(super) fn of<R: Read>(
        desk: &Desk<'_, R>,
        sections: &RoaringTreemap,
        weight: f32,
    ) -> Result<Self, RetrieveError> {
        let mut said = Self {
            weight,
            shares: HashMap::new(),
            bare: BTreeMap::new(),
        };
        if weight <= 0.0 {
            return Ok(said);
        }
        let chunks = Bm25::new(MOST_CHUNKS).run(desk)?;
        let best = chunks.first().map_or(1.0, |chunk| chunk.score.value);
        let shares = chunks
            .iter()
            .map(|chunk| (chunk.entity.number(), chunk.score.value / best));
        let mut below: HashMap<u64, f32> = shares.collect();
        let mut is_first = true;
        while !below.is_empty() {
            let edge: RoaringTreemap = below.keys().copied().collect();
            let mut above = HashMap::new();
            for (of, parent) in parents(desk.read(), &edge)? {
                let share = below.get(&of.get()).copied().unwrap_or_default();
                if is_first && !sections.contains(parent.get()) {
                    let known = said.bare.entry(parent.get()).or_default();
                    *known = known.max(share);
                }
                // Who has said as much of it has said so of what is above it.
                if raise(&mut said.shares, parent.get(), share) {
                    raise(&mut above, parent.get(), share);
                }
            }
            (below, is_first) = (above, false);
        }
        Ok(said)
    }

    /// The documents that have the words under no heading, the best first: no level of headings leads to these texts.
    pub(super) fn bare(&self, most: usize) -> Vec<Item> {
        let documents = self.bare.iter();
        let mut documents: Vec<Item> = documents
            .map(|(id, share)| {
                let score = Scale::Weighted.score(self.weight * share);
                Item::found(NodeId::new(*id), score)
            })
            .collect();
        documents.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        documents.truncate(most);
        documents
    }

    /// The best of these by their headings and by what lies in them. `near` are the nearest by their headings.
    pub(super) fn join<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        (near, among): (Vec<Item>, &RoaringTreemap),
        (above, most): (Option<f32>, usize),
    ) -> Result<Vec<Item>, RetrieveError> {
        if self.shares.is_empty() {
            return Ok(near);
        }
        let found: RoaringTreemap = near.iter().map(|item| item.entity.number()).collect();
        let others = self.shares.keys().copied();
        let others = others.filter(|id| among.contains(*id) && !found.contains(*id));
        let mut others: Vec<Entity> = others.map(|id| NodeId::new(id).into()).collect();
        others.sort_unstable();
        let vectors = desk.read().vectors_of(&others, "embedding")?;
        let mut items = near;
        for (other, vector) in others.into_iter().zip(vectors) {
            let near = match vector {
                Some(vector) => cosine(desk.vector()?, vector.as_slice()),
                None => None,
            };
            let near = near.unwrap_or_default();
            if above.is_none_or(|above| near > above) {
                items.push(Item::found(other, Scale::Cosine.score(near)));
            }
        }
        for item in &mut items {
            item.score = self.score(item.entity, item.score.value);
        }
        items.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        items.truncate(most);
        Ok(items)
    }

    fn score(&self, section: Entity, cosine: f32) -> Score {
        let share = self.shares.get(&section.number()).copied();
        Scale::Weighted.score(cosine + self.weight * share.unwrap_or_default())
    }
}

/// Whether it is more than what was there.
fn raise(shares: &mut HashMap<u64, f32>, of: u64, share: f32) -> bool {
    let known = shares.entry(of).or_default();
    let is_more = share > *known;
    *known = known.max(share);
    is_more
}
