//! The memory that this process holds, and the most that it has held.

use anyhow::{Context, Result};
use std::fs;

/// Lets the process's peak begin anew.
pub(crate) fn reset_peak() -> Result<()> {
    fs::write("/proc/self/clear_refs", "5").context("cannot reset the peak of memory")
}

/// The most memory that the process held since, in bytes.
pub(crate) fn peak() -> Result<u64> {
    of_status("VmHWM:")
}

/// What it holds of its own now, which nobody else can be given, in bytes.
pub(crate) fn own() -> Result<u64> {
    of_status("RssAnon:")
}

/// What it holds of files now, which the system gives to others when they need it, in bytes.
pub(crate) fn of_files() -> Result<u64> {
    of_status("RssFile:")
}

fn of_status(name: &str) -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    Ok(kib.with_context(|| format!("no {name}"))? * 1024)
}
