//! Counts the memory of a projection while it is built, against the caller's limit.
//!
//! What is counted is what the arrays hold, not what the allocator adds. Memory must be asked for
//! here before it is allocated, never after.

use std::sync::atomic::{AtomicU64, Ordering};

use super::AlgoError;

/// How much is held, and how much may be. Shared by the threads that fill the parts.
#[derive(Debug)]
pub(super) struct Meter {
    held: AtomicU64,
    limit: u64,
}

impl Meter {
    pub(super) fn new(held: u64, limit: u64) -> Self {
        let held = AtomicU64::new(held);
        Self { held, limit }
    }

    /// Asks for `bytes` more; nothing is taken when they are refused.
    pub(super) fn take(&self, what: &'static str, bytes: u64) -> Result<(), AlgoError> {
        let limit = self.limit;
        let grow = |held: u64| held.checked_add(bytes).filter(|&sum| sum <= limit);
        match self
            .held
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, grow)
        {
            Ok(_) => Ok(()),
            Err(held) => Err(AlgoError::TooLarge {
                what,
                bytes: held.saturating_add(bytes),
                limit_bytes: limit,
            }),
        }
    }

    pub(super) fn give_back(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(super) fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    pub(super) fn limit(&self) -> u64 {
        self.limit
    }
}
