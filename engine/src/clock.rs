//! Time as an argument: everything in the engine that waits or measures asks a [`Clock`].
//!
//! Only this file reads the system's clock, so that a simulation can bring its own.

use std::time::{Duration, Instant};

/// A clock that only moves forward.
pub trait Clock: Send + Sync + 'static {
    /// The time since some fixed moment.
    fn now(&self) -> Duration;
}

/// The system's monotonic clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that starts at zero now.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the system's clock"
    )]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

/// The date and time of the system, for queries that ask for them.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the system's clock"
)]
pub(crate) fn wall_clock() -> std::time::SystemTime {
    std::time::SystemTime::now()
}
