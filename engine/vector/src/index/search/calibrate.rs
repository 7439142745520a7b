//! What recall a breadth gives, measured by the index on itself: some of its own vectors ask for their
//! neighbours.

use super::{Effort, Hit, Index, Query};
use crate::error::IndexError;
use crate::originals::Wanted;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// So many vectors ask.
const ASKING: usize = 200;
/// So many neighbours each must find.
const NEIGHBOURS: usize = 10;
/// What is tried.
const BREADTHS: [usize; 10] = [10, 16, 24, 32, 48, 64, 96, 144, 216, 324];
/// Where looking at every vector would take longer than this many comparisons, so wide a walk is the truth.
const MOST_COMPARED: usize = 20_000_000;
const TRUE_BREADTH: usize = 1200;

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Calibration {
    /// Breadths with the recall at each, both growing.
    pub(crate) recalls: Vec<(u32, f32)>,
    /// The recall of a scan.
    pub(crate) scan: f32,
    /// How many vectors there were.
    pub(crate) vectors: u32,
}

impl Calibration {
    /// The recall at a breadth, for the nearest `k`.
    pub(crate) fn recall_at(&self, breadth: usize, k: usize) -> f32 {
        let breadth = per_ten(breadth, k);
        let after = self
            .recalls
            .partition_point(|(known, _)| f64::from(*known) < breadth);
        match (
            after.checked_sub(1).map(|at| self.recalls[at]),
            self.recalls.get(after),
        ) {
            (Some(low), Some(high)) => {
                let way = (breadth - f64::from(low.0)) / f64::from(high.0 - low.0);
                low.1 + way as f32 * (high.1 - low.1)
            }
            (Some(known), None) | (None, Some(&known)) => known.1,
            (None, None) => 0.0,
        }
    }

    /// The breadth at which so much is found, if any that was tried is enough.
    pub(crate) fn breadth_for(&self, recall: f32, k: usize) -> Option<usize> {
        let at = self
            .recalls
            .iter()
            .position(|(_, known)| *known >= recall)?;
        let high = self.recalls[at];
        let breadth = match at.checked_sub(1).map(|at| self.recalls[at]) {
            Some(low) if high.1 > low.1 => {
                let way = f64::from((recall - low.1) / (high.1 - low.1));
                f64::from(low.0) + way * f64::from(high.0 - low.0)
            }
            _ => f64::from(high.0),
        };
        let scale = k.max(NEIGHBOURS) as f64 / NEIGHBOURS as f64;
        #[expect(clippy::cast_possible_truncation, reason = "far fewer")]
        #[expect(clippy::cast_sign_loss, reason = "positive")]
        Some((breadth * scale).ceil() as usize)
    }
}

/// A breadth for the nearest `k`, as if it were for the nearest ten.
fn per_ten(breadth: usize, k: usize) -> f64 {
    breadth as f64 * NEIGHBOURS as f64 / k.max(NEIGHBOURS) as f64
}

impl Index {
    /// Measures what recall each breadth gives, so that a search can ask for a recall and an answer can
    /// estimate its own. It is done again by itself when the index has doubled.
    ///
    /// # Errors
    ///
    /// [`IndexError::Original`], if a vector cannot be read.
    pub fn calibrate(&self) -> Result<(), IndexError> {
        let _alone = self.calibrating.lock();
        self.measure()
    }

    fn measure(&self) -> Result<(), IndexError> {
        let asking = self.some_vectors()?;
        let mut vectors = Vec::with_capacity(asking.len());
        for (slot, vector) in asking {
            let all = self.used() as usize * ASKING <= MOST_COMPARED;
            let effort = if all {
                Effort::Exact
            } else {
                Effort::Breadth(TRUE_BREADTH)
            };
            let truth = self.neighbours(slot, &vector, effort)?;
            vectors.push((slot, vector, truth));
        }
        let recall = |effort| -> Result<f32, IndexError> {
            let (mut right, mut all) = (0, 0);
            for (slot, vector, truth) in &vectors {
                let found = self.neighbours(*slot, vector, effort)?;
                right += truth
                    .iter()
                    .filter(|hit| found.iter().any(|one| one.id == hit.id))
                    .count();
                all += truth.len();
            }
            #[expect(clippy::cast_precision_loss, reason = "some thousands")]
            Ok(if all == 0 {
                1.0
            } else {
                right as f32 / all as f32
            })
        };
        let mut recalls: Vec<(u32, f32)> = Vec::new();
        for breadth in BREADTHS {
            let found = recall(Effort::Breadth(breadth))?;
            // More effort finds no less; what looks otherwise is chance.
            let found = recalls.last().map_or(found, |(_, last)| found.max(*last));
            recalls.push((breadth as u32, found));
        }
        let scan = recall(Effort::Scan)?;
        self.calibration.store(Some(Arc::new(Calibration {
            recalls,
            scan,
            vectors: self.living(),
        })));
        Ok(())
    }

    /// The breadth for a recall. Measures first, if that was never done.
    pub(super) fn breadth_for(&self, recall: f32, k: usize) -> Result<Option<usize>, IndexError> {
        if self.calibration.load().is_none() {
            let _alone = self.calibrating.lock();
            // Somebody else may have done it meanwhile.
            if self.calibration.load().is_none() {
                self.measure()?;
            }
        }
        let calibration = self.calibration.load();
        Ok(calibration
            .as_ref()
            .and_then(|known| known.breadth_for(recall, k)))
    }

    /// Measures again if somebody has asked for a recall, and the index has more than doubled since it was
    /// measured. Searches go by what is known until that is done.
    pub(crate) fn measure_again(&self) {
        if self.calibration.load().is_none() || self.measured().is_some() {
            return;
        }
        if let Some(_alone) = self.calibrating.try_lock() {
            // What cannot be read now is told whoever searches for it.
            let _ = self.measure();
        }
    }

    /// What was measured, unless the index has more than doubled since.
    pub(super) fn measured(&self) -> Option<Arc<Calibration>> {
        let known = self.calibration.load_full()?;
        (self.living() / 2 <= known.vectors).then_some(known)
    }

    /// About how many vectors live in the index.
    fn living(&self) -> u32 {
        let used = self.used();
        used - self.dead.load(Ordering::Relaxed).min(used)
    }

    /// The nearest of a vector in the index. It is hidden itself: nobody else who asks has links to his
    /// nearest.
    fn neighbours(
        &self,
        slot: u32,
        vector: &[f32],
        effort: Effort,
    ) -> Result<Vec<Hit>, IndexError> {
        let query = Query::new(vector, NEIGHBOURS).effort(effort).without(slot);
        Ok(self.search(&query)?.hits)
    }

    /// Some vectors that live in the index, spread evenly over its slots.
    fn some_vectors(&self) -> Result<Vec<(u32, Vec<f32>)>, IndexError> {
        // Their slots are not given to others while they are read.
        let _searching = self.rooms.enter();
        let used = self.used() as usize;
        let step = (used / ASKING).max(1);
        let slots = (0..self.used()).step_by(step);
        let wanted: Vec<Wanted> = slots
            .filter(|slot| self.slots.lives(*slot))
            .map(|slot| Wanted {
                slot,
                id: self.slots.id(slot),
            })
            .collect();
        let mut vectors = Vec::with_capacity(wanted.len());
        match &self.originals {
            Some(originals) => originals.visit(&wanted, &mut |place, row| {
                if let Some(wanted) = wanted.get(place) {
                    vectors.push((wanted.slot, row.to_vec()));
                }
            })?,
            None => vectors.extend(
                wanted
                    .iter()
                    .map(|one| (one.slot, self.graph.blocks.whole(one.slot).to_vec())),
            ),
        }
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recalls_are_read_both_ways() {
        let known = Calibration {
            recalls: vec![(10, 0.5), (20, 0.8), (40, 0.9), (80, 0.9)],
            scan: 1.0,
            vectors: 1000,
        };
        for (breadth, k, recall) in [(5, 10, 0.5), (15, 3, 0.65), (40, 10, 0.9), (60, 20, 0.85)] {
            assert!(
                (known.recall_at(breadth, k) - recall).abs() < 1e-6,
                "{breadth} {k}"
            );
        }
        assert_eq!(known.recall_at(500, 10), 0.9);
        for (recall, k, breadth) in [(0.1, 10, 10), (0.65, 1, 15), (0.9, 10, 40), (0.8, 30, 60)] {
            assert_eq!(known.breadth_for(recall, k), Some(breadth), "{recall} {k}");
        }
        assert_eq!(known.breadth_for(0.91, 10), None);
    }
}
