//! The kinds of values, by the names that people read in errors.
//!
//! Next: `order.rs`, which ranks them.

use std::fmt;

use super::Value;

/// What kind of thing a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub enum ValueKind {
    /// [`Value::Null`].
    Null,
    /// [`Value::Bool`].
    Boolean,
    /// [`Value::Int`].
    Integer,
    /// [`Value::Float`].
    Float,
    /// [`Value::String`].
    String,
    /// [`Value::Bytes`].
    Bytes,
    /// [`Value::Date`].
    Date,
    /// [`Value::Time`].
    Time,
    /// [`Value::LocalTime`].
    LocalTime,
    /// [`Value::DateTime`].
    DateTime,
    /// [`Value::LocalDateTime`].
    LocalDateTime,
    /// [`Value::Duration`].
    Duration,
    /// [`Value::List`].
    List,
    /// [`Value::Map`].
    Map,
    /// [`Value::Vector`].
    Vector,
    /// [`Value::Node`].
    Node,
    /// [`Value::Relationship`].
    Relationship,
    /// [`Value::Path`].
    Path,
}

impl ValueKind {
    /// Its name: "integer", "local time", ...
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Date => "date",
            Self::Time => "time",
            Self::LocalTime => "local time",
            Self::DateTime => "date-time",
            Self::LocalDateTime => "local date-time",
            Self::Duration => "duration",
            Self::List => "list",
            Self::Map => "map",
            Self::Vector => "vector",
            Self::Node => "node",
            Self::Relationship => "relationship",
            Self::Path => "path",
        }
    }
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Value {
    /// What kind of thing this is.
    #[must_use]
    pub fn kind(&self) -> ValueKind {
        match self {
            Self::Null => ValueKind::Null,
            Self::Bool(_) => ValueKind::Boolean,
            Self::Int(_) => ValueKind::Integer,
            Self::Float(_) => ValueKind::Float,
            Self::String(_) => ValueKind::String,
            Self::Bytes(_) => ValueKind::Bytes,
            Self::Date(_) => ValueKind::Date,
            Self::Time(_) => ValueKind::Time,
            Self::LocalTime(_) => ValueKind::LocalTime,
            Self::DateTime(_) => ValueKind::DateTime,
            Self::LocalDateTime(_) => ValueKind::LocalDateTime,
            Self::Duration(_) => ValueKind::Duration,
            Self::List(_) => ValueKind::List,
            Self::Map(_) => ValueKind::Map,
            Self::Vector(_) => ValueKind::Vector,
            Self::Node(_) => ValueKind::Node,
            Self::Relationship(_) => ValueKind::Relationship,
            Self::Path(_) => ValueKind::Path,
        }
    }
}
