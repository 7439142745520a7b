//! What every benchmark measures with: interleaved rounds, processor time, counted allocations, raw
//! RocksDB with the same options, and the report.
//!
//! It must never measure the two sides with different data, options, files or a different state of
//! the page cache.

pub(crate) mod allocations;
pub(crate) mod cache;
pub(crate) mod cpu_time;
pub(crate) mod embedded;
pub(crate) mod files;
pub(crate) mod installed;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod peer;
pub(crate) mod recorded;
pub(crate) mod report;
pub(crate) mod rest;
pub(crate) mod rounds;
pub(crate) mod seeded;
pub(crate) mod slope;

use anyhow::{Context, Result};
use clap::Args;
use machine::Machine;
use report::Report;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What every benchmark can be told.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Less data and fewer rounds.
    #[arg(long)]
    quick: bool,
    /// Where the databases are made, in a folder of their own; not a tmpfs.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Seed of all data and access orders.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave the databases behind.
    #[arg(long)]
    keep: bool,
}

impl Common {
    /// Measures in a folder of its own and prints; the last line is `name` and the figures of `summary`.
    pub(crate) fn run(
        &self,
        name: &str,
        summary: &[&str],
        refuse: impl FnOnce(&Machine, &Path) -> Result<()>,
        measure: impl FnOnce(&Setup, bool) -> Result<Report>,
    ) -> Result<()> {
        let parent = self.dir.clone().unwrap_or_else(std::env::temp_dir);
        let machine = Machine::look(&parent)?;
        refuse(&machine, &parent)?;
        let folder = tempfile::Builder::new()
            .prefix("stratigraph-bench-")
            .tempdir_in(&parent)?;
        let setup = Setup {
            dir: folder.path().to_path_buf(),
            seed: self.seed,
            quick: self.quick,
            begun: Instant::now(),
        };
        machine.print();
        println!(
            "parameters seed {}, {}",
            setup.seed,
            setup.choose("quick", "full")
        );
        let measured = measure(&setup, self.keep);
        if self.keep {
            eprintln!("databases left in {}", folder.keep().display());
        } else {
            folder.close()?;
        }
        let report = measured?;
        println!("load       {} at the end", machine::load());
        report.print(name, summary);
        Ok(())
    }
}

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
