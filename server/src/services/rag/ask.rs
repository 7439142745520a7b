//! Answers: a question reads one snapshot like any other, and is told of as it goes.

use super::retrieve::{Asked, confidence, not_retrieved, receipt, told, traced};
use super::words::priced;
use super::{refused, state};
use crate::caller::Caller;
use crate::config::Config;
use crate::failure::Failure;
use crate::services::telling::{Teller, ToldStream, telling};
use crate::shared::Shared;
use crate::work::Reading;
use prost::Message;
use std::sync::Arc;
use stratigraph_proto::v1;
use stratigraph_proto::v1::ask_response::Part;
use stratigraph_rag::answer::{Answer, Cited, Event, Sentence};
use stratigraph_rag::door::{Ask, DoorError};
use tonic::{Request, Status};

/// An answer on its way.
struct Job {
    asked: Asked,
    verbatim: bool,
    teller: Arc<Teller<v1::AskResponse>>,
}

pub(super) fn ask(
    shared: &Arc<Shared>,
    request: Request<v1::AskRequest>,
) -> Result<ToldStream<v1::AskResponse>, Status> {
    let (caller, request, database) = Caller::asks(shared, request, |asked| &asked.database)?;
    let asked = Asked::read(v1::RetrieveRequest {
        database: request.database,
        pipeline: request.pipeline,
        question: request.question,
        only: request.only,
        budget: request.budget,
        most: request.most,
        exact: request.exact,
    })?;
    let reading = Reading::new(shared, (caller, database), "ask", asked.shown())?;
    let (teller, told) = telling(shared.config.max_ingestion_idle.0, reading.cancel());
    let teller = Arc::new(teller);
    let job = Job {
        asked,
        verbatim: request.verbatim,
        teller: Arc::clone(&teller),
    };
    let under_way = shared.ending.under_way(reading.cancel());
    tokio::spawn(async move {
        let _under_way = under_way;
        let done = reading.run(move |reading| job.run(reading)).await;
        if let Err(failure) = done {
            teller.fail(&failure);
        }
    });
    Ok(told)
}

impl Job {
    fn run(&self, reading: &Reading) -> Result<((), u64), Failure> {
        let open = reading.database.library.open().map_err(refused)?;
        let read = reading.read()?;
        let ask = Ask::new(&self.asked.pipeline, &self.asked.question).verbatim(self.verbatim);
        // Whoever does not listen any more has cancelled it, and it ends for that.
        let mut untold = None;
        let most = reading.shared.config.max_response_size.bytes();
        let answer = open.ask_from(&read, &ask, reading.cancel(), &mut |event| {
            let part = match event {
                Event::Stage(stage) => Part::Stage(traced(stage.clone())),
                Event::Retrieved(retrieved) => Part::Retrieved(told(retrieved.clone())),
                Event::Text { attempt, text } => Part::Text(v1::AnswerText {
                    attempt: u32::try_from(attempt).unwrap_or(u32::MAX),
                    text: text.to_owned(),
                }),
                Event::Sentence(one) => Part::Sentence(sentence(one.clone())),
                _ => return,
            };
            if untold.is_none()
                && let Err(failure) = self.tell(most, part)
            {
                reading.cancel().cancel();
                untold = Some(failure);
            }
        });
        if let Some(failure) = untold {
            return Err(failure);
        }
        let answer = answer.map_err(not_answered)?;
        let bill = bill(&answer, &reading.shared.config);
        reading.shared.metrics.asked_model(Some(&bill));
        let rows = answer.answer.len() as u64;
        self.tell(most, Part::Answer(whole(answer, bill)))?;
        Ok(((), rows))
    }

    fn tell(&self, most: usize, part: Part) -> Result<(), Failure> {
        let message = v1::AskResponse { part: Some(part) };
        if message.encoded_len() > most {
            return Err(Failure::Limit {
                what: "the size of what was found",
                limit: format!("{most} bytes"),
                hint: "ask for less with `most`, or raise max_response_size",
            });
        }
        self.teller.surely(message)
    }
}

fn not_answered(error: DoorError) -> Failure {
    match error {
        DoorError::Extract(error) => state("NotAnswered", &error),
        error => not_retrieved(error),
    }
}

fn whole(answer: Answer, bill: v1::ModelBill) -> v1::Answer {
    v1::Answer {
        bill: Some(bill),
        pipeline: answer.pipeline,
        sentences: answer.answer.into_iter().map(sentence).collect(),
        analysis: answer.analysis,
        sources: answer.sources.into_iter().map(source).collect(),
        refused: answer.refused.map(|refused| v1::Refusal {
            because: refused.because.name().to_owned(),
            reason: refused.reason,
        }),
        confidence: Some(confidence(answer.confidence)),
        threshold: answer.threshold,
        model: answer.model.unwrap_or_default(),
        prompt: answer.prompt.unwrap_or_default(),
        dropped: answer.dropped,
    }
}

fn sentence(sentence: Sentence) -> v1::AnswerSentence {
    v1::AnswerSentence {
        text: sentence.text,
        sources: sentence.sources.into_iter().map(|one| one as u64).collect(),
        supported: sentence.supported,
        score: sentence.score,
        lacks: sentence.lacks,
    }
}

fn source(cited: Cited) -> v1::CitedSource {
    v1::CitedSource {
        number: cited.number as u64,
        receipt: Some(receipt(cited.receipt)),
        heading: cited.heading,
        text: cited.text,
    }
}

fn bill(answer: &Answer, config: &Config) -> v1::ModelBill {
    let bill = v1::ModelBill {
        calls: answer.cost.calls,
        kept: 0,
        input_tokens: answer.cost.input_tokens,
        output_tokens: answer.cost.output_tokens,
        dropped: answer.dropped.len() as u64,
        cost: 0.0,
    };
    priced(bill, config)
}
