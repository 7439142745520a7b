//! Slots computed from the row.
//!
//! Next: `unwind.rs`.

use crate::query::error::Fault;
use crate::query::exec::eval::eval;
use crate::query::exec::stage::{Input, Poll, Site};
use crate::query::expr::{Expr, Slot};

/// Fills the slots of each row of a batch.
pub(in crate::query::exec) fn compute(
    slots: &[(Slot, Expr)],
    input: &mut Input,
    site: &mut Site<'_, '_>,
) -> Result<Poll, Fault> {
    let Some(mut batch) = input.take() else {
        return Ok(input.without_rows());
    };
    for at in 0..batch.len() {
        let row = batch.row_mut(at);
        for (slot, expr) in slots {
            row[slot.at()] = eval(site.context, expr, row)?;
        }
    }
    Ok(Poll::Rows(batch))
}
