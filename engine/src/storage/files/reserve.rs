//! Room on the disk: refusing writes before the disk is full, and a reserve so that deleting works
//! when it is.
//!
//! RocksDB stops for good when a flush finds no room, and then cannot even be opened. So a commit
//! that adds data is refused while there is still room for everything in memory, and a file of
//! nothing holds space that is given up when only deleting, or opening, needs it.

use super::Layout;
use crate::error::{Error, Result};
use parking_lot::Mutex;
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use std::fs::{self, OpenOptions};

/// Watches the free space of a database's disk.
#[derive(Debug)]
pub struct DiskGuard {
    layout: Layout,
    /// What the reserve file holds when it is there.
    reserve_bytes: u64,
    /// What flushing memory may need beside the commit itself.
    headroom_bytes: u64,
    reserve_is_held: Mutex<bool>,
}

impl DiskGuard {
    /// Watches the disk, and sets the reserve aside if there is room for it.
    pub fn new(layout: &Layout, reserve_bytes: u64, headroom_bytes: u64) -> Result<Self> {
        let guard = Self {
            layout: layout.clone(),
            reserve_bytes,
            headroom_bytes,
            reserve_is_held: Mutex::new(false),
        };
        let held = guard.hold_reserve()?;
        *guard.reserve_is_held.lock() = held;
        Ok(guard)
    }

    /// Whether a commit of `bytes` may go ahead.
    ///
    /// # Errors
    /// [`Error::DiskFull`] if it may not; nothing was written then.
    pub fn admit(&self, bytes: u64, only_deletes: bool) -> Result<()> {
        if self.reserve_bytes == 0 {
            return Ok(());
        }
        // Once in the log and once in a sorted file, before the log can be dropped.
        let needed = bytes.saturating_mul(2);
        let comfortable = needed.saturating_add(self.headroom_bytes);
        let free = free_bytes(&self.layout)?;
        let mut held = self.reserve_is_held.lock();
        if free >= comfortable {
            if !*held && free - comfortable > self.reserve_bytes.saturating_mul(2) {
                *held = self.hold_reserve()?;
            }
            return Ok(());
        }
        if only_deletes {
            if *held {
                release(&self.layout)?;
                *held = false;
                tracing::warn!(
                    free,
                    "the disk is full: the reserve is given up for deleting"
                );
            }
            if free_bytes(&self.layout)? >= needed {
                return Ok(());
            }
        }
        Err(Error::DiskFull {
            path: self.layout.root().to_path_buf(),
            free_bytes: free,
            needed_bytes: comfortable,
        })
    }

    /// Sets the reserve aside if the disk has room for it and for the headroom.
    fn hold_reserve(&self) -> Result<bool> {
        let path = self.layout.reserve();
        if self.reserve_bytes == 0 {
            release(&self.layout)?;
            return Ok(false);
        }
        let length = fs::metadata(&path).map_or(0, |file| file.len());
        if length == self.reserve_bytes {
            return Ok(true);
        }
        if free_bytes(&self.layout)? < self.headroom_bytes.saturating_add(self.reserve_bytes) {
            tracing::warn!(
                bytes = self.reserve_bytes,
                "too little free space to set a reserve aside"
            );
            return Ok(false);
        }
        let opened = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .open(&path);
        let file = opened.map_err(|error| Error::io("create", &path, error))?;
        match fallocate(&file, FallocateFlags::empty(), 0, self.reserve_bytes) {
            Ok(()) => Ok(true),
            Err(error) => {
                // A file system without preallocation has no reserve; admitting still checks free space.
                tracing::warn!(%error, "the file system cannot set a reserve aside");
                release(&self.layout)?;
                Ok(false)
            }
        }
    }
}

/// Gives the reserve up; one that is not there is fine.
pub fn release(layout: &Layout) -> Result<()> {
    let path = layout.reserve();
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", path, error))
        }
        _ => Ok(()),
    }
}

/// What the disk offers to this process.
pub fn free_bytes(layout: &Layout) -> Result<u64> {
    let disk = statvfs(layout.root())
        .map_err(|error| Error::io("measure", layout.root(), error.into()))?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
