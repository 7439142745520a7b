//! The client's values and the engine's, in which this command prints.
//!
//! Next: `mod.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;
use stratigraph::value::{
    Date, DateTime, Duration, LocalDateTime, LocalTime, Time, UtcOffset, Vector, ZoneName,
};
use stratigraph::{NodeId, NodeValue, PathValue, RelationshipId, RelationshipValue, Value};
use stratigraph_client::value as client;

type Properties = BTreeMap<Arc<str>, Value>;

/// A value that was received. It nests no deeper than the client decodes.
///
/// # Errors
/// Nothing of the language is like it: the server is newer, or broken.
pub(super) fn received(value: client::Value) -> Result<Value, String> {
    Ok(match value {
        client::Value::Null => Value::Null,
        client::Value::Bool(value) => Value::Bool(value),
        client::Value::Int(value) => Value::Int(value),
        client::Value::Float(value) => Value::Float(value),
        client::Value::String(value) => Value::String(value.into()),
        client::Value::Bytes(client::Bytes(value)) => Value::Bytes(value.into()),
        client::Value::List(values) => {
            Value::List(values.into_iter().map(received).collect::<Result<_, _>>()?)
        }
        client::Value::Map(entries) => Value::Map(Arc::new(named(entries)?)),
        client::Value::Vector(client::Vector(numbers)) => {
            Value::Vector(Vector::new(numbers).map_err(said)?)
        }
        client::Value::Date(date) => {
            Value::Date(Date::from_epoch_day(date.epoch_days).map_err(said)?)
        }
        client::Value::Time(time) => Value::Time(Time::new(
            LocalTime::from_nanos_of_day(time.nanos_of_day).map_err(said)?,
            UtcOffset::from_seconds(time.offset_seconds).map_err(said)?,
        )),
        client::Value::LocalTime(time) => {
            Value::LocalTime(LocalTime::from_nanos_of_day(time.nanos_of_day).map_err(said)?)
        }
        client::Value::DateTime(moment) => {
            let zone = (!moment.zone.is_empty()).then(|| ZoneName::new(&moment.zone));
            let zone = zone.transpose().map_err(said)?;
            let offset = UtcOffset::from_seconds(moment.offset_seconds).map_err(said)?;
            let (second, nanosecond) = (moment.epoch_seconds, moment.nanoseconds);
            Value::DateTime(DateTime::from_epoch(second, nanosecond, offset, zone).map_err(said)?)
        }
        client::Value::LocalDateTime(moment) => {
            let (second, nanosecond) = (moment.epoch_seconds, moment.nanoseconds);
            Value::LocalDateTime(LocalDateTime::from_epoch(second, nanosecond).map_err(said)?)
        }
        client::Value::Duration(length) => {
            let (months, days) = (length.months, length.days);
            let length = Duration::new(months, days, length.seconds, length.nanoseconds);
            Value::Duration(length.map_err(said)?)
        }
        client::Value::Node(value) => Value::Node(node(value)?),
        client::Value::Relationship(value) => Value::Relationship(relationship(value)?),
        client::Value::Path(path) => {
            let nodes = path.nodes.into_iter().map(node).collect::<Result<_, _>>()?;
            let relationships = path.relationships.into_iter().map(relationship);
            let relationships = relationships.collect::<Result<_, _>>()?;
            let path = PathValue::new(nodes, relationships).ok_or("a path that is none")?;
            Value::Path(Arc::new(path))
        }
        _ => return Err("a kind of value that is newer than this command".to_owned()),
    })
}

fn node(value: client::Node) -> Result<NodeValue, String> {
    let labels = value.labels.into_iter().map(Arc::from).collect();
    let id = NodeId::new(value.id);
    Ok(NodeValue::new(id, labels, named(value.properties)?))
}

fn relationship(value: client::Relationship) -> Result<RelationshipValue, String> {
    let ends = (NodeId::new(value.source_id), NodeId::new(value.target_id));
    Ok(RelationshipValue::new(
        RelationshipId::new(value.id),
        value.relationship_type.into(),
        ends,
        named(value.properties)?,
    ))
}

fn named(entries: BTreeMap<String, client::Value>) -> Result<Properties, String> {
    let entries = entries.into_iter();
    entries
        .map(|(name, value)| Ok((Arc::from(name), received(value)?)))
        .collect()
}

/// A value to be sent as a parameter.
///
/// # Errors
/// It is a node, a relationship or a path: what they hold may be old by now.
pub(super) fn sent(value: &Value) -> Result<client::Value, String> {
    Ok(match value {
        Value::Null => client::Value::Null,
        Value::Bool(value) => client::Value::Bool(*value),
        Value::Int(value) => client::Value::Int(*value),
        Value::Float(value) => client::Value::Float(*value),
        Value::String(value) => client::Value::String(value.to_string()),
        Value::Bytes(value) => client::Value::Bytes(client::Bytes(value.to_vec())),
        Value::List(values) => {
            client::Value::List(values.iter().map(sent).collect::<Result<_, _>>()?)
        }
        Value::Map(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|(name, value)| Ok((name.to_string(), sent(value)?)));
            client::Value::Map(entries.collect::<Result<_, String>>()?)
        }
        Value::Vector(vector) => client::Value::Vector(client::Vector(vector.as_slice().to_vec())),
        Value::Date(date) => client::Value::Date(client::Date {
            epoch_days: date.epoch_day(),
        }),
        Value::Time(time) => client::Value::Time(client::Time {
            nanos_of_day: time.local().nanos_of_day(),
            offset_seconds: time.offset().seconds(),
        }),
        Value::LocalTime(time) => client::Value::LocalTime(client::LocalTime {
            nanos_of_day: time.nanos_of_day(),
        }),
        Value::DateTime(moment) => client::Value::DateTime(client::DateTime {
            epoch_seconds: moment.epoch_second(),
            nanoseconds: moment.nanosecond(),
            offset_seconds: moment.offset().seconds(),
            zone: moment
                .zone()
                .map_or_else(String::new, |zone| zone.as_str().to_owned()),
        }),
        Value::LocalDateTime(moment) => client::Value::LocalDateTime(client::LocalDateTime {
            epoch_seconds: moment.epoch_second(),
            nanoseconds: moment.nanosecond(),
        }),
        Value::Duration(length) => client::Value::Duration(client::Duration {
            months: length.months(),
            days: length.days(),
            seconds: length.seconds(),
            nanoseconds: length.nanoseconds(),
        }),
        _ => {
            return Err(
                "nodes, relationships and paths come from a server and do not go to it: send their ids"
                    .to_owned(),
            );
        }
    })
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stratigraph::Database;

    #[test]
    fn values_go_there_and_back() {
        let db = Database::in_memory().unwrap();
        for text in [
            "null",
            "true",
            "-7",
            "1.5",
            "'地 层'",
            "[1, [2, 'x'], {a: null}]",
            "{a: 1, `b c`: [2.5]}",
            "vector([1, 0.5])",
            "date('1984-10-11')",
            "time('12:31:14.645876123+01:00')",
            "localtime('12:31:14')",
            "datetime('2014-07-21T21:40:32.142+02:00[Europe/Rome]')",
            "datetime('2014-07-21T21:40:32Z')",
            "localdatetime('-0001-07-21T21:40:32')",
            "duration('P1Y2M3DT-0.5S')",
        ] {
            let mut rows = db.query(&format!("RETURN {text} AS v"), ()).unwrap();
            let value = rows.next().unwrap().unwrap().into_values().remove(0);
            let back = received(sent(&value).unwrap()).unwrap();
            assert_eq!(format!("{value:?}"), format!("{back:?}"), "{text}");
        }
        let mut rows = db.query("CREATE (n) RETURN [n] AS v", ()).unwrap();
        let value = rows.next().unwrap().unwrap().into_values().remove(0);
        assert!(sent(&value).unwrap_err().contains("send their ids"));
    }
}
