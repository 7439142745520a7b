//! Thresholds, from questions that the graph itself makes.

use super::long::Long;
use super::refused;
use super::retrieve::{not_retrieved, pipeline};
use crate::caller::Caller;
use crate::failure::Failure;
use crate::services::telling::ToldStream;
use crate::shared::Shared;
use std::sync::Arc;
use stratigraph_proto::v1;
use stratigraph_proto::v1::calibrate_response::Part;
use stratigraph_rag::calibrate::{Calibrate, Calibration, Quantiles};
use stratigraph_rag::retrieve::Pipeline;
use tonic::{Request, Status};

pub(super) fn calibrate(
    shared: &Arc<Shared>,
    request: Request<v1::CalibrateRequest>,
) -> Result<ToldStream<v1::CalibrateResponse>, Status> {
    let (caller, request, database) = Caller::asks(shared, request, |asked| &asked.database)?;
    let pipeline = pipeline(&request.pipeline)?;
    let usual = Calibrate::default();
    let wanted = Calibrate {
        questions: match request.questions {
            0 => usual.questions,
            questions => questions as usize,
        },
        seed: request.seed,
        refuse_at_most: request.refuse_at_most.unwrap_or(usual.refuse_at_most),
    };
    // It takes as long as an ingestion, and may ask the model as often.
    Long::start(shared, &caller, database, move |long| {
        find(long, &pipeline, &wanted)
    })
}

fn find(
    long: &Long<v1::CalibrateResponse>,
    pipeline: &Pipeline,
    wanted: &Calibrate,
) -> Result<(), Failure> {
    let open = long.database.library.open().map_err(refused)?;
    let mut tell = |done: usize, of: usize| {
        let progress = v1::CalibrateProgress {
            done: done as u64,
            of: of as u64,
        };
        let part = Some(Part::Progress(progress));
        long.teller.perhaps(v1::CalibrateResponse { part });
    };
    let found = open.calibrate(pipeline, wanted, &long.cancel, &mut tell);
    let found = found.map_err(not_retrieved)?;
    tracing::info!(
        pipeline = found.pipeline,
        threshold = found.threshold,
        auroc = found.auroc,
        "calibration"
    );
    let part = Some(Part::Verdict(verdict(found)));
    long.teller.surely(v1::CalibrateResponse { part })
}

fn verdict(found: Calibration) -> v1::Calibration {
    v1::Calibration {
        pipeline: found.pipeline,
        embedder: found.embedder,
        threshold: found.threshold,
        refuse_at_most: found.refuse_at_most,
        questions: found.questions as u64,
        seed: found.seed,
        auroc: found.auroc,
        false_refusals: found.false_refusals,
        true_refusals: found.true_refusals,
        answerable: Some(quantiles(found.answerable)),
        unanswerable: Some(quantiles(found.unanswerable)),
        left_out: found.left_out,
        documents: found.documents,
        as_of: found.as_of,
    }
}

fn quantiles(of: Quantiles) -> v1::Quantiles {
    v1::Quantiles {
        least: of.least,
        p5: of.p5,
        p25: of.p25,
        p50: of.p50,
        p75: of.p75,
        p95: of.p95,
        greatest: of.greatest,
    }
}
