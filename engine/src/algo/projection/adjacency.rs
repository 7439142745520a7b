//! One direction of a projection: for every node, the nodes its relationships lead to.
//!
//! ```text
//! offsets        [0, 2, 2, 3]      row of place p = entries offsets[p] .. offsets[p + 1]
//! targets        [1, 2,    0]      places, sorted by (target, relationship) within a row
//! relationships  [7, 9,    8]      only if the projection keeps them
//! weights        [1., .5,  1.]     only if the projection keeps them
//! ```
//!
//! It never changes once it is built. Next: `fill.rs`, which builds it.

use std::ops::Range;

use crate::value::RelationshipId;

/// The rows of one direction in compressed form (CSR).
#[derive(Debug, Clone, PartialEq)]
pub struct Adjacency {
    pub(super) offsets: Vec<u32>,
    pub(super) targets: Vec<u32>,
    pub(super) relationships: Option<Vec<RelationshipId>>,
    pub(super) weights: Option<Vec<f32>>,
}

impl Adjacency {
    /// How many nodes it has rows for.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether it has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nodes that the relationships of `place` lead to, sorted; one entry per relationship.
    /// A place that does not exist has none.
    #[inline]
    #[must_use]
    pub fn neighbours(&self, place: u32) -> &[u32] {
        self.targets.get(self.row(place)).unwrap_or_default()
    }

    /// How many entries the row of `place` has.
    #[inline]
    #[must_use]
    pub fn degree(&self, place: u32) -> usize {
        self.row(place).len()
    }

    /// The weights of the entries of `place`, beside [`neighbours`](Self::neighbours); `None` if
    /// the projection keeps no weights.
    #[inline]
    #[must_use]
    pub fn weights(&self, place: u32) -> Option<&[f32]> {
        let weights = self.weights.as_ref()?;
        Some(weights.get(self.row(place)).unwrap_or_default())
    }

    /// The relationships of `place`, beside [`neighbours`](Self::neighbours); `None` if the
    /// projection does not keep them.
    #[inline]
    #[must_use]
    pub fn relationships(&self, place: u32) -> Option<&[RelationshipId]> {
        let relationships = self.relationships.as_ref()?;
        Some(relationships.get(self.row(place)).unwrap_or_default())
    }

    /// Where the rows begin, for loops over all of them: one more than there are nodes.
    #[must_use]
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The neighbours of all rows, one row after the other.
    #[must_use]
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// The weights of all rows, one row after the other.
    #[must_use]
    pub fn all_weights(&self) -> Option<&[f32]> {
        self.weights.as_deref()
    }

    /// The memory it holds.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let held = size_of_val(&*self.offsets)
            + size_of_val(&*self.targets)
            + self.relationships.as_deref().map_or(0, size_of_val)
            + self.weights.as_deref().map_or(0, size_of_val);
        held as u64
    }

    /// The entries of `place`; an empty range for a place that does not exist.
    #[inline]
    pub(in crate::algo) fn row(&self, place: u32) -> Range<usize> {
        let place = place as usize;
        match (self.offsets.get(place), self.offsets.get(place + 1)) {
            (Some(&start), Some(&end)) => start as usize..end as usize,
            _ => 0..0,
        }
    }
}
