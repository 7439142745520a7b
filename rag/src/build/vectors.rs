//! Which texts have vectors, and the vectors of those that are new.
//!
//! All of them are computed before a transaction begins: nobody waits for a model with the writer's place in hand.

use std::collections::{BTreeSet, HashMap};

use stratigraph::{Read, Vector};
use stratigraph_models::Embedder;

use super::contribution::{Contribution, Fact, Label, NodeKey};
use super::held::{Held, HeldNode, find_fact};
use super::property::{Properties, Property, text};
use super::schema::find;
use super::{BuildError, Profile};

/// So many texts are given to the embedder at a time.
pub(super) const TEXTS_AT_ONCE: usize = 1024;

/// The text that stands for a document's own node among vectors, if it has one.
pub(super) fn text_of_node(
    node: &NodeKey,
    properties: &Properties,
    profile: &Profile,
) -> Option<String> {
    let heading = text(properties, "heading");
    let said = match node.label {
        Label::Section => heading.to_owned(),
        Label::Chunk if profile.has_headings_in_vectors() => {
            format!("{heading}\n{}", text(properties, "text"))
        }
        Label::Chunk => text(properties, "text").to_owned(),
        Label::Instance => {
            let mut said = text(properties, "name").to_owned();
            let descriptions = properties.get("descriptions").and_then(Property::texts);
            for description in descriptions.into_iter().flatten() {
                said.push_str(": ");
                said.push_str(description);
            }
            said
        }
        Label::Document | Label::Entity | Label::DomainTag => return None,
    };
    Some(said)
}

/// The text that stands for a fact, and that with its source. They are made of what makes it this fact, so that they
/// do not depend on who writes its names how.
pub(super) fn texts_of_fact(fact: &Fact, profile: &Profile) -> (String, Option<String>) {
    let plain = format!("{} {} {}", fact.subject, fact.predicate, fact.object);
    let sourced = profile
        .has_sources_in_vectors()
        .then(|| match fact.source.as_str() {
            "" => plain.clone(),
            source => format!("{plain}: {source}"),
        });
    (plain, sourced)
}

/// Vectors by text.
#[derive(Default)]
pub(super) struct Vectors {
    known: HashMap<String, Vector>,
    computed: u64,
}

impl Vectors {
    /// How many were computed.
    pub(super) fn computed(&self) -> u64 {
        self.computed
    }

    pub(super) fn get(&self, text: &str) -> Option<&Vector> {
        self.known.get(text)
    }

    /// Sees to it that everything that the change will ask for is there.
    pub(super) fn prepare<R: Read>(
        &mut self,
        (read, held): (&R, &Held),
        new: &Contribution,
        profile: &Profile,
        embedder: &dyn Embedder,
    ) -> Result<(), BuildError> {
        let wanted = self.wanted((read, held), new, profile)?;
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        for texts in wanted.chunks(TEXTS_AT_ONCE) {
            self.compute(texts, new.document(), embedder)?;
        }
        Ok(())
    }

    fn wanted<R: Read>(
        &mut self,
        (read, held): (&R, &Held),
        new: &Contribution,
        profile: &Profile,
    ) -> Result<BTreeSet<String>, BuildError> {
        let mut wanted = BTreeSet::new();
        for (node, properties) in &new.nodes {
            let Some(text) = text_of_node(node, properties, profile) else {
                continue;
            };
            if kept_vector(node, held.nodes.get(node), &text, profile).is_none() {
                wanted.insert(text);
            }
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
                let (plain, sourced) = texts_of_fact(fact, profile);
                wanted.insert(plain);
                wanted.extend(sourced);
            }
        }
        wanted.retain(|text| !self.known.contains_key(text));
        // A text that only moves takes its vector along.
        for (node, held) in &held.nodes {
            let Some(vector) = &held.vector else { continue };
            if let Some(text) = text_of_node(node, &held.properties, profile)
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
        Ok(())
    }
}

/// The vector that a node has already, if its text is the same as before.
pub(super) fn kept_vector<'a>(
    node: &NodeKey,
    held: Option<&'a HeldNode>,
    new: &str,
    profile: &Profile,
) -> Option<&'a Vector> {
    let held = held?;
    let vector = held.vector.as_ref()?;
    let before = text_of_node(node, &held.properties, profile)?;
    (before == new).then_some(vector)
}
