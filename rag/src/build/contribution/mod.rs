//! What a document adds to the graph, as a set of statements in keys and texts.
//!
//! It is made of the document alone: no database is asked, and no other document matters. Two documents that
//! say the same of an entity say it in two statements, and the graph has the entity as long as one of them is
//! there. `text.rs` makes sections and chunks, `said.rs` what their words say, and `instances.rs` what they say
//! together of what a heading names.
//!
//! Lists of triples are documents as well: `told.rs`.

mod instances;
mod said;
mod text;
mod told;

pub(super) use said::{chain_of, stated_by};
pub use told::Told;

use std::collections::{BTreeMap, BTreeSet};

use super::names::{canonical, hash, shown};
use super::property::Properties;
use super::{BuildError, Profile};
use crate::chunk::Piece;
use crate::extract::{Extracted, Triple};
use crate::{Document, Metadata};
use instances::Instances;

/// What kind of node something is: its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Label {
    /// A document.
    Document,
    /// A heading of a document and what stands under it.
    Section,
    /// A piece of a document's text.
    Chunk,
    /// Something named under a heading, and only there.
    Instance,
    /// Something named anywhere.
    Entity,
    /// A domain that others belong to.
    DomainTag,
}

impl Label {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Document,
        Self::Section,
        Self::Chunk,
        Self::Instance,
        Self::Entity,
        Self::DomainTag,
    ];

    /// Its name in the graph.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Document => "Document",
            Self::Section => "Section",
            Self::Chunk => "Chunk",
            Self::Instance => "Instance",
            Self::Entity => "Entity",
            Self::DomainTag => "DomainTag",
        }
    }

    /// Whether such a node belongs to one document; others are there as long as somebody names them.
    #[must_use]
    pub fn is_owned(self) -> bool {
        !matches!(self, Self::Entity | Self::DomainTag)
    }
}

/// A node by its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeKey {
    /// What kind it is.
    pub label: Label,
    /// Its property `key`, which no other of its kind has.
    pub key: String,
}

impl NodeKey {
    /// The node of this kind and key.
    #[must_use]
    pub fn new(label: Label, key: impl Into<String>) -> Self {
        let key = key.into();
        Self { label, key }
    }
}

/// What kind of relationship leaves a document's own node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkKind {
    /// From a document or section to what lies in it.
    HasChild,
    /// From a section to what its text names.
    HasInstance,
    /// From an instance to another under the same heading.
    Related,
    /// From an instance to the entity of that name.
    RefersTo,
    /// From a chunk to an entity that it names, with what it says of it.
    Mentions,
    /// From a chunk to the subject of a fact that it states, with the fact's key and what it says of it.
    States,
    /// From a chunk to an entity that it puts under a chain of domains.
    HasTag,
    /// From a chunk to a domain that it says something of.
    Describes,
}

impl LinkKind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::HasChild,
        Self::HasInstance,
        Self::Related,
        Self::RefersTo,
        Self::Mentions,
        Self::States,
        Self::HasTag,
        Self::Describes,
    ];

    /// Its name in the graph.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::HasChild => "HAS_CHILD",
            Self::HasInstance => "HAS_INSTANCE",
            Self::Related => "RELATED",
            Self::RefersTo => "REFERS_TO",
            Self::Mentions => "MENTIONS",
            Self::States => "STATES",
            Self::HasTag => "HAS_TAG",
            Self::Describes => "DESCRIBES",
        }
    }

    /// The kind of that name.
    pub(super) fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it says more than that it is there.
    pub(super) fn has_properties(self) -> bool {
        !matches!(self, Self::HasChild | Self::HasInstance | Self::RefersTo)
    }
}

/// A relationship that leaves a document's own node. All that it says is what it is: there is no other like it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// Where it begins.
    pub source: NodeKey,
    /// What kind it is.
    pub kind: LinkKind,
    /// Where it leads.
    pub target: NodeKey,
    /// What it says.
    pub properties: Properties,
}

/// A fact between entities, which any number of chunks may state: each has a [`LinkKind::States`] for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// The key of the subject.
    pub subject: String,
    /// The relation as it was said.
    pub predicate: String,
    /// The key of the object.
    pub object: String,
    /// What was cited for it; empty if nothing.
    pub source: String,
}

impl Fact {
    /// What a triple states, by the names that its ends have in the graph; nothing if it leads nowhere.
    pub(crate) fn of(triple: &Triple) -> Option<Self> {
        let (subject, object) = (canonical(&triple.subject), canonical(&triple.object));
        // What is said of a thing and itself leads nowhere.
        if subject.is_empty() || object.is_empty() || subject == object {
            return None;
        }
        Some(Self {
            subject,
            predicate: shown(&triple.predicate),
            object,
            source: triple.source.trim().to_owned(),
        })
    }

    /// The key of its relationship.
    pub(crate) fn key(&self) -> String {
        let parts = [&self.subject, &self.predicate, &self.object, &self.source];
        hash(parts.map(String::as_str))
    }
}

/// What a document adds to the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution {
    pub(super) document: String,
    pub(super) nodes: BTreeMap<NodeKey, Properties>,
    pub(super) links: BTreeSet<Link>,
    /// By their keys.
    pub(super) facts: BTreeMap<String, Fact>,
}

impl Contribution {
    /// What this document adds, cut into these pieces, of which each says what is extracted at its place.
    ///
    /// # Errors
    /// [`BuildError::Unmatched`] if there is not one extraction for each piece;
    /// [`BuildError::BadDocumentName`].
    pub fn new(
        document: &Document,
        pieces: &[Piece],
        extracted: &[Extracted],
        profile: &Profile,
    ) -> Result<Self, BuildError> {
        if pieces.len() != extracted.len() {
            return Err(BuildError::Unmatched {
                pieces: pieces.len(),
                extracted: extracted.len(),
            });
        }
        let metadata = vec![document.metadata(); pieces.len()];
        let extracted: Vec<&Extracted> = extracted.iter().collect();
        Self::made(document, (pieces, &metadata), &extracted, profile)
    }

    /// The same, of pieces of which each has metadata of its own.
    fn made(
        document: &Document,
        (pieces, metadata): (&[Piece], &[&Metadata]),
        extracted: &[&Extracted],
        profile: &Profile,
    ) -> Result<Self, BuildError> {
        let pieces_with = (pieces, metadata);
        let (mut contribution, chunks) = text::contributed(document, pieces_with, profile)?;
        let mut instances = Instances::default();
        for ((piece, extracted), chunk) in pieces.iter().zip(extracted).zip(&chunks) {
            let place = (document, piece, chunk);
            let to = (&mut contribution, &mut instances);
            said::add(to, place, extracted, profile);
        }
        instances.add_to(&mut contribution);
        Ok(contribution)
    }

    /// Nothing: what a document adds that is not there.
    #[must_use]
    pub(super) fn none(document: String) -> Self {
        Self {
            document,
            nodes: BTreeMap::new(),
            links: BTreeSet::new(),
            facts: BTreeMap::new(),
        }
    }

    /// The key of its document.
    #[must_use]
    pub fn document(&self) -> &str {
        &self.document
    }

    /// The nodes that are its own.
    pub fn nodes(&self) -> impl Iterator<Item = (&NodeKey, &Properties)> {
        self.nodes.iter()
    }

    /// The relationships that leave them.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter()
    }

    /// The facts that its chunks state.
    pub fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.facts.values()
    }

    fn link(&mut self, source: &NodeKey, kind: LinkKind, target: &NodeKey, says: Properties) {
        self.links.insert(Link {
            source: source.clone(),
            kind,
            target: target.clone(),
            properties: says,
        });
    }
}

#[cfg(test)]
mod tests;
