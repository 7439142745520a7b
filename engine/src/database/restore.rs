//! Restoring a backup: a new folder, which appears under its name only when it is whole.

use super::backup::{BackupInfo, check_contents, find_backup};
use crate::codec::FormatVersion;
use crate::error::{Error, Result};
use crate::storage::cancel::Watch;
use crate::storage::files::header::{CURRENT_FORMAT, Header};
use crate::storage::files::mark::{ManifestFloor, Mark, MarkFile};
use crate::storage::files::{Layout, folder_of, remove_dir, sync_dir};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Restores a backup (the latest, or that of `number`) into `target`, which must not exist or be
/// empty. Every byte is compared with what was backed up.
///
/// The restored database has the same id; its mark is the backup's commit.
///
/// # Errors
/// [`Error::AlreadyExists`], [`Error::NoSuchBackup`], [`Error::Corruption`] if a file of the backup
/// is damaged, [`Error::Cancelled`]. `target` is as it was before then.
pub fn restore(
    folder: impl AsRef<Path>,
    number: Option<u64>,
    target: impl AsRef<Path>,
    watch: &mut Watch<'_>,
) -> Result<BackupInfo> {
    let (folder, target) = (folder.as_ref(), target.as_ref());
    if target
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_some())
        || target.is_file()
    {
        return Err(Error::AlreadyExists {
            path: target.to_path_buf(),
        });
    }
    let backup = find_backup(folder, number)?;
    if backup.manifest.format > CURRENT_FORMAT {
        let path = folder.to_path_buf();
        return Err(Error::FutureFormat {
            path,
            found: backup.manifest.format,
            supported: CURRENT_FORMAT,
        });
    }
    let half = beside(target);
    remove_dir(&half)?;
    let built = build(folder, &backup, &half, watch);
    if built.is_err() {
        remove_dir(&half)?;
        built?;
    }
    // An empty folder of that name may be there; nothing else may.
    match fs::remove_dir(target) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Error::io("replace", target, error));
        }
        _ => {}
    }
    fs::rename(&half, target).map_err(|error| Error::io("rename", &half, error))?;
    sync_dir(folder_of(target))?;
    Ok(backup)
}

fn build(folder: &Path, backup: &BackupInfo, half: &Path, watch: &mut Watch<'_>) -> Result<()> {
    let layout = Layout::new(half);
    let store = layout.store();
    fs::create_dir_all(&store).map_err(|error| Error::io("create", &store, error))?;
    let (total, mut done) = (backup.manifest.total_bytes(), 0);
    for file in &backup.manifest.files {
        watch.step("restore files", done, total)?;
        let path = store.join(&file.name);
        let mut target = File::create(&path).map_err(|error| Error::io("create", &path, error))?;
        check_contents(folder, file, &mut |part| {
            target
                .write_all(part)
                .map_err(|error| Error::io("write", &path, error))
        })?;
        target
            .sync_all()
            .map_err(|error| Error::io("sync", &path, error))?;
        done += file.bytes;
    }
    sync_dir(&store)?;
    let id = backup.manifest.database;
    let manifest = ManifestFloor::of(&store)?;
    MarkFile::create(
        &layout,
        &Mark {
            id,
            commit: backup.manifest.commit,
            manifest,
        },
    )?;
    let format: FormatVersion = backup.manifest.format;
    Header {
        id,
        format,
        ready: true,
    }
    .write(&layout)?;
    sync_dir(half)?;
    watch.step("restore files", total, total)
}

/// Where the restored database grows: on the same disk, under a name that says what it is.
fn beside(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(".restoring");
    folder_of(target).join(name)
}
