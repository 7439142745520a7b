//! The parts of a temporal value by name: `.year`, `.weekYear`, `.offsetSeconds`, `.minutesOfHour`.
//!
//! Next: `amount.rs`.

use super::SECOND_NANOS;
use super::calendar;
use crate::value::{Date, DateTime, Duration, LocalTime, UtcOffset, Value};

/// A component of a value; none where its type has none of that name.
///
/// A duration's length in small units may be more than an integer holds, and is null then.
pub(crate) fn component(value: &Value, key: &str) -> Option<Value> {
    match value {
        Value::Date(date) => of_date(*date, key),
        Value::LocalTime(time) => of_clock(*time, key),
        Value::Time(time) => of_clock(time.local(), key).or_else(|| match key {
            "timezone" => Some(Value::from(time.offset().to_string())),
            _ => of_offset(time.offset(), key),
        }),
        Value::LocalDateTime(local) => {
            of_date(local.date(), key).or_else(|| of_clock(local.time(), key))
        }
        Value::DateTime(moment) => of_date(moment.local().date(), key)
            .or_else(|| of_clock(moment.local().time(), key))
            .or_else(|| of_offset(moment.offset(), key))
            .or_else(|| of_moment(moment, key)),
        Value::Duration(duration) => of_duration(duration, key),
        _ => None,
    }
}

fn of_date(date: Date, key: &str) -> Option<Value> {
    let number = match key {
        "year" => date.year(),
        "quarter" => calendar::quarter(date),
        "month" => i64::from(date.month()),
        "week" => calendar::week_date(date).week,
        "weekYear" => calendar::week_date(date).year,
        "day" => i64::from(date.day()),
        "ordinalDay" => calendar::ordinal_day(date),
        "weekDay" | "dayOfWeek" => calendar::day_of_week(date),
        "dayOfQuarter" | "quarterDay" => calendar::day_of_quarter(date),
        _ => return None,
    };
    Some(Value::Int(number))
}

fn of_clock(time: LocalTime, key: &str) -> Option<Value> {
    let number = match key {
        "hour" => time.hour(),
        "minute" => time.minute(),
        "second" => time.second(),
        "millisecond" => time.nanosecond() / 1_000_000,
        "microsecond" => time.nanosecond() / 1_000,
        "nanosecond" => time.nanosecond(),
        _ => return None,
    };
    Some(Value::from(number))
}

fn of_offset(offset: UtcOffset, key: &str) -> Option<Value> {
    match key {
        "offset" => Some(Value::from(offset.to_string())),
        "offsetMinutes" => Some(Value::from(offset.seconds() / 60)),
        "offsetSeconds" => Some(Value::from(offset.seconds())),
        _ => None,
    }
}

fn of_moment(moment: &DateTime, key: &str) -> Option<Value> {
    match key {
        "timezone" => Some(Value::from(match moment.zone() {
            Some(zone) => zone.to_string(),
            None => moment.offset().to_string(),
        })),
        "epochSeconds" => Some(Value::Int(moment.epoch_second())),
        "epochMillis" => {
            let millis = i64::from(moment.nanosecond() / 1_000_000);
            Some(wide(
                i128::from(moment.epoch_second()) * 1_000 + i128::from(millis),
            ))
        }
        _ => None,
    }
}

/// Whole units of a duration. Seconds are rounded down and what is left counts forwards, so that a larger
/// unit and the smaller ones of it always make up the whole.
fn of_duration(duration: &Duration, key: &str) -> Option<Value> {
    let (months, days, seconds) = (duration.months(), duration.days(), duration.seconds());
    let nanos = i64::from(duration.nanoseconds());
    let in_units = |per_second: i64| {
        let rest = nanos / (SECOND_NANOS / per_second);
        i128::from(seconds) * i128::from(per_second) + i128::from(rest)
    };
    let number = match key {
        "years" => months / 12,
        "quarters" => months / 3,
        "months" => months,
        "weeks" => days / 7,
        "days" => days,
        "hours" => seconds / 3_600,
        "minutes" => seconds / 60,
        "seconds" => seconds,
        "milliseconds" => return Some(wide(in_units(1_000))),
        "microseconds" => return Some(wide(in_units(1_000_000))),
        "nanoseconds" => return Some(wide(in_units(SECOND_NANOS))),
        "quartersOfYear" => months / 3 % 4,
        "monthsOfQuarter" => months % 3,
        "monthsOfYear" => months % 12,
        "daysOfWeek" => days % 7,
        "minutesOfHour" => seconds / 60 % 60,
        "secondsOfMinute" => seconds % 60,
        "millisecondsOfSecond" => nanos / 1_000_000,
        "microsecondsOfSecond" => nanos / 1_000,
        "nanosecondsOfSecond" => nanos,
        _ => return None,
    };
    Some(Value::Int(number))
}

fn wide(number: i128) -> Value {
    i64::try_from(number).map_or(Value::Null, Value::Int)
}
