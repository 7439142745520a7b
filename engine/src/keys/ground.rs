//! What transactions stand on: one open store, with its log of commits, its queue of writers and its folder.
//!
//! It knows no graph and no index, and it never closes by itself: [`OpenDatabase`](super::OpenDatabase) is the
//! whole that does. Whoever holds only the ground, as [`Background`](super::Background) does, keeps the store and
//! the folder's lock, and not the database.

use crate::catalog::GraphState;
use crate::codec::DatabaseId;
use crate::error::{Error, Result};
use crate::storage::commit::CommitLog;
use crate::storage::files::Layout;
use crate::storage::files::lock::FolderLock;
use crate::storage::files::reserve::DiskGuard;
use crate::storage::queue::WriterQueue;
use crate::storage::store::Store;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What all transactions of one open database share. Fields are dropped in their order: the lock goes last.
pub(crate) struct Ground {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) log: Arc<CommitLog<GraphState>>,
    pub(crate) queue: Arc<WriterQueue>,
    pub(crate) id: DatabaseId,
    /// How many bytes a write transaction may hold.
    pub(crate) transaction_bytes: u64,
    pub(crate) read_only: bool,
    pub(crate) closed: AtomicBool,
    /// Held while a load's runs are taken in, and while a checkpoint is made: it flushes first and
    /// lists files then, so a run taken in between would be in it without its load's marker.
    pub(crate) file_list: Mutex<()>,
    /// Nothing of it exists for a database in memory.
    pub(crate) disk: Option<Disk>,
}

/// The folder of a database.
pub(crate) struct Disk {
    pub(crate) layout: Layout,
    /// Absent when open read-only.
    pub(crate) guard: Option<DiskGuard>,
    pub(crate) lock: FolderLock,
}

impl Ground {
    /// Whether a transaction may start.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub(crate) fn ensure_open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) {
            Err(Error::Closed)
        } else {
            Ok(())
        }
    }

    /// Whether a transaction that writes may start.
    ///
    /// # Errors
    /// [`Error::Closed`]; [`Error::ReadOnly`].
    pub(crate) fn ensure_writable(&self) -> Result<()> {
        self.ensure_open()?;
        if self.read_only {
            Err(Error::ReadOnly)
        } else {
            Ok(())
        }
    }

    /// The folder, for what cannot be done without one.
    ///
    /// # Errors
    /// [`Error::NeedsDisk`] of a database in memory.
    pub(crate) fn disk(&self, operation: &'static str) -> Result<&Disk> {
        self.disk.as_ref().ok_or(Error::NeedsDisk { operation })
    }

    /// Whether the disk has room for so many bytes more. What only deletes may use the reserve.
    ///
    /// # Errors
    /// [`Error::DiskFull`].
    pub(crate) fn admit(&self, bytes: u64, only_deletes: bool) -> Result<()> {
        let guard = self.disk.as_ref().and_then(|disk| disk.guard.as_ref());
        guard.map_or(Ok(()), |guard| guard.admit(bytes, only_deletes))
    }
}
