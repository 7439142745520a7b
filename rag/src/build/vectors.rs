//! Which texts have vectors, and the vectors of those that are new. How these texts are worded is in `wording.rs`.
//!
//! All of them are computed before a transaction begins: nobody waits for a model with the writer's place in hand.

use std::collections::{BTreeSet, HashMap};

use stratigraph::{Read, Vector};
use stratigraph_models::Embedder;

use super::contribution::{Contribution, Label};
use super::held::{Held, find_fact};
use super::schema::find;
use super::wording::{Wording, kept};
use super::{BuildError, CutOff};

/// So many texts are given to the embedder at a time.
pub(super) const TEXTS_AT_ONCE: usize = 1024;

/// Vectors by text.
#[derive(Default)]
pub(super) struct Vectors {
    known: HashMap<String, Vector>,
    computed: u64,
    tokens: u64,
    /// Texts of new pieces whose ends are not read, and how much of them is.
    cut_off: BTreeSet<String>,
    reads: usize,
}

impl Vectors {
    /// How many were computed.
    pub(super) fn computed(&self) -> u64 {
        self.computed
    }

    /// The tokens of their texts, as far as whoever computed them has counted.
    pub(super) fn tokens(&self) -> u64 {
        self.tokens
    }

    /// The new pieces whose ends are in no vector.
    pub(super) fn cut_off(&self) -> CutOff {
        CutOff {
            pieces: self.cut_off.len() as u64,
            reads: self.reads,
        }
    }

    pub(super) fn get(&self, text: &str) -> Option<&Vector> {
        self.known.get(text)
    }

    /// Sees to it that everything that the change will ask for is there.
    pub(super) fn prepare<R: Read>(
        &mut self,
        (read, held): (&R, &Held),
        new: &Contribution,
        wording: Wording<'_>,
    ) -> Result<(), BuildError> {
        let wanted = self.wanted((read, held), new, wording)?;
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        for texts in wanted.chunks(TEXTS_AT_ONCE) {
            self.compute(texts, new.document(), wording.embedder)?;
        }
        Ok(())
    }

    fn wanted<R: Read>(
        &mut self,
        (read, held): (&R, &Held),
        new: &Contribution,
        wording: Wording<'_>,
    ) -> Result<BTreeSet<String>, BuildError> {
        let mut wanted = BTreeSet::new();
        for (node, properties) in &new.nodes {
            if kept(node, held.nodes.get(node), properties).is_some() {
                continue;
            }
            let Some(text) = wording.of_node(node, properties) else {
                continue;
            };
            if node.label == Label::Chunk
                && let Some(reads) = wording.cuts_off(&text)
            {
                self.cut_off.insert(text.clone());
                self.reads = reads;
            }
            wanted.insert(text);
        }
        let mut seen = BTreeSet::new();
        for link in &new.links {
            let target = &link.target;
            if target.label == Label::Entity
                && seen.insert(&target.key)
                && !wanted.contains(&target.key)
                && find(read, Label::Entity, &target.key)?.is_none()
            {
                wanted.insert(target.key.clone());
            }
        }
        let stated = held.facts();
        for (key, fact) in &new.facts {
            if !stated.contains(key.as_str()) && find_fact(read, key)?.is_none() {
                let (plain, sourced) = wording.of_fact(fact);
                wanted.insert(plain);
                wanted.extend(sourced);
            }
        }
        wanted.retain(|text| !self.known.contains_key(text));
        // A text that only moves takes its vector along.
        for (node, held) in &held.nodes {
            if wanted.is_empty() {
                break;
            }
            let Some(vector) = &held.vector else { continue };
            if let Some(text) = wording.of_node(node, &held.properties)
                && wanted.remove(&text)
            {
                self.known.insert(text, vector.clone());
            }
        }
        Ok(wanted)
    }

    /// Computes the vectors of some texts.
    pub(super) fn compute(
        &mut self,
        texts: &[&str],
        document: &str,
        embedder: &dyn Embedder,
    ) -> Result<(), BuildError> {
        let rows = embedder.embed(texts);
        let rows = rows.map_err(|source| BuildError::Embedder {
            document: document.to_owned(),
            source,
        })?;
        let bad = |problem| BuildError::BadVectors {
            embedder: embedder.name().to_owned(),
            problem,
        };
        if rows.len() != texts.len() || rows.dimensions() != embedder.dimensions() {
            return Err(bad(format!(
                "{} rows of {} numbers for {} texts, and says that it gives {}",
                rows.len(),
                rows.dimensions(),
                texts.len(),
                embedder.dimensions()
            )));
        }
        for (text, row) in texts.iter().zip(rows.iter()) {
            let vector = Vector::new(row).map_err(|error| bad(error.to_string()))?;
            self.known.insert((*text).to_owned(), vector);
        }
        self.computed += texts.len() as u64;
        self.tokens += rows.tokens().unwrap_or(0);
        Ok(())
    }
}
