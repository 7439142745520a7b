//! A value as a key of hash maps, where nothing that can be told from it equals it: 1 is not 1.0.
//!
//! Next: `grouped.rs`, for what groups and sorting take as equal.

use super::Value;
use std::hash::{Hash, Hasher};

/// A value that equals another exactly when the two are [identical](Value::is_identical).
#[derive(Clone, Debug)]
pub(crate) struct Exact(pub(crate) Value);

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_identical(&other.0)
    }
}

impl Eq for Exact {}

impl Hash for Exact {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        // Identical values are equivalent too.
        self.0.hash_into(hasher);
    }
}

impl Value {
    /// Whether nothing can tell two values from each other: 1 is not 1.0 here, nor 0.0 what -0.0 is.
    pub(crate) fn is_identical(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Float(one), Self::Float(other)) => one.to_bits() == other.to_bits(),
            (Self::List(one), Self::List(other)) => {
                let mut pairs = one.iter().zip(other.iter());
                one.len() == other.len() && pairs.all(|(one, other)| one.is_identical(other))
            }
            (Self::Map(one), Self::Map(other)) => {
                let mut pairs = one.iter().zip(other.iter());
                one.len() == other.len()
                    && pairs.all(|((key, one), (as_key, other))| {
                        key == as_key && one.is_identical(other)
                    })
            }
            (Self::Vector(one), Self::Vector(other)) => {
                let one = one.as_slice().iter().map(|number| number.to_bits());
                one.eq(other.as_slice().iter().map(|number| number.to_bits()))
            }
            _ => self.kind() == other.kind() && self.equivalent(other),
        }
    }
}
