//! What something cost this process: processor time of all its threads, wall time, resident memory
//! without the pages of files.

use crate::measure::{cpu_time, memory};
use std::time::Instant;

pub(super) struct Cost {
    cpu_s: f64,
    wall: Instant,
    rss_bytes: f64,
}

impl Cost {
    pub(super) fn begin() -> Self {
        Self {
            rss_bytes: rss_bytes(),
            cpu_s: cpu_time::of_process(),
            wall: Instant::now(),
        }
    }

    pub(super) fn cpu_s(&self) -> f64 {
        cpu_time::of_process() - self.cpu_s
    }

    pub(super) fn wall_s(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }

    pub(super) fn rss_bytes(&self) -> f64 {
        (rss_bytes() - self.rss_bytes).max(0.0)
    }
}

/// Nothing where the system does not tell: it is a figure beside others, and no reason to stop.
fn rss_bytes() -> f64 {
    memory::own().map_or(0.0, |bytes| bytes as f64)
}
