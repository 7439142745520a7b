//! How deep lists and maps may nest.
//!
//! Comparing, hashing, printing, encoding and even dropping a value recurse into it. A query could
//! wrap a list in a list a million times and overflow the stack, so nesting ends at [`MAX_DEPTH`]:
//! [`Value::list`] and [`Value::map`] refuse more, and every decoder does. Code that nests values
//! in a way that data decides must build them with these two, and not with the variants.
//!
//! Next: `convert.rs`, for values whose nesting is plain from the source.

use std::collections::BTreeMap;
use std::sync::Arc;

use thiserror::Error;

use super::Value;

/// The deepest nesting: a list of numbers is 1 deep, a list of lists of numbers 2.
pub const MAX_DEPTH: usize = 64;

/// Lists and maps would be nested too deeply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("lists and maps can be nested {limit} deep and no more")]
pub struct TooDeep {
    /// [`MAX_DEPTH`].
    pub limit: usize,
}

impl Value {
    /// A list of these values.
    ///
    /// # Errors
    ///
    /// [`TooDeep`] if an element is as deep as values get.
    pub fn list(elements: impl Into<Arc<[Value]>>) -> Result<Self, TooDeep> {
        let elements = elements.into();
        check(elements.iter())?;
        Ok(Self::List(elements))
    }

    /// A map with these entries.
    ///
    /// # Errors
    ///
    /// [`TooDeep`] if a value in it is as deep as values get.
    pub fn map(entries: BTreeMap<Arc<str>, Value>) -> Result<Self, TooDeep> {
        check(entries.values())?;
        Ok(Self::Map(Arc::new(entries)))
    }

    /// Whether the value nests at most `limit` deep; looks no deeper than that.
    fn is_within(&self, limit: usize) -> bool {
        match self {
            Self::List(elements) => limit > 0 && elements.iter().all(|v| v.is_within(limit - 1)),
            Self::Map(entries) => limit > 0 && entries.values().all(|v| v.is_within(limit - 1)),
            _ => true,
        }
    }
}

fn check<'a>(mut inside: impl Iterator<Item = &'a Value>) -> Result<(), TooDeep> {
    if inside.all(|value| value.is_within(MAX_DEPTH - 1)) {
        return Ok(());
    }
    Err(TooDeep { limit: MAX_DEPTH })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_ends_at_the_limit() {
        let mut list = Value::from(vec![1]);
        let mut map = list.clone();
        for _ in 1..MAX_DEPTH {
            list = Value::list(vec![Value::Null, list]).unwrap();
            map = Value::map(BTreeMap::from([("k".into(), map)])).unwrap();
        }
        let error = TooDeep { limit: 64 };
        assert_eq!(Value::list(vec![map.clone()]).err(), Some(error));
        assert_eq!(
            Value::map(BTreeMap::from([("k".into(), list)])).err(),
            Some(error)
        );
        assert_eq!(
            error.to_string(),
            "lists and maps can be nested 64 deep and no more"
        );
        // The deepest value there is goes through everything that recurses.
        assert!(map.equivalent(&map.clone()));
        assert_eq!(map.equals(&map.clone()), Some(true));
        assert!(map.to_string().starts_with("{k: {k: "));
    }
}
