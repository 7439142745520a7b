//! The name of a time zone, such as `Europe/Stockholm`.
//!
//! A name only: whether such a zone exists, and which offsets it has when, is not known here.
//!
//! Next: `date_time.rs`.

use std::fmt;
use std::sync::Arc;

use super::error::TemporalError;

/// A zone's name: a letter, then letters, digits and `/ _ + -`, at most 64 in all.
///
/// The characters are those of the IANA time zone database, so that a name can stand in brackets
/// after a date-time and be found again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ZoneName(Arc<str>);

impl ZoneName {
    /// The longest name.
    pub const MAX_BYTES: usize = 64;

    /// Checks a name.
    ///
    /// # Errors
    ///
    /// [`TemporalError::BadZoneName`].
    pub fn new(name: &str) -> Result<Self, TemporalError> {
        let starts_well = name.starts_with(|first: char| first.is_ascii_alphabetic());
        let goes_on_well = name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"/_+-".contains(&byte));
        if starts_well && goes_on_well && name.len() <= Self::MAX_BYTES {
            return Ok(Self(name.into()));
        }
        Err(TemporalError::BadZoneName {
            // Enough to recognise it by; the text may be megabytes of somebody's mistake.
            found: name.chars().take(Self::MAX_BYTES).collect(),
        })
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ZoneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
