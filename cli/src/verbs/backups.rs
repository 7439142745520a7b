//! `backups`: what a folder of backups holds, and whether it is still what was backed up.

use crate::failure::Failure;
use crate::output::{Reply, Table, count, size};
use crate::progress::{Progress, Unit};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use stratigraph::{BackupInfo, Error, ErrorKind, Finding, list_backups, verify_backup};

const EXAMPLE: &str = "\
With --verify every byte of every listed backup is read again, which takes a pass over its contents
for each; --number picks one.

Examples:
  stratigraph backups /mnt/backup/library
  stratigraph backups /mnt/backup/library --verify --number 7

JSON: folder, backups [{number, database, commit, format, files, total_bytes, verified}],
findings [{place, what}]; verified is null when it was not asked for";

/// Arguments of `backups`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Backups {
    /// The folder of backups
    dest: PathBuf,
    /// Only the backup of this number
    #[arg(long, value_name = "N")]
    number: Option<u64>,
    /// Read every byte again and compare
    #[arg(long)]
    verify: bool,
}

impl Backups {
    /// Lists, and verifies if asked.
    ///
    /// # Errors
    /// A folder or number that is not there, or a damaged manifest. Damaged contents are findings.
    pub(super) fn run(&self, progress: &Progress) -> Result<Reply, Failure> {
        let listed = self.listed()?;
        let mut reply = Reply::new("backups");
        let mut table = Table::of_numbers(["number", "commit", "files", "size", "contents"]);
        let mut backups = Vec::new();
        for backup in &listed {
            let damage = self.verified(backup, progress)?;
            let verified = self.verify.then_some(damage.is_none());
            backups.push(as_json(backup, verified));
            table.row([
                backup.number.to_string(),
                count(backup.manifest.commit.get()),
                count(backup.manifest.files.len() as u64),
                size(backup.manifest.total_bytes()),
                contents(verified).to_owned(),
            ]);
            reply.findings(damage);
        }
        if listed.is_empty() {
            reply.line(format!("{} holds no backup", self.dest.display()));
        } else {
            reply.table(&table);
        }
        reply
            .field("folder", self.dest.display().to_string())
            .field("backups", backups);
        Ok(reply)
    }

    fn listed(&self) -> Result<Vec<BackupInfo>, Failure> {
        let path = self.dest.clone();
        if !path.is_dir() {
            return Err(Failure::NoBackupFolder { path });
        }
        let mut backups = list_backups(&path)?;
        if let Some(wanted) = self.number {
            backups.retain(|backup| backup.number == wanted);
            if backups.is_empty() {
                return Err(Error::NoSuchBackup { path, wanted }.into());
            }
        }
        if self.verify && backups.is_empty() {
            // "All of them are fine" would be true, and would hide a mistyped folder for years.
            return Err(Failure::NoBackups { path });
        }
        Ok(backups)
    }

    /// What is wrong with a backup, if that was asked for: one damaged backup must not keep the
    /// others from being looked at.
    fn verified(
        &self,
        backup: &BackupInfo,
        progress: &Progress,
    ) -> Result<Option<Finding>, Failure> {
        if !self.verify {
            return Ok(None);
        }
        let number = Some(backup.number);
        match progress.watch(Unit::Bytes, |watch| {
            verify_backup(&self.dest, number, watch)
        }) {
            Ok(_) => Ok(None),
            Err(error) if error.kind() == ErrorKind::Corrupt => Ok(Some(Finding {
                place: format!("backup {}", backup.number),
                what: error.to_string(),
            })),
            Err(error) => Err(error.into()),
        }
    }
}

fn contents(verified: Option<bool>) -> &'static str {
    match verified {
        None => "not read",
        Some(true) => "verified",
        Some(false) => "DAMAGED",
    }
}

fn as_json(backup: &BackupInfo, verified: Option<bool>) -> Value {
    let manifest = &backup.manifest;
    json!({
        "number": backup.number,
        "database": manifest.database.to_string(),
        "commit": manifest.commit.get(),
        "format": manifest.format.get(),
        "files": manifest.files.len(),
        "total_bytes": manifest.total_bytes(),
        "verified": verified,
    })
}
