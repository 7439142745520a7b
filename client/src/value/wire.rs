//! Values of the protocol and ours. No other file of this crate knows the protocol's.

use super::to_value;
use super::{
    Bytes, Date, DateTime, Duration, LocalDateTime, LocalTime, Node, Path, Relationship, Time,
    Value, Vector,
};
use crate::Error;
use serde::Serialize;
use std::collections::BTreeMap;
use stratigraph_proto::v1::{self, value::Kind};

/// The server sent a value that this client does not know, or the caller one that does not go in.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct WireError(pub(crate) &'static str);

/// A value that was received. It nests no deeper than prost decodes.
pub(crate) fn from_wire(sent: v1::Value) -> Result<Value, WireError> {
    let kind = sent.kind.ok_or(WireError(
        "a value of a kind that is newer than this client",
    ))?;
    Ok(match kind {
        Kind::NullValue(v1::Null {}) => Value::Null,
        Kind::BoolValue(value) => Value::Bool(value),
        Kind::IntValue(value) => Value::Int(value),
        Kind::DoubleValue(value) => Value::Float(value),
        Kind::StringValue(value) => Value::String(value),
        Kind::BytesValue(value) => Value::Bytes(Bytes(value)),
        Kind::ListValue(list) => Value::List(
            list.values
                .into_iter()
                .map(from_wire)
                .collect::<Result<_, _>>()?,
        ),
        Kind::MapValue(map) => Value::Map(map_from_wire(map.entries)?),
        Kind::VectorValue(vector) => Value::Vector(Vector(vector.components)),
        Kind::DateValue(v1::Date { epoch_days }) => Value::Date(Date { epoch_days }),
        Kind::TimeValue(time) => Value::Time(Time {
            nanos_of_day: time.nanos_of_day,
            offset_seconds: time.offset_seconds,
        }),
        Kind::LocalTimeValue(v1::LocalTime { nanos_of_day }) => {
            Value::LocalTime(LocalTime { nanos_of_day })
        }
        Kind::DateTimeValue(moment) => Value::DateTime(DateTime {
            epoch_seconds: moment.epoch_seconds,
            nanoseconds: moment.nanoseconds,
            offset_seconds: moment.offset_seconds,
            zone: moment.zone,
        }),
        Kind::LocalDateTimeValue(moment) => Value::LocalDateTime(LocalDateTime {
            epoch_seconds: moment.epoch_seconds,
            nanoseconds: moment.nanoseconds,
        }),
        Kind::DurationValue(length) => Value::Duration(Duration {
            months: length.months,
            days: length.days,
            seconds: length.seconds,
            nanoseconds: length.nanoseconds,
        }),
        Kind::NodeValue(value) => Value::Node(node(value)?),
        Kind::RelationshipValue(value) => Value::Relationship(relationship(value)?),
        Kind::PathValue(path) => Value::Path(Path {
            nodes: path.nodes.into_iter().map(node).collect::<Result<_, _>>()?,
            relationships: path
                .relationships
                .into_iter()
                .map(relationship)
                .collect::<Result<_, _>>()?,
        }),
    })
}

/// Values under names that were received.
pub(crate) fn map_from_wire(
    sent: BTreeMap<String, v1::Value>,
) -> Result<BTreeMap<String, Value>, WireError> {
    sent.into_iter()
        .map(|(name, value)| Ok((name, from_wire(value)?)))
        .collect()
}

fn node(sent: v1::Node) -> Result<Node, WireError> {
    Ok(Node {
        id: sent.id,
        labels: sent.labels,
        properties: map_from_wire(sent.properties)?,
    })
}

fn relationship(sent: v1::Relationship) -> Result<Relationship, WireError> {
    Ok(Relationship {
        id: sent.id,
        relationship_type: sent.r#type,
        source_id: sent.source_id,
        target_id: sent.target_id,
        properties: map_from_wire(sent.properties)?,
    })
}

/// A value to be sent.
pub(crate) fn to_wire(value: Value) -> Result<v1::Value, WireError> {
    let kind = match value {
        Value::Null => Kind::NullValue(v1::Null {}),
        Value::Bool(value) => Kind::BoolValue(value),
        Value::Int(value) => Kind::IntValue(value),
        Value::Float(value) => Kind::DoubleValue(value),
        Value::String(value) => Kind::StringValue(value),
        Value::Bytes(Bytes(value)) => Kind::BytesValue(value),
        Value::List(values) => Kind::ListValue(v1::ListValue {
            values: values.into_iter().map(to_wire).collect::<Result<_, _>>()?,
        }),
        Value::Map(entries) => Kind::MapValue(v1::MapValue {
            entries: map_to_wire(entries)?,
        }),
        Value::Vector(vector) => Kind::VectorValue(vector_to_wire(vector)),
        Value::Date(Date { epoch_days }) => Kind::DateValue(v1::Date { epoch_days }),
        Value::Time(time) => Kind::TimeValue(v1::Time {
            nanos_of_day: time.nanos_of_day,
            offset_seconds: time.offset_seconds,
        }),
        Value::LocalTime(LocalTime { nanos_of_day }) => {
            Kind::LocalTimeValue(v1::LocalTime { nanos_of_day })
        }
        Value::DateTime(moment) => Kind::DateTimeValue(v1::DateTime {
            epoch_seconds: moment.epoch_seconds,
            nanoseconds: moment.nanoseconds,
            offset_seconds: moment.offset_seconds,
            zone: moment.zone,
        }),
        Value::LocalDateTime(moment) => Kind::LocalDateTimeValue(v1::LocalDateTime {
            epoch_seconds: moment.epoch_seconds,
            nanoseconds: moment.nanoseconds,
        }),
        Value::Duration(length) => Kind::DurationValue(v1::Duration {
            months: length.months,
            days: length.days,
            seconds: length.seconds,
            nanoseconds: length.nanoseconds,
        }),
        Value::Node(_) | Value::Relationship(_) | Value::Path(_) => {
            return Err(WireError(
                "nodes, relationships and paths come out and do not go in: send their ids",
            ));
        }
    };
    Ok(kind.into())
}

/// Values under names to be sent.
pub(crate) fn map_to_wire(
    values: BTreeMap<String, Value>,
) -> Result<BTreeMap<String, v1::Value>, WireError> {
    values
        .into_iter()
        .map(|(name, value)| Ok((name, to_wire(value)?)))
        .collect()
}

/// One value under its name, as somebody gives it, to be sent.
pub(crate) fn entry_to_wire(
    name: String,
    value: &impl Serialize,
) -> Result<(String, v1::Value), Error> {
    let sent = to_value(value).map_err(|error| error.to_string());
    let sent = sent.and_then(|value| to_wire(value).map_err(|error| error.to_string()));
    match sent {
        Ok(value) => Ok((name, value)),
        Err(problem) => Err(Error::Parameter { name, problem }),
    }
}

/// A vector to be sent.
pub(crate) fn vector_to_wire(vector: Vector) -> v1::Vector {
    v1::Vector {
        components: vector.0,
    }
}
