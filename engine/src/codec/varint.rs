//! Variable-length integers (LEB128) for lengths, counts and ids inside values.
//!
//! ```text
//! 300 = 0b10_0101100        [1|0101100] [0|0000010]
//!                            ^ more follows, low 7 bits first
//! ```
//!
//! Only the shortest form is accepted: `0x80 0x00` is a second way to write 0, and a value with two
//! encodings breaks byte comparison and checksums. Varints must never appear in keys, because their
//! bytes do not sort like their values; keys use [`KeyWriter`](super::KeyWriter).
//!
//! Next: `record.rs`, which is where most varints live.

use super::CodecError;
use super::cursor::Cursor;

/// The longest varint: ten bytes of seven bits cover 64.
pub const MAX_BYTES: usize = 10;

/// What a varint is called in errors when it is read on its own, outside a record.
const WHAT: &str = "varint";

/// Appends `value` in LEB128, one to ten bytes.
pub fn write_u64(out: &mut Vec<u8>, value: u64) {
    let mut left = value;
    while left >= 0x80 {
        out.push(low_seven_bits(left) | 0x80);
        left >>= 7;
    }
    out.push(low_seven_bits(left));
}

/// Appends `value` in zigzag LEB128, so that small negative numbers are short too.
pub fn write_i64(out: &mut Vec<u8>, value: i64) {
    write_u64(out, zigzag(value));
}

/// Reads one number from the front of `bytes` and returns it with the bytes after it.
///
/// # Errors
///
/// [`CodecError::Truncated`], [`CodecError::NotCanonical`] for an overlong form, and
/// [`CodecError::OutOfRange`] for more than 64 bits.
pub fn read_u64(bytes: &[u8]) -> Result<(u64, &[u8]), CodecError> {
    let mut cursor = Cursor::new(WHAT, bytes);
    let value = take_u64(&mut cursor)?;
    Ok((value, cursor.peek()))
}

/// Reads one zigzag number from the front of `bytes` and returns it with the bytes after it.
///
/// # Errors
///
/// As [`read_u64`].
pub fn read_i64(bytes: &[u8]) -> Result<(i64, &[u8]), CodecError> {
    let (value, rest) = read_u64(bytes)?;
    Ok((unzigzag(value), rest))
}

/// Maps 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
fn zigzag(value: i64) -> u64 {
    // The arithmetic shift gives all ones for a negative number, which inverts the doubled value.
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

/// Undoes [`zigzag`].
#[inline]
pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

/// Reads one number where a cursor stands. A failed read leaves the cursor where it was.
#[inline]
pub(super) fn take_u64(cursor: &mut Cursor<'_>) -> Result<u64, CodecError> {
    // Most numbers in records are this short: tags, lengths, counts, small properties.
    if let Some(&byte @ 0..0x80) = cursor.peek().first() {
        cursor.take(1)?;
        return Ok(u64::from(byte));
    }
    take_long_u64(cursor)
}

fn take_long_u64(cursor: &mut Cursor<'_>) -> Result<u64, CodecError> {
    let mut value = 0_u64;
    for (index, &byte) in cursor.peek().iter().take(MAX_BYTES).enumerate() {
        let is_tenth = index + 1 == MAX_BYTES;
        // The tenth byte has room for the one bit that nine times seven leave of 64.
        if is_tenth && byte > 1 {
            return Err(CodecError::OutOfRange {
                what: cursor.what(),
                at: cursor.at(),
                max: u64::MAX,
            });
        }
        value |= u64::from(byte & 0x7F) << (7 * index);
        if byte & 0x80 == 0 {
            // A last byte of zero adds nothing: the same number has a shorter form.
            if byte == 0 && index > 0 {
                return Err(CodecError::NotCanonical {
                    what: cursor.what(),
                    at: cursor.at(),
                });
            }
            cursor.take(index + 1)?;
            return Ok(value);
        }
    }
    Err(cursor.truncated(cursor.peek().len() + 1))
}

/// The mask makes the conversion lossless.
fn low_seven_bits(value: u64) -> u8 {
    (value & 0x7F) as u8
}

#[cfg(test)]
mod tests;
