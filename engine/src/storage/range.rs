//! The part of a family that a scan walks.

use crate::codec::prefix_end;

/// Keys from `start` (included) to `end` (excluded); no `end` means to the last key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyRange {
    pub(crate) start: Vec<u8>,
    pub(crate) end: Option<Vec<u8>>,
}

impl KeyRange {
    /// Every key of the family.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Every key that begins with `prefix`.
    #[must_use]
    pub fn prefix(prefix: &[u8]) -> Self {
        Self {
            start: prefix.to_vec(),
            end: prefix_end(prefix),
        }
    }

    /// Keys from `start` on, without a bound above.
    #[must_use]
    pub fn starting_at(start: impl Into<Vec<u8>>) -> Self {
        Self {
            start: start.into(),
            end: None,
        }
    }

    /// Keys from `start` (included) to `end` (excluded).
    #[must_use]
    pub fn between(start: impl Into<Vec<u8>>, end: impl Into<Vec<u8>>) -> Self {
        Self {
            start: start.into(),
            end: Some(end.into()),
        }
    }

    /// Whether no key can lie in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    /// Whether `key` lies in it.
    #[must_use]
    pub fn contains(&self, key: &[u8]) -> bool {
        key >= self.start.as_slice() && self.end.as_ref().is_none_or(|end| key < end.as_slice())
    }
}

/// Which way a scan walks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// From the smallest key up.
    #[default]
    Forward,
    /// From the largest key down.
    Backward,
}
