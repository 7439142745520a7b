//! What the calendar knows beside year, month and day: quarters, ISO weeks, ordinal days, and adding months.
//!
//! Weeks begin on Monday, and the first week of a year is the one with its 4 January; the days around New
//! Year may therefore belong to a week of another year than their own.
//!
//! Next: `zones.rs`.

use super::beyond;
use crate::query::error::Fault;
use crate::value::{Date, TemporalError};

/// A date as its ISO week tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WeekDate {
    /// The year that the week belongs to.
    pub(crate) year: i64,
    /// 1 to 53.
    pub(crate) week: i64,
    /// 1 is Monday, 7 is Sunday.
    pub(crate) day: i64,
}

/// 1 is Monday, 7 is Sunday.
pub(crate) fn day_of_week(date: Date) -> i64 {
    // 1970-01-01 was a Thursday.
    (date.epoch_day() + 3).rem_euclid(7) + 1
}

/// The day of the year, from 1.
pub(crate) fn ordinal_day(date: Date) -> i64 {
    let (year, _, _) = date.civil();
    days_before_year(year).map_or(1, |start| date.epoch_day() - start + 1)
}

/// The quarter, 1 to 4.
pub(crate) fn quarter(date: Date) -> i64 {
    i64::from((date.month() - 1) / 3 + 1)
}

/// The day of the quarter, from 1.
pub(crate) fn day_of_quarter(date: Date) -> i64 {
    let (year, month, _) = date.civil();
    let first = (month - 1) / 3 * 3 + 1;
    Date::new(year, first, 1).map_or(1, |start| date.epoch_day() - start.epoch_day() + 1)
}

/// The date as its week tells it.
pub(crate) fn week_date(date: Date) -> WeekDate {
    // A week belongs to the year that its Thursday is in.
    let day = day_of_week(date);
    let thursday = date.epoch_day() + 4 - day;
    let (year, ordinal) = match Date::from_epoch_day(thursday) {
        Ok(thursday) => (thursday.year(), ordinal_day(thursday)),
        // Only the calendar's very ends have a Thursday outside of it.
        Err(_) if thursday < 0 => (Date::MIN_YEAR - 1, 364),
        Err(_) => (Date::MAX_YEAR + 1, 1),
    };
    WeekDate {
        year,
        week: (ordinal - 1) / 7 + 1,
        day,
    }
}

/// Whether a year has a week 53.
pub(crate) fn weeks_in_year(year: i64) -> i64 {
    // 28 December is always in the last week.
    Date::new(year, 12, 28).map_or(52, |date| week_date(date).week)
}

/// The date of a day in an ISO week.
pub(crate) fn from_week(at: WeekDate) -> Result<Date, Fault> {
    within("year", at.year, Date::MIN_YEAR, Date::MAX_YEAR)?;
    within("week", at.week, 1, weeks_in_year(at.year))?;
    within("day of the week", at.day, 1, 7)?;
    let fourth = Date::new(at.year, 1, 4).map_err(beyond)?;
    let first_monday = fourth.epoch_day() - (day_of_week(fourth) - 1);
    Date::from_epoch_day(first_monday + (at.week - 1) * 7 + at.day - 1).map_err(beyond)
}

/// The date of a day of the year.
pub(crate) fn from_ordinal(year: i64, day: i64) -> Result<Date, Fault> {
    within("year", year, Date::MIN_YEAR, Date::MAX_YEAR)?;
    let length = if is_leap(year) { 366 } else { 365 };
    within("ordinal day", day, 1, length)?;
    let start = Date::new(year, 1, 1).map_err(beyond)?;
    Date::from_epoch_day(start.epoch_day() + day - 1).map_err(beyond)
}

/// The date of a day of a quarter.
pub(crate) fn from_quarter(year: i64, quarter: i64, day: i64) -> Result<Date, Fault> {
    let quarter = within("quarter", quarter, 1, 4)?;
    let start = from_civil(year, quarter * 3 - 2, 1)?;
    let last = from_civil(year, quarter * 3, 1)?;
    let length = last.epoch_day() - start.epoch_day() + days_in_month(year, quarter * 3);
    within("day of the quarter", day, 1, length)?;
    Date::from_epoch_day(start.epoch_day() + day - 1).map_err(beyond)
}

/// The date of a day of a month.
pub(crate) fn from_civil(year: i64, month: i64, day: i64) -> Result<Date, Fault> {
    let month = narrow("month", month, 12)?;
    let day = narrow("day", day, 31)?;
    Date::new(year, month, day).map_err(beyond)
}

/// The day of that month, or the month's last if it has no such day.
pub(crate) fn from_civil_clamped(year: i64, month: i64, day: i64) -> Result<Date, Fault> {
    let month = within("month", month, 1, 12)?;
    from_civil(year, month, day.min(days_in_month(year, month)))
}

/// The same day so many months later, or the last of that month.
pub(crate) fn plus_months(date: Date, months: i64) -> Result<Date, Fault> {
    let (year, month, day) = date.civil();
    let total = (year * 12 + i64::from(month) - 1).saturating_add(months);
    // A saturated sum lies far outside the calendar and is refused as such.
    let year = total.div_euclid(12);
    within("year", year, Date::MIN_YEAR, Date::MAX_YEAR)?;
    from_civil_clamped(year, total.rem_euclid(12) + 1, i64::from(day))
}

/// The date so many days later.
pub(crate) fn plus_days(date: Date, days: i64) -> Result<Date, Fault> {
    Date::from_epoch_day(date.epoch_day().saturating_add(days)).map_err(beyond)
}

/// Checks a number of a date or time.
pub(crate) fn within(
    component: &'static str,
    found: i64,
    min: i64,
    max: i64,
) -> Result<i64, Fault> {
    if (min..=max).contains(&found) {
        return Ok(found);
    }
    Err(beyond(TemporalError::OutOfRange {
        component,
        found,
        min,
        max,
    }))
}

fn narrow(component: &'static str, found: i64, max: i64) -> Result<u32, Fault> {
    // What lies within is small and positive.
    Ok(within(component, found, 1, max)?.cast_unsigned() as u32)
}

fn days_before_year(year: i64) -> Option<i64> {
    Date::new(year, 1, 1).ok().map(Date::epoch_day)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
