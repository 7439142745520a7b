//! `=` and `<` of the query language, which do not always know.
//!
//! Null stands for something unknown, so a comparison with it has no answer. NaN is known to equal
//! nothing and to be neither below nor above any number. Values of different kinds are known to be
//! different, but neither is below the other. This is openCypher's "equality" and "comparability";
//! sorting and grouping need an answer always and use `order.rs`. Where both answer they agree:
//! what is equal here is one place in the order there.
//!
//! The recursion is as deep as the value, at most [`MAX_DEPTH`](super::MAX_DEPTH).
//!
//! Next: `equality/tests.rs`, with the table of examples.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::Value;

/// What `<`, `<=`, `>` and `>=` have to go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The two are comparable, and stand like this.
    Ordered(Ordering),
    /// The two are numbers and one is NaN: all four operators give false.
    Unordered,
    /// The two cannot be compared, or one is null: all four operators give null.
    Unknown,
}

impl Value {
    /// Whether the two are equal, as `=` of the query language has it; `None` is its null.
    ///
    /// Lists are equal if they have the same length and equal elements; one element that is known
    /// to differ settles it, whatever the unknown ones. Maps likewise, with the same keys.
    #[must_use]
    pub fn equals(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            (Self::Null, _) | (_, Self::Null) => None,
            (Self::List(left), Self::List(right)) => equal_lists(left, right),
            (Self::Map(left), Self::Map(right)) => equal_maps(left, right),
            (Self::Float(float), _) | (_, Self::Float(float)) if float.is_nan() => Some(false),
            _ => Some(self.equivalent(other)),
        }
    }

    /// Which is the lower one, as `<` and its kin of the query language have it.
    ///
    /// `None` where they give null or, with NaN, false; [`comparison`](Self::comparison) tells
    /// these two apart.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match self.comparison(other) {
            Comparison::Ordered(order) => Some(order),
            Comparison::Unordered | Comparison::Unknown => None,
        }
    }

    /// Which is the lower one, and if neither is, why.
    ///
    /// Comparable are numbers, strings, booleans, two temporal values of one kind except
    /// durations, and lists: there the first elements not known to be equal decide.
    #[must_use]
    pub fn comparison(&self, other: &Self) -> Comparison {
        match (self, other) {
            (Self::Int(_) | Self::Float(_), Self::Int(_) | Self::Float(_)) => self
                .order_as_numbers(other)
                .map_or(Comparison::Unordered, Comparison::Ordered),
            (Self::String(_), Self::String(_))
            | (Self::Bool(_), Self::Bool(_))
            | (Self::Date(_), Self::Date(_))
            | (Self::Time(_), Self::Time(_))
            | (Self::LocalTime(_), Self::LocalTime(_))
            | (Self::DateTime(_), Self::DateTime(_))
            | (Self::LocalDateTime(_), Self::LocalDateTime(_)) => {
                Comparison::Ordered(self.order(other))
            }
            (Self::List(left), Self::List(right)) => compare_lists(left, right),
            _ => Comparison::Unknown,
        }
    }
}

fn equal_lists(left: &[Value], right: &[Value]) -> Option<bool> {
    if left.len() != right.len() {
        return Some(false);
    }
    all_equal(left.iter().zip(right))
}

fn equal_maps(left: &BTreeMap<Arc<str>, Value>, right: &BTreeMap<Arc<str>, Value>) -> Option<bool> {
    if !left.keys().eq(right.keys()) {
        return Some(false);
    }
    all_equal(left.values().zip(right.values()))
}

/// The three-valued "and" over pairs: false wins over unknown, unknown over true.
fn all_equal<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Option<bool> {
    let mut so_far = Some(true);
    for (left, right) in pairs {
        match left.equals(right) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => so_far = None,
        }
    }
    so_far
}

fn compare_lists(left: &[Value], right: &[Value]) -> Comparison {
    for (left, right) in left.iter().zip(right) {
        if left.equals(right) != Some(true) {
            return left.comparison(right);
        }
    }
    Comparison::Ordered(left.len().cmp(&right.len()))
}

#[cfg(test)]
mod tests;
