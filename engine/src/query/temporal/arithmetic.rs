//! `+`, `-`, `*` and `/` where a temporal value stands on a side.
//!
//! A duration is added in the order months, days, seconds. Months and days move the calendar and leave the
//! time of day, whatever clocks do in between; seconds are seconds that pass.
//!
//! Next: `truncate.rs`.

use super::amount::{Ratio, scaled};
use super::calendar::{plus_days, plus_months};
use super::zones::Place;
use super::{DAY_SECONDS, SECOND_NANOS, beyond, too_long};
use crate::query::error::{Detail, Fault, raise};
use crate::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time, Value};

type Outcome = Option<Result<Value, Fault>>;

/// `left + right`; none where neither is temporal.
pub(crate) fn add(left: &Value, right: &Value) -> Outcome {
    match (left, right) {
        (Value::Duration(one), Value::Duration(other)) => Some(sum(one, other)),
        (instant, Value::Duration(duration)) | (Value::Duration(duration), instant)
            if is_instant(instant) =>
        {
            Some(moved(instant, duration))
        }
        _ => otherwise('+', left, right),
    }
}

/// `left - right`; none where neither is temporal.
pub(crate) fn subtract(left: &Value, right: &Value) -> Outcome {
    match (left, right) {
        (Value::Duration(one), Value::Duration(other)) => {
            Some(negated(other).and_then(|other| sum(one, &other)))
        }
        (instant, Value::Duration(duration)) if is_instant(instant) => {
            Some(negated(duration).and_then(|duration| moved(instant, &duration)))
        }
        _ => otherwise('-', left, right),
    }
}

/// `left * right`; none where neither is temporal.
pub(crate) fn multiply(left: &Value, right: &Value) -> Outcome {
    let (duration, number) = match (left, right) {
        (Value::Duration(duration), number) | (number, Value::Duration(duration)) => {
            (duration, number)
        }
        _ => return otherwise('*', left, right),
    };
    match ratio(number) {
        Some(Ok(ratio)) => Some(scaled(duration, ratio).map(Value::Duration)),
        Some(Err(fault)) => Some(Err(fault)),
        None => otherwise('*', left, right),
    }
}

/// `left / right`; none where neither is temporal.
pub(crate) fn divide(left: &Value, right: &Value) -> Outcome {
    let Value::Duration(duration) = left else {
        return otherwise('/', left, right);
    };
    let ratio = match ratio(right) {
        Some(Ok(ratio)) => ratio,
        Some(Err(fault)) => return Some(Err(fault)),
        None => return otherwise('/', left, right),
    };
    let inverse = ratio.inverse().ok_or_else(|| {
        raise(
            Detail::DivisionByZero,
            "a duration cannot be divided by zero",
        )
    });
    Some(
        inverse
            .and_then(|inverse| scaled(duration, inverse))
            .map(Value::Duration),
    )
}

/// A number; none where it is none.
fn ratio(number: &Value) -> Option<Result<Ratio, Fault>> {
    match number {
        Value::Int(number) => Some(Ok(Ratio::whole(*number))),
        Value::Float(number) => Some(Ratio::decimal(*number).ok_or_else(|| {
            raise(
                Detail::NumberOutOfRange,
                format!("a duration cannot be {number} times as long"),
            )
        })),
        _ => None,
    }
}

/// What is left: null gives null, and two types that do not go together are an error. Texts and lists take
/// anything, and how they do so is not known here.
fn otherwise(operator: char, left: &Value, right: &Value) -> Outcome {
    let takes_all = |value: &Value| matches!(value, Value::List(_) | Value::String(_));
    if !is_temporal(left) && !is_temporal(right) || takes_all(left) || takes_all(right) {
        return None;
    }
    if left.is_null() || right.is_null() {
        return Some(Ok(Value::Null));
    }
    let message = format!(
        "`{operator}` does not go with {} and {}",
        left.kind(),
        right.kind()
    );
    Some(Err(raise(Detail::InvalidArgumentType, message)))
}

fn is_instant(value: &Value) -> bool {
    is_temporal(value) && !matches!(value, Value::Duration(_))
}

fn is_temporal(value: &Value) -> bool {
    matches!(
        value,
        Value::Date(_)
            | Value::Time(_)
            | Value::LocalTime(_)
            | Value::DateTime(_)
            | Value::LocalDateTime(_)
            | Value::Duration(_)
    )
}

fn sum(one: &Duration, other: &Duration) -> Result<Value, Fault> {
    let parts = (|| {
        let nanos = one.nanoseconds() + other.nanoseconds();
        let carried = i64::from(nanos) / SECOND_NANOS;
        Some((
            one.months().checked_add(other.months())?,
            one.days().checked_add(other.days())?,
            one.seconds()
                .checked_add(other.seconds())?
                .checked_add(carried)?,
            // Both are below 10^9.
            (i64::from(nanos) % SECOND_NANOS).cast_unsigned() as u32,
        ))
    })();
    let (months, days, seconds, nanos) = parts.ok_or_else(too_long)?;
    Duration::new(months, days, seconds, nanos)
        .map(Value::Duration)
        .map_err(beyond)
}

/// The duration backwards.
pub(crate) fn negated(duration: &Duration) -> Result<Duration, Fault> {
    let parts = (|| {
        let nanos = i64::from(duration.nanoseconds());
        let borrowed = i64::from(nanos != 0);
        Some((
            duration.months().checked_neg()?,
            duration.days().checked_neg()?,
            duration.seconds().checked_neg()?.checked_sub(borrowed)?,
            // Below 10^9.
            ((SECOND_NANOS - nanos) % SECOND_NANOS).cast_unsigned() as u32,
        ))
    })();
    let (months, days, seconds, nanos) = parts.ok_or_else(too_long)?;
    Duration::new(months, days, seconds, nanos).map_err(beyond)
}

/// A place in time, a duration later.
fn moved(instant: &Value, by: &Duration) -> Result<Value, Fault> {
    Ok(match instant {
        Value::Date(date) => {
            // A day cannot be half past: only whole days of the seconds count.
            let date = plus_calendar(*date, by)?;
            Value::Date(plus_days(date, whole_seconds(by) / DAY_SECONDS)?)
        }
        Value::LocalTime(time) => Value::LocalTime(around_the_clock(*time, by)?),
        Value::Time(time) => Value::Time(Time::new(
            around_the_clock(time.local(), by)?,
            time.offset(),
        )),
        Value::LocalDateTime(local) => Value::LocalDateTime(plus_local(*local, by)?),
        Value::DateTime(moment) => Value::DateTime(plus_moment(moment, by)?),
        _ => {
            return Err(raise(
                Detail::InvalidArgumentType,
                "nothing that time can be added to",
            ));
        }
    })
}

/// The seconds of a duration cut off towards zero.
fn whole_seconds(duration: &Duration) -> i64 {
    let seconds = duration.seconds();
    if seconds < 0 && duration.nanoseconds() > 0 {
        seconds + 1
    } else {
        seconds
    }
}

fn plus_calendar(date: Date, by: &Duration) -> Result<Date, Fault> {
    plus_days(plus_months(date, by.months())?, by.days())
}

fn around_the_clock(time: LocalTime, by: &Duration) -> Result<LocalTime, Fault> {
    let day = i128::from(DAY_SECONDS) * i128::from(SECOND_NANOS);
    let nanos = i128::from(time.nanos_of_day())
        + i128::from(by.seconds()) * i128::from(SECOND_NANOS)
        + i128::from(by.nanoseconds());
    // Below a day, which fits.
    LocalTime::from_nanos_of_day(nanos.rem_euclid(day).cast_unsigned() as u64).map_err(beyond)
}

/// A second and nanosecond, later by a duration's seconds.
fn plus_clock(second: i64, nanosecond: u32, by: &Duration) -> (i64, u32) {
    let nanos = i64::from(nanosecond) + i64::from(by.nanoseconds());
    // A saturated second lies far outside the calendar and is refused as such.
    let second = second
        .saturating_add(by.seconds())
        .saturating_add(nanos / SECOND_NANOS);
    (second, (nanos % SECOND_NANOS).cast_unsigned() as u32)
}

/// A local date-time, a duration later.
pub(crate) fn plus_local(local: LocalDateTime, by: &Duration) -> Result<LocalDateTime, Fault> {
    let local = LocalDateTime::new(plus_calendar(local.date(), by)?, local.time());
    let (second, nanosecond) = plus_clock(local.epoch_second(), local.nanosecond(), by);
    LocalDateTime::from_epoch(second, nanosecond).map_err(beyond)
}

/// A date-time, a duration later, in its zone.
fn plus_moment(moment: &DateTime, by: &Duration) -> Result<DateTime, Fault> {
    let place = Place::of(moment);
    let moment = if by.months() == 0 && by.days() == 0 {
        moment.clone()
    } else {
        let local = moment.local();
        let local = LocalDateTime::new(plus_calendar(local.date(), by)?, local.time());
        place.at_local(local, Some(moment.offset()))?
    };
    let (second, nanosecond) = plus_clock(moment.epoch_second(), moment.nanosecond(), by);
    place.at_instant(second, nanosecond)
}
