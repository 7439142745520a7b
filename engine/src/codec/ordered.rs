//! Keys: encodings whose byte order is the order of the values.
//!
//! RocksDB sorts keys as plain bytes. Everything written by [`KeyWriter`] compares as bytes
//! (`memcmp`, a prefix before its extension) exactly as the written values compare one after the
//! other, so range scans, prefix scans and merge joins need no comparator of ours.
//!
//! ```text
//! u8 u16 u32 u64   [big-endian]
//! i64              [big-endian, sign bit flipped]         negatives get a leading 0 bit
//! bool             [00] or [01]
//! f64              [big-endian bits, sign bit flipped]    if the sign bit was clear
//!                  [big-endian bits, all bits flipped]    if it was set
//!                  order: -inf < ... < 0 < ... < +inf < NaN; -0.0 is stored as 0.0, every NaN as one
//! bytes, str       [content, each 00 as 00 FF] [00 00]
//! raw              [content]                              last component only
//! ```
//!
//! Why strings are terminated like that, on three strings followed by the component `u8 = 07`:
//!
//! ```text
//! "a"      61 |00 00| 07
//! "a\0"    61  00 FF |00 00| 07       00 00 < 00 FF: "a" sorts before "a\0"
//! "ab"     61  62    |00 00| 07       00 < 62:       both sort before "ab"
//! ```
//!
//! Where a string ends, the terminator meets the other string's next byte. It is smaller than the
//! pair `00 FF` that stands for a zero and smaller than any other byte, so the shorter string sorts
//! first and what follows it is never compared with the content of the longer one. A length prefix
//! would not do: it sorts "b" before "aa".
//!
//! Nothing here may ever change its bytes: keys of every existing database depend on them. A new
//! encoding gets a new method and a new format version. Varints and hashes never go into keys.
//!
//! Next: `record.rs` for the values under these keys; `ordered/tests.rs` for golden bytes.

use std::borrow::Cow;

use super::CodecError;
use super::cursor::Cursor;

/// Follows a zero byte that is content.
const ESCAPED_ZERO: u8 = 0xFF;
/// Follows the zero byte that starts the terminator.
const END: u8 = 0x00;

const SIGN_BIT: u64 = 1 << 63;
/// The one NaN we store, so that all NaNs are one key; after the flip it sorts above +inf.
const CANONICAL_NAN_BITS: u64 = 0x7FF8_0000_0000_0000;

/// Builds a key from its components, first to last.
///
/// ```
/// use stratigraph::codec::{KeyReader, KeyWriter};
///
/// // [label: 4 BE] [name: escaped, terminated] [node: 8 BE]
/// let key = |name: &str, node: u64| {
///     KeyWriter::new().push_u32(7).push_str(name).push_u64(node).finish()
/// };
/// // Bytes compare as the values do: first the name, then the node.
/// assert!(key("ann", 9) < key("anna", 1));
/// assert!(key("anna", 1) < key("anna", 2));
///
/// let bytes = key("ann", 9);
/// let mut reader = KeyReader::new("name index key", &bytes);
/// assert_eq!(reader.read_u32()?, 7);
/// assert_eq!(reader.read_str()?, "ann");
/// assert_eq!(reader.read_u64()?, 9);
/// reader.finish()?;
/// # Ok::<(), stratigraph::codec::CodecError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct KeyWriter {
    bytes: Vec<u8>,
}

impl KeyWriter {
    /// Starts an empty key.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts an empty key with room for `bytes` bytes.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
        }
    }

    /// Appends one byte.
    pub fn push_u8(&mut self, value: u8) -> &mut Self {
        self.bytes.push(value);
        self
    }

    /// Appends two bytes, big-endian.
    pub fn push_u16(&mut self, value: u16) -> &mut Self {
        self.push_raw(&value.to_be_bytes())
    }

    /// Appends four bytes, big-endian.
    pub fn push_u32(&mut self, value: u32) -> &mut Self {
        self.push_raw(&value.to_be_bytes())
    }

    /// Appends eight bytes, big-endian.
    pub fn push_u64(&mut self, value: u64) -> &mut Self {
        self.push_raw(&value.to_be_bytes())
    }

    /// Appends eight bytes, big-endian, with the sign bit flipped.
    pub fn push_i64(&mut self, value: i64) -> &mut Self {
        self.push_u64(value.cast_unsigned() ^ SIGN_BIT)
    }

    /// Appends eight bytes in the total order of numbers with NaN last.
    ///
    /// `-0.0` becomes `0.0` and every NaN becomes one, because equal values must be equal keys.
    pub fn push_f64(&mut self, value: f64) -> &mut Self {
        self.push_u64(order_float(value))
    }

    /// Appends `00` or `01`.
    pub fn push_bool(&mut self, value: bool) -> &mut Self {
        self.push_u8(u8::from(value))
    }

    /// Appends bytes of any length, escaped and terminated.
    pub fn push_bytes(&mut self, value: &[u8]) -> &mut Self {
        let mut rest = value;
        while let Some(zero) = rest.iter().position(|&byte| byte == 0) {
            let (until_zero, after) = rest.split_at(zero + 1);
            self.bytes.extend_from_slice(until_zero);
            self.bytes.push(ESCAPED_ZERO);
            rest = after;
        }
        self.bytes.extend_from_slice(rest);
        self.bytes.extend_from_slice(&[0x00, END]);
        self
    }

    /// Appends a string, escaped and terminated; strings sort by their UTF-8, that is by code point.
    pub fn push_str(&mut self, value: &str) -> &mut Self {
        self.push_bytes(value.as_bytes())
    }

    /// Appends bytes as they are: for fixed-width components such as an id, or as the last one.
    ///
    /// Nothing marks where they end, so a raw component of varying length must be the last of its
    /// key, or the order of the key is lost.
    pub fn push_raw(&mut self, value: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(value);
        self
    }

    /// The key so far, for lookups that reuse one writer.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Empties the writer and keeps its memory.
    pub fn clear(&mut self) -> &mut Self {
        self.bytes.clear();
        self
    }

    /// Takes the finished key out and leaves the writer empty.
    #[must_use]
    pub fn finish(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

/// Reads the components of a key back, first to last.
///
/// Each method mirrors one of [`KeyWriter`]. A read that fails moves nothing; call
/// [`finish`](Self::finish) at the end, so that a longer key is not taken for this one.
///
/// All `read_` methods fail with [`CodecError::Truncated`] when the key is too short.
#[derive(Clone, Debug)]
pub struct KeyReader<'a> {
    cursor: Cursor<'a>,
}

impl<'a> KeyReader<'a> {
    /// Starts reading `bytes`; `what` names the kind of key in errors.
    #[must_use]
    pub fn new(what: &'static str, bytes: &'a [u8]) -> Self {
        Self {
            cursor: Cursor::new(what, bytes),
        }
    }

    /// How many bytes are still unread.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.cursor.peek().len()
    }

    /// How many bytes were read so far: the offset that an error about the next component names.
    #[must_use]
    pub fn position(&self) -> usize {
        self.cursor.at()
    }

    /// What is being read, as errors name it.
    #[must_use]
    pub fn what(&self) -> &'static str {
        self.cursor.what()
    }

    /// Reads what [`KeyWriter::push_u8`] wrote.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    pub fn read_u8(&mut self) -> Result<u8, CodecError> {
        self.cursor.take_u8()
    }

    /// Reads what [`KeyWriter::push_u16`] wrote.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    pub fn read_u16(&mut self) -> Result<u16, CodecError> {
        Ok(u16::from_be_bytes(self.cursor.take_array()?))
    }

    /// Reads what [`KeyWriter::push_u32`] wrote.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    pub fn read_u32(&mut self) -> Result<u32, CodecError> {
        Ok(u32::from_be_bytes(self.cursor.take_array()?))
    }

    /// Reads what [`KeyWriter::push_u64`] wrote.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    pub fn read_u64(&mut self) -> Result<u64, CodecError> {
        Ok(u64::from_be_bytes(self.cursor.take_array()?))
    }

    /// Reads what [`KeyWriter::push_i64`] wrote.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    pub fn read_i64(&mut self) -> Result<i64, CodecError> {
        Ok((self.read_u64()? ^ SIGN_BIT).cast_signed())
    }

    /// Reads what [`KeyWriter::push_f64`] wrote.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`], and [`CodecError::NotCanonical`] for `-0.0` or a NaN that is not
    /// the stored one.
    pub fn read_f64(&mut self) -> Result<f64, CodecError> {
        let before = self.cursor.clone();
        let ordered = self.read_u64()?;
        let value = unorder_float(ordered);
        if order_float(value) == ordered {
            return Ok(value);
        }
        let error = CodecError::NotCanonical {
            what: before.what(),
            at: before.at(),
        };
        self.cursor = before;
        Err(error)
    }

    /// Reads what [`KeyWriter::push_bool`] wrote.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`], and [`CodecError::BadTag`] for a byte above 1.
    pub fn read_bool(&mut self) -> Result<bool, CodecError> {
        self.cursor.take_bool()
    }

    /// Reads what [`KeyWriter::push_bytes`] wrote; borrows unless a zero byte was escaped.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`] without a terminator, and [`CodecError::BadEscape`].
    pub fn read_bytes(&mut self) -> Result<Cow<'a, [u8]>, CodecError> {
        let mut scan = self.cursor.clone();
        // Content up to and including its last escaped zero; empty, and never allocated, without one.
        let mut unescaped = Vec::new();
        loop {
            let unread = scan.peek();
            let Some(length) = unread.iter().position(|&byte| byte == 0) else {
                // What is missing is at least the terminator.
                return Err(self.cursor.truncated(self.remaining() + 2));
            };
            let run = scan.take(length)?;
            let zero_at = scan.at();
            let Ok([_zero, selector]) = scan.take_array() else {
                return Err(self.cursor.truncated(self.remaining() + 1));
            };
            match selector {
                END => {
                    self.cursor = scan;
                    if unescaped.is_empty() {
                        return Ok(Cow::Borrowed(run));
                    }
                    unescaped.extend_from_slice(run);
                    return Ok(Cow::Owned(unescaped));
                }
                ESCAPED_ZERO => {
                    unescaped.extend_from_slice(run);
                    unescaped.push(0);
                }
                found => {
                    return Err(CodecError::BadEscape {
                        what: scan.what(),
                        at: zero_at,
                        found,
                    });
                }
            }
        }
    }

    /// Reads what [`KeyWriter::push_str`] wrote; borrows unless a zero byte was escaped.
    ///
    /// # Errors
    ///
    /// As [`read_bytes`](Self::read_bytes), and [`CodecError::BadUtf8`].
    pub fn read_str(&mut self) -> Result<Cow<'a, str>, CodecError> {
        let before = self.cursor.clone();
        let text = match self.read_bytes()? {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
        };
        text.ok_or_else(|| {
            let error = CodecError::BadUtf8 {
                what: before.what(),
                at: before.at(),
            };
            self.cursor = before;
            error
        })
    }

    /// Reads `N` bytes as they are, such as an id written with [`KeyWriter::push_raw`].
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    pub fn read_array<const N: usize>(&mut self) -> Result<[u8; N], CodecError> {
        self.cursor.take_array()
    }

    /// Reads all that is left, such as a last component written with [`KeyWriter::push_raw`].
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

/// The smallest key above all keys that start with `prefix`: the exclusive end of a prefix scan.
///
/// `None` when there is no such key, because the prefix is empty or all `0xFF`: the scan then runs
/// to the end of the family.
#[must_use]
pub fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let kept = prefix.iter().rposition(|&byte| byte != 0xFF)?;
    let mut end = prefix.get(..=kept)?.to_vec();
    *end.last_mut()? += 1;
    Some(end)
}

/// Bits whose unsigned order is the order of the numbers.
fn order_float(value: f64) -> u64 {
    let bits = if value.is_nan() {
        CANONICAL_NAN_BITS
    } else if value == 0.0 {
        0
    } else {
        value.to_bits()
    };
    if bits & SIGN_BIT == 0 {
        bits | SIGN_BIT
    } else {
        !bits
    }
}

/// Undoes the flips of [`order_float`]; the caller checks that the result is canonical.
fn unorder_float(ordered: u64) -> f64 {
    let bits = if ordered & SIGN_BIT == 0 {
        !ordered
    } else {
        ordered & !SIGN_BIT
    };
    f64::from_bits(bits)
}

#[cfg(test)]
mod tests;
