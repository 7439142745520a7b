//! Which domains lie on a common cycle of assertions with a given one.
//!
//! Only domains above are read, of which there are few, and never those below: nearly all are below the root.

use std::collections::{BTreeMap, BTreeSet};

use stratigraph::{Direction, NodeId, Read, RelationshipId, WriteTxn};

use super::super::BuildError;
use super::super::held::key_of;
use super::super::schema::ASSERTS;
use super::Pair;

/// Collects the members of strongly connected parts of more than one domain.
pub(super) struct Parts<'a> {
    txn: &'a WriteTxn,
    above: BTreeMap<NodeId, Vec<NodeId>>,
    /// Domains that were asked for already.
    done: BTreeSet<NodeId>,
    members: BTreeSet<NodeId>,
}

impl<'a> Parts<'a> {
    pub(super) fn new(txn: &'a WriteTxn) -> Self {
        Self {
            txn,
            above: BTreeMap::new(),
            done: BTreeSet::new(),
            members: BTreeSet::new(),
        }
    }

    /// Adds the part of a domain, if it is of more than that one.
    pub(super) fn add(&mut self, domain: NodeId) -> Result<(), BuildError> {
        if !self.done.insert(domain) || self.members.contains(&domain) {
            return Ok(());
        }
        let mut ancestors = BTreeSet::from([domain]);
        let mut rest = vec![domain];
        let mut is_on_cycle = false;
        while let Some(node) = rest.pop() {
            for above in self.above(node)?.to_vec() {
                is_on_cycle |= above == domain;
                if ancestors.insert(above) {
                    rest.push(above);
                }
            }
        }
        if !is_on_cycle {
            return Ok(());
        }
        // Of those above it, the ones that are below it as well.
        let mut below: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for node in &ancestors {
            for above in self.above(*node)? {
                below.entry(*above).or_default().push(*node);
            }
        }
        let mut rest = vec![domain];
        let mut part = BTreeSet::from([domain]);
        while let Some(node) = rest.pop() {
            for below in below.get(&node).into_iter().flatten() {
                if part.insert(*below) {
                    rest.push(*below);
                }
            }
        }
        self.members.extend(part);
        Ok(())
    }

    fn above(&mut self, node: NodeId) -> Result<&[NodeId], BuildError> {
        if !self.above.contains_key(&node) {
            let found = self
                .txn
                .neighbours(node, Direction::Incoming, Some(ASSERTS))?;
            let found = found.map(|found| found.map(|found| found.node));
            self.above.insert(node, found.collect::<Result<_, _>>()?);
        }
        Ok(self.above.get(&node).map_or(&[], Vec::as_slice))
    }

    pub(super) fn into_members(self) -> BTreeSet<NodeId> {
        self.members
    }
}

/// A relationship between two domains, with their keys.
pub(super) type Between = (Pair, RelationshipId, (NodeId, NodeId));

/// The relationships of a type among some domains.
pub(super) fn within(
    txn: &WriteTxn,
    members: &BTreeSet<NodeId>,
    kind: &str,
) -> Result<Vec<Between>, BuildError> {
    let mut found = Vec::new();
    for to in members {
        for link in txn.neighbours(*to, Direction::Incoming, Some(kind))? {
            let link = link?;
            if members.contains(&link.node) {
                let pair = (key_of(txn, link.node)?, key_of(txn, *to)?);
                found.push((pair, link.relationship, (link.node, *to)));
            }
        }
    }
    Ok(found)
}
