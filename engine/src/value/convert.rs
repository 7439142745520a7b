//! From Rust's types to values and back.
//!
//! `From` is for nesting that is plain from the source, such as a `Vec` of strings; where data
//! decides how deep values nest, `nesting.rs` has the constructors that check.
//!
//! Next: `display.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{
    Date, DateTime, Duration, LocalDateTime, LocalTime, NodeValue, PathValue, RelationshipValue,
    Time, Value, Vector,
};

macro_rules! from {
    ($($type:ty => |$value:ident| $made:expr),+ $(,)?) => {$(
        impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $made
            }
        }
    )+};
}

from! {
    bool => |value| Self::Bool(value),
    i64 => |value| Self::Int(value),
    i32 => |value| Self::Int(i64::from(value)),
    u32 => |value| Self::Int(i64::from(value)),
    f64 => |value| Self::Float(value),
    f32 => |value| Self::Float(value.into()),
    &[u8] => |value| Self::Bytes(value.into()),
    &str => |value| Self::String(value.into()),
    String => |value| Self::String(value.into()),
    Arc<str> => |value| Self::String(value),
    Date => |value| Self::Date(value),
    Time => |value| Self::Time(value),
    LocalTime => |value| Self::LocalTime(value),
    DateTime => |value| Self::DateTime(value),
    LocalDateTime => |value| Self::LocalDateTime(value),
    Duration => |value| Self::Duration(value),
    Vector => |value| Self::Vector(value),
    NodeValue => |value| Self::Node(value),
    RelationshipValue => |value| Self::Relationship(value),
    PathValue => |value| Self::Path(Arc::new(value)),
}

/// For sizes and ids of other systems, which may be larger than an integer here.
///
/// ```
/// use stratigraph::Value;
///
/// assert_eq!(Value::try_from(7_u64)?.as_int(), Some(7));
/// assert!(Value::try_from(u64::MAX).is_err());
/// # Ok::<(), std::num::TryFromIntError>(())
/// ```
impl TryFrom<u64> for Value {
    type Error = std::num::TryFromIntError;

    fn try_from(value: u64) -> Result<Self, Self::Error> {
        i64::try_from(value).map(Self::Int)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

macro_rules! accessors {
    ($($(#[$doc:meta])* $name:ident -> $type:ty: $pattern:pat => $made:expr),+ $(,)?) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(&self) -> Option<$type> {
            match self {
                $pattern => Some($made),
                _ => None,
            }
        }
    )+};
}

impl Value {
    /// Bytes as a value; a slice of them has `From` too. `Vec<u8>` has not, because a list of numbers is
    /// another thing.
    #[must_use]
    pub fn bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self::Bytes(bytes.into())
    }

    /// Whether this is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    accessors! {
        /// The boolean, if this is one.
        as_bool -> bool: Self::Bool(value) => *value,
        /// The integer, if this is one; a float never is.
        as_int -> i64: Self::Int(value) => *value,
        /// The float, if this is one; an integer never is.
        as_float -> f64: Self::Float(value) => *value,
        /// The text, if this is a string.
        as_str -> &str: Self::String(value) => value,
        /// The bytes, if this is bytes.
        as_bytes -> &[u8]: Self::Bytes(value) => value,
        /// The date, if this is one.
        as_date -> Date: Self::Date(value) => *value,
        /// The time, if this is one.
        as_time -> Time: Self::Time(value) => *value,
        /// The local time, if this is one.
        as_local_time -> LocalTime: Self::LocalTime(value) => *value,
        /// The date-time, if this is one.
        as_date_time -> &DateTime: Self::DateTime(value) => value,
        /// The local date-time, if this is one.
        as_local_date_time -> LocalDateTime: Self::LocalDateTime(value) => *value,
        /// The duration, if this is one.
        as_duration -> &Duration: Self::Duration(value) => value,
        /// The elements, if this is a list.
        as_list -> &[Value]: Self::List(value) => value,
        /// The entries, if this is a map.
        as_map -> &BTreeMap<Arc<str>, Value>: Self::Map(value) => value,
        /// The vector, if this is one.
        as_vector -> &Vector: Self::Vector(value) => value,
        /// The node, if this is one.
        as_node -> &NodeValue: Self::Node(value) => value,
        /// The relationship, if this is one.
        as_relationship -> &RelationshipValue: Self::Relationship(value) => value,
        /// The path, if this is one.
        as_path -> &PathValue: Self::Path(value) => value,
    }
}
