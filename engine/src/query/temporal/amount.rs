//! Amounts of time with fractions, exact until the end, where they become a duration.
//!
//! A fraction of a month becomes days and seconds by the average length of a month, and a fraction of a day
//! becomes seconds; whole months and days stay what they are. What is below a nanosecond is cut off.
//!
//! Next: `arithmetic.rs`.

use super::{DAY_SECONDS, too_long};
use crate::query::error::Fault;
use crate::value::{Duration, SECONDS_PER_AVERAGE_MONTH};

/// One, in the parts that amounts are counted in.
pub(crate) const ATTO: i128 = 1_000_000_000_000_000_000;
const ATTOS_PER_NANOSECOND: i128 = 1_000_000_000;

/// Months, days and seconds, each counted in parts of 10^-18.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    months: i128,
    days: i128,
    seconds: i128,
}

impl Amount {
    /// Adds so many 10^-18 months; none where there would be too many.
    pub(crate) fn add_months(&mut self, count: i128) -> Option<()> {
        self.months = self.months.checked_add(count)?;
        Some(())
    }

    /// Adds so many 10^-18 days.
    pub(crate) fn add_days(&mut self, count: i128) -> Option<()> {
        self.days = self.days.checked_add(count)?;
        Some(())
    }

    /// Adds so many 10^-18 seconds.
    pub(crate) fn add_seconds(&mut self, count: i128) -> Option<()> {
        self.seconds = self.seconds.checked_add(count)?;
        Some(())
    }

    /// The same backwards.
    pub(crate) fn negated(self) -> Self {
        // A sum that was checked is not the one number without a negative, which is far beyond any duration.
        Self {
            months: self.months.saturating_neg(),
            days: self.days.saturating_neg(),
            seconds: self.seconds.saturating_neg(),
        }
    }

    /// The duration of this length.
    pub(crate) fn duration(self) -> Result<Duration, Fault> {
        self.carried().ok_or_else(too_long)
    }

    fn carried(self) -> Option<Duration> {
        let months = self.months / ATTO;
        let rest = (self.months % ATTO) * i128::from(SECONDS_PER_AVERAGE_MONTH);
        let days_in_seconds = self
            .days
            .checked_mul(i128::from(DAY_SECONDS))?
            .checked_add(rest)?;
        let day = ATTO * i128::from(DAY_SECONDS);
        let days = days_in_seconds / day;
        let seconds = self.seconds.checked_add(days_in_seconds % day)?;
        // Cut off towards zero first; the nanoseconds of a duration count forwards.
        let nanos = seconds / ATTOS_PER_NANOSECOND;
        let second = i128::from(super::SECOND_NANOS);
        Duration::new(
            i64::try_from(months).ok()?,
            i64::try_from(days).ok()?,
            i64::try_from(nanos.div_euclid(second)).ok()?,
            u32::try_from(nanos.rem_euclid(second)).ok()?,
        )
        .ok()
    }
}

/// A number as a fraction of two integers; a float is what its shortest decimal text says.
///
/// A query that says `0.3` means three tenths and not the float next to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ratio {
    over: i128,
    under: i128,
}

impl Ratio {
    /// A whole number.
    pub(crate) fn whole(number: i64) -> Self {
        Self {
            over: i128::from(number),
            under: 1,
        }
    }

    /// A float, unless it is no number.
    pub(crate) fn decimal(number: f64) -> Option<Self> {
        if !number.is_finite() {
            return None;
        }
        let text = format!("{number:e}");
        let (digits, exponent) = text.split_once('e')?;
        let exponent: i32 = exponent.parse().ok()?;
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let over: i128 = format!("{whole}{fraction}").parse().ok()?;
        let exponent = exponent - i32::try_from(fraction.len()).ok()?;
        let power = 10_i128.checked_pow(exponent.unsigned_abs());
        // What is too large or too small for 128 bits makes any duration too long, or nothing.
        Some(if exponent >= 0 {
            let over = over.checked_mul(power.unwrap_or(i128::MAX));
            Self {
                over: over.unwrap_or(i128::MAX),
                under: 1,
            }
        } else {
            Self {
                over,
                under: power.unwrap_or(i128::MAX),
            }
        })
    }

    /// One divided by this; none for zero.
    pub(crate) fn inverse(self) -> Option<Self> {
        let sign = self.over.signum();
        (sign != 0).then(|| Self {
            over: self.under * sign,
            under: self.over.saturating_abs(),
        })
    }

    /// So many times this: how many whole ones, and what is over, as so many of [`Self::parts`].
    fn times(self, count: i64) -> Option<(i128, i128)> {
        let product = self.over.checked_mul(i128::from(count))?;
        let (rest, dropped) = (product % self.under, self.under / self.parts());
        Some((product / self.under, rest / dropped))
    }

    /// The number itself, in parts of 10^-18; none where it would not fit.
    pub(crate) fn attos(self) -> Option<i128> {
        let (whole, over) = self.times(1)?;
        whole
            .checked_mul(ATTO)?
            .checked_add(over * ATTO / self.parts())
    }

    /// In how many parts what is over is counted: as many as fit, which is all that a float has.
    fn parts(self) -> i128 {
        let mut under = self.under;
        while under > ATTO {
            under /= 10;
        }
        under
    }
}

/// A duration multiplied by a number.
///
/// What is over of its units is summed up before it is cut off: a third of a day is eight hours.
pub(crate) fn scaled(duration: &Duration, by: Ratio) -> Result<Duration, Fault> {
    scaled_parts(duration, by).ok_or_else(too_long)
}

fn scaled_parts(duration: &Duration, by: Ratio) -> Option<Duration> {
    let second = i128::from(super::SECOND_NANOS);
    let (day, parts) = (i128::from(DAY_SECONDS), by.parts());
    let (months, over_months) = by.times(duration.months())?;
    let (days, over_days) = by.times(duration.days())?;
    let (seconds, over_seconds) = by.times(duration.seconds())?;
    let (nanos, over_nanos) = by.times(i64::from(duration.nanoseconds()))?;

    // In parts of a second, as the fractions of both may be a day together.
    let of_days = days
        .checked_mul(day * parts)?
        .checked_add(over_days * day + over_months * i128::from(SECONDS_PER_AVERAGE_MONTH))?;
    let days = of_days / (day * parts);
    let over = (of_days % (day * parts) + over_seconds) * second + over_nanos;
    let mut nanos = seconds
        .checked_mul(second)?
        .checked_add(nanos)?
        .checked_add(over / parts)?;
    // Cut off towards zero, whichever sign the rest has.
    match over % parts {
        rest if rest < 0 && nanos > 0 => nanos -= 1,
        rest if rest > 0 && nanos < 0 => nanos += 1,
        _ => {}
    }
    Duration::new(
        i64::try_from(months).ok()?,
        i64::try_from(days).ok()?,
        i64::try_from(nanos.div_euclid(second)).ok()?,
        u32::try_from(nanos.rem_euclid(second)).ok()?,
    )
    .ok()
}
