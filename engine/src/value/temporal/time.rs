//! A time of day with its distance from UTC.
//!
//! Next: `date_time.rs`, the same with a day.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::NANOS_PER_SECOND;
use super::error::TemporalTextError;
use super::text::Scanner;
use super::{LocalTime, UtcOffset};

/// A time of day and how far it is ahead of UTC.
///
/// Times sort by the instant they name on one and the same day, then by offset: `10:35-08:00`,
/// which is 18:35 in UTC, comes after `12:35+01:00`. Equal means the same in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Time {
    local: LocalTime,
    offset: UtcOffset,
}

impl Time {
    /// The time that clocks show at this offset.
    #[must_use]
    pub fn new(local: LocalTime, offset: UtcOffset) -> Self {
        Self { local, offset }
    }

    /// What clocks show.
    #[must_use]
    pub fn local(self) -> LocalTime {
        self.local
    }

    /// How far they are ahead of UTC.
    #[must_use]
    pub fn offset(self) -> UtcOffset {
        self.offset
    }

    /// Nanoseconds since midnight UTC; below 0 or above a day where UTC has another day.
    #[must_use]
    pub fn utc_nanos(self) -> i64 {
        // Below 2^47 either way.
        self.local.nanos_of_day().cast_signed()
            - i64::from(self.offset.seconds()) * i64::from(NANOS_PER_SECOND)
    }

    /// The hour, 0 to 23.
    #[must_use]
    pub fn hour(self) -> u32 {
        self.local.hour()
    }

    /// The minute of the hour, 0 to 59.
    #[must_use]
    pub fn minute(self) -> u32 {
        self.local.minute()
    }

    /// The second of the minute, 0 to 59.
    #[must_use]
    pub fn second(self) -> u32 {
        self.local.second()
    }

    /// The nanosecond of the second, 0 to 999,999,999.
    #[must_use]
    pub fn nanosecond(self) -> u32 {
        self.local.nanosecond()
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> Ordering {
        self.utc_nanos()
            .cmp(&other.utc_nanos())
            .then(self.offset.cmp(&other.offset))
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.local, self.offset)
    }
}

impl FromStr for Time {
    type Err = TemporalTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut scanner = Scanner::new("time", text);
        let local = LocalTime::scan(&mut scanner)?;
        let offset = UtcOffset::scan(&mut scanner)?;
        scanner.finish(text, Self::new(local, offset))
    }
}
