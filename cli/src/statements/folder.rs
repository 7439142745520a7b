//! A database in a folder, opened by this process.
//!
//! Next: `session.rs`.

use super::building::{Building, UNDER_WAY, building};
use super::place::{Answer, Asked, Operator, Place, Take, Told, Work};
use crate::failure::Failure;
use std::sync::Arc;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{AskedName, Database, Error, QueryOptions, Rows, Value, WriteTxn};

/// A database in a folder, and its transaction that may be open.
pub(crate) struct Folder {
    database: Database,
    open: Option<WriteTxn>,
}

impl Folder {
    /// Without an open transaction.
    pub(crate) fn new(database: Database) -> Self {
        Self {
            database,
            open: None,
        }
    }
}

impl Place for Folder {
    fn run(&mut self, asked: Asked<'_>, take: Take<'_>) -> Result<(), Failure> {
        let mut options = QueryOptions::new().cancel(asked.cancel.clone());
        if let Some(time) = asked.limits.time {
            options = options.timeout(time);
        }
        if let Some(rows) = asked.limits.rows {
            options = options.max_rows(rows);
        }
        let _shown = Building::show(asked.text, || {
            let database = self.database.clone();
            move || building(database.query(UNDER_WAY, ()).ok()?.next()?.ok()?.values())
        });
        let Some(open) = &mut self.open else {
            let rows = self
                .database
                .query_with(asked.text, asked.parameters, &options)?;
            return take(&mut Given::new(rows));
        };
        let rows = open.query_with(asked.text, asked.parameters, &options);
        let taken = rows
            .map_err(Failure::from)
            .and_then(|rows| take(&mut Given::new(rows)));
        if let Err(Failure::Engine(Error::TransactionExpired { .. })) = &taken {
            // It is rolled back already.
            self.open = None;
        }
        taken
    }

    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn begin(&mut self, _: &CancelToken) -> Result<String, Failure> {
        self.open = Some(self.database.write()?);
        Ok(":help says how long it may rest".to_owned())
    }

    fn end(&mut self, commit: bool) -> Result<(), Failure> {
        if let Some(open) = self.open.take()
            && commit
        {
            open.commit()?;
        }
        Ok(())
    }

    fn look(&self, text: &str) -> Result<Vec<Vec<Value>>, Failure> {
        let rows = self.database.query(text, ())?;
        rows.map(|row| Ok(row?.into_values())).collect()
    }

    fn asked_names(&self, text: &str) -> Vec<AskedName> {
        let read = self.database.prepare(text);
        read.map_or_else(|_| Vec::new(), |read| read.asked_names().to_vec())
    }

    fn close(self: Box<Self>) -> Result<(), Failure> {
        drop(self.open);
        self.database.close()?;
        Ok(())
    }
}

/// The rows that the engine gives.
pub(crate) struct Given<'t> {
    rows: Rows<'t>,
    columns: Vec<Arc<str>>,
}

impl<'t> Given<'t> {
    pub(crate) fn new(rows: Rows<'t>) -> Self {
        let columns = rows.columns().to_vec();
        Self { rows, columns }
    }
}

impl Answer for Given<'_> {
    fn columns(&self) -> &[Arc<str>] {
        &self.columns
    }

    fn next(&mut self) -> Option<Result<Vec<Value>, Failure>> {
        let row = self.rows.next()?;
        Some(
            row.map(stratigraph::Row::into_values)
                .map_err(Failure::from),
        )
    }

    fn planned(&mut self) -> Result<Option<String>, Failure> {
        Ok(self.rows.summary().plan().map(str::to_owned))
    }

    fn told(&mut self) -> Result<Told, Failure> {
        let summary = self.rows.summary();
        let counters = summary.counters();
        let operators = summary.operators().iter().map(|operator| Operator {
            depth: operator.depth(),
            text: operator.text().to_owned(),
            work: operator.work().map(|work| Work {
                rows: work.rows,
                seeks: work.seeks,
                memory_bytes: work.memory_bytes,
                time: work.time,
            }),
        });
        Ok(Told {
            plan: summary.plan().map(str::to_owned),
            operators: operators.collect(),
            truncated: summary.truncated(),
            ..Told::of(counters)
        })
    }
}
