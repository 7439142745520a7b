//! The memory that the messages of all connections may take together.

use crate::failure::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// When to come again if it is used up: messages are handled quickly.
const SOON: Duration = Duration::from_millis(200);

/// The memory that the messages of all connections may take together.
pub(crate) struct Budget {
    most: usize,
    taken: AtomicUsize,
}

/// A part of it, which is given back when this is dropped.
pub(crate) struct Reserved {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Budget {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            taken: AtomicUsize::new(0),
        })
    }

    /// How much of it is taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Acquire)
    }

    /// Nothing of it, which can grow.
    pub(crate) fn nothing(self: &Arc<Self>) -> Reserved {
        Reserved {
            budget: Arc::clone(self),
            bytes: 0,
        }
    }
}

impl Reserved {
    /// What it is of.
    pub(crate) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// Makes it so large. What does not fit leaves it as it was.
    pub(crate) fn set(&mut self, bytes: usize) -> Result<(), Failure> {
        let taken = &self.budget.taken;
        if let Some(less) = self.bytes.checked_sub(bytes) {
            taken.fetch_sub(less, Ordering::AcqRel);
        } else {
            let more = bytes - self.bytes;
            let grown = taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, |taken| {
                taken
                    .checked_add(more)
                    .filter(|sum| *sum <= self.budget.most)
            });
            grown.map_err(|_| Failure::Busy {
                what: "bytes of requests",
                limit: self.budget.most as u64,
                retry_after: SOON,
            })?;
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.budget.taken.fetch_sub(self.bytes, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reserved_is_never_more_than_there_is_and_all_comes_back() {
        let budget = Budget::new(100);
        let (mut one, mut other) = (budget.nothing(), budget.nothing());
        one.set(60).unwrap();
        other.set(40).unwrap();
        assert!(matches!(other.set(41), Err(Failure::Busy { .. })));
        assert!(matches!(other.set(usize::MAX), Err(Failure::Busy { .. })));
        assert_eq!(budget.taken(), 100);
        one.set(10).unwrap();
        other.set(41).unwrap();
        assert_eq!(budget.taken(), 51);
        drop((one, other));
        assert_eq!(budget.taken(), 0);
    }
}
