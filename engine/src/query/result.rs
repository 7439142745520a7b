//! What a query gives: rows, and a summary.
//!
//! Next: `crate::value`, whose `to` makes Rust's types of values.

use super::counters::Counters;
use super::provenance::{SearchReport, TraversalReport};
use crate::codec::CommitSeq;
use crate::error::{Error, Result};
use crate::value::Value;
use serde::de::DeserializeOwned;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// One row of a result. It holds everything that is in it, and needs no transaction.
///
/// ```
/// use stratigraph::Database;
///
/// #[derive(serde::Deserialize)]
/// struct Person {
///     name: String,
///     age: Option<i64>,
/// }
/// let db = Database::in_memory()?;
/// let row = db.query("RETURN 'Ann' AS name, 7 AS age", ())?.next().unwrap()?;
/// let name: String = row.get("name")?; // by its name
/// let age: Option<i64> = row.get(1)?; // by its place, from 0
/// let person: Person = row.to()?; // the whole row
/// assert_eq!((name, age), (person.name, person.age));
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone)]
pub struct Row {
    columns: Arc<[Arc<str>]>,
    values: Vec<Value>,
}

/// How a column is named: by its name, or by its place from 0.
pub trait ColumnIndex {
    /// Its place among the columns; none if there is no such column.
    fn place(&self, columns: &[Arc<str>]) -> Option<usize>;

    /// What was asked for, as a message shows it.
    fn shown(&self) -> String;
}

impl ColumnIndex for &str {
    fn place(&self, columns: &[Arc<str>]) -> Option<usize> {
        columns.iter().position(|column| **column == **self)
    }

    fn shown(&self) -> String {
        (*self).to_owned()
    }
}

impl ColumnIndex for usize {
    fn place(&self, columns: &[Arc<str>]) -> Option<usize> {
        (*self < columns.len()).then_some(*self)
    }

    fn shown(&self) -> String {
        format!("number {self}")
    }
}

impl Row {
    /// A row with a value for every column.
    pub(crate) fn new(columns: Arc<[Arc<str>]>, values: Vec<Value>) -> Self {
        debug_assert_eq!(columns.len(), values.len());
        Self { columns, values }
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[Arc<str>] {
        &self.columns
    }

    /// The values, one for each column.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The values, without the row.
    #[must_use]
    pub fn into_values(self) -> Vec<Value> {
        self.values
    }

    /// The value of a column; `None` if there is no such column.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a column is a name or a number, which callers write down in place"
    )]
    pub fn value(&self, column: impl ColumnIndex) -> Option<&Value> {
        self.values.get(column.place(&self.columns)?)
    }

    /// A column as one of Rust's types: everything that serde can read.
    ///
    /// # Errors
    /// [`Error::UnknownName`] if there is no such column, [`Error::WrongType`] if its value is something else.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a column is a name or a number, which callers write down in place"
    )]
    pub fn get<T: DeserializeOwned>(&self, column: impl ColumnIndex) -> Result<T> {
        let place = column.place(&self.columns);
        let found = place.and_then(|place| Some((place, self.values.get(place)?)));
        let (place, value) = found.ok_or_else(|| Error::UnknownName {
            what: "column",
            name: column.shown().into(),
        })?;
        let name = self.columns.get(place).map_or("", |name| &**name);
        value.read_under(name)
    }

    /// The row as a struct with a field for each column, or a tuple, or a map.
    ///
    /// # Errors
    /// [`Error::WrongType`] if the row is something else.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T> {
        crate::value::read_row(&self.columns, &self.values)
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (column, value) in self.columns.iter().zip(&self.values) {
            map.entry(column, &format_args!("{value}"));
        }
        map.finish()
    }
}

/// An operator of a plan.
#[derive(Clone, Debug)]
pub struct PlanOperator {
    pub(crate) depth: usize,
    pub(crate) text: Arc<str>,
    pub(crate) work: Option<OperatorWork>,
}

impl PlanOperator {
    /// How deep it is nested in others.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// What it is called, and what it works on.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it has done, if the query began with `PROFILE`; nothing for a line that is a part of an operator.
    #[must_use]
    pub fn work(&self) -> Option<&OperatorWork> {
        self.work.as_ref()
    }
}

/// What an operator has done, without what is nested in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperatorWork {
    /// The rows that it gave.
    pub rows: u64,
    /// The batches that they came in.
    pub batches: u64,
    /// How often it asked the store.
    pub seeks: u64,
    /// How many properties it read.
    pub properties: u64,
    /// How many bytes of keys and values the store gave it. What an index has in memory does not count.
    pub read_bytes: u64,
    /// How many distances between vectors it computed.
    pub distances: u64,
    /// The most memory that it held between two steps, in bytes.
    pub memory_bytes: u64,
    /// The time that it took.
    pub time: Duration,
}

/// What is known about a query after it has run.
///
/// ```
/// use stratigraph::Database;
///
/// let db = Database::in_memory()?;
/// let summary = db.query("CREATE (p:Person {name: 'Ann'}) RETURN p", ())?.finish()?;
/// assert_eq!(summary.counters().nodes_created(), 1);
/// assert_eq!(summary.rows(), 1);
/// # Ok::<(), stratigraph::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub(crate) columns: Vec<Arc<str>>,
    pub(crate) counters: Counters,
    pub(crate) plan: Option<Arc<str>>,
    pub(crate) operators: Vec<PlanOperator>,
    pub(crate) rows: u64,
    pub(crate) steps: u64,
    pub(crate) searches: Vec<SearchReport>,
    pub(crate) traversals: Vec<TraversalReport>,
    pub(crate) sequence: Option<CommitSeq>,
}

impl Summary {
    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[Arc<str>] {
        &self.columns
    }

    /// Whether a `TRAVERSE` has ended at its `BUDGET`, so that levels are missing.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.traversals.iter().any(|report| report.truncated)
    }

    /// What it changed.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// How it runs, for people: if the query began with `EXPLAIN` or `PROFILE`.
    #[must_use]
    pub fn plan(&self) -> Option<&str> {
        self.plan.as_deref()
    }

    /// The operators of the plan in the order in which it is shown: if the query began with `EXPLAIN` or `PROFILE`.
    #[must_use]
    pub fn operators(&self) -> &[PlanOperator] {
        &self.operators
    }

    /// How many rows it gave.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How each `SEARCH` was answered, and each `RECOVER` by codes, in the order of the text.
    #[must_use]
    pub fn searches(&self) -> &[SearchReport] {
        &self.searches
    }

    /// What each `TRAVERSE` did, and how much of its `BUDGET` that was, in the order of the text.
    #[must_use]
    pub fn traversals(&self) -> &[TraversalReport] {
        &self.traversals
    }

    /// The commit that it read; if it writes, the one before its own. None if it read nothing.
    #[must_use]
    pub fn sequence(&self) -> Option<CommitSeq> {
        self.sequence
    }

    /// How much work it was: rows that operators made, and relationships that were looked at. Unlike time, it is
    /// the same with every run over the same data.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn row() -> Row {
        let columns: Vec<Arc<str>> = vec!["name".into(), "age".into()];
        Row::new(columns.into(), vec!["Ann".into(), 7.into()])
    }

    #[test]
    fn columns_are_read_by_name_and_by_place() {
        let row = row();
        assert_eq!(row.get::<String>("name").unwrap(), "Ann");
        assert_eq!(row.get::<u8>(1).unwrap(), 7);
        assert_eq!(row.value("age").and_then(Value::as_int), Some(7));
        assert!(row.value("year").is_none() && row.value(2).is_none());
        let refused = row.get::<String>("year").unwrap_err();
        assert_eq!(refused.to_string(), "there is no column year");
        let refused = row.get::<u8>(2).unwrap_err();
        assert_eq!(refused.to_string(), "there is no column number 2");
        let refused = row.get::<u8>("name").unwrap_err().to_string();
        assert!(refused.starts_with("name "), "{refused}");
        assert_eq!(format!("{row:?}"), r#"{"name": 'Ann', "age": 7}"#);
    }

    #[test]
    fn rows_are_read_as_structs_tuples_and_maps() {
        #[derive(serde::Deserialize, PartialEq, Debug)]
        struct Person {
            name: String,
            age: u8,
        }
        let ann = Person {
            name: "Ann".to_owned(),
            age: 7,
        };
        assert_eq!(row().to::<Person>().unwrap(), ann);
        let tuple: (String, i64) = row().to().unwrap();
        assert_eq!(tuple, ("Ann".to_owned(), 7));
        let map: BTreeMap<String, serde_json::Value> = row().to().unwrap();
        assert_eq!(map["age"], 7);
        assert!(row().to::<(String,)>().is_err(), "a column is left over");
    }
}
