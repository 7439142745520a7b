//! Comparing codes with all that are allowed.

use super::shortlist::{Shortlist, nearest_first};
use super::{Asked, Index, Room, Scorer};
use crate::coding::Coding;
use crate::error::IndexError;
use crate::metric::Metric;
use roaring::RoaringBitmap;
use std::ops::Range;

/// So many codes are compared at once; those of the next portion are on their way meanwhile.
const PORTION: usize = 64;
/// After so many portions it is asked whether anybody still wants the answer: after some ten microseconds.
const PORTIONS_BETWEEN_LOOKS: u32 = 32;
/// So many distances are looked at together.
const FEW: usize = 16;
/// By so much, at most, walks and answers disagree about a cosine of whole vectors.
const COSINE_ROUNDING: f32 = 1e-5;

impl Index {
    /// Puts the nearest by their codes into `room.slots`; of whole vectors the `k` nearest come first. Whether
    /// all that may be in the answer are there.
    pub(super) fn scan(
        &self,
        asked: Asked<'_>,
        scorer: &Scorer<'_>,
        room: &mut Room,
    ) -> Result<bool, IndexError> {
        room.shortlist.begin(self.candidates_by_bits(asked.k));
        self.compare_all(asked, scorer, room)?;
        let (found, all) = room.shortlist.end();
        // Nobody was left out if there was room to the end, or if what was compared is the truth and all that
        // tie with the last one wanted are there.
        let rounding = if self.settings.metric == Metric::Cosine {
            COSINE_ROUNDING
        } else {
            0.0
        };
        let mut ties_are_there = false;
        if self.settings.coding == Coding::Whole {
            nearest_first(found, asked.k);
            let ends = found.get(asked.k - 1).zip(found.iter().max());
            ties_are_there =
                ends.is_some_and(|(wanted, last)| last.far() > wanted.far() + rounding);
        }
        room.slots.clear();
        room.slots.extend(found.iter().map(|near| near.slot()));
        Ok(all || ties_are_there)
    }

    /// Puts all that are nearer than a border by their codes into `room.slots`.
    pub(super) fn scan_nearer(
        &self,
        asked: Asked<'_>,
        scorer: &Scorer<'_>,
        than: f32,
        room: &mut Room,
    ) -> Result<(), IndexError> {
        room.shortlist.begin_nearer(than);
        self.compare_all(asked, scorer, room)?;
        let (found, _) = room.shortlist.end();
        room.slots.clear();
        room.slots.extend(found.iter().map(|near| near.slot()));
        Ok(())
    }

    /// Offers all that are allowed to the shortlist.
    fn compare_all(
        &self,
        asked: Asked<'_>,
        scorer: &Scorer<'_>,
        room: &mut Room,
    ) -> Result<(), IndexError> {
        let mut members = Members::of(asked.within, self.used());
        let (mut now, mut soon) = ([0; PORTION], [0; PORTION]);
        let mut count = self.ask_for(members.next_many(&mut now));
        let mut until_look = PORTIONS_BETWEEN_LOOKS;
        while count > 0 {
            until_look -= 1;
            if until_look == 0 {
                asked.stop.check()?;
                until_look = PORTIONS_BETWEEN_LOOKS;
            }
            let next_count = self.ask_for(members.next_many(&mut soon));
            let portion = &now[..count];
            room.walker.work.distances += count as u64;
            scorer.far(portion, &mut room.scores);
            let few = portion.chunks(FEW).zip(room.scores.far.chunks(FEW));
            for (slots, fars) in few {
                // Most are too far by then, and a few at once cost as much to leave out as one.
                let near = fars
                    .iter()
                    .fold(false, |near, far| near | room.shortlist.would_take(*far));
                if near {
                    self.offer(asked, slots, fars, &mut room.shortlist);
                }
            }
            std::mem::swap(&mut now, &mut soon);
            count = next_count;
        }
        Ok(())
    }

    /// Offers those of a few that the query may see.
    fn offer(&self, asked: Asked<'_>, slots: &[u32], fars: &[f32], to: &mut Shortlist) {
        for (slot, far) in slots.iter().zip(fars) {
            if to.would_take(*far)
                && self.slots.sees(*slot, asked.sequence)
                && !asked.leaves_out(*slot)
            {
                to.offer(*far, *slot);
            }
        }
    }

    /// Asks for the codes of slots ahead of their use. Returns how many there are.
    fn ask_for(&self, slots: &[u32]) -> usize {
        for slot in slots {
            self.graph.blocks.prefetch(*slot);
        }
        slots.len()
    }
}

/// The slots that are to be looked at.
enum Members<'a> {
    Every(Range<u32>),
    Some(roaring::bitmap::Iter<'a>, u32),
}

impl<'a> Members<'a> {
    /// Those of the first `used` slots that are in the set, if there is one.
    fn of(within: Option<&'a RoaringBitmap>, used: u32) -> Self {
        match within {
            None => Self::Every(0..used),
            Some(within) => Self::Some(within.iter(), used),
        }
    }

    /// The next few, none if there are no more.
    fn next_many<'b>(&mut self, room: &'b mut [u32]) -> &'b [u32] {
        match self {
            Self::Every(slots) => {
                let count = room.len().min(slots.len());
                for (place, slot) in room.iter_mut().zip(slots) {
                    *place = slot;
                }
                &room[..count]
            }
            Self::Some(slots, used) => {
                let slots = slots.next_many(room);
                // They are in order, and those that are not there come last.
                let count = slots.partition_point(|slot| slot < used);
                &slots[..count]
            }
        }
    }
}
