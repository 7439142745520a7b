//! Comparing codes with all that are allowed.

use super::{Asked, Index, Room, Scorer};
use crate::coding::Coding;
use crate::metric::Metric;

/// So many codes are compared at once; those of the next portion are on their way meanwhile.
const PORTION: usize = 64;
/// By so much, at most, walks and answers disagree about a cosine of whole vectors.
const COSINE_ROUNDING: f32 = 1e-5;

impl Index {
    /// Puts the nearest by their codes into `room.slots`. Whether all that may be in the answer are there.
    pub(super) fn scan(&self, asked: Asked<'_>, scorer: &Scorer<'_>, room: &mut Room) -> bool {
        room.nearest.begin(Self::candidates_by_bits(asked.k));
        let used = self.used();
        let portion = &mut room.slots;
        let mut scan = |portion: &[u32]| {
            room.walker.work.distances += portion.len() as u64;
            scorer.far(portion, &mut room.scores);
            for (slot, far) in portion.iter().zip(&room.scores.far) {
                if room.nearest.would_take(*far)
                    && self.slots.sees(*slot, asked.sequence)
                    && asked.hidden != Some(*slot)
                {
                    room.nearest.offer(*far, *slot);
                }
            }
        };
        portion.clear();
        let mut take = |slot: u32| {
            self.graph.blocks.prefetch(slot);
            portion.push(slot);
            if portion.len() == 2 * PORTION {
                scan(&portion[..PORTION]);
                portion.drain(..PORTION);
            }
        };
        match asked.within {
            Some(within) => within
                .iter()
                .take_while(|slot| *slot < used)
                .for_each(&mut take),
            None => (0..used).for_each(&mut take),
        }
        scan(portion);
        room.slots.clear();
        let found = room.nearest.found();
        room.slots.extend(found.iter().map(|near| near.node()));
        // Nobody was left out if there was room to the end, or if what was compared is the truth and all that
        // tie with the last one wanted are there.
        let ends = (found.get(asked.k - 1), found.last());
        let (Some(wanted), Some(last)) = ends else {
            return true;
        };
        let rounding = if self.settings.metric == Metric::Cosine {
            COSINE_ROUNDING
        } else {
            0.0
        };
        !room.nearest.is_full()
            || self.settings.coding == Coding::Whole && last.far > wanted.far + rounding
    }
}
