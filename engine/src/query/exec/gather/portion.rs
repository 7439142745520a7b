//! One portion of a subquery in transactions: its rows, run and then committed, or taken back.
//!
//! Next: `eval/mod.rs`.

use super::super::flat::push_returned;
use crate::error::Error;
use crate::query::error::{Detail, Fault, Phase, QueryError, raise};
use crate::query::exec::batch::Batch;
use crate::query::exec::context::Context;
use crate::query::exec::pipeline::Run;
use crate::query::exec::stage::Site;
use crate::query::exec::write::{refused, settle};
use crate::query::expr::Slot;
use crate::query::plan::{Apply, InTransactions};
use crate::value::Value;
use std::collections::BTreeMap;

/// What became of a portion.
pub(super) struct Outcome {
    /// Whether it ran at all.
    pub(super) started: bool,
    /// Whether it was committed.
    pub(super) committed: bool,
    /// What went wrong.
    pub(super) error: Option<String>,
}

impl Outcome {
    /// What the query sees of it, for the slot of the report.
    pub(super) fn report(&self, number: u64) -> Result<Value, Fault> {
        let id = match self.started {
            true => Value::from(format!("portion-{number}")),
            false => Value::Null,
        };
        let error = self.error.as_deref();
        let entries = [
            ("started", Value::Bool(self.started)),
            ("committed", Value::Bool(self.committed)),
            ("transactionId", id),
            ("errorMessage", error.map_or(Value::Null, Value::from)),
        ];
        let entries = entries.map(|(key, value)| (key.into(), value));
        Ok(Value::map(BTreeMap::from(entries))?)
    }
}

/// Runs the subquery for all rows of a portion and commits. What was changed is taken back if anything fails.
///
/// Nothing is remembered from one portion to the next but the rows, so that there may be any number of them. If the
/// next transaction cannot begin, the statement is over, whatever became of this portion.
pub(super) fn run(
    of: &Apply,
    rows: &Batch,
    run: &mut Option<Run>,
    site: &mut Site<'_, '_>,
) -> Result<Batch, Fault> {
    let counters = site.context.counters.clone();
    let memory = site.context.memory.used();
    let outcome = attempt(of, rows, run, site).and_then(|out| {
        settle(site.context)?;
        site.context.graph.commit_portion().map_err(refused)?;
        Ok(out)
    });
    let context = &mut *site.context;
    context.graph.forget_deleted();
    context.memory.reset(memory);
    if outcome.is_err() {
        *run = None;
        context.counters = counters;
        context.deletions = crate::query::exec::Deletions::default();
        context.connected.clear();
    }
    let begun = begin_next(context);
    // What went wrong first is why the other did.
    let out = outcome?;
    begun?;
    Ok(out)
}

fn attempt(
    of: &Apply,
    rows: &Batch,
    run: &mut Option<Run>,
    site: &mut Site<'_, '_>,
) -> Result<Batch, Fault> {
    let mut out = Batch::new(site.frame.width);
    for row in rows.rows() {
        let run = match run {
            Some(run) => {
                run.restart(site.context, row);
                run
            }
            None => run.insert(Run::new(&of.ops, row.len(), row.to_vec())),
        };
        if !of.gives_rows {
            run.exhaust(site.context)?;
            out.push(row);
            continue;
        }
        let mut gave = false;
        while let Some(batch) = run.next(site.context)? {
            gave = true;
            for returned in batch.rows() {
                push_returned(&mut out, row, &of.returns, Some(returned));
            }
        }
        if of.optional && !gave {
            push_returned(&mut out, row, &of.returns, None);
        }
    }
    Ok(out)
}

/// Begins the next transaction.
fn begin_next(context: &mut Context<'_>) -> Result<(), Fault> {
    let database = context.database.clone();
    let database = database.ok_or_else(|| Error::bug("a query without a database"))?;
    context.graph.next_transaction(&database).map_err(refused)
}

/// That a query may commit as it goes.
pub(super) fn ensure_own(context: &Context<'_>, how: &InTransactions) -> Result<(), Fault> {
    if context.graph.is_own_write() && context.database.is_some() {
        return Ok(());
    }
    let message =
        "a subquery in transactions commits as it goes, and cannot run within a transaction";
    let fault = raise(Detail::InvalidTransaction, message);
    Err(fault
        .hint("run the statement on the database itself")
        .at(how.span))
}

/// The rows of a portion that failed or was not run.
pub(super) fn without_results(of: &Apply, rows: &Batch) -> Batch {
    let mut out = Batch::default();
    for row in rows.rows() {
        if out.is_empty() {
            out = Batch::new(row.len());
        }
        push_returned(&mut out, row, &of.returns, None);
    }
    out
}

/// Fills the slot of the report.
pub(super) fn fill(report: Option<Slot>, out: &mut Batch, value: &Value) {
    if let Some(slot) = report {
        for at in 0..out.len() {
            out.row_mut(at)[slot.at()] = value.clone();
        }
    }
}

/// The message of what went wrong, as the report has it.
pub(super) fn message(fault: &Fault) -> String {
    match fault {
        Fault::Raised(raised) => {
            // The text of the statement is not known here, so the place is left out.
            let mut raised = (**raised).clone();
            raised.span = None;
            QueryError::new("", Phase::Runtime, raised).to_string()
        }
        Fault::Engine(error) => error.to_string(),
    }
}
