//! Values from maps of components, with another value as a base where one is given.
//!
//! A base gives every component that the map does not; without one, components can be left out from the
//! smallest up, and are as small as can be. The zone of a base stays, unless the map names another: then a
//! moment stays the moment that it is, while a time that knew no zone stays what clocks show.
//!
//! Next: `component.rs`.

use super::calendar::{self, WeekDate, within};
use super::fields::{Fields, needed, wrong_type};
use super::parts::Parts;
use super::zones::Place;
use super::{beyond, meaningless};
use crate::query::error::Fault;
use crate::query::functions::Moment;
use crate::value::{Date, DateTime, LocalDateTime, LocalTime, Time, UtcOffset};

/// The components of a day.
pub(crate) const DAY: &[&str] = &[
    "year",
    "month",
    "day",
    "week",
    "dayOfWeek",
    "quarter",
    "dayOfQuarter",
    "ordinalDay",
];
/// The components of a time of day.
pub(crate) const CLOCK: &[&str] = &[
    "hour",
    "minute",
    "second",
    "millisecond",
    "microsecond",
    "nanosecond",
];
/// The parts of a second.
pub(crate) const SUBSECOND: &[&str] = &["millisecond", "microsecond", "nanosecond"];

/// The four ways to tell the day of a year, from the larger to the smaller component.
const WAYS: [&[&str]; 4] = [
    &["month", "day"],
    &["week", "dayOfWeek"],
    &["quarter", "dayOfQuarter"],
    &["ordinalDay"],
];

/// The day that the components tell, over a base.
pub(crate) fn date(fields: Fields<'_>, base: Option<Date>) -> Result<Date, Fault> {
    let mut given = WAYS.iter().filter(|way| fields.has_any(way));
    let way = given.next().copied().unwrap_or(WAYS[0]);
    if let Some(other) = given.next() {
        let message = format!(
            "a day is told by {} or by {}, not by both",
            way[0], other[0]
        );
        return Err(meaningless(message));
    }
    if base.is_none() {
        if !fields.has("year") {
            return Err(needed("year"));
        }
        fields.in_order(way, true)?;
    }
    let year = fields.integer("year")?;
    let calendar_year = year.or(base.map(Date::year)).unwrap_or_default();
    let read = |index: usize| way.get(index).map_or(Ok(None), |name| fields.integer(name));
    let (larger, smaller) = (read(0)?, read(1)?);
    match way[0] {
        "week" => {
            let base = base.map(calendar::week_date);
            let week_year = year.or(base.map(|base| base.year)).unwrap_or_default();
            let last = calendar::weeks_in_year(week_year);
            calendar::from_week(WeekDate {
                year: week_year,
                week: larger.or(base.map(|base| base.week.min(last))).unwrap_or(1),
                day: smaller.or(base.map(|base| base.day)).unwrap_or(1),
            })
        }
        "quarter" => {
            let quarter = larger.or(base.map(calendar::quarter)).unwrap_or(1);
            match (smaller, base) {
                (None, Some(base)) => {
                    within("quarter", quarter, 1, 4)?;
                    // The same month of another quarter.
                    let month = (i64::from(base.month()) - 1) % 3 + quarter * 3 - 2;
                    calendar::from_civil_clamped(calendar_year, month, i64::from(base.day()))
                }
                (day, _) => calendar::from_quarter(calendar_year, quarter, day.unwrap_or(1)),
            }
        }
        "ordinalDay" => calendar::from_ordinal(calendar_year, larger.unwrap_or(1)),
        _ => {
            let month = larger.or(base.map(|base| base.month().into())).unwrap_or(1);
            match (smaller, base) {
                (None, Some(base)) => {
                    calendar::from_civil_clamped(calendar_year, month, i64::from(base.day()))
                }
                (day, _) => calendar::from_civil(calendar_year, month, day.unwrap_or(1)),
            }
        }
    }
}

/// The time of day that the components tell, over a base.
pub(crate) fn clock(fields: Fields<'_>, base: Option<LocalTime>) -> Result<LocalTime, Fault> {
    if base.is_none() {
        fields.in_order(&["hour", "minute", "second"], true)?;
        if fields.has_any(SUBSECOND) && !fields.has("second") {
            return Err(needed("second"));
        }
    }
    let base = base.unwrap_or(LocalTime::MIDNIGHT);
    let read = |name, base: u32, max| -> Result<i64, Fault> {
        within(
            name,
            fields.integer(name)?.unwrap_or(i64::from(base)),
            0,
            max,
        )
    };
    let second_of_day = read("hour", base.hour(), 23)? * 3_600
        + read("minute", base.minute(), 59)? * 60
        + read("second", base.second(), 59)?;
    let nanosecond = subsecond(fields)?.unwrap_or(base.nanosecond());
    // Three numbers within their bounds.
    LocalTime::from_second_of_day(second_of_day.cast_unsigned() as u32, nanosecond).map_err(beyond)
}

/// The nanoseconds of a second, if any part of it is given; the smaller parts count on top of the larger.
pub(crate) fn subsecond(fields: Fields<'_>) -> Result<Option<u32>, Fault> {
    let millisecond = fields.integer("millisecond")?;
    let microsecond = fields.integer("microsecond")?;
    let nanosecond = fields.integer("nanosecond")?;
    if millisecond.or(microsecond).or(nanosecond).is_none() {
        return Ok(None);
    }
    let micros = if millisecond.is_some() { 999 } else { 999_999 };
    let nanos = match (millisecond, microsecond) {
        (_, Some(_)) => 999,
        (Some(_), None) => 999_999,
        (None, None) => 999_999_999,
    };
    let total = within("millisecond", millisecond.unwrap_or_default(), 0, 999)? * 1_000_000
        + within("microsecond", microsecond.unwrap_or_default(), 0, micros)? * 1_000
        + within("nanosecond", nanosecond.unwrap_or_default(), 0, nanos)?;
    // Below 10^9 by these bounds.
    Ok(Some(total.cast_unsigned() as u32))
}

/// The base that one of the components is.
fn base(fields: Fields<'_>, name: &str) -> Result<Option<Parts>, Fault> {
    let Some(value) = fields.value(name) else {
        return Ok(None);
    };
    let parts = Parts::of(value).filter(|parts| match name {
        "date" => parts.date.is_some(),
        "time" => parts.time.is_some(),
        _ => parts.date.is_some() && parts.time.is_some(),
    });
    match parts {
        Some(parts) => Ok(Some(parts)),
        None => Err(wrong_type(name, &format!("a value with a {name}"), value)),
    }
}

/// A date of its components.
pub(crate) fn date_value(fields: Fields<'_>) -> Result<Date, Fault> {
    date(fields, base(fields, "date")?.and_then(|parts| parts.date))
}

/// A local time of its components.
pub(crate) fn local_time_value(fields: Fields<'_>) -> Result<LocalTime, Fault> {
    let base = base(fields, "time")?.and_then(|parts| parts.time);
    if base.is_none() && !fields.has("hour") {
        return Err(needed("hour"));
    }
    clock(fields, base)
}

/// A time of its components. A named zone has the offset that it has `now`.
pub(crate) fn time_value(fields: Fields<'_>, now: Moment) -> Result<Time, Fault> {
    let base = base(fields, "time")?;
    if base.is_none() && !fields.has("hour") {
        return Err(needed("hour"));
    }
    let local = clock(fields, base.as_ref().and_then(|parts| parts.time))?;
    let had = base
        .as_ref()
        .and_then(|parts| parts.place.as_ref())
        .map(|(_, offset)| *offset);
    let Some(place) = fields.place()? else {
        return Ok(Time::new(local, had.unwrap_or(UtcOffset::UTC)));
    };
    // Where the base has a day, the zone has the offset of that day.
    let offset = match (base.and_then(|parts| parts.local()), had) {
        (Some(day), Some(had)) => place.offset_at(day.epoch_second() - i64::from(had.seconds())),
        (Some(day), None) => place.at_local(day, None)?.offset(),
        (None, _) => place.offset_at(now.second),
    };
    match had {
        Some(had) => at_offset(Time::new(local, had), offset),
        None => Ok(Time::new(local, offset)),
    }
}

/// The same time of day in UTC, told at another offset.
pub(crate) fn at_offset(time: Time, offset: UtcOffset) -> Result<Time, Fault> {
    let moved = i64::from(offset.seconds() - time.offset().seconds());
    let second = (i64::from(time.local().second_of_day()) + moved).rem_euclid(super::DAY_SECONDS);
    // Below a day.
    let second = second.cast_unsigned() as u32;
    let local = LocalTime::from_second_of_day(second, time.nanosecond()).map_err(beyond)?;
    Ok(Time::new(local, offset))
}

/// Day and time of day of the components, and where the base was, if it was anywhere.
fn local(fields: Fields<'_>) -> Result<(LocalDateTime, Option<(Place, UtcOffset)>), Fault> {
    let both = base(fields, "datetime")?;
    if both.is_some() && fields.has_any(&["date", "time"]) {
        return Err(meaningless(
            "`datetime` is a base for both day and time of day",
        ));
    }
    let (date_base, time_base) = match both {
        Some(both) => (both.date, Some(both)),
        None => (
            base(fields, "date")?.and_then(|parts| parts.date),
            base(fields, "time")?,
        ),
    };
    let day = date(fields, date_base)?;
    if date_base.is_none() && fields.has_any(CLOCK) && !tells_whole_day(fields) {
        return Err(meaningless("a time of day needs a whole date before it"));
    }
    let time = clock(fields, time_base.as_ref().and_then(|parts| parts.time))?;
    Ok((
        LocalDateTime::new(day, time),
        time_base.and_then(|parts| parts.place),
    ))
}

/// Whether the smallest component of a day is given.
fn tells_whole_day(fields: Fields<'_>) -> bool {
    fields.has_any(&["day", "dayOfWeek", "dayOfQuarter", "ordinalDay"])
}

/// A local date-time of its components.
pub(crate) fn local_date_time_value(fields: Fields<'_>) -> Result<LocalDateTime, Fault> {
    Ok(local(fields)?.0)
}

/// A date-time of its components.
pub(crate) fn date_time_value(fields: Fields<'_>) -> Result<DateTime, Fault> {
    let place = fields.place()?;
    if fields.has_any(&["epochSeconds", "epochMillis"]) {
        return since_epoch(fields, &place.unwrap_or(Place::UTC));
    }
    let (local, had) = local(fields)?;
    match (had, place) {
        (Some((had, offset)), None) => had.at_local(local, Some(offset)),
        (Some((had, offset)), Some(place)) => {
            let moment = had.at_local(local, Some(offset))?;
            place.at_instant(moment.epoch_second(), moment.nanosecond())
        }
        (None, place) => place.unwrap_or(Place::UTC).at_local(local, None),
    }
}

/// A date-time by its distance from 1970.
fn since_epoch(fields: Fields<'_>, place: &Place) -> Result<DateTime, Fault> {
    const ALSO: &[&str] = &["timezone", "millisecond", "microsecond", "nanosecond"];
    let also = ALSO.iter().filter(|name| fields.has(name)).count();
    if fields.len() != also + 1 {
        let message =
            "`epochSeconds` and `epochMillis` go with parts of a second and `timezone` only";
        return Err(meaningless(message));
    }
    if let Some(second) = fields.integer("epochSeconds")? {
        return place.at_instant(second, subsecond(fields)?.unwrap_or_default());
    }
    let millis = fields.integer("epochMillis")?.unwrap_or_default();
    if fields.has("millisecond") {
        return Err(meaningless("`epochMillis` says the millisecond already"));
    }
    let rest = subsecond(fields)?.unwrap_or_default();
    let nanosecond = millis.rem_euclid(1_000) * 1_000_000
        + within("part of a millisecond", i64::from(rest), 0, 999_999)?;
    // Below 10^9.
    place.at_instant(millis.div_euclid(1_000), nanosecond.cast_unsigned() as u32)
}
