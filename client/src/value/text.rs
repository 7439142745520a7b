//! Days, times and lengths of time in ISO 8601.
//!
//! They come from the wire and may be anything, so nothing here overflows: years have as many digits as they need.

use super::temporal::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};
use std::fmt::{self, Display, Formatter, Write as _};

const DAY_SECONDS: i128 = 86_400;
const NANOS: u64 = 1_000_000_000;

impl Display for Date {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        day(out, self.epoch_days.into())
    }
}

impl Display for LocalTime {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        clock(out, self.nanos_of_day / NANOS, self.nanos_of_day % NANOS)
    }
}

impl Display for Time {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        clock(out, self.nanos_of_day / NANOS, self.nanos_of_day % NANOS)?;
        offset(out, self.offset_seconds)
    }
}

impl Display for LocalDateTime {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        moment(out, self.epoch_seconds.into(), self.nanoseconds)
    }
}

impl Display for DateTime {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let shown = i128::from(self.epoch_seconds) + i128::from(self.offset_seconds);
        moment(out, shown, self.nanoseconds)?;
        offset(out, self.offset_seconds)?;
        if self.zone.is_empty() {
            return Ok(());
        }
        write!(out, "[{}]", self.zone)
    }
}

impl Display for Duration {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let Self { months, days, .. } = *self;
        out.write_char('P')?;
        for (number, unit) in [(months / 12, 'Y'), (months % 12, 'M'), (days, 'D')] {
            if number != 0 {
                write!(out, "{number}{unit}")?;
            }
        }
        let nanos = i128::from(self.seconds) * i128::from(NANOS) + i128::from(self.nanoseconds);
        if nanos == 0 {
            return if months == 0 && days == 0 {
                out.write_str("T0S")
            } else {
                Ok(())
            };
        }
        out.write_char('T')?;
        let sign = if nanos < 0 { "-" } else { "" };
        let nanos = nanos.unsigned_abs();
        let (seconds, rest) = (nanos / u128::from(NANOS), nanos % u128::from(NANOS));
        for (number, unit) in [(seconds / 3600, 'H'), (seconds / 60 % 60, 'M')] {
            if number != 0 {
                write!(out, "{sign}{number}{unit}")?;
            }
        }
        if seconds % 60 != 0 || rest != 0 {
            write!(out, "{sign}{}", seconds % 60)?;
            fraction(out, rest)?;
            out.write_char('S')?;
        }
        Ok(())
    }
}

fn moment(out: &mut Formatter<'_>, seconds: i128, nanos: u32) -> fmt::Result {
    day(out, seconds.div_euclid(DAY_SECONDS))?;
    out.write_char('T')?;
    let of_day = u64::try_from(seconds.rem_euclid(DAY_SECONDS)).unwrap_or_default();
    clock(out, of_day, nanos.into())
}

/// A day of the Gregorian calendar, which is counted in spans of 400 years that begin on 1 March.
fn day(out: &mut Formatter<'_>, epoch_days: i128) -> fmt::Result {
    let days = epoch_days + 719_468;
    let (span, in_span) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_span = (in_span - in_span / 1460 + in_span / 36_524 - in_span / 146_096) / 365;
    let in_year = in_span - (365 * year_of_span + year_of_span / 4 - year_of_span / 100);
    // March is 0.
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = span * 400 + year_of_span + i128::from(month <= 2);
    match year {
        0..=9999 => write!(out, "{year:04}")?,
        10_000.. => write!(out, "+{year}")?,
        _ => write!(out, "-{:04}", -year)?,
    }
    write!(out, "-{month:02}-{day:02}")
}

fn clock(out: &mut Formatter<'_>, seconds: u64, nanos: u64) -> fmt::Result {
    write!(
        out,
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )?;
    fraction(out, nanos.into())
}

fn fraction(out: &mut Formatter<'_>, nanos: u128) -> fmt::Result {
    if nanos == 0 {
        return Ok(());
    }
    let digits = format!("{nanos:09}");
    write!(out, ".{}", digits.trim_end_matches('0'))
}

fn offset(out: &mut Formatter<'_>, seconds: i32) -> fmt::Result {
    if seconds == 0 {
        return out.write_char('Z');
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let seconds = seconds.unsigned_abs();
    write!(out, "{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60)?;
    match seconds % 60 {
        0 => Ok(()),
        rest => write!(out, ":{rest:02}"),
    }
}
