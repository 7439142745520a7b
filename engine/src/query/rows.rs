//! The rows of a query, as they come.
//!
//! A query that only reads runs while its rows are taken. One that writes has run, and has committed if the
//! transaction is its own, before the first row is given: its rows are there already.
//!
//! Next: `result.rs`.

use super::error::{Detail, Fault, Phase, raise};
use super::exec::{Batch, Context, Run, hydrate};
use super::expr::Slot;
use super::plan::PlanLine;
use super::result::{Row, Summary};
use super::shown_plan::show;
use crate::error::Result;
use crate::value::Value;
use std::sync::Arc;

/// The rows of a query.
///
/// ```
/// use stratigraph::Database;
///
/// let db = Database::in_memory()?;
/// let mut sum = 0;
/// for row in db.query("UNWIND range(1, $last) AS n RETURN n", [("last", 10)])? {
///     sum += row?.get::<i64>("n")?;
/// }
/// assert_eq!(sum, 55);
/// # Ok::<(), stratigraph::Error>(())
/// ```
pub struct Rows<'t> {
    columns: Arc<[Arc<str>]>,
    source: Source<'t>,
    summary: Summary,
    /// How many rows there may be.
    most: Option<u64>,
}

enum Source<'t> {
    /// The query runs on.
    Running(Box<Running<'t>>),
    /// All rows are there.
    Ready(std::vec::IntoIter<Row>),
}

/// A query that runs while its rows are taken.
pub(super) struct Running<'t> {
    pub(super) context: Context<'t>,
    pub(super) run: Run,
    pub(super) batch: Option<Batch>,
    /// The next row of the batch.
    pub(super) at: usize,
    /// The slots of the columns.
    pub(super) slots: Vec<Slot>,
    pub(super) text: Arc<str>,
    /// The plan, if what its operators do is counted.
    pub(super) plan: Option<Vec<PlanLine>>,
    /// Of how many searches and traversals the summary tells.
    pub(super) told_runs: u64,
}

impl<'t> Rows<'t> {
    pub(super) fn running(
        columns: Arc<[Arc<str>]>,
        running: Running<'t>,
        summary: Summary,
        most: Option<u64>,
    ) -> Self {
        Self {
            columns,
            source: Source::Running(Box::new(running)),
            summary,
            most,
        }
    }

    pub(super) fn ready(columns: Arc<[Arc<str>]>, rows: Vec<Row>, summary: Summary) -> Self {
        Self {
            columns,
            source: Source::Ready(rows.into_iter()),
            summary,
            most: None,
        }
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[Arc<str>] {
        &self.columns
    }

    /// What is known about the query so far; complete once all rows were taken.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Takes the rows that are left, and gives what is known then.
    ///
    /// # Errors
    /// As the rows.
    pub fn finish(mut self) -> Result<Summary> {
        for row in self.by_ref() {
            row?;
        }
        Ok(self.summary)
    }

    fn take(&mut self) -> Result<Option<Row>> {
        let row = match &mut self.source {
            Source::Ready(rows) => return Ok(rows.next()),
            Source::Running(running) => {
                let text = Arc::clone(&running.text);
                let values = running.next(&mut self.summary, self.most);
                values.map_err(|fault| fault.into_error(&text, Phase::Runtime))?
            }
        };
        Ok(row.map(|values| Row::new(Arc::clone(&self.columns), values)))
    }
}

impl Running<'_> {
    /// Puts what the operators have done into the summary, if it was counted.
    pub(super) fn show_plan(&self, summary: &mut Summary) {
        if let Some(plan) = &self.plan {
            show(summary, plan, self.context.profile.as_deref());
        }
    }

    /// The values of the next row.
    pub(super) fn next(
        &mut self,
        summary: &mut Summary,
        most: Option<u64>,
    ) -> Result<Option<Vec<Value>>, Fault> {
        loop {
            if let Some(batch) = &self.batch
                && self.at < batch.len()
            {
                if most.is_some_and(|most| summary.rows >= most) {
                    let message = format!("the query gives more than {} rows", summary.rows);
                    let hint = "say LIMIT in the query, or raise the setting `max_rows`";
                    return Err(raise(Detail::RowLimit, message).hint(hint));
                }
                summary.rows += 1;
                let row = batch.row(self.at);
                self.at += 1;
                let values = self.slots.iter().map(|slot| {
                    let value = row.get(slot.at()).cloned();
                    hydrate(&self.context.graph, value.unwrap_or(Value::Null))
                });
                let values: Result<Vec<Value>, Fault> = values.collect();
                return values.map(Some).map_err(|fault| self.context.told(fault));
            }
            if !self.advance(summary)? {
                self.show_plan(summary);
                return Ok(None);
            }
        }
    }

    /// Goes on to the next batch, and says what is known then; whether there is one.
    pub(super) fn advance(&mut self, summary: &mut Summary) -> Result<bool, Fault> {
        let batch = self.run.next(&mut self.context);
        self.batch = batch.map_err(|fault| self.context.told(fault))?;
        self.at = 0;
        summary.steps = self.context.work.rows + self.context.work.relationships;
        summary.counters = self.context.counters.clone();
        let provenance = &self.context.provenance;
        if self.told_runs != provenance.runs() {
            self.told_runs = provenance.runs();
            summary.searches = provenance.searches();
            summary.traversals = provenance.traversals();
        }
        Ok(self.batch.is_some())
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<Row>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.take();
        if row.is_err() {
            // After an error there is nothing more.
            self.source = Source::Ready(Vec::new().into_iter());
        }
        row.transpose()
    }
}

impl std::fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rows")
            .field("columns", &self.columns)
            .finish_non_exhaustive()
    }
}
