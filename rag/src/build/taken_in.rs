//! How a document was taken in, kept with it, so that who would do the same once more can leave it alone.
//!
//! `Document.taken_in` has two hashes: of all that its contribution was made of, and of the contribution. Only the first
//! is taken on trust. What is in the graph is read and hashed again by whoever asks, so that a document of which
//! somebody has taken a chunk, a word or a vector away is not left alone. Both follow from the document and how it was
//! taken in, so that graphs of the same documents are the same.

use stratigraph::Read;

use super::contribution::{Contribution, Label, Link, NodeKey};
use super::digest::Digest;
use super::held::Held;
use super::names::document_key;
use super::property::{Properties, Property};
use super::schema::find;
use super::{BuildError, Layers};
use crate::{Block, BlockKind, Document, Page, Section};

/// The property of a document that says how it was taken in.
const TAKEN_IN: &str = "taken_in";

impl Contribution {
    /// Says that it was made of what has this hash, which [`Layers::unchanged`] is asked for.
    pub(crate) fn made_of(mut self, made_of: &str) -> Self {
        let whole = digest(self.nodes.iter(), self.links.iter());
        let document = NodeKey::new(Label::Document, self.document.as_str());
        if let Some(properties) = self.nodes.get_mut(&document) {
            let taken_in = format!("{made_of}{whole}");
            properties.insert(TAKEN_IN.into(), taken_in.into());
        }
        self
    }
}

impl Layers {
    /// How many nodes and relationships a document has, if all of them are there as they were made of what has this
    /// hash; nothing if the document is not there, was made of something else, or was changed by somebody.
    pub(crate) fn unchanged(&self, id: &str, made_of: &str) -> Result<Option<u64>, BuildError> {
        let key = document_key(id)?;
        let read = self.database().read()?;
        let Some(node) = find(&read, Label::Document, &key)? else {
            return Ok(None);
        };
        let taken_in = read.property(node, TAKEN_IN)?;
        let whole = taken_in
            .as_str()
            .and_then(|said| said.strip_prefix(made_of));
        let Some(whole) = whole else {
            return Ok(None);
        };
        let held = Held::read(&read, &key)?;
        let wording = self.wording();
        let has_vectors = held.nodes.iter().all(|(key, node)| {
            node.vector.is_some() || wording.of_node(key, &node.properties).is_none()
        });
        let nodes = held.nodes.iter().map(|(key, node)| (key, &node.properties));
        let is_whole =
            held.surplus.is_empty() && has_vectors && digest(nodes, held.links.keys()) == whole;
        Ok(is_whole.then_some((held.nodes.len() + held.links.len()) as u64))
    }
}

/// The hash of what a document adds, but for what says how it was taken in.
fn digest<'a>(
    nodes: impl Iterator<Item = (&'a NodeKey, &'a Properties)>,
    links: impl Iterator<Item = &'a Link>,
) -> String {
    let mut digest = Digest::default();
    for (key, properties) in nodes {
        put_key(&mut digest, key);
        put_properties(&mut digest, properties);
    }
    // No label has an empty name.
    digest.text("");
    for link in links {
        put_key(&mut digest, &link.source);
        digest.text(link.kind.name());
        put_key(&mut digest, &link.target);
        put_properties(&mut digest, &link.properties);
    }
    digest.finish()
}

fn put_key(digest: &mut Digest, key: &NodeKey) {
    digest.text(key.label.name());
    digest.text(&key.key);
}

fn put_properties(digest: &mut Digest, properties: &Properties) {
    let properties = properties.iter();
    let properties: Vec<_> = properties.filter(|(name, _)| *name != TAKEN_IN).collect();
    digest.number(properties.len() as u64);
    for (name, property) in properties {
        digest.text(name);
        put_property(digest, property);
    }
}

fn put_property(digest: &mut Digest, property: &Property) {
    match property {
        Property::Text(text) => {
            digest.number(1);
            digest.text(text);
        }
        Property::Integer(number) => {
            digest.number(2);
            digest.number(number.cast_unsigned());
        }
        Property::Boolean(truth) => {
            digest.number(3);
            digest.number(u64::from(*truth));
        }
        Property::Float(bits) => {
            digest.number(4);
            digest.number(*bits);
        }
        Property::List(items) => {
            digest.number(5);
            digest.number(items.len() as u64);
            items.iter().for_each(|item| put_property(digest, item));
        }
        Property::Foreign => digest.number(6),
    }
}

/// The hash of a document as its reader understood it: its text, what stands where in it, and what is known of it.
pub(crate) fn hash_of(document: &Document) -> String {
    let mut digest = Digest::default();
    for text in [document.id(), document.title(), document.text()] {
        digest.text(text);
    }
    digest.number(document.sections().len() as u64);
    for section in document.sections() {
        let Section {
            title,
            depth,
            parent,
            span,
            body,
        } = section;
        digest.text(title);
        let parent = parent.map_or(0, |parent| parent + 1);
        for number in [*depth, parent, span.start, span.end, body.start, body.end] {
            digest.number(number as u64);
        }
    }
    digest.number(document.blocks().len() as u64);
    for Block { kind, span } in document.blocks() {
        digest.number(match kind {
            BlockKind::Paragraph => 1,
            BlockKind::ListItem => 2,
            BlockKind::Table => 3,
            BlockKind::Code => 4,
        });
        digest.number(span.start as u64);
        digest.number(span.end as u64);
    }
    digest.number(document.pages().len() as u64);
    for Page { number, span } in document.pages() {
        for number in [*number, span.start, span.end] {
            digest.number(number as u64);
        }
    }
    digest.number(document.metadata().len() as u64);
    for (name, datum) in document.metadata() {
        digest.text(name);
        put_property(&mut digest, &Property::from(datum));
    }
    digest.finish()
}
