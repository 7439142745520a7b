//! A declared query is run: its rows, and what of the graph stands in them.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use stratigraph::graph::Entity;
use stratigraph::{Parameters, QueryOptions, ReadTxn, Rows, Value};
use stratigraph_models::Embedder;

use super::arguments::Checked;
use super::plain::row;
use super::{Declared, RouteError};
use crate::retrieve::{Found, Item, Score};

/// What runs statements that only read.
pub trait Statements {
    /// Runs one.
    ///
    /// # Errors
    /// What the database says.
    fn rows(
        &self,
        statement: &str,
        parameters: Parameters,
        options: &QueryOptions,
    ) -> Result<Rows<'_>, stratigraph::Error>;
}

impl Statements for ReadTxn {
    fn rows(
        &self,
        statement: &str,
        parameters: Parameters,
        options: &QueryOptions,
    ) -> Result<Rows<'_>, stratigraph::Error> {
        self.query_with(statement, parameters, options)
    }
}

/// How much a call may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallLimits {
    /// So many rows are taken; of more it is told that there are.
    pub rows: usize,
    /// So long it may run.
    pub time: Duration,
    /// Whether its searches of vectors miss nothing, whatever its statement says.
    pub exact: bool,
}

impl CallLimits {
    /// The most rows that anybody may ask for.
    pub const MOST_ROWS: usize = 10_000;
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            rows: 100,
            time: Duration::from_secs(10),
            exact: false,
        }
    }
}

/// So much work a call may be, as the engine counts it; whatever its rows are.
const MOST_STEPS: u64 = 50_000_000;
/// So many bytes its rows may hold.
const MEMORY_BYTES: u64 = 256 << 20;
/// So deep declared queries may call each other, by procedures in their statements.
const DEEPEST: usize = 4;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Goes one deeper until it is dropped.
struct Deeper;

impl Deeper {
    fn new() -> Result<Self, RouteError> {
        match DEPTH.get() {
            DEEPEST.. => Err(RouteError::TooDeep { most: DEEPEST }),
            depth => {
                DEPTH.set(depth + 1);
                Ok(Self)
            }
        }
    }
}

impl Drop for Deeper {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get().saturating_sub(1));
    }
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Called {
    /// The query.
    pub name: String,
    /// What it was called with, defaults included.
    pub arguments: Map<String, Json>,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows, each with a value for each column.
    pub rows: Vec<Map<String, Json>>,
    /// Whether there are more, which are not told.
    pub more: bool,
    /// The nodes and relationships of the rows, with their receipts, each once.
    pub found: Vec<Found>,
    /// Of each row, which of these stand in it.
    pub in_rows: Vec<Vec<usize>>,
}

/// The rows of a call, as the language has them.
pub(crate) struct Ran {
    pub(crate) arguments: Map<String, Json>,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Value>>,
    pub(crate) more: bool,
    /// Whether no search in it can have missed anything.
    pub(crate) exact: bool,
}

/// Runs a declared query.
pub(crate) fn run(
    statements: &dyn Statements,
    embedder: &dyn Embedder,
    (declared, arguments): (&Declared, &Json),
    limits: CallLimits,
) -> Result<Ran, RouteError> {
    let checked = Checked::of(declared, arguments)?;
    let parameters = checked.bind(embedder)?;
    let _deeper = Deeper::new()?;
    let options = QueryOptions::new()
        .timeout(limits.time)
        .exact(limits.exact)
        .max_steps(MOST_STEPS)
        .memory_bytes(MEMORY_BYTES);
    let failed = |source: stratigraph::Error| match source {
        // The statement was fine when it was declared: what it names may be gone by now.
        stratigraph::Error::Query(_) => RouteError::Statement {
            name: declared.name.clone(),
            source: Box::new(source),
        },
        error => error.into(),
    };
    let statement = &declared.statement;
    let mut found = statements
        .rows(statement, parameters, &options)
        .map_err(failed)?;
    let columns = found.columns().iter().map(ToString::to_string);
    let columns = columns.collect();
    let most = limits.rows.clamp(1, CallLimits::MOST_ROWS);
    let mut rows = Vec::new();
    let mut more = false;
    for row in &mut found {
        let row = row.map_err(failed)?;
        if rows.len() >= most {
            more = true;
            break;
        }
        rows.push(row.into_values());
    }
    let searches = found.summary().searches();
    Ok(Ran {
        arguments: checked.told().clone(),
        columns,
        exact: searches.iter().all(|search| search.exact),
        rows,
        more,
    })
}

impl Ran {
    /// The nodes and relationships of the rows in the order in which they come, each once. What stands on a path has
    /// the path before it as its way; what stands in a row after something else has that.
    pub(crate) fn items(&self, name: &str, score: Score) -> Vec<Item> {
        let mut seen = HashSet::new();
        let mut items = Vec::new();
        for row in &self.rows {
            let mut first: Option<Item> = None;
            // What is on a path is told with its way, whichever column comes first.
            let (paths, others): (Vec<_>, Vec<_>) = row
                .iter()
                .partition(|value| matches!(value, Value::Path(_)));
            let mut in_row = Vec::new();
            for value in others.iter().chain(&paths) {
                entities(value, &mut in_row, 0);
            }
            let mut ways: Vec<Item> = Vec::new();
            for path in &paths {
                let Value::Path(path) = path else { continue };
                let mut nodes = path.nodes().iter();
                let Some(start) = nodes.next() else { continue };
                let mut at = Item::found(start.id(), score);
                ways.push(at.clone());
                for (node, by) in nodes.zip(path.relationships()) {
                    at = at.step(by.relationship_type().to_owned(), node.id());
                    ways.push(at.clone());
                }
            }
            for entity in in_row {
                let way = ways.iter().find(|item| item.entity == entity).cloned();
                let item = way.unwrap_or_else(|| match &first {
                    Some(first) => first.step(name.to_owned(), entity),
                    None => Item::found(entity, score),
                });
                if first.is_none() {
                    first = Some(item.clone());
                }
                if seen.insert(entity) {
                    items.push(item);
                }
            }
        }
        items
    }

    /// Of each row, which of these stand in it, by their places.
    pub(crate) fn in_rows(&self, items: &[Item]) -> Vec<Vec<usize>> {
        let places: HashMap<Entity, usize> = { items.iter().enumerate() }
            .map(|(at, item)| (item.entity, at))
            .collect();
        let rows = self.rows.iter().map(|row| {
            let mut found = Vec::new();
            for value in row {
                entities(value, &mut found, 0);
            }
            let mut seen = HashSet::new();
            let places = found.iter().filter_map(|entity| places.get(entity));
            places.copied().filter(|at| seen.insert(*at)).collect()
        });
        rows.collect()
    }

    /// The rows as objects.
    pub(crate) fn told(&self) -> Vec<Map<String, Json>> {
        let rows = self.rows.iter();
        rows.map(|values| row(&self.columns, values)).collect()
    }
}

/// The nodes and relationships in a value. Of a path its nodes: the relationships are the way between them.
fn entities(value: &Value, found: &mut Vec<Entity>, depth: usize) {
    /// Values nest no deeper than that in anything that somebody means.
    const DEEPEST: usize = 16;
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::Node(node) => found.push(node.id().into()),
        Value::Relationship(one) => found.push(one.id().into()),
        Value::Path(path) => found.extend(path.nodes().iter().map(|node| Entity::from(node.id()))),
        Value::List(values) => {
            for value in values.iter() {
                entities(value, found, depth + 1);
            }
        }
        Value::Map(entries) => {
            for value in entries.values() {
                entities(value, found, depth + 1);
            }
        }
        _ => {}
    }
}
