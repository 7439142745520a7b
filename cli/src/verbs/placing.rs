//! Files and folders that appear whole: each is made beside its name and then put in its place.

use crate::failure::Failure;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stratigraph::Error;
use stratigraph::storage::files::folder_of;

/// Where a file or folder is made before it gets its name, so that half of one never has it.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(suffix);
    path.with_file_name(name)
}

/// Gives a whole file or folder its name, durably.
pub(super) fn put_in_place(half: &Path, path: &Path) -> Result<(), Failure> {
    fs::rename(half, path).map_err(|error| io_error("rename", half, error))?;
    sync_folder_of(path)
}

/// A new database may take the place of nothing, or of an empty folder.
pub(super) fn ensure_free(path: &Path) -> Result<(), Failure> {
    let holds_something = path
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_some());
    if path.is_file() || holds_something {
        let path = path.to_path_buf();
        return Err(Error::AlreadyExists { path }.into());
    }
    Ok(())
}

pub(super) fn remove_folder(folder: &Path) -> Result<(), Failure> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(io_error("remove", folder, error))
        }
        _ => Ok(()),
    }
}

/// An empty folder of that name may be there; nothing else may.
pub(super) fn remove_empty(path: &Path) -> Result<(), Failure> {
    match fs::remove_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(io_error("replace", path, error))
        }
        _ => Ok(()),
    }
}

fn sync_folder_of(path: &Path) -> Result<(), Failure> {
    let folder = folder_of(path);
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| io_error("sync", folder, error))
}

/// An I/O error with the file and what was tried.
pub(super) fn io_error(operation: &'static str, path: &Path, source: io::Error) -> Failure {
    Failure::Engine(Error::Io {
        operation,
        path: path.to_path_buf(),
        source: Arc::new(source),
    })
}
