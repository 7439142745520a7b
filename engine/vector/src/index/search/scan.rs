//! Comparing codes with all that are allowed.

use super::shortlist::{Shortlist, nearest_first};
use super::{Asked, Index, Room, Scorer};
use crate::coding::Coding;
use crate::graph::score::Scores;
use crate::graph::walk::Work;
use crate::metric::Metric;
use roaring::RoaringBitmap;
use std::ops::Range;

/// So many codes are compared at once; those of the next portion are on their way meanwhile.
const PORTION: usize = 64;
/// By so much, at most, walks and answers disagree about a cosine of whole vectors.
const COSINE_ROUNDING: f32 = 1e-5;

/// What a scan looks for.
trait Collects {
    /// Whether one so far away is wanted.
    fn wants(&self, far: f32) -> bool;

    /// Takes one that is wanted and that the query may see.
    fn take(&mut self, far: f32, slot: u32);
}

impl Collects for Shortlist {
    #[inline]
    fn wants(&self, far: f32) -> bool {
        self.would_take(far)
    }

    #[inline]
    fn take(&mut self, far: f32, slot: u32) {
        self.offer(far, slot);
    }
}

/// All that are nearer than a border.
struct Nearer<'a> {
    than: f32,
    slots: &'a mut Vec<u32>,
}

impl Collects for Nearer<'_> {
    #[inline]
    fn wants(&self, far: f32) -> bool {
        far < self.than
    }

    #[inline]
    fn take(&mut self, _far: f32, slot: u32) {
        self.slots.push(slot);
    }
}

impl Index {
    /// Puts the nearest by their codes into `room.slots`, the `k` nearest first. Whether all that may be in
    /// the answer are there.
    pub(super) fn scan(&self, asked: Asked<'_>, scorer: &Scorer<'_>, room: &mut Room) -> bool {
        room.shortlist.begin(self.candidates_by_bits(asked.k));
        let work = &mut room.walker.work;
        self.compare_all(asked, scorer, &mut room.scores, work, &mut room.shortlist);
        let (found, all) = room.shortlist.end();
        nearest_first(found, asked.k);
        room.slots.clear();
        room.slots.extend(found.iter().map(|near| near.slot()));
        // Nobody was left out if there was room to the end, or if what was compared is the truth and all that
        // tie with the last one wanted are there.
        let (Some(wanted), Some(last)) = (found.get(asked.k - 1), found.iter().max()) else {
            return true;
        };
        let rounding = if self.settings.metric == Metric::Cosine {
            COSINE_ROUNDING
        } else {
            0.0
        };
        all || self.settings.coding == Coding::Whole && last.far() > wanted.far() + rounding
    }
}

impl Index {
    /// Puts all that are nearer than a border by their codes into `room.slots`.
    pub(super) fn scan_nearer(
        &self,
        asked: Asked<'_>,
        scorer: &Scorer<'_>,
        than: f32,
        room: &mut Room,
    ) {
        room.slots.clear();
        let work = &mut room.walker.work;
        let slots = &mut room.slots;
        let nearer = &mut Nearer { than, slots };
        self.compare_all(asked, scorer, &mut room.scores, work, nearer);
    }

    fn compare_all(
        &self,
        asked: Asked<'_>,
        scorer: &Scorer<'_>,
        scores: &mut Scores,
        work: &mut Work,
        to: &mut impl Collects,
    ) {
        let mut members = Members::of(asked.within, self.used());
        let (mut now, mut soon) = ([0; PORTION], [0; PORTION]);
        let mut count = self.ask_for(members.next_many(&mut now));
        while count > 0 {
            let next_count = self.ask_for(members.next_many(&mut soon));
            let portion = &now[..count];
            work.distances += count as u64;
            scorer.far(portion, scores);
            for (slot, far) in portion.iter().zip(&scores.far) {
                if to.wants(*far)
                    && self.slots.sees(*slot, asked.sequence)
                    && asked.hidden != Some(*slot)
                {
                    to.take(*far, *slot);
                }
            }
            std::mem::swap(&mut now, &mut soon);
            count = next_count;
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
