//! The processor time of this thread, and of the process: the clock for work that never waits.
//!
//! On a machine that compiles at the same time, wall time measures the neighbours: a warm read of
//! three microseconds is lost in a time slice of three milliseconds. Whatever waits for a disk or
//! another thread must be measured by wall time instead.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The seconds of all processors that this process has had.
pub(crate) fn of_process() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// A moment in this thread's processor time.
pub(crate) struct CpuTime(Duration);

impl CpuTime {
    pub(crate) fn now() -> Self {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        // The clock starts at zero with the thread, so neither part can be negative.
        Self(Duration::new(
            now.tv_sec.unsigned_abs(),
            now.tv_nsec.unsigned_abs() as u32,
        ))
    }

    pub(crate) fn elapsed(&self) -> Duration {
        Self::now().0.saturating_sub(self.0)
    }
}
