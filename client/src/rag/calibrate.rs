//! Thresholds of confidence, below which questions are refused.

use crate::Error;
use crate::call::{Call, stub};
use crate::client::Client;
use crate::error::Safety;
use crate::made::{Made, Make};
use std::fmt;
use std::time::Duration;
use stratigraph_proto::v1;
use stratigraph_proto::v1::calibrate_response::Part;

/// A threshold, and how well it tells what can be answered from what cannot.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Calibration {
    /// The name of the pipeline that it is for.
    pub pipeline: String,
    /// Whose vectors.
    pub embedder: String,
    /// What has a lower confidence is refused.
    pub threshold: f32,
    /// At most this share of the questions that can be answered is refused.
    pub refuse_at_most: f64,
    /// How many questions were asked, each with its document and without.
    pub questions: u64,
    /// What they were drawn by.
    pub seed: u64,
    /// How often a question that can be answered has a greater confidence than one that cannot.
    pub auroc: f64,
    /// The share of the questions that can be answered and are refused.
    pub false_refusals: f64,
    /// The share of the questions that cannot be answered and are refused.
    pub true_refusals: f64,
    /// The confidences of those that can be answered.
    pub answerable: Quantiles,
    /// The confidences of those that cannot.
    pub unanswerable: Quantiles,
    /// What was left out: `document`, or `section` in a corpus of one document.
    pub left_out: String,
    /// How many documents there were.
    pub documents: u64,
    /// The commit that was asked.
    pub as_of: u64,
}

/// A list of numbers in seven.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Quantiles {
    /// The least.
    pub least: f32,
    /// One of twenty is less.
    pub p5: f32,
    /// A quarter is less.
    pub p25: f32,
    /// A half is less.
    pub p50: f32,
    /// Three quarters are less.
    pub p75: f32,
    /// All but one of twenty are less.
    pub p95: f32,
    /// The greatest.
    pub greatest: f32,
}

/// How a threshold is looked for.
#[must_use = "settings do nothing until they are run"]
pub struct CalibrateBuilder {
    client: Client,
    timeout: Option<Duration>,
    request: v1::CalibrateRequest,
    on_progress: Box<dyn FnMut(u64, u64) + Send>,
}

impl CalibrateBuilder {
    pub(super) fn new(client: Client, pipeline: String) -> Self {
        let request = v1::CalibrateRequest {
            database: client.database.to_string(),
            pipeline,
            ..v1::CalibrateRequest::default()
        };
        Self {
            client,
            timeout: None,
            request,
            on_progress: Box::new(|_, _| ()),
        }
    }

    /// So many questions are made at most; 200 if nothing is said.
    pub fn questions(mut self, questions: u32) -> Self {
        self.request.questions = questions;
        self
    }

    /// Which questions: the same number makes the same.
    pub fn seed(mut self, seed: u64) -> Self {
        self.request.seed = seed;
        self
    }

    /// The share of the questions that can be answered that is refused at most; 0.02 if nothing is said.
    pub fn refuse_at_most(mut self, share: f64) -> Self {
        self.request.refuse_at_most = Some(share);
        self
    }

    /// How long all of it may take. Unlimited if nothing is said, whatever the client's own limit is.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// What to do when the server says how many questions were asked, and of how many.
    pub fn on_progress(mut self, on_progress: impl FnMut(u64, u64) + Send + 'static) -> Self {
        self.on_progress = Box::new(on_progress);
        self
    }

    /// Has the threshold found and kept, in the place of the one before.
    ///
    /// # Errors
    /// [`Error::Refused`], and what [`Error`] has for the network; [`Error::OutcomeUnknown`] if the verdict did not come.
    pub async fn run(mut self) -> Result<Calibration, Error> {
        let client = self.client.with_timeout(None);
        let call = Call::new(&client, Safety::MayWrite, self.timeout).once();
        let attempt = call.attempt();
        let mut stub = stub!(attempt, rag_service_client::RagServiceClient);
        let worked = call.in_time(async {
            let answer = stub.calibrate(attempt.request(self.request)?);
            let mut told = answer.await?.into_inner();
            while let Some(part) = told.message().await? {
                match part.part {
                    Some(Part::Progress(now)) => (self.on_progress)(now.done, now.of),
                    Some(Part::Verdict(verdict)) => return Ok(Some(verdict.make())),
                    None => {}
                }
            }
            Ok(None)
        });
        match worked.await {
            Some(Ok(Some(found))) => Ok(found),
            Some(Ok(None)) => Err(Error::OutcomeUnknown {
                request_id: call.request_id.clone(),
                problem: "the server ended the call without a verdict".to_owned(),
            }),
            Some(Err(status)) => Err(call.failure(&status).error),
            None => Err(call.too_late()),
        }
    }
}

impl fmt::Debug for CalibrateBuilder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("CalibrateBuilder")
            .field("client", &self.client)
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}

impl Made<v1::Calibration> for Calibration {
    fn made_of(told: v1::Calibration) -> Self {
        Self {
            pipeline: told.pipeline,
            embedder: told.embedder,
            threshold: told.threshold,
            refuse_at_most: told.refuse_at_most,
            questions: told.questions,
            seed: told.seed,
            auroc: told.auroc,
            false_refusals: told.false_refusals,
            true_refusals: told.true_refusals,
            answerable: told.answerable.unwrap_or_default().make(),
            unanswerable: told.unanswerable.unwrap_or_default().make(),
            left_out: told.left_out,
            documents: told.documents,
            as_of: told.as_of,
        }
    }
}

impl Made<v1::Quantiles> for Quantiles {
    fn made_of(told: v1::Quantiles) -> Self {
        Self {
            least: told.least,
            p5: told.p5,
            p25: told.p25,
            p50: told.p50,
            p75: told.p75,
            p95: told.p95,
            greatest: told.greatest,
        }
    }
}
