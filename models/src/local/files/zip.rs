//! The files inside an archive, which is never unpacked to disk: a name in it leads nowhere but to its bytes.
//!
//! Only what wheels use is read: stored and deflated entries, no encryption, no archive above 4 GiB. Everything that
//! stands in the directory at the end is checked against the archive's length before it is used.

use super::malformed;
use crate::error::ModelError;
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

const END: [u8; 4] = *b"PK\x05\x06";
const ENTRY: [u8; 4] = *b"PK\x01\x02";
const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// A model has a dozen.
const MOST_ENTRIES: usize = 10_000;

/// An archive in memory.
pub(crate) struct Archive {
    path: PathBuf,
    bytes: Vec<u8>,
    entries: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    deflated: bool,
    packed: Range<usize>,
    size: u64,
    checksum: u32,
}

impl Archive {
    pub(crate) fn new(path: &Path, bytes: Vec<u8>) -> Result<Self, ModelError> {
        let entries = directory(&bytes).map_err(|problem| malformed(path, problem))?;
        Ok(Self {
            path: path.to_path_buf(),
            bytes,
            entries,
        })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// The bytes of a file, if it is there and not longer than this.
    pub(crate) fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, ModelError> {
        let Some(entry) = self.entries.get(name) else {
            return Ok(None);
        };
        let path = self.path.join(name);
        if entry.size > limit {
            return Err(ModelError::TooLarge {
                path,
                bytes: entry.size,
                limit,
            });
        }
        let wrong = |problem: &str| malformed(&path, problem);
        let packed = self.bytes.get(entry.packed.clone());
        let packed = packed.ok_or_else(|| wrong("it lies outside of its archive"))?;
        let mut content = Vec::new();
        let read = if entry.deflated {
            // One more than it says, to see whether it says too little.
            let mut unpacking = DeflateDecoder::new(packed).take(entry.size + 1);
            unpacking.read_to_end(&mut content).is_ok()
        } else {
            content.extend_from_slice(packed);
            true
        };
        let mut crc = Crc::new();
        crc.update(&content);
        if !read || content.len() as u64 != entry.size || crc.sum() != entry.checksum {
            return Err(wrong("it is not what its archive says"));
        }
        Ok(Some(content))
    }
}

/// A number of two or four bytes at this place.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(N)?)?;
    let digits = bytes.iter().rev();
    Some(digits.fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

fn signed(bytes: &[u8], at: usize, signature: [u8; 4]) -> bool {
    bytes
        .get(at..)
        .is_some_and(|rest| rest.starts_with(&signature))
}

fn directory(bytes: &[u8]) -> Result<BTreeMap<String, Entry>, String> {
    // The end of the directory is the last thing but for a comment, whose length it says.
    let earliest = bytes.len().saturating_sub(22 + 0xffff);
    let end = (earliest..=bytes.len().saturating_sub(22))
        .rev()
        .find(|at| {
            let comment = number::<2>(bytes, at + 20);
            signed(bytes, *at, END) && comment.is_some_and(|length| at + 22 + length == bytes.len())
        });
    let end = end.ok_or("it is no zip archive")?;
    let cut = || "its directory is cut short".to_owned();
    let count = number::<2>(bytes, end + 10).ok_or_else(cut)?;
    let mut at = number::<4>(bytes, end + 16).ok_or_else(cut)?;
    if count > MOST_ENTRIES {
        return Err(format!("it has {count} entries, more than {MOST_ENTRIES}"));
    }
    let mut entries = BTreeMap::new();
    for _ in 0..count {
        if !signed(bytes, at, ENTRY) {
            return Err(cut());
        }
        let field = |offset| number::<2>(bytes, at + offset).ok_or_else(cut);
        let long = |offset| number::<4>(bytes, at + offset).ok_or_else(cut);
        let (flags, method) = (field(8)?, field(10)?);
        let (checksum, packed, size) = (long(16)?, long(20)?, long(24)?);
        let (name, extra, comment) = (field(28)?, field(30)?, field(32)?);
        let local = long(42)?;
        let name_bytes = bytes.get(at + 46..at + 46 + name).ok_or_else(cut)?;
        let name = std::str::from_utf8(name_bytes).map_err(|_| "a name is not UTF-8")?;
        at += 46 + name.len() + extra + comment;
        if name.ends_with('/') && size == 0 {
            continue;
        }
        let part =
            |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':', '\0']);
        if !name.split('/').all(part) {
            return Err(format!("the name {name:.80?} in it leads out of it"));
        }
        if flags & 1 != 0 || !matches!(method, 0 | 8) || packed == 0xffff_ffff {
            return Err(format!(
                "{name:.80} in it is encrypted, too large, or packed in an unknown way ({method})"
            ));
        }
        if !signed(bytes, local, LOCAL) {
            return Err(format!("{name:.80} in it is not where its directory says"));
        }
        let before = |offset| number::<2>(bytes, local + offset).ok_or_else(cut);
        let start = local + 30 + before(26)? + before(28)?;
        let entry = Entry {
            deflated: method == 8,
            packed: start..start + packed,
            size: size as u64,
            checksum: checksum as u32,
        };
        if entries.insert(name.to_owned(), entry).is_some() {
            return Err(format!("{name:.80} is in it twice"));
        }
    }
    Ok(entries)
}
