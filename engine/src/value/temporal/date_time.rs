//! A moment: a local date-time and how far it is ahead of UTC, perhaps with the zone that said so.
//!
//! Next: `zone.rs`; `duration.rs` for the distance between two moments.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::error::{TemporalError, TemporalTextError};
use super::text::Scanner;
use super::{LocalDateTime, UtcOffset, ZoneName};

/// A date and a time of day at an offset from UTC, and optionally in a named zone.
///
/// Date-times sort by instant, then offset, then zone name, where none comes first. Equal means
/// the same in all three: the same moment told in two zones is two values.
///
/// The parts are shared behind a pointer, which keeps every [`Value`](crate::value::Value) small.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DateTime(Arc<Parts>);

#[derive(Debug, PartialEq, Eq, Hash)]
struct Parts {
    local: LocalDateTime,
    offset: UtcOffset,
    zone: Option<ZoneName>,
}

impl DateTime {
    /// The moment when clocks show `local` at `offset`. Whether `zone` has that offset then is for
    /// the caller to know.
    #[must_use]
    pub fn new(local: LocalDateTime, offset: UtcOffset, zone: Option<ZoneName>) -> Self {
        Self(Arc::new(Parts {
            local,
            offset,
            zone,
        }))
    }

    /// The moment that many seconds and nanoseconds after 1970-01-01T00:00Z, told at `offset`.
    ///
    /// # Errors
    ///
    /// [`TemporalError::OutOfRange`] where the local date-time leaves the calendar.
    pub fn from_epoch(
        second: i64,
        nanosecond: u32,
        offset: UtcOffset,
        zone: Option<ZoneName>,
    ) -> Result<Self, TemporalError> {
        // A saturated second lies far outside the calendar and is refused as such.
        let local_second = second.saturating_add(i64::from(offset.seconds()));
        let local = LocalDateTime::from_epoch(local_second, nanosecond)?;
        Ok(Self::new(local, offset, zone))
    }

    /// Whole seconds since 1970-01-01T00:00Z, rounded down.
    #[must_use]
    pub fn epoch_second(&self) -> i64 {
        // The calendar covers less than 2^55 seconds.
        self.0.local.epoch_second() - i64::from(self.0.offset.seconds())
    }

    /// What calendar and clock show.
    #[must_use]
    pub fn local(&self) -> LocalDateTime {
        self.0.local
    }

    /// How far they are ahead of UTC.
    #[must_use]
    pub fn offset(&self) -> UtcOffset {
        self.0.offset
    }

    /// The zone, where one was named.
    #[must_use]
    pub fn zone(&self) -> Option<&ZoneName> {
        self.0.zone.as_ref()
    }

    /// The year; the year before 1 is 0.
    #[must_use]
    pub fn year(&self) -> i64 {
        self.0.local.year()
    }

    /// The month, 1 to 12.
    #[must_use]
    pub fn month(&self) -> u32 {
        self.0.local.month()
    }

    /// The day of the month, 1 to 31.
    #[must_use]
    pub fn day(&self) -> u32 {
        self.0.local.day()
    }

    /// The hour, 0 to 23.
    #[must_use]
    pub fn hour(&self) -> u32 {
        self.0.local.hour()
    }

    /// The minute of the hour, 0 to 59.
    #[must_use]
    pub fn minute(&self) -> u32 {
        self.0.local.minute()
    }

    /// The second of the minute, 0 to 59.
    #[must_use]
    pub fn second(&self) -> u32 {
        self.0.local.second()
    }

    /// The nanosecond of the second, 0 to 999,999,999.
    #[must_use]
    pub fn nanosecond(&self) -> u32 {
        self.0.local.nanosecond()
    }
}

impl Ord for DateTime {
    fn cmp(&self, other: &Self) -> Ordering {
        self.epoch_second()
            .cmp(&other.epoch_second())
            .then_with(|| self.nanosecond().cmp(&other.nanosecond()))
            .then_with(|| self.offset().cmp(&other.offset()))
            .then_with(|| self.zone().cmp(&other.zone()))
    }
}

impl PartialOrd for DateTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0.local, self.0.offset)?;
        match &self.0.zone {
            Some(zone) => write!(f, "[{zone}]"),
            None => Ok(()),
        }
    }
}

impl FromStr for DateTime {
    type Err = TemporalTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut scanner = Scanner::new("date-time", text);
        let local = LocalDateTime::scan(&mut scanner)?;
        let offset = UtcOffset::scan(&mut scanner)?;
        let zone = if scanner.eat('[') {
            let start = scanner.at();
            let name = scanner.until(']', "the name of a time zone and `]`")?;
            Some(ZoneName::new(name).map_err(scanner.invalid(start))?)
        } else {
            None
        };
        scanner.finish(text, Self::new(local, offset, zone))
    }
}
