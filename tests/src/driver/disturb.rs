//! What moves a database's files while the writers write.

use anyhow::{Context, Result};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stratigraph::Database;
use stratigraph::storage::cancel::Watch;

/// What goes on beside the writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disturbance {
    /// Memory goes to files.
    Flush,
    /// Files are rewritten.
    Compact,
    /// A backup is taken, which makes a checkpoint in the database's folder.
    Backup,
}

/// Where the backups of the database in `dir` go.
#[must_use]
pub fn backup_folder(dir: &Path) -> PathBuf {
    dir.with_extension("backups")
}

/// Does it again and again, after pauses of so many milliseconds, as long as `goes_on`; says of each
/// backup that it was taken.
///
/// # Errors
/// Whatever the database refuses.
pub fn disturb(
    db: &Database,
    disturbance: Option<Disturbance>,
    dir: &Path,
    (rng, pauses_ms): (&mut fastrand::Rng, Range<u64>),
    goes_on: impl Fn() -> bool,
    backed_up: impl Fn() -> Result<()>,
) -> Result<()> {
    let Some(disturbance) = disturbance else {
        return Ok(());
    };
    let mut watch = Watch::quiet();
    while goes_on() {
        std::thread::sleep(Duration::from_millis(rng.u64(pauses_ms.clone())));
        match disturbance {
            Disturbance::Flush => db.flush().context("flush")?,
            Disturbance::Compact => db.compact(&mut watch).context("compact")?,
            Disturbance::Backup => match db.backup(backup_folder(dir), &mut watch) {
                Ok(_) => backed_up()?,
                // One of the writers is loading: the next round tries again. Its checkpoint was in
                // the way all the same.
                Err(stratigraph::Error::LoadInProgress) => {}
                Err(error) => return Err(error).context("backup"),
            },
        }
    }
    Ok(())
}
