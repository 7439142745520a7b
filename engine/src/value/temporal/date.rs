//! A day of the proleptic Gregorian calendar.
//!
//! The calendar is computed over years that start in March: the leap day is then the last day of
//! its year, and the lengths of the months before it (31, 30, 31, 30, 31 twice, and 31) are a
//! straight line that integer division follows.
//!
//! Next: `local_date_time.rs`.

use std::fmt;
use std::str::FromStr;

use super::error::{TemporalError, TemporalTextError, within};
use super::text::Scanner;

const DAYS_PER_400_YEARS: i64 = 146_097;
/// From 0000-03-01 to 1970-01-01.
const EPOCH_FROM_MARCH_OF_YEAR_0: i64 = 719_468;

/// A calendar day, between the years -999,999,999 and 999,999,999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    days: i64,
}

impl Date {
    /// The first year of the calendar.
    pub const MIN_YEAR: i64 = -999_999_999;
    /// The last year of the calendar.
    pub const MAX_YEAR: i64 = 999_999_999;
    /// The first day, -999999999-01-01.
    pub const MIN: Self = Self {
        days: days_from_civil(Self::MIN_YEAR, 1, 1),
    };
    /// The last day, +999999999-12-31.
    pub const MAX: Self = Self {
        days: days_from_civil(Self::MAX_YEAR, 12, 31),
    };

    /// The day with these numbers; month and day count from 1.
    ///
    /// # Errors
    ///
    /// [`TemporalError::OutOfRange`] for a year or month, [`TemporalError::NoSuchDay`].
    pub fn new(year: i64, month: u32, day: u32) -> Result<Self, TemporalError> {
        within("year", year, Self::MIN_YEAR, Self::MAX_YEAR)?;
        within("month", i64::from(month), 1, 12)?;
        let days = days_in_month(year, month);
        if !(1..=days).contains(&day) {
            return Err(TemporalError::NoSuchDay {
                year,
                month,
                days,
                found: day,
            });
        }
        Ok(Self {
            days: days_from_civil(year, month, day),
        })
    }

    /// The day that many days after 1970-01-01.
    ///
    /// # Errors
    ///
    /// [`TemporalError::OutOfRange`].
    pub fn from_epoch_day(days: i64) -> Result<Self, TemporalError> {
        within("day since 1970-01-01", days, Self::MIN.days, Self::MAX.days)
            .map(|days| Self { days })
    }

    /// Days since 1970-01-01, negative before it.
    #[must_use]
    pub fn epoch_day(self) -> i64 {
        self.days
    }

    /// The year; the year before 1 is 0.
    #[must_use]
    pub fn year(self) -> i64 {
        self.civil().0
    }

    /// The month, 1 to 12.
    #[must_use]
    pub fn month(self) -> u32 {
        self.civil().1
    }

    /// The day of the month, 1 to 31.
    #[must_use]
    pub fn day(self) -> u32 {
        self.civil().2
    }

    /// Year, month and day at once, which costs no more than one of them.
    #[must_use]
    pub fn civil(self) -> (i64, u32, u32) {
        let shifted = self.days + EPOCH_FROM_MARCH_OF_YEAR_0;
        let era = shifted.div_euclid(DAYS_PER_400_YEARS);
        let day_of_era = shifted.rem_euclid(DAYS_PER_400_YEARS);
        // Take out the leap days, so that what is left are years of 365 days: one after each
        // 1,460 days, none after each 36,524, and one more on the very last day of the era.
        let leap_days =
            day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / (DAYS_PER_400_YEARS - 1);
        let year_of_era = (day_of_era - leap_days) / 365;
        let day_of_year = day_of_era - days_before_march_year(year_of_era);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - days_before_month(month_from_march) + 1;
        let (month, next_year) = if month_from_march < 10 {
            (month_from_march + 3, 0)
        } else {
            (month_from_march - 9, 1)
        };
        // Both are small and positive by construction.
        (
            era * 400 + year_of_era + next_year,
            month.cast_unsigned() as u32,
            day.cast_unsigned() as u32,
        )
    }
}

impl fmt::Display for Date {
    /// `1984-10-11`; years of more than four digits have a sign, and so have negative ones.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.civil();
        match year {
            0..=9_999 => write!(f, "{year:04}")?,
            10_000.. => write!(f, "+{year}")?,
            _ => write!(f, "-{:04}", -year)?,
        }
        write!(f, "-{month:02}-{day:02}")
    }
}

impl FromStr for Date {
    type Err = TemporalTextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut scanner = Scanner::new("date", text);
        let date = Self::scan(&mut scanner)?;
        scanner.finish(text, date)
    }
}

impl Date {
    pub(super) fn scan(scanner: &mut Scanner<'_>) -> Result<Self, TemporalTextError> {
        let start = scanner.at();
        let negative = scanner.eat('-');
        let most = if negative || scanner.eat('+') { 9 } else { 4 };
        let digits = scanner.digits(4, most, "a year")?;
        let year: i64 = digits.parse().map_err(|_| scanner.expected("a year"))?;
        scanner.expect('-', "`-` and a month")?;
        let month = scanner.two_digits("a month of two digits")?;
        scanner.expect('-', "`-` and a day")?;
        let day = scanner.two_digits("a day of two digits")?;
        Self::new(if negative { -year } else { year }, month, day).map_err(scanner.invalid(start))
    }
}

/// How many days a month has, given a month between 1 and 12.
fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a day that exists.
const fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    // `From` is not const.
    let (month, day) = (month as i64, day as i64);
    let (march_year, month_from_march) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let era = march_year.div_euclid(400);
    let year_of_era = march_year.rem_euclid(400);
    era * DAYS_PER_400_YEARS
        + days_before_march_year(year_of_era)
        + days_before_month(month_from_march)
        + day
        - 1
        - EPOCH_FROM_MARCH_OF_YEAR_0
}

/// Days of an era before its year `year` (0 to 399), all years starting in March.
const fn days_before_march_year(year: i64) -> i64 {
    365 * year + year / 4 - year / 100
}

/// Days of a year before its month, counted from March = 0.
const fn days_before_month(month_from_march: i64) -> i64 {
    (153 * month_from_march + 2) / 5
}
