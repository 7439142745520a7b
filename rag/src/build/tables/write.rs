//! The difference between what a mapping states and what it stated before, in one commit.

use std::collections::BTreeMap;
use std::sync::Arc;

use stratigraph::graph::Entity;
use stratigraph::{Direction, NodeId, Read, RelationshipId, Value, WriteTxn};
use stratigraph_tables::excerpt;

use super::super::vectors::Vectors;
use super::super::{BuildError, Change, Layers};
use super::declare::key_index;
use super::progress::{TablesStep, Telling};
use super::stated::{Ignored, Properties, Stated, StatedEdge, StatedNode, written};
use super::{KEY, SOURCE, STATED_BY, STATES, TablesError};
use crate::read::{SilentFile, TypedKey};

/// What a mapping stated before.
#[derive(Default)]
struct Held {
    source: Option<NodeId>,
    nodes: BTreeMap<TypedKey, HeldNode>,
    edges: BTreeMap<StatedEdge, RelationshipId>,
}

struct HeldNode {
    id: NodeId,
    properties: Properties,
}

/// What a mapping stated before and does not any more.
struct Gone {
    edges: Vec<RelationshipId>,
    nodes: Vec<NodeId>,
}

impl Gone {
    fn of(held: &Held, stated: &Stated) -> Self {
        let edges = held.edges.iter();
        let edges = edges.filter(|(edge, _)| !stated.edges.contains(*edge));
        let nodes = held.nodes.iter();
        let nodes = nodes.filter(|(key, _)| !stated.nodes.contains_key(*key));
        Self {
            edges: edges.map(|(_, id)| *id).collect(),
            nodes: nodes.map(|(_, old)| old.id).collect(),
        }
    }
}

/// The texts of nodes that are new or were embedded from something else.
pub(super) fn texts_to_embed(
    layers: &Layers,
    source: &str,
    stated: &Stated,
) -> Result<Vec<String>, TablesError> {
    let read = layers.database().read()?;
    let held = Held::read(&read, source)?;
    let mut texts = Vec::new();
    for (key, node) in &stated.nodes {
        for (name, text) in &node.embed {
            if held.vector(key, name, text).is_none() {
                texts.push(text.clone());
            }
        }
    }
    Ok(texts)
}

/// The first file without a row that can be read whose rules are for something that would be taken out, and the first of
/// that in words.
pub(super) fn silenced<'s>(
    layers: &Layers,
    source: &str,
    stated: &'s Stated,
) -> Result<Option<(&'s SilentFile, String)>, BuildError> {
    let read = layers.database().read()?;
    let held = Held::read(&read, source)?;
    let mut silent = stated.silent.iter();
    Ok(silent.find_map(|file| Some((file, held.loses(file, stated)?))))
}

/// Writes the difference.
pub(super) fn write(
    layers: &Layers,
    source: &str,
    stated: &Stated,
    vectors: &mut Vectors,
    telling: &mut Telling<'_>,
) -> Result<Change, TablesError> {
    let txn = layers.database().write()?;
    let held = Held::read(&txn, source)?;
    let gone = Gone::of(&held, stated);
    let total = gone.edges.len() + gone.nodes.len() + stated.nodes.len() + stated.edges.len();
    telling.begin(TablesStep::Write, total as u64)?;
    let mut writing = Writing {
        txn,
        source,
        held: &held,
        layers,
        vectors,
        telling,
        change: Change::default(),
    };
    let is_there = !stated.nodes.is_empty();
    let node = writing.source_node(is_there)?;
    writing.take_out(gone)?;
    let ids = writing.put_nodes(stated, node)?;
    writing.put_edges(stated, &ids)?;
    if let Some(node) = node.filter(|_| !is_there) {
        writing.change.deleted += 1 + writing.txn.detach_delete_node(node)?;
    }
    writing.commit()
}

/// A difference that is being written.
struct Writing<'w, 't> {
    txn: WriteTxn,
    source: &'w str,
    held: &'w Held,
    layers: &'w Layers,
    vectors: &'w mut Vectors,
    telling: &'w mut Telling<'t>,
    change: Change,
}

impl Writing<'_, '_> {
    /// The node of the mapping, which there is from the first thing that it states.
    fn source_node(&mut self, is_there: bool) -> Result<Option<NodeId>, TablesError> {
        Ok(match self.held.source {
            Some(node) => Some(node),
            None if is_there => {
                self.change.written += 1;
                let node = self.txn.create_node([SOURCE], [(KEY, self.source)])?;
                Some(node)
            }
            None => None,
        })
    }

    /// Takes out what is not stated any more.
    fn take_out(&mut self, gone: Gone) -> Result<(), TablesError> {
        for edge in gone.edges {
            self.telling.one_more()?;
            self.txn.delete_relationship(edge)?;
            self.change.deleted += 1;
        }
        for node in gone.nodes {
            self.telling.one_more()?;
            // Who else has tied something to it has tied it to what is no more.
            self.change.deleted += 1 + self.txn.detach_delete_node(node)?;
        }
        Ok(())
    }

    /// Sees to it that the nodes are there and as they are stated. Gives their ids.
    fn put_nodes<'s>(
        &mut self,
        stated: &'s Stated,
        source: Option<NodeId>,
    ) -> Result<BTreeMap<&'s TypedKey, NodeId>, TablesError> {
        let mut ids = BTreeMap::new();
        for (key, new) in &stated.nodes {
            self.telling.one_more()?;
            let id = match self.held.nodes.get(key) {
                Some(old) => {
                    let properties = new.wanted(key, self.held, self.layers, self.vectors)?;
                    let differs = difference(&old.properties, &properties);
                    match differs.is_empty() {
                        true => self.change.unchanged += 1,
                        false => {
                            self.txn.set_properties(old.id, differs)?;
                            self.change.written += 1;
                        }
                    }
                    old.id
                }
                None => {
                    refuse_other(&self.txn, key, new)?;
                    let properties = new.wanted(key, self.held, self.layers, self.vectors)?;
                    let id = self.txn.create_node([&*key.label], properties)?;
                    if let Some(source) = source {
                        let none = stratigraph::NO_PROPERTIES;
                        self.txn.create_relationship(source, STATES, id, none)?;
                    }
                    self.change.written += 2;
                    id
                }
            };
            ids.insert(key, id);
        }
        Ok(ids)
    }

    /// Sees to it that the relationships between these nodes are there.
    fn put_edges(
        &mut self,
        stated: &Stated,
        ids: &BTreeMap<&TypedKey, NodeId>,
    ) -> Result<(), TablesError> {
        for edge in &stated.edges {
            self.telling.one_more()?;
            if self.held.edges.contains_key(edge) {
                self.change.unchanged += 1;
                continue;
            }
            let (Some(from), Some(to)) = (ids.get(&edge.from), ids.get(&edge.to)) else {
                continue;
            };
            let Ignored(properties) = &edge.properties;
            let mut properties = properties.clone();
            properties.insert(STATED_BY.to_owned(), self.source.into());
            let kind = &edge.kind;
            self.txn.create_relationship(*from, kind, *to, properties)?;
            self.change.written += 1;
        }
        Ok(())
    }

    /// Commits what there is to commit.
    fn commit(self) -> Result<Change, TablesError> {
        let Self {
            mut txn,
            vectors,
            telling,
            mut change,
            ..
        } = self;
        telling.end()?;
        change.vectors = vectors.computed();
        change.vector_tokens = vectors.tokens();
        if change.written + change.deleted > 0 {
            change.keys = txn.changes()?.count() as u64;
            txn.commit()?;
        }
        Ok(change)
    }
}

impl StatedNode {
    /// Whether it will have a property of this name, be it its key or what comes with a vector.
    fn has(&self, name: &str) -> bool {
        let of_vector = |vector: &Arc<str>| **vector == *name || embedded_from(vector) == name;
        name == KEY || self.properties.contains_key(name) || self.embed.keys().any(of_vector)
    }

    /// Its properties with its key and vectors.
    fn wanted(
        &self,
        key: &TypedKey,
        held: &Held,
        layers: &Layers,
        vectors: &mut Vectors,
    ) -> Result<Properties, BuildError> {
        let mut properties = self.properties.clone();
        properties.insert(KEY.to_owned(), key.key.as_str().into());
        for (name, text) in &self.embed {
            let vector = match held.vector(key, name, text) {
                Some(vector) => vector.clone(),
                None => {
                    if vectors.get(text).is_none() {
                        // Somebody has changed it since texts were counted.
                        vectors.compute(&[text], &key.key, layers.embedder())?;
                    }
                    vectors.get(text).cloned().into()
                }
            };
            properties.insert(name.to_string(), vector);
            properties.insert(embedded_from(name), text.as_str().into());
        }
        Ok(properties)
    }
}

/// The property that says what a vector was computed from.
pub(super) fn embedded_from(vector: &str) -> String {
    format!("{vector}_text")
}

/// What has to be set for the one to become the other.
fn difference(old: &Properties, new: &Properties) -> Properties {
    let same = |name: &String, value: &Value| {
        let old = old.get(name);
        old.is_some_and(|old| format!("{old:?}") == format!("{value:?}"))
    };
    let mut differs: Properties = new
        .iter()
        .filter(|(name, value)| !same(name, value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        differs.insert(name.clone(), Value::Null);
    }
    differs
}

/// Refuses a node that is there and is not this mapping's.
fn refuse_other(txn: &WriteTxn, key: &TypedKey, new: &StatedNode) -> Result<(), TablesError> {
    let Some(id) = find(txn, &key.label, &key.key)? else {
        return Ok(());
    };
    let mut others = txn.neighbours(id, Direction::Incoming, Some(STATES))?;
    let other = match others.next().transpose()? {
        Some(other) => text(txn, other.node, KEY)?,
        None => "somebody by hand".to_owned(),
    };
    Err(TablesError::StatedByOther {
        key: key.clone(),
        origin: new.origin.clone(),
        other,
    })
}

impl Held {
    fn read<R: Read>(read: &R, source: &str) -> Result<Self, BuildError> {
        let mut held = Self::default();
        let Some(node) = find(read, SOURCE, source)? else {
            return Ok(held);
        };
        held.source = Some(node);
        for stated in read.neighbours(node, Direction::Outgoing, Some(STATES))? {
            let id = stated?.node;
            let Some(node) = read.node(id)? else { continue };
            let mut properties: Properties = { node.properties() }
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect();
            let label = node.labels().next().unwrap_or_default();
            let key = properties.get(KEY).and_then(Value::as_str);
            let key = TypedKey {
                label: label.into(),
                key: key.unwrap_or_default().to_owned(),
            };
            properties.retain(|_, value| !value.is_null());
            held.nodes.insert(key, HeldNode { id, properties });
        }
        held.read_edges(read, source)?;
        Ok(held)
    }

    fn read_edges<R: Read>(&mut self, read: &R, source: &str) -> Result<(), BuildError> {
        let by_id: BTreeMap<NodeId, &TypedKey> = self
            .nodes
            .iter()
            .map(|(key, node)| (node.id, key))
            .collect();
        for (from, held) in &self.nodes {
            for edge in read.neighbours(held.id, Direction::Outgoing, None)? {
                let edge = edge?;
                let Some(to) = by_id.get(&edge.node) else {
                    continue;
                };
                let Some(there) = read.relationship(edge.relationship)? else {
                    continue;
                };
                let mut properties: Properties = { there.properties() }
                    .map(|(name, value)| (name.to_owned(), value.clone()))
                    .collect();
                let by = properties.remove(STATED_BY);
                if by.as_ref().and_then(Value::as_str) != Some(source) {
                    continue;
                }
                let kind: Arc<str> = there.relationship_type().into();
                let edge_key = StatedEdge {
                    from: from.clone(),
                    kind,
                    to: (*to).clone(),
                    written: written(&properties),
                    properties: Ignored(properties),
                };
                self.edges.insert(edge_key, edge.relationship);
            }
        }
        Ok(())
    }

    /// The first thing that the rules of a file are for and that is not stated any more: a node, a property of one, or a
    /// relationship.
    fn loses(&self, file: &SilentFile, stated: &Stated) -> Option<String> {
        let mut nodes = self.nodes.iter();
        let lost_node = nodes.find_map(|(key, old)| {
            if !file.labels.contains(&key.label) {
                return None;
            }
            let Some(new) = stated.nodes.get(key) else {
                return Some(shown(key));
            };
            let name = old.properties.keys().find(|name| !new.has(name))?;
            Some(format!("the property {name:?} of {}", shown(key)))
        });
        let lost_edge = || {
            let edge = self.edges.keys().find(|edge| {
                let [kind, from, to] =
                    [&edge.kind, &edge.from.label, &edge.to.label].map(Arc::clone);
                file.types.contains(&(kind, from, to)) && !stated.edges.contains(*edge)
            })?;
            let [from, to] = [&edge.from, &edge.to].map(shown);
            Some(format!("{} from {from} to {to}", edge.kind))
        };
        lost_node.or_else(lost_edge)
    }

    /// The vector of a node, if it was computed from this text.
    fn vector(&self, key: &TypedKey, name: &str, text: &str) -> Option<&Value> {
        let properties = &self.nodes.get(key)?.properties;
        let from = properties.get(&embedded_from(name))?.as_str()?;
        (from == text).then(|| properties.get(name)).flatten()
    }
}

/// A node in words.
fn shown(key: &TypedKey) -> String {
    format!("{} {:?}", key.label, excerpt(&key.key))
}

fn find<R: Read>(read: &R, label: &str, key: &str) -> Result<Option<NodeId>, BuildError> {
    // Nothing has it before it is declared.
    let Ok(index) = read.index(&key_index(label)) else {
        return Ok(None);
    };
    match index.equal(&[key.into()])?.next().transpose()? {
        Some(Entity::Node(node)) => Ok(Some(node)),
        _ => Ok(None),
    }
}

fn text<R: Read>(read: &R, node: NodeId, name: &str) -> Result<String, BuildError> {
    let value = read.property(node, name)?;
    Ok(value.as_str().unwrap_or_default().to_owned())
}

/// Labels and keys, for tests.
#[cfg(test)]
pub(super) fn keys_of(
    layers: &Layers,
    source: &str,
) -> std::collections::BTreeSet<(String, String)> {
    let read = layers.database().read().unwrap();
    let held = Held::read(&read, source).unwrap();
    let keys = held.nodes.into_keys();
    keys.map(|key| (key.label.to_string(), key.key)).collect()
}
