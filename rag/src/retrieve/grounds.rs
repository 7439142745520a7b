//! The texts that things of the graph rest on.

use std::collections::HashMap;

use stratigraph::graph::Entity;
use stratigraph::{Direction, Node, NodeId, Read, RelationshipId, Value};

use super::known::stating;
use super::{Item, RetrieveError};
use crate::build::{FACT, Label, LinkKind, find};

/// So many chunks of one thing are looked at: half of all documents may name it.
const MOST_OF_ONE: usize = 1000;
/// So many items are read together.
pub(super) const TOGETHER: usize = 1000;
/// How a way says that what stands there rests on a chunk, where no relationship says it.
const RESTS_ON: &str = "RESTS_ON";

/// What some items rest on. Nodes are read together, and who states facts, and each key of a chunk is looked up once.
pub(super) struct Grounds<'a, R> {
    read: &'a R,
    nodes: HashMap<NodeId, Node>,
    facts: HashMap<RelationshipId, Vec<NodeId>>,
    chunks: HashMap<String, Option<NodeId>>,
}

impl<'a, R: Read> Grounds<'a, R> {
    pub(super) fn new(read: &'a R) -> Self {
        Self {
            read,
            nodes: HashMap::new(),
            facts: HashMap::new(),
            chunks: HashMap::new(),
        }
    }

    /// Reads these items, for [`under`](Self::under).
    pub(super) fn read_items(&mut self, items: &[Item]) -> Result<(), RetrieveError> {
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
    pub(super) fn under(
        &mut self,
        entity: Entity,
    ) -> Result<(&'static str, Vec<NodeId>), RetrieveError> {
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
