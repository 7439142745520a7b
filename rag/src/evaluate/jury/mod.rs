//! How good answers are, as models say that judge them: RAGAS' and EmPULIA's measures of one answer, and one judge of pairs
//! with criteria, as TagRAG and the audit system compare systems.
//!
//! | measure | what it is |
//! |---|---|
//! | `answered` | 1 if there is an answer |
//! | `context_faithfulness` | the share of the statements of the answer that the context bears out |
//! | `analysis_faithfulness` | the same of the statements of its analysis |
//! | `answer_relevance` | the mean cosine of the question and questions that the answer answers; 0 if it evades |
//! | `answer_accuracy` | how far it is alike to the right answer: 0, 2 or 4 in both orders, their mean over 4 |
//!
//! Each is the mean over the judges. Where a set says that nothing answers a question, a refusal is accurate and nothing else
//! is asked. `pairs.rs` has what is measured of pairs, `exact.rs` what is measured without a judge. What a judge said stays beside the numbers, as [`Judgement`]s; a judge
//! that gives nothing of use for a question is told, and does not count for it.
//!
//! One that cannot be asked at all ends the run, as the mean over whoever answered would be another measure. What it has said until then
//! is with whoever keeps its replies ([`ReplyFile`](crate::extract::ReplyFile)), as answers are in an [`AnswerFile`]: the same run asks
//! for the rest. What all of it would cost is told by judges that are not asked ([`Judging::foreseen`]), of answers that nobody gave
//! ([`Given::foreseen`]).

mod exact;
mod foreseen;
mod given;
mod kept;
mod pairs;
mod pool;
mod single;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_models::{Embedder, ModelError};
use thiserror::Error;

use super::{Evaluated, Evaluation};
use crate::extract::model::Judging;
use crate::extract::{Cost, ExtractError};

pub use given::Given;
pub use kept::AnswerFile;
pub use pairs::System;

/// So many questions are made of an answer to see what it answers.
const QUESTIONS: usize = 3;

/// What of an answer is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measured {
    /// Whether its context and that of its analysis bear it out.
    Faithfulness,
    /// Whether it answers the question.
    Relevance,
    /// Whether it is the right one.
    Accuracy,
}

impl Measured {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Faithfulness, Self::Relevance, Self::Accuracy];

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Faithfulness => "faithfulness",
            Self::Relevance => "relevance",
            Self::Accuracy => "accuracy",
        }
    }
}

/// Judges answers with one model or several.
pub struct Jury<'a> {
    /// The judges.
    pub judges: Vec<Judging>,
    /// Whose vectors say how near two questions are, and two answers token by token.
    pub embedder: &'a dyn Embedder,
    /// How many questions are judged at a time.
    pub threads: usize,
    /// What stops it.
    pub cancel: CancelToken,
}

/// What came of judging.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The measures, question by question.
    pub evaluation: Evaluation,
    /// What the judges said.
    pub judgements: Vec<Judgement>,
    /// What they were paid.
    pub cost: Cost,
}

impl Judged {
    /// What was measured without asking anybody.
    #[must_use]
    pub fn without_judges(evaluation: Evaluation) -> Self {
        Self {
            evaluation,
            judgements: Vec::new(),
            cost: Cost::default(),
        }
    }
}

/// What a judge said of an answer, or of two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Whose answers.
    pub system: String,
    /// To which question.
    pub id: String,
    /// The judge.
    pub judge: String,
    /// By which measure.
    pub measure: String,
    /// What it said: statements with what is borne out, questions with cosines, ratings, or verdicts in both orders.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub said: Json,
    /// Why nothing came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Why answers could not be judged.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JuryError {
    /// There is nobody who judges.
    #[error("nobody judges: name a model with --judge MODEL@URL, or with --llm URL --model NAME")]
    NoJudge,
    /// A judge cannot be asked.
    #[error("the judge {judge} cannot be asked")]
    Judge {
        /// Which one.
        judge: String,
        /// Why.
        #[source]
        source: ExtractError,
    },
    /// Questions have no vectors.
    #[error("the question has no vector")]
    Embedder(#[from] ModelError),
    /// Somebody said that it should stop.
    #[error("judging was cancelled")]
    Cancelled,
}

/// What was said of one question, before it is put together.
#[derive(Default)]
struct Said {
    values: Vec<(String, f64)>,
    judgements: Vec<Judgement>,
    cost: Cost,
}

/// What is judged, and where what is said of it goes.
struct Hearing<'h> {
    system: &'h str,
    id: &'h str,
    said: Said,
}

impl<'h> Hearing<'h> {
    fn of(system: &'h str, id: &'h str) -> Self {
        Self {
            system,
            id,
            said: Said::default(),
        }
    }

    /// What a judge gives; nothing if it gives nothing of use, which is told. A judge that cannot be asked at all ends it.
    fn take<T>(
        &mut self,
        (judge, measure): (&Judging, &str),
        asked: Result<(T, Cost), ExtractError>,
    ) -> Result<Option<T>, JuryError> {
        let error = match asked {
            Ok((value, cost)) => {
                self.said.cost += cost;
                return Ok(Some(value));
            }
            Err(error) => error,
        };
        let problem = match &error {
            ExtractError::Model { source, .. } => match &**source {
                ModelError::BadReply { .. } => source.to_string(),
                _ => return Err(refused(judge, error)),
            },
            _ => return Err(refused(judge, error)),
        };
        self.said.cost += error.cost();
        self.judgement((judge, measure), Json::Null, Some(problem));
        Ok(None)
    }

    fn judgement(
        &mut self,
        (judge, measure): (&Judging, &str),
        said: Json,
        problem: Option<String>,
    ) {
        self.said.judgements.push(Judgement {
            system: self.system.to_owned(),
            id: self.id.to_owned(),
            judge: judge.model().to_owned(),
            measure: measure.to_owned(),
            said,
            problem,
        });
    }

    /// The mean of what judges have given, if any has.
    fn mean(&mut self, measure: impl Into<String>, values: &[f64]) {
        if !values.is_empty() {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            self.said.values.push((measure.into(), mean));
        }
    }
}

fn refused(judge: &Judging, source: ExtractError) -> JuryError {
    JuryError::Judge {
        judge: judge.model().to_owned(),
        source,
    }
}

impl Jury<'_> {
    /// Whether there is anybody, and it may go on.
    fn check(&self) -> Result<(), JuryError> {
        if self.judges.is_empty() {
            return Err(JuryError::NoJudge);
        }
        self.go_on()
    }

    fn go_on(&self) -> Result<(), JuryError> {
        match self.cancel.is_cancelled() {
            true => Err(JuryError::Cancelled),
            false => Ok(()),
        }
    }

    /// All of it as one run.
    fn judged(&self, (set, system): (&str, String), said: Vec<(Evaluated, Said)>) -> Judged {
        let mut questions = Vec::with_capacity(said.len());
        let mut judgements = Vec::new();
        let mut cost = Cost::default();
        for (mut question, of_it) in said {
            question.values.extend(of_it.values);
            questions.push(question);
            judgements.extend(of_it.judgements);
            cost += of_it.cost;
        }
        Judged {
            evaluation: Evaluation {
                set: set.to_owned(),
                pipeline: system,
                embedder: self.embedder.name().to_owned(),
                questions,
            },
            judgements,
            cost,
        }
    }
}

/// A question of which nothing is measured yet.
fn unmeasured(given: &Given) -> Evaluated {
    Evaluated {
        id: given.posed.id.clone(),
        kind: given.posed.kind.clone(),
        values: Default::default(),
        found: Vec::new(),
        confidence: given.confidence,
        milliseconds: given.milliseconds,
        units: 0,
        cost: given.cost,
    }
}
