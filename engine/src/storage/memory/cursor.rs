//! The scan of the store in memory.
//!
//! A cursor copies a few pairs at a time under the family's lock and hands them out without it. It
//! may, because what its view sees never changes. It never holds the lock between calls.

use super::tree::{Bytes, Tree};
use crate::error::Result;
use crate::storage::range::{Direction, KeyRange};
use crate::storage::store::{Cursor, Entry};
use parking_lot::RwLock;
use std::ops::Bound;

/// How many pairs the first chunk holds: most scans (one node's relationships) are short.
const FIRST_CHUNK: usize = 8;
/// How many pairs a chunk holds at most, and how many keys are looked at for them.
const LARGEST_CHUNK: usize = 64;
const LOOKS_PER_CHUNK: usize = 256;

pub(super) struct MemoryCursor<'a> {
    tree: &'a RwLock<Tree>,
    view: u64,
    range: KeyRange,
    direction: Direction,
    chunk: Vec<(Bytes, Bytes)>,
    /// How many pairs of the chunk were handed out.
    taken: usize,
    chunk_size: usize,
    rest: Rest,
}

/// Where the keys begin that the cursor has not looked at.
enum Rest {
    /// At the end of the range that the direction begins with.
    Whole,
    /// At this key.
    From(Bytes),
    /// Behind this key.
    Behind(Bytes),
    /// Nowhere: all were looked at.
    Nothing,
}

impl<'a> MemoryCursor<'a> {
    pub(super) fn new(
        tree: &'a RwLock<Tree>,
        view: u64,
        range: KeyRange,
        direction: Direction,
    ) -> Self {
        let rest = if range.is_empty() {
            Rest::Nothing
        } else {
            Rest::Whole
        };
        let chunk = Vec::new();
        Self {
            tree,
            view,
            range,
            direction,
            chunk,
            taken: 0,
            chunk_size: FIRST_CHUNK,
            rest,
        }
    }

    fn refill(&mut self) {
        self.chunk.clear();
        self.taken = 0;
        while self.chunk.is_empty() {
            let first = match &self.rest {
                Rest::Whole => None,
                Rest::From(key) => Some(Bound::Included(&**key)),
                Rest::Behind(key) => Some(Bound::Excluded(&**key)),
                Rest::Nothing => return,
            };
            let start = Bound::Included(self.range.start.as_slice());
            let end = self
                .range
                .end
                .as_deref()
                .map_or(Bound::Unbounded, Bound::Excluded);
            let bounds = match self.direction {
                Direction::Forward => (first.unwrap_or(start), end),
                Direction::Backward => (start, first.unwrap_or(end)),
            };
            let limits = (self.chunk_size, LOOKS_PER_CHUNK);
            let tree = self.tree.read();
            let last = tree.collect(bounds, self.direction, self.view, limits, &mut self.chunk);
            drop(tree);
            self.rest = last.map_or(Rest::Nothing, Rest::Behind);
        }
        self.chunk_size = (self.chunk_size * 2).min(LARGEST_CHUNK);
    }
}

impl Cursor for MemoryCursor<'_> {
    fn next(&mut self) -> Result<Option<Entry<'_>>> {
        if self.taken == self.chunk.len() {
            self.refill();
        }
        let entry = self
            .chunk
            .get(self.taken)
            .map(|(key, value)| Entry { key, value });
        self.taken += usize::from(entry.is_some());
        Ok(entry)
    }

    fn seek(&mut self, key: &[u8]) {
        self.chunk.clear();
        self.taken = 0;
        self.chunk_size = FIRST_CHUNK;
        let below = key < self.range.start.as_slice();
        let beyond = self.range.end.as_deref().is_some_and(|end| key >= end);
        let (ahead, behind) = match self.direction {
            Direction::Forward => (below, beyond),
            Direction::Backward => (beyond, below),
        };
        self.rest = if behind || self.range.is_empty() {
            Rest::Nothing
        } else if ahead {
            Rest::Whole
        } else {
            Rest::From(key.into())
        };
    }
}
