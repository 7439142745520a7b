//! From the protocol's values to the engine's.

use super::MAX_DEPTH;
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::sync::Arc;
use stratigraph::Parameters;
use stratigraph::value::{
    Date, DateTime, Duration, LocalDateTime, LocalTime, Time, UtcOffset, Value, Vector, ZoneName,
};
use stratigraph_proto::v1::{self, value::Kind};

/// The parameters of a statement.
pub(crate) fn parameters(sent: BTreeMap<String, v1::Value>) -> Result<Parameters, Failure> {
    let mut parameters = Parameters::new();
    for (name, sent) in sent {
        let place = || format!("parameters[{name}]");
        let value = read(sent, MAX_DEPTH).map_err(|problem| Failure::request(place(), problem))?;
        parameters.insert(name, value);
    }
    Ok(parameters)
}

/// A value at some place of a request.
pub(crate) fn value(sent: v1::Value, place: &str) -> Result<Value, Failure> {
    read(sent, MAX_DEPTH).map_err(|problem| Failure::request(place, problem))
}

/// A vector at some place of a request.
pub(crate) fn vector(sent: Option<v1::Vector>, place: &str) -> Result<Vector, Failure> {
    let sent = sent.ok_or_else(|| Failure::request(place, "a vector is needed"))?;
    Vector::new(sent.components).map_err(|error| Failure::request(place, error.to_string()))
}

/// A value that nests at most `depth` deep.
fn read(sent: v1::Value, depth: usize) -> Result<Value, String> {
    let kind = sent
        .kind
        .ok_or("a value without a kind: this server may be too old for it; null is `null_value`")?;
    let value = match kind {
        Kind::NullValue(v1::Null {}) => Value::Null,
        Kind::BoolValue(value) => Value::Bool(value),
        Kind::IntValue(value) => Value::Int(value),
        Kind::DoubleValue(value) => Value::Float(value),
        Kind::StringValue(value) => Value::String(value.into()),
        Kind::BytesValue(value) => Value::Bytes(value.into()),
        Kind::ListValue(list) => {
            let inside = deeper(depth)?;
            let values = list.values.into_iter().map(|value| read(value, inside));
            Value::List(values.collect::<Result<_, _>>()?)
        }
        Kind::MapValue(map) => {
            let inside = deeper(depth)?;
            let entries = map.entries.into_iter();
            let entries = entries.map(|(name, value)| Ok((Arc::from(name), read(value, inside)?)));
            Value::Map(Arc::new(entries.collect::<Result<_, String>>()?))
        }
        Kind::VectorValue(vector) => Value::Vector(Vector::new(vector.components).map_err(said)?),
        temporal => time(temporal)?,
    };
    Ok(value)
}

fn time(kind: Kind) -> Result<Value, String> {
    let value = match kind {
        Kind::DateValue(date) => Value::Date(Date::from_epoch_day(date.epoch_days).map_err(said)?),
        Kind::TimeValue(time) => {
            let local = LocalTime::from_nanos_of_day(time.nanos_of_day).map_err(said)?;
            Value::Time(Time::new(local, offset(time.offset_seconds)?))
        }
        Kind::LocalTimeValue(time) => {
            Value::LocalTime(LocalTime::from_nanos_of_day(time.nanos_of_day).map_err(said)?)
        }
        Kind::DateTimeValue(moment) => {
            let zone = (!moment.zone.is_empty()).then(|| ZoneName::new(&moment.zone));
            let zone = zone.transpose().map_err(said)?;
            let offset = offset(moment.offset_seconds)?;
            let (second, nanosecond) = (moment.epoch_seconds, moment.nanoseconds);
            Value::DateTime(DateTime::from_epoch(second, nanosecond, offset, zone).map_err(said)?)
        }
        Kind::LocalDateTimeValue(moment) => {
            let (second, nanosecond) = (moment.epoch_seconds, moment.nanoseconds);
            Value::LocalDateTime(LocalDateTime::from_epoch(second, nanosecond).map_err(said)?)
        }
        Kind::DurationValue(length) => {
            let v1::Duration {
                months,
                days,
                seconds,
                nanoseconds,
            } = length;
            Value::Duration(Duration::new(months, days, seconds, nanoseconds).map_err(said)?)
        }
        // Nodes, relationships and paths: what they hold may be old by now. Statements take ids.
        _ => {
            return Err(
                "nodes, relationships and paths come out and do not go in: send their ids"
                    .to_owned(),
            );
        }
    };
    Ok(value)
}

fn deeper(depth: usize) -> Result<usize, String> {
    let inside = depth.checked_sub(1);
    inside.ok_or_else(|| format!("lists and maps nest at most {MAX_DEPTH} deep in a request"))
}

fn offset(seconds: i32) -> Result<UtcOffset, String> {
    UtcOffset::from_seconds(seconds).map_err(said)
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
