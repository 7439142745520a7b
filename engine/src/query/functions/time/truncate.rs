//! `date.truncate(unit, value, components)` and its kin.
//!
//! The value is cut off at the unit, which leaves its zone as it is, and then the components are set; a
//! `timezone` among them does not move what clocks show.
//!
//! Next: `between.rs`.

use super::super::{Argument, Call, Function, Nulls};
use super::{Lasts, argument, now};
use crate::query::error::Fault;
use crate::query::temporal::build::{self, CLOCK, DAY, SUBSECOND};
use crate::query::temporal::fields::Fields;
use crate::query::temporal::meaningless;
use crate::query::temporal::parts::Parts;
use crate::query::temporal::truncate::Unit;
use crate::query::temporal::zones::Place;
use crate::query::types::Types;
use crate::value::{Date, LocalDateTime, LocalTime, Time, UtcOffset, Value};
use std::collections::BTreeMap;
use std::ops::RangeBounds;
use std::sync::Arc;

const TAKES: &[Argument] = &[
    argument("unit", Types::STRING),
    argument("input", Types::INSTANT),
    argument("fields", Types::MAP),
];

macro_rules! truncate {
    ($($name:literal, $types:expr, $run:expr, $example:expr;)+) => {
        &[$(Function {
            name: $name,
            takes: TAKES,
            required: 1,
            variadic: false,
            gives: $types,
            nulls: Nulls::GiveNull,
            lasts: Lasts::Query,
            run: $run,
            about: "A value cut off at a unit, from `millennium` to `microsecond`, with components set after that.",
            example: $example,
        },)+]
    };
}

pub(super) static FUNCTIONS: &[Function] = truncate! {
    "date.truncate", Types::DATE, date,
        ("date.truncate('week', date('1984-10-11'), {dayOfWeek: 2})", "1984-10-09");
    "localtime.truncate", Types::LOCAL_TIME, local_time,
        ("localtime.truncate('hour', localtime('12:31:14'))", "12:00");
    "time.truncate", Types::TIME, time,
        ("time.truncate('minute', time('12:31:14+01:00'))", "12:31+01:00");
    "localdatetime.truncate", Types::LOCAL_DATE_TIME, local_date_time,
        ("localdatetime.truncate('day', localdatetime('1984-10-11T12:31'))", "1984-10-11T00:00");
    "datetime.truncate", Types::DATE_TIME, date_time,
        ("datetime.truncate('year', datetime('1984-10-11T12:31Z'), {day: 2})", "1984-01-02T00:00Z");
};

/// A value that is cut off, and what is to be set.
struct Cut {
    unit: Unit,
    date: Option<Date>,
    time: LocalTime,
    place: Option<(Place, UtcOffset)>,
    map: Arc<BTreeMap<Arc<str>, Value>>,
}

impl Cut {
    fn new(call: &Call<'_>, arguments: &[Value]) -> Result<Self, Fault> {
        let Some(Value::String(unit)) = arguments.first() else {
            return Err(meaningless("a unit is named by a string"));
        };
        let unit = Unit::named(unit)?;
        let parts = match arguments.get(1) {
            Some(value) => Parts::of(value),
            None => Parts::of(&Value::DateTime(now::shown(call.moments.statement, &[])?)),
        };
        let parts = parts.ok_or_else(|| meaningless("a duration cannot be cut off"))?;
        let mut map = match arguments.get(2) {
            Some(Value::Map(map)) => Arc::clone(map),
            _ => Arc::default(),
        };
        let time = unit.first_time(parts.time.unwrap_or(LocalTime::MIDNIGHT))?;
        // Smaller parts of a second are set on top of what is left of it.
        let left = match unit {
            Unit::Millisecond => Some(("millisecond", time.nanosecond() / 1_000_000)),
            Unit::Microsecond => Some(("microsecond", time.nanosecond() / 1_000)),
            _ => None,
        };
        if let Some((name, count)) = left
            && SUBSECOND.iter().any(|name| map.contains_key(*name))
            && !map.contains_key("millisecond")
        {
            let map = Arc::make_mut(&mut map);
            map.entry(name.into()).or_insert_with(|| Value::from(count));
        }
        let date = parts.date.map(|date| unit.first_day(date)).transpose()?;
        Ok(Self {
            unit,
            date,
            time,
            place: parts.place,
            map,
        })
    }

    /// The day, with those components set that tell a day.
    fn date(&self, fields: Fields<'_>) -> Result<Date, Fault> {
        let date = self
            .date
            .ok_or_else(|| meaningless("there is no day in the value"))?;
        build::date(fields, Some(date))
    }

    fn time(&self, fields: Fields<'_>) -> Result<LocalTime, Fault> {
        build::clock(fields, Some(self.time))
    }

    /// Refuses units that a type has not.
    fn only(&self, what: &str, units: impl RangeBounds<Unit>) -> Result<(), Fault> {
        if units.contains(&self.unit) {
            return Ok(());
        }
        Err(meaningless(format!(
            "{what} has no `{}` to be cut off at",
            self.unit.name()
        )))
    }
}

fn date(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let cut = Cut::new(call, arguments)?;
    cut.only("a date", Unit::Day..)?;
    cut.date(Fields::new(&cut.map, &[DAY])?).map(Value::Date)
}

fn local_time(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let cut = Cut::new(call, arguments)?;
    cut.only("a time of day", ..=Unit::Day)?;
    cut.time(Fields::new(&cut.map, &[CLOCK])?)
        .map(Value::LocalTime)
}

fn time(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let cut = Cut::new(call, arguments)?;
    cut.only("a time of day", ..=Unit::Day)?;
    let fields = Fields::new(&cut.map, &[CLOCK, &["timezone"]])?;
    let local = cut.time(fields)?;
    let had = cut
        .place
        .as_ref()
        .map_or(UtcOffset::UTC, |(_, offset)| *offset);
    let offset = match (fields.place()?, cut.date) {
        (None, _) => had,
        // On a day, a zone has the offset of that day.
        (Some(place), Some(date)) => place
            .at_local(LocalDateTime::new(date, local), None)?
            .offset(),
        (Some(place), None) => place.offset_at(call.moments.statement.second),
    };
    Ok(Value::Time(Time::new(local, offset)))
}

fn local_date_time(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let cut = Cut::new(call, arguments)?;
    let fields = Fields::new(&cut.map, &[DAY, CLOCK])?;
    Ok(Value::LocalDateTime(LocalDateTime::new(
        cut.date(fields)?,
        cut.time(fields)?,
    )))
}

fn date_time(call: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let cut = Cut::new(call, arguments)?;
    let fields = Fields::new(&cut.map, &[DAY, CLOCK, &["timezone"]])?;
    let local = LocalDateTime::new(cut.date(fields)?, cut.time(fields)?);
    let moment = match (fields.place()?, &cut.place) {
        (Some(place), _) => place.at_local(local, None)?,
        (None, Some((place, offset))) => place.at_local(local, Some(*offset))?,
        (None, None) => Place::UTC.at_local(local, None)?,
    };
    Ok(Value::DateTime(moment))
}
