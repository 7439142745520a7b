//! Operators that run for each element of a list, for their effects.
//!
//! Next: `count.rs`.

use super::optional::begin_run;
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::eval::eval;
use crate::query::exec::pipeline::Run;
use crate::query::exec::stage::{Input, Poll, Site};
use crate::query::expr::{Expr, Slot};
use crate::query::functions::operators::with_article;
use crate::query::plan::Op;
use crate::value::Value;
use std::sync::Arc;

/// Runs the operators for each element of the list of each row, and lets the rows through.
pub(in crate::query::exec) fn foreach(
    (list, into, ops): (&Expr, Slot, &Arc<[Op]>),
    run: &mut Option<Box<Run>>,
    input: &mut Input,
    site: &mut Site<'_, '_>,
) -> Result<Poll, Fault> {
    let Some(mut batch) = input.take() else {
        return Ok(input.without_rows());
    };
    for at in 0..batch.len() {
        let row = batch.row_mut(at);
        let elements = match eval(site.context, list, row)? {
            Value::Null => continue,
            Value::List(elements) => elements,
            other => {
                let message = format!("FOREACH takes a list, not {}", with_article(other.kind()));
                return Err(raise(Detail::InvalidArgumentType, message).at(list.span));
            }
        };
        let before = std::mem::replace(&mut row[into.at()], Value::Null);
        for element in elements.iter() {
            row[into.at()] = element.clone();
            begin_run(run, ops, site, row);
            if let Some(run) = run {
                run.exhaust(site.context)?;
            }
        }
        row[into.at()] = before;
    }
    Ok(Poll::Rows(batch))
}
