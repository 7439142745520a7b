//! What a summary is asked for: from the keys of [`Inputs`] to the names and texts that somebody can read.
//!
//! What is read here beside the inputs (names, what is said of the domains above, their summaries, what other domains say of what
//! lies in one) does not make a summary stale: see `build/summary.rs`.
//!
//! A model is told all that is said of what lies in a domain, as TagRAG has it: it writes of the domain. Rules repeat what they
//! are told, so they are told what the domain's own chunks say, or three domains that share a thing would begin with one sentence.

use std::collections::BTreeSet;

use super::unwritten::Writer;
use crate::build::{BuildError, Fact, Inputs, Label, Layers, NodeKey};
use crate::chunk::is_heading;
use crate::extract::{Domain, Neighbour, Rules, SummaryOf};

/// So many domains lie above one at most, as far as a summary is concerned.
const LONGEST_CHAIN: usize = 32;
/// So many covered entities are read; a hub has more than anybody can be told.
const MOST_COVERED: usize = 256;

/// What a summary is of, with the texts that it is made from.
#[derive(Debug)]
pub(super) struct Subject {
    name: String,
    said: Vec<String>,
    chain: Vec<Domain>,
    /// The keys of the domains of its chain.
    chain_keys: Vec<NodeKey>,
    covers: Vec<Covered>,
    relations: Vec<String>,
    before: Option<String>,
    is_domain: bool,
}

#[derive(Debug)]
struct Covered {
    name: String,
    description: String,
    link: String,
}

impl Subject {
    /// Reads what these inputs are of, as it is told to whoever writes: rules take sentences as they are, and that two things are
    /// named together is none that tells anything.
    pub(super) fn read(
        layers: &Layers,
        inputs: &Inputs,
        writer: &Writer,
    ) -> Result<Self, BuildError> {
        let node = &inputs.node;
        let (name, before) = layers.name_and_summary(node)?;
        let mut subject = Self {
            name,
            said: inputs.descriptions.iter().cloned().collect(),
            chain: Vec::new(),
            chain_keys: Vec::new(),
            covers: Vec::new(),
            relations: Vec::new(),
            before,
            is_domain: node.label == Label::DomainTag,
        };
        if subject.is_domain {
            subject.read_chain(layers, inputs)?;
            match writer.is_rules() && says_something(inputs) {
                true => subject.read_own(layers, inputs)?,
                false => subject.read_all(layers, inputs, writer)?,
            }
        } else {
            for (fact, said) in &inputs.facts {
                if tells(fact, writer) {
                    subject.said.push(told(layers, fact)?);
                }
                subject.said.extend(said.iter().cloned());
            }
        }
        Ok(subject)
    }

    fn read_chain(&mut self, layers: &Layers, inputs: &Inputs) -> Result<(), BuildError> {
        for node in above(layers, inputs)?.into_iter().rev() {
            let Some(of) = layers.inputs(&node)? else {
                continue;
            };
            self.chain.push(Domain {
                name: layers.name_and_summary(&of.node)?.0,
                description: joined(&of.descriptions),
            });
            self.chain_keys.push(of.node);
        }
        self.chain_keys.push(inputs.node.clone());
        self.chain.push(Domain {
            name: self.name.clone(),
            description: joined(&inputs.descriptions),
        });
        Ok(())
    }

    /// What the domain's own chunks say of what lies in it. How that hangs together is left out: those who say it may be others.
    fn read_own(&mut self, layers: &Layers, inputs: &Inputs) -> Result<(), BuildError> {
        for (key, link) in inputs.covers.iter().take(MOST_COVERED) {
            let entity = NodeKey::new(Label::Entity, key.as_str());
            let (name, _) = layers.name_and_summary(&entity)?;
            let own = inputs.own.get(key).into_iter().flatten();
            let own: Vec<&str> = own.map(String::as_str).collect();
            self.covers.push(Covered {
                name,
                // A blank line, so that what has no full stop is a sentence by itself.
                description: own.join("\n\n"),
                link: joined(link),
            });
        }
        Ok(())
    }

    /// What anybody says of what lies in the domain, and how that hangs together.
    fn read_all(
        &mut self,
        layers: &Layers,
        inputs: &Inputs,
        writer: &Writer,
    ) -> Result<(), BuildError> {
        let covered: BTreeSet<&str> = inputs.covers.keys().map(String::as_str).collect();
        let mut facts = BTreeSet::new();
        for (key, link) in inputs.covers.iter().take(MOST_COVERED) {
            let entity = NodeKey::new(Label::Entity, key.as_str());
            let (name, _) = layers.name_and_summary(&entity)?;
            let of = layers.inputs(&entity)?;
            let description = of.as_ref().map(|of| joined(&of.descriptions));
            self.covers.push(Covered {
                name,
                description: description.unwrap_or_default(),
                link: joined(link),
            });
            // How what lies in it hangs together.
            let within = of.into_iter().flat_map(|of| of.facts.into_keys());
            facts.extend(within.filter(|fact| {
                let is_within = [&fact.subject, &fact.object]
                    .iter()
                    .all(|end| covered.contains(end.as_str()));
                is_within && tells(fact, writer)
            }));
        }
        for fact in facts.iter().take(MOST_COVERED) {
            self.relations.push(told(layers, fact)?);
        }
        Ok(())
    }

    /// The summaries that the domains above it have by now, from the widest, each behind the domain's name.
    pub(super) fn summaries_above(&self, layers: &Layers) -> Result<Vec<String>, BuildError> {
        let mut above = Vec::new();
        let chain = self.chain_keys.iter().zip(&self.chain);
        for (key, domain) in chain.take(self.chain.len().saturating_sub(1)) {
            if let (_, Some(summary)) = layers.name_and_summary(key)? {
                above.push(format!("{}: {summary}", domain.name));
            }
        }
        Ok(above)
    }

    /// Hands it to whoever summarises, with the summaries of what lies above it.
    pub(super) fn with<T>(
        &self,
        above: &[String],
        summarise: impl FnOnce(&SummaryOf<'_>) -> T,
    ) -> T {
        if self.is_domain {
            let tags = self.covers.iter().map(|covered| Neighbour {
                name: &covered.name,
                description: &covered.description,
                link: &covered.link,
            });
            let tags: Vec<Neighbour<'_>> = tags.collect();
            let relations: Vec<&str> = self.relations.iter().map(String::as_str).collect();
            let above: Vec<&str> = above.iter().map(String::as_str).collect();
            return summarise(&SummaryOf::Domain {
                chain: &self.chain,
                above: &above,
                tags: &tags,
                relations: &relations,
                before: self.before.as_deref(),
            });
        }
        let descriptions: Vec<&str> = self.said.iter().map(String::as_str).collect();
        summarise(&SummaryOf::Entity {
            name: &self.name,
            descriptions: &descriptions,
        })
    }
}

/// Whether there is no text to make a summary from. What tells is looked at first, so that hardly any domain has all that lies
/// in it read for this.
pub(super) fn is_silent(layers: &Layers, inputs: &Inputs) -> Result<bool, BuildError> {
    // A fact is a text whatever is said of it.
    if !inputs.facts.is_empty() || said(inputs).any(|text| !text.trim().is_empty()) {
        return Ok(false);
    }
    for key in inputs.covers.keys().take(MOST_COVERED) {
        let Some(of) = layers.inputs(&NodeKey::new(Label::Entity, key.as_str()))? else {
            continue;
        };
        let is_within = of.facts.keys().any(|fact| {
            inputs.covers.contains_key(&fact.subject) && inputs.covers.contains_key(&fact.object)
        });
        if is_within || of.descriptions.iter().any(|text| !text.trim().is_empty()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a domain's own chunks say something that a sentence could be.
fn says_something(inputs: &Inputs) -> bool {
    said(inputs).any(|text| text.contains(char::is_alphanumeric))
}

/// What the chunks of the thing itself say: of it, and of a domain what lies in it, and how it belongs there.
fn said(inputs: &Inputs) -> impl Iterator<Item = &String> {
    let said = inputs.covers.values().chain(inputs.own.values());
    said.chain([&inputs.descriptions]).flatten()
}

/// How deep it lies: what lies above is summarised first.
pub(super) fn depth(layers: &Layers, inputs: &Inputs) -> Result<usize, BuildError> {
    match inputs.node.label {
        Label::DomainTag => Ok(above(layers, inputs)?.len() + 1),
        _ => Ok(0),
    }
}

/// The domains above one, from the nearest: along the first of several each time.
fn above(layers: &Layers, inputs: &Inputs) -> Result<Vec<NodeKey>, BuildError> {
    let mut above = Vec::new();
    let mut seen = BTreeSet::from([inputs.node.key.clone()]);
    let mut next = inputs.within.first().cloned();
    while let Some(key) = next.filter(|key| seen.insert(key.clone())) {
        next = layers.first_above(&key)?;
        above.push(NodeKey::new(Label::DomainTag, key));
        if above.len() == LONGEST_CHAIN {
            break;
        }
    }
    Ok(above)
}

/// Whether a fact tells whoever summarises something.
fn tells(fact: &Fact, writer: &Writer) -> bool {
    !writer.is_rules() || fact.predicate != Rules::CO_OCCURS
}

fn told(layers: &Layers, fact: &Fact) -> Result<String, BuildError> {
    let name = |key: &str| layers.name_and_summary(&NodeKey::new(Label::Entity, key));
    let (subject, object) = (name(&fact.subject)?.0, name(&fact.object)?.0);
    Ok(format!("{subject} {} {object}.", fact.predicate))
}

/// Texts as one, without headings, which would be lines no more.
fn joined(texts: &BTreeSet<String>) -> String {
    let texts = texts.iter().map(String::as_str);
    let texts: Vec<&str> = texts.filter(|text| !is_heading(text)).collect();
    texts.join(" ")
}
