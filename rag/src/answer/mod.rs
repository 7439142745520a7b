//! From a question and what was retrieved for it to an answer: sentences, what bears each of them, and a refusal where
//! nothing does.
//!
//! ```text
//! Retrieved ──> nothing was searched, and there is a model? ──yes──> it writes what it knows (`written.rs`), borne by nothing
//!                      │ no
//!               confidence below the calibrated threshold? ──yes──> refused
//!                      │ no
//!          a model?  ──┴─ no ──> the sentences of the passages that say most (`verbatim.rs`), or the rows of a query (`rows.rs`)
//!                      │ yes
//!                      └──> it writes (`written.rs`) ──> each sentence is held against what it cites (`support.rs`)
//! ```
//! An answer has EmPULIA's three parts, `answer`, `analysis` and `sources`. What a model writes is data: it is shown, and
//! marked where what it cites does not bear it, and becomes no query, no name and no address.

mod citation;
mod heard;
mod rows;
mod support;
mod verbatim;
mod written;

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};
use stratigraph::Read;
use stratigraph::storage::cancel::CancelToken;

use crate::door::DoorError;
use crate::extract::Cost;
use crate::extract::model::Answers;
use crate::retrieve::{Confidence, Desk, Found, Receipt, Retrieved, Traced};

pub use support::LEAST_SUPPORT;

/// What answers a question, or why nothing does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The pipeline.
    pub pipeline: String,
    /// The question.
    pub question: String,
    /// Sentence by sentence; nothing if it is refused.
    pub answer: Vec<Sentence>,
    /// How it comes to that: in the model's words, or how the sentences were chosen.
    pub analysis: String,
    /// What the sentences cite, in the order of their numbers.
    pub sources: Vec<Cited>,
    /// Why there is no answer.
    pub refused: Option<Refusal>,
    /// How far what was retrieved can be trusted to have the answer.
    pub confidence: Confidence,
    /// Below which confidence an answer is refused; nothing if nobody has calibrated this pipeline, which refuses only
    /// where nothing was found, or if a model says what it knows by itself.
    pub threshold: Option<f32>,
    /// The model that wrote it; nothing for sentences of the passages themselves.
    pub model: Option<String>,
    /// The prompt: its name, language and version.
    pub prompt: Option<String>,
    /// Numbers that the model cites and that no passage has.
    pub dropped: Vec<i64>,
    /// What models were paid for it, and for what was retrieved.
    pub cost: Paid,
}

/// A sentence of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sentence {
    /// It.
    pub text: String,
    /// What it cites: places in what was found, from 1.
    pub sources: Vec<usize>,
    /// Whether what it cites bears it, as far as words, names, numbers and vectors tell.
    pub supported: bool,
    /// How near it is to a sentence of what it cites, from 0 to 1; for a sentence of a passage, how well it fits the question.
    pub score: f32,
    /// Its names and numbers that what it cites has not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
}

/// Something that an answer cites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cited {
    /// Its place in what was found, from 1.
    pub number: usize,
    /// What it was found as.
    pub receipt: Receipt,
    /// The headings that it stands under, as one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// What it says.
    pub text: String,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Why, for programs.
    pub because: Because,
    /// Why, for people.
    pub reason: String,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Because {
    /// Nothing was found that could be read, or nothing of it fits into the budget.
    NothingFound,
    /// What was found is trusted less than the threshold says.
    BelowThreshold,
    /// The model says that the passages have no answer, or, if it was shown none, that it knows none.
    Declined,
}

impl Because {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::NothingFound, Self::BelowThreshold, Self::Declined];

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NothingFound => "nothing_found",
            Self::BelowThreshold => "below_threshold",
            Self::Declined => "declined",
        }
    }

    /// The one of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|because| because.name() == name)
    }
}

/// What models were paid for an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paid {
    /// How often it was asked.
    pub calls: u64,
    /// The tokens that it read.
    pub input_tokens: u64,
    /// The tokens that it wrote.
    pub output_tokens: u64,
}

impl AddAssign for Paid {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
    }
}

impl From<Cost> for Paid {
    fn from(cost: Cost) -> Self {
        Self {
            calls: cost.calls,
            input_tokens: cost.usage.input_tokens,
            output_tokens: cost.usage.output_tokens,
        }
    }
}

/// What happens on the way to an answer, in this order; the answer itself is the end.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A stage of the pipeline is done, or packing, as the trace of what is found will have it.
    Stage(&'a Traced),
    /// This was found.
    Retrieved(&'a Retrieved),
    /// The model writes: a piece of a sentence, as it comes and before anybody has looked at it. What came of an earlier
    /// attempt is void.
    Text {
        /// Which attempt, from 1.
        attempt: usize,
        /// The piece.
        text: &'a str,
    },
    /// A sentence of the answer, looked at.
    Sentence(&'a Sentence),
}

/// What an answer is made with.
pub(crate) struct Answering<'a, R> {
    pub(crate) desk: &'a Desk<'a, R>,
    pub(crate) retrieved: &'a Retrieved,
    /// Who writes it.
    pub(crate) model: Option<&'a Answers>,
    pub(crate) cancel: &'a CancelToken,
}

impl<R: Read> Answering<'_, R> {
    /// Answers.
    ///
    /// # Errors
    /// What the model or the database says; that it was cancelled.
    pub(crate) fn run(&self, told: &mut dyn FnMut(Event<'_>)) -> Result<Answer, DoorError> {
        told(Event::Retrieved(self.retrieved));
        self.check()?;
        let mut answer = self.empty();
        if let Some((because, reason)) = self.doubt() {
            return Ok(answer.refuse(because, reason));
        }
        match self.model {
            Some(model) => self.written(model, &mut answer, told)?,
            None => self.verbatim(&mut answer)?,
        }
        if answer.refused.is_none() && answer.answer.is_empty() {
            let reason = "what was found has no sentence that could be read".to_owned();
            answer = answer.refuse(Because::NothingFound, reason);
        }
        answer.sources = self.cited(&answer.answer);
        for sentence in &answer.answer {
            told(Event::Sentence(sentence));
        }
        Ok(answer)
    }

    /// Why nothing is answered from what was found, if it is not worth it.
    fn doubt(&self) -> Option<(Because, String)> {
        // Where nothing was searched there is nothing to find and nothing to trust.
        if self.asks_directly() {
            return None;
        }
        if self.passages().next().is_none() {
            return Some((Because::NothingFound, self.unread()));
        }
        let retrieved = self.retrieved;
        let threshold = retrieved.threshold;
        let threshold = threshold.filter(|_| retrieved.is_below_threshold())?;
        let confidence = retrieved.confidence.value;
        let reason = format!(
            "what was found is trusted with {confidence:.3}, and answers need {threshold:.3}"
        );
        Some((Because::BelowThreshold, reason))
    }

    /// Why nothing can be read: what was found may only be too long.
    fn unread(&self) -> String {
        let all = self.retrieved.found.iter();
        match all.filter(|found| !found.text.trim().is_empty()).count() {
            0 => {
                let nothing = "nothing was found that could be read";
                match self.retrieved.why_nothing() {
                    Some(why) => format!("{nothing}: {why}"),
                    None => nothing.to_owned(),
                }
            }
            found => format!(
                "of what was found ({found}) nothing fits into the budget: allow more units of text"
            ),
        }
    }

    /// Whether a model is asked what it knows by itself: the pipeline has no stages, as that of the preset `direct`. One that
    /// has searched and found nothing asks nobody.
    fn asks_directly(&self) -> bool {
        self.model.is_some() && !self.retrieved.has_searched()
    }

    /// Whether it may go on.
    fn check(&self) -> Result<(), DoorError> {
        Ok(self.cancel.check()?)
    }

    fn empty(&self) -> Answer {
        Answer {
            pipeline: self.retrieved.pipeline.clone(),
            question: self.retrieved.question.clone(),
            answer: Vec::new(),
            analysis: String::new(),
            sources: Vec::new(),
            refused: None,
            confidence: self.retrieved.confidence,
            threshold: self.retrieved.threshold.filter(|_| !self.asks_directly()),
            model: None,
            prompt: None,
            dropped: Vec::new(),
            cost: self.retrieved.cost().into(),
        }
    }

    /// What is packed, with its places in what was found, from 1.
    fn passages(&self) -> impl Iterator<Item = (usize, &Found)> {
        let found = (1..).zip(&self.retrieved.found);
        found.filter(|(_, found)| found.packed)
    }

    fn cited(&self, sentences: &[Sentence]) -> Vec<Cited> {
        let is_cited = |number: usize| sentences.iter().any(|one| one.sources.contains(&number));
        let found = (1..).zip(&self.retrieved.found);
        let cited = found.filter(|(number, _)| is_cited(*number));
        let cited = cited.map(|(number, found)| Cited {
            number,
            receipt: found.receipt.clone(),
            heading: found.heading.clone(),
            text: found.text.clone(),
        });
        cited.collect()
    }
}

impl Answer {
    fn refuse(mut self, because: Because, reason: String) -> Self {
        self.answer.clear();
        self.refused = Some(Refusal { because, reason });
        self
    }
}
