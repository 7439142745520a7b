//! `compact`: every family without its deleted and overwritten entries.

use crate::failure::Failure;
use crate::output::{Reply, Table, count, size};
use crate::progress::{Progress, Unit};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;
use stratigraph::Database;

const EXAMPLE: &str = "\
Every file is rewritten, which needs as much free space as the largest family has. Ctrl-C stops
between two families; what is done by then stays done.

Example:
  stratigraph compact /var/lib/library

JSON: path, database, commit, before {files, file_bytes}, after {files, file_bytes}";

/// Arguments of `compact`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Compact {
    /// The database's folder
    dir: PathBuf,
}

impl Compact {
    /// Opens for writing, compacts, and closes before it answers.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let db = Database::open(&self.dir)?;
        // Into files first: "before" is then all there is, and not what happened to be flushed.
        db.flush()?;
        let before = db.info();
        progress.watch(Unit::Families, |watch| db.compact(watch))?;
        let after = db.info();
        db.close()?;

        let sides = [("before", &before.store), ("after", &after.store)];
        let mut table = Table::of_numbers(["", "files", "size"]);
        let mut reply = Reply::new("compact");
        for (side, store) in sides {
            let (files, bytes) = (store.live_files, store.live_file_bytes);
            table.row([side.to_owned(), count(files), size(bytes)]);
            reply.field(side, json!({ "files": files, "file_bytes": bytes }));
        }
        reply
            .table(&table)
            .field("path", self.dir.display().to_string())
            .field("database", after.id.to_string())
            .field("commit", after.commit.get());
        Ok(reply)
    }
}
