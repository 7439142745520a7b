//! Cutting a value off at a unit: the first moment of its hour, its quarter, its decade.
//!
//! Next: `between.rs`.

use super::calendar::{self, WeekDate};
use super::{beyond, meaningless};
use crate::query::error::Fault;
use crate::value::{Date, LocalTime};

/// What can be cut off at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit {
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    WeekYear,
    Decade,
    Century,
    Millennium,
}

const NAMES: &[(&str, Unit)] = &[
    ("millennium", Unit::Millennium),
    ("century", Unit::Century),
    ("decade", Unit::Decade),
    ("year", Unit::Year),
    ("weekYear", Unit::WeekYear),
    ("quarter", Unit::Quarter),
    ("month", Unit::Month),
    ("week", Unit::Week),
    ("day", Unit::Day),
    ("hour", Unit::Hour),
    ("minute", Unit::Minute),
    ("second", Unit::Second),
    ("millisecond", Unit::Millisecond),
    ("microsecond", Unit::Microsecond),
];

impl Unit {
    /// The unit of that name, whatever the case.
    pub(crate) fn named(name: &str) -> Result<Self, Fault> {
        match NAMES
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
        {
            Some((_, unit)) => Ok(*unit),
            None => {
                let known: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                let shown = super::text::excerpt(name);
                Err(meaningless(format!("`{shown}` is no unit of time"))
                    .hint(format!("the units are {}", known.join(", "))))
            }
        }
    }

    /// The unit's name.
    pub(crate) fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(_, unit)| *unit == self)
            .map_or("", |(name, _)| *name)
    }

    /// The first day of the unit that a day is in; the day itself for what is smaller than a day.
    pub(crate) fn first_day(self, date: Date) -> Result<Date, Fault> {
        let (year, month, _) = date.civil();
        let start_of = |years: i64| Date::new(year.div_euclid(years) * years, 1, 1).map_err(beyond);
        match self {
            Self::Millennium => start_of(1_000),
            Self::Century => start_of(100),
            Self::Decade => start_of(10),
            Self::Year => start_of(1),
            Self::WeekYear => {
                let year = calendar::week_date(date).year;
                calendar::from_week(WeekDate {
                    year,
                    week: 1,
                    day: 1,
                })
            }
            Self::Quarter => calendar::from_quarter(year, calendar::quarter(date), 1),
            Self::Month => Date::new(year, month, 1).map_err(beyond),
            Self::Week => calendar::plus_days(date, 1 - calendar::day_of_week(date)),
            _ => Ok(date),
        }
    }

    /// The first time of day of the unit that a time of day is in; midnight for what is a day or larger.
    pub(crate) fn first_time(self, time: LocalTime) -> Result<LocalTime, Fault> {
        let nanos: u64 = match self {
            Self::Microsecond => 1_000,
            Self::Millisecond => 1_000_000,
            Self::Second => 1_000_000_000,
            Self::Minute => 60 * 1_000_000_000,
            Self::Hour => 3_600 * 1_000_000_000,
            _ => return Ok(LocalTime::MIDNIGHT),
        };
        let whole = time.nanos_of_day() / nanos * nanos;
        LocalTime::from_nanos_of_day(whole).map_err(beyond)
    }
}
