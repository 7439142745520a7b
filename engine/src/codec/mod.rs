//! Bytes on disk: how numbers, strings, keys, records and our own small files become bytes and
//! come back.
//!
//! Everything the database stores passes through here, so this module is pure: it must never do
//! I/O, read a clock, or know a column family. It must also never trust what it reads: every
//! decoder takes any bytes at all and answers with a value or a [`CodecError`]. It does not panic,
//! does not index outside bytes, and reserves no memory on the word of a length it has not checked.
//!
//! # Conventions
//!
//! | what | where | how |
//! |---|---|---|
//! | keys | [`KeyWriter`], [`KeyReader`] | big-endian; the order of the bytes is the order of the values |
//! | values | [`RecordWriter`], [`RecordReader`] | a version byte, then varints and little-endian fields; compact, not ordered |
//! | small files | [`frame`] | magic, format, length, payload, xxh3-64 of all before |
//! | counts and lengths | [`varint`] | LEB128, shortest form only |
//!
//! Every value has exactly one encoding. Overlong varints, `-0.0` and spare NaN patterns in keys
//! are refused, so two equal keys cannot hide under different bytes, and decoding followed by
//! encoding gives the same bytes back (the fuzz targets hold us to it).
//!
//! Values in RocksDB carry no checksum of ours, because its blocks have one; files that RocksDB
//! does not write get the checksum of [`frame`]. The only hash on disk is XXH3-64, whose definition
//! has been stable since xxHash 0.8.
//!
//! # Where to go next
//!
//! Start with `ordered.rs` for keys, then `record.rs` for values. `cursor.rs` is the bounded reader
//! both stand on, and `ids.rs` has the ids that every layer above shares. `fuzz/` has a target per
//! decoder.

#![forbid(unsafe_code)]

use std::ops::RangeInclusive;

use thiserror::Error;

mod cursor;
pub mod frame;
mod ids;
mod ordered;
mod record;
pub mod varint;

pub use ids::{CommitSeq, DatabaseId, FormatVersion};
pub use ordered::{KeyReader, KeyWriter, prefix_end};
pub use record::{RecordReader, RecordWriter};

/// Why some bytes are not what they should be.
///
/// `what` names the thing being decoded ("out-edge key") and `at` is the byte offset in it where
/// the trouble starts. Which file or column family the bytes came from is known one layer up, and
/// that layer adds it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CodecError {
    /// The bytes end in the middle of a field.
    #[error("{what} is cut short: {needed} bytes needed at byte {at}, {available} there")]
    Truncated {
        /// The thing being decoded.
        what: &'static str,
        /// Offset of the field that does not fit.
        at: usize,
        /// How many bytes the field takes.
        needed: usize,
        /// How many bytes are left.
        available: usize,
    },
    /// Bytes are left over after the last field.
    #[error("{what} should end at byte {at}, but {bytes} more bytes follow")]
    Trailing {
        /// The thing being decoded.
        what: &'static str,
        /// Offset where the end was expected.
        at: usize,
        /// How many bytes follow it.
        bytes: usize,
    },
    /// A byte that selects among cases selects none of them.
    #[error("{what} has the unknown tag {found:#04x} at byte {at}")]
    BadTag {
        /// The thing being decoded.
        what: &'static str,
        /// Offset of the tag.
        at: usize,
        /// The tag that was read.
        found: u8,
    },
    /// The bytes belong to another kind of file.
    #[error("{what} starts with \"{}\", expected \"{}\"", found.escape_ascii(), expected.escape_ascii())]
    BadMagic {
        /// The thing being decoded.
        what: &'static str,
        /// The magic of the file kind that was asked for.
        expected: [u8; 8],
        /// The eight bytes that were read.
        found: [u8; 8],
    },
    /// A length or count is more than the bytes left can hold, or more than is ever allowed.
    #[error("{what} claims a length of {length} at byte {at}, at most {limit} is possible")]
    BadLength {
        /// The thing being decoded, or encoded where a caller exceeds a limit.
        what: &'static str,
        /// Offset of the length.
        at: usize,
        /// The length that was read.
        length: u64,
        /// The largest length that could be right here.
        limit: u64,
    },
    /// A string is not UTF-8.
    #[error("{what} has a string at byte {at} that is not UTF-8")]
    BadUtf8 {
        /// The thing being decoded.
        what: &'static str,
        /// Offset of the string.
        at: usize,
    },
    /// A zero byte inside a key string is followed by neither `0xFF` nor `0x00`.
    #[error("{what} has the invalid escape 0x00 {found:#04x} at byte {at}")]
    BadEscape {
        /// The thing being decoded.
        what: &'static str,
        /// Offset of the zero byte.
        at: usize,
        /// The byte after it.
        found: u8,
    },
    /// The value is readable but not in its one permitted form, so we did not write it.
    #[error("{what} has a value at byte {at} that is not in its canonical form")]
    NotCanonical {
        /// The thing being decoded.
        what: &'static str,
        /// Offset of the value.
        at: usize,
    },
    /// A number does not fit the type it is read into.
    #[error("{what} has a number at byte {at} above the largest allowed one, {max}")]
    OutOfRange {
        /// The thing being decoded.
        what: &'static str,
        /// Offset of the number.
        at: usize,
        /// The largest number that would do.
        max: u64,
    },
    /// Values are nested in one another more deeply than any that is ever written.
    #[error("{what} nests values more than {limit} deep at byte {at}")]
    TooDeep {
        /// The thing being decoded.
        what: &'static str,
        /// Offset of the value that is one level too deep.
        at: usize,
        /// The deepest nesting that is read.
        limit: usize,
    },
    /// The checksum does not fit the bytes it covers.
    #[error("{what} has the checksum {stored:#018x}, its bytes give {computed:#018x}")]
    BadChecksum {
        /// The thing being decoded.
        what: &'static str,
        /// The checksum that was read.
        stored: u64,
        /// The checksum of the bytes that were read.
        computed: u64,
    },
    /// The bytes are whole, but in a format this program does not know (often: a newer one).
    #[error("{what} has the format {found}, this program reads {supported:?}")]
    UnknownFormat {
        /// The thing being decoded.
        what: &'static str,
        /// The format that was read.
        found: u32,
        /// The formats that would do.
        supported: RangeInclusive<u32>,
    },
    /// Text typed by a person or kept in a text file does not have the expected shape.
    #[error("{what} is not written as {expected}")]
    BadText {
        /// The thing being parsed.
        what: &'static str,
        /// The shape it should have.
        expected: &'static str,
    },
}

#[cfg(test)]
mod tests;
