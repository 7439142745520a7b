//! Days, times and lengths of time: numbers, as the protocol has them.
//!
//! This crate counts no calendar. `text.rs` writes them in ISO 8601, and as such they are read into any type that serde reads from
//! text, those of jiff, chrono and time among them.

use serde::{Deserialize, Serialize};

/// A calendar day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename = "$stratigraph.Date")]
pub struct Date {
    /// Days since 1970-01-01.
    pub epoch_days: i64,
}

/// A time of day at an offset from UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "$stratigraph.Time")]
pub struct Time {
    /// What the clock shows: nanoseconds since midnight.
    pub nanos_of_day: u64,
    /// How far the clock is ahead of UTC.
    pub offset_seconds: i32,
}

/// A time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename = "$stratigraph.LocalTime")]
pub struct LocalTime {
    /// Nanoseconds since midnight.
    pub nanos_of_day: u64,
}

/// A moment, and how it is told.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename = "$stratigraph.DateTime")]
pub struct DateTime {
    /// Whole seconds since 1970-01-01T00:00Z, rounded down.
    pub epoch_seconds: i64,
    /// Nanoseconds after that, below 1,000,000,000.
    pub nanoseconds: u32,
    /// How far the clock that tells it is ahead of UTC.
    pub offset_seconds: i32,
    /// The zone that it is told in, such as `Europe/Rome`; empty if there is none.
    pub zone: String,
}

/// What a calendar and a clock show, anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename = "$stratigraph.LocalDateTime")]
pub struct LocalDateTime {
    /// Whole seconds since 1970-01-01T00:00 on the same clock, rounded down.
    pub epoch_seconds: i64,
    /// Nanoseconds after that, below 1,000,000,000.
    pub nanoseconds: u32,
}

/// A length of time. Its parts are kept apart: a month has no fixed number of days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename = "$stratigraph.Duration")]
pub struct Duration {
    /// Months.
    pub months: i64,
    /// Days.
    pub days: i64,
    /// Seconds.
    pub seconds: i64,
    /// Nanoseconds, below 1,000,000,000, and always forwards: -0.1 s is -1 s and 900,000,000 ns.
    pub nanoseconds: u32,
}

impl From<std::time::Duration> for Duration {
    fn from(length: std::time::Duration) -> Self {
        Self {
            seconds: i64::try_from(length.as_secs()).unwrap_or(i64::MAX),
            nanoseconds: length.subsec_nanos(),
            ..Self::default()
        }
    }
}

impl From<std::time::SystemTime> for DateTime {
    /// The moment, told in UTC.
    fn from(moment: std::time::SystemTime) -> Self {
        let (epoch_seconds, nanoseconds) = match moment.duration_since(std::time::UNIX_EPOCH) {
            Ok(after) => (
                i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
                after.subsec_nanos(),
            ),
            Err(before) => {
                let before = before.duration();
                let seconds = -i64::try_from(before.as_secs()).unwrap_or(i64::MAX);
                match before.subsec_nanos() {
                    0 => (seconds, 0),
                    nanos => (seconds - 1, 1_000_000_000 - nanos),
                }
            }
        };
        Self {
            epoch_seconds,
            nanoseconds,
            offset_seconds: 0,
            zone: String::new(),
        }
    }
}
