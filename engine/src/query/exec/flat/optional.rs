//! What some operators give for each row, or the row with nulls if they give nothing.
//!
//! Next: `union.rs`.

use super::Flat;
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::pipeline::Run;
use crate::query::exec::stage::Site;
use crate::query::expr::Slot;
use crate::query::plan::Op;
use crate::value::Value;
use std::sync::Arc;

/// The run over the row, and whether it gave anything.
#[derive(Default)]
pub(in crate::query::exec) struct Optional {
    run: Option<Box<Run>>,
    gave: bool,
}

impl Optional {
    pub(in crate::query::exec) fn nested(&mut self) -> Option<&mut Run> {
        self.run.as_deref_mut()
    }
}

/// Begins a nested run over a row: the one that there is, or a new one.
pub(super) fn begin_run(
    run: &mut Option<Box<Run>>,
    ops: &Arc<[Op]>,
    site: &mut Site<'_, '_>,
    row: &[Value],
) {
    match run {
        Some(run) => run.restart(site.context, row),
        None => *run = Some(Box::new(Run::new(ops, row.len(), row.to_vec()))),
    }
}

impl Flat for Optional {
    type Of<'o> = (&'o Arc<[Op]>, &'o Vec<Slot>);

    fn begin(
        &mut self,
        (ops, _): Self::Of<'_>,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        self.gave = false;
        begin_run(&mut self.run, ops, site, row);
        Ok(())
    }

    fn give(
        &mut self,
        (_, nulls): Self::Of<'_>,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        while let Some(run) = self.run.as_deref_mut()
            && out.len() < site.frame.room
        {
            match run.next(site.context)? {
                Some(batch) => {
                    self.gave = true;
                    out.append(batch);
                }
                None => {
                    if !self.gave {
                        let new = out.push(row);
                        for slot in nulls {
                            new[slot.at()] = Value::Null;
                        }
                    }
                    return Ok(true);
                }
            }
        }
        Ok(self.run.is_none())
    }
}
