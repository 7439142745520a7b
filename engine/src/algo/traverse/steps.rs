//! The STEP: how the operator sees the graph.
//!
//! A whole level is expanded in one call, so that a graph on disk can read its edges in key order
//! and one in memory can walk its arrays. This file must not know levels, scores or admission, nor any
//! graph: those that are stepped through are in `snapshot/steps.rs`.

use crate::value::{NodeId, RelationshipId};
use std::ops::ControlFlow;

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

/// A graph in which a step can be taken: [`GraphSteps`](crate::algo::snapshot::GraphSteps) in a
/// transaction, [`ProjectionSteps`](crate::algo::snapshot::ProjectionSteps) in memory.
pub trait Steps<E> {
    /// Whether the graph has this node. A root that it has not is left out, as a MATCH would not have
    /// found it.
    ///
    /// # Errors
    ///
    /// Whatever reading the graph fails with.
    fn contains(&mut self, node: NodeId) -> Result<bool, E>;

    /// Says which level the steps lead to that are asked for next.
    fn begin_level(&mut self, _level: u32) {}

    /// Says that about so many bytes more are held until the rows were given, before they are.
    ///
    /// # Errors
    ///
    /// If that is too much, or nobody waits for the rows any more.
    fn hold(&mut self, _bytes: usize) -> Result<(), E> {
        Ok(())
    }

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
