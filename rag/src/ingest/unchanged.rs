//! Which documents are in the graph already as they would be taken in: they are neither cut nor read, and nobody is
//! asked about them.

use super::Ingest;
use crate::Document;
use crate::build::{Agreed, hash};

/// The version of how documents are cut, and of what contributions are made of pieces and what they say. Another way is
/// another version, or documents that are there would stay as they are.
const VERSION: &str = "taken-in-1";

/// Documents that were left alone.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unchanged {
    pub(super) documents: usize,
    /// The bytes of their texts.
    pub(super) bytes: u64,
    /// Their nodes and relationships.
    pub(super) parts: u64,
}

impl Unchanged {
    pub(super) fn add(&mut self, document: &Document, parts: u64) {
        self.documents += 1;
        self.bytes += document.text().len() as u64;
        self.parts += parts;
    }
}

/// The hash of all that a contribution is made of: the document, and the way in which it is taken in.
pub(super) fn made_of(document: &str, way: &str) -> String {
    hash([document, way])
}

impl Ingest<'_> {
    /// The hash of everything but a document that decides what becomes of it: the release, what is cut, by whose
    /// tokens, who reads it, which layers there are, and the names that somebody has agreed to. Nothing if one
    /// of them is the caller's own affair.
    pub(super) fn way(&self, agreed: &Agreed) -> Option<String> {
        let reader = self.reader.as_deref()?;
        if self.measure.is_some() {
            return None;
        }
        let profiles = [self.recipe.profile(), self.layers.profile().clone()];
        let profiles = profiles.map(|profile| format!("{profile:?}"));
        let way = [
            VERSION,
            env!("CARGO_PKG_VERSION"),
            reader,
            self.layers.embedder().name(),
        ];
        let way = way.into_iter().chain(profiles.iter().map(String::as_str));
        let names = agreed.all();
        let names = names.flat_map(|(kind, name, stands)| [kind.word(), name, stands]);
        Some(hash(way.chain(names)))
    }

    /// How many nodes and relationships the document of this hash has, if it is there as it would be taken in this way.
    pub(super) fn there(&self, document: &Document, hash: &str, way: &str) -> Option<u64> {
        let there = self.layers.unchanged(document.id(), &made_of(hash, way));
        // What cannot be read is no reason to leave it alone: whoever writes it says what is wrong.
        there.ok().flatten()
    }
}
