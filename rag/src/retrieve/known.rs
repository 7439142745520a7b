//! What many things of the graph lead to: what their ends are called, which chunks state them, where chunks stand, and
//! in which documents. Of each kind what several things need is one question to the store, and is asked once.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use stratigraph::graph::Entity;
use stratigraph::{Node, NodeId, Read, Relationship, RelationshipId, Value};

use super::evidence::{kind_of, text_of};
use super::{Name, Place, RetrieveError};
use crate::build::{Label, STATED, find_all};

/// Where a chunk stands.
const OF_PLACE: [&str; 6] = ["key", "document", "start", "end", "first_page", "last_page"];

/// What was read so far, of one snapshot.
pub(super) struct Known<'a, R> {
    read: &'a R,
    nodes: HashMap<NodeId, Option<Called>>,
    relationships: HashMap<RelationshipId, Name>,
    chunks: HashMap<String, Option<NodeId>>,
    places: HashMap<NodeId, Option<Place>>,
    documents: HashMap<String, Option<(String, String)>>,
}

/// What a node is called: in the graph, and by people if it has a name.
struct Called {
    name: Name,
    shown: Option<String>,
}

impl<'a, R: Read> Known<'a, R> {
    pub(super) fn new(read: &'a R) -> Self {
        Self {
            read,
            nodes: HashMap::new(),
            relationships: HashMap::new(),
            chunks: HashMap::new(),
            places: HashMap::new(),
            documents: HashMap::new(),
        }
    }

    /// Reads what these are called.
    pub(super) fn read_names(
        &mut self,
        of: impl IntoIterator<Item = Entity>,
    ) -> Result<(), RetrieveError> {
        let (mut nodes, mut relationships) = (Vec::new(), Vec::new());
        for entity in of {
            match entity {
                Entity::Node(id) => nodes.push(id),
                Entity::Relationship(id) => relationships.push(id),
            }
        }
        let nodes = unknown(&self.nodes, nodes);
        let found = self.read.nodes_with(&nodes, &["key", "name"])?;
        for (id, node) in nodes.into_iter().zip(found) {
            self.nodes.insert(id, node.as_ref().map(called));
        }
        let relationships = unknown(&self.relationships, relationships);
        let found = self.read.relationships_with(&relationships, &["key"])?;
        for (id, found) in relationships.into_iter().zip(found) {
            let name = found.as_ref().map(name_of).unwrap_or_default();
            self.relationships.insert(id, name);
        }
        Ok(())
    }

    /// What something is called, of what was read.
    pub(super) fn name(&self, entity: Entity) -> Name {
        let name = match entity {
            Entity::Node(id) => self
                .nodes
                .get(&id)
                .and_then(Option::as_ref)
                .map(|of| &of.name),
            Entity::Relationship(id) => self.relationships.get(&id),
        };
        name.cloned().unwrap_or_default()
    }

    /// What an end of a relationship is called, of what was read.
    pub(super) fn end(&self, node: NodeId) -> Result<&str, RetrieveError> {
        match self.nodes.get(&node) {
            Some(Some(called)) => Ok(called.shown.as_deref().unwrap_or(&called.name.key)),
            _ => Err(stratigraph::Error::NodeNotFound { node }.into()),
        }
    }

    /// Reads which chunks have these keys.
    pub(super) fn read_chunks<'k>(
        &mut self,
        keys: impl IntoIterator<Item = &'k str>,
    ) -> Result<(), RetrieveError> {
        let mut seen = HashSet::new();
        let keys = keys.into_iter();
        let keys: Vec<&str> = keys
            .filter(|key| !self.chunks.contains_key(*key) && seen.insert(*key))
            .collect();
        let found = find_all(self.read, Label::Chunk, &keys)?;
        let keys = keys.into_iter().map(str::to_owned);
        self.chunks.extend(keys.zip(found));
        Ok(())
    }

    /// The chunk of this key, of those that were read.
    pub(super) fn chunk(&self, key: &str) -> Option<NodeId> {
        self.chunks.get(key).copied().flatten()
    }

    /// Reads where these chunks stand, and the documents that these nodes are of.
    pub(super) fn read_places<'n>(
        &mut self,
        chunks: impl IntoIterator<Item = NodeId>,
        of: impl IntoIterator<Item = &'n Node>,
    ) -> Result<(), RetrieveError> {
        let chunks = unknown(&self.places, chunks);
        let nodes = self.read.nodes_with(&chunks, &OF_PLACE)?;
        let is_chunk = |node: &Node| node.has_label(Label::Chunk.name());
        let nodes: Vec<Option<Node>> = nodes
            .into_iter()
            .map(|node| node.filter(is_chunk))
            .collect();
        let mut documents: Vec<&str> = of.into_iter().map(document_of).collect();
        documents.extend(nodes.iter().flatten().map(document_of));
        self.read_documents(documents)?;
        for (chunk, node) in chunks.into_iter().zip(nodes) {
            let place = node.and_then(|node| self.own_place(&node));
            self.places.insert(chunk, place);
        }
        Ok(())
    }

    fn read_documents<'k>(
        &mut self,
        keys: impl IntoIterator<Item = &'k str>,
    ) -> Result<(), RetrieveError> {
        let mut seen = HashSet::new();
        let keys = keys.into_iter();
        let keys: Vec<&str> = keys
            .filter(|key| !self.documents.contains_key(*key) && seen.insert(*key))
            .collect();
        let ids = find_all(self.read, Label::Document, &keys)?;
        let there: Vec<NodeId> = ids.iter().flatten().copied().collect();
        let mut nodes = self.read.nodes_with(&there, &["id", "hash"])?.into_iter();
        for (key, id) in keys.into_iter().zip(ids) {
            let node = id.and_then(|_| nodes.next().flatten());
            let document = node.map(|node| (text_of(&node, "id"), text_of(&node, "hash")));
            self.documents.insert(key.to_owned(), document);
        }
        Ok(())
    }

    /// Where each of these chunks stands, of those that were read; what is not there any more stands nowhere.
    pub(super) fn places(&self, chunks: &[NodeId]) -> Vec<Place> {
        let places = chunks.iter();
        let places = places.filter_map(|chunk| self.places.get(chunk)?.clone());
        places.collect()
    }

    /// Where a document's own node stands, of those whose documents were read.
    pub(super) fn own_place(&self, node: &Node) -> Option<Place> {
        let number = |name| node.get(name).and_then(Value::as_int);
        let number = |name| number(name).and_then(|number| u64::try_from(number).ok());
        let (document, version) = self.documents.get(document_of(node))?.clone()?;
        let is_chunk = node.has_label(Label::Chunk.name());
        Some(Place {
            document,
            version,
            chunk: is_chunk.then(|| text_of(node, "key")),
            span: number("start").unwrap_or(0)..number("end").unwrap_or(0),
            pages: number("first_page").zip(number("last_page")),
        })
    }
}

/// The chunks that state the fact with each of these keys, so many of each at most.
pub(super) fn stating<R: Read>(
    read: &R,
    keys: &[&str],
    most: usize,
) -> Result<Vec<Vec<NodeId>>, RetrieveError> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<Value> = keys.iter().map(|key| (*key).into()).collect();
    let links = read.index(STATED)?.equal_each(&keys, most)?;
    // The index is one of relationships.
    let ids = links.iter().flatten();
    let ids: Vec<RelationshipId> = ids.map(|link| RelationshipId::new(link.number())).collect();
    let mut found = read.relationships_with(&ids, &[])?.into_iter();
    let chunks = links.iter().map(|links| {
        let found = found.by_ref().take(links.len()).flatten();
        found.map(|link| link.source()).collect()
    });
    Ok(chunks.collect())
}

/// Those of which nothing is known, each once.
fn unknown<K: Copy + Eq + Hash, V>(
    known: &HashMap<K, V>,
    of: impl IntoIterator<Item = K>,
) -> Vec<K> {
    let mut seen = HashSet::new();
    let of = of.into_iter();
    of.filter(|id| !known.contains_key(id) && seen.insert(*id))
        .collect()
}

fn called(node: &Node) -> Called {
    let shown = node.get("name").and_then(Value::as_str);
    Called {
        name: Name {
            kind: kind_of(node),
            key: text_of(node, "key"),
        },
        shown: shown.map(str::to_owned),
    }
}

fn name_of(relationship: &Relationship) -> Name {
    let key = relationship.get("key").and_then(Value::as_str);
    Name {
        kind: relationship.relationship_type().to_owned(),
        key: key.unwrap_or_default().to_owned(),
    }
}

/// The key of the document that a node of it is of; its own of the document itself.
fn document_of(node: &Node) -> &str {
    let of = |name| node.get(name).and_then(Value::as_str).unwrap_or_default();
    match of("document") {
        "" => of("key"),
        document => document,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieve::trial::Trial;

    #[test]
    fn a_document_that_is_not_there_moves_no_other() {
        let trial = Trial::new();
        trial.put("air", 2022, "Air.\n", &[]);
        trial.put("rocks", 2022, "Rocks.\n", &[]);
        trial.ask("What?", |desk| {
            let ids = desk.read().nodes_with_label(Label::Document.name());
            let key = |id| {
                let node = desk.read().node(NodeId::new(id)).unwrap();
                text_of(&node.unwrap(), "key")
            };
            let keys: Vec<String> = ids.unwrap().iter().map(key).collect();
            let mut known = Known::new(desk.read());
            let asked = [&*keys[0], "gone", &*keys[1]];
            known.read_documents(asked).unwrap();
            let id = |key: &str| Some(known.documents[key].as_ref()?.0.clone());
            let found = asked.map(id);
            assert_eq!(found, [Some("air".into()), None, Some("rocks".into())]);
        });
    }
}
