//! A day and a time of day, somewhere.
//!
//! Next: `date_time.rs`, which also says where.

use std::fmt;
use std::str::FromStr;

use super::error::{TemporalError, TemporalTextError, within};
use super::text::Scanner;
use super::{Date, LocalTime, SECONDS_PER_DAY};

/// A date and a time of day without a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalDateTime {
    // The order of the fields is the order of the values.
    date: Date,
    time: LocalTime,
}

impl LocalDateTime {
    /// The first one, -999999999-01-01T00:00.
    pub const MIN: Self = Self {
        date: Date::MIN,
        time: LocalTime::MIDNIGHT,
    };
    /// The last one, +999999999-12-31T23:59:59.999999999.
    pub const MAX: Self = Self {
        date: Date::MAX,
        time: LocalTime::MAX,
    };

    /// That time on that day.
    #[must_use]
    pub fn new(date: Date, time: LocalTime) -> Self {
        Self { date, time }
    }

    /// The one that many seconds and nanoseconds after 1970-01-01T00:00, seconds being negative
    /// before it and nanoseconds never.
    ///
    /// # Errors
    ///
    /// [`TemporalError::OutOfRange`].
    pub fn from_epoch(second: i64, nanosecond: u32) -> Result<Self, TemporalError> {
        within(
            "second since 1970-01-01T00:00",
            second,
            Self::MIN.epoch_second(),
            Self::MAX.epoch_second(),
        )?;
        let date = Date::from_epoch_day(second.div_euclid(SECONDS_PER_DAY))?;
        // The remainder is below 86,400.
        let second_of_day = second.rem_euclid(SECONDS_PER_DAY).cast_unsigned() as u32;
        let time = LocalTime::from_second_of_day(second_of_day, nanosecond)?;
        Ok(Self { date, time })
    }

    /// Whole seconds since 1970-01-01T00:00, rounded down.
    #[must_use]
    pub fn epoch_second(self) -> i64 {
        self.date.epoch_day() * SECONDS_PER_DAY + i64::from(self.time.second_of_day())
    }

    /// The day.
    #[must_use]
    pub fn date(self) -> Date {
        self.date
    }

    /// The time of day.
    #[must_use]
    pub fn time(self) -> LocalTime {
        self.time
    }

    /// The year; the year before 1 is 0.
    #[must_use]
    pub fn year(self) -> i64 {
        self.date.year()
    }

    /// The month, 1 to 12.
    #[must_use]
    pub fn month(self) -> u32 {
        self.date.month()
    }

    /// The day of the month, 1 to 31.
    #[must_use]
    pub fn day(self) -> u32 {
        self.date.day()
    }

    /// The hour, 0 to 23.
    #[must_use]
    pub fn hour(self) -> u32 {
        self.time.hour()
    }

    /// The minute of the hour, 0 to 59.
    #[must_use]
    pub fn minute(self) -> u32 {
        self.time.minute()
    }

    /// The second of the minute, 0 to 59.
    #[must_use]
    pub fn second(self) -> u32 {
        self.time.second()
    }

    /// The nanosecond of the second, 0 to 999,999,999.
    #[must_use]
    pub fn nanosecond(self) -> u32 {
        self.time.nanosecond()
    }

    pub(super) fn scan(scanner: &mut Scanner<'_>) -> Result<Self, TemporalTextError> {
        let date = Date::scan(scanner)?;
        scanner.expect('T', "`T` and a time")?;
        Ok(Self::new(date, LocalTime::scan(scanner)?))
    }
}

impl fmt::Display for LocalDateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}T{}", self.date, self.time)
    }
}

impl FromStr for LocalDateTime {
    type Err = TemporalTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut scanner = Scanner::new("local date-time", text);
        let local = Self::scan(&mut scanner)?;
        scanner.finish(text, local)
    }
}
