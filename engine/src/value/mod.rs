//! Values: what properties hold and queries compute, their order and equality, and how they become
//! bytes.
//!
//! One order and one equality serve every sort, index, grouping and uniqueness check of the
//! database: [`Value::order`] in `order.rs`. The three-valued `=` and `<` of the query language are
//! a different thing, because there null is unknown and NaN equals nothing: [`Value::equals`] and
//! [`Value::compare`] in `equality.rs`. For that reason [`Value`] has no `==` of its own; say which
//! one you mean, or wrap the value in [`Grouped`].
//!
//! | what | where |
//! |---|---|
//! | how deep lists and maps may nest, and the constructors that see to it | `nesting.rs` |
//! | dates, times, durations | `temporal/` |
//! | which values a property may hold | `storable.rs` |
//! | keys: byte order is value order, number kinds merged | [`ordered`] |
//! | records: compact and exact | [`record`] |
//! | dumps: JSON, exact | [`json`] |
//!
//! Nothing here does I/O or knows a graph. The decoders trust no byte; see `codec/mod.rs`.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::sync::Arc;

mod convert;
mod display;
mod entity;
mod equality;
mod exact;
mod grouped;
mod ids;
pub mod json;
mod kind;
mod nesting;
mod number;
mod order;
pub mod ordered;
mod read;
pub mod record;
mod size;
mod storable;
mod temporal;
mod vector;
mod write;

#[cfg(test)]
pub(crate) mod any_value;

pub use entity::{NodeValue, PathValue, RelationshipValue};
pub use equality::Comparison;
pub(crate) use exact::Exact;
pub use grouped::Grouped;
pub use ids::{NodeId, RelationshipId};
pub use kind::ValueKind;
pub use nesting::{MAX_DEPTH, TooDeep};
pub(crate) use read::read_row;
pub use storable::{NotStorable, check_storable};
pub use temporal::{
    Date, DateTime, Duration, LocalDateTime, LocalTime, SECONDS_PER_AVERAGE_MONTH, TemporalError,
    TemporalTextError, TextProblem, Time, UtcOffset, ZoneName,
};
pub use vector::{BadVector, Vector};
pub(crate) use write::write_entries;

/// What a property holds or an expression gives.
///
/// Cloning is cheap: what does not fit into a machine word or two is shared behind a pointer.
/// Lists and maps nest at most [`MAX_DEPTH`] deep; [`Value::list`] and [`Value::map`] check it.
///
/// ```
/// use stratigraph::value::Value;
///
/// let value = Value::from(vec![1, 2]);
/// assert_eq!(value.to_string(), "[1, 2]");
/// assert!(value.equivalent(&Value::from(vec![1.0, 2.0])));
/// assert_eq!(Value::Null.equals(&Value::Null), None);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value {
    /// Nothing known.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A floating-point number, NaN and the infinities included.
    Float(f64),
    /// Text.
    String(Arc<str>),
    /// Bytes of no further meaning here.
    Bytes(Arc<[u8]>),
    /// A calendar day.
    Date(Date),
    /// A time of day at an offset from UTC.
    Time(Time),
    /// A time of day.
    LocalTime(LocalTime),
    /// A calendar day and a time of day at an offset from UTC, perhaps in a named zone.
    DateTime(DateTime),
    /// A calendar day and a time of day.
    LocalDateTime(LocalDateTime),
    /// Months, days, seconds and nanoseconds.
    Duration(Duration),
    /// Values in a row.
    List(Arc<[Value]>),
    /// Values under names, sorted by name.
    Map(Arc<BTreeMap<Arc<str>, Value>>),
    /// An embedding.
    Vector(Vector),
    /// A node of a query's result.
    Node(NodeValue),
    /// A relationship of a query's result.
    Relationship(RelationshipValue),
    /// A path of a query's result.
    Path(Arc<PathValue>),
}

/// Rows are made of values, so their size is the size of rows; a larger variant shares its parts
/// behind a pointer instead.
const _: () = assert!(size_of::<Value>() == 24);
