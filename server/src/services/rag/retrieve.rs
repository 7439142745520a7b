//! Questions and receipts, into messages of the protocol and out of them.

use super::{refused, state};
use crate::convert;
use crate::failure::Failure;
use crate::work::Reading;
use prost::Message;
use stratigraph_proto::v1;
use stratigraph_rag::door::{DoorError, MOST_RECEIPTS};
use stratigraph_rag::retrieve::{
    Confidence, Found, Name, Pipeline, Place, Question, Receipt, RetrieveError, Retrieved, Scale,
    Score, Standing, Traced, WayStep,
};

/// A question that was looked at, with the way in which it is asked.
pub(super) struct Asked {
    pub(super) pipeline: Pipeline,
    pub(super) question: Question,
}

/// A pipeline that a request names, or has in it.
pub(super) fn pipeline(text: &str) -> Result<Pipeline, Failure> {
    Pipeline::of(text).map_err(|error| Failure::request("pipeline", error.to_string()))
}

impl Asked {
    pub(super) fn read(request: v1::RetrieveRequest) -> Result<Self, Failure> {
        let mut pipeline = pipeline(&request.pipeline)?;
        for (asked, setting) in [
            (request.budget, &mut pipeline.budget),
            (request.most, &mut pipeline.most),
        ] {
            if asked > 0 {
                *setting = asked as usize;
            }
        }
        let mut question = Question::new(request.question)
            .map_err(|error| Failure::request("question", error.to_string()))?;
        for (name, value) in request.only {
            let value = convert::value_in(value, &format!("only[{name}]"))?;
            question = question.only(name, value);
        }
        if request.exact {
            question = question.exact();
        }
        Ok(Self { pipeline, question })
    }

    /// What stands among the statements that run.
    pub(super) fn shown(&self) -> String {
        format!("retrieval by the pipeline {}", self.pipeline.name)
    }

    pub(super) fn run(self, reading: &Reading) -> Result<(v1::RetrieveResponse, u64), Failure> {
        let open = reading.database.library.open().map_err(refused)?;
        let read = reading.read()?;
        let retrieved = open.retrieve_from(&read, &self.pipeline, &self.question);
        let retrieved = retrieved.map_err(not_retrieved)?;
        let rows = retrieved.found.len() as u64;
        let answer = told(retrieved);
        let most = reading.shared.config.max_response_size.bytes();
        if answer.encoded_len() > most {
            return Err(Failure::Limit {
                what: "the size of the answer",
                limit: format!("{most} bytes"),
                hint: "ask for less with `most`, or raise max_response_size",
            });
        }
        Ok((answer, rows))
    }
}

/// Looks at receipts.
pub(super) fn verify(
    receipts: Vec<v1::Receipt>,
    reading: &Reading,
) -> Result<(v1::VerifyReceiptsResponse, u64), Failure> {
    if receipts.len() > MOST_RECEIPTS {
        return Err(Failure::Limit {
            what: "the number of receipts",
            limit: MOST_RECEIPTS.to_string(),
            hint: "look at them in several requests",
        });
    }
    let rows = receipts.len() as u64;
    let read = reading.read()?;
    let mut all = Vec::with_capacity(receipts.len());
    for receipt in receipts {
        reading.check()?;
        let standing = receipt_of(receipt)?.verify(&read);
        let standing = standing.map_err(|error| not_retrieved(error.into()))?;
        all.push(match standing {
            Standing::Stands => v1::Standing::Stands,
            Standing::Moved => v1::Standing::Moved,
            Standing::Changed => v1::Standing::Changed,
            Standing::Gone => v1::Standing::Gone,
        } as i32);
    }
    Ok((v1::VerifyReceiptsResponse { standing: all }, rows))
}

pub(super) fn not_retrieved(error: DoorError) -> Failure {
    match error {
        DoorError::Retrieve(RetrieveError::Database(error)) => Failure::Engine(error),
        DoorError::Retrieve(error) => state("NotRetrieved", &error),
        error => refused(error),
    }
}

pub(super) fn told(retrieved: Retrieved) -> v1::RetrieveResponse {
    v1::RetrieveResponse {
        confidence: Some(confidence(retrieved.confidence)),
        threshold: retrieved.threshold,
        pipeline: retrieved.pipeline,
        found: retrieved.found.into_iter().map(found).collect(),
        untold: retrieved.untold as u64,
        context: retrieved.context,
        units: retrieved.units as u64,
        trace: retrieved.trace.into_iter().map(traced).collect(),
    }
}

pub(super) fn confidence(confidence: Confidence) -> v1::Confidence {
    v1::Confidence {
        value: confidence.value,
        cosine: confidence.parts.cosine,
        coverage: confidence.parts.coverage,
    }
}

pub(super) fn found(found: Found) -> v1::Found {
    v1::Found {
        receipt: Some(receipt(found.receipt)),
        heading: found.heading,
        text: found.text,
        packed: found.packed,
    }
}

pub(super) fn receipt(receipt: Receipt) -> v1::Receipt {
    let place = |place: Place| {
        let (first_page, last_page) = place.pages.unwrap_or_default();
        v1::ReceiptPlace {
            document: place.document,
            version: place.version,
            chunk: place.chunk.unwrap_or_default(),
            start: place.span.start,
            end: place.span.end,
            first_page,
            last_page,
        }
    };
    let step = |step: WayStep| v1::WayStep {
        kind: step.from.kind,
        key: step.from.key,
        by: step.by,
    };
    v1::Receipt {
        kind: receipt.name.kind,
        key: receipt.name.key,
        hash: receipt.hash,
        places: receipt.places.into_iter().map(place).collect(),
        score: receipt.score.value,
        scale: receipt.score.scale.name().to_owned(),
        way: receipt.way.into_iter().map(step).collect(),
        as_of: receipt.as_of,
        exact: receipt.exact,
    }
}

fn receipt_of(told: v1::Receipt) -> Result<Receipt, Failure> {
    let scale = Scale::by_name(&told.scale).ok_or_else(|| {
        Failure::request("receipts.scale", format!("{:?} is no scale", told.scale))
    })?;
    let place = |place: v1::ReceiptPlace| Place {
        document: place.document,
        version: place.version,
        chunk: Some(place.chunk).filter(|chunk| !chunk.is_empty()),
        span: place.start..place.end,
        pages: (place.first_page > 0).then_some((place.first_page, place.last_page)),
    };
    let step = |step: v1::WayStep| WayStep {
        from: Name {
            kind: step.kind,
            key: step.key,
        },
        by: step.by,
    };
    Ok(Receipt {
        name: Name {
            kind: told.kind,
            key: told.key,
        },
        hash: told.hash,
        places: told.places.into_iter().map(place).collect(),
        score: Score {
            value: told.score,
            scale,
        },
        way: told.way.into_iter().map(step).collect(),
        as_of: told.as_of,
        exact: told.exact,
    })
}

pub(super) fn traced(traced: Traced) -> v1::TracedStage {
    let detail = match traced.detail {
        serde_json::Value::Null => String::new(),
        detail => detail.to_string(),
    };
    v1::TracedStage {
        stage: traced.stage,
        operator: traced.operator,
        took: traced.took as u64,
        gave: traced.gave as u64,
        cut: traced.cut as u64,
        added: traced.added as u64,
        not_there: traced.not_there,
        detail,
    }
}
