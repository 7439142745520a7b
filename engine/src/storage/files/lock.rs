//! One writer or several readers: the lock on a database's folder.
//!
//! Next: `holder.rs`, which says who has it.

use super::Layout;
use super::holder::{Holder, Holders};
use crate::clock::wall_clock;
use crate::error::{Error, Result};
use parking_lot::Mutex;
use std::fs::{File, OpenOptions, TryLockError};

/// Held while the database is open; the system gives it up with the process.
#[derive(Debug)]
pub struct FolderLock {
    file: Option<File>,
    /// What the file says of us, if we write; readers never write a byte.
    holder: Mutex<Option<Holder>>,
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
        if let Err(TryLockError::WouldBlock) = Self::taken(file.try_lock(), layout)? {
            // Readers let others read: so one can tell whom to name.
            let others = match file.try_lock_shared() {
                Ok(()) => {
                    let _ = file.unlock();
                    Holders::readers(&path)
                }
                Err(_) => Holders::writer(&path),
            };
            return Err(open_elsewhere(layout, others));
        }
        Ok(Self {
            file: Some(file),
            holder: Mutex::new(None),
        })
    }

    /// Leaves in the file who has the database, for those who find it locked. That it could not be written is no
    /// reason to refuse anything.
    pub fn say_who(&self) {
        self.leave(Holder::this(wall_clock()));
    }

    /// Adds where the database can be asked meanwhile.
    pub fn announce(&self, address: &str) {
        let said = self.holder.lock().clone();
        if let Some(mut holder) = said {
            holder.address = Some(address.to_owned());
            self.leave(holder);
        }
    }

    fn leave(&self, holder: Holder) {
        let Some(file) = &self.file else { return };
        if let Err(error) = holder.write(file) {
            tracing::debug!(%error, "others will not learn who has the database open");
        }
        *self.holder.lock() = Some(holder);
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
                return Ok(Self {
                    file: None,
                    holder: Mutex::new(None),
                });
            }
            Err(error) => return Err(Error::io("open", path, error)),
        };
        if let Err(TryLockError::WouldBlock) = Self::taken(file.try_lock_shared(), layout)? {
            return Err(open_elsewhere(layout, Holders::writer(&path)));
        }
        Ok(Self {
            file: Some(file),
            holder: Mutex::new(None),
        })
    }

    /// Whether the lock was free; an error is none of other openers.
    fn taken(
        locked: Result<(), TryLockError>,
        layout: &Layout,
    ) -> Result<Result<(), TryLockError>> {
        match locked {
            Err(TryLockError::Error(error)) => Err(Error::io("lock", layout.lock(), error)),
            other => Ok(other),
        }
    }
}

fn open_elsewhere(layout: &Layout, holders: Holders) -> Error {
    Error::AlreadyOpen {
        path: layout.root().to_path_buf(),
        holders: Box::new(holders),
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // A process that another thread is just starting holds a copy of the descriptor for a
        // moment, and with it the lock, unless it is given up by name.
        if let Some(file) = &self.file {
            if self.holder.get_mut().is_some() {
                // As it was found. A process that is killed leaves its name, which nobody takes for a holder.
                let _ = file.set_len(0);
            }
            // Should that fail, closing the descriptor gives it up as well.
            let _ = file.unlock();
        }
    }
}
