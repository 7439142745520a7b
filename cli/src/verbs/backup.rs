//! `backup`: one more backup in a folder of backups.

use crate::failure::Failure;
use crate::output::{Reply, Table, count, size, things};
use crate::progress::{Progress, Unit};
use clap::Args;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use stratigraph::{Database, verify_backup};

const EXAMPLE: &str = "\
The database is opened for writing, since a backup starts with a checkpoint. Contents that an earlier
backup has are not copied again. One folder takes the backups of one database.

Example:
  stratigraph backup /var/lib/library /mnt/backup/library --verify --keep 14

JSON: path, folder, database, number, commit, format, files, total_bytes, new_bytes, verified, and with
--keep: removed, freed_bytes";

/// Arguments of `backup`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Backup {
    /// The database's folder
    dir: PathBuf,
    /// The folder of backups; it is created if it is missing
    dest: PathBuf,
    /// Read every byte of the new backup again and compare
    #[arg(long)]
    verify: bool,
    /// Keep so many of the newest backups, this one among them, and remove older ones
    #[arg(long, value_name = "N")]
    keep: Option<NonZeroU32>,
}

impl Backup {
    /// Opens for writing, backs up, and closes before it answers.
    ///
    /// # Errors
    /// What the engine refuses, or a folder inside the database. Earlier backups stay as they are.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        if lies_inside(&self.dest, &self.dir) {
            let path = self.dest.clone();
            return Err(Failure::BackupInside { path });
        }
        let db = Database::open(&self.dir)?;
        let backup = progress.watch(Unit::Bytes, |watch| db.backup(&self.dest, watch))?;
        if self.verify {
            let number = Some(backup.number);
            progress.watch(Unit::Bytes, |watch| {
                verify_backup(&self.dest, number, watch)
            })?;
        }
        // Not before the new one is known to be good.
        let pruned = self.keep.map(|keep| {
            progress.watch(Unit::Bytes, |watch| {
                db.prune_backups(&self.dest, keep, watch)
            })
        });
        let pruned = pruned.transpose()?;
        db.close()?;
        let manifest = &backup.manifest;
        let files = manifest.files.len() as u64;
        let mut facts = Table::of_facts();
        facts
            .fact("folder", &self.dest.display())
            .fact("backup", &backup.number)
            .fact("commit", &count(manifest.commit.get()))
            .fact("files", &things(files, "file"))
            .fact("size", &size(manifest.total_bytes()))
            .fact("new", &size(backup.new_bytes));
        if self.verify {
            facts.fact("verified", &"every byte");
        }
        if let Some(pruned) = &pruned {
            let removed = things(pruned.removed.len() as u64, "old backup");
            let freed = size(pruned.freed_bytes);
            facts.fact("removed", &format_args!("{removed}, {freed}"));
        }
        let mut reply = Reply::new("backup");
        reply
            .table(&facts)
            .field("path", self.dir.display().to_string())
            .field("folder", self.dest.display().to_string())
            .field("database", manifest.database.to_string())
            .field("number", backup.number)
            .field("commit", manifest.commit.get())
            .field("format", manifest.format.get())
            .field("files", files)
            .field("total_bytes", manifest.total_bytes())
            .field("new_bytes", backup.new_bytes)
            .field("verified", self.verify);
        if let Some(pruned) = pruned {
            reply
                .field("removed", pruned.removed)
                .field("freed_bytes", pruned.freed_bytes);
        }
        Ok(reply)
    }
}

/// Whether `inner`, which need not exist yet, would lie in `outer` or be the same folder.
pub(super) fn lies_inside(inner: &Path, outer: &Path) -> bool {
    // A folder that cannot be resolved is one that opening will complain of.
    let (Ok(outer), Ok(inner)) = (outer.canonicalize(), std::path::absolute(inner)) else {
        return false;
    };
    let existing = inner
        .ancestors()
        .find_map(|folder| folder.canonicalize().ok());
    existing.is_some_and(|folder| folder.starts_with(outer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_inside_are_recognised() {
        let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
        let here = Path::new(&here);
        assert!(lies_inside(here, here));
        assert!(lies_inside(&here.join("not/there/yet"), here));
        assert!(lies_inside(&here.join("src/../new"), here));
        assert!(!lies_inside(&here.join("../cli-beside"), here));
        assert!(!lies_inside(here, &here.join("src")));
        assert!(!lies_inside(here, &here.join("not-there")));
    }
}
