//! Values as the JSON that programs and models expect: what JSON has no word for is text.
//!
//! Vectors of nodes are left out: nobody reads them, and each is longer than all the rest.

use serde_json::{Map, Number, Value as Json, json};
use stratigraph::{NodeValue, RelationshipValue, Value};

/// A row as an object, with a name for each column.
pub(crate) fn row(columns: &[String], values: &[Value]) -> Map<String, Json> {
    let entries = columns.iter().zip(values);
    entries
        .map(|(name, value)| (name.clone(), plain(value)))
        .collect()
}

/// A value.
pub(crate) fn plain(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(value) => (*value).into(),
        Value::Float(value) => {
            let known = Number::from_f64(*value).map(Json::Number);
            known.unwrap_or_else(|| value.to_string().into())
        }
        Value::String(text) => Json::from(&**text),
        Value::List(elements) => elements.iter().map(plain).collect(),
        Value::Map(entries) => object(entries.iter().map(|(name, value)| (&**name, value))),
        Value::Vector(vector) => vector.as_slice().iter().map(|part| json!(part)).collect(),
        Value::Node(one) => node(one),
        Value::Relationship(one) => relationship(one),
        Value::Path(path) => json!({
            "nodes": path.nodes().iter().map(node).collect::<Vec<_>>(),
            "relationships": path.relationships().iter().map(relationship).collect::<Vec<_>>(),
        }),
        Value::Date(value) => value.to_string().into(),
        Value::Time(value) => value.to_string().into(),
        Value::LocalTime(value) => value.to_string().into(),
        Value::DateTime(value) => value.to_string().into(),
        Value::LocalDateTime(value) => value.to_string().into(),
        Value::Duration(value) => value.to_string().into(),
        other => other.to_string().into(),
    }
}

fn node(one: &NodeValue) -> Json {
    json!({
        "labels": one.labels().collect::<Vec<_>>(),
        "properties": readable(one.properties()),
    })
}

fn relationship(one: &RelationshipValue) -> Json {
    json!({
        "type": one.relationship_type(),
        "properties": readable(one.properties()),
    })
}

/// Properties without vectors, and without what these were made of, which other properties say already.
fn readable<'a>(properties: impl Iterator<Item = (&'a str, &'a Value)>) -> Json {
    let all: Vec<(&str, &Value)> = properties.collect();
    let is_vector = |name: &str| {
        let vector =
            |(other, value): &(&str, &Value)| *other == name && matches!(value, Value::Vector(_));
        all.iter().any(vector)
    };
    let kept = all.iter().filter(|(name, value)| {
        let of_vector = name.strip_suffix("_text").is_some_and(is_vector);
        !of_vector && !matches!(value, Value::Vector(_))
    });
    object(kept.copied())
}

fn object<'a>(entries: impl Iterator<Item = (&'a str, &'a Value)>) -> Json {
    let entries = entries.map(|(name, value)| (name.to_owned(), plain(value)));
    Json::Object(entries.collect())
}
