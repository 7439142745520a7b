//! Refusal: whether a graph can tell questions that it answers from questions that it cannot.

use serde::{Deserialize, Serialize};

/// How sure a pipeline was on a set's own questions, and on those of other sets, which its graph does not answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// The set whose graph was asked.
    pub set: String,
    /// The pipeline.
    pub pipeline: String,
    /// For each question that the graph answers how sure it was; nothing if it found nothing.
    pub own: Vec<Option<f64>>,
    /// The same for questions of other sets, which it does not answer.
    pub foreign: Vec<Option<f64>>,
    /// The same for questions of the set itself of which it says that nothing answers them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nothing: Vec<Option<f64>>,
}

/// What comes of it if all below a bound are refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refused {
    /// The bound: who is surer, or as sure, answers.
    pub below: f64,
    /// Which share of its own questions is refused.
    pub own: f64,
    /// Which share of the others'.
    pub foreign: f64,
    /// Which share of those of the set that nothing answers; 0 if there are none.
    pub nothing: f64,
}

/// What each question of a kind adds to a measure, in their order: the mean is the measure.
pub(super) struct OfEach {
    pub(super) measure: &'static str,
    /// Whose questions.
    pub(super) of: &'static str,
    pub(super) values: Vec<f64>,
}

impl Refusal {
    /// Which share of its own questions may be refused where it is measured what is refused.
    pub const FALSE_REFUSALS: f64 = 0.02;

    /// What it is measured by, with the names that tables have for it: `auroc`, and at a bound that refuses
    /// [`FALSE_REFUSALS`](Self::FALSE_REFUSALS) of its own questions which share of the others' is refused (`refused2`), and of
    /// those of the set that nothing answers (`nothing_refused2`). What there are no questions for is left out.
    #[must_use]
    pub fn measures(&self) -> Vec<(&'static str, f64)> {
        let all = self.of_each().into_iter();
        let all = all.filter(|one| !one.values.is_empty());
        all.map(|one| {
            let sum: f64 = one.values.iter().sum();
            (one.measure, sum / one.values.len() as f64)
        })
        .collect()
    }

    /// The same for each question.
    pub(super) fn of_each(&self) -> [OfEach; 3] {
        let bound = self.refused_at(Self::FALSE_REFUSALS);
        let refused = |confidence: &[Option<f64>]| -> Vec<f64> {
            let Some(bound) = bound else {
                return Vec::new();
            };
            let is_refused = numbers(confidence).into_iter().map(|one| one < bound.below);
            is_refused.map(|one| f64::from(u8::from(one))).collect()
        };
        let others = self.foreign.len() as f64;
        let wins = self.wins().into_iter().map(|wins| wins / others);
        [
            OfEach {
                measure: "auroc",
                of: "own",
                values: wins.collect(),
            },
            OfEach {
                measure: "refused2",
                of: "other",
                values: refused(&self.foreign),
            },
            OfEach {
                measure: "nothing_refused2",
                of: "nothing",
                values: refused(&self.nothing),
            },
        ]
    }

    /// Of each of its own questions, of how many of the others' it is less sure; half of those that it is as sure of.
    fn wins(&self) -> Vec<f64> {
        let mut foreign = numbers(&self.foreign);
        if foreign.is_empty() {
            return Vec::new();
        }
        foreign.sort_by(f64::total_cmp);
        let wins = numbers(&self.own).into_iter().map(|own| {
            let below = foreign.partition_point(|other| *other < own);
            let alike = foreign[below..].partition_point(|other| *other <= own);
            below as f64 + alike as f64 / 2.0
        });
        wins.collect()
    }

    /// How likely it is to be surer of one of its own questions than of another's: 0.5 for who only guesses, 1 for who can
    /// always tell. Nothing if there are none to compare.
    ///
    /// ```
    /// use stratigraph_rag::evaluate::Refusal;
    ///
    /// let refusal = Refusal {
    ///     own: vec![Some(0.9), Some(0.6)],
    ///     foreign: vec![Some(0.7), None],
    ///     ..Refusal::default()
    /// };
    /// assert_eq!(refusal.auroc(), Some(0.75));
    /// ```
    #[must_use]
    pub fn auroc(&self) -> Option<f64> {
        let wins = self.wins();
        let pairs = wins.len() * self.foreign.len();
        (pairs > 0).then(|| wins.iter().sum::<f64>() / pairs as f64)
    }

    /// The highest bound at which no more than this share of its own questions is refused, and what is refused then.
    #[must_use]
    pub fn refused_at(&self, most_own: f64) -> Option<Refused> {
        let mut own = numbers(&self.own);
        own.sort_by(f64::total_cmp);
        // So many may be refused; the next one answers.
        let allowed = (most_own.clamp(0.0, 1.0) * own.len() as f64) as usize;
        let below = *own.get(allowed.min(own.len().checked_sub(1)?))?;
        Some(Refused {
            below,
            own: share_below(&own, below),
            foreign: share_below(&numbers(&self.foreign), below),
            nothing: share_below(&numbers(&self.nothing), below),
        })
    }

    /// What is refused at every bound there is: the share of its own, and of the others.
    #[must_use]
    pub fn curve(&self) -> Vec<(f64, f64)> {
        let (own, foreign) = (numbers(&self.own), numbers(&self.foreign));
        let mut bounds: Vec<f64> = own.iter().chain(&foreign).copied().collect();
        bounds.sort_by(f64::total_cmp);
        bounds.dedup();
        bounds.push(f64::INFINITY);
        let shares = bounds.into_iter();
        shares
            .map(|bound| (share_below(&own, bound), share_below(&foreign, bound)))
            .collect()
    }
}

/// Who found nothing is surer of nothing. What is no number is no ground to answer.
fn numbers(confidence: &[Option<f64>]) -> Vec<f64> {
    let known = confidence.iter().map(|one| one.filter(|one| !one.is_nan()));
    known.map(|one| one.unwrap_or(f64::NEG_INFINITY)).collect()
}

fn share_below(values: &[f64], bound: f64) -> f64 {
    match values.len() {
        0 => 0.0,
        count => values.iter().filter(|value| **value < bound).count() as f64 / count as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(own: &[f64], foreign: &[f64]) -> Refusal {
        let some = |values: &[f64]| values.iter().copied().map(Some).collect();
        Refusal {
            own: some(own),
            foreign: some(foreign),
            ..Refusal::default()
        }
    }

    #[test]
    fn who_guesses_has_a_half_and_ties_are_halves() {
        assert_eq!(refusal(&[1.0, 2.0], &[1.0, 2.0]).auroc(), Some(0.5));
        assert_eq!(refusal(&[3.0, 2.0], &[1.0, 0.0]).auroc(), Some(1.0));
        assert_eq!(refusal(&[0.0], &[1.0]).auroc(), Some(0.0));
        assert_eq!(refusal(&[], &[1.0]).auroc(), None);
        let nothing = Refusal {
            own: vec![None, Some(f64::NAN)],
            foreign: vec![None],
            ..Refusal::default()
        };
        assert_eq!(nothing.auroc(), Some(0.5));
    }

    #[test]
    fn the_bound_refuses_as_many_of_its_own_as_it_may() {
        let own: Vec<f64> = (0..100).map(f64::from).collect();
        let foreign: Vec<f64> = (0..10).map(|n| f64::from(n) / 2.0).collect();
        let whole = Refusal {
            nothing: vec![None, Some(2.0)],
            ..refusal(&own, &foreign)
        };
        let refused = whole.refused_at(0.02).unwrap();
        assert_eq!(refused.nothing, 0.5);
        // 0 and 1 of its own, and 0, 0.5, 1 and 1.5 of the others.
        assert_eq!(
            (refused.below, refused.own, refused.foreign),
            (2.0, 0.02, 0.4)
        );
        // Alike ones are refused together or not at all.
        let refused = refusal(&[1.0, 1.0, 1.0, 5.0], &[0.0, 1.0])
            .refused_at(0.5)
            .unwrap();
        assert_eq!(
            (refused.below, refused.own, refused.foreign),
            (1.0, 0.0, 0.5)
        );
        assert!(refusal(&[], &[1.0]).refused_at(0.02).is_none());
        let all = refusal(&[1.0, 2.0], &[0.0]).refused_at(1.0).unwrap();
        assert!(all.own < 1.0);
    }

    #[test]
    fn measures_are_means_over_questions() {
        let whole = Refusal {
            nothing: vec![None, Some(9.0)],
            ..refusal(&[2.0, 3.0], &[1.0, 2.0, 2.5, 0.0])
        };
        let measures = whole.measures();
        assert_eq!(
            measures,
            [
                ("auroc", 0.8125),
                ("refused2", 0.5),
                ("nothing_refused2", 0.5)
            ]
        );
        assert_eq!(whole.auroc(), Some(measures[0].1));
        assert!(refusal(&[], &[1.0]).measures().is_empty());
        assert!(refusal(&[1.0], &[]).measures().is_empty());
    }

    #[test]
    fn the_curve_leads_from_nothing_to_all() {
        let curve = refusal(&[2.0, 3.0], &[1.0, 2.0]).curve();
        assert_eq!(curve, [(0.0, 0.0), (0.0, 0.5), (0.5, 1.0), (1.0, 1.0)]);
    }
}
