//! From the engine's values to the protocol's: what each kind of value is there.
//!
//! Rows do not go this way but for their rare values: see `written.rs`. `size.rs` says beforehand how much it will be.

use super::{MAX_DEPTH, deeper};
use crate::failure::Failure;
use std::collections::BTreeMap;
use stratigraph::value::Value;
use stratigraph::{NodeValue, PathValue, RelationshipValue};
use stratigraph_proto::v1::{self, value::Kind};

/// Values under names.
pub(crate) fn entries<'a>(
    entries: impl Iterator<Item = (&'a str, &'a Value)>,
) -> Result<BTreeMap<String, v1::Value>, Failure> {
    named(entries, MAX_DEPTH)
}

fn write(value: &Value, depth: usize) -> Result<v1::Value, Failure> {
    Ok(kind(value, depth)?.into())
}

/// A value as what it is in the protocol.
pub(super) fn kind(value: &Value, depth: usize) -> Result<Kind, Failure> {
    Ok(match value {
        Value::Null => Kind::NullValue(v1::Null {}),
        Value::Bool(value) => Kind::BoolValue(*value),
        Value::Int(value) => Kind::IntValue(*value),
        Value::Float(value) => Kind::DoubleValue(*value),
        Value::String(value) => Kind::StringValue(value.to_string()),
        Value::Bytes(value) => Kind::BytesValue(value.to_vec()),
        Value::List(elements) => {
            let inside = deeper(depth)?;
            let values = elements.iter().map(|value| write(value, inside));
            Kind::ListValue(v1::ListValue {
                values: values.collect::<Result<_, _>>()?,
            })
        }
        Value::Map(entries) => {
            let entries = entries.iter().map(|(name, value)| (&**name, value));
            Kind::MapValue(v1::MapValue {
                entries: named(entries, deeper(depth)?)?,
            })
        }
        Value::Vector(vector) => Kind::VectorValue(v1::Vector {
            components: vector.as_slice().to_vec(),
        }),
        Value::Node(value) => Kind::NodeValue(node(value, depth)?),
        Value::Relationship(value) => Kind::RelationshipValue(relationship(value, depth)?),
        Value::Path(value) => Kind::PathValue(path(value, depth)?),
        other => time(other)?,
    })
}

fn time(value: &Value) -> Result<Kind, Failure> {
    let kind = match value {
        Value::Date(date) => Kind::DateValue(v1::Date {
            epoch_days: date.epoch_day(),
        }),
        Value::Time(time) => Kind::TimeValue(v1::Time {
            nanos_of_day: time.local().nanos_of_day(),
            offset_seconds: time.offset().seconds(),
        }),
        Value::LocalTime(time) => Kind::LocalTimeValue(v1::LocalTime {
            nanos_of_day: time.nanos_of_day(),
        }),
        Value::DateTime(moment) => Kind::DateTimeValue(v1::DateTime {
            epoch_seconds: moment.epoch_second(),
            nanoseconds: moment.nanosecond(),
            offset_seconds: moment.offset().seconds(),
            zone: moment
                .zone()
                .map_or_else(String::new, |zone| zone.as_str().to_owned()),
        }),
        Value::LocalDateTime(moment) => Kind::LocalDateTimeValue(v1::LocalDateTime {
            epoch_seconds: moment.epoch_second(),
            nanoseconds: moment.nanosecond(),
        }),
        Value::Duration(length) => Kind::DurationValue(v1::Duration {
            months: length.months(),
            days: length.days(),
            seconds: length.seconds(),
            nanoseconds: length.nanoseconds(),
        }),
        _ => {
            return Err(Failure::Bug {
                what: "the protocol has no such kind of value",
            });
        }
    };
    Ok(kind)
}

fn node(value: &NodeValue, depth: usize) -> Result<v1::Node, Failure> {
    let labels: Vec<String> = value.labels().map(ToOwned::to_owned).collect();
    Ok(v1::Node {
        id: value.id().get(),
        labels,
        properties: named(value.properties(), deeper(depth)?)?,
    })
}

fn relationship(value: &RelationshipValue, depth: usize) -> Result<v1::Relationship, Failure> {
    let (source, target) = value.ends().ok_or(Failure::Bug {
        what: "a relationship came out of a query without its ends",
    })?;
    Ok(v1::Relationship {
        id: value.id().get(),
        r#type: value.relationship_type().to_owned(),
        source_id: source.get(),
        target_id: target.get(),
        properties: named(value.properties(), deeper(depth)?)?,
    })
}

fn path(value: &PathValue, depth: usize) -> Result<v1::Path, Failure> {
    let inside = deeper(depth)?;
    let nodes = value.nodes().iter().map(|one| node(one, inside));
    let nodes = nodes.collect::<Result<_, _>>()?;
    let relationships = value.relationships().iter();
    let relationships = relationships.map(|one| relationship(one, inside));
    Ok(v1::Path {
        nodes,
        relationships: relationships.collect::<Result<_, _>>()?,
    })
}

fn named<'a>(
    entries: impl Iterator<Item = (&'a str, &'a Value)>,
    depth: usize,
) -> Result<BTreeMap<String, v1::Value>, Failure> {
    let mut named = BTreeMap::new();
    for (name, value) in entries {
        named.insert(name.to_owned(), write(value, depth)?);
    }
    Ok(named)
}
