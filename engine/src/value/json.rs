//! Values as JSON, for dumps: what comes back is exactly what went out.
//!
//! | value | JSON |
//! |---|---|
//! | null, boolean, string, list | the same |
//! | integer | a number without point and exponent |
//! | finite float | a number with a point or an exponent: `1.0` |
//! | other floats | `{"float": "NaN"}`, `"Infinity"`, `"-Infinity"` |
//! | bytes | `{"bytes": "00ff"}`, lower-case hex |
//! | date, time, local time, ... | `{"date": "1984-10-11"}`; also `time`, `localtime`, `datetime`, `localdatetime`, `duration` |
//! | vector | `{"vector": [0.1, 1.0]}`, as few digits as give the number back |
//! | map | `{"map": {...}}` |
//!
//! An object always has exactly one key, which names the kind. Anything else is refused, because a
//! dump with something else in it is not ours or is damaged.
//!
//! `serde_json` reads text nested up to 127 levels and a map takes two levels per level, so text
//! with maps more than 60 deep needs its limit lifted; what is stored nests one deep.
//!
//! Next: `json/tests.rs`.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Map, Number, Value as Json};
use thiserror::Error;

use super::{MAX_DEPTH, NodeValue, RelationshipValue, TemporalTextError, Value, Vector};

/// Why some JSON is no value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{problem} (at {path})")]
pub struct BadJson {
    /// Where, from the value that was being read: `$[2].map["k"]`.
    pub path: String,
    /// What is wrong there.
    pub problem: BadJsonProblem,
}

/// What is wrong at one place of some JSON.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BadJsonProblem {
    /// An object does not have just one key that names a kind.
    #[error("an object needs exactly one key, the kind of the value; this one has {keys}")]
    NotOneKey {
        /// How many keys it has.
        keys: usize,
    },
    /// The key of an object names no kind.
    #[error("`{}` is not a kind of value", found.escape_debug())]
    UnknownKind {
        /// The key.
        found: String,
    },
    /// The kind is known, and what is under it is no text of such a value.
    #[error("this is not a {kind}: {reason}")]
    NotThat {
        /// The kind, as the key has it.
        kind: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The number is whole and does not fit into 64 bits with a sign.
    #[error("the integer {found} does not fit into 64 bits")]
    IntegerTooLarge {
        /// The number.
        found: String,
    },
    /// Lists and maps are nested too deeply.
    #[error("lists and maps can be nested {MAX_DEPTH} deep and no more")]
    TooDeep,
}

/// A value as JSON.
#[must_use]
pub fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Int(value) => Json::Number((*value).into()),
        Value::Float(value) => match Number::from_f64(*value) {
            Some(number) => Json::Number(number),
            None if value.is_nan() => tagged("float", "NaN"),
            None if *value < 0.0 => tagged("float", "-Infinity"),
            None => tagged("float", "Infinity"),
        },
        Value::String(value) => Json::String(String::from(&**value)),
        Value::Bytes(bytes) => tagged("bytes", to_hex(bytes)),
        Value::Date(value) => tagged("date", value.to_string()),
        Value::Time(value) => tagged("time", value.to_string()),
        Value::LocalTime(value) => tagged("localtime", value.to_string()),
        Value::DateTime(value) => tagged("datetime", value.to_string()),
        Value::LocalDateTime(value) => tagged("localdatetime", value.to_string()),
        Value::Duration(value) => tagged("duration", value.to_string()),
        Value::List(elements) => Json::Array(elements.iter().map(to_json).collect()),
        Value::Map(entries) => {
            let entries = entries.iter();
            let entries: Map<String, Json> = entries
                .map(|(key, value)| (String::from(&**key), to_json(value)))
                .collect();
            tagged("map", entries)
        }
        Value::Vector(vector) => {
            let numbers: Vec<Json> = vector.as_slice().iter().map(|n| short(*n).into()).collect();
            tagged("vector", numbers)
        }
        Value::Node(node) => tagged("node", node_to_json(node)),
        Value::Relationship(one) => tagged("relationship", relationship_to_json(one)),
        Value::Path(path) => {
            let nodes: Vec<Json> = path.nodes().iter().map(node_to_json).collect();
            let relationships = path.relationships().iter().map(relationship_to_json);
            let relationships: Vec<Json> = relationships.collect();
            tagged(
                "path",
                serde_json::json!({"nodes": nodes, "relationships": relationships}),
            )
        }
    }
}

/// The value that some JSON stands for.
///
/// # Errors
///
/// [`BadJson`] says what is wrong and where.
pub fn from_json(json: &Json) -> Result<Value, BadJson> {
    read(json, MAX_DEPTH)
}

fn node_to_json(node: &NodeValue) -> Json {
    let labels: Vec<&str> = node.labels().collect();
    let properties = properties_to_json(node.properties());
    serde_json::json!({"id": node.id().get(), "labels": labels, "properties": properties})
}

fn relationship_to_json(one: &RelationshipValue) -> Json {
    let ends = one.ends();
    serde_json::json!({
        "id": one.id().get(),
        "type": one.relationship_type(),
        "source": ends.map(|(source, _)| source.get()),
        "target": ends.map(|(_, target)| target.get()),
        "properties": properties_to_json(one.properties()),
    })
}

fn properties_to_json<'a>(properties: impl Iterator<Item = (&'a str, &'a Value)>) -> Json {
    let entries = properties.map(|(key, value)| (key.to_owned(), to_json(value)));
    Json::Object(entries.collect())
}

fn tagged(kind: &str, content: impl Into<Json>) -> Json {
    Json::Object(Map::from_iter([(kind.to_owned(), content.into())]))
}

/// The double with the fewest digits that becomes this number again.
///
/// Widening 0.1_f32 gives 0.10000000149011612, which is exact and of no use to anyone.
fn short(number: f32) -> f64 {
    match number.to_string().parse::<f64>() {
        // Rounding twice, to a double and then to a float, can miss by one: then be exact.
        Ok(short) if (short as f32).to_bits() == number.to_bits() => short,
        _ => f64::from(number),
    }
}

/// Reads a value that may nest `depth` levels. The path of a failure is put together on its way
/// out, so that success pays nothing for it.
fn read(json: &Json, depth: usize) -> Result<Value, BadJson> {
    match json {
        Json::Null => Ok(Value::Null),
        Json::Bool(value) => Ok(Value::Bool(*value)),
        Json::Number(number) => read_number(number).map_err(here),
        Json::String(text) => Ok(Value::from(text.as_str())),
        Json::Array(elements) => {
            let depth = deeper(depth)?;
            let elements = elements.iter().enumerate();
            let elements = elements.map(|(index, element)| {
                read(element, depth).map_err(|error| error.inside(&format!("[{index}]")))
            });
            Ok(Value::List(elements.collect::<Result<_, _>>()?))
        }
        Json::Object(object) => match object.iter().next() {
            Some((kind, content)) if object.len() == 1 => read_tagged(kind, content, depth),
            _ => Err(here(BadJsonProblem::NotOneKey { keys: object.len() })),
        },
    }
}

fn read_number(number: &Number) -> Result<Value, BadJsonProblem> {
    if let Some(int) = number.as_i64() {
        return Ok(Value::Int(int));
    }
    match number.as_f64() {
        Some(float) if number.is_f64() => Ok(Value::Float(float)),
        _ => Err(BadJsonProblem::IntegerTooLarge {
            found: number.to_string(),
        }),
    }
}

fn read_tagged(kind: &str, content: &Json, depth: usize) -> Result<Value, BadJson> {
    match kind {
        "float" => match content.as_str() {
            Some("NaN") => Ok(Value::Float(f64::NAN)),
            Some("Infinity") => Ok(Value::Float(f64::INFINITY)),
            Some("-Infinity") => Ok(Value::Float(f64::NEG_INFINITY)),
            _ => Err(not("float", "it should be NaN, Infinity or -Infinity")),
        },
        "bytes" => match content.as_str().and_then(from_hex) {
            Some(bytes) => Ok(Value::bytes(bytes)),
            None => Err(not("bytes", "it should be pairs of lower-case hex digits")),
        },
        "date" => parse("date", content, Value::Date),
        "time" => parse("time", content, Value::Time),
        "localtime" => parse("localtime", content, Value::LocalTime),
        "datetime" => parse("datetime", content, Value::DateTime),
        "localdatetime" => parse("localdatetime", content, Value::LocalDateTime),
        "duration" => parse("duration", content, Value::Duration),
        "vector" => read_vector(content).map_err(|reason| not("vector", reason)),
        "map" => {
            let depth = deeper(depth)?;
            let Json::Object(object) = content else {
                return Err(not("map", "it should be an object"));
            };
            let entries = object.iter().map(|(key, value)| {
                let value =
                    read(value, depth).map_err(|error| error.inside(&format!(".map[{key:?}]")))?;
                Ok((Arc::from(key.as_str()), value))
            });
            let entries = entries.collect::<Result<BTreeMap<_, _>, _>>()?;
            Ok(Value::Map(Arc::new(entries)))
        }
        found => Err(here(BadJsonProblem::UnknownKind {
            // Enough to recognise it by.
            found: found.chars().take(40).collect(),
        })),
    }
}

fn parse<T: FromStr<Err = TemporalTextError>>(
    kind: &'static str,
    content: &Json,
    wrap: fn(T) -> Value,
) -> Result<Value, BadJson> {
    let text = content
        .as_str()
        .ok_or_else(|| not(kind, "it should be a string"))?;
    text.parse()
        .map(wrap)
        .map_err(|error: TemporalTextError| not(kind, error.reason()))
}

fn read_vector(content: &Json) -> Result<Value, String> {
    let numbers = content.as_array().ok_or("it should be a list")?;
    let numbers = numbers.iter().map(|number| {
        let number = number.as_f64().ok_or("it should hold numbers only")?;
        Ok(number as f32)
    });
    let numbers = numbers.collect::<Result<Vec<f32>, &str>>()?;
    Vector::new(numbers)
        .map(Value::Vector)
        .map_err(|error| error.to_string())
}

fn deeper(depth: usize) -> Result<usize, BadJson> {
    depth
        .checked_sub(1)
        .ok_or_else(|| here(BadJsonProblem::TooDeep))
}

fn here(problem: BadJsonProblem) -> BadJson {
    BadJson {
        path: "$".to_owned(),
        problem,
    }
}

fn not(kind: &'static str, reason: impl Display) -> BadJson {
    here(BadJsonProblem::NotThat {
        kind,
        reason: reason.to_string(),
    })
}

impl BadJson {
    /// The same error seen from one level further out.
    fn inside(mut self, step: &str) -> Self {
        self.path.insert_str(1, step);
        self
    }
}

/// Bytes as they are written everywhere: two digits each, in small letters.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
        .collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks();
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let pairs = pairs
        .iter()
        .map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?));
    rest.is_empty().then(|| pairs.collect())?
}

#[cfg(test)]
mod tests;
