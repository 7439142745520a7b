//! Is there a cycle anywhere? For bulk loads, where asking for each relationship would be slow.
//!
//! Kahn's order takes nodes without a parent away until none is left; what cannot be taken away
//! lies on a cycle or below one. It reads every relationship twice and must never keep them: its
//! memory is one number for each node.
//!
//! Next: `levels.rs`, which gives all members their levels when none is stored yet.

use super::lineage::{Budget, Kin, Lineage, LineageError};
use crate::value::NodeId;
use roaring::RoaringTreemap;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Finds a cycle among the nodes that children steps reach from `starts`, or says that there is
/// none.
///
/// Each node of the cycle is a parent of the next, and the last of the first. It need not be the
/// shortest one. Every cycle is found that a node of `starts` lies on or leads to; for a load that
/// only adds relationships it is enough to start from their children.
///
/// # Errors
/// [`LineageError::LimitReached`], [`LineageError::OneSided`], or what the view fails with.
pub fn find_cycle<L: Lineage + ?Sized>(
    lineage: &L,
    starts: &RoaringTreemap,
    limit: u64,
) -> Result<Option<Vec<NodeId>>, LineageError<L::Error>> {
    let mut budget = Budget::new(limit);
    let mut parents_left = count_parents(lineage, starts, &mut budget)?;
    take_away_parentless(lineage, starts, &mut parents_left, &mut budget)?;
    // The least one, so that the same graph always shows the same cycle.
    let Some(&start) = parents_left.keys().min() else {
        return Ok(None);
    };
    climb_to_cycle(lineage, start, &parents_left, &mut budget).map(Some)
}

/// For each node that can be reached, how many of its parents can be.
fn count_parents<L: Lineage + ?Sized>(
    lineage: &L,
    starts: &RoaringTreemap,
    budget: &mut Budget,
) -> Result<HashMap<NodeId, u64>, LineageError<L::Error>> {
    let mut parents: HashMap<NodeId, u64> = HashMap::new();
    let mut to_read = Vec::new();
    for start in starts.iter().map(NodeId::new) {
        if let Entry::Vacant(unknown) = parents.entry(start) {
            unknown.insert(0);
            to_read.push(start);
        }
        while let Some(parent) = to_read.pop() {
            let mut children = Kin::children_of(parent);
            while let Some(child) = children.next(lineage, budget)? {
                match parents.entry(child) {
                    Entry::Occupied(mut count) => *count.get_mut() += 1,
                    Entry::Vacant(unknown) => {
                        unknown.insert(1);
                        to_read.push(child);
                    }
                }
            }
        }
    }
    Ok(parents)
}

/// Removes every node that is neither on a cycle nor below one.
fn take_away_parentless<L: Lineage + ?Sized>(
    lineage: &L,
    starts: &RoaringTreemap,
    parents_left: &mut HashMap<NodeId, u64>,
    budget: &mut Budget,
) -> Result<(), LineageError<L::Error>> {
    // Whatever was reached from another node has a parent: only starts can have none.
    let mut parentless: Vec<NodeId> = starts
        .iter()
        .map(NodeId::new)
        .filter(|node| parents_left.get(node) == Some(&0))
        .collect();
    while let Some(parent) = parentless.pop() {
        parents_left.remove(&parent);
        let mut children = Kin::children_of(parent);
        while let Some(child) = children.next(lineage, budget)? {
            if let Some(count) = parents_left.get_mut(&child) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    parentless.push(child);
                }
            }
        }
    }
    Ok(())
}

/// Goes from parent to parent among the nodes that are left until one comes again. Each of them has
/// such a parent, or it would have been taken away.
fn climb_to_cycle<L: Lineage + ?Sized>(
    lineage: &L,
    start: NodeId,
    left: &HashMap<NodeId, u64>,
    budget: &mut Budget,
) -> Result<Vec<NodeId>, LineageError<L::Error>> {
    let mut climbed = Vec::new();
    let mut position_of = HashMap::new();
    let mut node = start;
    loop {
        if let Some(position) = position_of.insert(node, climbed.len()) {
            let mut cycle = climbed.split_off(position);
            cycle.reverse();
            return Ok(cycle);
        }
        climbed.push(node);
        let mut parents = Kin::parents_of(node);
        node = loop {
            match parents.next(lineage, budget)? {
                Some(parent) if left.contains_key(&parent) => break parent,
                Some(_) => {}
                None => return Err(LineageError::OneSided { node }),
            }
        };
    }
}

#[cfg(test)]
mod tests;
