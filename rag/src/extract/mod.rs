//! What a piece of text says, once someone has read it: a model, or rules.
//!
//! An extractor is given a piece and gives an [`Extracted`]: names, texts and spans, nothing of the
//! database. Whatever a model wrote is data here: it becomes values and names of nodes, never a query, an
//! identifier of the schema or an address.

use std::ops::Range;

/// What a piece says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extracted {
    /// What it names.
    pub entities: Vec<Entity>,
    /// What it says of them.
    pub triples: Vec<Triple>,
    /// The chains of domains, from the widest, that its object tags belong to.
    pub chains: Vec<Chain>,
}

/// Something that a piece names: an entity, an instance, or an object tag, as the profile has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entity {
    /// Its name as it is shown.
    pub name: String,
    /// What kind of thing it is: a value, never a label of the graph.
    pub kind: Option<String>,
    /// What the piece says of it; empty if nothing.
    pub description: String,
    /// The sentences that name it, as spans of the document's text.
    pub sentences: Vec<Range<usize>>,
}

/// Something that a piece says: subject, predicate, object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triple {
    /// The name of the subject.
    pub subject: String,
    /// The relation, as the piece has it.
    pub predicate: String,
    /// The name of the object.
    pub object: String,
    /// What the piece says of the relation; empty if nothing.
    pub description: String,
    /// What is cited for it: an article, a page, a passage; empty if nothing but the piece itself.
    pub source: String,
}

/// A chain of domain tags down to an object tag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// The domains from the root on, each with what is said of it.
    pub domains: Vec<Domain>,
    /// The name of the object tag, one of the piece's entities.
    pub object: String,
    /// What ties it to the last domain; empty if nothing is said.
    pub description: String,
}

/// A domain of a chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    /// Its name.
    pub name: String,
    /// What is said of it; empty if nothing.
    pub description: String,
}
