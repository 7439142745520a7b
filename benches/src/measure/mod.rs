//! What every benchmark measures with: interleaved rounds, processor time, counted allocations, raw
//! RocksDB with the same options, and the report.
//!
//! It must never measure the two sides with different data, options, files or a different state of
//! the page cache.

pub(crate) mod allocations;
pub(crate) mod cpu_time;
pub(crate) mod files;
pub(crate) mod machine;
pub(crate) mod peer;
mod recorded;
pub(crate) mod report;
pub(crate) mod rounds;

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What every group of figures needs to know.
pub(crate) struct Setup {
    pub(crate) dir: PathBuf,
    pub(crate) seed: u64,
    pub(crate) quick: bool,
    pub(crate) begun: Instant,
}

impl Setup {
    /// One of two parameters.
    pub(crate) fn choose<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    /// Says on stderr what is being done: this runs for minutes.
    pub(crate) fn progress(&self, message: &str) {
        eprintln!("[{:6.1} s] {message}", self.begun.elapsed().as_secs_f64());
    }

    /// A folder for one group's databases.
    pub(crate) fn subfolder(&self, name: &str) -> Result<PathBuf> {
        let dir = self.dir.join(name);
        std::fs::create_dir(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        Ok(dir)
    }

    /// Gives a group's disk space back before the next group runs.
    pub(crate) fn done_with(&self, dir: &Path, keep: bool) -> Result<()> {
        if keep {
            return Ok(());
        }
        std::fs::remove_dir_all(dir).with_context(|| format!("cannot remove {}", dir.display()))
    }
}
