//! The STEP: how the operator sees the graph.
//!
//! A whole level is expanded in one call, so that a graph on disk can read its edges in key order
//! and one in memory can walk its arrays. This file must not know levels, scores or admission.

use crate::value::{NodeId, RelationshipId};
use std::ops::ControlFlow;
use thiserror::Error;

/// A relationship of a longer step, and the node behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop {
    /// The relationship.
    pub relationship: RelationshipId,
    /// The node it leads to.
    pub node: NodeId,
}

/// One way in which a step leads from a node to a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival<'a> {
    /// The node the step starts from: one of those that were asked about.
    pub parent: NodeId,
    /// The hops before the last one; empty for a step of one relationship.
    pub via: &'a [Hop],
    /// The last relationship.
    pub relationship: RelationshipId,
    /// The node the step ends at.
    pub node: NodeId,
}

/// A graph in which a step can be taken.
pub trait Steps<E> {
    /// Hands over every arrival from these nodes, which are ascending and distinct.
    ///
    /// The order of the arrivals does not matter to the result; ascending nodes are the fastest.
    /// After a `Break` no more of them are wanted.
    ///
    /// # Errors
    ///
    /// Whatever reading the graph fails with.
    fn arrivals(
        &mut self,
        from: &[NodeId],
        visit: &mut dyn FnMut(Arrival<'_>) -> ControlFlow<()>,
    ) -> Result<(), E>;
}

/// What is wrong with the arrays of a [`Csr`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CsrError {
    /// Nodes must be strictly ascending.
    #[error("the nodes are not strictly ascending at place {place}")]
    Unordered {
        /// The first node that is not above the one before it.
        place: usize,
    },
    /// Offsets must ascend from 0 to the number of targets, one more than there are nodes.
    #[error("the offsets do not divide {targets} targets among {nodes} nodes")]
    BadOffsets {
        /// How many nodes there are.
        nodes: usize,
        /// How many targets there are.
        targets: usize,
    },
    /// There must be one relationship for each target, and each target must be a place.
    #[error("the targets are not places of {nodes} nodes with one relationship each")]
    BadTargets {
        /// How many nodes there are.
        nodes: usize,
    },
}

/// A projection of the graph in memory as compressed sparse rows, for steps of one relationship.
///
/// `targets[offsets[p]..offsets[p + 1]]` are the places, in `nodes`, of what `nodes[p]` leads to.
#[derive(Clone, Copy, Debug)]
pub struct Csr<'a> {
    nodes: &'a [NodeId],
    offsets: &'a [u64],
    targets: &'a [u32],
    relationships: &'a [RelationshipId],
}

impl<'a> Csr<'a> {
    /// Looks at arrays that somebody else holds; they are read through once.
    ///
    /// # Errors
    ///
    /// [`CsrError`] if they do not fit together.
    pub fn new(
        nodes: &'a [NodeId],
        offsets: &'a [u64],
        targets: &'a [u32],
        relationships: &'a [RelationshipId],
    ) -> Result<Self, CsrError> {
        if let Some(place) = nodes.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Err(CsrError::Unordered { place: place + 1 });
        }
        let divided = offsets.len() == nodes.len() + 1
            && offsets.first() == Some(&0)
            && offsets.last() == Some(&(targets.len() as u64))
            && offsets.is_sorted();
        if !divided {
            return Err(CsrError::BadOffsets {
                nodes: nodes.len(),
                targets: targets.len(),
            });
        }
        let placed = targets
            .iter()
            .all(|target| (*target as usize) < nodes.len());
        if !placed || targets.len() != relationships.len() {
            return Err(CsrError::BadTargets { nodes: nodes.len() });
        }
        Ok(Self {
            nodes,
            offsets,
            targets,
            relationships,
        })
    }

    /// Which targets belong to a place.
    fn range(&self, place: usize) -> std::ops::Range<usize> {
        let at = |index: usize| {
            self.offsets
                .get(index)
                .and_then(|offset| usize::try_from(*offset).ok())
                .unwrap_or(self.targets.len())
        };
        at(place)..at(place + 1)
    }
}

impl<E> Steps<E> for Csr<'_> {
    fn arrivals(
        &mut self,
        from: &[NodeId],
        visit: &mut dyn FnMut(Arrival<'_>) -> ControlFlow<()>,
    ) -> Result<(), E> {
        let mut places = Ascending::new(self.nodes);
        for parent in from {
            let Some(place) = places.find(*parent) else {
                continue;
            };
            let range = self.range(place);
            let targets = self.targets.get(range.clone()).unwrap_or_default();
            let relationships = self.relationships.get(range).unwrap_or_default();
            for (target, relationship) in targets.iter().zip(relationships) {
                let Some(node) = self.nodes.get(*target as usize) else {
                    continue;
                };
                let arrival = Arrival {
                    parent: *parent,
                    via: &[],
                    relationship: *relationship,
                    node: *node,
                };
                if visit(arrival).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Finds ascending nodes in an ascending list. Neighbours in the question are mostly neighbours in
/// the list, so it looks nearby first and doubles its stride from there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ascending<'a> {
    nodes: &'a [NodeId],
    from: usize,
}

impl<'a> Ascending<'a> {
    pub(super) fn new(nodes: &'a [NodeId]) -> Self {
        Self { nodes, from: 0 }
    }

    /// The place of a node that is above all asked for before.
    #[inline]
    pub(super) fn find(&mut self, node: NodeId) -> Option<usize> {
        let rest = self.nodes.get(self.from..)?;
        let place = if rest.first().is_some_and(|first| *first >= node) {
            self.from
        } else {
            let mut reach = 1;
            while rest.get(reach).is_some_and(|there| *there < node) {
                reach *= 2;
            }
            let low = reach / 2;
            let window = rest.get(low..rest.len().min(reach + 1)).unwrap_or_default();
            self.from + low + window.partition_point(|there| *there < node)
        };
        self.from = place;
        if self.nodes.get(place) == Some(&node) {
            self.from = place + 1;
            return Some(place);
        }
        None
    }
}
