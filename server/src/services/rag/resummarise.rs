//! Summaries, by the server's model.

use super::refused;
use super::words::{bill, subject};
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
use stratigraph_proto::v1::resummarise_response::Part;
use stratigraph_rag::door::causes;
use stratigraph_rag::door::{Resummarise, Resummarised};
use tonic::{Request, Status};

/// A run on its thread.
struct Job {
    shared: Arc<Shared>,
    database: Arc<OpenDatabase>,
    wanted: Resummarise,
    teller: Teller<v1::ResummariseResponse>,
    cancel: CancelToken,
    _hold: Hold,
    _place: HeldPlace,
    _under_way: UnderWay,
}

pub(super) fn resummarise(
    shared: &Arc<Shared>,
    request: Request<v1::ResummariseRequest>,
) -> Result<ToldStream<v1::ResummariseResponse>, Status> {
    let (caller, request, database) = Caller::asks(shared, request, |asked| &asked.database)?;
    let usual = Resummarise::default();
    let wanted = Resummarise {
        most: match request.most {
            0 => usual.most,
            most => most as usize,
        },
        domains: request.domains,
        entities: request.entities,
        central: request.central,
    };
    let place = shared.ingestions.take(caller.identity.name())?;
    let cancel = CancelToken::new();
    let (teller, told) = telling(shared.config.max_ingestion_idle.0, &cancel);
    let job = Job {
        _hold: database.holds.hold(INGESTION),
        _under_way: shared.ending.under_way(&cancel),
        shared: Arc::clone(shared),
        database,
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
        let done = caught(|| self.mend());
        if let Err(failure) = done {
            self.teller.fail(&failure);
        }
    }

    fn mend(&self) -> Result<(), Failure> {
        let open = self.database.library.open().map_err(refused)?;
        let tell = |now: &Resummarised| {
            let progress = v1::RagProgress {
                done: (now.mended.len() + now.failed.len()) as u64,
                pieces: 0,
                bill: Some(bill(&now.cost)),
            };
            self.perhaps(Part::Progress(progress));
        };
        let done = open.resummarise(&self.wanted, &self.cancel, &tell);
        let done = done.map_err(refused)?;
        let verdict = v1::ResummariseVerdict {
            written: done.mended.len() as u64,
            failed: done.failed.len() as u64,
            left: done.left as u64,
            bill: Some(bill(&done.cost)),
        };
        self.shared.metrics.asked_model(verdict.bill.as_ref());
        tracing::info!(
            written = verdict.written,
            failed = verdict.failed,
            "summaries"
        );
        for one in done.mended {
            self.surely(Part::Summary(v1::SummaryReport {
                subject: Some(subject(&one.node)),
                text: one.text,
                problem: String::new(),
                bill: Some(bill(&one.cost)),
            }))?;
        }
        for one in done.failed {
            self.surely(Part::Summary(v1::SummaryReport {
                subject: Some(subject(&one.node)),
                problem: causes(&one.error),
                ..v1::SummaryReport::default()
            }))?;
        }
        if done.stopped {
            return Err(match self.shared.is_ending() {
                true => Failure::ShuttingDown,
                false => Failure::Cancelled,
            });
        }
        self.surely(Part::Verdict(verdict))
    }

    fn perhaps(&self, part: Part) {
        let part = Some(part);
        self.teller.perhaps(v1::ResummariseResponse { part });
    }

    fn surely(&self, part: Part) -> Result<(), Failure> {
        let part = Some(part);
        self.teller.surely(v1::ResummariseResponse { part })
    }
}
