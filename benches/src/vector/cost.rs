//! What something cost this process: processor time of all its threads, wall time, resident memory
//! without the pages of files.

use crate::measure::cpu_time;
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

fn rss_bytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kib.unwrap_or(0.0) * 1024.0
}
