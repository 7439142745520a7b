//! Answers and thresholds at an address: what comes back is what a folder would give.

use super::Server;
use super::retrieving::{Asked, confidence, receipt, traced};
use crate::failure::Failure;
use std::sync::mpsc;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_client::{Answer, AskEvent, Calibration, Error, Quantiles};
use stratigraph_rag::retrieve::Pipeline;
use stratigraph_rag::{answer as ours, calibrate};

/// A question that wants an answer, as it goes over.
pub(crate) struct Inquiry<'a> {
    pub(crate) asked: &'a Asked<'a>,
    /// In sentences of the documents, whatever model there is.
    pub(crate) verbatim: bool,
}

impl Server {
    /// Asks a question; `heard` gets the stages of the pipeline as they are done, and what a model writes while it does. What that
    /// cost comes with the answer, where the server was told prices.
    ///
    /// # Errors
    /// What the server refuses.
    pub(crate) fn ask(
        &self,
        inquiry: &Inquiry<'_>,
        cancel: &CancelToken,
        heard: &mut dyn FnMut(ours::Event<'_>),
    ) -> Result<(ours::Answer, Option<f64>), Failure> {
        let asked = inquiry.asked;
        // As it is here, whatever the server's presets are.
        let pipeline = serde_json::to_string(asked.pipeline).unwrap_or_default();
        let mut ask = self.client.rag().ask(pipeline, asked.question);
        if inquiry.verbatim {
            ask = ask.verbatim();
        }
        for (name, value) in &asked.only {
            ask = ask
                .only(name, value)
                .map_err(|error| self.failure(&error, ""))?;
        }
        if asked.exact {
            ask = ask.exact();
        }
        let answer = self.until(cancel, async {
            let mut asking = ask.start().await?;
            loop {
                match asking.next().await? {
                    Some(AskEvent::Stage(stage)) => heard(ours::Event::Stage(&traced(stage))),
                    Some(AskEvent::Text { attempt, text }) => heard(ours::Event::Text {
                        attempt: attempt as usize,
                        text: &text,
                    }),
                    Some(AskEvent::Answer(answer)) => return Ok::<_, Error>(Some(*answer)),
                    Some(_) => {}
                    None => return Ok(None),
                }
            }
        })?;
        let answer = answer.map_err(|error| self.failure(&error, ""))?;
        let answer = answer
            .ok_or_else(|| Failure::Usage("the server ended without an answer".to_owned()))?;
        let price = Some(answer.bill.cost).filter(|cost| *cost > 0.0);
        Ok((told(answer, asked.question)?, price))
    }

    /// Has a threshold found; `told` hears how far it is.
    ///
    /// # Errors
    /// What the server refuses.
    pub(crate) fn calibrate(
        &self,
        pipeline: &Pipeline,
        wanted: &calibrate::Calibrate,
        cancel: &CancelToken,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<calibrate::Calibration, Failure> {
        let pipeline = serde_json::to_string(pipeline).unwrap_or_default();
        let (send, heard) = mpsc::channel();
        let builder = self
            .client
            .rag()
            .calibrate(pipeline)
            .questions(u32::try_from(wanted.questions).unwrap_or(u32::MAX))
            .seed(wanted.seed)
            .refuse_at_most(wanted.refuse_at_most)
            .on_progress(move |done, of| {
                // Nobody listens any more once the call is over.
                let _ = send.send((done, of));
            });
        let mut tell = |(done, of): (u64, u64)| told(done as usize, of as usize);
        let found = self.until_hearing(cancel, builder.run(), &heard, &mut tell)?;
        Ok(calibration(
            found.map_err(|error| self.failure(&error, ""))?,
        ))
    }
}

fn told(told: Answer, question: &str) -> Result<ours::Answer, Failure> {
    let sentences = told.sentences.into_iter().map(|one| ours::Sentence {
        text: one.text,
        sources: one.sources.into_iter().map(|one| one as usize).collect(),
        supported: one.supported,
        score: one.score,
        lacks: one.lacks,
    });
    let sources = told.sources.into_iter().map(|one| {
        Ok(ours::Cited {
            number: one.number as usize,
            receipt: receipt(one.receipt)?,
            heading: one.heading,
            text: one.text,
        })
    });
    let refused = told.refused.map(|refused| {
        let because = ours::Because::by_name(&refused.because).ok_or_else(|| {
            Failure::Usage(format!(
                "the server refuses for a reason that this version does not know, {}: take a newer one",
                refused.because
            ))
        })?;
        let reason = refused.reason;
        Ok::<_, Failure>(ours::Refusal { because, reason })
    });
    Ok(ours::Answer {
        pipeline: told.pipeline,
        question: question.to_owned(),
        answer: sentences.collect(),
        analysis: told.analysis,
        sources: sources.collect::<Result<_, Failure>>()?,
        refused: refused.transpose()?,
        confidence: confidence(told.confidence),
        threshold: told.threshold,
        model: told.model,
        prompt: told.prompt,
        dropped: told.dropped,
        cost: ours::Paid {
            calls: told.bill.calls,
            input_tokens: told.bill.input_tokens,
            output_tokens: told.bill.output_tokens,
        },
    })
}

fn calibration(told: Calibration) -> calibrate::Calibration {
    calibrate::Calibration {
        pipeline: told.pipeline,
        embedder: told.embedder,
        threshold: told.threshold,
        refuse_at_most: told.refuse_at_most,
        questions: told.questions as usize,
        seed: told.seed,
        auroc: told.auroc,
        false_refusals: told.false_refusals,
        true_refusals: told.true_refusals,
        answerable: quantiles(told.answerable),
        unanswerable: quantiles(told.unanswerable),
        left_out: told.left_out,
        documents: told.documents,
        as_of: told.as_of,
    }
}

fn quantiles(told: Quantiles) -> calibrate::Quantiles {
    calibrate::Quantiles {
        least: told.least,
        p5: told.p5,
        p25: told.p25,
        p50: told.p50,
        p75: told.p75,
        p95: told.p95,
        greatest: told.greatest,
    }
}
