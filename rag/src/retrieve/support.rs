//! From what is derived to the texts that it rests on.

use std::collections::{HashMap, HashSet};

use roaring::RoaringTreemap;
use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::index::text::Query;
use stratigraph::{NodeId, Read, TextSearch};

use super::grounds::{MOST_OF_ONE, TOGETHER, grounds};
use super::{Desk, Item, RetrieveError, Scale, is_nought};
use crate::build::CHUNK_TEXTS;
use crate::cosine::cosine;

/// The chunks that what was found rests on: those right under a heading, those that name an instance or an entity, those that state a
/// fact or speak of a domain. What is a chunk rests on itself.
///
/// They are many, and a heading is as near as it is whatever stands under it: so they are in the order of their own
/// cosines. Of those that several things rest on, the way of the first is told.
///
/// ```
/// use stratigraph_rag::retrieve::Support;
///
/// assert_eq!(Support::new(100), serde_json::from_str(r#"{"k": 100}"#).unwrap());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Support {
    /// So many are given.
    k: usize,
    /// How much it counts, beside its cosine, that a chunk has the words of the question: so much for the best of them.
    #[serde(default, skip_serializing_if = "is_nought")]
    words: f32,
}

/// So many chunks are compared with the question.
const MOST_COMPARED: usize = 10_000;

impl Support {
    /// At most `k`.
    pub fn new(k: usize) -> Self {
        Self { k, words: 0.0 }
    }

    /// Counts the words of the question, with this weight.
    pub fn words(mut self, weight: f32) -> Self {
        self.words = weight;
        self
    }

    /// Looks them up. Of equals those of what was found first are first.
    ///
    /// # Errors
    /// See [`RetrieveError`].
    pub fn run<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        items: &[Item],
    ) -> Result<Vec<Item>, RetrieveError> {
        let allowed = desk.allowed()?;
        let mut seen: HashSet<NodeId> = HashSet::new();
        let (mut chunks, mut ways) = (Vec::new(), Vec::new());
        for items in items.chunks(TOGETHER) {
            if chunks.len() == MOST_COMPARED {
                break;
            }
            let entities: Vec<Entity> = items.iter().map(|item| item.entity).collect();
            let grounds = grounds(desk.read(), &entities, MOST_OF_ONE)?;
            for item in items {
                let Some(ground) = grounds.get(&item.entity) else {
                    continue;
                };
                for chunk in ground.chunks.iter().copied() {
                    if chunks.len() == MOST_COMPARED {
                        break;
                    }
                    if !is_allowed(allowed, chunk) || !seen.insert(chunk) {
                        continue;
                    }
                    chunks.push(Entity::from(chunk));
                    ways.push((item, ground.by));
                }
            }
        }
        let vectors = desk.read().vectors_of(&chunks, "embedding")?;
        let mut found = Vec::with_capacity(chunks.len());
        for ((chunk, (item, by)), vector) in chunks.into_iter().zip(ways).zip(vectors) {
            let near = match vector {
                Some(vector) => cosine(desk.vector()?, vector.as_slice()),
                None => None,
            };
            let mut of_item = match chunk == item.entity {
                true => item.clone(),
                false => item.step(by, chunk),
            };
            of_item.score = Scale::Cosine.score(near.unwrap_or_default());
            found.push(of_item);
        }
        if self.words > 0.0 {
            self.count_words(desk, &mut found)?;
        }
        found.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        found.truncate(self.k);
        Ok(found)
    }

    fn count_words<R: Read>(
        &self,
        desk: &Desk<'_, R>,
        found: &mut [Item],
    ) -> Result<(), RetrieveError> {
        let chunks = found.iter().map(|item| item.entity.number());
        let chunks: RoaringTreemap = chunks.collect();
        let search = TextSearch::of(Query::term(desk.text()), found.len()).among(&chunks);
        let answer = desk.read().search_text(CHUNK_TEXTS, &search)?;
        let best = answer.hits.first().map_or(1.0, |hit| hit.score);
        let said = answer.hits.iter().map(|hit| (hit.entity, hit.score / best));
        let said: HashMap<Entity, f32> = said.collect();
        for item in found {
            let share = said.get(&item.entity).copied().unwrap_or_default();
            item.score = Scale::Weighted.score(item.score.value + self.words * share);
        }
        Ok(())
    }
}

fn is_allowed(allowed: Option<&RoaringTreemap>, chunk: NodeId) -> bool {
    allowed.is_none_or(|allowed| allowed.contains(chunk.get()))
}
