//! A value as the JSON that programs expect: what JSON has no word for is text.
//!
//! This is not the form of dumps, which gives every value back and names its kind for that.
//!
//! | value | JSON |
//! |---|---|
//! | null, boolean, string, list, map | the same |
//! | number | a number; `"NaN"`, `"Infinity"`, `"-Infinity"` |
//! | date, time, duration and their kin | their text: `"1984-10-11"` |
//! | bytes | lower-case hex: `"00ff"` |
//! | vector | a list of numbers |
//! | node | `{"id": 1, "labels": ["A"], "properties": {}}` |
//! | relationship | `{"id": 1, "type": "T", "start": 1, "end": 2, "properties": {}}` |
//! | path | `{"nodes": [], "relationships": []}` |
//!
//! Next: `csv.rs`.

use serde_json::{Map, Number, Value as Json, json};
use std::fmt::Write;
use std::sync::Arc;
use stratigraph::value::json::to_hex;
use stratigraph::{NodeValue, RelationshipValue, Value};

/// A row as one line: an object with a key for each column, in their order.
pub(super) fn row(columns: &[Arc<str>], values: &[Value]) -> String {
    let mut line = String::from("{");
    for (at, (column, value)) in columns.iter().zip(values).enumerate() {
        let separator = if at == 0 { "" } else { "," };
        let name = Json::from(&**column);
        // Writing to a string cannot fail.
        let _ = write!(line, "{separator}{name}:{}", plain(value));
    }
    line.push('}');
    line
}

/// A value. Values nest at most `value::MAX_DEPTH` deep.
pub(super) fn plain(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Float(value) => number(*value),
        Value::String(text) => Json::from(&**text),
        Value::List(elements) => elements.iter().map(plain).collect(),
        Value::Map(entries) => object(entries.iter().map(|(name, value)| (&**name, value))),
        Value::Vector(vector) => vector.as_slice().iter().map(|part| short(*part)).collect(),
        Value::Node(one) => node(one),
        Value::Relationship(one) => relationship(one),
        Value::Path(path) => json!({
            "nodes": path.nodes().iter().map(node).collect::<Vec<_>>(),
            "relationships": path.relationships().iter().map(relationship).collect::<Vec<_>>(),
        }),
        other => text(other).into(),
    }
}

/// What a value is called where it stands alone: strings, dates, bytes without quotes around them.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::Date(value) => value.to_string(),
        Value::Time(value) => value.to_string(),
        Value::LocalTime(value) => value.to_string(),
        Value::DateTime(value) => value.to_string(),
        Value::LocalDateTime(value) => value.to_string(),
        Value::Duration(value) => value.to_string(),
        Value::Bytes(bytes) => to_hex(bytes),
        other => other.to_string(),
    }
}

fn node(one: &NodeValue) -> Json {
    json!({
        "id": one.id().get(),
        "labels": one.labels().collect::<Vec<_>>(),
        "properties": object(one.properties()),
    })
}

fn relationship(one: &RelationshipValue) -> Json {
    let ends = one.ends();
    json!({
        "id": one.id().get(),
        "type": one.relationship_type(),
        "start": ends.map(|(start, _)| start.get()),
        "end": ends.map(|(_, end)| end.get()),
        "properties": object(one.properties()),
    })
}

fn object<'a>(entries: impl Iterator<Item = (&'a str, &'a Value)>) -> Json {
    let entries = entries.map(|(name, value)| (name.to_owned(), plain(value)));
    Json::Object(entries.collect::<Map<_, _>>())
}

/// JSON has no word for infinities and for what is no number.
fn number(value: f64) -> Json {
    let known = Number::from_f64(value).map(Json::Number);
    known.unwrap_or_else(|| Value::Float(value).to_string().into())
}

/// With as few digits as tell it from its neighbours: in twice as many bits it would have more.
fn short(part: f32) -> Json {
    let digits = format!("{part:?}");
    digits.parse().map_or_else(|_| digits.into(), number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use stratigraph::value::{Date, PathValue};
    use stratigraph::{NodeId, RelationshipId, Vector};

    #[test]
    fn every_kind_of_value_has_its_json() {
        let name = BTreeMap::from([("name".into(), Value::from("Ann"))]);
        let node = |id| NodeValue::new(NodeId::new(id), vec!["A".into()], name.clone());
        let since = BTreeMap::from([("since".into(), Value::from(1851))]);
        let ends = (NodeId::new(1), NodeId::new(2));
        let knows =
            || RelationshipValue::new(RelationshipId::new(7), "KNOWS".into(), ends, since.clone());
        let path = PathValue::new(vec![node(1), node(2)], vec![knows()]).unwrap();
        let ann = r#"{"id":1,"labels":["A"],"properties":{"name":"Ann"}}"#;
        let bob = ann.replace("\"id\":1", "\"id\":2");
        let known = r#"{"end":2,"id":7,"properties":{"since":1851},"start":1,"type":"KNOWS"}"#;
        let walk = format!(r#"{{"nodes":[{ann},{bob}],"relationships":[{known}]}}"#);
        let cases: Vec<(Value, &str)> = vec![
            (Value::Null, "null"),
            (true.into(), "true"),
            (i64::MIN.into(), "-9223372036854775808"),
            (1.0.into(), "1.0"),
            (0.1.into(), "0.1"),
            (f64::NAN.into(), r#""NaN""#),
            (f64::NEG_INFINITY.into(), r#""-Infinity""#),
            ("a \"b\"\n".into(), r#""a \"b\"\n""#),
            (Value::bytes([0, 0xAB]), r#""00ab""#),
            (Date::new(1984, 10, 11).unwrap().into(), r#""1984-10-11""#),
            (vec![Some(1), None].into(), "[1,null]"),
            (Value::map(name.clone()).unwrap(), r#"{"name":"Ann"}"#),
            (Vector::new([0.1, -2.0]).unwrap().into(), "[0.1,-2.0]"),
            (Value::Node(node(1)), ann),
            (Value::Relationship(knows()), known),
            (Value::Path(path.into()), &walk),
        ];
        for (value, json) in cases {
            assert_eq!(plain(&value).to_string(), json);
        }
    }
}
