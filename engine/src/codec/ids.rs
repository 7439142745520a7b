//! Ids that every layer shares: which commit, which database, which format of the bytes.
//!
//! Each is a newtype, so that a commit sequence cannot be passed where a format is expected. They
//! must never be made from a clock or a random source here: whoever creates one hands the number
//! in, and the same seed gives the same database.
//!
//! Next: `ordered.rs` for the encodings used below.

use std::fmt;
use std::str::FromStr;

use super::{CodecError, KeyReader, KeyWriter};

/// The number of a commit: 1 for the first one of a database, and one more with each.
///
/// ```text
/// [sequence: 8 BE]
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitSeq(u64);

impl CommitSeq {
    /// Before the first commit.
    pub const ZERO: Self = Self(0);

    /// Names the commit with this number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The commit after this one; `None` after the last number there is.
    #[must_use]
    pub const fn next(self) -> Option<Self> {
        match self.0.checked_add(1) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }

    /// Appends the sequence to a key; later commits sort later.
    pub fn encode(self, key: &mut KeyWriter) {
        key.push_u64(self.0);
    }

    /// Reads a sequence from a key.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    pub fn decode(key: &mut KeyReader<'_>) -> Result<Self, CodecError> {
        key.read_u64().map(Self)
    }
}

impl fmt::Display for CommitSeq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Which database a file belongs to: sixteen random bytes, chosen once when it is created.
///
/// Written for people as lower-case hex in groups, as a UUID is:
///
/// ```
/// use stratigraph::codec::DatabaseId;
///
/// let id = DatabaseId::from_bytes(*b"0123456789abcdef");
/// assert_eq!(id.to_string(), "30313233-3435-3637-3839-616263646566");
/// assert_eq!(id.to_string().parse(), Ok(id));
/// ```
///
/// ```text
/// [id: 16]
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DatabaseId([u8; 16]);

/// How many bytes each dash-separated group of a written id has.
const ID_GROUPS: [usize; 5] = [4, 2, 2, 2, 6];

impl DatabaseId {
    /// Makes an id of these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Appends the id to a key.
    pub fn encode(self, key: &mut KeyWriter) {
        key.push_raw(&self.0);
    }

    /// Reads an id from a key.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    pub fn decode(key: &mut KeyReader<'_>) -> Result<Self, CodecError> {
        key.read_array().map(Self)
    }
}

impl fmt::Display for DatabaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = self.0.iter();
        for (index, group) in ID_GROUPS.into_iter().enumerate() {
            if index > 0 {
                f.write_str("-")?;
            }
            for byte in bytes.by_ref().take(group) {
                write!(f, "{byte:02x}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for DatabaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseId({self})")
    }
}

impl FromStr for DatabaseId {
    type Err = CodecError;

    /// Reads the form that `Display` writes; upper-case digits will do, since people paste ids.
    fn from_str(text: &str) -> Result<Self, CodecError> {
        parse_grouped_hex(text)
            .map(Self)
            .ok_or(CodecError::BadText {
                what: "database id",
                expected: "hex digits in groups of 8-4-4-4-12",
            })
    }
}

fn parse_grouped_hex(text: &str) -> Option<[u8; 16]> {
    let mut id = [0; 16];
    let mut slots = id.iter_mut();
    let mut groups = text.split('-');
    for length in ID_GROUPS {
        let group = groups.next()?.as_bytes();
        if group.len() != 2 * length {
            return None;
        }
        let (pairs, _) = group.as_chunks::<2>();
        for (&[high, low], slot) in pairs.iter().zip(slots.by_ref().take(length)) {
            *slot = hex_digit(high)? << 4 | hex_digit(low)?;
        }
    }
    groups.next().is_none().then_some(id)
}

fn hex_digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

/// The version of the layout of a whole database; stepwise migrations lead from one to the next.
///
/// ```text
/// [version: 4 BE]
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FormatVersion(u32);

impl FormatVersion {
    /// Names the format with this number.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Appends the version to a key.
    pub fn encode(self, key: &mut KeyWriter) {
        key.push_u32(self.0);
    }

    /// Reads a version from a key.
    ///
    /// # Errors
    ///
    /// [`CodecError::Truncated`].
    pub fn decode(key: &mut KeyReader<'_>) -> Result<Self, CodecError> {
        key.read_u32().map(Self)
    }
}

impl fmt::Display for FormatVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests;
