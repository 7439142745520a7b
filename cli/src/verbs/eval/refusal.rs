//! Questions of other sets, put to a graph that does not answer them, and the threshold that the graph itself gives.

use crate::failure::Failure;
use crate::progress::Progress;
use crate::rag_error::RagError;
use std::path::PathBuf;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_rag::calibrate::Calibrate;
use stratigraph_rag::door::{DoorError, Open};
use stratigraph_rag::evaluate::{
    Evaluated, Evaluation, Gold, Labelled, LabelledSet, Refusal, SetError, confidence_of,
};
use stratigraph_rag::retrieve::{Pipeline, Question};

/// So many questions of each other set are put, spread over all that it has.
const OF_EACH: usize = 20;

/// A few questions of each set that somebody can answer.
#[derive(Debug, Default)]
pub(super) struct Strangers {
    sets: Vec<(String, Vec<String>)>,
    /// Whether no search for them misses anything that is near.
    exact: bool,
}

impl Strangers {
    /// Of these sets; those of which nobody says what answers them among them.
    pub(super) fn read(folders: &[PathBuf], exact: bool) -> Result<Self, Failure> {
        let mut all = Self {
            sets: Vec::new(),
            exact,
        };
        for folder in folders {
            let set = match LabelledSet::read(folder) {
                Ok(set) => set,
                Err(SetError::NoGold { .. }) => continue,
                Err(error) => return Err(Failure::of_request(error)),
            };
            let answered = set.questions.iter().filter(|one| one.gold != Gold::Nothing);
            let texts: Vec<String> = answered.map(|one| one.text.clone()).collect();
            let step = texts.len().div_ceil(OF_EACH).max(1);
            let some = texts.into_iter().step_by(step).collect();
            all.sets.push((set.name, some));
        }
        Ok(all)
    }

    /// Whether no set has questions of others: then there is nothing to be refused.
    pub(super) fn are_none(&self) -> bool {
        let answered = self.sets.iter().filter(|(_, texts)| !texts.is_empty());
        answered.count() < 2
    }

    /// How sure a pipeline is of them, beside how sure it was of the set's own; nothing if there are no others.
    pub(super) fn put_to<'q>(
        &self,
        open: &Open,
        pipeline: &Pipeline,
        own: impl Iterator<Item = (&'q Labelled, &'q Evaluated)>,
        run: &Evaluation,
        token: &CancelToken,
    ) -> Result<Option<Refusal>, Failure> {
        let others = self.sets.iter().filter(|(name, _)| *name != run.set);
        let mut refusal = Refusal {
            set: run.set.clone(),
            pipeline: run.pipeline.clone(),
            ..Refusal::default()
        };
        for text in others.flat_map(|(_, texts)| texts) {
            let question = Question::new(text).map_err(DoorError::from);
            let retrieved = question.and_then(|question| {
                let question = match self.exact {
                    true => question.exact(),
                    false => question,
                };
                open.retrieve(pipeline, &question, token)
            });
            let retrieved = retrieved.map_err(RagError::from)?;
            refusal.foreign.push(confidence_of(&retrieved));
        }
        for (asked, evaluated) in own {
            let to = match asked.gold {
                Gold::Nothing => &mut refusal.nothing,
                _ => &mut refusal.own,
            };
            to.push(evaluated.confidence);
        }
        Ok((!refusal.foreign.is_empty()).then_some(refusal))
    }
}

/// Below which confidence a pipeline refuses, as `stratigraph calibrate` finds it: from questions that are made of the graph, never
/// from the set. It is not kept, as a graph may be one that is only read, and one that was measured is to stay as it was.
pub(super) fn threshold(
    open: &Open,
    pipeline: &Pipeline,
    progress: &Progress,
) -> Result<f64, DoorError> {
    let wanted = Calibrate::default();
    let bar = progress.bar(wanted.questions as u64);
    let mut told = |done: usize, of: usize| {
        bar.out_of(of as u64);
        bar.at(done as u64);
    };
    let token = progress.interrupt().token();
    let found = open.try_calibrate(pipeline, &wanted, &token, &mut told)?;
    Ok(f64::from(found.threshold))
}
