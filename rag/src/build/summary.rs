//! Summaries: texts that a model made from what several documents say, and whether they still stand.
//!
//! A summary keeps the hash of what it was made from. A change only marks those whose inputs it touches, which costs
//! one look at each, and asks no model; whoever wants to pay for new ones asks [`Layers::stale`] which they are.
//! What came back to what it was in between is not stale.

use std::collections::BTreeSet;

use stratigraph::graph::Entity;
use stratigraph::{Direction, NodeId, Read, Value, WriteTxn};

use super::contribution::{Label, LinkKind, NodeKey};
use super::held::key_of;
use super::names::hash;
use super::schema::{FACT, HAS_SUBDOMAIN, find, stale_index};
use super::vectors::Vectors;
use super::{BuildError, Layers};

/// A text about an entity or a domain, made from everything that is said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The text.
    pub text: String,
    /// Which model wrote it, or which rule.
    pub model: String,
    /// Which version of the prompt it was asked with.
    pub prompt: String,
}

/// What a summary is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// What it is about.
    pub node: NodeKey,
    /// What is said, each once, in order.
    pub lines: BTreeSet<String>,
}

impl Inputs {
    /// The hash of all of it.
    #[must_use]
    pub fn hash(&self) -> String {
        hash(self.lines.iter().map(String::as_str))
    }

    fn read<R: Read>(read: &R, node: &NodeKey, id: NodeId) -> Result<Self, BuildError> {
        let mut lines = BTreeSet::new();
        match node.label {
            Label::DomainTag => of_domain(read, node, id, &mut lines)?,
            _ => of_entity(read, id, &mut lines)?,
        }
        let node = node.clone();
        Ok(Self { node, lines })
    }
}

impl Layers {
    /// What a summary of this entity or domain is made from; nothing if it is not there.
    ///
    /// # Errors
    /// What the database says.
    pub fn inputs(&self, node: &NodeKey) -> Result<Option<Inputs>, BuildError> {
        let read = self.database().read()?;
        let Some(id) = find(&read, node.label, &node.key)? else {
            return Ok(None);
        };
        Inputs::read(&read, node, id).map(Some)
    }

    /// The summaries that were made from something else than what is said now, with what is said now.
    ///
    /// # Errors
    /// What the database says.
    pub fn stale(&self) -> Result<Vec<Inputs>, BuildError> {
        let read = self.database().read()?;
        let mut stale = Vec::new();
        for label in Label::ALL {
            let Some(index) = stale_index(label) else {
                continue;
            };
            for found in read.index(index)?.equal(&[true.into()])? {
                let Entity::Node(id) = found? else { continue };
                let node = NodeKey::new(label, key_of(&read, id)?);
                let inputs = Inputs::read(&read, &node, id)?;
                let made_from = read.property(id, "summary_inputs")?;
                if made_from.as_str() != Some(&inputs.hash()) {
                    stale.push(inputs);
                }
            }
        }
        stale.sort_unstable_by(|one, other| one.node.cmp(&other.node));
        Ok(stale)
    }

    /// Keeps a summary that was made from these inputs, with its vector. If something else is said by now, it is
    /// stale from the beginning. Returns whether there was still something that it is about.
    ///
    /// # Errors
    /// What the embedder or the database says.
    pub fn summarise(&self, inputs: &Inputs, summary: &Summary) -> Result<bool, BuildError> {
        let mut vectors = Vectors::default();
        let texts = [summary.text.as_str()];
        vectors.compute(&texts, &inputs.node.key, self.embedder())?;
        let mut txn = self.database().write()?;
        let node = &inputs.node;
        let Some(id) = find(&txn, node.label, &node.key)? else {
            return Ok(false);
        };
        let now = Inputs::read(&txn, node, id)?;
        let is_stale = (now.hash() != inputs.hash()).then_some(true);
        let vector = vectors.get(&summary.text).cloned();
        let properties: [(&str, Value); 6] = [
            ("summary", summary.text.as_str().into()),
            ("summary_model", summary.model.as_str().into()),
            ("summary_prompt", summary.prompt.as_str().into()),
            ("summary_inputs", inputs.hash().into()),
            ("summary_embedding", vector.into()),
            ("stale", is_stale.into()),
        ];
        txn.set_properties(id, properties)?;
        txn.commit()?;
        Ok(true)
    }
}

/// Marks the summaries among what was touched, and returns those that were not marked yet.
pub(super) fn mark(
    txn: &mut WriteTxn,
    touched: &BTreeSet<NodeKey>,
) -> Result<BTreeSet<NodeKey>, BuildError> {
    let mut marked = BTreeSet::new();
    for node in touched {
        let Some(id) = find(txn, node.label, &node.key)? else {
            continue;
        };
        if !txn.property(id, "summary_inputs")?.is_null() && txn.property(id, "stale")?.is_null() {
            txn.set_property(id, "stale", true)?;
            marked.insert(node.clone());
        }
    }
    Ok(marked)
}

/// What is said of a domain, what it lies in, and what is said of the entities right under it.
fn of_domain<R: Read>(
    read: &R,
    node: &NodeKey,
    id: NodeId,
    lines: &mut BTreeSet<String>,
) -> Result<(), BuildError> {
    for link in read.neighbours(id, Direction::Incoming, Some(LinkKind::Describes.name()))? {
        lines.insert(said(
            read,
            link?.relationship.into(),
            &["name", "description"],
        )?);
    }
    for link in read.neighbours(id, Direction::Incoming, Some(HAS_SUBDOMAIN))? {
        lines.insert(format!("in {}", key_of(read, link?.node)?));
    }
    for covered in read.neighbours(id, Direction::Outgoing, Some(super::schema::COVERS))? {
        let covered = covered?.node;
        let entity = key_of(read, covered)?;
        for tag in read.neighbours(covered, Direction::Incoming, Some(LinkKind::HasTag.name()))? {
            let tag = tag?.relationship;
            let chain = read.property(tag, "chain")?;
            let last = chain.as_list().and_then(|chain| chain.last()?.as_str());
            if last == Some(&node.key) {
                let description = said(read, tag.into(), &["description"])?;
                lines.insert(format!("covers {entity}: {description}"));
            }
        }
    }
    Ok(())
}

/// What is said of an entity, and the facts about it.
fn of_entity<R: Read>(
    read: &R,
    id: NodeId,
    lines: &mut BTreeSet<String>,
) -> Result<(), BuildError> {
    for link in read.neighbours(id, Direction::Incoming, Some(LinkKind::Mentions.name()))? {
        let names = ["name", "kind", "description"];
        lines.insert(said(read, link?.relationship.into(), &names)?);
    }
    for fact in read.neighbours(id, Direction::Both, Some(FACT))? {
        let fact = super::held::StoredFact::read(read, fact?.relationship)?;
        let stated = &fact.fact;
        let line = format!("{} {} {}", stated.subject, stated.predicate, stated.object);
        for support in &fact.supports {
            lines.insert(format!("{line}: {}", support.description));
        }
    }
    Ok(())
}

fn said<R: Read>(read: &R, entity: Entity, names: &[&str]) -> Result<String, BuildError> {
    let mut line = String::new();
    for name in names {
        let value = read.property(entity, name)?;
        if let Some(text) = value.as_str() {
            if !line.is_empty() {
                line.push_str(": ");
            }
            line.push_str(text);
        }
    }
    Ok(line)
}
