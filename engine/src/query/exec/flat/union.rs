//! What the arms of a union give, one arm after the other.
//!
//! Next: `apply.rs`.

use super::Flat;
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::pipeline::Run;
use crate::query::exec::stage::Site;
use crate::query::plan::Union;
use crate::value::{Grouped, Value};
use std::collections::HashSet;

/// The arm that is running, and what was given already.
#[derive(Default)]
pub(in crate::query::exec) struct Arms {
    run: Option<Run>,
    arm: usize,
    given: HashSet<Vec<Grouped>>,
    bytes: usize,
}

impl Arms {
    pub(in crate::query::exec) fn nested(&mut self) -> Option<&mut Run> {
        self.run.as_mut()
    }

    pub(in crate::query::exec) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Whether the values were not given before; they are from now on.
    fn is_new(&mut self, values: &[Value], site: &mut Site<'_, '_>) -> Result<bool, Fault> {
        let values: Vec<Grouped> = values.iter().cloned().map(Grouped).collect();
        if self.given.contains(&values) {
            return Ok(false);
        }
        self.bytes += size_of::<Vec<Grouped>>() + values.len() * size_of::<Value>();
        self.bytes += values
            .iter()
            .map(|value| value.0.held_bytes())
            .sum::<usize>();
        site.charge_in_all(self.bytes)?;
        self.given.insert(values);
        Ok(true)
    }
}

impl Flat for Arms {
    type Of<'o> = &'o Union;

    fn begin(&mut self, _: &Union, site: &mut Site<'_, '_>, _: &mut [Value]) -> Result<(), Fault> {
        self.reset();
        site.charge_in_all(0)
    }

    fn give(
        &mut self,
        of: &Union,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        let mut values = Vec::with_capacity(of.into.len());
        while out.len() < site.frame.room {
            let Some((ops, columns)) = of.arms.get(self.arm) else {
                return Ok(true);
            };
            let run = self
                .run
                .get_or_insert_with(|| Run::new(ops, row.len(), row.to_vec()));
            let Some(batch) = run.next(site.context)? else {
                self.run = None;
                self.arm += 1;
                continue;
            };
            for given in batch.rows() {
                values.clear();
                values.extend(columns.iter().map(|column| given[column.at()].clone()));
                if of.distinct && !self.is_new(&values, site)? {
                    continue;
                }
                let new = out.push(row);
                for (slot, value) in of.into.iter().zip(values.drain(..)) {
                    new[slot.at()] = value;
                }
            }
        }
        Ok(false)
    }
}
