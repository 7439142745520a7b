//! One writer or several readers: the lock on a database's folder.

use super::Layout;
use crate::error::{Error, Result};
use std::fs::{File, OpenOptions, TryLockError};

/// Held while the database is open; the system gives it up with the process.
#[derive(Debug)]
pub struct FolderLock {
    file: Option<File>,
}

impl FolderLock {
    /// Takes the folder for writing.
    ///
    /// # Errors
    /// [`Error::AlreadyOpen`] if anybody else has it.
    pub fn exclusive(layout: &Layout) -> Result<Self> {
        let path = layout.lock();
        let opened = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path);
        let file = opened.map_err(|error| Error::io("open", &path, error))?;
        Self::held(file.try_lock(), layout)?;
        Ok(Self { file: Some(file) })
    }

    /// Takes the folder for reading, without writing a byte.
    ///
    /// A folder without the file was put together by hand and has no writer of ours.
    ///
    /// # Errors
    /// [`Error::AlreadyOpen`] if a writer has it.
    pub fn shared(layout: &Layout) -> Result<Self> {
        let path = layout.lock();
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self { file: None });
            }
            Err(error) => return Err(Error::io("open", path, error)),
        };
        Self::held(file.try_lock_shared(), layout)?;
        Ok(Self { file: Some(file) })
    }

    fn held(locked: Result<(), TryLockError>, layout: &Layout) -> Result<()> {
        match locked {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(Error::AlreadyOpen {
                path: layout.root().to_path_buf(),
            }),
            Err(TryLockError::Error(error)) => Err(Error::io("lock", layout.lock(), error)),
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // A process that another thread is just starting holds a copy of the descriptor for a
        // moment, and with it the lock, unless it is given up by name.
        if let Some(file) = &self.file {
            // Should that fail, closing the descriptor gives it up as well.
            let _ = file.unlock();
        }
    }
}
