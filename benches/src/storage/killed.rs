//! `reopen_vs_raw`: opening after the writer was killed with its log unflushed.
//!
//! A recovery can only be measured once per state, since it flushes what it replays. So each
//! measurement gets a fresh copy of the killed database, made and synced in the same way for both
//! sides, with all its files in the page cache; raw opens the store inside its copy.

use super::child;
use super::open::{our_open, raw_open};
use crate::measure::Setup;
use crate::measure::files;
use crate::measure::report::{Mark, Report};
use crate::measure::rounds::Rounds;
use anyhow::{Result, ensure};
use std::fs;
use std::path::Path;

/// The log to replay: less than the write buffer holds, so that nothing of it was flushed.
const LOG_BYTES: u64 = 32 << 20;

/// Goes on with the database that `open` has left in `dir`.
pub(super) fn measure(setup: &Setup, dir: &Path, report: &mut Report) -> Result<()> {
    let rounds = setup.choose(5, 9);
    let database = dir.join("database");
    setup.progress("reopen: write a log and kill the writer");
    child::kill_while_writing(&database, LOG_BYTES, setup.seed)?;
    let (logs, log_bytes) = files::size_of(&database.join("store"), "log")?;
    ensure!(
        log_bytes >= LOG_BYTES,
        "only {log_bytes} bytes of log are left to replay"
    );
    println!(
        "reopen     {rounds} rounds, {} MiB of log in {logs} files",
        log_bytes >> 20
    );
    let like = database.join("store");
    let (ours, raw) = (dir.join("killed-ours"), dir.join("killed-raw"));
    let measured = Rounds::run(
        rounds,
        |round| {
            setup.progress(&format!("reopen: round {round} of {rounds}"));
            for copy in [&ours, &raw] {
                if copy.exists() {
                    fs::remove_dir_all(copy)?;
                }
                files::copy_database(&database, copy)?;
                files::warm(copy)?;
            }
            Ok(())
        },
        |()| our_open(&ours),
        |()| raw_open(&like, &raw.join("store")),
    )?;
    let times = measured.map(|seconds| seconds * 1e3);
    report.compare("reopen_vs_raw", &times, "ms", Some(Mark::AtMost(2.5)));
    Ok(())
}
