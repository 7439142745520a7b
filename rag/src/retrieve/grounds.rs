//! The texts that things of the graph rest on, of many things at once: one at a time would open a cursor for each.

use std::collections::HashMap;

use stratigraph::graph::Entity;
use stratigraph::{Direction, Node, NodeId, Read, RelationshipId, Value};

use super::RetrieveError;
use super::known::stating;
use crate::build::{FACT, Label, LinkKind, find_all};

/// So many chunks of one thing are looked at for what it rests on: half of all documents may name it.
pub(super) const MOST_OF_ONE: usize = 1000;
/// So many things are read together.
pub(super) const TOGETHER: usize = 100;
/// How a way says that what stands there rests on a chunk, where no relationship says it.
const RESTS_ON: &str = "RESTS_ON";
/// What is between a node of a label and its chunks, seen from it.
pub(super) const LINKS: [(Label, Direction, LinkKind); 4] = [
    (Label::Document, Direction::Outgoing, LinkKind::HasChild),
    (Label::Section, Direction::Outgoing, LinkKind::HasChild),
    (Label::Entity, Direction::Incoming, LinkKind::Mentions),
    (Label::DomainTag, Direction::Incoming, LinkKind::Describes),
];

/// What something rests on.
pub(super) struct Ground {
    /// How it is told that it does.
    pub(super) by: &'static str,
    pub(super) chunks: Vec<NodeId>,
}

/// What each of these rests on, of one at most so many chunks; nothing of what rests on no text.
pub(super) fn grounds<R: Read>(
    read: &R,
    entities: &[Entity],
    most: usize,
) -> Result<HashMap<Entity, Ground>, RetrieveError> {
    let ids = entities.iter().filter_map(|entity| entity.node());
    let ids: Vec<NodeId> = ids.collect();
    let nodes = read.nodes_with(&ids, &["chunks"])?;
    let nodes: Vec<&Node> = nodes.iter().flatten().collect();
    let mut all = stated(read, entities, most)?;
    all.extend(listed(read, &nodes, most)?);
    for (label, direction, by) in LINKS {
        let of = labelled(&nodes, label).map(Node::id);
        let of: Vec<NodeId> = of.collect();
        let by = by.name();
        let links = read.neighbours_of_each(&of, direction, Some(by), most)?;
        let mut ends: Vec<Vec<NodeId>> = links
            .iter()
            .map(|links| links.iter().map(|link| link.node).collect())
            .collect();
        if direction == Direction::Outgoing {
            only_chunks(read, &mut ends)?;
        }
        let grounds = ends.into_iter().map(|chunks| Ground { by, chunks });
        all.extend(of.into_iter().map(Entity::from).zip(grounds));
    }
    let chunks = labelled(&nodes, Label::Chunk).map(Node::id);
    all.extend(chunks.map(|chunk| {
        let itself = Ground {
            by: "",
            chunks: vec![chunk],
        };
        (chunk.into(), itself)
    }));
    Ok(all)
}

fn labelled<'n>(nodes: &[&'n Node], label: Label) -> impl Iterator<Item = &'n Node> {
    let nodes = nodes.iter().copied();
    nodes.filter(move |node| node.has_label(label.name()))
}

/// Under a heading lie headings, too.
fn only_chunks<R: Read>(read: &R, ends: &mut [Vec<NodeId>]) -> Result<(), RetrieveError> {
    let all: Vec<NodeId> = ends.iter().flatten().copied().collect();
    let mut nodes = read.nodes_with(&all, &[])?.into_iter();
    let is_chunk =
        |node: Option<Node>| node.is_some_and(|node| node.has_label(Label::Chunk.name()));
    for ends in ends {
        ends.retain(|_| nodes.next().is_some_and(is_chunk));
    }
    Ok(())
}

/// The chunks that instances list by their keys.
fn listed<R: Read>(
    read: &R,
    nodes: &[&Node],
    most: usize,
) -> Result<Vec<(Entity, Ground)>, RetrieveError> {
    let instances: Vec<(&Node, Vec<&str>)> = labelled(nodes, Label::Instance)
        .map(|instance| {
            let keys = match instance.get("chunks") {
                Some(Value::List(keys)) => &keys[..],
                _ => &[],
            };
            let keys = keys.iter().filter_map(Value::as_str).take(most);
            (instance, keys.collect())
        })
        .collect();
    // One is listed by all that is named in it.
    let mut keys: Vec<&str> = instances
        .iter()
        .flat_map(|(_, keys)| keys)
        .copied()
        .collect();
    keys.sort_unstable();
    keys.dedup();
    let found = find_all(read, Label::Chunk, &keys)?;
    let found: HashMap<&str, Option<NodeId>> = keys.into_iter().zip(found).collect();
    let grounds = instances.into_iter().map(|(instance, keys)| {
        let chunks = keys
            .iter()
            .filter_map(|key| found.get(key).copied().flatten());
        let ground = Ground {
            by: RESTS_ON,
            chunks: chunks.collect(),
        };
        (instance.id().into(), ground)
    });
    Ok(grounds.collect())
}

/// The relationships among these.
pub(super) fn relationships(entities: &[Entity]) -> Vec<RelationshipId> {
    let ids = entities.iter().filter_map(|entity| entity.relationship());
    ids.collect()
}

/// The chunks that state each of the facts among these.
fn stated<R: Read>(
    read: &R,
    entities: &[Entity],
    most: usize,
) -> Result<HashMap<Entity, Ground>, RetrieveError> {
    let ids = relationships(entities);
    let found = read.relationships_with(&ids, &["key"])?;
    let facts = found.iter().flatten();
    let facts = facts.filter(|found| found.relationship_type() == FACT);
    let keyed = facts.filter_map(|fact| Some((fact.id(), fact.get("key")?.as_str()?)));
    let (ids, keys): (Vec<RelationshipId>, Vec<&str>) = keyed.unzip();
    let chunks = stating(read, &keys, most)?;
    let by = LinkKind::States.name();
    let grounds = chunks.into_iter().map(|chunks| Ground { by, chunks });
    Ok(ids.into_iter().map(Entity::from).zip(grounds).collect())
}
