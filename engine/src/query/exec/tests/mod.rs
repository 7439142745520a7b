//! Plans made by hand, so that what is tested is how they run and not how they are planned.
//!
//! | what | where |
//! |---|---|
//! | functions of the host for many rows at once | `hosts.rs` |
//! | relationships of many nodes beside those of each | `neighbours.rs` |
//! | batches, limits, the stack | `runs.rs` |
//! | trails and shortest ways, beside a search that tries everything | `trails.rs` |

mod hosts;
mod neighbours;
mod runs;
mod trails;

use super::{Context, Graph, Limits, Run, Txn};
use crate::clock::SystemClock;
use crate::database::Database;
use crate::query::error::Fault;
use crate::query::expr::{Expr, ExprKind, Slot, Span};
use crate::query::functions::{Moment, Moments, Random};
use crate::query::plan::{Op, Rules};
use crate::query::types::Types;
use crate::storage::cancel::CancelToken;
use crate::value::Value;
use std::sync::Arc;

/// What a test changes of how a plan runs.
struct Setting {
    batch_rows: usize,
    memory_bytes: usize,
    cancel: CancelToken,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            batch_rows: 1024,
            memory_bytes: 64 << 20,
            cancel: CancelToken::new(),
        }
    }
}

/// A query over a graph.
fn context(graph: Graph<'_>, setting: Setting) -> Context<'_> {
    let moment = Moment {
        second: 0,
        nanosecond: 0,
    };
    let moments = Moments {
        transaction: moment,
        statement: moment,
        real: Box::new(move || moment),
    };
    let limits = Limits {
        batch_rows: setting.batch_rows,
        memory_bytes: setting.memory_bytes,
        time: None,
        steps: None,
        exact: false,
        rules: Rules::ALL,
        threads: 1,
        cancel: setting.cancel,
        clock: Arc::new(SystemClock::new()),
    };
    Context::new(graph, Vec::new(), moments, Random::new(Some(1)), limits)
}

/// A query that reads a database.
fn reading(database: &Database, setting: Setting) -> Context<'static> {
    let read = database.read().unwrap();
    context(Graph::new(Txn::OwnRead(Box::new(read))), setting)
}

/// All rows that the operators give over one row of nulls.
fn rows_of(
    context: &mut Context<'_>,
    ops: Vec<Op>,
    width: usize,
) -> Result<Vec<Vec<Value>>, Fault> {
    let mut run = Run::new(&Arc::from(ops), width, vec![Value::Null; width]);
    let mut rows = Vec::new();
    while let Some(batch) = run.next(context)? {
        assert!(!batch.is_empty(), "a batch has rows");
        rows.extend(batch.rows().map(<[Value]>::to_vec));
    }
    Ok(rows)
}

fn expr(kind: ExprKind) -> Expr {
    Expr {
        kind,
        span: Span { start: 0, end: 0 },
        types: Types::ANY,
    }
}

fn constant(value: impl Into<Value>) -> Expr {
    expr(ExprKind::Constant(value.into()))
}

fn slot(number: u32) -> Expr {
    expr(ExprKind::Slot(Slot(number)))
}
