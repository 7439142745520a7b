//! The present: `date.transaction`, `date.statement` and `date.realtime`, each with an optional time zone.
//!
//! Next: `truncate.rs`.

use super::super::{Argument, Call, Function, Moment, Nulls};
use super::{Lasts, argument};
use crate::query::error::Fault;
use crate::query::temporal::meaningless;
use crate::query::temporal::zones::Place;
use crate::query::types::Types;
use crate::value::{DateTime, Time, Value};

const ZONE: &[Argument] = &[argument("timezone", Types::STRING.or(Types::MAP))];

type Run = fn(&Call<'_>, &[Value]) -> Result<Value, Fault>;

const fn present(
    name: &'static str,
    gives: Types,
    lasts: Lasts,
    run: Run,
    about: &'static str,
) -> Function {
    Function {
        name,
        takes: ZONE,
        required: 0,
        variadic: false,
        gives,
        nulls: Nulls::GiveNull,
        lasts,
        run,
        about,
        example: ("", ""),
    }
}

/// The three present moments of each type.
macro_rules! present {
    ($($prefix:literal, $types:expr, $shown:expr;)+) => {
        &[$(
            present(
                concat!($prefix, ".transaction"), $types, Lasts::Query,
                |call, arguments| shown(call.moments.transaction, arguments).map($shown),
                "Now, which is the same for all statements of a transaction.",
            ),
            present(
                concat!($prefix, ".statement"), $types, Lasts::Query,
                |call, arguments| shown(call.moments.statement, arguments).map($shown),
                "Now, which is the same throughout a statement.",
            ),
            present(
                concat!($prefix, ".realtime"), $types, Lasts::Never,
                |call, arguments| shown((call.moments.real)(), arguments).map($shown),
                "Now, at each call anew.",
            ),
        )+]
    };
}

pub(super) static FUNCTIONS: &[Function] = present! {
    "date", Types::DATE, |now| Value::Date(now.local().date());
    "localtime", Types::LOCAL_TIME, |now| Value::LocalTime(now.local().time());
    "time", Types::TIME, |now| as_time(&now);
    "localdatetime", Types::LOCAL_DATE_TIME, |now| Value::LocalDateTime(now.local());
    "datetime", Types::DATE_TIME, Value::DateTime;
};

/// A moment at the place that the argument names, which is UTC if there is none.
pub(super) fn shown(moment: Moment, arguments: &[Value]) -> Result<DateTime, Fault> {
    let place = match arguments.first() {
        None => Place::UTC,
        Some(Value::String(name)) => Place::parse(name)?,
        Some(Value::Map(map)) => match map.get("timezone") {
            Some(Value::String(name)) if map.len() == 1 => Place::parse(name)?,
            _ => return Err(meaningless("a map can only name a `timezone` here")),
        },
        Some(_) => return Err(meaningless("a time zone is named by a string")),
    };
    place.at_instant(moment.second, moment.nanosecond)
}

pub(super) fn as_time(moment: &DateTime) -> Value {
    Value::Time(Time::new(moment.local().time(), moment.offset()))
}

/// The day of a value that has one.
pub(super) fn as_date(value: &Value) -> Result<Value, Fault> {
    match value {
        Value::Date(date) => Ok(Value::Date(*date)),
        Value::LocalDateTime(local) => Ok(Value::Date(local.date())),
        Value::DateTime(moment) => Ok(Value::Date(moment.local().date())),
        _ => Err(meaningless("a value without a day")),
    }
}
