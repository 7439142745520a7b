//! A procedure, for each row.
//!
//! Next: `foreach.rs`.

use super::Flat;
use crate::query::error::Fault;
use crate::query::exec::batch::Batch;
use crate::query::exec::eval::eval;
use crate::query::exec::memory::bytes_of_all;
use crate::query::exec::stage::Site;
use crate::query::plan::CallProcedure;
use crate::query::procedures;
use crate::value::Value;

/// What a row takes beside its values.
const ROW: usize = size_of::<Vec<Value>>();

/// What the procedure gave for the row.
#[derive(Default)]
pub(in crate::query::exec) struct Called {
    rows: std::vec::IntoIter<Vec<Value>>,
    /// Whether the row itself is still to be given.
    bare: bool,
}

impl Flat for Called {
    type Of<'o> = &'o CallProcedure;

    fn begin(
        &mut self,
        of: &CallProcedure,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<(), Fault> {
        let mut arguments = Vec::with_capacity(of.arguments.len());
        for argument in &of.arguments {
            arguments.push(eval(site.context, argument, row)?);
        }
        site.context.provenance.note_call(of.span);
        let rows = procedures::call(site.context, &of.procedure, arguments);
        let rows = rows.map_err(|fault| fault.at(of.span))?;
        // One without columns is called for its effects, and lets the row through.
        self.bare = of.procedure.gives.is_empty();
        self.rows = match self.bare {
            true => Vec::new(),
            false => rows,
        }
        .into_iter();
        let held = self.rows.as_slice().iter();
        let held: usize = held.map(|row| ROW + bytes_of_all(row)).sum();
        site.charge_in_all(held).map_err(|fault| fault.at(of.span))
    }

    fn give(
        &mut self,
        of: &CallProcedure,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
        out: &mut Batch,
    ) -> Result<bool, Fault> {
        if std::mem::take(&mut self.bare) {
            out.push(row);
        }
        while out.len() < site.frame.room {
            let Some(given) = self.rows.next() else {
                site.charge.free(&mut site.context.memory);
                return Ok(true);
            };
            let new = out.push(row);
            for (column, slot) in &of.yields {
                // A column may be named twice, so it is not taken out.
                new[slot.at()] = given.get(*column).cloned().unwrap_or(Value::Null);
            }
        }
        Ok(false)
    }
}
