//! Databases that were dropped and that somebody still has open.
//!
//! The engine writes its files by their names, so a new database must not get the folder of one that still has a
//! reader or a thread in the background: its name stays taken until the lock on its folder is free.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The file that the engine locks while a database is open.
const LOCK: &str = "LOCK";

/// Databases that were dropped and that somebody still has open, by name.
#[derive(Default)]
pub(super) struct Leaving(BTreeMap<String, Left>);

struct Left {
    folder: PathBuf,
    lock: Option<File>,
}

impl Leaving {
    /// Takes in one whose folder was moved to `folder`.
    pub(super) fn add(&mut self, name: &str, folder: &Path) {
        let lock = File::open(folder.join(LOCK)).ok();
        let folder = folder.to_path_buf();
        self.0.insert(name.to_owned(), Left { folder, lock });
    }

    /// Removes what nobody has open any more; whether nothing of that name is left.
    pub(super) fn is_gone(&mut self, name: &str) -> bool {
        self.0.retain(|name, left| {
            let is_free = left.lock.as_ref().is_none_or(|lock| lock.try_lock().is_ok());
            if !is_free {
                return true;
            }
            match std::fs::remove_dir_all(&left.folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    tracing::error!(%error, name, "the files of a dropped database could not all be removed");
                }
                _ => {}
            }
            false
        });
        !self.0.contains_key(name)
    }
}
