//! A subquery, for each row.
//!
//! Next: `call.rs`.

use super::Flat;
use super::optional::begin_run;
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::pipeline::Run;
use crate::query::exec::stage::Site;
use crate::query::expr::Slot;
use crate::query::plan::Apply;
use crate::value::Value;

/// The run over the row, and whether it gave anything.
#[derive(Default)]
pub(in crate::query::exec) struct Applied {
    run: Option<Box<Run>>,
    gave: bool,
}

impl Applied {
    pub(in crate::query::exec) fn nested(&mut self) -> Option<&mut Run> {
        self.run.as_deref_mut()
    }
}

/// Adds the row with what a subquery returned.
pub(in crate::query::exec) fn push_returned(
    out: &mut Batch,
    row: &[Value],
    returns: &[Slot],
    returned: Option<&[Value]>,
) {
    let new = out.push(row);
    for slot in returns {
        new[slot.at()] = returned.map_or(Value::Null, |returned| returned[slot.at()].clone());
    }
}

impl Flat for Applied {
    type Of<'o> = &'o Apply;

    fn begin(
        &mut self,
        of: &Apply,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        self.gave = false;
        begin_run(&mut self.run, &of.ops, site, row);
        Ok(())
    }

    fn give(
        &mut self,
        of: &Apply,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        let Some(run) = self.run.as_deref_mut() else {
            return Ok(true);
        };
        if !of.gives_rows {
            run.exhaust(site.context)?;
            out.push(row);
            return Ok(true);
        }
        while out.len() < site.frame.room {
            let Some(batch) = run.next(site.context)? else {
                if of.optional && !self.gave {
                    push_returned(out, row, &of.returns, None);
                }
                return Ok(true);
            };
            self.gave = true;
            for returned in batch.rows() {
                push_returned(out, row, &of.returns, Some(returned));
            }
        }
        Ok(false)
    }
}
