//! `MARK`: the high-water mark, outside the log, so that a lost log is noticed.
//!
//! Two slots of 4 KiB are written in turn, each with a checksum. A write that a crash tears leaves
//! the other slot, whose commit was the last one acknowledged. The file never grows, so that its
//! sync writes one block and no metadata.

use super::{Layout, read_small, sync_dir};
use crate::codec::{CodecError, CommitSeq, DatabaseId, RecordReader, RecordWriter, frame};
use crate::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"SG-MARK\0";
const FORMAT: u32 = 1;
const RECORD: u8 = 1;
/// A slot fills the unit in which disks and page caches write.
pub const SLOT_BYTES: usize = 4096;

/// What must still be true when the database is opened next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The database.
    pub id: DatabaseId,
    /// The last commit acknowledged as durable.
    pub commit: CommitSeq,
    /// How far RocksDB's manifest had come when files outside the log were last relied on.
    pub manifest: ManifestFloor,
}

/// RocksDB's manifest is at least this far: a shorter or older one has lost files that no log holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ManifestFloor {
    /// The number in the manifest's name.
    pub number: u64,
    /// Its length in bytes.
    pub bytes: u64,
}

impl Mark {
    /// One slot's bytes; `turn` rises with each write and says which slot is newer.
    pub fn encode(&self, turn: u64) -> Result<Vec<u8>, CodecError> {
        let mut record = RecordWriter::new(RECORD);
        record
            .push_raw(self.id.as_bytes())
            .push_fixed_u64(turn)
            .push_fixed_u64(self.commit.get());
        record
            .push_fixed_u64(self.manifest.number)
            .push_fixed_u64(self.manifest.bytes);
        let mut slot = frame::seal(MAGIC, FORMAT, &record.finish())?;
        slot.resize(SLOT_BYTES, 0);
        Ok(slot)
    }

    /// Reads one slot: its turn and the mark.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn decode(slot: &[u8]) -> Result<(u64, Self), CodecError> {
        let (_, payload) = frame::open_padded(MAGIC, FORMAT..=FORMAT, slot)?;
        let mut record = RecordReader::new("high-water mark", RECORD..=RECORD, payload)?;
        let id = DatabaseId::from_bytes(record.read_array()?);
        let turn = record.read_fixed_u64()?;
        let commit = CommitSeq::new(record.read_fixed_u64()?);
        let manifest = ManifestFloor {
            number: record.read_fixed_u64()?,
            bytes: record.read_fixed_u64()?,
        };
        record.finish()?;
        Ok((
            turn,
            Self {
                id,
                commit,
                manifest,
            },
        ))
    }
}

/// What reading a mark file found.
#[derive(Debug)]
pub struct MarkReading {
    /// The newest mark.
    pub mark: Mark,
    /// Its turn.
    pub turn: u64,
    /// What is wrong with the other slot, if anything. A crash during a write leaves one such.
    pub torn: Option<CodecError>,
}

/// Reads the mark of the database `id`.
///
/// # Errors
/// [`Error::Corruption`] if no slot is whole, [`Error::ForeignFile`] if it is another database's.
pub fn read(layout: &Layout, id: DatabaseId) -> Result<MarkReading> {
    let path = layout.mark();
    let bytes = match read_small(&path, 2 * SLOT_BYTES as u64) {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::corruption(path, "the high-water mark is missing"));
        }
        other => other?,
    };
    let slots = [bytes.get(..SLOT_BYTES), bytes.get(SLOT_BYTES..)]
        .map(|slot| Mark::decode(slot.unwrap_or(&bytes)));
    let (turn, mark, torn) = match slots {
        [Ok(first), Ok(second)] => {
            let (turn, mark) = if first.0 > second.0 { first } else { second };
            (turn, mark, None)
        }
        [Ok((turn, mark)), Err(error)] | [Err(error), Ok((turn, mark))] => {
            (turn, mark, Some(error))
        }
        [Err(error), Err(_)] => return Err(Error::corruption(path, error)),
    };
    if mark.id != id {
        return Err(Error::ForeignFile {
            path,
            expected: id,
            found: mark.id,
        });
    }
    Ok(MarkReading { mark, turn, torn })
}

/// The mark file, open for writing.
#[derive(Debug)]
pub struct MarkFile {
    file: File,
    path: PathBuf,
    turn: u64,
}

impl MarkFile {
    /// Makes the file with both slots saying `mark`.
    pub fn create(layout: &Layout, mark: &Mark) -> Result<Self> {
        let path = layout.mark();
        let mut contents = Vec::with_capacity(2 * SLOT_BYTES);
        for turn in [0, 1] {
            contents.extend(
                mark.encode(turn)
                    .map_err(|error| Error::corruption(&path, error))?,
            );
        }
        let mut file = File::create(&path).map_err(|error| Error::io("create", &path, error))?;
        file.write_all(&contents)
            .map_err(|error| Error::io("write", &path, error))?;
        file.sync_all()
            .map_err(|error| Error::io("sync", &path, error))?;
        sync_dir(layout.root())?;
        Ok(Self {
            file,
            path,
            turn: 1,
        })
    }

    /// Opens the file after [`read`] found `turn` in it.
    pub fn open(layout: &Layout, turn: u64) -> Result<Self> {
        let path = layout.mark();
        let file = OpenOptions::new()
            .write(true)
            .open(&path)
            .map_err(|error| Error::io("open", &path, error))?;
        Ok(Self { file, path, turn })
    }

    /// Writes the mark durably over the older slot.
    pub fn write(&mut self, mark: &Mark) -> Result<()> {
        let turn = self.turn + 1;
        let slot = mark
            .encode(turn)
            .map_err(|error| Error::corruption(&self.path, error))?;
        let offset = (turn % 2) * SLOT_BYTES as u64;
        self.file
            .write_all_at(&slot, offset)
            .map_err(|error| Error::io("write", &self.path, error))?;
        self.file
            .sync_data()
            .map_err(|error| Error::io("sync", &self.path, error))?;
        // Only now: a failed write must be tried over the same slot again, never over the good one.
        self.turn = turn;
        Ok(())
    }
}

impl ManifestFloor {
    /// How far the manifest of the store in `dir` is, as its files say.
    pub fn of(store: &Path) -> Result<Self> {
        let (path, number) = manifest(store)?;
        let bytes = std::fs::metadata(&path)
            .map_err(|error| Error::io("read", &path, error))?
            .len();
        Ok(Self { number, bytes })
    }

    /// How far it is, made durable: a mark may only promise what a loss of power leaves.
    pub fn synced(store: &Path) -> Result<Self> {
        let (path, number) = manifest(store)?;
        let file = File::open(&path).map_err(|error| Error::io("open", &path, error))?;
        let length = file.metadata().map(|file| file.len());
        let bytes = length.map_err(|error| Error::io("read", &path, error))?;
        file.sync_all()
            .map_err(|error| Error::io("sync", &path, error))?;
        Ok(Self { number, bytes })
    }

    /// Refuses a manifest that is behind this floor.
    pub fn check(self, store: &Path) -> Result<()> {
        let found = match Self::of(store) {
            Err(Error::Io { source, path, .. })
                if source.kind() == std::io::ErrorKind::NotFound =>
            {
                return Err(Error::corruption(path, "the file is missing"));
            }
            other => other?,
        };
        if found >= self {
            return Ok(());
        }
        let path = store.join(format!("MANIFEST-{:06}", found.number));
        Err(Error::corruption(
            path,
            format_args!(
                "manifest {} with {} bytes is behind the one relied on, manifest {} with {} bytes",
                found.number, found.bytes, self.number, self.bytes
            ),
        ))
    }
}

/// The manifest that `CURRENT` names, and its number.
pub fn manifest(store: &Path) -> Result<(PathBuf, u64)> {
    let current = store.join("CURRENT");
    let text = read_small(&current, 256)?;
    let name = std::str::from_utf8(&text).ok().map(str::trim_end);
    let number = name.and_then(|name| name.strip_prefix("MANIFEST-")?.parse().ok());
    match (name, number) {
        (Some(name), Some(number)) => Ok((store.join(name), number)),
        _ => Err(Error::corruption(current, "it does not name a manifest")),
    }
}
