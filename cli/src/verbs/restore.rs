//! `restore`: a database out of a backup.

use crate::failure::Failure;
use crate::output::{Reply, Table, count, size, things};
use crate::progress::{Progress, Unit};
use clap::Args;
use std::path::PathBuf;
use stratigraph::{Database, Finding, restore};

const EXAMPLE: &str = "\
DIR must be missing or empty, and appears only when it is whole. It is then opened, read-only, to see
that the database is at the backup's commit.

Example:
  stratigraph restore /mnt/backup/library /var/lib/library --number 7

JSON: path, folder, database, number, commit, format, files, total_bytes";

/// Arguments of `restore`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Restore {
    /// The folder of backups
    dest: PathBuf,
    /// Where the database shall be
    dir: PathBuf,
    /// Which backup; the latest if not given
    #[arg(long, value_name = "N")]
    number: Option<u64>,
}

impl Restore {
    /// Restores, and opens what it has restored.
    ///
    /// # Errors
    /// What the engine refuses; `dir` is as it was before then.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        if !self.dest.is_dir() {
            let path = self.dest.clone();
            return Err(Failure::NoBackupFolder { path });
        }
        let backup = progress.watch(Unit::Bytes, |watch| {
            restore(&self.dest, self.number, &self.dir, watch)
        })?;
        let manifest = &backup.manifest;
        let opened = Database::builder().open_read_only(&self.dir)?.info();
        let mut reply = Reply::new("restore");
        if opened.commit != manifest.commit {
            let (is, should) = (opened.commit, manifest.commit);
            reply.findings([Finding {
                place: self.dir.display().to_string(),
                what: format!("it is at commit {is}, while the backup is of commit {should}"),
            }]);
        }
        let files = manifest.files.len() as u64;
        let mut facts = Table::of_facts();
        facts
            .fact("path", &self.dir.display())
            .fact("database", &opened.id)
            .fact("backup", &backup.number)
            .fact("commit", &count(opened.commit.get()))
            .fact("files", &things(files, "file"))
            .fact("size", &size(manifest.total_bytes()));
        reply
            .table(&facts)
            .field("path", self.dir.display().to_string())
            .field("folder", self.dest.display().to_string())
            .field("database", opened.id.to_string())
            .field("number", backup.number)
            .field("commit", opened.commit.get())
            .field("format", manifest.format.get())
            .field("files", files)
            .field("total_bytes", manifest.total_bytes());
        Ok(reply)
    }
}
