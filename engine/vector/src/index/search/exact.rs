//! Comparing whole vectors with all that are allowed. It repeats bit for bit.

use super::{Answer, Asked, How, Index, Room, Strategy};
use crate::error::IndexError;

/// So many vectors are asked for at once.
const PORTION: usize = 256;

impl Index {
    pub(super) fn exact(&self, asked: Asked<'_>, room: &mut Room) -> Result<Answer, IndexError> {
        let used = self.used();
        let every: Box<dyn Iterator<Item = u32>> = match asked.within {
            Some(within) => Box::new(within.iter().take_while(|slot| *slot < used)),
            None => Box::new(0..used),
        };
        let mut seen =
            every.filter(|slot| self.slots.sees(*slot, asked.sequence) && !asked.leaves_out(*slot));
        let mut compared = 0;
        // What the last search in this room has left.
        room.ranked.clear();
        let mut best: Vec<(f32, u32)> = Vec::new();
        loop {
            room.slots.clear();
            room.slots.extend(seen.by_ref().take(PORTION));
            if room.slots.is_empty() {
                break;
            }
            asked.stop.check()?;
            compared += room.slots.len() as u64;
            self.score(asked, room)?;
            best.append(&mut room.ranked);
            if best.len() > asked.k.saturating_mul(2).max(4 * PORTION) {
                self.keep_best(asked.k, &mut best);
            }
        }
        room.ranked.append(&mut best);
        Ok(Answer {
            hits: self.best(asked, room),
            how: How::Exact,
            strategy: Strategy::Exact,
            compared,
            steps: 0,
            estimated_recall: Some(1.0),
        })
    }

    /// Drops what cannot be among the best, by the order of the answer.
    fn keep_best(&self, k: usize, best: &mut Vec<(f32, u32)>) {
        if k < best.len() {
            best.select_nth_unstable_by(k, |left, right| {
                let ids = self.slots.id(left.1).cmp(&self.slots.id(right.1));
                left.0.total_cmp(&right.0).then(ids)
            });
            best.truncate(k);
        }
    }
}
