//! Sets of types: what is known of a value before the query runs.
//!
//! Next: `functions/mod.rs`, which says what each function takes and gives.

use crate::value::{Value, ValueKind};
use std::fmt;

/// Which types a value may have. Null belongs to every set: what is said is what else it may be.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Types(u32);

macro_rules! types {
    ($($(#[$doc:meta])* $name:ident = $bit:expr, $word:literal;)+) => {
        impl Types {
            $($(#[$doc])* pub(crate) const $name: Self = Self(1 << $bit);)+
        }

        /// Each single type with its name in the language, in the order of the bits.
        const NAMED: &[(Types, &str)] = &[$((Types::$name, $word)),+];
    };
}

types! {
    /// Booleans.
    BOOLEAN = 0, "BOOLEAN";
    /// Whole numbers.
    INTEGER = 1, "INTEGER";
    /// Floating-point numbers.
    FLOAT = 2, "FLOAT";
    /// Text.
    STRING = 3, "STRING";
    /// Bytes.
    BYTES = 4, "BYTES";
    /// Days.
    DATE = 5, "DATE";
    /// Times at an offset.
    TIME = 6, "ZONED TIME";
    /// Times.
    LOCAL_TIME = 7, "LOCAL TIME";
    /// Days and times at an offset.
    DATE_TIME = 8, "ZONED DATETIME";
    /// Days and times.
    LOCAL_DATE_TIME = 9, "LOCAL DATETIME";
    /// Durations.
    DURATION = 10, "DURATION";
    /// Lists.
    LIST = 11, "LIST";
    /// Maps.
    MAP = 12, "MAP";
    /// Embeddings.
    VECTOR = 13, "VECTOR";
    /// Nodes.
    NODE = 14, "NODE";
    /// Relationships.
    RELATIONSHIP = 15, "RELATIONSHIP";
    /// Paths.
    PATH = 16, "PATH";
}

impl Types {
    /// Nothing but null.
    pub(crate) const NULL: Self = Self(0);
    /// Anything.
    pub(crate) const ANY: Self = Self((1 << 17) - 1);
    /// Integers and floats.
    pub(crate) const NUMBER: Self = Self::INTEGER.or(Self::FLOAT);
    /// The five that are places in time.
    pub(crate) const INSTANT: Self = Self::DATE
        .or(Self::TIME)
        .or(Self::LOCAL_TIME)
        .or(Self::DATE_TIME)
        .or(Self::LOCAL_DATE_TIME);
    /// Places in time, and durations.
    pub(crate) const TEMPORAL: Self = Self::INSTANT.or(Self::DURATION);
    /// Nodes and relationships.
    pub(crate) const ENTITY: Self = Self::NODE.or(Self::RELATIONSHIP);
    /// What a property can be.
    pub(crate) const PROPERTY: Self = Self::ANY.without(Self::ENTITY.or(Self::PATH).or(Self::MAP));

    /// Either of both.
    #[must_use]
    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in this and not in `other`.
    #[must_use]
    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether a value of these types can be one of `wanted`; null always can.
    #[must_use]
    pub(crate) const fn may_be(self, wanted: Self) -> bool {
        self.0 == 0 || self.0 & wanted.0 != 0
    }

    /// Whether a value of these types is certainly one of `wanted` or null.
    #[must_use]
    pub(crate) const fn is_within(self, wanted: Self) -> bool {
        self.0 & !wanted.0 == 0
    }

    /// The type of a value.
    #[must_use]
    pub(crate) fn of(value: &Value) -> Self {
        match value.kind() {
            ValueKind::Null => Self::NULL,
            ValueKind::Boolean => Self::BOOLEAN,
            ValueKind::Integer => Self::INTEGER,
            ValueKind::Float => Self::FLOAT,
            ValueKind::String => Self::STRING,
            ValueKind::Bytes => Self::BYTES,
            ValueKind::Date => Self::DATE,
            ValueKind::Time => Self::TIME,
            ValueKind::LocalTime => Self::LOCAL_TIME,
            ValueKind::DateTime => Self::DATE_TIME,
            ValueKind::LocalDateTime => Self::LOCAL_DATE_TIME,
            ValueKind::Duration => Self::DURATION,
            ValueKind::List => Self::LIST,
            ValueKind::Map => Self::MAP,
            ValueKind::Vector => Self::VECTOR,
            ValueKind::Node => Self::NODE,
            ValueKind::Relationship => Self::RELATIONSHIP,
            ValueKind::Path => Self::PATH,
        }
    }
}

impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NULL => return f.write_str("NULL"),
            Self::ANY => return f.write_str("ANY"),
            _ => {}
        }
        let held: Vec<&str> = NAMED
            .iter()
            .filter(|(one, _)| self.0 & one.0 != 0)
            .map(|(_, word)| *word)
            .collect();
        f.write_str(&held.join(" | "))
    }
}

impl fmt::Debug for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_told_by_their_members() {
        let numbers = Types::NUMBER;
        assert_eq!(numbers.to_string(), "INTEGER | FLOAT");
        assert_eq!(Types::ANY.to_string(), "ANY");
        assert!(Types::NULL.may_be(Types::STRING), "null may be anything");
        assert!(numbers.may_be(Types::FLOAT) && !numbers.is_within(Types::FLOAT));
        assert!(!numbers.may_be(Types::STRING));
        assert_eq!(NAMED.len(), 17);
        assert!(NAMED.iter().all(|(one, _)| one.is_within(Types::ANY)));
    }
}
