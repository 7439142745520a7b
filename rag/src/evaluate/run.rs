//! A pipeline over all questions of a set.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use stratigraph::storage::cancel::CancelToken;

use super::set::{Labelled, LabelledSet, limited};
use super::{Judge, Mean, confidence_of};
use crate::answer::Paid;
use crate::door::{DoorError, Open};
use crate::retrieve::{Pipeline, Question, RetrieveError};

/// What a pipeline reaches on a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The set.
    pub set: String,
    /// The pipeline.
    pub pipeline: String,
    /// Whose vectors.
    pub embedder: String,
    /// The questions in their order.
    pub questions: Vec<Evaluated>,
}

/// What a pipeline reaches on a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluated {
    /// Its name.
    pub id: String,
    /// Its kind.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The measures.
    pub values: BTreeMap<String, f64>,
    /// The first documents that were found, or facts.
    pub found: Vec<String>,
    /// How sure it was; nothing if nothing was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// How long it took.
    pub milliseconds: f64,
    /// How many units of text were packed.
    pub units: usize,
    /// What models were paid: by the pipeline, and for an answer if there is one.
    #[serde(default)]
    pub cost: Paid,
}

impl Evaluation {
    /// Asks all questions. As much is told of what is found as the judge has to see.
    ///
    /// # Errors
    /// The first question that cannot be asked.
    pub fn run(
        (set, judge): (&LabelledSet, &Judge),
        open: &Open,
        pipeline: &Pipeline,
        cancel: &CancelToken,
        mut told: impl FnMut(usize),
    ) -> Result<Self, DoorError> {
        let mut evaluated = Vec::with_capacity(set.questions.len());
        let mut asked = pipeline.clone();
        for labelled in &set.questions {
            let question = set.question(labelled)?;
            asked.most = pipeline.most.max(judge.needs(labelled));
            let started = Instant::now();
            let retrieved = open.retrieve(&asked, &question, cancel)?;
            let milliseconds = started.elapsed().as_secs_f64() * 1e3;
            evaluated.push(Evaluated {
                id: labelled.id.clone(),
                kind: labelled.kind.clone(),
                values: judge.values(labelled, &retrieved),
                found: judge.names(&retrieved),
                confidence: confidence_of(&retrieved),
                milliseconds,
                units: retrieved.units,
                cost: retrieved.cost().into(),
            });
            told(evaluated.len());
        }
        Ok(Self {
            set: set.name.clone(),
            pipeline: pipeline.name.clone(),
            embedder: open.embedder_name().to_owned(),
            questions: evaluated,
        })
    }

    /// The names of the measures that any question has.
    #[must_use]
    pub fn measures(&self) -> BTreeSet<&str> {
        let names = self
            .questions
            .iter()
            .flat_map(|question| question.values.keys());
        names.map(String::as_str).collect()
    }

    /// The kinds of its questions, if there are several.
    #[must_use]
    pub fn kinds(&self) -> BTreeSet<&str> {
        let kinds = self.questions.iter().map(|question| question.kind.as_str());
        let kinds: BTreeSet<&str> = kinds.filter(|kind| !kind.is_empty()).collect();
        match kinds.len() {
            1 => BTreeSet::new(),
            _ => kinds,
        }
    }

    /// The mean of a measure over the questions that have it.
    #[must_use]
    pub fn mean(&self, measure: &str) -> Option<Mean> {
        self.mean_where(measure, |_| true)
    }

    /// The same over the questions of a kind.
    #[must_use]
    pub fn mean_of_kind(&self, kind: &str, measure: &str) -> Option<Mean> {
        self.mean_where(measure, |question| question.kind == kind)
    }

    fn mean_where(&self, measure: &str, counts: impl Fn(&Evaluated) -> bool) -> Option<Mean> {
        let counted = self.questions.iter().filter(|question| counts(question));
        let values = counted.filter_map(|question| question.values.get(measure));
        Mean::of(&values.copied().collect::<Vec<_>>())
    }

    /// The mean of a measure alone: intervals are thousands of draws.
    #[must_use]
    pub fn plain_mean(&self, measure: &str) -> Option<f64> {
        plain(self.questions.iter(), measure)
    }

    /// The same over the questions of a kind.
    #[must_use]
    pub fn plain_mean_of_kind(&self, kind: &str, measure: &str) -> Option<f64> {
        let of_kind = self.questions.iter();
        plain(of_kind.filter(|question| question.kind == kind), measure)
    }

    /// How long a question took that `share` of all were not longer than.
    #[must_use]
    pub fn milliseconds_at(&self, share: f64) -> f64 {
        let mut times: Vec<f64> = self
            .questions
            .iter()
            .map(|question| question.milliseconds)
            .collect();
        times.sort_by(f64::total_cmp);
        let at = (share * times.len() as f64) as usize;
        times
            .get(at.min(times.len().saturating_sub(1)))
            .copied()
            .unwrap_or(0.0)
    }

    /// How many units of text were packed for a question.
    #[must_use]
    pub fn mean_units(&self) -> Option<Mean> {
        self.mean_of(|question| question.units as u64)
    }

    /// How often models were asked for a question.
    #[must_use]
    pub fn mean_calls(&self) -> Option<Mean> {
        self.mean_of(|question| question.cost.calls)
    }

    /// How many tokens models read and wrote for a question.
    #[must_use]
    pub fn mean_tokens(&self) -> Option<Mean> {
        self.mean_of(|question| question.cost.input_tokens + question.cost.output_tokens)
    }

    fn mean_of(&self, count: impl Fn(&Evaluated) -> u64) -> Option<Mean> {
        let counts = self.questions.iter().map(count);
        Mean::of(&counts.map(|count| count as f64).collect::<Vec<_>>())
    }

    /// The questions of which a measure is otherwise in another run of the same set: before, and there.
    #[must_use]
    pub fn changed<'a>(&'a self, other: &'a Self, measure: &str) -> Vec<(&'a str, f64, f64)> {
        let both = self.paired(other, measure).into_iter();
        both.filter(|(_, ours, theirs)| ours != theirs).collect()
    }

    /// A measure of each question that has it in both runs: before, and there.
    #[must_use]
    pub fn paired<'a>(&'a self, other: &Self, measure: &str) -> Vec<(&'a str, f64, f64)> {
        let theirs: BTreeMap<&str, &Evaluated> = other
            .questions
            .iter()
            .map(|question| (question.id.as_str(), question))
            .collect();
        let both = self.questions.iter().filter_map(|ours| {
            let theirs = theirs.get(ours.id.as_str())?;
            let values = (ours.values.get(measure)?, theirs.values.get(measure)?);
            Some((ours.id.as_str(), *values.0, *values.1))
        });
        both.collect()
    }
}

fn plain<'q>(questions: impl Iterator<Item = &'q Evaluated>, measure: &str) -> Option<f64> {
    let values = questions.filter_map(|question| question.values.get(measure));
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

impl Labelled {
    /// As it is asked, if nothing is said of it.
    ///
    /// # Errors
    /// [`RetrieveError::EmptyQuestion`], [`RetrieveError::LongQuestion`].
    pub fn question(&self) -> Result<Question, RetrieveError> {
        limited(&self.text, &self.only)
    }
}
