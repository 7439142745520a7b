//! A subquery in transactions: rows in portions, and a commit after each.
//!
//! Next: `portion.rs`.

use super::super::flat::row_count;
use super::portion::{self, Outcome};
use crate::error::Error;
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::batch::Batch;
use crate::query::exec::memory::bytes_of_all;
use crate::query::exec::pipeline::Run;
use crate::query::exec::stage::{Input, Poll, Site};
use crate::query::plan::{Apply, OnError};

/// How many rows a portion has if nothing is said.
const ROWS: usize = 1000;

/// The rows that wait to be a portion, and how it stands.
#[derive(Default)]
pub(in crate::query::exec) struct Portions {
    waiting: Batch,
    /// About how many bytes one of them takes.
    row_bytes: usize,
    run: Option<Run>,
    most: usize,
    /// How many portions were run.
    number: u64,
    /// Whether one failed, after which no more are run.
    broken: bool,
}

impl Portions {
    pub(in crate::query::exec) fn nested(&mut self) -> Option<&mut Run> {
        self.run.as_mut()
    }

    pub(in crate::query::exec) fn reset(&mut self) {
        *self = Self::default();
    }

    /// One step.
    pub(in crate::query::exec) fn poll(
        &mut self,
        of: &Apply,
        input: &mut Input,
        site: &mut Site<'_, '_>,
    ) -> Result<Poll, Fault> {
        let Some(how) = &of.transactions else {
            return Err(Error::bug("a subquery without transactions was run in them").into());
        };
        if self.most == 0 {
            portion::ensure_own(site.context, how)?;
            self.most = ROWS;
            if let Some(rows) = &how.rows {
                let most = row_count("IN TRANSACTIONS", rows, site.context, &site.frame.argument)?;
                if most == 0 {
                    let message = "a portion has at least one row";
                    return Err(raise(Detail::NumberOutOfRange, message).at(rows.span));
                }
                self.most = most;
            }
        }
        if let Some(batch) = input.take() {
            let bytes: usize = batch.rows().map(bytes_of_all).sum();
            self.row_bytes = self.row_bytes.max(bytes / batch.len().max(1));
            self.waiting.append(batch);
            site.charge_in_all(self.waiting.len().saturating_mul(self.row_bytes))?;
        }
        // What waits is held, and what the last portion gave has gone on.
        site.charge_in_all(self.waiting.rows().map(bytes_of_all).sum())?;
        // What comes of a portion may be nothing; then the next one is run, if it is there already.
        while self.waiting.len() >= self.most || (input.has_ended() && !self.waiting.is_empty()) {
            let mut rest = std::mem::take(&mut self.waiting);
            let mut rows = Batch::new(site.frame.width);
            for row in rest.rows().take(self.most) {
                rows.push(row);
            }
            rest.drop_first(rows.len());
            self.waiting = rest;
            let (mut out, outcome) = self.settle(of, how.on_error, &rows, site)?;
            let report = outcome.report(self.number)?;
            portion::fill(how.report, &mut out, &report);
            if !out.is_empty() {
                site.charge(out.rows().map(bytes_of_all).sum())?;
                return Ok(Poll::Rows(out));
            }
        }
        Ok(input.without_rows())
    }

    /// Runs a portion, and does what is to be done if that fails.
    fn settle(
        &mut self,
        of: &Apply,
        on_error: OnError,
        rows: &Batch,
        site: &mut Site<'_, '_>,
    ) -> Result<(Batch, Outcome), Fault> {
        let mut outcome = Outcome {
            started: !self.broken,
            committed: false,
            error: None,
        };
        if self.broken {
            return Ok((portion::without_results(of, rows), outcome));
        }
        self.number += 1;
        match portion::run(of, rows, &mut self.run, site) {
            Ok(out) => {
                outcome.committed = true;
                Ok((out, outcome))
            }
            Err(fault) if site.context.graph.is_over() => Err(fault),
            Err(fault) if on_error == OnError::Fail || stops_all(&fault) => Err(fault),
            Err(fault) => {
                self.broken = on_error == OnError::Break;
                outcome.error = Some(portion::message(&fault));
                Ok((portion::without_results(of, rows), outcome))
            }
        }
    }
}

/// Whether a failure is not the portion's own: then nothing that follows could succeed.
fn stops_all(fault: &Fault) -> bool {
    match fault {
        Fault::Raised(raised) => raised.detail == Detail::TimeLimit,
        Fault::Engine(error) => matches!(**error, Error::Cancelled),
    }
}
