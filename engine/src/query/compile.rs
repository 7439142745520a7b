//! From a text to what runs: the one function that walks all the way.
//!
//! Next: `cache.rs`, which keeps what it makes.

use super::bind::bind;
use super::cache::Fingerprint;
use super::error::{Fault, Phase, QueryError};
use super::plan::{Plan, RULES, plan};
use super::procedures::Registry;
use super::statistics::Counts;
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
    pub(crate) body: Runs,
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
    optimise: bool,
    made_with: Fingerprint,
) -> Result<Compiled> {
    let statement = parse(text).map_err(|error| query_error(QueryError::parsing(text, error)))?;
    let body = match statement.body {
        Body::Schema(command) => Runs::Schema(Box::new(command)),
        Body::Query(query) => Runs::Plan(planned(text, &query, registry, read, optimise)?),
    };
    Ok(Compiled {
        text: text.into(),
        mode: statement.mode,
        made_with,
        body,
    })
}

/// Binds and plans a query of a text.
fn planned<R: Read>(
    text: &str,
    query: &Query,
    registry: &Registry,
    read: &R,
    optimise: bool,
) -> Result<Arc<Plan>> {
    let bound = bind(text, query, registry, read.catalog());
    let bound = bound.map_err(|fault| fault.into_error(text, Phase::Compile))?;
    let counts = Counts::new(read);
    let rules = if optimise { RULES } else { &[] };
    let plan = plan(bound, &counts, rules);
    counts.finish()?;
    Ok(Arc::new(plan))
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
    Ok(Compiled {
        text: text.into(),
        mode: Mode::Run,
        made_with: Fingerprint::new(read, registry)?,
        body: Runs::Plan(planned(text, &query, registry, read, true)?),
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
