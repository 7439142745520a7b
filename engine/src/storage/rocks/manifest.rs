//! The tail of RocksDB's manifest, as a loss of power may leave it.
//!
//! RocksDB syncs each record of the manifest before it relies on it, and refuses to open a manifest
//! with a bad record. But a loss of power may keep a part of the one record whose sync had not
//! finished, which nobody relies on. This finds that part, so that it can be cut off; whether the
//! rest still holds every acknowledged commit is for the caller to compare with the mark.

use super::log_format::{FIRST, LAST, MIDDLE, Part, WHOLE, part_at};
use crate::error::{Error, Result};
use crate::storage::files::sync_dir;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

/// A manifest whose last bytes are no record.
#[derive(Debug)]
pub struct TornManifest {
    store: PathBuf,
    path: PathBuf,
    bytes: Vec<u8>,
    whole_bytes: usize,
}

impl TornManifest {
    /// Looks at the manifest `path` of the store; `None` if every record of it is whole.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn find(store: &Path, path: &Path) -> Result<Option<Self>> {
        let bytes = fs::read(path).map_err(|error| Error::io("read", path, error))?;
        let whole_bytes = whole_records(&bytes);
        let torn = whole_bytes < bytes.len();
        Ok(torn.then(|| Self {
            store: store.to_path_buf(),
            path: path.to_path_buf(),
            bytes,
            whole_bytes,
        }))
    }

    /// Where its whole records end.
    #[must_use]
    pub fn whole_bytes(&self) -> u64 {
        self.whole_bytes as u64
    }

    /// Makes a store in `dir` that shares all files but has only the whole records, to look at.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn shadow(&self, dir: &Path) -> Result<()> {
        fs::create_dir(dir).map_err(|error| Error::io("create", dir, error))?;
        for entry in
            fs::read_dir(&self.store).map_err(|error| Error::io("read", &self.store, error))?
        {
            let entry = entry.map_err(|error| Error::io("read", &self.store, error))?;
            let (path, copy) = (entry.path(), dir.join(entry.file_name()));
            if path != self.path {
                fs::hard_link(&path, &copy).map_err(|error| Error::io("link", path, error))?;
            }
        }
        let copy = dir.join(self.path.file_name().unwrap_or_default());
        fs::write(&copy, &self.bytes[..self.whole_bytes])
            .map_err(|error| Error::io("write", copy, error))
    }

    /// Cuts the torn bytes off for good.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn cut(&self) -> Result<()> {
        let file: File = OpenOptions::new()
            .write(true)
            .open(&self.path)
            .map_err(|error| Error::io("open", &self.path, error))?;
        file.set_len(self.whole_bytes())
            .map_err(|error| Error::io("cut", &self.path, error))?;
        file.sync_all()
            .map_err(|error| Error::io("sync", &self.path, error))?;
        sync_dir(&self.store)
    }
}

/// How many bytes of the file are whole records.
fn whole_records(bytes: &[u8]) -> usize {
    let (mut place, mut whole, mut inside) = (0, 0, false);
    while let Part::Good { kind, end, .. } = part_at(bytes, place) {
        match (kind, inside) {
            (WHOLE, false) | (LAST, true) => {
                whole = end;
                inside = false;
            }
            (FIRST, false) | (MIDDLE, true) => inside = true,
            _ => break,
        }
        place = end;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::super::log_format::part as record;
    use super::*;

    #[test]
    fn the_end_of_whole_records_is_found_whatever_follows() {
        let good = [record(WHOLE, b"one"), record(WHOLE, &[7; 300])].concat();
        assert_eq!(whole_records(&good), good.len());
        for tail in [
            &b"\0\0\0\0\0\0\0\0\0\0"[..],
            &record(WHOLE, b"torn")[..8],
            &record(FIRST, b"a part that goes on nowhere"),
            &record(MIDDLE, b"a part that began nowhere"),
            &[0xFF; 40],
        ] {
            assert_eq!(
                whole_records(&[&good, tail].concat()),
                good.len(),
                "{tail:?}"
            );
        }
        let mut flipped = good.clone();
        flipped[12] ^= 1;
        assert_eq!(whole_records(&flipped), record(WHOLE, b"one").len());
        assert_eq!(whole_records(&[]), 0);
    }

    #[test]
    fn a_record_without_its_last_part_is_none() {
        let both = [record(FIRST, &[1; 300]), record(LAST, b"the rest")].concat();
        assert_eq!(whole_records(&both), both.len());
        assert_eq!(whole_records(&both[..both.len() - 1]), 0);
    }

    #[test]
    fn a_manifest_of_rocksdb_is_all_whole_records() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store");
        let opened = super::super::RocksStore::open(&store, &Default::default()).unwrap();
        drop(opened);
        let name = fs::read_to_string(store.join("CURRENT")).unwrap();
        let path = store.join(name.trim_end());
        assert!(fs::metadata(&path).unwrap().len() > 500);
        assert!(TornManifest::find(&store, &path).unwrap().is_none());
    }
}
