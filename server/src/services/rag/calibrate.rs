//! Thresholds, from questions that the graph itself makes.

use super::refused;
use super::retrieve::{not_retrieved, pipeline};
use crate::caller::Caller;
use crate::databases::{Hold, INGESTION, OpenDatabase};
use crate::ending::UnderWay;
use crate::failure::Failure;
use crate::services::telling::{Teller, ToldStream, telling};
use crate::shared::Shared;
use crate::work::{HeldPlace, caught};
use std::sync::Arc;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_proto::v1;
use stratigraph_proto::v1::calibrate_response::Part;
use stratigraph_rag::calibrate::{Calibrate, Calibration, Quantiles};
use stratigraph_rag::door::DoorError;
use stratigraph_rag::retrieve::Pipeline;
use tonic::{Request, Status};

/// A calibration on its thread.
struct Job {
    shared: Arc<Shared>,
    database: Arc<OpenDatabase>,
    pipeline: Pipeline,
    wanted: Calibrate,
    teller: Teller<v1::CalibrateResponse>,
    cancel: CancelToken,
    _hold: Hold,
    _place: HeldPlace,
    _under_way: UnderWay,
}

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
    let place = shared.ingestions.take(caller.identity.name())?;
    let cancel = CancelToken::new();
    let (teller, told) = telling(shared.config.max_ingestion_idle.0, &cancel);
    let job = Job {
        _hold: database.holds.hold(INGESTION),
        _under_way: shared.ending.under_way(&cancel),
        shared: Arc::clone(shared),
        database,
        pipeline,
        wanted,
        teller,
        cancel: cancel.clone(),
        _place: place,
    };
    let span = tracing::Span::current();
    let ran = tokio::task::spawn_blocking(move || span.in_scope(|| job.run()));
    let limit = shared.config.max_ingestion_time.0;
    tokio::spawn(async move {
        if tokio::time::timeout(limit, ran).await.is_err() {
            cancel.cancel();
        }
    });
    Ok(told)
}

impl Job {
    fn run(self) {
        let done = caught(|| self.find());
        if let Err(failure) = done {
            self.teller.fail(&failure);
        }
    }

    fn find(&self) -> Result<(), Failure> {
        let open = self.database.library.open().map_err(refused)?;
        let mut tell = |done: usize, of: usize| {
            let progress = v1::CalibrateProgress {
                done: done as u64,
                of: of as u64,
            };
            let part = Some(Part::Progress(progress));
            self.teller.perhaps(v1::CalibrateResponse { part });
        };
        let found = open.calibrate(&self.pipeline, &self.wanted, &self.cancel, &mut tell);
        let found = found.map_err(|error| self.why(error))?;
        tracing::info!(
            pipeline = found.pipeline,
            threshold = found.threshold,
            auroc = found.auroc,
            "calibration"
        );
        let part = Some(Part::Verdict(verdict(found)));
        self.teller.surely(v1::CalibrateResponse { part })
    }

    /// What was cancelled because the server ends says so.
    fn why(&self, error: DoorError) -> Failure {
        match not_retrieved(error) {
            Failure::Engine(stratigraph::Error::Cancelled) if self.shared.is_ending() => {
                Failure::ShuttingDown
            }
            failure => failure,
        }
    }
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
