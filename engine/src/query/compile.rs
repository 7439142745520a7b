//! From a text to what runs: the one function that walks all the way.
//!
//! Next: `cache.rs`, which keeps what it makes.

use super::asked::AskedName;
use super::bind::bind;
use super::cache::Fingerprint;
use super::error::{Fault, Phase, QueryError};
use super::plan::{Plan, Rules, plan};
use super::procedures::Registry;
use super::statistics::{Counts, Guards};
use crate::error::{Error, Result};
use crate::graph::Read;
use std::sync::Arc;
use stratigraph_query_lang::ast::{
    Body, Clause, Expression, Mode, Projection, ProjectionItem, Query, SchemaCommand, SingleQuery,
};
use stratigraph_query_lang::parse;

/// A statement that is ready to run.
#[derive(Debug)]
pub(crate) struct Compiled {
    /// The text, to show places in it.
    pub(crate) text: Arc<str>,
    /// Whether it runs or is only shown.
    pub(crate) mode: Mode,
    /// What it was made with: while that is the same, it holds.
    pub(crate) made_with: Fingerprint,
    /// The counts that it was made by, which may change a little.
    pub(super) guards: Guards,
    pub(crate) body: Runs,
    /// The names that it asks for.
    pub(super) asked: Vec<AskedName>,
}

/// What a statement runs as.
#[derive(Debug)]
pub(crate) enum Runs {
    /// Operators.
    Plan(Arc<Plan>),
    /// A change of what is declared.
    Schema(Box<SchemaCommand>),
}

impl Compiled {
    /// Whether it changes the graph or what is declared.
    pub(crate) fn writes(&self) -> bool {
        match &self.body {
            Runs::Plan(plan) => plan.writes || plan.transactions || plan.commits.is_some(),
            Runs::Schema(_) => true,
        }
    }
}

/// Reads, binds and plans a statement.
pub(crate) fn compile<R: Read>(
    text: &str,
    registry: &Registry,
    read: &R,
    rules: Rules,
    made_with: Fingerprint,
) -> Result<Compiled> {
    let statement = parse(text).map_err(|error| query_error(QueryError::parsing(text, error)))?;
    let (body, guards, asked) = match statement.body {
        Body::Schema(command) => {
            let body = Runs::Schema(Box::new(command));
            (body, Guards::default(), Vec::new())
        }
        Body::Query(query) => {
            let (plan, guards, asked) = planned(text, &query, registry, read, rules)?;
            (Runs::Plan(plan), guards, asked)
        }
    };
    Ok(Compiled {
        text: text.into(),
        mode: statement.mode,
        made_with,
        guards,
        body,
        asked,
    })
}

/// Binds and plans a query of a text; with what the plan depends on, and the names that are asked for.
fn planned<R: Read>(
    text: &str,
    query: &Query,
    registry: &Registry,
    read: &R,
    rules: Rules,
) -> Result<(Arc<Plan>, Guards, Vec<AskedName>)> {
    let bound = bind(text, query, registry, read.catalog());
    let mut bound = bound.map_err(|fault| fault.into_error(text, Phase::Compile))?;
    let asked = std::mem::take(&mut bound.asked).into_iter().collect();
    let counts = Counts::new(read);
    let plan = plan(bound, &counts, rules);
    Ok((Arc::new(plan), counts.finish()?, asked))
}

/// Binds and plans an expression of a text that names no variable: as a query that returns it.
pub(crate) fn compile_expression<R: Read>(
    text: &str,
    expression: &Expression,
    registry: &Registry,
    read: &R,
) -> Result<Compiled> {
    let span = expression.span;
    let item = ProjectionItem {
        expression: expression.clone(),
        alias: None,
    };
    let returned = Clause::Return(Projection {
        distinct: false,
        all: None,
        items: vec![item],
        order: Vec::new(),
        skip: None,
        limit: None,
        filter: None,
        span,
    });
    let clauses = vec![returned];
    let query = Query {
        parts: vec![SingleQuery { clauses, span }],
        unions: Vec::new(),
        span,
    };
    let (plan, guards, asked) = planned(text, &query, registry, read, Rules::ALL)?;
    Ok(Compiled {
        text: text.into(),
        mode: Mode::Run,
        made_with: Fingerprint::new(read, registry)?,
        guards,
        body: Runs::Plan(plan),
        asked,
    })
}

pub(crate) fn query_error(error: QueryError) -> Error {
    Error::Query(Box::new(error))
}

impl Fault {
    /// The error of a whole query.
    pub(crate) fn into_error(self, text: &str, phase: Phase) -> Error {
        match self {
            Self::Engine(error) => *error,
            Self::Raised(raised) => query_error(QueryError::new(text, phase, *raised)),
        }
    }
}
