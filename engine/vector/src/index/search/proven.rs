//! Comparing codes with all that are allowed, and whole vectors with those that codes do not rule out: the
//! answer of [`exact`](super::exact), bit for bit, for less.

use super::sieve::{PORTION, Sieve};
use super::{Answer, Asked, How, Index, Room, Strategy};
use crate::error::IndexError;
use crate::graph::bounds::Bounds;
use crate::graph::score::Scorer;

impl Index {
    /// For a query that is so long.
    pub(super) fn proven(
        &self,
        asked: Asked<'_>,
        length: f64,
        room: &mut Room,
    ) -> Result<Answer, IndexError> {
        let blocks = &self.graph.blocks;
        blocks
            .coder
            .encode_query(asked.vector, length, &mut room.code);
        let code = std::mem::take(&mut room.code);
        let Some(bounds) = Bounds::new(blocks, &code, length) else {
            room.code = code;
            return self.exact(asked, room);
        };
        let scorer = Scorer::new(blocks, &code);
        let border = asked.threshold.map_or(f64::NEG_INFINITY, f64::from);
        let mut sieve = Sieve::new(&scorer, &bounds, border, Some(asked.k));
        let every: Box<dyn Iterator<Item = u32>> = match asked.within {
            Some(within) => Box::new(within.iter()),
            None => Box::new(0..self.used()),
        };
        let used = self.used();
        let seen = every
            .take_while(|slot| *slot < used)
            .filter(|slot| self.slots.sees(*slot, asked.sequence) && !asked.leaves_out(*slot));
        self.sift_all(seen, &mut sieve, room);
        let scanned = sieve.scanned;
        room.slots.clear();
        room.slots.extend(sieve.left());
        // In the order in which they lie.
        room.slots.sort_unstable();
        room.ranked.clear();
        room.code = code;
        self.score(asked, room)?;
        Ok(Answer {
            compared: scanned + room.slots.len() as u64,
            hits: self.best(asked, room),
            how: How::Exact,
            strategy: Strategy::Proven,
            steps: 0,
            estimated_recall: Some(1.0),
        })
    }

    /// Looks at slots, portion by portion.
    pub(super) fn sift_all(
        &self,
        mut slots: impl Iterator<Item = u32>,
        sieve: &mut Sieve<'_>,
        room: &mut Room,
    ) {
        let mut next = |portion: &mut Vec<u32>| {
            portion.clear();
            for slot in slots.by_ref().take(PORTION) {
                self.graph.blocks.prefetch(slot);
                portion.push(slot);
            }
        };
        let mut now = Vec::with_capacity(PORTION);
        let mut soon = Vec::with_capacity(PORTION);
        next(&mut now);
        while !now.is_empty() {
            next(&mut soon);
            sieve.look(&now, &mut room.scores);
            std::mem::swap(&mut now, &mut soon);
        }
    }
}
