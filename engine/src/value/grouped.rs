//! A value as a key of hash maps and ordered maps: its `==`, hash and order are those of
//! [`Value::order`].
//!
//! Next: `equality.rs`, for what the query language calls equal.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::Value;

/// A value that equals another exactly when the two are [equivalent](Value::equivalent).
#[derive(Clone, Debug)]
pub struct Grouped(pub Value);

impl PartialEq for Grouped {
    fn eq(&self, other: &Self) -> bool {
        self.0.equivalent(&other.0)
    }
}

impl Eq for Grouped {}

impl PartialOrd for Grouped {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Grouped {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.order(&other.0)
    }
}

impl Hash for Grouped {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.hash_into(hasher);
    }
}

impl From<Value> for Grouped {
    fn from(value: Value) -> Self {
        Self(value)
    }
}
