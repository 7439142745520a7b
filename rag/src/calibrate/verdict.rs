//! From the confidences of what can be answered and of what cannot to a threshold between them.

use serde::{Deserialize, Serialize};

use super::{Calibrate, Calibration};
use crate::retrieve::Pipeline;

/// A list of numbers in seven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// The least.
    pub least: f32,
    /// One of twenty is less.
    pub p5: f32,
    /// A quarter is less.
    pub p25: f32,
    /// A half is less.
    pub p50: f32,
    /// Three quarters are less.
    pub p75: f32,
    /// All but one of twenty are less.
    pub p95: f32,
    /// The greatest.
    pub greatest: f32,
}

impl Quantiles {
    fn of(sorted: &[f32]) -> Self {
        let at = |share: f64| {
            let last = sorted.len().saturating_sub(1);
            let at = (share * last as f64).round() as usize;
            sorted.get(at).copied().unwrap_or_default()
        };
        Self {
            least: at(0.0),
            p5: at(0.05),
            p25: at(0.25),
            p50: at(0.5),
            p75: at(0.75),
            p95: at(0.95),
            greatest: at(1.0),
        }
    }
}

/// What two lists of confidences come to.
pub(super) struct Verdict {
    threshold: f32,
    auroc: f64,
    false_refusals: f64,
    true_refusals: f64,
    answerable: Quantiles,
    unanswerable: Quantiles,
}

/// The greatest threshold below which no more than this share of the answerable is.
pub(super) fn verdict(answerable: &[f32], unanswerable: &[f32], refuse_at_most: f64) -> Verdict {
    let sorted = |list: &[f32]| {
        let mut list = list.to_vec();
        list.sort_unstable_by(f32::total_cmp);
        list
    };
    let (with, without) = (sorted(answerable), sorted(unanswerable));
    // A share of two of a hundred is two, however it is rounded on its way here.
    let refused = (refuse_at_most * with.len() as f64 + 1e-9) as usize;
    let threshold = with.get(refused).copied().unwrap_or_default();
    let share = |list: &[f32]| {
        let below = list.partition_point(|value| *value < threshold);
        below as f64 / list.len().max(1) as f64
    };
    Verdict {
        threshold,
        auroc: area(&with, &without),
        false_refusals: share(&with),
        true_refusals: share(&without),
        answerable: Quantiles::of(&with),
        unanswerable: Quantiles::of(&without),
    }
}

/// How often a number of the first list is greater than one of the second, equal ones counting half: the area under the curve of
/// the receiver's operating characteristic. A half if one of them is empty.
///
/// ```
/// use stratigraph_rag::calibrate::area;
///
/// assert_eq!(area(&[0.9, 0.5], &[0.1, 0.5]), 0.875);
/// ```
#[must_use]
pub fn area(greater: &[f32], less: &[f32]) -> f64 {
    let mut less = less.to_vec();
    less.sort_unstable_by(f32::total_cmp);
    let pairs = greater.len() as f64 * less.len() as f64;
    if pairs == 0.0 {
        return 0.5;
    }
    let won = greater.iter().map(|value| {
        let below = less.partition_point(|other| other < value);
        let to = less.partition_point(|other| other <= value);
        (below + to) as f64 / 2.0
    });
    won.sum::<f64>() / pairs
}

impl Verdict {
    /// Whether its threshold refuses nothing, whatever is asked: no confidence is below 0.
    pub(super) fn refuses_nothing(&self) -> bool {
        self.threshold <= 0.0
    }

    pub(super) fn into_calibration(
        self,
        pipeline: &Pipeline,
        embedder: &str,
        how: &Calibrate,
        (left_out, documents, as_of): (&str, u64, u64),
        questions: usize,
    ) -> Calibration {
        Calibration {
            pipeline: pipeline.name.clone(),
            embedder: embedder.to_owned(),
            threshold: self.threshold,
            refuse_at_most: how.refuse_at_most,
            questions,
            seed: how.seed,
            auroc: self.auroc,
            false_refusals: self.false_refusals,
            true_refusals: self.true_refusals,
            answerable: self.answerable,
            unanswerable: self.unanswerable,
            left_out: left_out.to_owned(),
            documents,
            as_of,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_share_is_refused() {
        let answerable: Vec<f32> = (0..100).map(|at| at as f32 / 100.0 + 0.5).collect();
        let unanswerable: Vec<f32> = (0..100).map(|at| at as f32 / 100.0).collect();
        for (share, threshold, refused) in
            [(0.0, 0.5, 0.0), (0.02, 0.52, 0.02), (0.029, 0.52, 0.02)]
        {
            let verdict = verdict(&answerable, &unanswerable, share);
            assert!((verdict.threshold - threshold).abs() < 1e-6, "{share}");
            assert_eq!(verdict.false_refusals, refused, "{share}");
            assert!(verdict.true_refusals >= 0.5, "{share}");
        }
        // Where more than may be refused have no confidence at all, nothing is.
        let doubtful = [vec![0.0; 3], vec![0.9; 97]].concat();
        for (share, refuses_nothing) in [(0.02, true), (0.03, false)] {
            let verdict = verdict(&doubtful, &unanswerable, share);
            assert_eq!(verdict.refuses_nothing(), refuses_nothing, "{share}");
        }
        // Of many that are equal all are answered.
        let equal = verdict(&[0.25; 50], &[0.25; 50], 0.5);
        assert_eq!(
            (equal.false_refusals, equal.true_refusals, equal.auroc),
            (0.0, 0.0, 0.5)
        );
    }

    #[test]
    fn quantiles_are_of_the_list() {
        let list: Vec<f32> = (0..=100).map(|at| at as f32).collect();
        let quantiles = verdict(&list, &[], 0.0).answerable;
        assert_eq!(
            (quantiles.least, quantiles.p5, quantiles.p50),
            (0.0, 5.0, 50.0)
        );
        assert_eq!(
            (quantiles.p75, quantiles.p95, quantiles.greatest),
            (75.0, 95.0, 100.0)
        );
        assert_eq!(Quantiles::of(&[]), Quantiles::default());
    }

    #[test]
    fn the_area_is_what_pairs_say() {
        let (ones, others) = ([0.1, 0.4, 0.4, 0.9], [0.4, 0.2, 0.0]);
        let pairs = ones
            .iter()
            .flat_map(|one| others.map(|other| (*one, other)));
        let won = pairs.map(|(one, other): (f32, f32)| match one.total_cmp(&other) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        });
        assert_eq!(area(&ones, &others), won.sum::<f64>() / 12.0);
        assert_eq!(area(&[], &others), 0.5);
    }
}
