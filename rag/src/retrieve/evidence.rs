//! What something of the graph says, as a text that can be read and cited, and where it is said.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use serde::{Deserialize, Serialize};
use stratigraph::graph::Entity;
use stratigraph::{Direction, Neighbour, Node, NodeId, Read, Relationship, RelationshipId, Value};

use super::support::stating;
use super::{Item, RetrieveError};
use crate::build::{FACT, Label, LinkKind, hash, key_of};

/// The most places of one thing that are told: half of all documents may say it.
const MOST_PLACES: usize = 16;
/// The most descriptions or sentences of one thing that are read out.
const MOST_TEXTS: usize = 16;

/// What something of the graph is called, for good: ids are of one database, and keys of what is said.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Name {
    /// Its label, or the type of a relationship.
    pub kind: String,
    /// Its key.
    pub key: String,
}

/// Where in a document something is said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The document.
    pub document: String,
    /// The hash of its whole text.
    pub version: String,
    /// The key of the chunk; nothing for headings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<String>,
    /// Which bytes.
    pub span: Range<u64>,
    /// The pages that they are on, from 1, if the document has pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<(u64, u64)>,
}

/// What something says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// What says it.
    pub name: Name,
    /// The headings that it stands under, as one line; empty for what stands under none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// What it says.
    pub text: String,
    /// Where that is said, at most 16 places.
    pub places: Vec<Place>,
}

impl Evidence {
    /// All of it as one text. What a heading says is the end of the line that it is.
    #[must_use]
    pub fn read_out(&self) -> String {
        match (self.heading.as_str(), self.text.as_str()) {
            ("", text) => text.to_owned(),
            (heading, text) if heading.ends_with(text) => heading.to_owned(),
            (heading, text) => format!("{heading}\n{text}"),
        }
    }

    /// The hash of everything that it says.
    #[must_use]
    pub fn hash(&self) -> String {
        hash([self.heading.as_str(), self.text.as_str()])
    }
}

/// What each of these says, as one text; nothing for what is not there any more.
pub(super) fn read_out<R: Read>(read: &R, items: &[Item]) -> Result<Vec<String>, RetrieveError> {
    let mut reader = Reader::new(read);
    let texts = items.iter().map(|item| {
        let evidence = reader.evidence(item.entity)?;
        Ok(evidence.map_or_else(String::new, |evidence| evidence.read_out()))
    });
    texts.collect()
}

/// What a node of the layers says, and where; not its vectors, nor what they were made of.
const OF_NODE: [&str; 14] = [
    "key",
    "heading",
    "text",
    "title",
    "name",
    "summary",
    "descriptions",
    "sentences",
    "chunks",
    "document",
    "start",
    "end",
    "first_page",
    "last_page",
];
/// What a relationship says; not its vectors.
const OF_RELATIONSHIP: [&str; 5] = ["key", "predicate", "description", "source", "chunk"];
/// Where a chunk stands.
const OF_PLACE: [&str; 6] = ["key", "document", "start", "end", "first_page", "last_page"];

/// Reads what things say. Each document, each place, each name and each end of facts is looked up once.
pub(super) struct Reader<'a, R> {
    read: &'a R,
    documents: HashMap<String, Option<(String, String)>>,
    places: HashMap<NodeId, Option<Place>>,
    ends: HashMap<NodeId, String>,
    names: HashMap<Entity, Name>,
}

impl<'a, R: Read> Reader<'a, R> {
    pub(super) fn new(read: &'a R) -> Self {
        Self {
            read,
            documents: HashMap::new(),
            places: HashMap::new(),
            ends: HashMap::new(),
            names: HashMap::new(),
        }
    }

    /// What this says; nothing if it is not there.
    pub(super) fn evidence(&mut self, entity: Entity) -> Result<Option<Evidence>, RetrieveError> {
        match entity {
            Entity::Node(id) => self.evidence_of_node(id),
            Entity::Relationship(id) => match self.read.relationship_with(id, &OF_RELATIONSHIP)? {
                Some(found) => self.of_relationship(id, &found).map(Some),
                None => Ok(None),
            },
        }
    }

    /// What something is called.
    pub(super) fn name(&mut self, entity: Entity) -> Result<Name, RetrieveError> {
        if let Some(known) = self.names.get(&entity) {
            return Ok(known.clone());
        }
        let (kind, key) = match entity {
            Entity::Node(id) => {
                let node = self.read.node_with(id, &["key"])?;
                node.map_or_else(Default::default, |node| {
                    (kind_of(&node), text_of(&node, "key"))
                })
            }
            Entity::Relationship(id) => {
                let found = self.read.relationship_with(id, &["key"])?;
                found.map_or_else(Default::default, |found| {
                    let key = found.get("key").and_then(Value::as_str);
                    let key = key.unwrap_or_default().to_owned();
                    (found.relationship_type().to_owned(), key)
                })
            }
        };
        let name = Name { kind, key };
        self.names.insert(entity, name.clone());
        Ok(name)
    }

    fn evidence_of_node(&mut self, id: NodeId) -> Result<Option<Evidence>, RetrieveError> {
        let Some(node) = self.read.node_with(id, &OF_NODE)? else {
            return Ok(None);
        };
        if Label::ALL.iter().any(|label| node.has_label(label.name())) {
            return self.of_node(id, &node).map(Some);
        }
        // A row of a table says all that it has.
        let row = self.read.node(id)?;
        row.map(|row| self.of_node(id, &row)).transpose()
    }

    fn of_node(&mut self, id: NodeId, node: &Node) -> Result<Evidence, RetrieveError> {
        let kind = kind_of(node);
        let heading = text_of(node, "heading");
        let label = Label::ALL.into_iter().find(|label| label.name() == kind);
        let (text, places) = match label {
            Some(Label::Chunk) => (
                text_of(node, "text"),
                self.own_place(node)?.into_iter().collect(),
            ),
            Some(Label::Document | Label::Section) => (
                text_of(node, "title"),
                self.own_place(node)?.into_iter().collect(),
            ),
            Some(Label::Instance) => (said_of_instance(node), self.places_of_instance(node)?),
            Some(Label::Entity) => self.shared(id, node, LinkKind::Mentions)?,
            Some(Label::DomainTag) => self.shared(id, node, LinkKind::Describes)?,
            None => (row(node), Vec::new()),
        };
        Ok(Evidence {
            name: Name {
                kind,
                key: text_of(node, "key"),
            },
            heading,
            text,
            places,
        })
    }

    /// An entity or a domain: its summary, or what chunks say of it.
    fn shared(
        &mut self,
        id: NodeId,
        node: &Node,
        by: LinkKind,
    ) -> Result<(String, Vec<Place>), RetrieveError> {
        let name = match text_of(node, "name") {
            name if name.is_empty() => text_of(node, "key"),
            name => name,
        };
        let summary = text_of(node, "summary");
        let mut said = BTreeSet::new();
        let links = self
            .read
            .neighbours(id, Direction::Incoming, Some(by.name()))?;
        let links: Vec<Neighbour> = links.take(MOST_PLACES).collect::<Result<_, _>>()?;
        if summary.is_empty() {
            let ids: Vec<RelationshipId> = links.iter().map(|link| link.relationship).collect();
            let links = self.read.relationships_with(&ids, &["description"])?;
            let links = links.iter().flatten();
            let descriptions = links.filter_map(|link| link.get("description")?.as_str());
            said.extend(descriptions.map(str::to_owned));
        }
        let chunks: Vec<NodeId> = links.iter().map(|link| link.node).collect();
        let places = self.places_of(&chunks)?;
        let text = match summary.is_empty() {
            true => joined(said.iter().map(String::as_str)),
            false => summary,
        };
        Ok((headed(&name, &text), places))
    }

    fn of_relationship(
        &mut self,
        id: RelationshipId,
        found: &Relationship,
    ) -> Result<Evidence, RetrieveError> {
        let said = |name| found.get(name).and_then(Value::as_str).unwrap_or_default();
        let kind = found.relationship_type();
        let (subject, object) = (self.end(found.source())?, self.end(found.target())?);
        let predicate = match said("predicate") {
            "" => kind,
            predicate => predicate,
        };
        let stated = format!("{subject} {predicate} {object}");
        let rest = [said("description"), said("source")];
        let text = headed(&stated, &joined(rest.into_iter()));
        let key = said("key");
        let places = if kind == FACT {
            self.places_of(&stating(self.read, key, MOST_PLACES)?)?
        } else if let Some(chunk) = found.get("chunk").and_then(Value::as_str) {
            self.place_of_key(chunk)?.into_iter().collect()
        } else {
            Vec::new()
        };
        let key = match key {
            "" => format!("{}", id.get()),
            key => key.to_owned(),
        };
        Ok(Evidence {
            name: Name {
                kind: kind.to_owned(),
                key,
            },
            heading: String::new(),
            text,
            places,
        })
    }

    /// What an end of a relationship is called.
    fn end(&mut self, node: NodeId) -> Result<String, RetrieveError> {
        if let Some(known) = self.ends.get(&node) {
            return Ok(known.clone());
        }
        let name = self.read.property(node, "name")?;
        let name = match name.as_str() {
            Some(name) => name.to_owned(),
            None => key_of(self.read, node)?,
        };
        self.ends.insert(node, name.clone());
        Ok(name)
    }

    fn places_of_instance(&mut self, node: &Node) -> Result<Vec<Place>, RetrieveError> {
        let mut places = Vec::new();
        for chunk in texts_of(node, "chunks").take(MOST_PLACES) {
            places.extend(self.place_of_key(chunk)?);
        }
        Ok(places)
    }

    fn place_of_key(&mut self, chunk: &str) -> Result<Option<Place>, RetrieveError> {
        match crate::build::find(self.read, Label::Chunk, chunk)? {
            Some(node) => self.place_of(node),
            None => Ok(None),
        }
    }

    /// Where a chunk stands.
    fn place_of(&mut self, chunk: NodeId) -> Result<Option<Place>, RetrieveError> {
        Ok(self.places_of(&[chunk])?.pop())
    }

    /// Where each of these chunks stands; what is not there any more stands nowhere.
    fn places_of(&mut self, chunks: &[NodeId]) -> Result<Vec<Place>, RetrieveError> {
        let unknown = chunks
            .iter()
            .filter(|chunk| !self.places.contains_key(chunk));
        let unknown: Vec<NodeId> = unknown.copied().collect();
        let nodes = self.read.nodes_with(&unknown, &OF_PLACE)?;
        for (chunk, node) in unknown.into_iter().zip(nodes) {
            let node = node.filter(|node| node.has_label(Label::Chunk.name()));
            let place = match &node {
                Some(node) => self.own_place(node)?,
                None => None,
            };
            self.places.insert(chunk, place);
        }
        let places = chunks
            .iter()
            .filter_map(|chunk| self.places.get(chunk)?.clone());
        Ok(places.collect())
    }

    /// Where a document's own node stands.
    fn own_place(&mut self, node: &Node) -> Result<Option<Place>, RetrieveError> {
        let number = |name| node.get(name).and_then(Value::as_int);
        let number = |name| number(name).and_then(|number| u64::try_from(number).ok());
        let document = match text_of(node, "document") {
            none if none.is_empty() => text_of(node, "key"),
            document => document,
        };
        let is_chunk = node.has_label(Label::Chunk.name());
        let known = self.document(document)?;
        Ok(known.map(|(document, version)| Place {
            document,
            version,
            chunk: is_chunk.then(|| text_of(node, "key")),
            span: number("start").unwrap_or(0)..number("end").unwrap_or(0),
            pages: number("first_page").zip(number("last_page")),
        }))
    }

    /// The id and version of the document of this key.
    fn document(&mut self, key: String) -> Result<Option<(String, String)>, RetrieveError> {
        if let Some(known) = self.documents.get(&key) {
            return Ok(known.clone());
        }
        let found = match crate::build::find(self.read, Label::Document, &key)? {
            Some(id) => self.read.node_with(id, &["id", "hash"])?,
            None => None,
        };
        let found = found.map(|node| (text_of(&node, "id"), text_of(&node, "hash")));
        self.documents.insert(key, found.clone());
        Ok(found)
    }
}

/// Its label; of several, that of the layers, which has the key.
fn kind_of(node: &Node) -> String {
    let known = Label::ALL
        .into_iter()
        .find(|label| node.has_label(label.name()));
    match known {
        Some(label) => label.name().to_owned(),
        None => node.labels().next().unwrap_or_default().to_owned(),
    }
}

fn text_of(node: &Node, name: &str) -> String {
    let value = node.get(name).and_then(Value::as_str);
    value.unwrap_or_default().to_owned()
}

fn texts_of<'n>(node: &'n Node, name: &str) -> impl Iterator<Item = &'n str> {
    let list = match node.get(name) {
        Some(Value::List(items)) => &items[..],
        _ => &[],
    };
    list.iter().filter_map(Value::as_str)
}

fn said_of_instance(node: &Node) -> String {
    let said = texts_of(node, "descriptions").take(MOST_TEXTS);
    let said = said.chain(texts_of(node, "sentences").take(MOST_TEXTS));
    headed(&text_of(node, "name"), &joined(said))
}

/// A row of a table: what it has, but for vectors and what nobody wrote.
fn row(node: &Node) -> String {
    let shown = |(name, value): (&str, &Value)| match value {
        Value::String(text) => Some(format!("{name}: {text}")),
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => Some(format!("{name}: {value}")),
        Value::Date(day) => Some(format!("{name}: {day}")),
        _ => None,
    };
    // What a vector was made of stands in other properties already.
    let of_vector = |name: &str| {
        let vector = name.strip_suffix("_text").and_then(|name| node.get(name));
        matches!(vector, Some(Value::Vector(_)))
    };
    let lines = node.properties();
    let lines = lines.filter(|(name, _)| *name != "key" && !of_vector(name));
    lines.filter_map(shown).collect::<Vec<_>>().join("\n")
}

fn headed(name: &str, text: &str) -> String {
    match text.is_empty() {
        true => name.to_owned(),
        false => format!("{name}: {text}"),
    }
}

fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<&str> = texts
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .collect();
    texts.join(" ")
}
