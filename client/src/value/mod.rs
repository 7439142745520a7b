//! Values: what parameters hold and rows give.
//!
//! They are this crate's own; `wire.rs` alone knows the protocol's. `ser.rs` makes a value of anything that serde can
//! take apart, and `de.rs` makes anything that serde can put together of a value.
//!
//! Types of this file keep what they are on the way through serde by their names ([`names`]); in other formats
//! they are ordinary structures.

mod de;
mod flat;
mod graph;
mod name_writer;
mod names;
mod row;
mod ser;
mod temporal;
mod text;
mod wire;

pub use graph::{Node, Path, Relationship};
pub use temporal::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};

pub(crate) use de::{ColumnReader, RowReader};
pub(crate) use ser::to_value;
pub(crate) use wire::{
    entry_to_wire, from_wire, map_from_wire, map_to_wire, to_wire, vector_to_wire,
};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename = "$stratigraph.Value")]
#[non_exhaustive]
pub enum Value {
    /// Nothing known.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Text.
    String(String),
    /// Bytes.
    Bytes(Bytes),
    /// Values in a row.
    List(Vec<Value>),
    /// Values under names.
    Map(BTreeMap<String, Value>),
    /// An embedding.
    Vector(Vector),
    /// A calendar day.
    Date(Date),
    /// A time of day at an offset from UTC.
    Time(Time),
    /// A time of day.
    LocalTime(LocalTime),
    /// A moment, and how it is told.
    DateTime(DateTime),
    /// What a calendar and a clock show, anywhere.
    LocalDateTime(LocalDateTime),
    /// A length of time.
    Duration(Duration),
    /// A node. Only in results.
    Node(Node),
    /// A relationship. Only in results.
    Relationship(Relationship),
    /// A path. Only in results.
    Path(Path),
}

/// An embedding. As a parameter it is a vector of the language, where a `Vec<f32>` is a list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename = "$stratigraph.Vector")]
pub struct Vector(pub Vec<f32>);

/// Bytes. As a parameter they are bytes of the language, where a `Vec<u8>` is a list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename = "$stratigraph.Bytes")]
pub struct Bytes(pub Vec<u8>);

impl Value {
    /// What kind of value it is, in the language's words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Bool(_) => "BOOLEAN",
            Self::Int(_) => "INTEGER",
            Self::Float(_) => "FLOAT",
            Self::String(_) => "STRING",
            Self::Bytes(_) => "BYTES",
            Self::List(_) => "LIST",
            Self::Map(_) => "MAP",
            Self::Vector(_) => "VECTOR",
            Self::Date(_) => "DATE",
            Self::Time(_) => "ZONED TIME",
            Self::LocalTime(_) => "LOCAL TIME",
            Self::DateTime(_) => "ZONED DATETIME",
            Self::LocalDateTime(_) => "LOCAL DATETIME",
            Self::Duration(_) => "DURATION",
            Self::Node(_) => "NODE",
            Self::Relationship(_) => "RELATIONSHIP",
            Self::Path(_) => "PATH",
        }
    }

    /// A value of anything that serde can take apart.
    ///
    /// # Errors
    /// [`crate::Error::Type`] if the language has nothing like it: a number above 2^63, names that are not text, or lists and maps
    /// that nest more than 32 deep.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Result<Self, crate::Error> {
        to_value(value).map_err(|error| crate::Error::Type {
            place: "value".to_owned(),
            problem: error.to_string(),
        })
    }

    /// The value as anything that serde can put together.
    ///
    /// # Errors
    /// [`crate::Error::Type`] if it is not like that.
    pub fn get<'a, T: Deserialize<'a>>(&'a self) -> Result<T, crate::Error> {
        T::deserialize(ColumnReader(self)).map_err(|error| crate::Error::Type {
            place: "value".to_owned(),
            problem: error.to_string(),
        })
    }
}

#[cfg(test)]
mod tests;
