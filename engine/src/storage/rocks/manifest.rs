//! The tail of RocksDB's manifest, as a loss of power may leave it.
//!
//! RocksDB syncs each record of the manifest before it relies on it, and refuses to open a manifest
//! with a bad record. But a loss of power may keep a part of the one record whose sync had not
//! finished, which nobody relies on. This finds that part, so that it can be cut off; whether the
//! rest still holds every acknowledged commit is for the caller to compare with the mark.
//!
//! ```text
//! block of 32 KiB: [record] [record] ... [zeros where no header fits]
//! record:          [masked crc32c of type and data: 4 LE] [length: 2 LE] [type: 1] [data]
//! type:            1 whole, 2 first part, 3 middle part, 4 last part
//! ```

use crate::error::{Error, Result};
use crate::storage::files::sync_dir;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

const BLOCK_BYTES: usize = 32 << 10;
const HEADER_BYTES: usize = 7;
const WHOLE: u8 = 1;
const FIRST: u8 = 2;
const MIDDLE: u8 = 3;
const LAST: u8 = 4;

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
    while let Some((kind, end)) = record_at(bytes, place) {
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

/// The type and the end of the record at or after `place`; `None` if there is no whole one.
fn record_at(bytes: &[u8], place: usize) -> Option<(u8, usize)> {
    let left_in_block = BLOCK_BYTES - place % BLOCK_BYTES;
    let start = if left_in_block < HEADER_BYTES {
        place + left_in_block
    } else {
        place
    };
    let (header, rest) = bytes.get(start..)?.split_first_chunk::<HEADER_BYTES>()?;
    let [c0, c1, c2, c3, l0, l1, kind] = *header;
    let length = usize::from(u16::from_le_bytes([l0, l1]));
    let end = start + HEADER_BYTES + length;
    let stays_in_block = start / BLOCK_BYTES == (end - 1) / BLOCK_BYTES;
    let data = rest.get(..length)?;
    let stored = u32::from_le_bytes([c0, c1, c2, c3]);
    let right = stays_in_block && masked(crc32c(&[kind], data)) == stored;
    right.then_some((kind, end))
}

/// RocksDB stores its checksums turned and moved, so that data with checksums in it can be summed.
fn masked(checksum: u32) -> u32 {
    checksum.rotate_right(15).wrapping_add(0xa282_ead8)
}

/// CRC-32C of both parts. A bit at a time will do: this runs once, after a loss of power.
fn crc32c(first: &[u8], second: &[u8]) -> u32 {
    let sum = first.iter().chain(second).fold(!0, |mut sum: u32, byte| {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            let carry = if sum & 1 == 1 { 0x82f6_3b78 } else { 0 };
            sum = (sum >> 1) ^ carry;
        }
        sum
    });
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u8, data: &[u8]) -> Vec<u8> {
        let mut bytes = masked(crc32c(&[kind], data)).to_le_bytes().to_vec();
        bytes.extend((data.len() as u16).to_le_bytes());
        bytes.push(kind);
        bytes.extend(data);
        bytes
    }

    #[test]
    fn the_checksum_is_crc32c() {
        // The check value of CRC-32C.
        assert_eq!(crc32c(b"1234", b"56789"), 0xe306_9283);
    }

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
    fn records_go_on_over_blocks() {
        let first = record(FIRST, &vec![1; BLOCK_BYTES - HEADER_BYTES]);
        let last = record(LAST, b"the rest");
        let both = [first.clone(), last].concat();
        assert_eq!(whole_records(&both), both.len());
        assert_eq!(
            whole_records(&both[..both.len() - 1]),
            0,
            "without its last part it is none"
        );
        // No header fits into the last bytes of a block.
        let mut filled = record(WHOLE, &vec![1; BLOCK_BYTES - HEADER_BYTES - 5]);
        filled.extend([0; 5]);
        filled.extend(record(WHOLE, b"next block"));
        assert_eq!(whole_records(&filled), filled.len());
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
