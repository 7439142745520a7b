//! Rows for which something is true.
//!
//! Next: `compute.rs`.

use crate::query::error::Fault;
use crate::query::exec::eval::is_true;
use crate::query::exec::stage::{Input, Poll, Site};
use crate::query::expr::Expr;

/// Keeps the rows of a batch for which the expression is true.
pub(in crate::query::exec) fn filter(
    expr: &Expr,
    input: &mut Input,
    site: &mut Site<'_, '_>,
) -> Result<Poll, Fault> {
    let Some(mut batch) = input.take() else {
        return Ok(input.without_rows());
    };
    let mut kept = 0;
    for at in 0..batch.len() {
        if is_true(site.context, expr, batch.row_mut(at))? {
            batch.pull_forward(at, kept);
            kept += 1;
        }
    }
    batch.truncate(kept);
    if batch.is_empty() {
        return Ok(input.without_rows());
    }
    Ok(Poll::Rows(batch))
}
