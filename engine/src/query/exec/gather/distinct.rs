//! Rows that differ in some slots, the first of each.
//!
//! Next: `eager.rs`.

use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::stage::{Input, Poll, Site};
use crate::query::expr::Slot;
use crate::value::{Grouped, Value};
use std::collections::HashSet;

/// What was seen so far.
#[derive(Default)]
pub(in crate::query::exec) struct Seen {
    rows: HashSet<Vec<Grouped>>,
}

impl Seen {
    /// One step: gives what is new in a batch.
    pub(in crate::query::exec) fn poll(
        &mut self,
        slots: &[Slot],
        input: &mut Input,
        site: &mut Site<'_, '_>,
    ) -> Result<Poll, Fault> {
        let Some(batch) = input.take() else {
            return Ok(input.without_rows());
        };
        let mut out = Batch::new(site.frame.width);
        for row in batch.rows() {
            let key = slots.iter().map(|slot| Grouped(row[slot.at()].clone()));
            let key: Vec<Grouped> = key.collect();
            if self.rows.contains(&key) {
                continue;
            }
            let new = out.push(&site.frame.argument);
            for slot in slots {
                new[slot.at()] = row[slot.at()].clone();
            }
            let values = key
                .iter()
                .map(|value| value.0.held_bytes() + size_of::<Value>());
            site.charge(size_of::<Vec<Grouped>>() + values.sum::<usize>())?;
            self.rows.insert(key);
        }
        if out.is_empty() {
            return Ok(input.without_rows());
        }
        Ok(Poll::Rows(out))
    }
}
