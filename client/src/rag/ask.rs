//! Answers, as they are made.

use super::{Confidence, ModelBill, Receipt, Retrieved, TracedStage};
use crate::Error;
use crate::call::{Call, stub};
use crate::client::Client;
use crate::error::Safety;
use crate::made::{Made, Make};
use crate::value::entry_to_wire;
use serde::Serialize;
use std::fmt;
use std::time::Duration;
use stratigraph_proto::v1;
use stratigraph_proto::v1::ask_response::Part;

/// What happens on the way to an answer, in this order; the answer is the last.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AskEvent {
    /// A stage of the pipeline is done, or packing; the trace of what is found has all of them again.
    Stage(TracedStage),
    /// This was found.
    Retrieved(Box<Retrieved>),
    /// A piece of what the model writes, before anybody has looked at it. What came of an earlier attempt is void.
    Text {
        /// Which attempt, from 1.
        attempt: u32,
        /// The piece.
        text: String,
    },
    /// A sentence of the answer, looked at.
    Sentence(AnswerSentence),
    /// The answer, or why there is none.
    Answer(Box<Answer>),
}

/// What answers a question, or why nothing does.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Answer {
    /// The pipeline.
    pub pipeline: String,
    /// Sentence by sentence; nothing if it is refused.
    pub sentences: Vec<AnswerSentence>,
    /// How it comes to that.
    pub analysis: String,
    /// What the sentences cite, in the order of their numbers.
    pub sources: Vec<CitedSource>,
    /// Why there is no answer.
    pub refused: Option<NoAnswer>,
    /// How far what was retrieved can be trusted to have the answer.
    pub confidence: Confidence,
    /// Below which confidence an answer is refused; nothing if the pipeline is not calibrated.
    pub threshold: Option<f32>,
    /// The model that wrote it; nothing for sentences of the documents themselves.
    pub model: Option<String>,
    /// The prompt: its name, language and version.
    pub prompt: Option<String>,
    /// Numbers that the model cites and that no passage has.
    pub dropped: Vec<i64>,
    /// The bill.
    pub bill: ModelBill,
}

/// A sentence of an answer.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct AnswerSentence {
    /// It.
    pub text: String,
    /// What it cites: places in what was found, from 1.
    pub sources: Vec<u64>,
    /// Whether what it cites bears it, as far as words, names, numbers and vectors tell.
    pub supported: bool,
    /// How near it is to a sentence of what it cites; for a sentence of a passage, how well it fits the question.
    pub score: f32,
    /// Its names and numbers that what it cites has not.
    pub lacks: Vec<String>,
}

/// Something that an answer cites.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct CitedSource {
    /// Its place in what was found, from 1.
    pub number: u64,
    /// What it was found as.
    pub receipt: Receipt,
    /// The headings that it stands under, as one line.
    pub heading: String,
    /// What it says.
    pub text: String,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct NoAnswer {
    /// Why, for programs: `nothing_found`, `below_threshold` or `declined`.
    pub because: String,
    /// Why, for people.
    pub reason: String,
}

/// A question, and how it is answered.
#[must_use = "a question does nothing until it is asked"]
#[derive(Debug)]
pub struct AskBuilder {
    client: Client,
    timeout: Option<Duration>,
    request: v1::AskRequest,
}

impl AskBuilder {
    pub(super) fn new(client: Client, pipeline: String, question: String) -> Self {
        let request = v1::AskRequest {
            database: client.database.to_string(),
            pipeline,
            question,
            ..v1::AskRequest::default()
        };
        Self {
            client,
            timeout: None,
            request,
        }
    }

    /// Only from documents of which this metadata is so.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it is no value.
    pub fn only(mut self, name: impl Into<String>, value: impl Serialize) -> Result<Self, Error> {
        self.request
            .only
            .extend([entry_to_wire(name.into(), &value)?]);
        Ok(self)
    }

    /// So many units of text are packed at most.
    pub fn budget(mut self, units: u32) -> Self {
        self.request.budget = units;
        self
    }

    /// So many of what is found are told at most.
    pub fn most(mut self, most: u32) -> Self {
        self.request.most = most;
        self
    }

    /// So that no search misses anything that is near, whatever the pipeline says: the same snapshot gives the same every time.
    pub fn exact(mut self) -> Self {
        self.request.exact = true;
        self
    }

    /// In sentences of the documents themselves, also if the server has a model.
    pub fn verbatim(mut self) -> Self {
        self.request.verbatim = true;
        self
    }

    /// How long all of it may take, in the place of the client's own limit: a model takes its time.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Asks, and gives what comes as it comes. When it is dropped, the server stops.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn start(self) -> Result<Asking, Error> {
        let call = Call::new(&self.client, Safety::Reads, self.timeout).once();
        let attempt = call.attempt();
        let mut stub = stub!(attempt, rag_service_client::RagServiceClient);
        let request = self.request;
        let answer = call.in_time(async { stub.ask(attempt.request(request)?).await });
        match answer.await {
            Some(Ok(answer)) => Ok(Asking {
                call,
                told: Some(answer.into_inner()),
            }),
            Some(Err(status)) => Err(call.failure(&status).error),
            None => Err(call.too_late()),
        }
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// As [`start`](Self::start) and [`Asking::next`].
    pub async fn run(self) -> Result<Answer, Error> {
        let mut asking = self.start().await?;
        while let Some(event) = asking.next().await? {
            if let AskEvent::Answer(answer) = event {
                return Ok(*answer);
            }
        }
        Err(Error::protocol("an end without an answer"))
    }
}

/// An answer on its way.
#[must_use = "an answer comes as long as it is asked for"]
pub struct Asking {
    call: Call,
    /// None once it is over.
    told: Option<tonic::Streaming<v1::AskResponse>>,
}

impl Asking {
    /// What comes next; nothing after the answer.
    ///
    /// # Errors
    /// What ended it before the answer: [`Error::Refused`], and what [`Error`] has for the network.
    pub async fn next(&mut self) -> Result<Option<AskEvent>, Error> {
        loop {
            let Some(told) = &mut self.told else {
                return Ok(None);
            };
            let message = match self.call.in_time(told.message()).await {
                Some(Ok(message)) => message,
                Some(Err(status)) => {
                    self.told = None;
                    return Err(self.call.failure(&status).error);
                }
                None => {
                    self.told = None;
                    return Err(self.call.too_late());
                }
            };
            let Some(message) = message else {
                self.told = None;
                return Err(Error::protocol("an end without an answer"));
            };
            let event = match message.part {
                Some(Part::Stage(stage)) => AskEvent::Stage(stage.make()),
                Some(Part::Retrieved(retrieved)) => AskEvent::Retrieved(Box::new(retrieved.make())),
                Some(Part::Text(v1::AnswerText { attempt, text })) => {
                    AskEvent::Text { attempt, text }
                }
                Some(Part::Sentence(sentence)) => AskEvent::Sentence(sentence.make()),
                Some(Part::Answer(answer)) => {
                    self.told = None;
                    AskEvent::Answer(Box::new(answer.make()))
                }
                // A word of a later version.
                None => continue,
            };
            return Ok(Some(event));
        }
    }
}

impl fmt::Debug for Asking {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Asking")
            .field("is_over", &self.told.is_none())
            .finish_non_exhaustive()
    }
}

impl Made<v1::Answer> for Answer {
    fn made_of(told: v1::Answer) -> Self {
        let some = |text: String| (!text.is_empty()).then_some(text);
        Self {
            pipeline: told.pipeline,
            sentences: told.sentences.into_iter().map(Make::make).collect(),
            analysis: told.analysis,
            sources: told.sources.into_iter().map(Make::make).collect(),
            refused: told.refused.map(|refused| NoAnswer {
                because: refused.because,
                reason: refused.reason,
            }),
            confidence: told.confidence.unwrap_or_default().make(),
            threshold: told.threshold,
            model: some(told.model),
            prompt: some(told.prompt),
            dropped: told.dropped,
            bill: told.bill.unwrap_or_default().make(),
        }
    }
}

impl Made<v1::AnswerSentence> for AnswerSentence {
    fn made_of(told: v1::AnswerSentence) -> Self {
        Self {
            text: told.text,
            sources: told.sources,
            supported: told.supported,
            score: told.score,
            lacks: told.lacks,
        }
    }
}

impl Made<v1::CitedSource> for CitedSource {
    fn made_of(told: v1::CitedSource) -> Self {
        Self {
            number: told.number,
            receipt: told.receipt.unwrap_or_default().make(),
            heading: told.heading,
            text: told.text,
        }
    }
}
