//! `check`: structure and invariants.

use super::report;
use crate::failure::Failure;
use crate::output::Reply;
use crate::progress::{Progress, Unit};
use clap::Args;
use std::path::PathBuf;
use stratigraph::Database;

const EXAMPLE: &str = "\
The database is opened read-only and not changed. Findings give exit code 1; notes are harmless.

Example:
  stratigraph check /var/lib/library

JSON: path, database, commit, entries {family: count}, notes [{place, what}], findings [{place, what}]";

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Check {
    /// The database's folder
    dir: PathBuf,
}

impl Check {
    /// Opens read-only and checks.
    ///
    /// # Errors
    /// What keeps the check itself from working.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let db = Database::builder().open_read_only(&self.dir)?;
        let found = progress.watch(Unit::Families, |watch| db.check(watch))?;
        let mut reply = Reply::new("check");
        report::add(&mut reply, &self.dir, &db, found);
        Ok(reply)
    }
}
