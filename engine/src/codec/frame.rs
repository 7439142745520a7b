//! Frames: the checksummed envelope of the small files we write beside RocksDB's (database header,
//! high-water mark, backup manifest).
//!
//! ```text
//! [magic: 8] [format: 4 LE] [length: 4 LE] [payload: length] [xxh3-64 of all before: 8 LE]
//! ```
//!
//! The checksum finds accidents: torn writes, flipped bits, cut files. It must never be taken for
//! proof against someone who wants to deceive us, and a whole frame from another database is still
//! a whole frame: the payload carries the database id where that matters.
//!
//! The order of the checks is part of the contract. Magic first: other files are not called
//! damaged. Checksum before format: a flipped bit in the format field is damage and not "written
//! by a newer program".
//!
//! Next: `record.rs` for what usually goes into the payload.

use std::ops::RangeInclusive;

use xxhash_rust::xxh3::xxh3_64;

use super::CodecError;
use super::cursor::Cursor;

/// Bytes before the payload.
pub const HEADER_BYTES: usize = 16;
/// Bytes of a frame that are not payload.
pub const OVERHEAD_BYTES: usize = HEADER_BYTES + 8;
/// The largest payload, so that a damaged length is known for one.
pub const MAX_PAYLOAD_BYTES: usize = 16 * 1024 * 1024;

/// What a frame is called in errors; the caller knows the file and adds its path.
const WHAT: &str = "frame";
/// Offset of the length field.
const LENGTH_AT: usize = 12;

/// Wraps `payload` into a frame.
///
/// ```
/// use stratigraph::codec::{CodecError, frame};
///
/// const MAGIC: [u8; 8] = *b"SGEXAMPL";
/// let mut sealed = frame::seal(MAGIC, 2, b"payload")?;
/// assert_eq!(frame::open(MAGIC, 1..=2, &sealed)?, (2, &b"payload"[..]));
///
/// sealed[18] ^= 1;
/// assert!(matches!(
///     frame::open(MAGIC, 1..=2, &sealed),
///     Err(CodecError::BadChecksum { .. })
/// ));
/// # Ok::<(), CodecError>(())
/// ```
///
/// # Errors
///
/// [`CodecError::BadLength`] for a payload above [`MAX_PAYLOAD_BYTES`], because no reader would
/// accept it later.
pub fn seal(magic: [u8; 8], format: u32, payload: &[u8]) -> Result<Vec<u8>, CodecError> {
    let length = match u32::try_from(payload.len()) {
        Ok(length) if payload.len() <= MAX_PAYLOAD_BYTES => length,
        _ => return Err(bad_length(payload.len() as u64, MAX_PAYLOAD_BYTES)),
    };
    let mut sealed = Vec::with_capacity(payload.len() + OVERHEAD_BYTES);
    sealed.extend_from_slice(&magic);
    sealed.extend_from_slice(&format.to_le_bytes());
    sealed.extend_from_slice(&length.to_le_bytes());
    sealed.extend_from_slice(payload);
    let checksum = xxh3_64(&sealed);
    sealed.extend_from_slice(&checksum.to_le_bytes());
    Ok(sealed)
}

/// Checks a frame that fills `bytes` exactly, and returns its format and its payload.
///
/// # Errors
///
/// [`CodecError::Truncated`], [`CodecError::BadMagic`], [`CodecError::BadLength`] for a length
/// above [`MAX_PAYLOAD_BYTES`], [`CodecError::Trailing`], [`CodecError::BadChecksum`], and
/// [`CodecError::UnknownFormat`] for a whole frame of a format outside `formats`.
pub fn open(
    magic: [u8; 8],
    formats: RangeInclusive<u32>,
    bytes: &[u8],
) -> Result<(u32, &[u8]), CodecError> {
    let (parts, after) = split(magic, bytes)?;
    after.finish()?;
    parts.verify(formats)
}

/// As [`open`], for a frame in a preallocated slot: zeros may follow it, and nothing else.
///
/// # Errors
///
/// As [`open`]; [`CodecError::Trailing`] counts the bytes from the first that is not zero.
pub fn open_padded(
    magic: [u8; 8],
    formats: RangeInclusive<u32>,
    bytes: &[u8],
) -> Result<(u32, &[u8]), CodecError> {
    let (parts, mut after) = split(magic, bytes)?;
    let zeros = after.peek().iter().take_while(|&&byte| byte == 0).count();
    after.take(zeros)?;
    after.finish()?;
    parts.verify(formats)
}

/// The pieces of a frame whose lengths are right and whose checksum nobody has looked at yet.
struct Parts<'a> {
    format: u32,
    payload: &'a [u8],
    covered: &'a [u8],
    stored_checksum: u64,
}

impl<'a> Parts<'a> {
    fn verify(self, formats: RangeInclusive<u32>) -> Result<(u32, &'a [u8]), CodecError> {
        let computed = xxh3_64(self.covered);
        if computed != self.stored_checksum {
            return Err(CodecError::BadChecksum {
                what: WHAT,
                stored: self.stored_checksum,
                computed,
            });
        }
        if !formats.contains(&self.format) {
            return Err(CodecError::UnknownFormat {
                what: WHAT,
                found: self.format,
                supported: formats,
            });
        }
        Ok((self.format, self.payload))
    }
}

/// Finds the pieces, and the bytes after the frame.
fn split(magic: [u8; 8], bytes: &[u8]) -> Result<(Parts<'_>, Cursor<'_>), CodecError> {
    let mut cursor = Cursor::new(WHAT, bytes);
    let found = cursor.take_array()?;
    if found != magic {
        return Err(CodecError::BadMagic {
            what: WHAT,
            expected: magic,
            found,
        });
    }
    let format = u32::from_le_bytes(cursor.take_array()?);
    let length = u32::from_le_bytes(cursor.take_array()?);
    let payload_bytes = match usize::try_from(length) {
        Ok(payload_bytes) if payload_bytes <= MAX_PAYLOAD_BYTES => payload_bytes,
        _ => return Err(bad_length(u64::from(length), MAX_PAYLOAD_BYTES)),
    };
    let payload = cursor.take(payload_bytes)?;
    let stored_checksum = u64::from_le_bytes(cursor.take_array()?);
    // Header and payload were just read from these bytes, so there are as many.
    let covered = Cursor::new(WHAT, bytes).take(HEADER_BYTES + payload_bytes)?;
    let parts = Parts {
        format,
        payload,
        covered,
        stored_checksum,
    };
    Ok((parts, cursor))
}

fn bad_length(length: u64, limit: usize) -> CodecError {
    CodecError::BadLength {
        what: WHAT,
        at: LENGTH_AT,
        length,
        limit: limit as u64,
    }
}

#[cfg(test)]
mod tests;
