//! Relationships that wait to be sorted into rows.
//!
//! Parts grow chunk by chunk instead of doubling one vector: nothing is copied, and the memory
//! limit is asked before every step. A chunk remembers the bounds of its ends, so that a thread
//! passes over chunks that hold none of its rows.

use std::ops::Range;

use super::AlgoError;
use super::memory::Meter;
use crate::value::RelationshipId;

/// The first chunk of a part is small, since many projections are.
const FIRST_CHUNK: usize = 1 << 10;
/// Large enough that its overhead does not show, small enough to be skipped.
const LARGEST_CHUNK: usize = 1 << 16;

/// Up to 65,536 relationships, as columns; a column that nobody needs stays empty.
#[derive(Debug)]
pub(super) struct Chunk {
    capacity: usize,
    sources: Vec<u32>,
    targets: Vec<u32>,
    relationships: Vec<RelationshipId>,
    weights: Vec<f32>,
    source_bounds: Bounds,
    target_bounds: Bounds,
}

/// The smallest and the largest place of a column.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    low: u32,
    high: u32,
}

impl Bounds {
    const EMPTY: Self = Self {
        low: u32::MAX,
        high: 0,
    };

    fn widen(&mut self, place: u32) {
        self.low = self.low.min(place);
        self.high = self.high.max(place);
    }

    fn meet(self, range: &Range<usize>) -> bool {
        (self.low as usize) < range.end && self.high as usize >= range.start
    }
}

impl Chunk {
    /// The chunk that follows one of `previous` entries (0 for none).
    pub(super) fn after(
        previous: usize,
        relationships: bool,
        weights: bool,
        meter: &Meter,
    ) -> Result<Self, AlgoError> {
        let capacity = (previous * 2).clamp(FIRST_CHUNK, LARGEST_CHUNK);
        let chunk = Self {
            capacity,
            sources: Vec::new(),
            targets: Vec::new(),
            relationships: Vec::new(),
            weights: Vec::new(),
            source_bounds: Bounds::EMPTY,
            target_bounds: Bounds::EMPTY,
        };
        let wanted = |asked: bool| if asked { capacity } else { 0 };
        let bytes = capacity * 8 + wanted(relationships) * 8 + wanted(weights) * 4;
        meter.take("another portion of relationships", bytes as u64)?;
        Ok(Self {
            sources: Vec::with_capacity(capacity),
            targets: Vec::with_capacity(capacity),
            relationships: Vec::with_capacity(wanted(relationships)),
            weights: Vec::with_capacity(wanted(weights)),
            ..chunk
        })
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn len(&self) -> usize {
        self.sources.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.len() >= self.capacity
    }

    pub(super) fn push(
        &mut self,
        source: u32,
        target: u32,
        relationship: Option<RelationshipId>,
        weight: Option<f32>,
    ) {
        self.sources.push(source);
        self.targets.push(target);
        self.relationships.extend(relationship);
        self.weights.extend(weight);
        self.source_bounds.widen(source);
        self.target_bounds.widen(target);
    }

    /// Whether an entry may belong to one of these rows.
    pub(super) fn touches(&self, rows: &Range<usize>, both_ways: bool) -> bool {
        self.source_bounds.meet(rows) || (both_ways && self.target_bounds.meet(rows))
    }

    /// The relationships: source, target, id and weight; 0 and 1 stand for columns not kept.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32, RelationshipId, f32)> {
        let relationships = self.relationships.iter().copied();
        let weights = self.weights.iter().copied();
        let ids = relationships.chain(std::iter::repeat(RelationshipId::new(0)));
        let weights = weights.chain(std::iter::repeat(1.0));
        self.sources
            .iter()
            .zip(&self.targets)
            .zip(ids.zip(weights))
            .map(|((&source, &target), (id, weight))| (source, target, id, weight))
    }
}
