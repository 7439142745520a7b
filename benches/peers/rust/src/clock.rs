//! What something cost this process: processor time of all its threads, wall time, resident memory.

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::time::Instant;

pub struct Cost {
    cpu_s: f64,
    wall: Instant,
    rss_bytes: u64,
}

impl Cost {
    pub fn begin() -> Self {
        Self {
            cpu_s: cpu_s(),
            wall: Instant::now(),
            rss_bytes: rss_bytes(),
        }
    }

    pub fn cpu_s(&self) -> f64 {
        cpu_s() - self.cpu_s
    }

    pub fn wall_s(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }

    /// The line with what it cost.
    pub fn end(&self, mut line: Value) -> Value {
        line["cpu_s"] = json!(self.cpu_s());
        line["wall_s"] = json!(self.wall_s());
        line["rss_bytes"] = json!(rss_bytes().saturating_sub(self.rss_bytes));
        line
    }
}

fn cpu_s() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

fn rss_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}
