//! Refusal: whether a graph can tell questions that it answers from questions that it cannot.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::Mean;

/// The one measure of which less is better: the share of its own questions that is refused at the threshold.
const OWN_REFUSED: &str = "own_refused";

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
    /// The threshold that the graph itself gives this pipeline, as `calibrate` finds it without knowing the set; nothing if it gives
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
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

impl OfEach {
    fn mean(&self) -> Option<(&'static str, f64)> {
        let (sum, count): (f64, usize) = (self.values.iter().sum(), self.values.len());
        (count > 0).then(|| (self.measure, sum / count as f64))
    }
}

/// Whether less of a measure is better, as it is of what is refused wrongly.
pub(super) fn less_is_better(measure: &str) -> bool {
    measure == OWN_REFUSED
}

impl Refusal {
    /// Which share of its own questions may be refused where it is measured what is refused.
    pub const FALSE_REFUSALS: f64 = 0.02;

    /// What it is measured by, with the names that tables have for it. What there are no questions for is left out.
    ///
    /// - `auroc`;
    /// - at the highest bound that refuses [`FALSE_REFUSALS`](Self::FALSE_REFUSALS) of its own questions, which nobody knows who does
    ///   not know these: which share of the others' is refused (`refused2`), and of those of the set that nothing answers
    ///   (`nothing_refused2`);
    /// - at the threshold that the graph gives, if it gives one: which share of its own is refused, wrongly (`own_refused`), which of
    ///   the others' (`others_refused`), and which of those that nothing answers (`nothing_refused`).
    #[must_use]
    pub fn measures(&self) -> Vec<(&'static str, f64)> {
        self.of_each().filter_map(|one| one.mean()).collect()
    }

    /// The same with intervals: those of other questions of the kind that a measure is a mean over. What it compares them with, the
    /// other kind or a bound, stays as it is.
    #[must_use]
    pub fn means(&self) -> Vec<(&'static str, Mean)> {
        let all = self.of_each();
        all.filter_map(|one| Some((one.measure, Mean::of(&one.values)?)))
            .collect()
    }

    /// What a pipeline reaches on the graphs of several sets: with one bound for all of them, as whoever asks does not say which set
    /// he means, and with the threshold of each graph that gives one.
    #[must_use]
    pub fn measures_of_all(all: &[&Self]) -> Vec<(&'static str, f64)> {
        let mut whole = Self::default();
        let mut at_threshold = whole.at_threshold();
        for one in all {
            whole.own.extend(&one.own);
            whole.foreign.extend(&one.foreign);
            whole.nothing.extend(&one.nothing);
            for (joined, of_one) in at_threshold.iter_mut().zip(one.at_threshold()) {
                joined.values.extend(of_one.values);
            }
        }
        let at_threshold = at_threshold.iter().filter_map(OfEach::mean);
        whole.measures().into_iter().chain(at_threshold).collect()
    }

    /// What each question adds to each measure.
    pub(super) fn of_each(&self) -> impl Iterator<Item = OfEach> {
        self.at_best().into_iter().chain(self.at_threshold())
    }

    /// What can be reached by whoever knows all confidences.
    fn at_best(&self) -> [OfEach; 3] {
        let bound = self.refused_at(Self::FALSE_REFUSALS);
        let below = bound.map(|bound| bound.below);
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
                values: refused(&self.foreign, below),
            },
            OfEach {
                measure: "nothing_refused2",
                of: "nothing",
                values: refused(&self.nothing, below),
            },
        ]
    }

    /// What is reached by whoever knows the graph alone.
    fn at_threshold(&self) -> [OfEach; 3] {
        [
            OfEach {
                measure: OWN_REFUSED,
                of: "own",
                values: refused(&self.own, self.threshold),
            },
            OfEach {
                measure: "others_refused",
                of: "other",
                values: refused(&self.foreign, self.threshold),
            },
            OfEach {
                measure: "nothing_refused",
                of: "nothing",
                values: refused(&self.nothing, self.threshold),
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

/// Of each whether it is refused below a bound: 1 or 0. Of none if there is no bound.
fn refused(confidence: &[Option<f64>], below: Option<f64>) -> Vec<f64> {
    let Some(below) = below else {
        return Vec::new();
    };
    let is_refused = numbers(confidence).into_iter().map(|one| one < below);
    is_refused.map(f64::from).collect()
}

fn share_below(values: &[f64], bound: f64) -> f64 {
    match values.len() {
        0 => 0.0,
        count => values.iter().filter(|value| **value < bound).count() as f64 / count as f64,
    }
}
