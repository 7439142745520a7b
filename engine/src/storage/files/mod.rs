//! Our own files beside RocksDB's, and writing them so that a crash leaves the old or the new one.
//!
//! ```text
//! DIR/STRATIGRAPH   who this database is: id, format, whether its creation was finished
//! DIR/MARK          the high-water mark: the last commit that was acknowledged as durable
//! DIR/LOCK          held while the database is open; says who writes
//! DIR/RESERVE       disk space kept for deleting when the disk is full
//! DIR/store/        RocksDB's files
//! DIR/vectors/      rows of vector indexes, made of what is stored
//! DIR/load/         sorted runs of a bulk load, while one is going on
//! ```

pub mod header;
pub mod holder;
pub mod lock;
pub mod mark;
pub mod reserve;

use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where each file of a database lies.
#[derive(Debug, Clone)]
pub struct Layout {
    root: PathBuf,
}

impl Layout {
    /// The layout of the database in `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The database's folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The file that says who the database is.
    #[must_use]
    pub fn header(&self) -> PathBuf {
        self.root.join("STRATIGRAPH")
    }

    /// The high-water mark.
    #[must_use]
    pub fn mark(&self) -> PathBuf {
        self.root.join("MARK")
    }

    /// The file whose lock is the database's lock.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.root.join("LOCK")
    }

    /// Disk space set aside.
    #[must_use]
    pub fn reserve(&self) -> PathBuf {
        self.root.join("RESERVE")
    }

    /// RocksDB's folder.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.root.join("store")
    }

    /// The folder of what vector indexes keep beside the store.
    #[must_use]
    pub fn vectors(&self) -> PathBuf {
        self.root.join("vectors")
    }

    /// The folder of a bulk load's runs.
    #[must_use]
    pub fn load(&self) -> PathBuf {
        self.root.join("load")
    }

    /// The folder in which a store with a torn manifest is looked at.
    #[must_use]
    pub fn shadow(&self) -> PathBuf {
        self.root.join("shadow")
    }

    /// The folder a checkpoint is made in, before a backup copies it.
    #[must_use]
    pub fn checkpoint(&self) -> PathBuf {
        self.root.join("checkpoint")
    }
}

/// The folder that a file or folder is in; a name alone is in the one that the process is in.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes the names in a folder durable.
pub fn sync_dir(dir: &Path) -> Result<()> {
    let opened = File::open(dir).map_err(|error| Error::io("open", dir, error))?;
    opened
        .sync_all()
        .map_err(|error| Error::io("sync", dir, error))
}

/// Writes a file whole: after a crash the old contents or the new are there, never a mixture.
pub fn replace(path: &Path, contents: &[u8]) -> Result<()> {
    let new = path.with_extension("new");
    let mut file = File::create(&new).map_err(|error| Error::io("create", &new, error))?;
    file.write_all(contents)
        .map_err(|error| Error::io("write", &new, error))?;
    file.sync_all()
        .map_err(|error| Error::io("sync", &new, error))?;
    fs::rename(&new, path).map_err(|error| Error::io("rename", &new, error))?;
    sync_dir(folder_of(path))
}

/// Removes a folder with everything in it; one that is not there is fine.
pub fn remove_dir(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", dir, error))
        }
        _ => Ok(()),
    }
}

/// Reads a small file whole, refusing one that is larger than `limit_bytes`.
pub fn read_small(path: &Path, limit_bytes: u64) -> Result<Vec<u8>> {
    let length = fs::metadata(path)
        .map_err(|error| Error::io("read", path, error))?
        .len();
    if length > limit_bytes {
        return Err(Error::corruption(
            path,
            format_args!("{length} bytes long, at most {limit_bytes} expected"),
        ));
    }
    fs::read(path).map_err(|error| Error::io("read", path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_alone_is_in_the_folder_of_the_process() {
        for (path, folder) in [
            ("/a/b.toml", "/a"),
            ("a/b.toml", "a"),
            ("b.toml", "."),
            ("/", "."),
        ] {
            assert_eq!(folder_of(Path::new(path)), Path::new(folder), "{path}");
        }
    }
}
