//! The one total order of values: every sort, index, grouping and uniqueness check uses it.
//!
//! Ascending: maps, nodes, relationships, lists, paths, vectors, bytes, date-times, local
//! date-times, dates, times, local times, durations, strings, booleans, numbers, NaN, null. Within
//! a kind:
//!
//! - maps by size, then their sorted keys, then the values in the order of the keys;
//! - nodes and relationships by id, paths by the ids along them;
//! - lists element by element, a prefix before its extension;
//! - vectors by dimension, then number by number;
//! - strings by code point, bytes by byte, both a prefix first;
//! - `false` before `true`;
//! - integers and floats together by mathematical value: 1 and 1.0 are one place in the order, as
//!   are 0.0 and -0.0, and 2^53 + 1 lies above the float 2^53;
//! - dates and times as `temporal/` says with their `Ord`.
//!
//! The order is also kept in bytes, by `ordered.rs`, which shares the ranks below: a change here is
//! a change of the format of every index.
//!
//! The recursion is as deep as the value, at most [`MAX_DEPTH`](super::MAX_DEPTH).
//!
//! Next: `grouped.rs`, a value that is a map key under this order.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::Value;
use super::number::{compare_int_with_float, exact_int};

/// The ranks of the kinds, with room between them for kinds to come. Nodes, relationships and paths are
/// never stored; their ranks are only compared.
pub(super) mod rank {
    pub(in super::super) const MAP: u8 = 0x10;
    pub(in super::super) const NODE: u8 = 0x18;
    pub(in super::super) const RELATIONSHIP: u8 = 0x20;
    pub(in super::super) const LIST: u8 = 0x28;
    pub(in super::super) const PATH: u8 = 0x30;
    pub(in super::super) const VECTOR: u8 = 0x38;
    pub(in super::super) const BYTES: u8 = 0x40;
    pub(in super::super) const DATE_TIME: u8 = 0x48;
    pub(in super::super) const LOCAL_DATE_TIME: u8 = 0x50;
    pub(in super::super) const DATE: u8 = 0x58;
    pub(in super::super) const TIME: u8 = 0x60;
    pub(in super::super) const LOCAL_TIME: u8 = 0x68;
    pub(in super::super) const DURATION: u8 = 0x70;
    pub(in super::super) const STRING: u8 = 0x78;
    pub(in super::super) const BOOLEAN: u8 = 0x80;
    pub(in super::super) const NUMBER: u8 = 0x88;
    pub(in super::super) const NAN: u8 = 0x90;
    pub(in super::super) const NULL: u8 = 0x98;
}

impl Value {
    /// Where this value stands to another in the one total order.
    ///
    /// ```
    /// use stratigraph::value::Value;
    ///
    /// let mut values = [Value::Null, 2.into(), f64::NAN.into(), 1.5.into(), "a".into()];
    /// values.sort_by(Value::order);
    /// assert_eq!(Value::from(values.to_vec()).to_string(), "['a', 1.5, 2, NaN, null]");
    /// ```
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(left), Self::Bool(right)) => left.cmp(right),
            (Self::Int(left), Self::Int(right)) => left.cmp(right),
            (Self::String(left), Self::String(right)) => left.cmp(right),
            (Self::Bytes(left), Self::Bytes(right)) => left.cmp(right),
            (Self::Date(left), Self::Date(right)) => left.cmp(right),
            (Self::Time(left), Self::Time(right)) => left.cmp(right),
            (Self::LocalTime(left), Self::LocalTime(right)) => left.cmp(right),
            (Self::DateTime(left), Self::DateTime(right)) => left.cmp(right),
            (Self::LocalDateTime(left), Self::LocalDateTime(right)) => left.cmp(right),
            (Self::Duration(left), Self::Duration(right)) => left.cmp(right),
            (Self::List(left), Self::List(right)) => order_lists(left, right),
            (Self::Map(left), Self::Map(right)) => order_maps(left, right),
            (Self::Vector(left), Self::Vector(right)) => left.order(right),
            (Self::Node(left), Self::Node(right)) => left.id().cmp(&right.id()),
            (Self::Relationship(left), Self::Relationship(right)) => left.id().cmp(&right.id()),
            (Self::Path(left), Self::Path(right)) => left.ids().cmp(right.ids()),
            // Of one rank now means two numbers, two NaNs or two nulls.
            _ => self
                .rank()
                .cmp(&other.rank())
                .then_with(|| self.order_as_numbers(other).unwrap_or(Ordering::Equal)),
        }
    }

    /// Whether the two share one place in the order: what DISTINCT, grouping and uniqueness mean
    /// by the same value. NaN is equivalent to NaN, null to null, and 1 to 1.0.
    #[must_use]
    pub fn equivalent(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }

    /// Feeds a hasher such that equivalent values feed it the same.
    ///
    /// The hash depends on the hasher and the platform, so it must never reach the disk.
    pub fn hash_into(&self, hasher: &mut impl Hasher) {
        self.rank().hash(hasher);
        match self {
            Self::Null => {}
            Self::Bool(value) => value.hash(hasher),
            Self::Int(value) => value.hash(hasher),
            Self::Float(value) if value.is_nan() => {}
            // A float equal to an integer has to feed the hasher as that integer does.
            Self::Float(value) => match exact_int(*value) {
                Some(int) => int.hash(hasher),
                // Its bits alone could be those of an integer that it does not equal.
                None => (value.to_bits(), true).hash(hasher),
            },
            Self::String(value) => value.hash(hasher),
            Self::Bytes(value) => value.hash(hasher),
            Self::Date(value) => value.hash(hasher),
            Self::Time(value) => value.hash(hasher),
            Self::LocalTime(value) => value.hash(hasher),
            Self::DateTime(value) => value.hash(hasher),
            Self::LocalDateTime(value) => value.hash(hasher),
            Self::Duration(value) => value.hash(hasher),
            Self::List(elements) => {
                elements.len().hash(hasher);
                for element in elements.iter() {
                    element.hash_into(hasher);
                }
            }
            Self::Map(entries) => {
                entries.len().hash(hasher);
                for (key, value) in entries.iter() {
                    key.hash(hasher);
                    value.hash_into(hasher);
                }
            }
            Self::Node(node) => node.id().hash(hasher),
            Self::Relationship(relationship) => relationship.id().hash(hasher),
            Self::Path(path) => path.ids().for_each(|id| id.hash(hasher)),
            Self::Vector(vector) => {
                for number in vector.as_slice() {
                    // Adding 0 turns -0 into 0.
                    (number + 0.0).to_bits().hash(hasher);
                }
            }
        }
    }

    /// The rank of its kind; NaN has one of its own.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Null => rank::NULL,
            Self::Bool(_) => rank::BOOLEAN,
            Self::Int(_) => rank::NUMBER,
            Self::Float(value) if value.is_nan() => rank::NAN,
            Self::Float(_) => rank::NUMBER,
            Self::String(_) => rank::STRING,
            Self::Bytes(_) => rank::BYTES,
            Self::Date(_) => rank::DATE,
            Self::Time(_) => rank::TIME,
            Self::LocalTime(_) => rank::LOCAL_TIME,
            Self::DateTime(_) => rank::DATE_TIME,
            Self::LocalDateTime(_) => rank::LOCAL_DATE_TIME,
            Self::Duration(_) => rank::DURATION,
            Self::List(_) => rank::LIST,
            Self::Map(_) => rank::MAP,
            Self::Vector(_) => rank::VECTOR,
            Self::Node(_) => rank::NODE,
            Self::Relationship(_) => rank::RELATIONSHIP,
            Self::Path(_) => rank::PATH,
        }
    }

    /// Compares two numbers that are no NaNs; `None` for anything else.
    pub(super) fn order_as_numbers(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => Some(left.cmp(right)),
            (Self::Float(left), Self::Float(right)) => left.partial_cmp(right),
            (Self::Int(int), Self::Float(float)) if !float.is_nan() => {
                Some(compare_int_with_float(*int, *float))
            }
            (Self::Float(float), Self::Int(int)) if !float.is_nan() => {
                Some(compare_int_with_float(*int, *float).reverse())
            }
            _ => None,
        }
    }
}

fn order_lists(left: &[Value], right: &[Value]) -> Ordering {
    first_difference(left.iter().zip(right)).then_with(|| left.len().cmp(&right.len()))
}

fn order_maps(left: &BTreeMap<Arc<str>, Value>, right: &BTreeMap<Arc<str>, Value>) -> Ordering {
    left.len()
        .cmp(&right.len())
        .then_with(|| left.keys().cmp(right.keys()))
        .then_with(|| first_difference(left.values().zip(right.values())))
}

fn first_difference<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Ordering {
    pairs
        .map(|(left, right)| left.order(right))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests;
