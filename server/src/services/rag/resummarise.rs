//! Summaries, by the server's model.

use super::long::Long;
use super::refused;
use super::words::{bill, subject};
use crate::caller::Caller;
use crate::failure::Failure;
use crate::services::telling::ToldStream;
use crate::shared::Shared;
use std::sync::Arc;
use stratigraph_proto::v1;
use stratigraph_proto::v1::resummarise_response::Part;
use stratigraph_rag::door::causes;
use stratigraph_rag::door::{Resummarise, Resummarised};
use tonic::{Request, Status};

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
    Long::start(shared, &caller, database, move |long| mend(long, &wanted))
}

fn mend(long: &Long<v1::ResummariseResponse>, wanted: &Resummarise) -> Result<(), Failure> {
    let config = &long.shared.config;
    let open = long.database.library.open().map_err(refused)?;
    let tell = |now: &Resummarised| {
        let progress = v1::RagProgress {
            done: (now.mended.len() + now.failed.len()) as u64,
            pieces: 0,
            bill: Some(bill(&now.cost, config)),
        };
        long.perhaps(Part::Progress(progress));
    };
    let done = open.resummarise(wanted, &long.cancel, &tell);
    let done = done.map_err(refused)?;
    let verdict = v1::ResummariseVerdict {
        written: done.mended.len() as u64,
        failed: done.failed.len() as u64,
        left: done.left as u64,
        bill: Some(bill(&done.cost, config)),
    };
    long.shared.metrics.asked_model(verdict.bill.as_ref());
    tracing::info!(
        written = verdict.written,
        failed = verdict.failed,
        "summaries"
    );
    for one in done.mended {
        long.surely(Part::Summary(v1::SummaryReport {
            subject: Some(subject(&one.node)),
            text: one.text,
            problem: String::new(),
            bill: Some(bill(&one.cost, config)),
        }))?;
    }
    for one in done.failed {
        long.surely(Part::Summary(v1::SummaryReport {
            subject: Some(subject(&one.node)),
            problem: causes(&one.error),
            ..v1::SummaryReport::default()
        }))?;
    }
    if done.stopped {
        return Err(match long.shared.is_ending() {
            true => Failure::ShuttingDown,
            false => Failure::Cancelled,
        });
    }
    long.surely(Part::Verdict(verdict))
}

impl Long<v1::ResummariseResponse> {
    fn perhaps(&self, part: Part) {
        let part = Some(part);
        self.teller.perhaps(v1::ResummariseResponse { part });
    }

    fn surely(&self, part: Part) -> Result<(), Failure> {
        let part = Some(part);
        self.teller.surely(v1::ResummariseResponse { part })
    }
}
