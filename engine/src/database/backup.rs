//! Backups: a folder of files named by their contents, and a manifest for each backup.
//!
//! ```text
//! BACKUP/files/<hash>-<bytes>    contents, shared by every backup that has them
//! BACKUP/000007.backup           what the seventh backup consists of
//! ```
//! A backup is taken from a checkpoint, which is of one moment and so of one commit, while writers
//! go on. The manifest is written last: a backup without one does not exist.

use super::Database;
use super::manifest::{BackupFile, BackupManifest, read_hashed};
use crate::codec::CommitSeq;
use crate::error::{Error, Result};
use crate::storage::cancel::Watch;
use crate::storage::files::header::CURRENT_FORMAT;
use crate::storage::files::{remove_dir, replace, sync_dir};
use crate::storage::meta;
use crate::storage::rocks::RocksStore;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A backup in a backup folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupInfo {
    /// Its number; later backups have larger ones.
    pub number: u64,
    /// What it consists of.
    pub manifest: BackupManifest,
    /// How many bytes this backup added to the folder. 0 when read back from it.
    pub new_bytes: u64,
}

impl Database {
    /// Backs the database up into `folder`, beside the backups that are there; only contents that no
    /// earlier one has are copied. Readers and writers go on meanwhile.
    ///
    /// # Errors
    /// [`Error::ForeignFile`] if the folder has backups of another database; [`Error::Cancelled`].
    /// Earlier backups stay as they are in any case.
    pub fn backup(&self, folder: impl AsRef<Path>, watch: &mut Watch<'_>) -> Result<BackupInfo> {
        let folder = folder.as_ref();
        let ground = &self.inner.ground;
        let disk = ground.disk("backup")?;
        ground.ensure_writable()?;
        let files = folder.join("files");
        fs::create_dir_all(&files).map_err(|error| Error::io("create", &files, error))?;
        // Two checkpoints of one database at a time would meet in one folder.
        let _one_at_a_time = self.inner.backing_up.lock();
        let numbers = backup_numbers(folder)?;
        let earlier = self.earlier_backups(folder, &numbers)?;
        let checkpoint = disk.layout.checkpoint();
        remove_dir(&checkpoint)?;
        watch.step("take a checkpoint", 0, 0)?;
        {
            // An index that is kept is taken in quickly, a load takes as long as it takes.
            let _nothing_is_taken_in = match ground.file_list.try_lock() {
                Some(list) => list,
                None if ground.queue.is_loading() => return Err(Error::LoadInProgress),
                None => ground.file_list.lock(),
            };
            ground.store.checkpoint(&checkpoint)?;
        }
        let copied = commit_of(&checkpoint).and_then(|commit| {
            let files = copy_checkpoint(&checkpoint, &files, &earlier, watch)?;
            Ok((commit, files))
        });
        remove_dir(&checkpoint)?;
        let (commit, (backup_files, new_bytes)) = copied?;
        // A backup must not hold what a loss of power could still take from the database itself.
        ground.log.wait_until_durable(commit)?;
        // Every content must be found under its name before a manifest may mention it.
        sync_dir(&files)?;
        let number = numbers.last().map_or(1, |last| last + 1);
        let manifest = BackupManifest {
            number,
            database: self.id(),
            format: CURRENT_FORMAT,
            commit,
            files: backup_files,
        };
        let path = manifest_path(folder, number);
        let bytes = manifest
            .encode()
            .map_err(|error| Error::corruption(&path, error))?;
        replace(&path, &bytes)?;
        if let Some(parent) = folder.canonicalize().ok().as_deref().and_then(Path::parent) {
            sync_dir(parent)?;
        }
        Ok(BackupInfo {
            number,
            manifest,
            new_bytes,
        })
    }

    /// The backups that a new one may share contents with. A damaged manifest is in nobody's way.
    pub(super) fn earlier_backups(
        &self,
        folder: &Path,
        numbers: &[u64],
    ) -> Result<Vec<BackupInfo>> {
        let mut earlier = Vec::new();
        for number in numbers {
            match read_backup(folder, *number) {
                Ok(backup) if backup.manifest.database == self.id() => earlier.push(backup),
                Ok(other) => {
                    let (path, expected) = (manifest_path(folder, *number), self.id());
                    let found = other.manifest.database;
                    return Err(Error::ForeignFile {
                        path,
                        expected,
                        found,
                    });
                }
                Err(error @ Error::Corruption { .. }) => {
                    tracing::warn!(%error, "an earlier backup is damaged");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(earlier)
    }
}

/// The commit that a checkpoint is of.
fn commit_of(checkpoint: &Path) -> Result<CommitSeq> {
    let mut commit = None;
    RocksStore::look(checkpoint, &mut |snapshot| {
        // Ingested families are there before the commit that makes them one with the rest.
        if meta::unfinished_load(snapshot)?.is_some() {
            return Err(Error::LoadInProgress);
        }
        commit = meta::sequence(snapshot)?;
        Ok(())
    })?;
    commit.ok_or_else(|| Error::corruption(checkpoint, "it does not say which commit it is at"))
}

/// Copies what the folder does not have yet; returns all files, and how many bytes were new.
fn copy_checkpoint(
    checkpoint: &Path,
    files: &Path,
    earlier: &[BackupInfo],
    watch: &mut Watch<'_>,
) -> Result<(Vec<BackupFile>, u64)> {
    let known = earlier.iter().flat_map(|backup| &backup.manifest.files);
    let known: HashMap<(&str, u64, u64), &BackupFile> = known
        .map(|file| ((file.name.as_str(), file.bytes, file.written_ns), file))
        .collect();
    let mut sources = Vec::new();
    for entry in fs::read_dir(checkpoint).map_err(|error| Error::io("read", checkpoint, error))? {
        let entry = entry.map_err(|error| Error::io("read", checkpoint, error))?;
        let metadata = entry
            .metadata()
            .map_err(|error| Error::io("read", entry.path(), error))?;
        let written = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let written_ns = written.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(0));
        sources.push((
            entry.file_name().to_string_lossy().into_owned(),
            metadata.len(),
            written_ns,
        ));
    }
    sources.sort();
    let total: u64 = sources.iter().map(|(_, bytes, _)| bytes).sum();
    let (mut done, mut new_bytes, mut copied) = (0, 0, Vec::with_capacity(sources.len()));
    for (name, bytes, written_ns) in sources {
        watch.step("copy files", done, total)?;
        done += bytes;
        let same = known
            .get(&(name.as_str(), bytes, written_ns))
            .filter(|file| {
                // Only sorted files are never written to again.
                Path::new(&file.name)
                    .extension()
                    .is_some_and(|extension| extension == "sst")
                    && fs::metadata(files.join(file.stored_name()))
                        .is_ok_and(|stored| stored.len() == bytes)
            });
        if let Some(file) = same {
            copied.push((*file).clone());
            continue;
        }
        let (file, is_new) = copy_file(&checkpoint.join(&name), files, name, written_ns)?;
        new_bytes += if is_new { file.bytes } else { 0 };
        copied.push(file);
    }
    watch.step("copy files", total, total)?;
    Ok((copied, new_bytes))
}

/// Copies one file under the name of its contents; the second result says if that was new.
fn copy_file(
    source: &Path,
    files: &Path,
    name: String,
    written_ns: u64,
) -> Result<(BackupFile, bool)> {
    let half = files.join("copying");
    let mut target = File::create(&half).map_err(|error| Error::io("create", &half, error))?;
    let (bytes, hash) = read_hashed(source, &mut |part| {
        target
            .write_all(part)
            .map_err(|error| Error::io("write", &half, error))
    })?;
    let file = BackupFile {
        name,
        bytes,
        hash,
        written_ns,
    };
    let stored = files.join(file.stored_name());
    let is_new = !fs::metadata(&stored).is_ok_and(|there| there.len() == bytes);
    target
        .sync_all()
        .map_err(|error| Error::io("sync", &half, error))?;
    // Also over a file of that name: should its contents have been damaged, they are right now.
    fs::rename(&half, &stored).map_err(|error| Error::io("rename", &half, error))?;
    Ok((file, is_new))
}

/// The backups in a folder, oldest first.
///
/// # Errors
/// [`Error::Corruption`] if a manifest is damaged.
pub fn list_backups(folder: &Path) -> Result<Vec<BackupInfo>> {
    let numbers = backup_numbers(folder)?;
    numbers
        .into_iter()
        .map(|number| read_backup(folder, number))
        .collect()
}

/// The numbers of the backups in a folder, as the names of their manifests tell.
pub(super) fn backup_numbers(folder: &Path) -> Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| Error::io("read", folder, error))? {
        let entry = entry.map_err(|error| Error::io("read", folder, error))?;
        let name = entry.file_name();
        let number = name
            .to_str()
            .and_then(|name| name.strip_suffix(".backup")?.parse().ok());
        numbers.extend(number.filter(|number| manifest_path(folder, *number) == entry.path()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn read_backup(folder: &Path, number: u64) -> Result<BackupInfo> {
    let path = manifest_path(folder, number);
    let manifest = BackupManifest::read(&path)?;
    if manifest.number != number {
        return Err(Error::corruption(
            path,
            format_args!("it is the manifest of backup {}", manifest.number),
        ));
    }
    Ok(BackupInfo {
        number,
        manifest,
        new_bytes: 0,
    })
}

/// Reads every byte of a backup and compares it with what was backed up.
///
/// # Errors
/// [`Error::Corruption`] with the first file that differs; [`Error::Cancelled`].
pub fn verify_backup(
    folder: &Path,
    number: Option<u64>,
    watch: &mut Watch<'_>,
) -> Result<BackupInfo> {
    let backup = find_backup(folder, number)?;
    let total = backup.manifest.total_bytes();
    let mut done = 0;
    for file in &backup.manifest.files {
        watch.step("verify files", done, total)?;
        check_contents(folder, file, &mut |_| Ok(()))?;
        done += file.bytes;
    }
    watch.step("verify files", total, total)?;
    Ok(backup)
}

/// The backup of that number, or the latest.
pub(super) fn find_backup(folder: &Path, number: Option<u64>) -> Result<BackupInfo> {
    let numbers = backup_numbers(folder)?;
    let found = match number {
        None => numbers.last(),
        Some(wanted) => numbers.iter().find(|number| **number == wanted),
    };
    let missing = || Error::NoSuchBackup {
        path: folder.to_path_buf(),
        wanted: number.unwrap_or(1),
    };
    read_backup(folder, *found.ok_or_else(missing)?)
}

/// Passes a file's contents on and compares them with their hash.
pub(super) fn check_contents(
    folder: &Path,
    file: &BackupFile,
    each: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let path = folder.join("files").join(file.stored_name());
    if !path.exists() {
        return Err(Error::corruption(path, "the file is missing"));
    }
    let (bytes, hash) = read_hashed(&path, each)?;
    if (bytes, hash) == (file.bytes, file.hash) {
        return Ok(());
    }
    Err(Error::corruption(
        path,
        format_args!(
            "its contents are not those of {}, which were backed up",
            file.name
        ),
    ))
}

pub(super) fn manifest_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:06}.backup"))
}
