//! Creating, setting and removing, for each row. What exactly is done is in `write/`.
//!
//! Next: `merge.rs`.

use crate::query::error::Fault;
use crate::query::exec::context::Context;
use crate::query::exec::stage::{Input, Poll, Site};
use crate::query::exec::write;
use crate::query::plan::{CreateItem, RemoveItem, SetItem};
use crate::value::Value;

/// Changes something with each row of a batch.
fn each_row(
    input: &mut Input,
    site: &mut Site<'_, '_>,
    mut change: impl FnMut(&mut Context<'_>, &mut [Value]) -> Result<(), Fault>,
) -> Result<Poll, Fault> {
    let Some(mut batch) = input.take() else {
        return Ok(input.without_rows());
    };
    for at in 0..batch.len() {
        site.context.step()?;
        change(site.context, batch.row_mut(at))?;
    }
    Ok(Poll::Rows(batch))
}

/// Creates.
pub(in crate::query::exec) fn create(
    items: &[CreateItem],
    input: &mut Input,
    site: &mut Site<'_, '_>,
) -> Result<Poll, Fault> {
    each_row(input, site, |context, row| {
        write::create(context, items, row)
    })
}

/// Sets.
pub(in crate::query::exec) fn set(
    items: &[SetItem],
    input: &mut Input,
    site: &mut Site<'_, '_>,
) -> Result<Poll, Fault> {
    each_row(input, site, |context, row| write::set(context, items, row))
}

/// Removes.
pub(in crate::query::exec) fn remove(
    items: &[RemoveItem],
    input: &mut Input,
    site: &mut Site<'_, '_>,
) -> Result<Poll, Fault> {
    each_row(input, site, |context, row| {
        write::remove(context, items, row)
    })
}
