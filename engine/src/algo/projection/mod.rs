//! The graph as algorithms see it: dense numbers in a few flat arrays.
//!
//! A projection is a copy of part of a graph, taken once and never changed. It must never read
//! storage: whoever holds a snapshot feeds the [`ProjectionBuilder`].
//!
//! Next: `adjacency.rs` for the arrays, `builder.rs` for where they come from, `fill.rs` for how
//! they are sorted, `places.rs` for ids, `direction.rs` for which way an algorithm walks.

mod adjacency;
mod builder;
mod chunk;
mod direction;
mod fill;
mod memory;
mod places;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

pub use adjacency::Adjacency;
pub use builder::{ProjectionBuilder, ProjectionOptions, ProjectionPart};
pub(in crate::algo) use direction::{Entry, Ways};

use super::AlgoError;
use super::pagerank::Tiling;
use crate::storage::cancel::Watch;
use crate::value::{NodeId, RelationshipId};
use memory::Meter;
use places::Places;

/// The most nodes a projection holds: `u32::MAX` itself stands for "no place" in results.
pub const MOST_NODES: u64 = u32::MAX as u64 - 1;
/// The most entries a direction holds, which is what 32-bit offsets can count.
pub const MOST_ENTRIES: u64 = u32::MAX as u64;

/// Nodes, numbered densely in ascending order of ids, and the relationships between them.
///
/// ```
/// use stratigraph::algo::{ProjectionBuilder, ProjectionOptions};
/// use stratigraph::storage::cancel::Watch;
/// use stratigraph::value::{NodeId, RelationshipId};
///
/// let nodes = [10, 20, 30].map(NodeId::new);
/// let builder = ProjectionBuilder::new(nodes, ProjectionOptions::default())?;
/// let mut part = builder.part(); // one per thread
/// part.push(nodes[0], nodes[2], RelationshipId::new(1), None)?;
/// part.push(nodes[0], nodes[1], RelationshipId::new(2), None)?;
/// part.push(nodes[0], NodeId::new(99), RelationshipId::new(3), None)?; // not projected
/// drop(part);
///
/// let graph = builder.build(2, &mut Watch::quiet())?;
/// assert_eq!(graph.neighbours(0), [1, 2]);
/// assert_eq!(graph.node(2), Some(NodeId::new(30)));
/// assert_eq!(graph.incoming()?.neighbours(2), [0]);
/// assert_eq!(graph.skipped(), 1);
/// # Ok::<(), stratigraph::algo::AlgoError>(())
/// ```
#[derive(Debug)]
pub struct Projection {
    places: Places,
    outgoing: Adjacency,
    /// Stays empty in an undirected projection, where both directions are one.
    incoming: OnceLock<Adjacency>,
    /// What PageRank has made of the incoming direction, for its next call.
    tiling: Mutex<Option<Arc<Tiling>>>,
    undirected: bool,
    relationship_count: u64,
    skipped: u64,
    threads: usize,
    max_bytes: u64,
}

impl Projection {
    /// How many nodes it has. Their places are the numbers below.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it has no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many relationships it has; an undirected projection counts each once too.
    #[must_use]
    pub fn relationship_count(&self) -> u64 {
        self.relationship_count
    }

    /// How many relationships were left out since an end is not projected.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Whether every relationship is listed at both ends.
    #[must_use]
    pub fn is_undirected(&self) -> bool {
        self.undirected
    }

    /// Whether it keeps weights.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.outgoing.weights.is_some()
    }

    /// The nodes in order of their places, which is ascending.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        self.places.all()
    }

    /// The node at a place.
    #[must_use]
    pub fn node(&self, place: u32) -> Option<NodeId> {
        self.nodes().get(place as usize).copied()
    }

    /// The place of a node.
    #[inline]
    #[must_use]
    pub fn place(&self, node: NodeId) -> Option<u32> {
        self.places.find(node)
    }

    /// The place of a node that the caller of an algorithm named.
    ///
    /// # Errors
    /// [`AlgoError::NotProjected`].
    pub fn place_of(&self, node: NodeId) -> Result<u32, AlgoError> {
        self.place(node).ok_or(AlgoError::NotProjected { node })
    }

    /// The nodes that `place` leads to; see [`Adjacency::neighbours`].
    #[inline]
    #[must_use]
    pub fn neighbours(&self, place: u32) -> &[u32] {
        self.outgoing.neighbours(place)
    }

    /// How many relationships lead from `place`.
    #[inline]
    #[must_use]
    pub fn degree(&self, place: u32) -> usize {
        self.outgoing.degree(place)
    }

    /// The weights beside [`neighbours`](Self::neighbours), if the projection keeps them.
    #[inline]
    #[must_use]
    pub fn weights(&self, place: u32) -> Option<&[f32]> {
        self.outgoing.weights(place)
    }

    /// The relationships beside [`neighbours`](Self::neighbours), if the projection keeps them.
    #[inline]
    #[must_use]
    pub fn relationships_of(&self, place: u32) -> Option<&[RelationshipId]> {
        self.outgoing.relationships(place)
    }

    /// The direction in which relationships point.
    #[must_use]
    pub fn outgoing(&self) -> &Adjacency {
        &self.outgoing
    }

    /// The direction against which relationships point: built when it is first asked for, unless
    /// the options asked for it before. It takes as much memory as [`outgoing`](Self::outgoing);
    /// in an undirected projection it is the same.
    ///
    /// # Errors
    /// [`AlgoError::TooLarge`].
    pub fn incoming(&self) -> Result<&Adjacency, AlgoError> {
        self.build_incoming(&mut Watch::quiet())
    }

    /// As [`incoming`](Self::incoming), and may be cancelled.
    ///
    /// # Errors
    /// [`AlgoError::TooLarge`] and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn build_incoming(&self, watch: &mut Watch<'_>) -> Result<&Adjacency, AlgoError> {
        if let Some(built) = self.incoming_if_built() {
            return Ok(built);
        }
        let meter = Meter::new(self.bytes(), self.max_bytes);
        let scratch = self.len() as u64 * 8;
        meter.take("the incoming direction", self.outgoing.bytes() + scratch)?;
        let turned = fill::turned(&self.outgoing, self.threads, watch)?;
        Ok(self.incoming.get_or_init(|| turned))
    }

    /// The incoming direction if it costs nothing to use.
    #[must_use]
    pub fn incoming_if_built(&self) -> Option<&Adjacency> {
        if self.undirected {
            return Some(&self.outgoing);
        }
        self.incoming.get()
    }

    /// The tiles that were kept for rows shared out like this.
    pub(in crate::algo) fn tiling(&self, ranges: &[Range<usize>]) -> Option<Arc<Tiling>> {
        let kept = self.tiling.lock();
        kept.as_ref().filter(|kept| kept.ranges == ranges).cloned()
    }

    /// Keeps tiles for the next call, if the memory limit allows it.
    pub(in crate::algo) fn keep_tiling(&self, tiling: Tiling) -> Arc<Tiling> {
        let tiling = Arc::new(tiling);
        let mut kept = self.tiling.lock();
        *kept = None;
        if self.arrays_bytes() + tiling.bytes() <= self.max_bytes {
            *kept = Some(Arc::clone(&tiling));
        }
        tiling
    }

    /// The memory it holds.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let kept = self.tiling.lock().as_ref().map_or(0, |kept| kept.bytes());
        self.arrays_bytes() + kept
    }

    /// Whether it does for a caller who allows so much memory: it takes no more, and what is built
    /// later may take as much.
    pub(in crate::algo) fn serves(&self, max_bytes: u64) -> bool {
        self.bytes() <= max_bytes && max_bytes <= self.max_bytes
    }

    fn arrays_bytes(&self) -> u64 {
        let incoming = self.incoming.get().map_or(0, Adjacency::bytes);
        self.places.bytes() + self.outgoing.bytes() + incoming
    }
}

#[cfg(test)]
mod tests;
