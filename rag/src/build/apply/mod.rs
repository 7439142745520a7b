//! From one contribution to the next, within one write transaction.
//!
//! ```text
//! own.rs      the document's own nodes and what leaves them
//! facts.rs    which facts are stated
//! shared.rs   entities and domains: made for the first who names them, gone with the last
//! domains/    what is asserted of domains, and the hierarchy that follows from it
//! summary/    which summaries were made from something else
//! ```
//! Only what differs is touched.

mod facts;
mod own;
mod shared;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use stratigraph::{NodeId, Value, WriteTxn};

use super::contribution::{Contribution, Label, Link, LinkKind, NodeKey, chain_of};
use super::held::Held;
use super::schema::find;
use super::standing::Standing;
use super::vectors::Vectors;
use super::wording::Wording;
use super::{BuildError, domains, summary};

/// Why a change cannot be made.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The vectors of these texts have to be computed first: what had them has gone meanwhile.
    NoVectors(BTreeSet<String>),
    /// Something else.
    Failed(BuildError),
}

impl<E: Into<BuildError>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// What a change did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) written: u64,
    pub(super) deleted: u64,
    pub(super) unchanged: u64,
    pub(super) stale: BTreeSet<NodeKey>,
    pub(super) added_documents: u64,
    pub(super) changed_documents: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        self.written += more.written;
        self.deleted += more.deleted;
        self.unchanged += more.unchanged;
        self.stale.extend(more.stale);
        self.added_documents += more.added_documents;
        self.changed_documents += more.changed_documents;
    }
}

/// A change at work.
pub(super) struct Work<'a> {
    txn: &'a mut WriteTxn,
    held: &'a Held,
    new: &'a Contribution,
    wording: Wording<'a>,
    vectors: &'a Vectors,
    /// Texts that have no vector yet. The change goes on to find all of them, and is never committed then.
    without: BTreeSet<String>,
    /// Nodes that are there by now.
    ids: HashMap<NodeKey, NodeId>,
    removed: Vec<&'a Link>,
    added: Vec<&'a Link>,
    counts: Counts,
}

/// Changes what a document adds from `held` to `new`.
pub(super) fn apply(
    txn: &mut WriteTxn,
    (held, new): (&Held, &Contribution),
    wording: Wording<'_>,
    vectors: &Vectors,
) -> Result<Counts, Refusal> {
    let kept = held.nodes.iter().map(|(key, node)| (key.clone(), node.id));
    let mut work = Work {
        ids: kept.collect(),
        removed: held
            .links
            .keys()
            .filter(|link| !new.links.contains(link))
            .collect(),
        added: new
            .links
            .iter()
            .filter(|link| !held.links.contains_key(link))
            .collect(),
        txn,
        held,
        new,
        wording,
        vectors,
        without: BTreeSet::new(),
        counts: Counts::default(),
    };
    let chains = work.chains()?;
    let parts = domains::before(work.txn, &chains.domains)?;
    work.remove_links()?;
    work.remove_nodes()?;
    work.make_shared()?;
    work.write_nodes()?;
    work.add_links()?;
    let stated = work.settle_facts()?;
    let moved = domains::change(work.txn, &chains, parts, &mut work.counts)?;
    let touched = work.touched(&chains, &moved, &stated)?;
    work.settle_shared()?;
    let stale = summary::mark(work.txn, &touched)?;
    work.counts.written += stale.len() as u64;
    work.counts.stale = stale;
    match Standing::of_change(held, new) {
        Some(Standing::New) => work.counts.added_documents += 1,
        Some(Standing::Changed) => work.counts.changed_documents += 1,
        Some(Standing::Same) | None => {}
    }
    match work.without.is_empty() {
        true => Ok(work.counts),
        false => Err(Refusal::NoVectors(work.without)),
    }
}

impl Work<'_> {
    /// The id of a node that must be there.
    fn id(&mut self, node: &NodeKey) -> Result<NodeId, Refusal> {
        if let Some(id) = self.ids.get(node) {
            return Ok(*id);
        }
        let id = find(self.txn, node.label, &node.key)?;
        let id = id.ok_or_else(|| BuildError::NotAsBuilt {
            what: "the node",
            key: node.key.clone(),
        })?;
        self.ids.insert(node.clone(), id);
        Ok(id)
    }

    /// The vector of a text. If it has none yet, none takes its place for now.
    fn vector(&mut self, text: &str) -> Value {
        match self.vectors.get(text) {
            Some(vector) => vector.clone().into(),
            None => {
                self.without.insert(text.to_owned());
                Value::Null
            }
        }
    }

    /// What the change says differently of domains.
    fn chains(&self) -> Result<domains::Chains, BuildError> {
        let mut chains = domains::Chains::default();
        for (links, sign) in [(&self.removed, -1), (&self.added, 1)] {
            for link in links {
                chains.count(link, sign)?;
            }
        }
        Ok(chains)
    }

    /// What may have a summary that was made from something that is different now.
    fn touched(
        &self,
        chains: &domains::Chains,
        moved: &BTreeSet<String>,
        stated: &BTreeSet<NodeKey>,
    ) -> Result<BTreeSet<NodeKey>, BuildError> {
        let links = self.removed.iter().chain(&self.added);
        let targets = links.map(|link| &link.target);
        let targets = targets.filter(|target| !target.label.is_owned()).cloned();
        let retold = self.retold()?;
        let domains = chains.last.iter().map(String::as_str);
        let domains = domains.chain(moved.iter().map(String::as_str));
        let domains = domains.chain(retold);
        let domains = domains.map(|key| NodeKey::new(Label::DomainTag, key));
        Ok(targets
            .chain(domains)
            .chain(stated.iter().cloned())
            .collect())
    }

    /// The domains under which a chunk goes on to put what it says something else of. Where it comes to put it there, or does
    /// no more, the chain itself has come or gone.
    fn retold(&self) -> Result<BTreeSet<&str>, BuildError> {
        let links = self.removed.iter().chain(&self.added);
        let mentions = links.filter(|link| link.kind == LinkKind::Mentions);
        let mentions: BTreeSet<(&NodeKey, &NodeKey)> =
            mentions.map(|link| (&link.source, &link.target)).collect();
        let mut domains = BTreeSet::new();
        let tags = self.new.links.iter();
        for tag in tags.filter(|link| link.kind == LinkKind::HasTag) {
            if mentions.contains(&(&tag.source, &tag.target))
                && let Some(last) = chain_of(tag)?.last()
            {
                domains.insert(*last);
            }
        }
        Ok(domains)
    }

    /// Links by what they lead to, of the kinds that lead to what is shared.
    fn by_target<'l>(links: &[&'l Link]) -> BTreeMap<&'l NodeKey, Vec<&'l Link>> {
        let mut by_target: BTreeMap<&NodeKey, Vec<&Link>> = BTreeMap::new();
        for link in links {
            if !link.target.label.is_owned() {
                by_target.entry(&link.target).or_default().push(link);
            }
        }
        by_target
    }
}
