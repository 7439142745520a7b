//! Two runs side by side: what has become better, what worse, and on which questions; and what that took (`costs.rs`).

mod costs;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::refusal::less_is_better;
use super::saved::cell;
use super::{Evaluation, Mean, Refusal, Saved};
pub use costs::CostDifference;
use costs::costs;

/// What became of a measure from one run to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The set.
    pub set: String,
    /// The pipeline before.
    pub before: String,
    /// The pipeline after.
    pub after: String,
    /// The measure.
    pub measure: String,
    /// Its mean before, over the questions that both have.
    pub mean_before: f64,
    /// Its mean after.
    pub mean_after: f64,
    /// Where the difference would be with other questions of the kind, 95 times of 100.
    pub low: f64,
    /// The upper end of that.
    pub high: f64,
    /// How many questions both have.
    pub questions: usize,
    /// The questions of which it is otherwise.
    pub changed: Vec<Changed>,
}

/// A question of which a measure is otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Changed {
    /// The question; of refusal its place among those of its kind, as `own 3`.
    pub id: String,
    /// The measure before.
    pub before: f64,
    /// The measure after.
    pub after: f64,
}

/// Whether a difference is more than chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is, and for the better.
    Better,
    /// It may be chance.
    Alike,
    /// It is, and for the worse.
    Worse,
}

impl Verdict {
    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Alike => "alike",
            Self::Worse => "worse",
        }
    }
}

impl Difference {
    /// Whether it is more than chance: more is better in all measures but `own_refused`.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let (is_more, is_less) = (self.low > 0.0, self.high < 0.0);
        match (is_more, is_less, less_is_better(&self.measure)) {
            (true, _, false) | (_, true, true) => Verdict::Better,
            (_, true, false) | (true, _, true) => Verdict::Worse,
            _ => Verdict::Alike,
        }
    }

    /// Of how many of the changed questions it is better.
    #[must_use]
    pub fn better(&self) -> usize {
        let changed = self.changed.iter();
        changed.filter(|one| self.is_better(one)).count()
    }

    /// The changed questions of which it is better, and those of which it is worse: those first that have changed most.
    #[must_use]
    pub fn sides(&self) -> [Vec<&Changed>; 2] {
        let mut changed: Vec<&Changed> = self.changed.iter().collect();
        changed.sort_by(|one, other| other.by().total_cmp(&one.by()));
        let (better, worse) = changed.into_iter().partition(|one| self.is_better(one));
        [better, worse]
    }

    fn is_better(&self, changed: &Changed) -> bool {
        (changed.after > changed.before) != less_is_better(&self.measure)
    }
}

impl Changed {
    /// How much it has changed.
    fn by(&self) -> f64 {
        (self.after - self.before).abs()
    }
}

/// Which of two alone has something, in words.
fn alone(first: bool, second: bool) -> Option<&'static str> {
    match (first, second) {
        (true, false) => Some("only in the first"),
        (false, true) => Some("only in the second"),
        _ => None,
    }
}

/// Two runs side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// Measure by measure.
    pub differences: Vec<Difference>,
    /// Cost by cost. No verdict counts them.
    pub costs: Vec<CostDifference>,
    /// What only one of them has, in words.
    pub unmatched: Vec<String>,
}

impl Comparison {
    /// What has become of it from one run to another. Runs of one set by one pipeline belong together; where each has
    /// only one pipeline for a set, these two do.
    #[must_use]
    pub fn of(before: &Saved, after: &Saved) -> Self {
        let mut all = Self::default();
        let (by_set, mut others) = (sets(&before.evaluations), sets(&after.evaluations));
        for (set, ours) in by_set {
            let mut theirs = others.remove(set).unwrap_or_default();
            let is_one = ours.len() == 1 && theirs.len() == 1;
            for one in ours {
                let same = |other: &&Evaluation| is_one || other.pipeline == one.pipeline;
                match theirs.iter().position(same) {
                    Some(place) => {
                        let other = theirs.remove(place);
                        all.add(one, other);
                        all.add_refusals(refusal_of(before, one), refusal_of(after, other));
                    }
                    None => all
                        .unmatched
                        .push(format!("{set} by {} is only in the first", one.pipeline)),
                }
            }
            others.insert(set, theirs);
        }
        for (set, left) in others {
            let left = left.into_iter();
            let told =
                left.map(|other| format!("{set} by {} is only in the second", other.pipeline));
            all.unmatched.extend(told);
        }
        all
    }

    fn add(&mut self, one: &Evaluation, other: &Evaluation) {
        let set = &one.set;
        let ids = other.questions.iter().map(|question| question.id.as_str());
        let ids: BTreeSet<&str> = ids.collect();
        let both = one.questions.iter();
        let both = both.filter(|question| ids.contains(question.id.as_str()));
        let both = both.count();
        let runs = Runs {
            set,
            before: &one.pipeline,
            after: &other.pipeline,
        };
        let (ours, theirs) = (one.measures(), other.measures());
        for measure in ours.union(&theirs) {
            let alone = match alone(ours.contains(measure), theirs.contains(measure)) {
                Some(alone) => alone,
                None => match runs.difference(measure, &one.paired(other, measure)) {
                    Some(difference) => {
                        self.differences.push(difference);
                        continue;
                    }
                    // That they have no question in common is told below.
                    None if both == 0 => continue,
                    None => "in both, and of no question in both",
                },
            };
            self.unmatched
                .push(format!("{set}: the measure {measure} is {alone}"));
        }
        let (costs, unmatched) = costs(one, other);
        self.costs.extend(costs);
        self.unmatched.extend(unmatched);
        let (ours, theirs) = (one.questions.len(), other.questions.len());
        if both < ours.max(theirs) {
            self.unmatched.push(format!(
                "{set}: of {ours} and {theirs} questions {both} are in both, and only these count"
            ));
        }
    }

    /// What became of refusal. Its questions are paired by their places, as it is kept without their names.
    fn add_refusals(&mut self, before: Option<&Refusal>, after: Option<&Refusal>) {
        let (one, other) = match (before, after) {
            (Some(one), Some(other)) => (one, other),
            (Some(Refusal { set, .. }), None) => {
                let told = format!("{set}: refusal is only in the first");
                return self.unmatched.push(told);
            }
            (None, Some(Refusal { set, .. })) => {
                let told = format!("{set}: refusal is only in the second");
                return self.unmatched.push(told);
            }
            (None, None) => return,
        };
        let counts = |of: &Refusal| [of.own.len(), of.foreign.len(), of.nothing.len()];
        if counts(one) != counts(other) {
            let told = |of: &Refusal| {
                let [own, foreign, nothing] = counts(of);
                format!(
                    "{own} own questions, {foreign} of others and {nothing} that nothing answers"
                )
            };
            self.unmatched.push(format!(
                "{}: refusal is of {} in the first, and of {} in the second, and not compared",
                one.set,
                told(one),
                told(other)
            ));
            return;
        }
        let runs = Runs {
            set: &one.set,
            before: &one.pipeline,
            after: &other.pipeline,
        };
        for (before, after) in one.of_each().zip(other.of_each()) {
            // Not every graph gives a threshold, and older runs have not asked for one.
            if let Some(alone) = alone(!before.values.is_empty(), !after.values.is_empty()) {
                let (set, measure) = (&one.set, before.measure);
                self.unmatched
                    .push(format!("{set}: the measure {measure} is {alone}"));
                continue;
            }
            let values = before.values.iter().zip(&after.values);
            let pairs = (1..).zip(values);
            let pairs: Vec<(String, f64, f64)> = pairs
                .map(|(place, (was, is))| (format!("{} {place}", before.of), *was, *is))
                .collect();
            self.differences
                .extend(runs.difference(before.measure, &pairs));
        }
    }

    /// All differences as CSV; a cost has empty cells where a measure has an interval, changed questions and a verdict.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut csv =
            "set,before,after,measure,mean_before,mean_after,low,high,questions,changed,verdict\r\n"
                .to_owned();
        for one in &self.differences {
            let names = [&one.set, &one.before, &one.after, &one.measure].map(|name| cell(name));
            csv.push_str(&format!(
                "{},{:.6},{:.6},{:.6},{:.6},{},{},{}\r\n",
                names.join(","),
                one.mean_before,
                one.mean_after,
                one.low,
                one.high,
                one.questions,
                one.changed.len(),
                one.verdict().name()
            ));
        }
        for one in &self.costs {
            let names = [&one.set, &one.before, &one.after, &one.cost].map(|name| cell(name));
            csv.push_str(&format!(
                "{},{:.6},{:.6},,,{},,\r\n",
                names.join(","),
                one.value_before,
                one.value_after,
                one.questions
            ));
        }
        csv
    }

    /// How many measures are surely worse.
    #[must_use]
    pub fn worse(&self) -> usize {
        let all = self.differences.iter();
        all.filter(|one| one.verdict() == Verdict::Worse).count()
    }
}

/// Which runs stand side by side.
struct Runs<'a> {
    set: &'a str,
    before: &'a str,
    after: &'a str,
}

impl Runs<'_> {
    /// What became of a measure, from what it was of each question before and after; nothing if there are none.
    fn difference(
        &self,
        measure: &str,
        pairs: &[(impl AsRef<str>, f64, f64)],
    ) -> Option<Difference> {
        let before: Vec<f64> = pairs.iter().map(|(_, before, _)| *before).collect();
        let after: Vec<f64> = pairs.iter().map(|(_, _, after)| *after).collect();
        let (mean_before, mean_after) = (Mean::of(&before)?, Mean::of(&after)?);
        let gain = Mean::of_differences(&after, &before)?;
        let changed = pairs.iter().filter(|(_, before, after)| before != after);
        let changed = changed.map(|(id, before, after)| Changed {
            id: id.as_ref().to_owned(),
            before: *before,
            after: *after,
        });
        Some(Difference {
            set: self.set.to_owned(),
            before: self.before.to_owned(),
            after: self.after.to_owned(),
            measure: measure.to_owned(),
            mean_before: mean_before.mean,
            mean_after: mean_after.mean,
            low: *gain.interval.start(),
            high: *gain.interval.end(),
            questions: pairs.len(),
            changed: changed.collect(),
        })
    }
}

/// How sure the pipeline of a run was, if that was asked for.
fn refusal_of<'s>(saved: &'s Saved, run: &Evaluation) -> Option<&'s Refusal> {
    let mut refusals = saved.refusals.iter();
    refusals.find(|refusal| refusal.set == run.set && refusal.pipeline == run.pipeline)
}

/// The runs of each set.
fn sets(all: &[Evaluation]) -> BTreeMap<&str, Vec<&Evaluation>> {
    let mut sets: BTreeMap<&str, Vec<&Evaluation>> = BTreeMap::new();
    for run in all {
        sets.entry(&run.set).or_default().push(run);
    }
    sets
}
