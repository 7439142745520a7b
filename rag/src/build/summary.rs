//! Summaries: texts that a model made from what several documents say, and whether they still stand.
//!
//! A summary keeps the hash of what it was made from. A change only marks those whose inputs it touches, which costs
//! one look at each, and asks no model; whoever wants to pay for new ones asks [`Layers::stale`] which they are.
//! What came back to what it was in between is not stale.
//!
//! Half of all documents may say something of one thing. So a summary is made from a sample: the first of each list in
//! its order, which is the same whoever came first.

use std::collections::{BTreeMap, BTreeSet};

use stratigraph::graph::Entity;
use stratigraph::{Direction, NodeId, Read, RelationshipId, Value, WriteTxn};

use super::contribution::{Fact, Label, LinkKind, NodeKey};
use super::held::{fact_of, key_of};
use super::names::hash;
use super::schema::{COVERS, FACT, HAS_SUBDOMAIN, STATED, find, stale_index};
use super::vectors::Vectors;
use super::{BuildError, Layers};

/// The most that is taken of each list that a summary is made from,
const SAMPLE: usize = 256;
/// and of what is said of each thing on such a list.
const SAMPLE_OF_EACH: usize = 16;

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

impl Summary {
    /// What stands in the place of a model's name where no model wrote it: it is the most central sentences.
    pub const RULES: &str = "rules";
}

/// What a summary is made from. Whatever else is read along when it is made (what is said of the domains above and their
/// summaries, say, or what others say of an entity that lies in several) does not make it stale, or each change near the root
/// would make everything so: only what is said of the thing itself, and what lies right beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// What it is about.
    pub node: NodeKey,
    /// What is said of it, each once; of this and the other lists the first of many.
    pub descriptions: BTreeSet<String>,
    /// Of a domain, the keys of the domains that it lies in.
    pub within: BTreeSet<String>,
    /// Of a domain, the keys of the entities right under it, each with what is said of its belonging there.
    pub covers: BTreeMap<String, BTreeSet<String>>,
    /// Of a domain, what its own chunks say of these entities, by their keys: those of them of which something is said. Its own
    /// are those that put the entity there; a chunk of another domain says nothing of this one.
    pub own: BTreeMap<String, BTreeSet<String>>,
    /// Of an entity, the facts about it, each with what is said of it.
    pub facts: BTreeMap<Fact, BTreeSet<String>>,
}

impl Inputs {
    /// The hash of all of it.
    #[must_use]
    pub fn hash(&self) -> String {
        // Each list begins with a word that says which it is.
        let mut parts = vec!["said"];
        parts.extend(self.descriptions.iter().map(String::as_str));
        parts.push("within");
        parts.extend(self.within.iter().map(String::as_str));
        for (entity, links) in &self.covers {
            parts.extend(["covers", entity]);
            parts.extend(links.iter().map(String::as_str));
        }
        for (entity, said) in &self.own {
            parts.extend(["own", entity]);
            parts.extend(said.iter().map(String::as_str));
        }
        for (fact, said) in &self.facts {
            let fact = [&fact.subject, &fact.predicate, &fact.object, &fact.source];
            parts.push("fact");
            parts.extend(fact.map(String::as_str));
            parts.extend(said.iter().map(String::as_str));
        }
        hash(parts)
    }

    pub(super) fn read<R: Read>(read: &R, node: &NodeKey, id: NodeId) -> Result<Self, BuildError> {
        let mut inputs = Self {
            node: node.clone(),
            descriptions: BTreeSet::new(),
            within: BTreeSet::new(),
            covers: BTreeMap::new(),
            own: BTreeMap::new(),
            facts: BTreeMap::new(),
        };
        match node.label {
            Label::DomainTag => inputs.of_domain(read, id)?,
            _ => inputs.of_entity(read, id)?,
        }
        Ok(inputs)
    }

    fn of_domain<R: Read>(&mut self, read: &R, id: NodeId) -> Result<(), BuildError> {
        self.described(read, id, LinkKind::Describes)?;
        for link in read.neighbours(id, Direction::Incoming, Some(HAS_SUBDOMAIN))? {
            keep(&mut self.within, key_of(read, link?.node)?, SAMPLE);
        }
        let mut covered = BTreeSet::new();
        for link in read.neighbours(id, Direction::Outgoing, Some(COVERS))? {
            let node = link?.node;
            keep(&mut covered, (key_of(read, node)?, node), SAMPLE);
        }
        for (key, node) in covered {
            let (mut links, mut own) = (BTreeSet::new(), BTreeSet::new());
            let mut chunks = BTreeSet::new();
            let tags = Some(LinkKind::HasTag.name());
            for tag in read.neighbours(node, Direction::Incoming, tags)? {
                let tag = tag?;
                let chain = read.property(tag.relationship, "chain")?;
                let last = chain.as_list().and_then(|chain| chain.last()?.as_str());
                if last != Some(&self.node.key) {
                    continue;
                }
                if let Some(said) = description(read, tag.relationship)? {
                    keep(&mut links, said, SAMPLE_OF_EACH);
                }
                chunks.insert(tag.node);
            }
            // One cursor, and not one for each chunk. As many mention it as have it for a tag, about, and those were all looked at.
            let mentions = Some(LinkKind::Mentions.name());
            for mention in read.neighbours(node, Direction::Incoming, mentions)? {
                let mention = mention?;
                if chunks.contains(&mention.node)
                    && let Some(said) = description(read, mention.relationship)?
                {
                    keep(&mut own, said, SAMPLE_OF_EACH);
                }
            }
            if !own.is_empty() {
                self.own.insert(key.clone(), own);
            }
            self.covers.insert(key, links);
        }
        Ok(())
    }

    fn of_entity<R: Read>(&mut self, read: &R, id: NodeId) -> Result<(), BuildError> {
        self.described(read, id, LinkKind::Mentions)?;
        let mut facts = BTreeSet::new();
        for link in read.neighbours(id, Direction::Both, Some(FACT))? {
            keep(&mut facts, fact_of(read, link?.relationship)?, SAMPLE);
        }
        for fact in facts {
            let mut said = BTreeSet::new();
            for states in read.index(STATED)?.equal(&[fact.key().into()])? {
                if let Entity::Relationship(states) = states?
                    && let Some(one) = description(read, states)?
                {
                    keep(&mut said, one, SAMPLE_OF_EACH);
                }
            }
            self.facts.insert(fact, said);
        }
        Ok(())
    }

    /// What links of a kind say of it.
    fn described<R: Read>(
        &mut self,
        read: &R,
        id: NodeId,
        kind: LinkKind,
    ) -> Result<(), BuildError> {
        for link in read.neighbours(id, Direction::Incoming, Some(kind.name()))? {
            if let Some(said) = description(read, link?.relationship)? {
                keep(&mut self.descriptions, said, SAMPLE);
            }
        }
        Ok(())
    }
}

/// Keeps the first of all in their order.
fn keep<T: Ord>(sample: &mut BTreeSet<T>, one: T, most: usize) {
    sample.insert(one);
    if sample.len() > most {
        sample.pop_last();
    }
}

fn description<R: Read>(read: &R, link: RelationshipId) -> Result<Option<String>, BuildError> {
    let said = read.property(link, "description")?;
    Ok(said.as_str().map(str::to_owned))
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

    /// What has a summary that was made from something else than is said now. [`inputs`](Self::inputs) says what
    /// it would be made from.
    ///
    /// # Errors
    /// What the database says.
    pub fn stale(&self) -> Result<Vec<NodeKey>, BuildError> {
        let read = self.database().read()?;
        let mut stale = Vec::new();
        for label in Label::ALL {
            let Some(index) = stale_index(label) else {
                continue;
            };
            for found in read.index(index)?.equal(&[true.into()])? {
                let Entity::Node(id) = found? else { continue };
                let node = NodeKey::new(label, key_of(&read, id)?);
                let made_from = read.property(id, "summary_inputs")?;
                if made_from.as_str() != Some(&Inputs::read(&read, &node, id)?.hash()) {
                    stale.push(node);
                }
            }
        }
        stale.sort_unstable();
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

    /// Takes a summary away of which these inputs, which say nothing, are left. Whether that was so: what is said
    /// something of by now keeps its own, so does what has one that was made from these, and what never had one has none to lose.
    ///
    /// # Errors
    /// What the database says.
    pub fn forget_summary(&self, inputs: &Inputs) -> Result<bool, BuildError> {
        let mut txn = self.database().write()?;
        let node = &inputs.node;
        let Some(id) = find(&txn, node.label, &node.key)? else {
            return Ok(false);
        };
        let hash = inputs.hash();
        let made_from = txn.property(id, "summary_inputs")?;
        if made_from.is_null()
            || made_from.as_str() == Some(hash.as_str())
            || Inputs::read(&txn, node, id)?.hash() != hash
        {
            return Ok(false);
        }
        txn.set_properties(id, PROPERTIES.map(|name| (name, Value::Null)))?;
        txn.commit()?;
        Ok(true)
    }
}

/// What a summary is in the graph.
const PROPERTIES: [&str; 6] = [
    "summary",
    "summary_model",
    "summary_prompt",
    "summary_inputs",
    "summary_embedding",
    "stale",
];

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
