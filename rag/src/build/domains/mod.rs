//! What is asserted of domains, and the hierarchy that follows from it.
//!
//! Every chain is kept with its chunk. `ASSERTS` between two domains carries how many chains put one in the other, and
//! `COVERS` how many end at an entity from a domain. `HAS_SUBDOMAIN`, which must not have cycles, is decided by
//! [`decide`] from the whole set of assertions, and therefore never by who came first. [`parts`] finds what has to be
//! decided again, which is next to nothing.

mod decide;
mod order;
mod parts;

use std::collections::{BTreeMap, BTreeSet};

use stratigraph::{NO_PROPERTIES, NodeId, Read, RelationshipId, WriteTxn};

use super::BuildError;
use super::apply::Counts;
use super::contribution::{Label, Link, LinkKind, chain_of};
use super::schema::{ASSERTS, COVERS, HAS_SUBDOMAIN, find};
use decide::{Assertion, hierarchy};
use parts::Parts;

/// Two keys, of what leads to what.
type Pair = (String, String);

/// What a change says differently of domains.
#[derive(Debug, Default)]
pub(super) struct Chains {
    /// How many chains more put one domain into another.
    pub(super) domains: BTreeMap<Pair, i64>,
    /// How many chains more end at an entity from a domain.
    pub(super) covered: BTreeMap<Pair, i64>,
    /// The last domains of the chains that come or go.
    pub(super) last: BTreeSet<String>,
}

impl Chains {
    /// Counts the chain of a link, if it has one.
    pub(super) fn count(&mut self, link: &Link, sign: i64) -> Result<(), BuildError> {
        if link.kind != LinkKind::HasTag {
            return Ok(());
        }
        let chain = chain_of(link)?;
        for pair in chain.windows(2) {
            if let [domain, within] = pair {
                let pair = ((*domain).to_owned(), (*within).to_owned());
                *self.domains.entry(pair).or_default() += sign;
            }
        }
        if let Some(last) = chain.last() {
            let pair = ((*last).to_owned(), link.target.key.clone());
            *self.covered.entry(pair).or_default() += sign;
            self.last.insert((*last).to_owned());
        }
        Ok(())
    }
}

/// The parts that changed assertions lie in, before anything is changed.
pub(super) fn before(
    txn: &WriteTxn,
    changes: &BTreeMap<Pair, i64>,
) -> Result<BTreeSet<NodeId>, BuildError> {
    let mut parts = Parts::new(txn);
    for (domain, within) in changed(changes) {
        for key in [domain, within] {
            if let Some(id) = find(txn, Label::DomainTag, key)? {
                parts.add(id)?;
            }
        }
    }
    Ok(parts.into_members())
}

fn changed(changes: &BTreeMap<Pair, i64>) -> impl Iterator<Item = &Pair> {
    let changes = changes.iter().filter(|(_, difference)| **difference != 0);
    changes.map(|(pair, _)| pair)
}

/// Counts assertions anew and decides the hierarchy where they differ. Returns the domains that lie in others than
/// before.
pub(super) fn change(
    txn: &mut WriteTxn,
    chains: &Chains,
    mut members: BTreeSet<NodeId>,
    counts: &mut Counts,
) -> Result<BTreeSet<String>, BuildError> {
    for (pair, difference) in &chains.covered {
        let ends = (Label::DomainTag, Label::Entity);
        count(txn, (COVERS, ends), pair, *difference, counts)?;
    }
    let mut pairs: Vec<(Pair, NodeId, NodeId)> = Vec::new();
    for (pair, difference) in &chains.domains {
        let ends = (Label::DomainTag, Label::DomainTag);
        if let Some((from, to)) = count(txn, (ASSERTS, ends), pair, *difference, counts)? {
            pairs.push((pair.clone(), from, to));
        }
    }
    let mut parts = Parts::new(txn);
    for (_, from, to) in &pairs {
        parts.add(*from)?;
        parts.add(*to)?;
    }
    members.extend(parts.into_members());
    let mut wanted = assertions_within(txn, &members)?;
    let kept = hierarchy(&wanted.keys().cloned().collect::<Vec<_>>());
    let kept = kept.map_err(|assertions| BuildError::Tangled { assertions })?;
    wanted.retain(|assertion, _| kept.contains(&assertion.pair));
    let mut moved = BTreeSet::new();
    // First what goes, so that what comes closes no cycle even for a moment.
    let mut have = hierarchy_within(txn, &members)?;
    for (pair, from, to) in &pairs {
        if let Some(id) = between(txn, *from, HAS_SUBDOMAIN, *to)? {
            have.insert((*from, *to), (id, pair.clone()));
        }
    }
    let mut goal: BTreeMap<(NodeId, NodeId), Pair> = BTreeMap::new();
    for (assertion, ends) in wanted {
        goal.insert(ends, assertion.pair);
    }
    for (pair, from, to) in pairs {
        let is_inside = members.contains(&from) && members.contains(&to);
        if !is_inside && between(txn, from, ASSERTS, to)?.is_some() {
            goal.insert((from, to), pair);
        }
    }
    for (ends, (id, pair)) in &have {
        if !goal.contains_key(ends) {
            txn.delete_relationship(*id)?;
            counts.deleted += 1;
            moved.insert(pair.1.clone());
        }
    }
    for ((from, to), pair) in goal {
        if !have.contains_key(&(from, to)) {
            txn.create_relationship(from, HAS_SUBDOMAIN, to, NO_PROPERTIES)?;
            counts.written += 1;
            moved.insert(pair.1);
        }
    }
    Ok(moved)
}

/// Changes how many chains assert something. Returns its ends if that is a change.
fn count(
    txn: &mut WriteTxn,
    (kind, (from, to)): (&str, (Label, Label)),
    pair: &Pair,
    difference: i64,
    counts: &mut Counts,
) -> Result<Option<(NodeId, NodeId)>, BuildError> {
    if difference == 0 {
        return Ok(None);
    }
    let missing = |key: &str| BuildError::NotAsBuilt {
        what: "the node",
        key: key.to_owned(),
    };
    let source = find(txn, from, &pair.0)?.ok_or_else(|| missing(&pair.0))?;
    let target = find(txn, to, &pair.1)?.ok_or_else(|| missing(&pair.1))?;
    let known = between(txn, source, kind, target)?;
    let before = match known {
        Some(id) => txn.property(id, "chains")?.as_int().unwrap_or_default(),
        None => 0,
    };
    let after = before + difference;
    match known {
        Some(id) if after <= 0 => {
            txn.delete_relationship(id)?;
            counts.deleted += 1;
        }
        Some(id) => {
            txn.set_property(id, "chains", after)?;
            counts.written += 1;
        }
        None if after > 0 => {
            txn.create_relationship(source, kind, target, [("chains", after)])?;
            counts.written += 1;
        }
        None => {}
    }
    Ok(Some((source, target)))
}

fn between(
    txn: &WriteTxn,
    from: NodeId,
    kind: &str,
    to: NodeId,
) -> Result<Option<RelationshipId>, stratigraph::Error> {
    let mut found = txn.relationships_between(from, to, Some(kind))?;
    Ok(found.next().transpose()?.map(|found| found.relationship))
}

/// What is asserted among some domains.
fn assertions_within(
    txn: &WriteTxn,
    members: &BTreeSet<NodeId>,
) -> Result<BTreeMap<Assertion, (NodeId, NodeId)>, BuildError> {
    let mut found = BTreeMap::new();
    for (pair, id, ends) in parts::within(txn, members, ASSERTS)? {
        let chains = txn.property(id, "chains")?.as_int().unwrap_or_default();
        found.insert(Assertion { pair, chains }, ends);
    }
    Ok(found)
}

/// Relationships of the hierarchy by their ends, with the keys of those.
type Placed = BTreeMap<(NodeId, NodeId), (RelationshipId, Pair)>;

/// The hierarchy among some domains.
fn hierarchy_within(txn: &WriteTxn, members: &BTreeSet<NodeId>) -> Result<Placed, BuildError> {
    let found = parts::within(txn, members, HAS_SUBDOMAIN)?.into_iter();
    Ok(found.map(|(pair, id, ends)| (ends, (id, pair))).collect())
}
