//! Summaries, by the server's model, or without one.

use super::long::Long;
use super::refused;
use super::words::{bill, foreseen, subject};
use crate::caller::Caller;
use crate::failure::Failure;
use crate::services::telling::ToldStream;
use crate::shared::Shared;
use std::sync::Arc;
use stratigraph_proto::v1;
use stratigraph_proto::v1::resummarise_response::Part;
use stratigraph_rag::door::{DoorError, Resummarise, Resummarised, Unmended, causes};
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
    let dry_run = request.dry_run;
    Long::start(shared, &caller, database, move |long| match dry_run {
        true => foresee(long, &wanted),
        false => mend(long, &wanted),
    })
}

/// Says what it would cost.
fn foresee(long: &Long<v1::ResummariseResponse>, wanted: &Resummarise) -> Result<(), Failure> {
    let open = long.database.library.open().map_err(refused)?;
    let would = open.foresee_summaries(wanted, &long.cancel);
    let would = would.map_err(refused)?;
    let left = open.layers().stale().map_err(DoorError::from);
    let verdict = v1::ResummariseVerdict {
        written: would.summaries as u64,
        failed: would.failed.len() as u64,
        left: left.map_err(refused)?.len() as u64,
        bill: Some(foreseen(&would.estimate, &long.shared.config)),
        by: would.by.unwrap_or_default(),
    };
    long.failed(would.failed)?;
    long.surely(Part::Verdict(verdict))
}

fn mend(long: &Long<v1::ResummariseResponse>, wanted: &Resummarise) -> Result<(), Failure> {
    let config = &long.shared.config;
    let open = long.database.library.open().map_err(refused)?;
    let far = |now: &Resummarised| {
        Part::Progress(v1::RagProgress {
            done: now.settled() as u64,
            pieces: 0,
            bill: Some(bill(&now.cost, config)),
            of: now.of as u64,
        })
    };
    let tell = |now: &Resummarised| long.perhaps(far(now));
    let done = open.resummarise(wanted, &long.cancel, &tell);
    let done = done.map_err(refused)?;
    let verdict = v1::ResummariseVerdict {
        written: done.mended.len() as u64,
        failed: done.failed.len() as u64,
        left: done.left as u64,
        bill: Some(bill(&done.cost, config)),
        by: done.by.clone().unwrap_or_default(),
    };
    long.shared.metrics.asked_model(verdict.bill.as_ref());
    tracing::info!(
        written = verdict.written,
        failed = verdict.failed,
        forgotten = done.forgotten.len(),
        by = verdict.by,
        "summaries"
    );
    if done.stopped || done.ended.is_some() {
        // No verdict comes: the bill is told all the same.
        long.surely(far(&done))?;
    }
    for one in done.mended {
        long.surely(Part::Summary(v1::SummaryReport {
            subject: Some(subject(&one.node)),
            text: one.text,
            bill: Some(bill(&one.cost, config)),
            ..v1::SummaryReport::default()
        }))?;
    }
    for node in done.forgotten {
        long.surely(Part::Summary(v1::SummaryReport {
            subject: Some(subject(&node)),
            forgotten: true,
            ..v1::SummaryReport::default()
        }))?;
    }
    long.failed(done.failed)?;
    if let Some(error) = done.ended {
        return Err(refused(error));
    }
    if done.stopped {
        return Err(Failure::Cancelled);
    }
    long.surely(Part::Verdict(verdict))
}

impl Long<v1::ResummariseResponse> {
    /// What could not be written.
    fn failed(&self, failed: Vec<Unmended>) -> Result<(), Failure> {
        for one in failed {
            self.surely(Part::Summary(v1::SummaryReport {
                subject: Some(subject(&one.node)),
                problem: causes(&one.error),
                ..v1::SummaryReport::default()
            }))?;
        }
        Ok(())
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
