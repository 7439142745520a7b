//! What a document has added, read back from the graph along the document's own nodes.
//!
//! There is no list of it anywhere: what is in the graph is the truth, and so it is also what the next change is
//! compared with.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use stratigraph::graph::Entity;
use stratigraph::{Direction, Neighbour, Node, NodeId, Read, RelationshipId, Value, Vector};

use super::BuildError;
use super::contribution::{Fact, Label, Link, LinkKind, NodeKey, stated_by};
use super::property::{Properties, text};
use super::schema::{FACT_KEY, STATED, find};

/// A document's own node in the graph.
#[derive(Clone, Debug)]
pub(super) struct HeldNode {
    pub(super) id: NodeId,
    pub(super) properties: Properties,
    pub(super) vector: Option<Vector>,
}

/// What a document has added to the graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pub(super) nodes: BTreeMap<NodeKey, HeldNode>,
    pub(super) links: BTreeMap<Link, RelationshipId>,
    /// Links that somebody made a second time.
    pub(super) surplus: Vec<RelationshipId>,
}

impl Held {
    /// What the document of this key has added; nothing if it is not there.
    pub(super) fn read<R: Read>(read: &R, document: &str) -> Result<Self, BuildError> {
        let mut held = Self::default();
        let Some(root) = find(read, Label::Document, document)? else {
            return Ok(held);
        };
        let mut walk = Walk {
            read,
            keys: BTreeMap::new(),
            seen: BTreeSet::from([root]),
            rest: vec![root],
        };
        while let Some(id) = walk.rest.pop() {
            walk.take(id, &mut held)?;
        }
        Ok(held)
    }

    /// The keys of the facts that its chunks state.
    pub(super) fn facts(&self) -> BTreeSet<&str> {
        self.links.keys().filter_map(stated_by).collect()
    }
}

/// The relationship of a fact.
pub(crate) fn find_fact<R: Read>(
    read: &R,
    key: &str,
) -> Result<Option<RelationshipId>, stratigraph::Error> {
    let index = read.index(FACT_KEY)?;
    match index.equal(&[key.into()])?.next().transpose()? {
        Some(Entity::Relationship(id)) => Ok(Some(id)),
        _ => Ok(None),
    }
}

/// The key of a node of the layers.
pub(crate) fn key_of<R: Read>(read: &R, node: NodeId) -> Result<String, stratigraph::Error> {
    let key = read.property(node, "key")?;
    Ok(key.as_str().unwrap_or_default().to_owned())
}

/// Whether anybody states the fact of this key.
pub(super) fn is_stated<R: Read>(read: &R, key: &str) -> Result<bool, stratigraph::Error> {
    let mut stated = read.index(STATED)?.equal(&[key.into()])?;
    Ok(stated.next().transpose()?.is_some())
}

/// A fact as it is stored.
pub(super) fn fact_of<R: Read>(read: &R, id: RelationshipId) -> Result<Fact, BuildError> {
    let found = read.relationship(id)?;
    let found = found.ok_or(stratigraph::Error::RelationshipNotFound { relationship: id })?;
    let said = |name| found.get(name).and_then(Value::as_str).unwrap_or_default();
    Ok(Fact {
        subject: key_of(read, found.source())?,
        predicate: said("predicate").to_owned(),
        object: key_of(read, found.target())?,
        source: said("source").to_owned(),
    })
}

struct Walk<'a, R> {
    read: &'a R,
    /// Keys of nodes that links lead to.
    keys: BTreeMap<NodeId, String>,
    seen: BTreeSet<NodeId>,
    rest: Vec<NodeId>,
}

impl<R: Read> Walk<'_, R> {
    /// Takes one of the document's nodes, and everything that leaves it.
    fn take(&mut self, id: NodeId, held: &mut Held) -> Result<(), BuildError> {
        let node = self.read.node(id)?;
        let node = node.ok_or(stratigraph::Error::NodeNotFound { node: id })?;
        let owned = Label::ALL.into_iter().filter(|label| label.is_owned());
        let Some(label) = owned.into_iter().find(|label| node.has_label(label.name())) else {
            return Ok(());
        };
        let (properties, vector) = split(&node);
        let source = NodeKey::new(label, text(&properties, "key"));
        let neighbours = self.read.neighbours(id, Direction::Outgoing, None)?;
        let neighbours: Vec<Neighbour> = neighbours.collect::<Result<_, _>>()?;
        for neighbour in neighbours {
            let name = self.read.catalog().types.name(neighbour.relationship_type);
            let Some(kind) = name.and_then(|name| LinkKind::by_name(name)) else {
                continue;
            };
            let Some(target) = self.target(kind, neighbour.node)? else {
                continue;
            };
            let properties = match kind.has_properties() {
                true => self.said(neighbour.relationship)?,
                false => Properties::new(),
            };
            let link = Link {
                source: source.clone(),
                kind,
                target,
                properties,
            };
            match held.links.entry(link) {
                Entry::Occupied(_) => held.surplus.push(neighbour.relationship),
                Entry::Vacant(free) => drop(free.insert(neighbour.relationship)),
            }
        }
        let node = HeldNode {
            id,
            properties,
            vector,
        };
        held.nodes.insert(source, node);
        Ok(())
    }

    /// What a link leads to. The document's own nodes are walked to.
    fn target(&mut self, kind: LinkKind, id: NodeId) -> Result<Option<NodeKey>, BuildError> {
        let label = match kind {
            LinkKind::HasChild if self.read.has_label(id, "Chunk")? => Label::Chunk,
            LinkKind::HasChild if self.read.has_label(id, "Section")? => Label::Section,
            LinkKind::HasChild => return Ok(None),
            LinkKind::HasInstance | LinkKind::Related => Label::Instance,
            LinkKind::RefersTo | LinkKind::Mentions | LinkKind::States | LinkKind::HasTag => {
                Label::Entity
            }
            LinkKind::Describes => Label::DomainTag,
        };
        if matches!(kind, LinkKind::HasChild | LinkKind::HasInstance) && self.seen.insert(id) {
            self.rest.push(id);
        }
        if !self.keys.contains_key(&id) {
            self.keys.insert(id, key_of(self.read, id)?);
        }
        Ok(self
            .keys
            .get(&id)
            .map(|key| NodeKey::new(label, key.as_str())))
    }

    fn said(&self, id: RelationshipId) -> Result<Properties, BuildError> {
        let found = self.read.relationship(id)?;
        let found = found.ok_or(stratigraph::Error::RelationshipNotFound { relationship: id })?;
        let properties = found.properties();
        Ok(properties
            .map(|(name, value)| (name.to_owned().into(), value.into()))
            .collect())
    }
}

/// What a node says, and its vector, which is derived from that.
fn split(node: &Node) -> (Properties, Option<Vector>) {
    let mut vector = None;
    let mut properties = Properties::new();
    for (name, value) in node.properties() {
        match value {
            Value::Vector(found) if name == "embedding" => vector = Some(found.clone()),
            value => {
                properties.insert(name.to_owned().into(), value.into());
            }
        }
    }
    (properties, vector)
}
