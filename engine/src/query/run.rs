//! Running a statement: in a transaction of its own, or within somebody's.
//!
//! Next: `rows.rs`.

use super::cache::Fingerprint;
use super::compile::{Compiled, Runs, compile, query_error};
use super::error::{Detail, Fault, Phase, QueryError, raise};
use super::exec::write::{refused, settle};
use super::exec::{Context, Graph, Limits, Run, Txn, bytes_of};
use super::functions::{Moments, Random};
use super::options::{QueryOptions, moment};
use super::parameters::Parameters;
use super::plan::Plan;
use super::prepared::Prepared;
use super::result::{Row, Summary};
use super::rows::{Rows, Running};
use super::schema;
use super::shown_plan::show;
use crate::clock::{Clock, SystemClock, wall_clock};
use crate::database::Database;
use crate::error::{Error, Result};
use crate::graph::{Read, ReadTxn, WriteTxn};
use crate::value::Value;
use std::sync::Arc;
use stratigraph_query_lang::ast::Mode;

impl Database {
    /// Runs a statement of StratQL.
    ///
    /// One that reads sees the last commit, and runs while its rows are taken. One that writes is a
    /// transaction of its own: it is durable when this returns, or has changed nothing.
    ///
    /// ```
    /// use stratigraph::Database;
    ///
    /// let db = Database::in_memory()?;
    /// db.query("CREATE (:Person {name: 'Ann'})-[:KNOWS]->(:Person {name: $name})", [("name", "Bob")])?;
    /// let rows = db.query("MATCH (:Person {name: 'Ann'})-[:KNOWS]->(p) RETURN p.name AS name", ())?;
    /// for row in rows {
    ///     assert_eq!(row?.get::<String>("name")?, "Bob");
    /// }
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Query`] if the statement is wrong or goes wrong; what a transaction can meet.
    pub fn query(&self, text: &str, parameters: impl Into<Parameters>) -> Result<Rows<'static>> {
        self.query_with(text, parameters, &QueryOptions::new())
    }

    /// The same, with limits and settings.
    ///
    /// # Errors
    /// As [`query`](Self::query).
    pub fn query_with(
        &self,
        text: &str,
        parameters: impl Into<Parameters>,
        options: &QueryOptions,
    ) -> Result<Rows<'static>> {
        let parameters = parameters.into();
        let read = self.read()?.with_cancel(options.cancel.clone());
        let compiled = self.compiled(text, &read, options)?;
        if compiled.mode == Mode::Explain {
            return explained(&compiled);
        }
        match &compiled.body {
            Runs::Schema(command) => {
                drop(read);
                let counters = schema::run(self, command, &parameters)
                    .map_err(|fault| fault.into_error(text, Phase::Runtime))?;
                let summary = Summary {
                    counters,
                    ..Summary::default()
                };
                Ok(Rows::ready(Arc::from([]), Vec::new(), summary))
            }
            Runs::Plan(plan) if !compiled.writes() => {
                let start = Start::new(&compiled, plan, &parameters, options)?;
                start.reading(Txn::OwnRead(Box::new(read)))
            }
            Runs::Plan(_) => {
                drop(read);
                let txn = self.write()?.with_cancel(options.cancel.clone());
                // Between the two transactions an index may have gone.
                let compiled = self.compiled(text, &txn, options)?;
                let Runs::Plan(plan) = &compiled.body else {
                    return Err(Error::bug("a query became another statement"));
                };
                let start = Start::new(&compiled, plan, &parameters, options)?;
                let txn = Txn::OwnWrite(Box::new(txn));
                let (rows, txn) = start.completed(txn, Some(self.clone()))?;
                match txn {
                    Txn::OwnWrite(txn) => {
                        // What must be there is only looked for now.
                        let committed = txn.commit().map_err(refused);
                        committed.map_err(|fault| fault.into_error(text, Phase::Runtime))?;
                    }
                    _ => return Err(Error::bug("a query lost its transaction")),
                }
                Ok(rows)
            }
        }
    }

    /// Reads and plans a statement, to run it often.
    ///
    /// # Errors
    /// [`Error::Query`] if the statement is wrong.
    pub fn prepare(&self, text: &str) -> Result<Prepared> {
        self.prepare_with(text, &QueryOptions::new())
    }

    /// The same, with limits and settings for its runs.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_with(&self, text: &str, options: &QueryOptions) -> Result<Prepared> {
        let compiled = self.compiled(text, &self.read()?, options)?;
        Ok(Prepared::new(self.clone(), compiled, options.clone()))
    }

    /// The plan of a text: one that was made before, if it still holds.
    fn compiled<R: Read>(
        &self,
        text: &str,
        read: &R,
        options: &QueryOptions,
    ) -> Result<Arc<Compiled>> {
        let registry = self.procedures();
        let nodes = read.node_count(None)?;
        let now = Fingerprint::new(read.catalog(), registry.generation(), nodes);
        if let Some(known) = self.plans().find(text, options.optimise, now) {
            return Ok(known);
        }
        let compiled = Arc::new(compile(text, &registry, read, options.optimise)?);
        self.plans().keep(&compiled, options.optimise, now);
        Ok(compiled)
    }
}

impl ReadTxn {
    /// Runs a statement of StratQL that only reads, over this snapshot.
    ///
    /// # Errors
    /// [`Error::Query`] if the statement is wrong or goes wrong, or changes something.
    pub fn query(&self, text: &str, parameters: impl Into<Parameters>) -> Result<Rows<'_>> {
        self.query_with(text, parameters, &QueryOptions::new())
    }

    /// The same, with limits and settings.
    ///
    /// # Errors
    /// As [`query`](Self::query).
    pub fn query_with(
        &self,
        text: &str,
        parameters: impl Into<Parameters>,
        options: &QueryOptions,
    ) -> Result<Rows<'_>> {
        let registry = self.registry();
        let compiled = Arc::new(compile(text, &registry, self, options.optimise)?);
        if compiled.mode == Mode::Explain {
            return explained(&compiled);
        }
        match &compiled.body {
            Runs::Plan(plan) if !compiled.writes() => {
                let start = Start::new(&compiled, plan, &parameters.into(), options)?;
                start.reading(Txn::Read(self))
            }
            _ => {
                let message = "the statement changes the graph, and this is a snapshot";
                let fault = raise(Detail::ReadOnlyQuery, message);
                let fault = fault.hint("run it with `Database::query` or in a write transaction");
                Err(fault.into_error(text, Phase::Compile))
            }
        }
    }
}

impl WriteTxn {
    /// Runs a statement of StratQL within this transaction. If it fails it has changed nothing, and the
    /// transaction goes on.
    ///
    /// # Errors
    /// [`Error::Query`] if the statement is wrong or goes wrong, changes what is declared, or commits on its own.
    pub fn query(
        &mut self,
        text: &str,
        parameters: impl Into<Parameters>,
    ) -> Result<Rows<'static>> {
        self.query_with(text, parameters, &QueryOptions::new())
    }

    /// The same, with limits and settings.
    ///
    /// # Errors
    /// As [`query`](Self::query).
    pub fn query_with(
        &mut self,
        text: &str,
        parameters: impl Into<Parameters>,
        options: &QueryOptions,
    ) -> Result<Rows<'static>> {
        let registry = self.registry();
        let compiled = Arc::new(compile(text, &registry, self, options.optimise)?);
        if compiled.mode == Mode::Explain {
            return explained(&compiled);
        }
        let Runs::Plan(plan) = &compiled.body else {
            let message = "indexes and constraints are declared outside of transactions";
            let fault = raise(Detail::InvalidTransaction, message);
            let fault = fault.hint("run it with `Database::query`");
            return Err(fault.into_error(text, Phase::Compile));
        };
        let start = Start::new(&compiled, plan, &parameters.into(), options)?;
        let before = self.savepoint()?;
        let ran = start
            .completed(Txn::Write(self), None)
            .map(|(rows, _)| rows);
        if ran.is_err() {
            self.rollback_to(before)?;
        }
        self.release(before)?;
        ran
    }
}

/// Everything that a run begins with.
struct Start<'a> {
    compiled: &'a Compiled,
    plan: &'a Plan,
    parameters: Vec<Value>,
    options: &'a QueryOptions,
}

impl<'a> Start<'a> {
    fn new(
        compiled: &'a Compiled,
        plan: &'a Plan,
        parameters: &Parameters,
        options: &'a QueryOptions,
    ) -> Result<Self> {
        let find = |name: &Arc<str>| {
            let known = parameters.get(name).cloned();
            known.ok_or_else(|| missing(&compiled.text, name, parameters))
        };
        Ok(Self {
            compiled,
            plan,
            parameters: plan.parameters.iter().map(find).collect::<Result<_>>()?,
            options,
        })
    }

    /// A run that goes on while its rows are taken; one that gives none is over at once.
    fn reading(self, txn: Txn<'_>) -> Result<Rows<'_>> {
        let columns = self.columns();
        if columns.is_empty() {
            return self.completed(txn, None).map(|(rows, _)| rows);
        }
        let (summary, most) = (self.summary(&columns), self.options.max_rows);
        let running = self.begin(txn, None)?;
        Ok(Rows::running(columns, running, summary, most))
    }

    /// A run that is over when this returns.
    fn completed<'t>(
        self,
        txn: Txn<'t>,
        database: Option<Database>,
    ) -> Result<(Rows<'static>, Txn<'t>)> {
        let columns = self.columns();
        let (mut summary, most) = (self.summary(&columns), self.options.max_rows);
        let gives_rows = !columns.is_empty();
        let mut running = self.begin(txn, database)?;
        let text = Arc::clone(&running.text);
        let raise = |fault: Fault| fault.into_error(&text, Phase::Runtime);
        let mut rows = Vec::new();
        if gives_rows {
            while let Some(values) = running.next(&mut summary, most).map_err(raise)? {
                let bytes: usize = values.iter().map(bytes_of).sum();
                running.context.memory.charge(bytes).map_err(raise)?;
                rows.push(Row::new(Arc::clone(&columns), values));
            }
        } else {
            while running
                .run
                .next(&mut running.context)
                .map_err(raise)?
                .is_some()
            {}
        }
        settle(&mut running.context).map_err(raise)?;
        running.show_plan(&mut summary);
        summary.counters = running.context.counters.clone();
        let rows = Rows::ready(columns, rows, summary);
        Ok((rows, running.context.graph.into_txn()))
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
        let seed = match self.options.seed {
            Some(seed) => seed,
            None => random_seed()?,
        };
        let clock: Arc<dyn Clock> = match &self.options.clock {
            Some(clock) => Arc::clone(clock),
            None => Arc::new(SystemClock::new()),
        };
        let limits = Limits {
            batch_rows: self.options.batch_rows,
            memory_bytes: usize::try_from(self.options.memory_bytes).unwrap_or(usize::MAX),
            time: self.options.timeout,
            cancel: self.options.cancel.clone(),
            clock,
        };
        let graph = Graph::new(txn);
        let mut context = Context::new(graph, self.parameters, moments, Random::new(seed), limits);
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

/// The plan of a statement, a line a row.
fn explained(compiled: &Compiled) -> Result<Rows<'static>> {
    let mut summary = Summary::default();
    match &compiled.body {
        Runs::Plan(plan) => show(&mut summary, &plan.lines(&compiled.text), None),
        Runs::Schema(_) => summary.plan = Some("Schema".into()),
    }
    let plan = summary.plan.clone().unwrap_or_default();
    let columns: Arc<[Arc<str>]> = Arc::from([Arc::from("plan")]);
    let rows = plan.lines().map(|line| {
        let values = vec![Value::from(line)];
        Row::new(Arc::clone(&columns), values)
    });
    let rows: Vec<Row> = rows.collect();
    summary.columns = columns.to_vec();
    summary.rows = rows.len() as u64;
    Ok(Rows::ready(columns, rows, summary))
}

/// A parameter that was not given.
fn missing(text: &str, name: &str, parameters: &Parameters) -> Error {
    let fault = raise(
        Detail::MissingParameter,
        format!("parameter `${name}` is not given"),
    );
    let given = parameters.iter().map(|(name, _)| name);
    let fault = match super::spelling::nearest(name, given) {
        Some(other) => fault.hint(format!("`{other}` is given: is it the same?")),
        None => fault,
    };
    match fault {
        Fault::Raised(mut raised) => {
            raised.span = place_of(text, name);
            query_error(QueryError::new(text, Phase::Compile, *raised))
        }
        Fault::Engine(error) => *error,
    }
}

/// Where a parameter first stands in the text.
fn place_of(text: &str, name: &str) -> Option<stratigraph_query_lang::Span> {
    let start = text.find(&format!("${name}"))?;
    let end = start + name.len() + 1;
    let byte = |at: usize| u32::try_from(at).ok();
    Some(stratigraph_query_lang::Span::new(byte(start)?, byte(end)?))
}

fn random_seed() -> Result<u64> {
    let mut seed = [0; 8];
    getrandom::fill(&mut seed)
        .map_err(|_| Error::bug("the operating system gives no random numbers"))?;
    Ok(u64::from_le_bytes(seed))
}
