//! Deleting, once all rows are known: a node may be deleted before its last relationship is.
//!
//! Next: `in_transactions.rs`.

use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::memory::bytes_of_all;
use crate::query::exec::stage::{Input, Poll, Site};
use crate::query::exec::write;
use crate::query::expr::Expr;
use std::collections::VecDeque;

/// The rows, which go on when everything is deleted.
#[derive(Default)]
pub(in crate::query::exec) struct Doomed {
    rows: VecDeque<Batch>,
    applied: bool,
}

impl Doomed {
    /// One step.
    pub(in crate::query::exec) fn poll(
        &mut self,
        detach: bool,
        items: &[Expr],
        input: &mut Input,
        site: &mut Site<'_, '_>,
    ) -> Result<Poll, Fault> {
        if let Some(mut batch) = input.take() {
            for at in 0..batch.len() {
                site.context.step()?;
                write::delete(site.context, detach, items, batch.row_mut(at))?;
            }
            let values: usize = batch.rows().map(bytes_of_all).sum();
            site.charge(values)?;
            self.rows.push_back(batch);
        }
        if !input.has_ended() {
            return Ok(Poll::Wants);
        }
        if !self.applied {
            self.applied = true;
            let span = items.first().map(|first| first.span).unwrap_or_default();
            write::apply_deletions(site.context, span).map_err(|fault| fault.at(span))?;
        }
        Ok(self.rows.pop_front().map_or(Poll::Done, Poll::Rows))
    }
}
