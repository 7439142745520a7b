//! Telling the best of what was found apart: first by all bits of their codes, then by the vectors
//! themselves.

use super::shortlist::{Rough, nearest_first};
use super::{Asked, Hit, How, Index, Room, Scorer};
use crate::coding::Coding;
use crate::error::IndexError;
use crate::graph::blocks::NO_SLOT;
use crate::measure::Measure;
use crate::originals::Wanted;

/// So many deviations of what codes lose nobody loses.
const DOUBT: f32 = 4.0;
/// No more than so many are scored because codes leave them in doubt. Only where vectors are equal, or nearly,
/// are there more.
const MOST_DOUBTFUL: usize = 20_000;

/// So many are scored until it is asked whether anybody still wants the answer: what lies in a file may take long.
const PORTION: usize = 256;

/// How candidates were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nobody else can be in the answer.
    All,
    /// They are the nearest of all that are allowed, by their codes.
    ByScan,
    ByWalk,
}

impl Index {
    /// So many are told apart by all bits of their codes, to make up for what half of the bits lose: the more
    /// the fewer dimensions there are.
    pub(super) fn candidates_by_bits(&self, k: usize) -> usize {
        let times = 2 + 500 / self.settings.dimensions;
        k.saturating_mul(times).saturating_add(16)
    }

    /// So many are scored by their vectors in any case. What codes lose is seen on them, so there must be a
    /// few.
    pub(super) fn candidates_by_vector(k: usize) -> usize {
        k.saturating_add(2).max(8)
    }

    /// The best of `room.slots`; of whole vectors the `k` nearest come first.
    pub(super) fn rank(
        &self,
        asked: Asked<'_>,
        scorer: &Scorer<'_>,
        found: Found,
        room: &mut Room,
    ) -> Result<(Vec<Hit>, How), IndexError> {
        let all = found == Found::All;
        let coding = self.settings.coding;
        if coding == Coding::Whole {
            if !all {
                room.slots.truncate(asked.k);
            }
            room.ranked.clear();
            self.score(asked, room)?;
            return Ok((self.best(asked, room), how(all)));
        }
        let first = Self::candidates_by_vector(asked.k);
        let by_bits = !all || room.slots.len() > first;
        if by_bits {
            room.slots.truncate(self.candidates_by_bits(asked.k));
            by_all_bits(scorer, room);
            if found == Found::ByScan {
                self.look_wider(asked, scorer, room)?;
            }
            nearest_first(&mut room.rough, first);
            room.slots.clear();
            let nearest = room.rough.iter().take(first);
            room.slots.extend(nearest.map(|rough| rough.slot()));
        }
        room.ranked.clear();
        self.score(asked, room)?;
        if by_bits {
            self.score_doubtful(asked, scorer, first, room)?;
        }
        Ok((self.best(asked, room), how(!by_bits)))
    }

    /// Looks again for all who may be among the best, if the shortlist was too short for that: in a dense
    /// neighbourhood codes hardly tell one from the other.
    fn look_wider(
        &self,
        asked: Asked<'_>,
        scorer: &Scorer<'_>,
        room: &mut Room,
    ) -> Result<(), IndexError> {
        nearest_first(&mut room.rough, asked.k);
        let Some(wanted) = room.rough.get(asked.k - 1) else {
            return Ok(());
        };
        let noise = scorer.noise(&room.slots);
        let border = wanted.far() + DOUBT * (noise.half + noise.all_bits);
        if room.shortlist.border() < border {
            self.scan_nearer(asked, scorer, border, room)?;
            by_all_bits(scorer, room);
        }
        Ok(())
    }

    /// Scores those as well whose codes do not tell whether they are among the best.
    fn score_doubtful(
        &self,
        asked: Asked<'_>,
        scorer: &Scorer<'_>,
        scored: usize,
        room: &mut Room,
    ) -> Result<(), IndexError> {
        let Some((known, doubtful)) = room.rough.split_at_mut_checked(scored) else {
            return Ok(());
        };
        let lost = || {
            let both = room.ranked.iter().zip(&*known);
            both.map(|(exact, rough)| exact.0 - rough.far())
        };
        let least = lost().fold(f32::MAX, f32::min);
        let most = lost().fold(f32::MIN, f32::max);
        let by_far = |left: &(f32, u32), right: &(f32, u32)| left.0.total_cmp(&right.0);
        let (_, (worst, _), _) = room.ranked.select_nth_unstable_by(asked.k - 1, by_far);
        // The next may have lost somewhat less than any of those; and those were chosen for having lost little.
        let seen = *worst - least + (most - least);
        let border = seen.max(*worst + DOUBT * scorer.noise(&room.slots).all_bits);
        nearest_first(doubtful, MOST_DOUBTFUL);
        room.slots.clear();
        let close = doubtful.iter().take(MOST_DOUBTFUL);
        let close = close.filter(|rough| rough.far() < border);
        room.slots.extend(close.map(|rough| rough.slot()));
        self.score(asked, room)
    }

    /// Appends how far each of `room.slots` truly is to `room.ranked`.
    pub(super) fn score(&self, asked: Asked<'_>, room: &mut Room) -> Result<(), IndexError> {
        let measure = &Measure::new(self.settings.metric, asked.vector);
        let slots = std::mem::take(&mut room.slots);
        let mut portions = slots.chunks(PORTION);
        let scored = portions.try_for_each(|slots| {
            asked.stop.check()?;
            self.score_some(measure, slots, room)
        });
        room.slots = slots;
        scored
    }

    fn score_some(
        &self,
        measure: &Measure<'_>,
        slots: &[u32],
        room: &mut Room,
    ) -> Result<(), IndexError> {
        let Some(originals) = &self.originals else {
            for slot in slots {
                let far = measure.far(self.graph.blocks.whole(*slot));
                room.ranked.push((far, *slot));
            }
            return Ok(());
        };
        let dimensions = self.settings.dimensions;
        room.wanted.clear();
        room.wanted.extend(slots.iter().map(|slot| Wanted {
            slot: *slot,
            id: self.slots.id(*slot),
        }));
        let before = room.ranked.len();
        let ranked = &mut room.ranked;
        let wanted = &room.wanted;
        ranked.resize(before + wanted.len(), (f32::NAN, NO_SLOT));
        let mut shown = 0;
        originals.visit(wanted, &mut |place, row| {
            let room = ranked.get_mut(before + place);
            let room = room.filter(|room| room.1 == NO_SLOT && row.len() == dimensions);
            if let (Some(room), Some(wanted)) = (room, wanted.get(place)) {
                *room = (measure.far(row), wanted.slot);
                shown += 1;
            }
        })?;
        if shown != wanted.len() {
            return Err(IndexError::Original {
                place: "the vectors kept outside of the index".to_owned(),
                reason: format!(
                    "{} of {} were shown, each once and with {} dimensions",
                    shown,
                    wanted.len(),
                    dimensions
                ),
            });
        }
        Ok(())
    }

    /// The best of `room.ranked` as hits.
    pub(super) fn best(&self, asked: Asked<'_>, room: &mut Room) -> Vec<Hit> {
        let metric = self.settings.metric;
        // Who was replaced while this search went on may have been met as the old one and as the new one.
        let found = room.ranked.len();
        room.ranked
            .retain(|(_, slot)| self.slots.sees(*slot, asked.sequence));
        room.missed = room.ranked.len() < found;
        let hits = room.ranked.iter().map(|(far, slot)| Hit {
            id: self.slots.id(*slot),
            slot: *slot,
            score: metric.score(*far),
        });
        let is_near = |hit: &Hit| {
            asked
                .threshold
                .is_none_or(|limit| metric.reaches(hit.score, limit))
        };
        let mut hits: Vec<Hit> = hits.filter(is_near).collect();
        hits.sort_unstable_by(|left, right| {
            let by_score = metric.order(left.score, right.score);
            by_score.then(left.id.cmp(&right.id))
        });
        hits.truncate(asked.k);
        hits
    }
}

/// How far each of `room.slots` is by all bits of its code, into `room.rough`.
fn by_all_bits(scorer: &Scorer<'_>, room: &mut Room) {
    scorer.far_by_all_bits(&room.slots, &mut room.scores);
    let rough = room.scores.far.iter().zip(&room.slots);
    let rough = rough.map(|(far, slot)| Rough::new(*far, *slot));
    room.rough.clear();
    room.rough.extend(rough);
}

fn how(exact: bool) -> How {
    if exact { How::Exact } else { How::Approximate }
}
