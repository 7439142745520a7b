//! Old backups are removed, and the contents that only they had.

use super::Database;
use super::backup::{backup_numbers, manifest_path};
use super::manifest::BackupFile;
use crate::error::{Error, Result};
use crate::storage::cancel::Watch;
use crate::storage::files::sync_dir;
use std::collections::HashSet;
use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

/// What was removed from a folder of backups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrunedBackups {
    /// The numbers of the backups, oldest first.
    pub removed: Vec<u64>,
    /// How many bytes of contents no other backup had.
    pub freed_bytes: u64,
}

impl Database {
    /// Removes all backups of this database in `folder` but the newest, and the contents that none of those has.
    ///
    /// Whatever cuts it short, those that are kept are whole, and the next call removes what was left lying.
    ///
    /// # Errors
    /// [`Error::ForeignFile`] if the folder has backups of another database, and [`Error::Corruption`] if the
    /// manifest of one that is to be kept is damaged: nothing is removed then. [`Error::Cancelled`].
    ///
    /// ```
    /// # use stratigraph::Database;
    /// # use stratigraph::storage::cancel::Watch;
    /// # use std::num::NonZeroU32;
    /// # let folder = tempfile::tempdir()?;
    /// let db = Database::create(folder.path().join("library"))?;
    /// let backups = folder.path().join("backups");
    /// let mut watch = Watch::quiet();
    /// for _ in 0..9 {
    ///     db.backup(&backups, &mut watch)?;
    /// }
    /// let pruned = db.prune_backups(&backups, NonZeroU32::new(7).unwrap(), &mut watch)?;
    /// assert_eq!(pruned.removed, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn prune_backups(
        &self,
        folder: impl AsRef<Path>,
        keep: NonZeroU32,
        watch: &mut Watch<'_>,
    ) -> Result<PrunedBackups> {
        let folder = folder.as_ref();
        // A backup that is being taken has contents that no manifest names yet.
        let _nobody_backs_up = self.inner.backing_up.lock();
        let mut numbers = backup_numbers(folder)?;
        let whole = self.earlier_backups(folder, &numbers)?;
        let kept = numbers.split_off(numbers.len().saturating_sub(keep.get() as usize));
        let mut named = HashSet::new();
        for number in kept {
            let Some(backup) = whole.iter().find(|backup| backup.number == number) else {
                return Err(Error::corruption(
                    manifest_path(folder, number),
                    "which contents it needs cannot be read, so none are removed",
                ));
            };
            let files = backup.manifest.files.iter();
            named.extend(files.map(BackupFile::stored_name));
        }
        // Without its manifest a backup is not there, so contents go when the manifests are gone for good.
        for number in &numbers {
            let path = manifest_path(folder, *number);
            fs::remove_file(&path).map_err(|error| Error::io("remove", &path, error))?;
        }
        sync_dir(folder)?;
        let freed_bytes = remove_all_but(&named, &folder.join("files"), watch)?;
        Ok(PrunedBackups {
            removed: numbers,
            freed_bytes,
        })
    }
}

/// Removes contents that nothing names; how many bytes they had.
fn remove_all_but(named: &HashSet<String>, files: &Path, watch: &mut Watch<'_>) -> Result<u64> {
    let mut freed_bytes = 0;
    for entry in fs::read_dir(files).map_err(|error| Error::io("read", files, error))? {
        let entry = entry.map_err(|error| Error::io("read", files, error))?;
        let is_named = |name: &str| named.contains(name);
        if entry.file_name().to_str().is_some_and(is_named) {
            continue;
        }
        watch.step("remove old contents", freed_bytes, 0)?;
        let path = entry.path();
        let bytes = entry.metadata().map(|metadata| metadata.len());
        freed_bytes += bytes.map_err(|error| Error::io("read", &path, error))?;
        fs::remove_file(&path).map_err(|error| Error::io("remove", &path, error))?;
    }
    sync_dir(files)?;
    Ok(freed_bytes)
}
