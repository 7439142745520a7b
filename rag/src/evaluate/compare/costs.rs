//! What questions took in two runs, side by side: a difference, and no verdict. How long something takes depends on what else
//! the machine does, and whether more units or calls are worth it only the measures beside them say.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::super::{Evaluated, Evaluation, Figure};
use super::alone;

/// What became of a cost from one run to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostDifference {
    /// The set.
    pub set: String,
    /// The pipeline before.
    pub before: String,
    /// The pipeline after.
    pub after: String,
    /// The cost: `p50 ms`, `p99 ms`, `units`, `calls` or `tokens`.
    pub cost: String,
    /// What it was before, over the questions that both have: of times what so many were not longer than, of the others a mean.
    pub value_before: f64,
    /// What it is after.
    pub value_after: f64,
    /// How many questions both have.
    pub questions: usize,
    /// So many digits behind the point say something.
    #[serde(skip)]
    digits: usize,
}

impl CostDifference {
    /// Before, after, and the difference, with as many digits as say something.
    #[must_use]
    pub fn shown(&self) -> [String; 3] {
        let (digits, gain) = (self.digits, self.value_after - self.value_before);
        let [before, after] =
            [self.value_before, self.value_after].map(|value| format!("{value:.digits$}"));
        [before, after, format!("{gain:+.digits$}")]
    }
}

/// The costs of the questions that both runs have, and in words what only one of them has counted.
pub(super) fn costs(one: &Evaluation, other: &Evaluation) -> (Vec<CostDifference>, Vec<String>) {
    let both: BTreeSet<&str> = ids(one).intersection(&ids(other)).copied().collect();
    let (before, after) = (counted(one, &both), counted(other, &both));
    let (ours, theirs) = (before.costs(), after.costs());
    let (mut differences, mut unmatched) = (Vec::new(), Vec::new());
    for was in &ours {
        let is = theirs.iter().find(|is| is.measure == was.measure);
        differences.extend(is.map(|is| CostDifference {
            set: one.set.clone(),
            before: one.pipeline.clone(),
            after: other.pipeline.clone(),
            cost: was.measure.to_owned(),
            value_before: was.value,
            value_after: is.value,
            questions: was.questions,
            digits: was.digits,
        }));
    }
    let names = ours.iter().chain(&theirs).map(|figure| figure.measure);
    for name in names {
        let has = |of: &[Figure<'_>]| of.iter().any(|one| one.measure == name);
        if let Some(alone) = alone(has(&ours), has(&theirs)) {
            unmatched.push(format!("{}: the cost {name} is {alone}", one.set));
        }
    }
    (differences, unmatched)
}

fn ids(run: &Evaluation) -> BTreeSet<&str> {
    let ids = run.questions.iter().map(|question| question.id.as_str());
    ids.collect()
}

/// What these questions of a run took, and nothing else of them.
fn counted(run: &Evaluation, ids: &BTreeSet<&str>) -> Evaluation {
    let questions = run.questions.iter();
    let questions = questions.filter(|question| ids.contains(question.id.as_str()));
    let questions = questions.map(|question| Evaluated {
        id: String::new(),
        kind: String::new(),
        values: BTreeMap::new(),
        found: Vec::new(),
        confidence: None,
        milliseconds: question.milliseconds,
        units: question.units,
        cost: question.cost,
    });
    Evaluation {
        set: run.set.clone(),
        pipeline: run.pipeline.clone(),
        embedder: run.embedder.clone(),
        questions: questions.collect(),
    }
}
