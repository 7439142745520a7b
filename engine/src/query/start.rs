//! The beginning of a run: parameters, clocks, limits, the row of nulls.
//!
//! Next: `rows.rs`.

use super::compile::Compiled;
use super::error::{Fault, Phase};
use super::exec::write::settle;
use super::exec::{Context, Graph, Limits, Run, Txn, bytes_of_all};
use super::functions::{Moments, Random};
use super::options::{QueryOptions, moment};
use super::parameters::Parameters;
use super::plan::{Needed, Plan};
use super::result::{Row, Summary};
use super::rows::{Rows, Running};
use super::shown_plan::show;
use crate::clock::{Clock, SystemClock, wall_clock};
use crate::database::Database;
use crate::error::Result;
use crate::value::Value;
use std::sync::Arc;
use stratigraph_query_lang::ast::Mode;

/// A run that is over.
pub(super) struct Completed<'t> {
    pub(super) rows: Rows<'static>,
    /// What it ran in, with what is not committed yet.
    pub(super) txn: Txn<'t>,
    /// How many portions it has committed on its own.
    pub(super) portions: u64,
}

/// Everything that a run begins with.
pub(super) struct Start<'a> {
    compiled: &'a Compiled,
    plan: &'a Plan,
    parameters: Vec<Value>,
    options: &'a QueryOptions,
}

impl<'a> Start<'a> {
    pub(super) fn new(
        compiled: &'a Compiled,
        plan: &'a Plan,
        parameters: &Parameters,
        options: &'a QueryOptions,
    ) -> Result<Self> {
        let find = |needed: &Needed| {
            let given = parameters.needed(&needed.name).cloned();
            let given = given.map_err(|fault| fault.at(needed.span));
            given.map_err(|fault| fault.into_error(&compiled.text, Phase::Compile))
        };
        Ok(Self {
            compiled,
            plan,
            parameters: plan.parameters.iter().map(find).collect::<Result<_>>()?,
            options,
        })
    }

    /// A run that goes on while its rows are taken; one that gives none is over at once.
    pub(super) fn reading(self, txn: Txn<'_>) -> Result<Rows<'_>> {
        let columns = self.columns();
        if columns.is_empty() {
            return self.completed(txn, None).map(|over| over.rows);
        }
        let (mut summary, most) = (self.summary(&columns), self.options.max_rows);
        let running = self.begin(txn, None)?;
        summary.sequence = Some(running.context.graph.sequence()?);
        Ok(Rows::running(columns, running, summary, most))
    }

    /// A run that is over when this returns.
    pub(super) fn completed<'t>(
        self,
        txn: Txn<'t>,
        database: Option<Database>,
    ) -> Result<Completed<'t>> {
        let columns = self.columns();
        let (mut summary, most) = (self.summary(&columns), self.options.max_rows);
        let mut running = self.begin(txn, database)?;
        summary.sequence = Some(running.context.graph.sequence()?);
        let rows = take_all(&mut running, &mut summary, most);
        let portions = running.context.graph.committed_portions();
        let rows = rows.map_err(|error| error.after_portions(portions))?;
        running.show_plan(&mut summary);
        Ok(Completed {
            rows: Rows::ready(columns, rows, summary),
            txn: running.context.graph.into_txn(),
            portions,
        })
    }

    fn begin<'t>(self, txn: Txn<'t>, database: Option<Database>) -> Result<Running<'t>> {
        let now = match self.options.now {
            Some(now) => now,
            None => moment(wall_clock()),
        };
        let fixed = self.options.now;
        let moments = Moments {
            transaction: now,
            statement: now,
            real: Box::new(move || fixed.unwrap_or_else(|| moment(wall_clock()))),
        };
        let clock: Arc<dyn Clock> = match &self.options.clock {
            Some(clock) => Arc::clone(clock),
            None => Arc::new(SystemClock::new()),
        };
        let limits = Limits {
            batch_rows: self.options.batch_rows,
            memory_bytes: usize::try_from(self.options.memory_bytes).unwrap_or(usize::MAX),
            time: self.options.timeout,
            steps: self.options.max_steps,
            exact: self.options.exact,
            rules: self.options.rules,
            threads: self.options.threads,
            cancel: self.options.cancel.clone(),
            clock,
        };
        let graph = Graph::new(txn);
        let mut context = Context::new(
            graph,
            self.parameters,
            moments,
            Random::new(self.options.seed),
            limits,
        );
        context.database = database;
        let profiled = self.compiled.mode == Mode::Profile;
        if profiled {
            context.profile = Some(Box::default());
        }
        let width = self.plan.width;
        Ok(Running {
            context,
            run: Run::new(&self.plan.ops, width, vec![Value::Null; width]),
            batch: None,
            at: 0,
            slots: self.plan.columns.iter().map(|(_, slot)| *slot).collect(),
            text: Arc::clone(&self.compiled.text),
            plan: profiled.then(|| self.plan.lines(&self.compiled.text)),
            told_runs: 0,
        })
    }

    fn columns(&self) -> Arc<[Arc<str>]> {
        let columns = self.plan.columns.iter();
        columns.map(|(name, _)| Arc::clone(name)).collect()
    }

    fn summary(&self, columns: &Arc<[Arc<str>]>) -> Summary {
        let mut summary = Summary {
            columns: columns.to_vec(),
            ..Summary::default()
        };
        if self.compiled.mode == Mode::Profile {
            show(&mut summary, &self.plan.lines(&self.compiled.text), None);
        }
        summary
    }
}

/// Runs to the end; all rows.
fn take_all(
    running: &mut Running<'_>,
    summary: &mut Summary,
    most: Option<u64>,
) -> Result<Vec<Row>> {
    let text = Arc::clone(&running.text);
    let raise = |fault: Fault| fault.into_error(&text, Phase::Runtime);
    let columns: Arc<[Arc<str>]> = summary.columns.as_slice().into();
    let mut rows = Vec::new();
    if columns.is_empty() {
        while running.advance(summary).map_err(raise)? {}
    } else {
        while let Some(values) = running.next(summary, most).map_err(raise)? {
            let bytes = size_of::<Row>() + bytes_of_all(&values);
            running.context.memory.charge(bytes).map_err(raise)?;
            rows.push(Row::new(Arc::clone(&columns), values));
        }
    }
    let settled = settle(&mut running.context);
    settled.map_err(|fault| raise(running.context.told(fault)))?;
    Ok(rows)
}
