//! How much was looked at, and whether that is still allowed.
//!
//! Next: `mod.rs`.

use crate::algo::AlgoError;
use crate::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many entries lie between two reports: well under a millisecond of them.
const ENTRIES_PER_BEAT: usize = 1 << 14;

/// How many entries of rows were looked at by all threads, and how many may be.
#[derive(Debug)]
pub(crate) struct Looked {
    so_far: AtomicU64,
    most: u64,
}

impl Looked {
    /// Nothing yet, and no more than `most`.
    pub(crate) fn up_to(most: u64) -> Self {
        Self {
            so_far: AtomicU64::new(0),
            most,
        }
    }

    /// How many so far.
    pub(crate) fn so_far(&self) -> u64 {
        self.so_far.load(Ordering::Relaxed)
    }
}

/// The part of one thread in it.
pub(super) struct Work<'w> {
    looked: &'w Looked,
    /// Says that the thread is alive, and learns whether it should stop.
    beat: &'w mut dyn FnMut() -> Result<(), AlgoError>,
    untold: usize,
}

impl<'w> Work<'w> {
    pub(super) fn new(
        looked: &'w Looked,
        beat: &'w mut dyn FnMut() -> Result<(), AlgoError>,
    ) -> Self {
        Self {
            looked,
            beat,
            untold: 0,
        }
    }

    /// Says that so many entries are looked at.
    #[inline]
    pub(super) fn look(&mut self, entries: usize) -> Result<(), AlgoError> {
        self.untold += entries;
        if self.untold < ENTRIES_PER_BEAT {
            return Ok(());
        }
        self.finish()
    }

    /// Says what was not said yet.
    pub(super) fn finish(&mut self) -> Result<(), AlgoError> {
        let entries = std::mem::take(&mut self.untold) as u64;
        let before = self.looked.so_far.fetch_add(entries, Ordering::Relaxed);
        // Whoever set the bound sees that it was passed.
        if before + entries > self.looked.most {
            return Err(Error::Cancelled.into());
        }
        (self.beat)()
    }
}
