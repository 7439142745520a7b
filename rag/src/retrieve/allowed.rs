//! What a question that chooses documents may find of the graph: what rests on one of their texts.
//!
//! Texts are chosen by the searches themselves. Facts, names and headings have no metadata of their own, and are what the
//! texts have that state, mention or lie under them.

use std::collections::{BTreeSet, HashMap, HashSet};

use roaring::RoaringTreemap;
use stratigraph::graph::Entity;
use stratigraph::{Direction, Node, NodeId, Read, Relationship, RelationshipId, Value};

use super::grounds::{Ground, TOGETHER, grounds, relationships};
use super::{Desk, Item, RetrieveError};
use crate::build::{FACT, FACT_KEY, Label, LinkKind, find_all};

/// The facts of so many texts are looked up before they are searched. Of more texts so much is found that something of them
/// is among it.
const FEW_TEXTS: u64 = 4096;
/// So many facts of one text are looked at, and so many texts of one thing: the chosen ones may be anywhere among them.
pub(super) const MOST_LOOKED_THROUGH: usize = 100_000;
/// So many results of a search are looked through.
const MOST_SEARCHED: usize = 100_000;

impl<R: Read> Desk<'_, R> {
    /// Leaves out what rests on texts, but on none that the question has chosen. What rests on no text is of no document.
    pub(super) fn keep_allowed(&self, items: &mut Vec<Item>) -> Result<(), RetrieveError> {
        let Some(chosen) = self.chosen()? else {
            return Ok(());
        };
        let mut known = self.rests.borrow_mut();
        let new = items.iter().map(|item| item.entity);
        let new: Vec<Entity> = new.filter(|entity| !known.contains_key(entity)).collect();
        for new in new.chunks(TOGETHER) {
            known.extend(are_allowed(self.read(), new, chosen)?);
        }
        items.retain(|item| known.get(&item.entity) != Some(&false));
        Ok(())
    }

    /// So many of what a search finds that the question has chosen: for more and more is searched until there are.
    pub(super) fn enough_allowed(
        &self,
        k: usize,
        mut search: impl FnMut(usize) -> Result<Vec<Item>, RetrieveError>,
    ) -> Result<Vec<Item>, RetrieveError> {
        let mut asked = k;
        loop {
            let mut found = search(asked)?;
            let was_all = found.len() < asked || asked >= MOST_SEARCHED;
            self.keep_allowed(&mut found)?;
            if found.len() >= k || was_all {
                found.truncate(k);
                return Ok(found);
            }
            asked = asked.saturating_mul(4).min(MOST_SEARCHED);
        }
    }

    /// The facts of the texts that the question has chosen, if these are few. They are looked up once.
    pub(super) fn chosen_facts(&self) -> Result<Option<&RoaringTreemap>, RetrieveError> {
        if let Some(facts) = self.facts.get() {
            return Ok(facts.as_ref());
        }
        let facts = self.facts_of_few()?;
        Ok(self.facts.get_or_init(|| facts).as_ref())
    }

    fn facts_of_few(&self) -> Result<Option<RoaringTreemap>, RetrieveError> {
        let Some(chosen) = self.chosen()?.filter(|texts| texts.len() <= FEW_TEXTS) else {
            return Ok(None);
        };
        let read = self.read();
        let texts: Vec<NodeId> = chosen.iter().map(NodeId::new).collect();
        let states = Some(LinkKind::States.name());
        let links =
            read.neighbours_of_each(&texts, Direction::Outgoing, states, MOST_LOOKED_THROUGH)?;
        let links = links.iter().flatten().map(|link| link.relationship);
        let links: Vec<RelationshipId> = links.collect();
        let links = read.relationships_with(&links, &["fact"])?;
        let keys = links.iter().flatten().filter_map(|link| link.get("fact"));
        let mut keys: Vec<&str> = keys.filter_map(Value::as_str).collect();
        keys.sort_unstable();
        keys.dedup();
        let keys: Vec<Value> = keys.into_iter().map(Value::from).collect();
        let facts = read.index(FACT_KEY)?.equal_each(&keys, 1)?;
        Ok(Some(
            facts.iter().flatten().map(|fact| fact.number()).collect(),
        ))
    }
}

/// Whether each of these rests on a text that the question has chosen, or on no text at all.
fn are_allowed<R: Read>(
    read: &R,
    entities: &[Entity],
    chosen: &RoaringTreemap,
) -> Result<Vec<(Entity, bool)>, RetrieveError> {
    let links = bearers(read, entities)?;
    let others = entities
        .iter()
        .filter(|entity| !links.contains_key(*entity));
    let on: HashSet<Entity> = others.chain(links.values().flatten()).copied().collect();
    let on: Vec<Entity> = on.into_iter().collect();
    let mut grounds = grounds(read, &on, MOST_LOOKED_THROUGH)?;
    add_deeper(read, &mut grounds)?;
    let is_chosen = |entity: &Entity| {
        grounds.get(entity).is_none_or(|ground| {
            let chunks = &ground.chunks;
            chunks.is_empty() || chunks.iter().any(|chunk| chosen.contains(chunk.get()))
        })
    };
    let all = entities.iter().map(|entity| {
        let is_allowed = match links.get(entity) {
            Some(on) => on.iter().all(is_chosen),
            None => is_chosen(entity),
        };
        (*entity, is_allowed)
    });
    Ok(all.collect())
}

/// What each of the relationships among these rests on that is no fact: the chunk that it names, else its ends that are
/// chunks, else both ends, as what leads to a heading of another document tells of that document.
fn bearers<R: Read>(
    read: &R,
    entities: &[Entity],
) -> Result<HashMap<Entity, Vec<Entity>>, RetrieveError> {
    let links = read.relationships_with(&relationships(entities), &["chunk"])?;
    let links = links.into_iter().flatten();
    let links: Vec<Relationship> = links
        .filter(|link| link.relationship_type() != FACT)
        .collect();
    let keys: BTreeSet<&str> = links.iter().filter_map(chunk_of).collect();
    let keys: Vec<&str> = keys.into_iter().collect();
    let chunks = find_all(read, Label::Chunk, &keys)?;
    let chunks: HashMap<&str, Option<NodeId>> = keys.into_iter().zip(chunks).collect();
    let ends = links.iter().flat_map(|link| [link.source(), link.target()]);
    let ends: Vec<NodeId> = ends.collect();
    let ends = read.nodes_with(&ends, &[])?;
    let texts = ends.iter().flatten();
    let texts = texts.filter(|node| node.has_label(Label::Chunk.name()));
    let texts: HashSet<NodeId> = texts.map(Node::id).collect();
    let all = links.iter().map(|link| {
        let named = chunk_of(link).and_then(|key| chunks.get(key).copied().flatten());
        let ends = [link.source(), link.target()];
        let is_text = |end: &NodeId| texts.contains(end);
        let on: Vec<NodeId> = match named {
            Some(chunk) => vec![chunk],
            None if ends.iter().any(is_text) => ends.into_iter().filter(is_text).collect(),
            None => ends.to_vec(),
        };
        let on: Vec<Entity> = on.into_iter().map(Entity::from).collect();
        (Entity::from(link.id()), on)
    });
    Ok(all.collect())
}

/// The key of the chunk that a relationship says it is of.
fn chunk_of(link: &Relationship) -> Option<&str> {
    link.get("chunk")?.as_str()
}

/// Adds what lies deeper to documents and headings without a text right under them: they are of its document, too.
fn add_deeper<R: Read>(
    read: &R,
    grounds: &mut HashMap<Entity, Ground>,
) -> Result<(), RetrieveError> {
    let by = LinkKind::HasChild.name();
    let bare = grounds.iter().filter_map(|(entity, ground)| match entity {
        Entity::Node(top) if ground.by == by && ground.chunks.is_empty() => Some((*top, *top)),
        _ => None,
    });
    // Each with the one that it lies under.
    let mut edge: Vec<(NodeId, NodeId)> = bare.collect();
    // Somebody may have drawn a ring.
    let mut seen: HashSet<(NodeId, NodeId)> = edge.iter().copied().collect();
    while !edge.is_empty() {
        let at: Vec<NodeId> = edge.iter().map(|(_, at)| *at).collect();
        let links =
            read.neighbours_of_each(&at, Direction::Outgoing, Some(by), MOST_LOOKED_THROUGH)?;
        let below = edge.iter().zip(&links).flat_map(|((top, _), links)| {
            let nodes = links.iter().map(|link| link.node);
            nodes.map(move |node| (*top, node))
        });
        let below: Vec<(NodeId, NodeId)> = below.filter(|pair| seen.insert(*pair)).collect();
        let nodes: Vec<NodeId> = below.iter().map(|(_, node)| *node).collect();
        let nodes = read.nodes_with(&nodes, &[])?;
        edge.clear();
        for ((top, at), node) in below.into_iter().zip(nodes) {
            let is_text = node.is_some_and(|node| node.has_label(Label::Chunk.name()));
            match grounds.get_mut(&Entity::from(top)) {
                Some(ground) if is_text => ground.chunks.push(at),
                _ => edge.push((top, at)),
            }
        }
    }
    Ok(())
}
