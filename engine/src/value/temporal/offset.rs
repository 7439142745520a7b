//! How far a local time is ahead of UTC.
//!
//! Next: `time.rs` and `date_time.rs`, which carry one.

use std::fmt;
use std::str::FromStr;

use super::error::{TemporalError, TemporalTextError, within};
use super::text::Scanner;

/// Seconds that a local time is ahead of UTC, at most 18 hours either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcOffset {
    seconds: i32,
}

impl UtcOffset {
    /// UTC itself.
    pub const UTC: Self = Self { seconds: 0 };
    /// 18 hours behind UTC.
    pub const MIN: Self = Self { seconds: -64_800 };
    /// 18 hours ahead of UTC.
    pub const MAX: Self = Self { seconds: 64_800 };

    /// That many seconds ahead of UTC; negative west of it.
    ///
    /// # Errors
    ///
    /// [`TemporalError::OutOfRange`] beyond 18 hours.
    pub fn from_seconds(seconds: i32) -> Result<Self, TemporalError> {
        within(
            "offset from UTC in seconds",
            i64::from(seconds),
            i64::from(Self::MIN.seconds),
            i64::from(Self::MAX.seconds),
        )?;
        Ok(Self { seconds })
    }

    /// Seconds ahead of UTC.
    #[must_use]
    pub fn seconds(self) -> i32 {
        self.seconds
    }

    pub(super) fn scan(scanner: &mut Scanner<'_>) -> Result<Self, TemporalTextError> {
        let start = scanner.at();
        if scanner.eat('Z') {
            return Ok(Self::UTC);
        }
        let negative = scanner.eat('-');
        if !negative {
            scanner.expect('+', "an offset from UTC (`Z`, `+hh:mm` or `-hh:mm`)")?;
        }
        let hours = scanner.two_digits("hours of two digits")?;
        scanner.expect(':', "`:` and minutes")?;
        let minutes = scanner.two_digits("minutes of two digits")?;
        let seconds = if scanner.eat(':') {
            scanner.two_digits("seconds of two digits")?
        } else {
            0
        };
        // Three numbers below 100 each.
        let total = (hours * 3_600 + minutes * 60 + seconds).cast_signed();
        Self::from_seconds(if negative { -total } else { total }).map_err(scanner.invalid(start))
    }
}

impl fmt::Display for UtcOffset {
    /// `Z`, `+01:00`, `-02:05:07`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.seconds == 0 {
            return f.write_str("Z");
        }
        let sign = if self.seconds < 0 { '-' } else { '+' };
        let total = self.seconds.unsigned_abs();
        write!(f, "{sign}{:02}:{:02}", total / 3_600, total / 60 % 60)?;
        match total % 60 {
            0 => Ok(()),
            seconds => write!(f, ":{seconds:02}"),
        }
    }
}

impl FromStr for UtcOffset {
    type Err = TemporalTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut scanner = Scanner::new("offset from UTC", text);
        let offset = Self::scan(&mut scanner)?;
        scanner.finish(text, offset)
    }
}
