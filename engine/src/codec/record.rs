//! Values: compact records that carry the version of their own layout.
//!
//! ```text
//! [version: 1] [field] [field] ...
//!
//! u8, bool           [1]
//! varint, zigzag     [LEB128, 1..=10]
//! fixed u32, u64     [LE]
//! f64                [bits, 8 LE]           every bit kept, also of NaN and -0.0
//! bytes, str         [length: varint] [content]
//! count              [varint]               then that many elements
//! raw                [content]              fixed width, or the last field
//! ```
//!
//! The version comes first, so that a reader of the next release can tell the layouts apart and an
//! old one can refuse. A layout never changes under its version. Records are not ordered and must
//! never be used as keys.
//!
//! Lengths and counts come from outside: they are compared with the bytes that are left before
//! anything is reserved for them, so that a damaged length costs an error and not the memory.
//!
//! Next: `varint.rs` for the numbers, `frame.rs` for records that need a checksum of their own.

use std::ops::RangeInclusive;

use super::CodecError;
use super::cursor::Cursor;
use super::varint;

/// Builds a record from its version and its fields, first to last.
///
/// ```
/// use stratigraph::codec::{RecordReader, RecordWriter};
///
/// let bytes = RecordWriter::new(1).push_varint(300).push_str("ann").finish();
/// assert_eq!(bytes, b"\x01\xAC\x02\x03ann");
///
/// let mut reader = RecordReader::new("node record", 1..=1, &bytes)?;
/// assert_eq!(reader.read_varint()?, 300);
/// assert_eq!(reader.read_str()?, "ann");
/// reader.finish()?;
/// # Ok::<(), stratigraph::codec::CodecError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RecordWriter {
    bytes: Vec<u8>,
}

impl RecordWriter {
    /// Starts a record of the layout `version`.
    #[must_use]
    pub fn new(version: u8) -> Self {
        Self {
            bytes: vec![version],
        }
    }

    /// Starts a record of the layout `version` with room for `bytes` bytes, version included.
    #[must_use]
    pub fn with_capacity(version: u8, bytes: usize) -> Self {
        let mut buffer = Vec::with_capacity(bytes.max(1));
        buffer.push(version);
        Self { bytes: buffer }
    }

    /// Starts a part of a record, which has no version of its own: the record's counts for it.
    #[must_use]
    pub fn part() -> Self {
        Self { bytes: Vec::new() }
    }

    /// Starts anew, with the memory it has.
    pub fn restart(&mut self, version: u8) -> &mut Self {
        self.bytes.clear();
        self.push_u8(version)
    }

    /// Takes back what was written after the first `bytes` bytes.
    pub fn truncate(&mut self, bytes: usize) {
        self.bytes.truncate(bytes);
    }

    /// What was written so far.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends one byte.
    pub fn push_u8(&mut self, value: u8) -> &mut Self {
        self.bytes.push(value);
        self
    }

    /// Appends `00` or `01`.
    pub fn push_bool(&mut self, value: bool) -> &mut Self {
        self.push_u8(u8::from(value))
    }

    /// Appends a varint.
    pub fn push_varint(&mut self, value: u64) -> &mut Self {
        varint::write_u64(&mut self.bytes, value);
        self
    }

    /// Appends a zigzag varint.
    pub fn push_zigzag(&mut self, value: i64) -> &mut Self {
        varint::write_i64(&mut self.bytes, value);
        self
    }

    /// Appends four bytes, little-endian.
    pub fn push_fixed_u32(&mut self, value: u32) -> &mut Self {
        self.push_raw(&value.to_le_bytes())
    }

    /// Appends eight bytes, little-endian; for values that are large as a rule, such as hashes.
    pub fn push_fixed_u64(&mut self, value: u64) -> &mut Self {
        self.push_raw(&value.to_le_bytes())
    }

    /// Appends the eight bytes of a float, little-endian, every bit kept.
    pub fn push_f64(&mut self, value: f64) -> &mut Self {
        self.push_fixed_u64(value.to_bits())
    }

    /// Appends a length and that many bytes.
    pub fn push_bytes(&mut self, value: &[u8]) -> &mut Self {
        self.push_count(value.len()).push_raw(value)
    }

    /// Appends a length and the UTF-8 of a string.
    pub fn push_str(&mut self, value: &str) -> &mut Self {
        self.push_bytes(value.as_bytes())
    }

    /// Appends how many elements follow.
    pub fn push_count(&mut self, value: usize) -> &mut Self {
        // Lossless: no platform that Rust supports has a usize wider than 64 bits.
        self.push_varint(value as u64)
    }

    /// Appends bytes as they are: fixed-width fields, or the last field of the record.
    pub fn push_raw(&mut self, value: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(value);
        self
    }

    /// Takes the finished record out. The writer is then empty, without even a version: drop it.
    #[must_use]
    pub fn finish(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

/// Reads the fields of a record back, first to last, borrowing strings and bytes.
///
/// Each method mirrors one of [`RecordWriter`]. A read that fails moves nothing; call
/// [`finish`](Self::finish) at the end, so that fields nobody reads do not go unnoticed.
#[derive(Clone, Debug)]
pub struct RecordReader<'a> {
    version: u8,
    cursor: Cursor<'a>,
}

impl<'a> RecordReader<'a> {
    /// Starts reading a record; `what` names its kind in errors.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`] for no bytes, and [`CodecError::UnknownFormat`] for a version
    /// outside `versions`.
    pub fn new(
        what: &'static str,
        versions: RangeInclusive<u8>,
        bytes: &'a [u8],
    ) -> Result<Self, CodecError> {
        let mut cursor = Cursor::new(what, bytes);
        let version = cursor.take_u8()?;
        if !versions.contains(&version) {
            return Err(CodecError::UnknownFormat {
                what,
                found: u32::from(version),
                supported: u32::from(*versions.start())..=u32::from(*versions.end()),
            });
        }
        Ok(Self { version, cursor })
    }

    /// Starts reading a part of a record of the layout `version`.
    #[must_use]
    pub fn part(what: &'static str, version: u8, bytes: &'a [u8]) -> Self {
        Self {
            version,
            cursor: Cursor::new(what, bytes),
        }
    }

    /// The layout of this record; it lies in the range given to [`new`](Self::new).
    #[must_use]
    pub fn version(&self) -> u8 {
        self.version
    }

    /// How many bytes are still unread.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.cursor.peek().len()
    }

    /// How many bytes were read so far: the offset that an error about the next field names.
    #[must_use]
    pub fn position(&self) -> usize {
        self.cursor.at()
    }

    /// What is being read, as errors name it.
    #[must_use]
    pub fn what(&self) -> &'static str {
        self.cursor.what()
    }

    /// Reads what [`RecordWriter::push_u8`] wrote.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    #[inline]
    pub fn read_u8(&mut self) -> Result<u8, CodecError> {
        self.cursor.take_u8()
    }

    /// Reads what [`RecordWriter::push_bool`] wrote.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`], and [`CodecError::BadTag`] for a byte above 1.
    #[inline]
    pub fn read_bool(&mut self) -> Result<bool, CodecError> {
        self.cursor.take_bool()
    }

    /// Reads what [`RecordWriter::push_varint`] wrote.
    ///
    /// # Errors
    ///
    /// As [`varint::read_u64`].
    #[inline]
    pub fn read_varint(&mut self) -> Result<u64, CodecError> {
        varint::take_u64(&mut self.cursor)
    }

    /// Reads a varint that has to fit into 32 bits.
    ///
    /// # Errors
    ///
    /// As [`varint::read_u64`], and [`CodecError::OutOfRange`] above `u32::MAX`.
    pub fn read_varint_u32(&mut self) -> Result<u32, CodecError> {
        let before = self.cursor.clone();
        let value = self.read_varint()?;
        u32::try_from(value).map_err(|_| {
            let error = CodecError::OutOfRange {
                what: before.what(),
                at: before.at(),
                max: u64::from(u32::MAX),
            };
            self.cursor = before;
            error
        })
    }

    /// Reads what [`RecordWriter::push_zigzag`] wrote.
    ///
    /// # Errors
    ///
    /// As [`varint::read_u64`].
    #[inline]
    pub fn read_zigzag(&mut self) -> Result<i64, CodecError> {
        self.read_varint().map(varint::unzigzag)
    }

    /// Reads what [`RecordWriter::push_fixed_u32`] wrote.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    pub fn read_fixed_u32(&mut self) -> Result<u32, CodecError> {
        Ok(u32::from_le_bytes(self.cursor.take_array()?))
    }

    /// Reads what [`RecordWriter::push_fixed_u64`] wrote.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    #[inline]
    pub fn read_fixed_u64(&mut self) -> Result<u64, CodecError> {
        Ok(u64::from_le_bytes(self.cursor.take_array()?))
    }

    /// Reads what [`RecordWriter::push_f64`] wrote.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    #[inline]
    pub fn read_f64(&mut self) -> Result<f64, CodecError> {
        self.read_fixed_u64().map(f64::from_bits)
    }

    /// Reads what [`RecordWriter::push_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// As [`varint::read_u64`], and [`CodecError::BadLength`] for more than is left.
    pub fn read_bytes(&mut self) -> Result<&'a [u8], CodecError> {
        let length = self.read_count(1)?;
        // The count was checked against what is left, so this cannot fail.
        self.cursor.take(length)
    }

    /// Reads what [`RecordWriter::push_str`] wrote.
    ///
    /// # Errors
    ///
    /// As [`read_bytes`](Self::read_bytes), and [`CodecError::BadUtf8`].
    pub fn read_str(&mut self) -> Result<&'a str, CodecError> {
        let before = self.cursor.clone();
        let bytes = self.read_bytes()?;
        std::str::from_utf8(bytes).map_err(|_| {
            let error = CodecError::BadUtf8 {
                what: before.what(),
                at: before.at(),
            };
            self.cursor = before;
            error
        })
    }

    /// Reads what [`RecordWriter::push_count`] wrote, for elements of at least
    /// `min_element_bytes` bytes each (0 counts as 1).
    ///
    /// The count that comes back fits into the bytes that are left, so it is safe to reserve for.
    ///
    /// # Errors
    ///
    /// As [`varint::read_u64`], and [`CodecError::BadLength`] for more than can follow.
    pub fn read_count(&mut self, min_element_bytes: usize) -> Result<usize, CodecError> {
        let before = self.cursor.clone();
        let length = self.read_varint()?;
        let limit = self.remaining() / min_element_bytes.max(1);
        match usize::try_from(length) {
            Ok(count) if count <= limit => Ok(count),
            _ => {
                let error = CodecError::BadLength {
                    what: before.what(),
                    at: before.at(),
                    length,
                    limit: limit as u64,
                };
                self.cursor = before;
                Err(error)
            }
        }
    }

    /// Reads `N` bytes as they are.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    pub fn read_array<const N: usize>(&mut self) -> Result<[u8; N], CodecError> {
        self.cursor.take_array()
    }

    /// Reads `count` bytes as they are, such as a run of fixed-width elements after their count.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    #[inline]
    pub fn read_raw(&mut self, count: usize) -> Result<&'a [u8], CodecError> {
        self.cursor.take(count)
    }

    /// Reads all that is left.
    pub fn read_rest(&mut self) -> &'a [u8] {
        self.cursor.take_rest()
    }

    /// Ends the reading.
    ///
    /// # Errors
    ///
    /// [`CodecError::Trailing`] if bytes are left.
    pub fn finish(self) -> Result<(), CodecError> {
        self.cursor.finish()
    }
}

#[cfg(test)]
mod tests;
