//! Telling the best of what was found apart: first by all bits of their codes, then by the vectors
//! themselves.

use super::{Asked, Hit, How, Index, Room, Scorer};
use crate::coding::Coding;
use crate::error::IndexError;
use crate::kernel::{Kernels, cosine_from_parts, cosine_of_long};
use crate::metric::Metric;
use crate::originals::Wanted;

impl Index {
    /// So many are told apart by all bits of their codes, to make up for what half of the bits lose.
    pub(super) fn candidates_by_bits(k: usize) -> usize {
        k.saturating_mul(6).saturating_add(24)
    }

    /// So many are told apart by their vectors, to make up for what all bits lose.
    fn candidates_by_vector(k: usize) -> usize {
        (k + k / 2).saturating_add(4)
    }

    /// The best of `room.slots`, which are sorted by codes. `all` says that no others are as near.
    pub(super) fn rank(
        &self,
        asked: Asked<'_>,
        scorer: &Scorer<'_>,
        all: bool,
        room: &mut Room,
    ) -> Result<(Vec<Hit>, How), IndexError> {
        let many = Self::candidates_by_vector(asked.k);
        let coding = self.settings.coding;
        if coding == Coding::Halves && room.slots.len() > many {
            room.slots.truncate(Self::candidates_by_bits(asked.k));
            scorer.far_by_all_bits(&room.slots, &mut room.scores);
            room.ranked.clear();
            let far = room.scores.far.iter().copied();
            room.ranked.extend(far.zip(room.slots.iter().copied()));
            room.ranked.sort_unstable_by(|left, right| {
                left.0.total_cmp(&right.0).then(left.1.cmp(&right.1))
            });
            room.slots.clear();
            room.slots.extend(room.ranked.iter().map(|(_, slot)| *slot));
        }
        let exact = all && (room.slots.len() <= many || coding == Coding::Whole);
        if !exact {
            room.slots.truncate(many);
        }
        self.score(asked, room)?;
        Ok((
            self.best(asked, room),
            if exact { How::Exact } else { How::Approximate },
        ))
    }

    /// Puts how far each of `room.slots` truly is into `room.ranked`.
    pub(super) fn score(&self, asked: Asked<'_>, room: &mut Room) -> Result<(), IndexError> {
        let measure = Measure::new(self.settings.metric, asked.vector);
        room.ranked.clear();
        let Some(originals) = &self.originals else {
            for slot in &room.slots {
                let far = measure.far(self.graph.blocks.whole(*slot));
                room.ranked.push((far, *slot));
            }
            return Ok(());
        };
        room.wanted.clear();
        room.wanted.extend(room.slots.iter().map(|slot| Wanted {
            slot: *slot,
            id: self.slots.id(*slot),
        }));
        let ranked = &mut room.ranked;
        let wanted = &room.wanted;
        let mut wrong = None;
        originals.visit(wanted, &mut |place, row| match wanted.get(place) {
            Some(wanted) if row.len() == asked.vector.len() => {
                ranked.push((measure.far(row), wanted.slot));
            }
            _ => wrong = Some(place),
        })?;
        if wrong.is_some() || ranked.len() != wanted.len() {
            return Err(IndexError::Original {
                place: "the vectors kept outside of the index".to_owned(),
                reason: format!(
                    "{} of {} were shown, each once and with {} dimensions",
                    ranked.len(),
                    wanted.len(),
                    asked.vector.len()
                ),
            });
        }
        Ok(())
    }

    /// The best of `room.ranked` as hits.
    pub(super) fn best(&self, asked: Asked<'_>, room: &mut Room) -> Vec<Hit> {
        let sign = if self.settings.metric == Metric::Euclidean {
            1.0
        } else {
            -1.0
        };
        // Who was replaced while this search went on may have been met as the old one and as the new one.
        let ranked = room
            .ranked
            .iter()
            .filter(|(_, slot)| self.slots.sees(*slot, asked.sequence));
        let hits = ranked.map(|(far, slot)| Hit {
            id: self.slots.id(*slot),
            slot: *slot,
            // Never a negative zero, which would not print as it compares.
            score: sign * far + 0.0,
        });
        let mut hits: Vec<Hit> = match asked.threshold {
            None => hits.collect(),
            Some(limit) => hits
                .filter(|hit| sign * hit.score <= sign * limit)
                .collect(),
        };
        hits.sort_unstable_by(|left, right| {
            let by_score = (sign * left.score).total_cmp(&(sign * right.score));
            by_score.then(left.id.cmp(&right.id))
        });
        hits.truncate(asked.k);
        hits
    }
}

/// How far vectors truly are from a query. Lower is nearer, whatever the metric.
pub(crate) struct Measure<'a> {
    kernels: &'static Kernels,
    metric: Metric,
    query: &'a [f32],
    square: f32,
}

impl<'a> Measure<'a> {
    pub(crate) fn new(metric: Metric, query: &'a [f32]) -> Self {
        let kernels = Kernels::best();
        Self {
            kernels,
            metric,
            query,
            square: kernels.square(query),
        }
    }

    /// How far a row is that has as many dimensions as the query.
    pub(crate) fn far(&self, row: &[f32]) -> f32 {
        let far = match self.metric {
            Metric::Euclidean => self.kernels.squared_l2(self.query, row),
            Metric::Dot => self.kernels.dot(self.query, row).map(|dot| -dot),
            Metric::Cosine => self
                .kernels
                .dot_and_square(self.query, row)
                .map(|(dot, square)| {
                    let plain = dot.is_finite() && square.is_finite() && self.square.is_finite();
                    let cosine = if plain {
                        cosine_from_parts(dot, self.square, square)
                    } else {
                        None
                    };
                    let cosine = cosine.or_else(|| cosine_of_long(self.query, row));
                    debug_assert!(cosine.is_some(), "what has no direction is refused");
                    -cosine.unwrap_or(-1.0)
                }),
        };
        debug_assert!(far.is_ok(), "both have the dimensions of the index");
        far.unwrap_or(f32::MAX)
    }
}
