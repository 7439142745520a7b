//! Running a statement: in a transaction of its own, or within somebody's.
//!
//! Next: `start.rs`.

use super::compile::{Compiled, Runs, compile_expression};
use super::error::{Detail, Fault, Phase, raise};
use super::exec::Txn;
use super::exec::write::refused;
use super::options::QueryOptions;
use super::parameters::Parameters;
use super::prepared::Prepared;
use super::result::{Row, Summary};
use super::rows::Rows;
use super::schema;
use super::shown_plan::show;
use super::start::Start;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::graph::{ReadTxn, WriteTxn};
use crate::value::Value;
use std::sync::Arc;
use stratigraph_query_lang::ast::{Expression, Mode};

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
        let read = self.read()?.with_cancel(options.cancel.clone());
        let registry = self.procedures();
        let compiled = self
            .plans()
            .compiled(text, &registry, &read, options.rules)?;
        self.run(read, &compiled, &parameters.into(), options)
    }

    /// Runs a statement that was compiled before, anew if it does not hold any more.
    pub(super) fn query_compiled(
        &self,
        compiled: &Arc<Compiled>,
        parameters: &Parameters,
        options: &QueryOptions,
    ) -> Result<Rows<'static>> {
        let read = self.read()?.with_cancel(options.cancel.clone());
        let registry = self.procedures();
        let compiled = self
            .plans()
            .renewed(compiled, &registry, &read, options.rules)?;
        self.run(read, &compiled, parameters, options)
    }

    /// Runs what was compiled within `read`.
    fn run(
        &self,
        read: ReadTxn,
        compiled: &Arc<Compiled>,
        parameters: &Parameters,
        options: &QueryOptions,
    ) -> Result<Rows<'static>> {
        if compiled.mode == Mode::Explain {
            return explained(compiled);
        }
        let runtime = |fault: Fault| fault.into_error(&compiled.text, Phase::Runtime);
        match &compiled.body {
            Runs::Schema(command) => {
                drop(read);
                let place = schema::Place {
                    database: self,
                    text: &compiled.text,
                    parameters,
                    options,
                };
                let summary = Summary {
                    counters: schema::run(&place, command).map_err(runtime)?,
                    ..Summary::default()
                };
                Ok(Rows::ready(Arc::from([]), Vec::new(), summary))
            }
            Runs::Plan(plan) if !compiled.writes() => {
                let start = Start::new(compiled, plan, parameters, options)?;
                start.reading(Txn::OwnRead(Box::new(read)))
            }
            Runs::Plan(plan) if plan.commits.is_some() => {
                // All of it now: what its procedures do must not wait until somebody takes its rows.
                let start = Start::new(compiled, plan, parameters, options)?;
                let over = start.completed(Txn::OwnRead(Box::new(read)), None)?;
                Ok(over.rows)
            }
            Runs::Plan(_) => {
                drop(read);
                let txn = self.write()?.with_cancel(options.cancel.clone());
                // Between the two transactions an index may have gone.
                let registry = self.procedures();
                let compiled = self
                    .plans()
                    .renewed(compiled, &registry, &txn, options.rules)?;
                let Runs::Plan(plan) = &compiled.body else {
                    return Err(Error::bug("a query became another statement"));
                };
                let start = Start::new(&compiled, plan, parameters, options)?;
                let txn = Txn::OwnWrite(Box::new(txn));
                let over = start.completed(txn, Some(self.clone()))?;
                let Txn::OwnWrite(mut txn) = over.txn else {
                    return Err(Error::bug("a query lost its transaction"));
                };
                // The time of a query is not that of its commit.
                txn.stop_by(options.cancel.clone());
                // What must be there is only looked for now.
                let committed = txn.commit().map_err(refused).map_err(runtime);
                committed.map_err(|error| error.after_portions(over.portions))?;
                Ok(over.rows)
            }
        }
    }

    /// The value of an expression that names no variable.
    pub(super) fn value_of(
        &self,
        text: &str,
        expression: &Expression,
        parameters: &Parameters,
        options: &QueryOptions,
    ) -> Result<Value> {
        let read = self.read()?.with_cancel(options.cancel.clone());
        let compiled = compile_expression(text, expression, &self.procedures(), &read)?;
        let Runs::Plan(plan) = &compiled.body else {
            return Err(Error::bug("an expression became a declaration"));
        };
        let start = Start::new(&compiled, plan, parameters, options)?;
        let row = start.reading(Txn::OwnRead(Box::new(read)))?.next();
        let value = row.transpose()?.and_then(|row| row.into_values().pop());
        Ok(value.unwrap_or(Value::Null))
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
        let (read, registry) = (self.read()?, self.procedures());
        let compiled = self
            .plans()
            .compiled(text, &registry, &read, options.rules)?;
        Ok(Prepared::new(self.clone(), compiled, options.clone()))
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
        let database = self.database();
        let registry = database.registry();
        let plans = database.plans();
        let compiled = plans.compiled(text, &registry, self, options.rules)?;
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
        let database = self.database();
        let registry = database.registry();
        let plans = database.plans();
        let compiled = plans.compiled(text, &registry, self, options.rules)?;
        if compiled.mode == Mode::Explain {
            return explained(&compiled);
        }
        let Runs::Plan(plan) = &compiled.body else {
            let message = "indexes and constraints are declared outside of transactions";
            let fault = raise(Detail::InvalidTransaction, message);
            let fault = fault.hint("run it with `Database::query`");
            return Err(fault.into_error(text, Phase::Compile));
        };
        if let Some((span, name)) = &plan.commits {
            let message = format!(
                "{name} changes the graph in transactions of its own, and cannot take part in this one"
            );
            let fault = raise(Detail::InvalidTransaction, message).at(*span);
            let fault = fault.hint("call it in a statement of its own, outside of the transaction");
            return Err(fault.into_error(text, Phase::Compile));
        }
        let start = Start::new(&compiled, plan, &parameters.into(), options)?;
        let before = self.savepoint()?;
        let own = self.cancel_token();
        let ran = start
            .completed(Txn::Write(self), None)
            .map(|over| over.rows);
        // What stopped the query does not stop the transaction.
        self.stop_by(own);
        if ran.is_err() {
            self.rollback_to(before)?;
        }
        self.release(before)?;
        ran
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
