//! `date(...)` and its kin: from text, from components, from another value; and without an argument, now.
//!
//! Next: `now.rs`.

use super::super::{Argument, Function, Nulls};
use super::{Lasts, argument, now};
use crate::query::error::Fault;
use crate::query::temporal::amount::{ATTO, Amount, Ratio};
use crate::query::temporal::build::{self, CLOCK, DAY};
use crate::query::temporal::fields::{Fields, wrong_type};
use crate::query::temporal::zones::Place;
use crate::query::temporal::{meaningless, text, too_long};
use crate::query::types::Types;
use crate::value::{DateTime, Duration, LocalDateTime, LocalTime, Time, UtcOffset, Value};

const DATED: Types = Types::DATE.or(Types::DATE_TIME).or(Types::LOCAL_DATE_TIME);
const TIMED: Types = Types::TIME
    .or(Types::LOCAL_TIME)
    .or(Types::DATE_TIME)
    .or(Types::LOCAL_DATE_TIME);
const DESCRIBED: Types = Types::STRING.or(Types::MAP);

const DATE: &[Argument] = &[argument("input", DESCRIBED.or(DATED))];
const TIME: &[Argument] = &[argument("input", DESCRIBED.or(TIMED))];
const MOMENT: &[Argument] = &[argument("input", DESCRIBED.or(DATED))];
const DURATION: &[Argument] = &[argument("input", DESCRIBED.or(Types::DURATION))];

pub(super) static FUNCTIONS: &[Function] = &[
    Function {
        name: "date",
        takes: DATE,
        required: 0,
        variadic: false,
        gives: Types::DATE,
        nulls: Nulls::GiveNull,
        lasts: Lasts::Query,
        run: |call, arguments| match arguments {
            [Value::String(text)] => text::date(text).map(Value::Date),
            [Value::Map(map)] if !tells_only_zone(map) => {
                let fields = Fields::new(map, &[DAY, &["date"]])?;
                build::date_value(fields).map(Value::Date)
            }
            [value @ (Value::Date(_) | Value::DateTime(_) | Value::LocalDateTime(_))] => {
                now::as_date(value)
            }
            _ => now::shown(call.moments.statement, arguments)
                .map(|now| Value::Date(now.local().date())),
        },
        about: "A day: from text, from components, of another value, or today.",
        example: ("date({year: 1984, week: 10, dayOfWeek: 3})", "1984-03-07"),
    },
    Function {
        name: "localtime",
        takes: TIME,
        required: 0,
        variadic: false,
        gives: Types::LOCAL_TIME,
        nulls: Nulls::GiveNull,
        lasts: Lasts::Query,
        run: |call, arguments| match arguments {
            [Value::String(text)] => text::local_time(text).map(Value::LocalTime),
            [Value::Map(map)] if !tells_only_zone(map) => {
                let fields = Fields::new(map, &[CLOCK, &["time"]])?;
                build::local_time_value(fields).map(Value::LocalTime)
            }
            [Value::LocalTime(time)] => Ok(Value::LocalTime(*time)),
            [Value::Time(time)] => Ok(Value::LocalTime(time.local())),
            [Value::LocalDateTime(local)] => Ok(Value::LocalTime(local.time())),
            [Value::DateTime(moment)] => Ok(Value::LocalTime(moment.local().time())),
            _ => now::shown(call.moments.statement, arguments)
                .map(|now| Value::LocalTime(now.local().time())),
        },
        about: "A time of day: from text, from components, of another value, or now.",
        example: ("localtime('214032.142')", "21:40:32.142"),
    },
    Function {
        name: "time",
        takes: TIME,
        required: 0,
        variadic: false,
        gives: Types::TIME,
        nulls: Nulls::GiveNull,
        lasts: Lasts::Query,
        run: |call, arguments| match arguments {
            [Value::String(text)] => text::time(text).map(Value::Time),
            [Value::Map(map)] if !tells_only_zone(map) => {
                let fields = Fields::new(map, &[CLOCK, &["time", "timezone"]])?;
                build::time_value(fields, call.moments.statement).map(Value::Time)
            }
            [Value::Time(time)] => Ok(Value::Time(*time)),
            [Value::LocalTime(time)] => Ok(in_utc(*time)),
            [Value::LocalDateTime(local)] => Ok(in_utc(local.time())),
            [Value::DateTime(moment)] => Ok(now::as_time(moment)),
            _ => now::shown(call.moments.statement, arguments).map(|now| now::as_time(&now)),
        },
        about: "A time of day with an offset from UTC: from text, from components, of another value, or now.",
        example: (
            "time({hour: 12, minute: 31, timezone: '+01:00'})",
            "12:31+01:00",
        ),
    },
    Function {
        name: "localdatetime",
        takes: MOMENT,
        required: 0,
        variadic: false,
        gives: Types::LOCAL_DATE_TIME,
        nulls: Nulls::GiveNull,
        lasts: Lasts::Query,
        run: |call, arguments| match arguments {
            [Value::String(text)] => text::local_date_time(text).map(Value::LocalDateTime),
            [Value::Map(map)] if !tells_only_zone(map) => {
                let fields = Fields::new(map, &[DAY, CLOCK, &["date", "time", "datetime"]])?;
                build::local_date_time_value(fields).map(Value::LocalDateTime)
            }
            [Value::LocalDateTime(local)] => Ok(Value::LocalDateTime(*local)),
            [Value::DateTime(moment)] => Ok(Value::LocalDateTime(moment.local())),
            [Value::Date(date)] => Ok(Value::LocalDateTime(LocalDateTime::new(
                *date,
                LocalTime::MIDNIGHT,
            ))),
            _ => now::shown(call.moments.statement, arguments)
                .map(|now| Value::LocalDateTime(now.local())),
        },
        about: "A day and a time of day: from text, from components, of another value, or now.",
        example: ("localdatetime('2015202T21')", "2015-07-21T21:00"),
    },
    Function {
        name: "datetime",
        takes: MOMENT,
        required: 0,
        variadic: false,
        gives: Types::DATE_TIME,
        nulls: Nulls::GiveNull,
        lasts: Lasts::Query,
        run: |call, arguments| match arguments {
            [Value::String(text)] => text::date_time(text).map(Value::DateTime),
            [Value::Map(map)] if !tells_only_zone(map) => {
                const OTHER: &[&str] = &[
                    "date",
                    "time",
                    "datetime",
                    "timezone",
                    "epochSeconds",
                    "epochMillis",
                ];
                let fields = Fields::new(map, &[DAY, CLOCK, OTHER])?;
                build::date_time_value(fields).map(Value::DateTime)
            }
            [Value::DateTime(moment)] => Ok(Value::DateTime(moment.clone())),
            [Value::LocalDateTime(local)] => Ok(moment_in_utc(*local)),
            [Value::Date(date)] => Ok(moment_in_utc(LocalDateTime::new(
                *date,
                LocalTime::MIDNIGHT,
            ))),
            _ => now::shown(call.moments.statement, arguments).map(Value::DateTime),
        },
        about: "A moment, at an offset or in a time zone: from text, from components, of another value, or now.",
        example: (
            "datetime({year: 1984, month: 10, day: 11, timezone: 'Europe/Stockholm'})",
            "1984-10-11T00:00+01:00[Europe/Stockholm]",
        ),
    },
    Function {
        name: "datetime.fromepoch",
        takes: &[
            argument("seconds", Types::NUMBER),
            argument("nanoseconds", Types::NUMBER),
        ],
        required: 2,
        variadic: false,
        gives: Types::DATE_TIME,
        nulls: Nulls::GiveNull,
        lasts: Lasts::Always,
        run: |_, arguments| {
            let (second, nanos) = (whole(&arguments[0])?, whole(&arguments[1])?);
            // More nanoseconds than a second has are more seconds.
            let second = second.saturating_add(nanos.div_euclid(1_000_000_000));
            // The remainder is below 10^9.
            let nanos = nanos.rem_euclid(1_000_000_000).cast_unsigned() as u32;
            Place::UTC.at_instant(second, nanos).map(Value::DateTime)
        },
        about: "The moment that many seconds and nanoseconds after 1970 began in UTC.",
        example: (
            "datetime.fromepoch(416779, 999999999)",
            "1970-01-05T19:46:19.999999999Z",
        ),
    },
    Function {
        name: "datetime.fromepochmillis",
        takes: &[argument("milliseconds", Types::NUMBER)],
        required: 1,
        variadic: false,
        gives: Types::DATE_TIME,
        nulls: Nulls::GiveNull,
        lasts: Lasts::Always,
        run: |_, arguments| {
            let millis = whole(&arguments[0])?;
            // Below 10^9.
            let nanos = (millis.rem_euclid(1_000) * 1_000_000).cast_unsigned() as u32;
            Place::UTC
                .at_instant(millis.div_euclid(1_000), nanos)
                .map(Value::DateTime)
        },
        about: "The moment that many milliseconds after 1970 began in UTC.",
        example: (
            "datetime.fromepochmillis(237821673987)",
            "1977-07-15T13:34:33.987Z",
        ),
    },
    Function {
        name: "duration",
        takes: DURATION,
        required: 1,
        variadic: false,
        gives: Types::DURATION,
        nulls: Nulls::GiveNull,
        lasts: Lasts::Always,
        run: |_, arguments| match arguments {
            [Value::String(text)] => text::duration(text).map(Value::Duration),
            [Value::Map(map)] => duration_of(Fields::new(map, &[UNIT_NAMES])?).map(Value::Duration),
            [Value::Duration(duration)] => Ok(Value::Duration(duration.clone())),
            _ => Err(meaningless("a duration is made of a text or of a map")),
        },
        about: "A duration: from text, or from numbers of units, which may have fractions.",
        example: ("duration({days: 1.5, minutes: 90})", "P1DT13H30M"),
    },
];

/// Whether a map only says where, which asks for now.
fn tells_only_zone(map: &std::collections::BTreeMap<std::sync::Arc<str>, Value>) -> bool {
    map.len() == 1 && map.contains_key("timezone")
}

fn in_utc(time: LocalTime) -> Value {
    Value::Time(Time::new(time, UtcOffset::UTC))
}

fn moment_in_utc(local: LocalDateTime) -> Value {
    Value::DateTime(DateTime::new(local, UtcOffset::UTC, None))
}

/// A whole number; a float is cut off towards zero.
fn whole(value: &Value) -> Result<i64, Fault> {
    match value {
        Value::Int(number) => Ok(*number),
        // A float that no integer reaches becomes the last one, which no calendar holds.
        Value::Float(number) if number.is_finite() => Ok(*number as i64),
        other => Err(wrong_type("the number", "a number", other)),
    }
}

const UNIT_NAMES: &[&str] = &[
    "years",
    "quarters",
    "months",
    "weeks",
    "days",
    "hours",
    "minutes",
    "seconds",
    "milliseconds",
    "microseconds",
    "nanoseconds",
];

type Add = fn(&mut Amount, i128) -> Option<()>;

/// Each unit of a duration: how many of a larger one it is, or which part of one, and how that is added.
const UNITS: &[(&str, i128, i128, Add)] = &[
    ("years", 12, 1, Amount::add_months),
    ("quarters", 3, 1, Amount::add_months),
    ("months", 1, 1, Amount::add_months),
    ("weeks", 7, 1, Amount::add_days),
    ("days", 1, 1, Amount::add_days),
    ("hours", 3_600, 1, Amount::add_seconds),
    ("minutes", 60, 1, Amount::add_seconds),
    ("seconds", 1, 1, Amount::add_seconds),
    ("milliseconds", 1, 1_000, Amount::add_seconds),
    ("microseconds", 1, 1_000_000, Amount::add_seconds),
    ("nanoseconds", 1, 1_000_000_000, Amount::add_seconds),
];

fn duration_of(fields: Fields<'_>) -> Result<Duration, Fault> {
    if fields.len() == 0 {
        return Err(meaningless("a duration needs at least one unit"));
    }
    let mut amount = Amount::default();
    for (name, times, parts, add) in UNITS {
        let count = match fields.value(name) {
            None => continue,
            Some(Value::Int(number)) => Some(i128::from(*number) * ATTO),
            Some(Value::Float(number)) => Ratio::decimal(*number).and_then(Ratio::attos),
            Some(other) => return Err(wrong_type(name, "a number", other)),
        };
        let add_it = count
            .and_then(|count| count.checked_mul(*times))
            .and_then(|count| add(&mut amount, count / parts));
        add_it.ok_or_else(too_long)?;
    }
    amount.duration()
}
