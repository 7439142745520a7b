//! How many bytes a transaction has read from the store.
//!
//! Only for one piece of work at a time: many threads that read through one transaction would wait for each other
//! at its counter.

use std::sync::atomic::{AtomicU64, Ordering};

/// A counter of bytes, or none.
#[derive(Debug, Default)]
pub(super) struct Meter(Option<AtomicU64>);

impl Meter {
    /// One that counts.
    pub(super) fn counting() -> Self {
        Self(Some(AtomicU64::new(0)))
    }

    pub(super) fn add(&self, bytes: u64) {
        if let Some(read) = &self.0 {
            read.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// How many it has counted.
    pub(super) fn bytes(&self) -> u64 {
        let read = self.0.as_ref();
        read.map_or(0, |read| read.load(Ordering::Relaxed))
    }
}
