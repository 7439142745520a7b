//! `scrub`: every block's checksum.

use super::report;
use crate::failure::Failure;
use crate::output::Reply;
use crate::progress::{Progress, Unit};
use clap::Args;
use std::path::PathBuf;
use stratigraph::Database;

const EXAMPLE: &str = "\
The database is opened read-only and not changed. A finding names the damaged file.

Example:
  stratigraph scrub /var/lib/library

JSON: path, database, commit, entries {family: count}, notes [{place, what}], findings [{place, what}]";

/// Arguments of `scrub`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Scrub {
    /// The database's folder
    dir: PathBuf,
}

impl Scrub {
    /// Opens read-only and reads every block.
    ///
    /// # Errors
    /// What keeps the scrub itself from working.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let db = Database::builder().open_read_only(&self.dir)?;
        let found = progress.watch(Unit::Families, |watch| db.scrub(watch))?;
        let mut reply = Reply::new("scrub");
        report::add(&mut reply, &self.dir, &db, found);
        Ok(reply)
    }
}
