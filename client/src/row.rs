//! One row.

use crate::Error;
use crate::value::{ColumnReader, RowReader, Value};
use serde::Deserialize;
use std::sync::Arc;

/// One row of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    columns: Arc<[String]>,
    values: Vec<Value>,
}

impl Row {
    pub(crate) fn new(columns: Arc<[String]>, values: Vec<Value>) -> Self {
        Self { columns, values }
    }

    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The values, in the order of the columns.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The values, in the order of the columns.
    #[must_use]
    pub fn into_values(self) -> Vec<Value> {
        self.values
    }

    /// The value of a column.
    #[must_use]
    pub fn value(&self, column: &str) -> Option<&Value> {
        let at = self.columns.iter().position(|name| name == column)?;
        self.values.get(at)
    }

    /// The value of a column as a `T`, which may borrow from the row.
    ///
    /// # Errors
    /// [`Error::NoColumn`], or [`Error::Type`] if it is no `T`.
    pub fn get<'a, T: Deserialize<'a>>(&'a self, column: &str) -> Result<T, Error> {
        let value = self.value(column).ok_or_else(|| Error::NoColumn {
            name: column.to_owned(),
            columns: self.columns.to_vec(),
        })?;
        T::deserialize(ColumnReader(value)).map_err(|error| Error::Type {
            place: format!("column `{column}`, which is {}", value.kind()),
            problem: error.to_string(),
        })
    }

    /// The value of the column with that number, from 0, as a `T`, which may borrow from the row.
    ///
    /// # Errors
    /// [`Error::NoColumn`], or [`Error::Type`] if it is no `T`.
    pub fn at<'a, T: Deserialize<'a>>(&'a self, column: usize) -> Result<T, Error> {
        let value = self.values.get(column).ok_or_else(|| Error::NoColumn {
            name: column.to_string(),
            columns: self.columns.to_vec(),
        })?;
        T::deserialize(ColumnReader(value)).map_err(|error| Error::Type {
            place: format!("column {column}, which is {}", value.kind()),
            problem: error.to_string(),
        })
    }

    /// The whole row as a `T`: a structure or a map by the names of the columns, a tuple or a list by their order, anything
    /// else as the only value. A structure of which no field is called like the only column is read from inside it:
    /// `RETURN p` gives a `Person` with the properties of `p`.
    ///
    /// # Errors
    /// [`Error::Type`] if it is no `T`.
    pub fn deserialize<'a, T: Deserialize<'a>>(&'a self) -> Result<T, Error> {
        let reader = RowReader {
            columns: &self.columns,
            values: &self.values,
        };
        T::deserialize(reader).map_err(|error| Error::Type {
            place: format!("row ({})", self.columns.join(", ")),
            problem: error.to_string(),
        })
    }
}
