//! Reports progress of a loop now and then, so that cancelling is quick and counting costs nothing.

use super::AlgoError;
use crate::storage::cancel::Watch;

/// How many units of work lie between two reports: well under a millisecond of it.
const UNITS_PER_REPORT: u64 = 1 << 14;

/// Counts the work of a loop on the calling thread.
pub(super) struct Pace<'p, 'w> {
    watch: &'p mut Watch<'w>,
    step: &'static str,
    done: u64,
    total: u64,
    next_report: u64,
}

impl<'p, 'w> Pace<'p, 'w> {
    /// Begins a loop of `total` units (0 when nobody knows), unless it is cancelled already.
    pub(super) fn start(
        watch: &'p mut Watch<'w>,
        step: &'static str,
        total: u64,
    ) -> Result<Self, AlgoError> {
        watch.step(step, 0, total)?;
        Ok(Self {
            watch,
            step,
            done: 0,
            total,
            next_report: UNITS_PER_REPORT,
        })
    }

    /// Counts `units` of work, and stops the loop if it was cancelled.
    #[inline]
    pub(super) fn advance(&mut self, units: usize) -> Result<(), AlgoError> {
        self.done += units as u64;
        if self.done >= self.next_report {
            self.next_report = self.done + UNITS_PER_REPORT;
            self.watch.step(self.step, self.done, self.total)?;
        }
        Ok(())
    }
}
