//! From what is derived to the texts that it rests on.

use std::collections::{HashMap, HashSet};

use roaring::RoaringTreemap;
use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::index::text::Query;
use stratigraph::{Direction, Node, NodeId, Read, RelationshipId, TextSearch, Value};

use super::confidence::cosine;
use super::known::stating;
use super::{Desk, Item, RetrieveError, Scale, is_nought};
use crate::build::{CHUNK_TEXTS, FACT, Label, LinkKind, find};

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

/// So many chunks of one thing are looked at: half of all documents may name it.
const MOST_OF_ONE: usize = 1000;
/// So many items are read together.
const TOGETHER: usize = 1000;
/// So many chunks are compared with the question.
const MOST_COMPARED: usize = 10_000;
/// How a way says that what stands there rests on a chunk, where no relationship says it.
const RESTS_ON: &str = "RESTS_ON";

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
        let mut grounds = Grounds::new(desk.read());
        let mut seen: HashSet<NodeId> = HashSet::new();
        let (mut chunks, mut ways) = (Vec::new(), Vec::new());
        for items in items.chunks(TOGETHER) {
            grounds.read_items(items)?;
            for item in items {
                let (by, under) = grounds.under(item.entity)?;
                for chunk in under {
                    if chunks.len() == MOST_COMPARED {
                        break;
                    }
                    if !is_allowed(allowed, chunk) || !seen.insert(chunk) {
                        continue;
                    }
                    chunks.push(Entity::from(chunk));
                    ways.push((item, by));
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

/// What some items rest on. Nodes are read together, and who states facts, and each key of a chunk is looked up once.
struct Grounds<'a, R> {
    read: &'a R,
    nodes: HashMap<NodeId, Node>,
    facts: HashMap<RelationshipId, Vec<NodeId>>,
    chunks: HashMap<String, Option<NodeId>>,
}

impl<'a, R: Read> Grounds<'a, R> {
    fn new(read: &'a R) -> Self {
        Self {
            read,
            nodes: HashMap::new(),
            facts: HashMap::new(),
            chunks: HashMap::new(),
        }
    }

    /// Reads these items, for [`under`](Self::under).
    fn read_items(&mut self, items: &[Item]) -> Result<(), RetrieveError> {
        let nodes = items.iter().filter_map(|item| match item.entity {
            Entity::Node(node) => Some(node),
            Entity::Relationship(_) => None,
        });
        let nodes: Vec<NodeId> = nodes.collect();
        let nodes = self.read.nodes_with(&nodes, &["chunks"])?.into_iter();
        self.nodes = nodes.flatten().map(|node| (node.id(), node)).collect();
        self.facts = stated_by(self.read, items)?;
        Ok(())
    }

    /// The chunks that one of the items read last rests on, and how it is told that it does.
    fn under(&mut self, entity: Entity) -> Result<(&'static str, Vec<NodeId>), RetrieveError> {
        let read = self.read;
        let node = match entity {
            Entity::Relationship(fact) => {
                let chunks = self.facts.get(&fact).cloned().unwrap_or_default();
                return Ok((LinkKind::States.name(), chunks));
            }
            Entity::Node(node) => self.nodes.get(&node),
        };
        let Some(node) = node else {
            return Ok(("", Vec::new()));
        };
        let mut labels = Label::ALL.into_iter();
        let (direction, by) = match labels.find(|label| node.has_label(label.name())) {
            Some(Label::Chunk) => return Ok(("", vec![node.id()])),
            Some(Label::Instance) => {
                return Ok((RESTS_ON, listed(read, &mut self.chunks, node)?));
            }
            Some(Label::Document | Label::Section) => (Direction::Outgoing, LinkKind::HasChild),
            Some(Label::Entity) => (Direction::Incoming, LinkKind::Mentions),
            Some(Label::DomainTag) => (Direction::Incoming, LinkKind::Describes),
            None => return Ok(("", Vec::new())),
        };
        let by = by.name();
        Ok((by, linked(read, (node.id(), direction), by)?))
    }
}

/// The chunks at the other ends of links.
fn linked<R: Read>(
    read: &R,
    (from, direction): (NodeId, Direction),
    by: &str,
) -> Result<Vec<NodeId>, RetrieveError> {
    let links = read.neighbours(from, direction, Some(by))?;
    let ends = links.take(MOST_OF_ONE).map(|link| Ok(link?.node));
    let ends: Vec<NodeId> = ends.collect::<Result<_, RetrieveError>>()?;
    let ends = read.nodes_with(&ends, &[])?.into_iter().flatten();
    let chunks = ends.filter(|end| end.has_label(Label::Chunk.name()));
    Ok(chunks.map(|chunk| chunk.id()).collect())
}

/// The chunks that an instance lists.
fn listed<R: Read>(
    read: &R,
    known: &mut HashMap<String, Option<NodeId>>,
    instance: &Node,
) -> Result<Vec<NodeId>, RetrieveError> {
    let keys = match instance.get("chunks") {
        Some(Value::List(keys)) => &keys[..],
        _ => &[],
    };
    let mut chunks = Vec::new();
    for key in keys.iter().filter_map(Value::as_str).take(MOST_OF_ONE) {
        let chunk = match known.get(key) {
            Some(chunk) => *chunk,
            None => {
                let found = find(read, Label::Chunk, key)?;
                known.insert(key.to_owned(), found);
                found
            }
        };
        chunks.extend(chunk);
    }
    Ok(chunks)
}

/// The chunks that state each of the facts among these.
fn stated_by<R: Read>(
    read: &R,
    items: &[Item],
) -> Result<HashMap<RelationshipId, Vec<NodeId>>, RetrieveError> {
    let ids = items.iter().filter_map(|item| match item.entity {
        Entity::Relationship(id) => Some(id),
        Entity::Node(_) => None,
    });
    let ids: Vec<RelationshipId> = ids.collect();
    let found = read.relationships_with(&ids, &["key"])?;
    let facts = found.iter().flatten();
    let facts = facts.filter(|found| found.relationship_type() == FACT);
    let keyed = facts.filter_map(|fact| Some((fact.id(), fact.get("key")?.as_str()?)));
    let (ids, keys): (Vec<RelationshipId>, Vec<&str>) = keyed.unzip();
    let chunks = stating(read, &keys, MOST_OF_ONE)?;
    Ok(ids.into_iter().zip(chunks).collect())
}
