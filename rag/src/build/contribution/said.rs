//! What the words of chunks say: entities, instances, facts and chains of domains.
//!
//! Whatever a model wrote comes through here and becomes values: names are cut to a length, and none of them is
//! a label, a type or a name of a property.

use std::collections::BTreeSet;

use super::super::names::{canonical, instance_key, shown};
use super::super::property::{Properties, Property, put_text, text};
use super::super::{BuildError, Profile};
use super::instances::Instances;
use super::text::Placed;
use super::{Contribution, Fact, Label, Link, LinkKind, NodeKey};
use crate::Document;
use crate::chunk::Piece;
use crate::extract::{Chain, Entity, Extracted, Triple};

/// The most domains of a chain.
const LONGEST_CHAIN: usize = 32;

/// Adds what a piece says.
pub(super) fn add(
    (to, instances): (&mut Contribution, &mut Instances),
    (document, piece, placed): (&Document, &Piece, &Placed),
    extracted: &Extracted,
    profile: &Profile,
) {
    let mut said = Said {
        to,
        instances,
        document,
        piece,
        placed,
        profile,
    };
    let mut named = BTreeSet::new();
    for entity in &extracted.entities {
        said.entity(entity, &mut named);
    }
    let ends = extracted.triples.iter();
    let ends = ends.flat_map(|triple| [&triple.subject, &triple.object]);
    let objects = extracted.chains.iter().map(|chain| &chain.object);
    // What a triple or a chain names is named, whether or not it is listed.
    for name in ends.chain(objects) {
        if !named.contains(&canonical(name)) {
            let name = name.clone();
            said.entity(
                &Entity {
                    name,
                    ..Entity::default()
                },
                &mut named,
            );
        }
    }
    for triple in &extracted.triples {
        said.triple(triple);
    }
    if profile.has_tags() {
        extracted.chains.iter().for_each(|chain| said.chain(chain));
    }
}

struct Said<'a> {
    to: &'a mut Contribution,
    instances: &'a mut Instances,
    document: &'a Document,
    piece: &'a Piece,
    placed: &'a Placed,
    profile: &'a Profile,
}

impl Said<'_> {
    fn entity(&mut self, entity: &Entity, named: &mut BTreeSet<String>) {
        let (key, name) = (canonical(&entity.name), shown(&entity.name));
        if key.is_empty() {
            return;
        }
        let kind = entity.kind.as_deref().map(shown).unwrap_or_default();
        let description = entity.description.trim();
        if self.profile.has_instances() {
            self.instance(entity, (&key, &name, &kind));
        }
        let node = NodeKey::new(Label::Entity, key.as_str());
        if self.profile.has_entities() {
            let mut says = Properties::new();
            put_text(&mut says, "name", &name);
            put_text(&mut says, "kind", &kind);
            put_text(&mut says, "description", description);
            let sentences = self.sentences(entity);
            if !sentences.is_empty() {
                // From the chunk's beginning, so that what comes in before it changes nothing.
                let start = self.piece.span.start;
                let places = sentences
                    .iter()
                    .flat_map(|span| [span.start - start, span.end - start]);
                says.insert("sentences".into(), places.collect());
            }
            let chunk = self.placed.chunk.clone();
            self.to.link(&chunk, LinkKind::Mentions, &node, says);
        }
        named.insert(key);
    }

    /// The sentences of the piece itself: those that were carried along belong to another.
    fn sentences(&self, entity: &Entity) -> Vec<std::ops::Range<usize>> {
        let span = &self.piece.span;
        let within = entity.sentences.iter().filter(|sentence| {
            sentence.start >= span.start
                && sentence.start < sentence.end
                && sentence.end <= span.end
        });
        let within: BTreeSet<(usize, usize)> = within
            .map(|sentence| (sentence.start, sentence.end))
            .collect();
        within.into_iter().map(|(start, end)| start..end).collect()
    }

    /// What is under the lowest heading by this name, and nowhere else.
    fn instance(&mut self, entity: &Entity, (key, name, kind): (&str, &str, &str)) {
        let section = self.placed.section.clone();
        let node = self.instance_of(key);
        let description = entity.description.trim();
        let document = self.document;
        let sentences = self.sentences(entity).into_iter();
        let sentences = sentences.map(|span| document.text_of(span));
        self.instances
            .named(&node, &self.to.document, (name, kind))
            .said(description, sentences, &self.placed.chunk.key);
        self.to
            .link(&section, LinkKind::HasInstance, &node, Properties::new());
        if self.profile.has_entities() {
            let entity = NodeKey::new(Label::Entity, key);
            self.to
                .link(&node, LinkKind::RefersTo, &entity, Properties::new());
        }
    }

    fn instance_of(&self, canonical: &str) -> NodeKey {
        NodeKey::new(
            Label::Instance,
            instance_key(&self.placed.section.key, canonical),
        )
    }

    fn triple(&mut self, triple: &Triple) {
        let Some(fact) = Fact::of(triple) else {
            return;
        };
        let description = triple.description.trim();
        if self.profile.has_instances() {
            let mut says = Properties::new();
            put_text(&mut says, "predicate", &fact.predicate);
            put_text(&mut says, "source", &fact.source);
            put_text(&mut says, "description", description);
            says.insert("chunk".into(), self.placed.chunk.key.as_str().into());
            let (from, to) = (
                self.instance_of(&fact.subject),
                self.instance_of(&fact.object),
            );
            self.to.link(&from, LinkKind::Related, &to, says);
        }
        if self.profile.has_facts() {
            let key = fact.key();
            let mut says = Properties::new();
            put_text(&mut says, "fact", &key);
            put_text(&mut says, "description", description);
            let subject = NodeKey::new(Label::Entity, fact.subject.as_str());
            let chunk = self.placed.chunk.clone();
            self.to.link(&chunk, LinkKind::States, &subject, says);
            self.to.facts.entry(key).or_insert(fact);
        }
    }

    fn chain(&mut self, chain: &Chain) {
        let object = canonical(&chain.object);
        let mut domains: Vec<String> = Vec::new();
        let chunk = self.placed.chunk.clone();
        for domain in chain.domains.iter().take(LONGEST_CHAIN) {
            let key = canonical(&domain.name);
            if key.is_empty() || domains.last() == Some(&key) {
                continue;
            }
            let mut says = Properties::new();
            put_text(&mut says, "name", &shown(&domain.name));
            put_text(&mut says, "description", domain.description.trim());
            let node = NodeKey::new(Label::DomainTag, key.as_str());
            self.to.link(&chunk, LinkKind::Describes, &node, says);
            domains.push(key);
        }
        if object.is_empty() || domains.is_empty() {
            return;
        }
        let mut says = Properties::new();
        says.insert("chain".into(), domains.into_iter().collect());
        put_text(&mut says, "description", chain.description.trim());
        let node = NodeKey::new(Label::Entity, object);
        self.to.link(&chunk, LinkKind::HasTag, &node, says);
    }
}

/// The key of the fact that a link states, if it is one that does.
pub(in crate::build) fn stated_by(link: &Link) -> Option<&str> {
    match link.kind {
        LinkKind::States => Some(text(&link.properties, "fact")),
        _ => None,
    }
}

/// The domains of a chunk's tag, from the widest.
///
/// # Errors
/// [`BuildError::NotAsBuilt`] if it has none.
pub(in crate::build) fn chain_of(link: &Link) -> Result<Vec<&str>, BuildError> {
    let chain = link.properties.get("chain").and_then(Property::texts);
    chain.ok_or_else(|| BuildError::NotAsBuilt {
        what: "a chain",
        key: link.source.key.clone(),
    })
}
