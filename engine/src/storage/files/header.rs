//! `STRATIGRAPH`: the file that makes a folder a database, with its id and format version.

use super::{Layout, read_small, replace};
use crate::codec::{CodecError, DatabaseId, FormatVersion, RecordReader, RecordWriter, frame};
use crate::error::{Error, Result};
use std::io::ErrorKind;
use std::ops::RangeInclusive;

/// The format this version of the engine writes.
pub const CURRENT_FORMAT: FormatVersion = FormatVersion::new(2);

const MAGIC: [u8; 8] = *b"STRATIGR";
const RECORD: u8 = 1;
const LIMIT_BYTES: u64 = 4096;

/// Who a database is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The database's id, which every file of ours repeats.
    pub id: DatabaseId,
    /// The format of everything else in the folder.
    pub format: FormatVersion,
    /// Whether creation was finished; before that, nothing was ever stored.
    pub ready: bool,
}

impl Header {
    /// The header's bytes.
    pub fn encode(&self) -> Result<Vec<u8>, CodecError> {
        let mut record = RecordWriter::new(RECORD);
        record.push_raw(self.id.as_bytes()).push_bool(self.ready);
        frame::seal(MAGIC, self.format.get(), &record.finish())
    }

    /// Reads a header of a format up to [`CURRENT_FORMAT`].
    ///
    /// # Errors
    /// What is wrong with the bytes; a newer format is [`CodecError::UnknownFormat`].
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let (format, payload) = frame::open(MAGIC, known_formats(), bytes)?;
        let mut record = RecordReader::new("database header", RECORD..=RECORD, payload)?;
        let id = DatabaseId::from_bytes(record.read_array()?);
        let ready = record.read_bool()?;
        record.finish()?;
        Ok(Self {
            id,
            format: FormatVersion::new(format),
            ready,
        })
    }

    /// Reads the header of a database; `None` if the folder has none.
    pub fn read(layout: &Layout) -> Result<Option<Self>> {
        let path = layout.header();
        let bytes = match read_small(&path, LIMIT_BYTES) {
            Err(Error::Io { source, .. }) if is_absent(source.kind()) => return Ok(None),
            other => other?,
        };
        match Self::decode(&bytes) {
            Ok(header) => Ok(Some(header)),
            Err(CodecError::UnknownFormat { found, .. }) if found > CURRENT_FORMAT.get() => {
                Err(Error::FutureFormat {
                    path,
                    found: FormatVersion::new(found),
                    supported: CURRENT_FORMAT,
                })
            }
            Err(error) => Err(Error::corruption(path, error)),
        }
    }

    /// Writes the header durably.
    pub fn write(&self, layout: &Layout) -> Result<()> {
        let path = layout.header();
        let bytes = self
            .encode()
            .map_err(|error| Error::corruption(&path, error))?;
        replace(&path, &bytes)
    }
}

/// No file, or no folder that could hold one.
fn is_absent(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn known_formats() -> RangeInclusive<u32> {
    1..=CURRENT_FORMAT.get()
}
