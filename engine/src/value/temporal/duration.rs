//! A length of time: months, days and seconds apart, because months and days vary in length.
//!
//! Next: back to `mod.rs`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::error::{TemporalError, TemporalTextError, within};
use super::text::Scanner;
use super::{NANOS_PER_SECOND, SECONDS_PER_DAY};

/// The average month of the Gregorian calendar: 146,097 days of 400 years, by 4,800 months.
pub const SECONDS_PER_AVERAGE_MONTH: i64 = 2_629_746;

/// Longer than any duration is written: six units of at most 20 characters.
const MAX_TEXT_BYTES: usize = 128;

/// Months, days, seconds and nanoseconds, each with its own sign except the nanoseconds.
///
/// Durations sort by average length, then by months, days and seconds. Equal means the same in all
/// of them: 24 hours are not equal to a day, though neither is longer on average.
///
/// The parts are shared behind a pointer, which keeps every [`Value`](crate::value::Value) small.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Duration(Arc<Parts>);

#[derive(Debug, PartialEq, Eq, Hash)]
struct Parts {
    months: i64,
    days: i64,
    seconds: i64,
    /// Below 10^9, and always forwards: -0.1 s is -1 s and 900,000,000 ns.
    nanoseconds: u32,
}

impl Duration {
    /// The duration with these parts. A negative fraction of a second is a smaller second and a
    /// positive number of nanoseconds.
    ///
    /// # Errors
    ///
    /// [`TemporalError::OutOfRange`] for nanoseconds, and [`TemporalError::DurationTooLong`] if
    /// the average length does not fit into an `i64` of seconds.
    pub fn new(
        months: i64,
        days: i64,
        seconds: i64,
        nanoseconds: u32,
    ) -> Result<Self, TemporalError> {
        within(
            "nanosecond",
            i64::from(nanoseconds),
            0,
            i64::from(NANOS_PER_SECOND) - 1,
        )?;
        i64::try_from(average(months, days, seconds))
            .map_err(|_| TemporalError::DurationTooLong)?;
        Ok(Self(Arc::new(Parts {
            months,
            days,
            seconds,
            nanoseconds,
        })))
    }

    /// The duration with these months and days and this average length.
    ///
    /// # Errors
    ///
    /// [`TemporalError::OutOfRange`] for nanoseconds, and [`TemporalError::DurationTooLong`] if
    /// the seconds that make up the length do not fit into an `i64`.
    pub fn from_average(
        months: i64,
        days: i64,
        average_seconds: i64,
        nanoseconds: u32,
    ) -> Result<Self, TemporalError> {
        let seconds = i128::from(average_seconds) - average(months, days, 0);
        let seconds = i64::try_from(seconds).map_err(|_| TemporalError::DurationTooLong)?;
        Self::new(months, days, seconds, nanoseconds)
    }

    /// The months; a year is twelve of them.
    #[must_use]
    pub fn months(&self) -> i64 {
        self.0.months
    }

    /// The days, beside the months.
    #[must_use]
    pub fn days(&self) -> i64 {
        self.0.days
    }

    /// The seconds, beside months and days, rounded down.
    #[must_use]
    pub fn seconds(&self) -> i64 {
        self.0.seconds
    }

    /// The nanoseconds on top of the seconds, 0 to 999,999,999.
    #[must_use]
    pub fn nanoseconds(&self) -> u32 {
        self.0.nanoseconds
    }

    /// The length in seconds if every month had [`SECONDS_PER_AVERAGE_MONTH`] and every day 24
    /// hours, without the nanoseconds.
    #[must_use]
    pub fn average_seconds(&self) -> i64 {
        // The constructor has seen to it that the sum fits.
        average(self.0.months, self.0.days, self.0.seconds) as i64
    }

    /// Seconds and nanoseconds as one number of nanoseconds.
    fn clock_nanos(&self) -> i128 {
        i128::from(self.0.seconds) * i128::from(NANOS_PER_SECOND) + i128::from(self.0.nanoseconds)
    }
}

/// The average length in seconds; 128 bits hold it whatever the parts.
fn average(months: i64, days: i64, seconds: i64) -> i128 {
    i128::from(months) * i128::from(SECONDS_PER_AVERAGE_MONTH)
        + i128::from(days) * i128::from(SECONDS_PER_DAY)
        + i128::from(seconds)
}

impl Ord for Duration {
    fn cmp(&self, other: &Self) -> Ordering {
        // Where length, months and days agree, the seconds do too.
        let rank = |duration: &Self| {
            (
                duration.average_seconds(),
                duration.nanoseconds(),
                duration.months(),
                duration.days(),
            )
        };
        rank(self).cmp(&rank(other))
    }
}

impl PartialOrd for Duration {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Duration {
    /// `P12Y5M14DT16H13M10.5S`: units that are zero are left out, each unit has its own sign, and
    /// the empty duration is `PT0S`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = self.clock_nanos();
        f.write_str("P")?;
        for (count, unit) in [
            (self.0.months / 12, 'Y'),
            (self.0.months % 12, 'M'),
            (self.0.days, 'D'),
        ] {
            if count != 0 {
                write!(f, "{count}{unit}")?;
            }
        }
        if clock == 0 {
            let is_empty = self.0.months == 0 && self.0.days == 0;
            return f.write_str(if is_empty { "T0S" } else { "" });
        }
        f.write_str("T")?;
        let nanos_per_second = i128::from(NANOS_PER_SECOND);
        let seconds = clock / nanos_per_second;
        for (count, unit) in [(seconds / 3_600, 'H'), (seconds / 60 % 60, 'M')] {
            if count != 0 {
                write!(f, "{count}{unit}")?;
            }
        }
        let second = seconds % 60;
        let fraction = (clock % nanos_per_second).unsigned_abs();
        if second == 0 && fraction == 0 {
            return Ok(());
        }
        // The sign is written by hand, because -0.5 has none in its whole part.
        let sign = if clock < 0 { "-" } else { "" };
        write!(f, "{sign}{}", second.unsigned_abs())?;
        if fraction != 0 {
            write!(f, ".{}", format!("{fraction:09}").trim_end_matches('0'))?;
        }
        f.write_str("S")
    }
}

impl FromStr for Duration {
    type Err = TemporalTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut scanner = Scanner::new("duration", text);
        if text.len() > MAX_TEXT_BYTES {
            return Err(scanner.expected("a text of at most 128 bytes"));
        }
        scanner.expect('P', "`P`")?;
        let start = scanner.at();
        // Each number has 64 bits and the text ends soon, so 128 bits hold every sum.
        let (mut months, mut days, mut nanos) = (0_i128, 0_i128, 0_i128);
        let mut is_clock = false;
        while !scanner.is_at_end() {
            if !is_clock && scanner.eat('T') {
                is_clock = true;
                continue;
            }
            let (whole, fraction) = scan_count(&mut scanner)?;
            let second = i128::from(NANOS_PER_SECOND);
            if is_clock && scanner.eat('S') {
                nanos += whole * second + fraction;
            } else if fraction != 0 {
                return Err(scanner.expected("`S`"));
            } else if is_clock {
                let seconds = if scanner.eat('H') {
                    3_600
                } else {
                    scanner.expect('M', "`H`, `M` or `S`")?;
                    60
                };
                nanos += whole * seconds * second;
            } else if scanner.eat('Y') {
                months += whole * 12;
            } else if scanner.eat('M') {
                months += whole;
            } else {
                scanner.expect('D', "`Y`, `M`, `D` or `T`")?;
                days += whole;
            }
        }
        let parts = (|| {
            let narrow =
                |wide: i128| i64::try_from(wide).map_err(|_| TemporalError::DurationTooLong);
            let second = i128::from(NANOS_PER_SECOND);
            // The remainder is below 10^9.
            let nanoseconds = nanos.rem_euclid(second) as u32;
            let seconds = narrow(nanos.div_euclid(second))?;
            Self::new(narrow(months)?, narrow(days)?, seconds, nanoseconds)
        })();
        let duration = parts.map_err(scanner.invalid(start))?;
        scanner.finish(text, duration)
    }
}

/// Reads a number with a sign and a fraction: what is whole, and the nanoseconds with its sign.
fn scan_count(scanner: &mut Scanner<'_>) -> Result<(i128, i128), TemporalTextError> {
    let sign = if scanner.eat('-') { -1 } else { 1 };
    // Nineteen digits are all that 64 bits have.
    let digits = scanner.digits(1, 19, "a number")?;
    let whole: i128 = digits.parse().map_err(|_| scanner.expected("a number"))?;
    let fraction = if scanner.eat('.') {
        i128::from(scanner.fraction()?)
    } else {
        0
    };
    Ok((sign * whole, sign * fraction))
}
