//! Where the harnesses make their databases.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder for a run: one that the user named, or a temporary one.
pub struct Scratch {
    root: PathBuf,
    temporary: Option<TempDir>,
}

impl Scratch {
    /// Uses `named`, or makes a folder in memory if the system has one.
    ///
    /// A killed process loses nothing that it has written, whether the files are on a disk or not;
    /// in memory a run gets through many times more commits in its time.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn new(named: Option<&Path>, program: &str) -> Result<Self> {
        if let Some(root) = named {
            std::fs::create_dir_all(root)
                .with_context(|| format!("cannot create {}", root.display()))?;
            return Ok(Self {
                root: root.canonicalize()?,
                temporary: None,
            });
        }
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() {
            memory.to_path_buf()
        } else {
            std::env::temp_dir()
        };
        let builder = &mut tempfile::Builder::new();
        let temporary = builder
            .prefix(&format!("stratigraph-{program}-"))
            .tempdir_in(&parent);
        let temporary =
            temporary.with_context(|| format!("cannot create a folder in {}", parent.display()))?;
        Ok(Self {
            root: temporary.path().canonicalize()?,
            temporary: Some(temporary),
        })
    }

    /// The folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Leaves the folder where it is.
    #[must_use]
    pub fn keep(self) -> PathBuf {
        if let Some(temporary) = self.temporary {
            let _: PathBuf = temporary.keep();
        }
        self.root
    }

    /// Removes the folder with everything in it, also one that the user named.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn remove(self) -> Result<()> {
        std::fs::remove_dir_all(&self.root)
            .with_context(|| format!("cannot remove {}", self.root.display()))
    }
}

/// Copies a folder with everything in it, except what belongs to a running process.
///
/// # Errors
/// If a file cannot be read or written.
pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else if entry.file_name() != "LOCK" {
            fs::copy(entry.path(), &target)
                .with_context(|| format!("cannot copy to {}", target.display()))?;
        }
    }
    Ok(())
}
