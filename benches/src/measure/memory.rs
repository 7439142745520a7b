//! The most memory that this process has held.

use anyhow::{Context, Result};
use std::fs;

/// Lets the process's peak begin anew.
pub(crate) fn reset_peak() -> Result<()> {
    fs::write("/proc/self/clear_refs", "5").context("cannot reset the peak of memory")
}

/// The most memory that the process held since, in bytes.
pub(crate) fn peak() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    Ok(kib.context("no VmHWM")? * 1024)
}
