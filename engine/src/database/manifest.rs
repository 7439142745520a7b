//! The manifest of one backup: which commit it is of, and every file by name, length and hash.

use crate::codec::{CodecError, CommitSeq, DatabaseId, FormatVersion, frame};
use crate::error::{Error, Result};
use crate::storage::files::read_small;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path};
use xxhash_rust::xxh3::Xxh3;

const MAGIC: [u8; 8] = *b"SGBACKUP";
const FORMAT: u32 = 1;

/// One backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupManifest {
    /// Its number, which is also its file's name: one put under another's name is noticed.
    pub number: u64,
    /// The database it is of.
    pub database: DatabaseId,
    /// The format of the database.
    pub format: FormatVersion,
    /// The commit it holds: everything up to it, and nothing after it.
    pub commit: CommitSeq,
    /// The files of the store.
    pub files: Vec<BackupFile>,
}

/// One file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackupFile {
    /// Its name in the store.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// XXH3-128 of its contents, which is also its name in the backup.
    pub hash: u128,
    /// When the store's file was last written, in nanoseconds since 1970: with name and length it
    /// tells the next backup that a sorted file, which never changes, is the same one.
    pub written_ns: u64,
}

/// What goes through postcard: ids as plain numbers, so that their types may change.
#[derive(Serialize, Deserialize)]
struct Stored {
    number: u64,
    database: [u8; 16],
    format: u32,
    commit: u64,
    files: Vec<BackupFile>,
}

impl BackupManifest {
    /// The manifest's bytes.
    ///
    /// # Errors
    /// [`CodecError::BadLength`] if it is too long to be read again.
    pub fn encode(&self) -> Result<Vec<u8>, CodecError> {
        let stored = Stored {
            number: self.number,
            database: *self.database.as_bytes(),
            format: self.format.get(),
            commit: self.commit.get(),
            files: self.files.clone(),
        };
        let payload = postcard::to_stdvec(&stored).unwrap_or_default();
        frame::seal(MAGIC, FORMAT, &payload)
    }

    /// Reads a manifest and checks that its names cannot lead out of a folder.
    ///
    /// # Errors
    /// What is wrong with the bytes, in words.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let (_, payload) =
            frame::open(MAGIC, FORMAT..=FORMAT, bytes).map_err(|error| error.to_string())?;
        let (stored, rest) =
            postcard::take_from_bytes::<Stored>(payload).map_err(|error| error.to_string())?;
        if !rest.is_empty() {
            return Err(format!("{} bytes follow the manifest", rest.len()));
        }
        for file in &stored.files {
            let mut parts = Path::new(&file.name).components();
            if !matches!(
                (parts.next(), parts.next()),
                (Some(Component::Normal(_)), None)
            ) {
                return Err(format!("the file name {:?} is not a plain name", file.name));
            }
        }
        Ok(Self {
            number: stored.number,
            database: DatabaseId::from_bytes(stored.database),
            format: FormatVersion::new(stored.format),
            commit: CommitSeq::new(stored.commit),
            files: stored.files,
        })
    }

    /// Reads the manifest in `path`.
    ///
    /// # Errors
    /// [`Error::Corruption`] if it is not one.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = read_small(
            path,
            (frame::MAX_PAYLOAD_BYTES + frame::OVERHEAD_BYTES) as u64,
        )?;
        Self::decode(&bytes).map_err(|what| Error::corruption(path, what))
    }

    /// How many bytes its files have together.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

impl BackupFile {
    /// Its name in the backup's folder of files.
    #[must_use]
    pub fn stored_name(&self) -> String {
        format!("{:032x}-{}", self.hash, self.bytes)
    }
}

/// Passes a file's contents to `each`, part by part, and returns its length and hash.
pub(super) fn read_hashed(
    path: &Path,
    each: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<(u64, u128)> {
    let mut file = File::open(path).map_err(|error| Error::io("open", path, error))?;
    let mut part = vec![0; 1 << 20];
    let mut hash = Xxh3::new();
    let mut bytes = 0;
    loop {
        let read = file
            .read(&mut part)
            .map_err(|error| Error::io("read", path, error))?;
        if read == 0 {
            return Ok((bytes, hash.digest128()));
        }
        hash.update(&part[..read]);
        bytes += read as u64;
        each(&part[..read])?;
    }
}
