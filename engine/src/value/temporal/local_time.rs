//! A time of day, somewhere.
//!
//! Next: `time.rs`, a time of day with its distance from UTC.

use std::fmt;
use std::str::FromStr;

use super::error::{TemporalError, TemporalTextError, within};
use super::text::Scanner;
use super::{NANOS_PER_SECOND, SECONDS_PER_DAY};

const NANOS_PER_DAY: u64 = SECONDS_PER_DAY.cast_unsigned() * NANOS_PER_SECOND as u64;

/// A time of day without a zone, to the nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalTime {
    nanos: u64,
}

impl LocalTime {
    /// The first time of a day, 00:00.
    pub const MIDNIGHT: Self = Self { nanos: 0 };
    /// The last time of a day, 23:59:59.999999999.
    pub const MAX: Self = Self {
        nanos: NANOS_PER_DAY - 1,
    };

    /// The time with these numbers; there are no leap seconds.
    ///
    /// # Errors
    ///
    /// [`TemporalError::OutOfRange`].
    pub fn new(
        hour: u32,
        minute: u32,
        second: u32,
        nanosecond: u32,
    ) -> Result<Self, TemporalError> {
        within("hour", i64::from(hour), 0, 23)?;
        within("minute", i64::from(minute), 0, 59)?;
        within("second", i64::from(second), 0, 59)?;
        Self::from_second_of_day(hour * 3_600 + minute * 60 + second, nanosecond)
    }

    /// The time that many nanoseconds after midnight.
    ///
    /// # Errors
    ///
    /// [`TemporalError::OutOfRange`].
    pub fn from_nanos_of_day(nanos: u64) -> Result<Self, TemporalError> {
        if nanos < NANOS_PER_DAY {
            return Ok(Self { nanos });
        }
        Err(TemporalError::OutOfRange {
            component: "nanosecond of the day",
            found: i64::try_from(nanos).unwrap_or(i64::MAX),
            min: 0,
            max: NANOS_PER_DAY.cast_signed() - 1,
        })
    }

    /// The time that many seconds and nanoseconds after midnight.
    ///
    /// # Errors
    ///
    /// [`TemporalError::OutOfRange`].
    pub fn from_second_of_day(second: u32, nanosecond: u32) -> Result<Self, TemporalError> {
        within(
            "second of the day",
            i64::from(second),
            0,
            SECONDS_PER_DAY - 1,
        )?;
        within(
            "nanosecond",
            i64::from(nanosecond),
            0,
            i64::from(NANOS_PER_SECOND) - 1,
        )?;
        Ok(Self {
            nanos: u64::from(second) * u64::from(NANOS_PER_SECOND) + u64::from(nanosecond),
        })
    }

    /// Nanoseconds since midnight.
    #[must_use]
    pub fn nanos_of_day(self) -> u64 {
        self.nanos
    }

    /// Whole seconds since midnight.
    #[must_use]
    pub fn second_of_day(self) -> u32 {
        // At most 86,399.
        (self.nanos / u64::from(NANOS_PER_SECOND)) as u32
    }

    /// The hour, 0 to 23.
    #[must_use]
    pub fn hour(self) -> u32 {
        self.second_of_day() / 3_600
    }

    /// The minute of the hour, 0 to 59.
    #[must_use]
    pub fn minute(self) -> u32 {
        self.second_of_day() / 60 % 60
    }

    /// The second of the minute, 0 to 59.
    #[must_use]
    pub fn second(self) -> u32 {
        self.second_of_day() % 60
    }

    /// The nanosecond of the second, 0 to 999,999,999.
    #[must_use]
    pub fn nanosecond(self) -> u32 {
        // The remainder is below 10^9.
        (self.nanos % u64::from(NANOS_PER_SECOND)) as u32
    }

    pub(super) fn scan(scanner: &mut Scanner<'_>) -> Result<Self, TemporalTextError> {
        let start = scanner.at();
        let hour = scanner.two_digits("an hour of two digits")?;
        scanner.expect(':', "`:` and a minute")?;
        let minute = scanner.two_digits("a minute of two digits")?;
        let second = if scanner.eat(':') {
            scanner.two_digits("a second of two digits")?
        } else {
            0
        };
        let nanosecond = if scanner.eat('.') {
            scanner.fraction()?
        } else {
            0
        };
        Self::new(hour, minute, second, nanosecond).map_err(scanner.invalid(start))
    }
}

impl fmt::Display for LocalTime {
    /// `12:00`, `12:00:01`, and fractions in groups of three digits: `12:00:00.500`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.hour(), self.minute())?;
        let (second, nanosecond) = (self.second(), self.nanosecond());
        if second == 0 && nanosecond == 0 {
            return Ok(());
        }
        write!(f, ":{second:02}")?;
        if nanosecond == 0 {
            Ok(())
        } else if nanosecond % 1_000_000 == 0 {
            write!(f, ".{:03}", nanosecond / 1_000_000)
        } else if nanosecond % 1_000 == 0 {
            write!(f, ".{:06}", nanosecond / 1_000)
        } else {
            write!(f, ".{nanosecond:09}")
        }
    }
}

impl FromStr for LocalTime {
    type Err = TemporalTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut scanner = Scanner::new("local time", text);
        let time = Self::scan(&mut scanner)?;
        scanner.finish(text, time)
    }
}
