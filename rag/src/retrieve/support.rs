//! From what is derived to the texts that it rests on.

use std::collections::HashSet;

use roaring::RoaringTreemap;
use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::{Direction, NodeId, Read, RelationshipId, Value};

use super::confidence::cosine;
use super::{Desk, Item, RetrieveError, Scale};
use crate::build::{FACT, Label, LinkKind, STATED, find};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[must_use]
pub struct Support {
    /// So many are given.
    k: usize,
}

/// So many chunks of one thing are looked at: half of all documents may name it.
const MOST_OF_ONE: usize = 1000;
/// So many chunks are compared with the question.
const MOST_COMPARED: usize = 10_000;
/// How a way says that what stands there rests on a chunk, where no relationship says it.
const RESTS_ON: &str = "RESTS_ON";

impl Support {
    /// At most `k`.
    pub fn new(k: usize) -> Self {
        Self { k }
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
        let (read, allowed) = (desk.read(), desk.allowed()?);
        let mut seen: HashSet<NodeId> = HashSet::new();
        let mut chunks = Vec::new();
        for item in items {
            let (by, under) = rests_on(read, item.entity)?;
            for chunk in under {
                if chunks.len() == MOST_COMPARED {
                    break;
                }
                if !is_allowed(allowed, chunk) || !seen.insert(chunk) {
                    continue;
                }
                let mut found = match Entity::from(chunk) == item.entity {
                    true => item.clone(),
                    false => item.step(by, chunk),
                };
                let near = match read.property(chunk, "embedding")? {
                    Value::Vector(vector) => cosine(desk.vector()?, vector.as_slice()),
                    _ => None,
                };
                found.score = Scale::Cosine.score(near.unwrap_or_default());
                chunks.push(found);
            }
        }
        chunks.sort_by(|one, other| other.score.value.total_cmp(&one.score.value));
        chunks.truncate(self.k);
        Ok(chunks)
    }
}

fn is_allowed(allowed: Option<&RoaringTreemap>, chunk: NodeId) -> bool {
    allowed.is_none_or(|allowed| allowed.contains(chunk.get()))
}

/// The chunks that something rests on, and how it is told that it does.
fn rests_on<R: Read>(
    read: &R,
    entity: Entity,
) -> Result<(&'static str, Vec<NodeId>), RetrieveError> {
    let node = match entity {
        Entity::Relationship(fact) => {
            return Ok((LinkKind::States.name(), stated_by(read, fact)?));
        }
        Entity::Node(node) => node,
    };
    let labels = Label::ALL.into_iter();
    let mut label = None;
    for known in labels {
        if read.has_label(node, known.name())? {
            label = Some(known);
            break;
        }
    }
    Ok(match label {
        Some(Label::Chunk) => ("", vec![node]),
        Some(Label::Document | Label::Section) => {
            let by = LinkKind::HasChild.name();
            (by, linked(read, (node, Direction::Outgoing), by)?)
        }
        Some(Label::Instance) => (RESTS_ON, listed(read, node)?),
        Some(Label::Entity) => {
            let by = LinkKind::Mentions.name();
            (by, linked(read, (node, Direction::Incoming), by)?)
        }
        Some(Label::DomainTag) => {
            let by = LinkKind::Describes.name();
            (by, linked(read, (node, Direction::Incoming), by)?)
        }
        None => ("", Vec::new()),
    })
}

/// The chunks at the other ends of links.
fn linked<R: Read>(
    read: &R,
    (from, direction): (NodeId, Direction),
    by: &str,
) -> Result<Vec<NodeId>, RetrieveError> {
    let mut chunks = Vec::new();
    for link in read
        .neighbours(from, direction, Some(by))?
        .take(MOST_OF_ONE)
    {
        let other = link?.node;
        if read.has_label(other, Label::Chunk.name())? {
            chunks.push(other);
        }
    }
    Ok(chunks)
}

/// The chunks that an instance lists.
fn listed<R: Read>(read: &R, instance: NodeId) -> Result<Vec<NodeId>, RetrieveError> {
    let list = read.property(instance, "chunks")?;
    let keys = match &list {
        Value::List(keys) => &keys[..],
        _ => &[],
    };
    let mut chunks = Vec::new();
    for key in keys.iter().filter_map(Value::as_str).take(MOST_OF_ONE) {
        chunks.extend(find(read, Label::Chunk, key)?);
    }
    Ok(chunks)
}

/// The chunks that state a fact.
fn stated_by<R: Read>(read: &R, fact: RelationshipId) -> Result<Vec<NodeId>, RetrieveError> {
    let Some(fact) = read.relationship_with(fact, &["key"])? else {
        return Ok(Vec::new());
    };
    let key = fact.get("key").and_then(Value::as_str);
    let (true, Some(key)) = (fact.relationship_type() == FACT, key) else {
        return Ok(Vec::new());
    };
    let mut chunks = Vec::new();
    for link in read.index(STATED)?.equal(&[key.into()])?.take(MOST_OF_ONE) {
        if let Entity::Relationship(link) = link?
            && let Some(link) = read.relationship_with(link, &[])?
        {
            chunks.push(link.source());
        }
    }
    Ok(chunks)
}
