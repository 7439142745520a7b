//! Rows of a server as they come. What is not taken is not sent, and who stops taking stops the statement.
//!
//! Next: `refused.rs`.

use super::RemoteFailure;
use super::reading::Nature;
use super::values;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::statements::{Answer, Operator, Told, Work};
use std::sync::Arc;
use std::time::Duration;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Error, Value};
use stratigraph_client::{Counters, Rows, Summary};
use stratigraph_query_lang::ast::Mode;
use tokio::runtime::Runtime;

/// How often it is looked whether somebody has pressed Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);

/// The answer to a statement.
pub(super) struct Coming<'s> {
    pub(super) runtime: &'s Runtime,
    pub(super) cancel: &'s CancelToken,
    pub(super) address: &'s str,
    pub(super) text: &'s str,
    pub(super) nature: Nature,
    pub(super) rows: Rows,
    pub(super) columns: Vec<Arc<str>>,
}

/// What comes before somebody presses Ctrl-C; none if that comes first.
pub(super) async fn unless_cancelled<T>(
    cancel: &CancelToken,
    work: impl Future<Output = T>,
) -> Option<T> {
    let cancelled = async {
        while !cancel.is_cancelled() {
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::select! {
        biased;
        done = work => Some(done),
        () = cancelled => None,
    }
}

impl Coming<'_> {
    fn row(&mut self) -> Result<Option<Vec<Value>>, Failure> {
        if self.cancel.is_cancelled() {
            return Err(Error::Cancelled.into());
        }
        let next = unless_cancelled(self.cancel, self.rows.next());
        let row = match self.runtime.block_on(next) {
            None => return Err(Error::Cancelled.into()),
            Some(Err(error)) => {
                return Err(RemoteFailure::of(&error, self.address, self.text).into());
            }
            Some(Ok(row)) => row,
        };
        let Some(row) = row else { return Ok(None) };
        let values = row.into_values().into_iter().map(values::received);
        let values = values.collect::<Result<_, _>>().map_err(|problem| {
            let message =
                format!("the server sent what this command does not understand: {problem}");
            RemoteFailure::other(message, Exit::Bug, "bug")
        })?;
        Ok(Some(values))
    }

    /// Reads the rest of the rows away.
    fn finish(&mut self) -> Result<(), Failure> {
        while self.row()?.is_some() {}
        Ok(())
    }
}

impl Answer for Coming<'_> {
    fn columns(&self) -> &[Arc<str>] {
        &self.columns
    }

    fn next(&mut self) -> Option<Result<Vec<Value>, Failure>> {
        self.row().transpose()
    }

    fn planned(&mut self) -> Result<Option<String>, Failure> {
        if self.nature.mode != Mode::Explain {
            return Ok(None);
        }
        self.finish()?;
        Ok(self.rows.summary().map(|summary| summary.plan.clone()))
    }

    fn told(&mut self) -> Result<Told, Failure> {
        // The server tells at the end what it has changed, and has all rows of such a statement already; and what each
        // operator did is known at the end only.
        let is_wanted = !self.nature.only_reads || self.nature.mode == Mode::Profile;
        if self.rows.summary().is_none() && is_wanted {
            self.finish()?;
        }
        Ok(self.rows.summary().map(told).unwrap_or_default())
    }
}

fn told(summary: &Summary) -> Told {
    let counters = stratigraph::Counters::of(counts(&summary.counters));
    let operators = summary.operators.iter().map(|operator| Operator {
        depth: usize::try_from(operator.depth).unwrap_or(usize::MAX),
        text: operator.text.clone(),
        work: operator.work.map(|work| Work {
            rows: work.rows,
            seeks: work.seeks,
            memory_bytes: work.memory_bytes,
            time: work.elapsed,
        }),
    });
    Told {
        plan: (!summary.plan.is_empty()).then(|| summary.plan.clone()),
        operators: operators.collect(),
        truncated: summary.truncated,
        ..Told::of(&counters)
    }
}

/// What was changed, in the engine's words.
fn counts(of: &Counters) -> [(&'static str, u64); 13] {
    [
        ("nodes_created", of.nodes_created),
        ("nodes_deleted", of.nodes_deleted),
        ("relationships_created", of.relationships_created),
        ("relationships_deleted", of.relationships_deleted),
        ("properties_set", of.properties_set),
        ("labels_added", of.labels_added),
        ("labels_removed", of.labels_removed),
        ("indexes_added", of.indexes_added),
        ("indexes_removed", of.indexes_removed),
        ("constraints_added", of.constraints_added),
        ("constraints_removed", of.constraints_removed),
        ("hierarchies_added", of.hierarchies_added),
        ("hierarchies_removed", of.hierarchies_removed),
    ]
}
