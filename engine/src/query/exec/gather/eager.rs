//! All rows before any goes on, so that what comes later is not seen by what came before.
//!
//! Next: `delete.rs`.

use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::memory::bytes_of_all;
use crate::query::exec::stage::{Input, Poll, Site};
use crate::query::expr::Slot;
use crate::value::Value;

/// The rows, only the slots that are read later, one row after the other.
#[derive(Default)]
pub(in crate::query::exec) struct Kept {
    rows: usize,
    values: Vec<Value>,
    giving: Option<std::vec::IntoIter<Value>>,
}

impl Kept {
    /// One step.
    pub(in crate::query::exec) fn poll(
        &mut self,
        keep: &[Slot],
        input: &mut Input,
        site: &mut Site<'_, '_>,
    ) -> Result<Poll, Fault> {
        if let Some(mut batch) = input.take() {
            let before = self.values.len();
            for at in 0..batch.len() {
                let row = batch.row_mut(at);
                let kept = keep.iter();
                let kept = kept.map(|slot| std::mem::replace(&mut row[slot.at()], Value::Null));
                self.values.extend(kept);
            }
            self.rows += batch.len();
            site.charge(bytes_of_all(&self.values[before..]))?;
        }
        if !input.has_ended() {
            return Ok(Poll::Wants);
        }
        if self.rows == 0 {
            return Ok(Poll::Done);
        }
        let values = std::mem::take(&mut self.values);
        let giving = self.giving.get_or_insert_with(|| values.into_iter());
        let mut out = Batch::new(site.frame.width);
        for _ in 0..self.rows.min(site.frame.room) {
            self.rows -= 1;
            let row = out.push(&site.frame.argument);
            for (slot, value) in keep.iter().zip(giving.by_ref()) {
                row[slot.at()] = value;
            }
        }
        Ok(Poll::Rows(out))
    }
}
