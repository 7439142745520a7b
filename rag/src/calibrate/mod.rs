//! From which confidence on a question is answered: found from the graph itself, without a set of questions.
//!
//! Questions are made of what the documents say, with words left out ([`questions`](self)). Each is asked twice: as it is,
//! which the corpus can answer, and as if the document that it was made of were not there, which it cannot, though all
//! else is as near to the question as the corpus comes. The threshold is the greatest that refuses no more than a given
//! share of the first kind; how well it tells the two apart is told with it. See `docs/adr/0026`.
//!
//! - `questions.rs`: what is asked; `left_out.rs`: what is left out; `verdict.rs`: from two lists of numbers to a threshold;
//!   `stored.rs`: where it is kept.

mod left_out;
mod questions;
mod stored;
mod verdict;

use serde::{Deserialize, Serialize};
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Read, ReadTxn};
use thiserror::Error;

use crate::door::{DoorError, Open};
use crate::retrieve::{Pipeline, Question, RetrieveError};

use left_out::{LeftOut, Unit};
use questions::Maker;
pub use stored::calibrations;
pub(crate) use stored::key;
pub use verdict::{Quantiles, area};

/// How a threshold is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibrate {
    /// So many questions are made, if the graph has as many.
    pub questions: usize,
    /// Which ones: the same number makes the same of the same graph.
    pub seed: u64,
    /// At most this share of the questions that can be answered is refused.
    pub refuse_at_most: f64,
}

impl Default for Calibrate {
    fn default() -> Self {
        Self {
            questions: 200,
            seed: 0,
            refuse_at_most: 0.02,
        }
    }
}

/// So many questions are made at most.
pub const MOST_QUESTIONS: usize = 10_000;
/// Of fewer questions no share can be told.
pub const LEAST_QUESTIONS: usize = 10;

/// A threshold, and how well it tells what can be answered from what cannot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The pipeline that it is for.
    pub pipeline: String,
    /// Whose vectors.
    pub embedder: String,
    /// What has a lower confidence is refused.
    pub threshold: f32,
    /// At most this share of the questions that can be answered is refused.
    pub refuse_at_most: f64,
    /// How many questions were asked, each with its document and without.
    pub questions: usize,
    /// What they were drawn by.
    pub seed: u64,
    /// How often a question that can be answered has a greater confidence than one that cannot: 1 is always, a half is by
    /// chance.
    pub auroc: f64,
    /// The share of the questions that can be answered and are refused.
    pub false_refusals: f64,
    /// The share of the questions that cannot be answered and are refused.
    pub true_refusals: f64,
    /// The confidences of those that can be answered.
    pub answerable: Quantiles,
    /// The confidences of those that cannot.
    pub unanswerable: Quantiles,
    /// What was left out: `document`; in a corpus of one document `section`, or `chunk` where it has no sections.
    pub left_out: String,
    /// How many documents there were.
    pub documents: u64,
    /// The commit that was asked.
    pub as_of: u64,
}

/// Why there is no threshold.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CalibrateError {
    /// A setting that cannot be.
    #[error("{setting} {problem}")]
    Setting {
        /// Which one.
        setting: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The graph says too little.
    #[error(
        "{made} questions could be made of the graph, and {LEAST_QUESTIONS} are the least: take in more documents first"
    )]
    TooFewQuestions {
        /// How many.
        made: usize,
    },
    /// Nothing can be left out.
    #[error(
        "the graph has no two documents, sections or chunks: a question that cannot be answered is one whose document, section or chunk is left out, and something has to be left. Take in more documents first"
    )]
    NothingToLeaveOut,
    /// Nothing was found, so there is nothing to tell apart.
    #[error(
        "the pipeline {pipeline} found nothing for any of {asked} questions, also with what they were made of, so no threshold tells what can be answered: calibrate a pipeline that searches what this graph has; one that searches domains finds none before they have summaries (`stratigraph summarise`, `CALL rag.resummarise({{domains: true}})`)"
    )]
    NothingFound {
        /// The pipeline.
        pipeline: String,
        /// How many questions were asked.
        asked: usize,
    },
    /// There is no confidence in more questions than may be refused, so that the only threshold is one that refuses nothing.
    #[error(
        "the pipeline {pipeline} has no confidence in {unsure} of {asked} questions, also with what they were made of, as it finds nothing near enough, and at most a share of {refuse_at_most} may be refused: only a threshold of 0 is left, which refuses nothing and is not kept. Calibrate a pipeline that finds more (an `above` of its stages may be for another embedder), or let more be refused"
    )]
    RefusesNothing {
        /// The pipeline.
        pipeline: String,
        /// How many questions that can be answered it has no confidence in.
        unsure: usize,
        /// How many questions were asked.
        asked: usize,
        /// Which share of them may be refused.
        refuse_at_most: f64,
    },
}

impl Calibrate {
    fn check(&self) -> Result<(), CalibrateError> {
        let wrong = |setting, problem| Err(CalibrateError::Setting { setting, problem });
        if !(LEAST_QUESTIONS..=MOST_QUESTIONS).contains(&self.questions) {
            return wrong(
                "the number of questions",
                format!(
                    "is from {LEAST_QUESTIONS} to {MOST_QUESTIONS}, and no {}",
                    self.questions
                ),
            );
        }
        if !(0.0..1.0).contains(&self.refuse_at_most) {
            return wrong(
                "the share that is refused at most",
                format!("is from 0 and below 1, and no {}", self.refuse_at_most),
            );
        }
        Ok(())
    }
}

impl Open {
    /// Finds the threshold of a pipeline and keeps it in the database, in the place of the one that was there. `told` hears how
    /// many questions are asked, and of how many.
    ///
    /// # Errors
    /// [`DoorError::Calibrate`]; what the pipeline or the database says.
    pub fn calibrate(
        &self,
        pipeline: &Pipeline,
        how: &Calibrate,
        cancel: &CancelToken,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<Calibration, DoorError> {
        let found = self.try_calibrate(pipeline, how, cancel, told)?;
        cancel.check()?;
        stored::put(
            self.layers().database(),
            &self.calibration_key(pipeline),
            &found,
        )?;
        Ok(found)
    }

    /// The same without keeping it.
    ///
    /// # Errors
    /// As [`calibrate`](Self::calibrate).
    pub fn try_calibrate(
        &self,
        pipeline: &Pipeline,
        how: &Calibrate,
        cancel: &CancelToken,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<Calibration, DoorError> {
        how.check()?;
        let read = self.layers().database().read()?.with_cancel(cancel.clone());
        let unit = LeftOut::unit(&read)?.ok_or(CalibrateError::NothingToLeaveOut)?;
        let maker = Maker::new(&read, how.seed)?;
        let maker = match unit {
            Unit::Chunks(_) => maker.without_headings(),
            Unit::Document | Unit::Sections(_) => maker,
        };
        let made = maker.make(how.questions)?;
        if made.len() < LEAST_QUESTIONS {
            let made = made.len();
            return Err(CalibrateError::TooFewQuestions { made }.into());
        }
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for (asked, made_of) in made.iter().zip(1..) {
            let question = Question::new(asked.text.as_str())?;
            let left_out = unit.of(&read, &asked.document, asked.start)?;
            let both = self.both(&read, pipeline, &question, &left_out)?;
            with.push(both.0);
            without.push(both.1);
            told(made_of, made.len());
        }
        if with.iter().all(|confidence| *confidence <= 0.0) {
            let (pipeline, asked) = (pipeline.name.clone(), made.len());
            return Err(CalibrateError::NothingFound { pipeline, asked }.into());
        }
        let verdict = verdict::verdict(&with, &without, how.refuse_at_most);
        if verdict.refuses_nothing() {
            let unsure = with.iter().filter(|confidence| **confidence <= 0.0);
            return Err(CalibrateError::RefusesNothing {
                pipeline: pipeline.name.clone(),
                unsure: unsure.count(),
                asked: made.len(),
                refuse_at_most: how.refuse_at_most,
            }
            .into());
        }
        let documents = read.node_count(Some("Document"))?;
        Ok(verdict.into_calibration(
            pipeline,
            self.embedder_name(),
            how,
            (unit.name(), documents, read.commit_seq().get()),
            made.len(),
        ))
    }

    /// The confidence with what a question was made of, and without.
    fn both(
        &self,
        read: &ReadTxn,
        pipeline: &Pipeline,
        question: &Question,
        left_out: &LeftOut,
    ) -> Result<(f32, f32), RetrieveError> {
        self.at_desk(read, question, |desk| {
            let with = pipeline.retrieve(&desk)?.confidence.value;
            let desk = desk.without(left_out.chunks.clone());
            let without = pipeline.retrieve_where(&desk, |evidence| {
                !evidence.places.iter().any(|place| left_out.has(place))
            });
            Ok((with, without?.confidence.value))
        })
    }

    /// The threshold of a pipeline, as of a snapshot; nothing if nobody has looked for it.
    ///
    /// # Errors
    /// What the database says.
    pub fn calibration<R: Read>(
        &self,
        read: &R,
        pipeline: &Pipeline,
    ) -> Result<Option<Calibration>, DoorError> {
        Ok(stored::get(read, &self.calibration_key(pipeline))?)
    }

    /// All thresholds that are kept, by the names of their pipelines.
    ///
    /// # Errors
    /// What the database says.
    pub fn calibrations<R: Read>(&self, read: &R) -> Result<Vec<Calibration>, DoorError> {
        Ok(calibrations(read)?)
    }
}
