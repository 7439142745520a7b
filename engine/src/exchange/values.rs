//! The properties of a line.
//!
//! Scalars become values as they are read; lists and tagged objects go through `value::json`, which
//! says where in them something is wrong.

use super::decode::Text;
use crate::value::Value;
use crate::value::json::{BadJson, BadJsonProblem, from_json};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// Properties in the order of the text, each once.
#[derive(Debug)]
pub(super) struct Properties<'a>(pub(super) Vec<(Text<'a>, Parsed)>);

/// A value that is ready, or still has to be made of some JSON.
#[derive(Debug)]
pub(super) enum Parsed {
    Ready(Value),
    Json(Json),
}

impl Parsed {
    /// The value.
    pub(super) fn into_value(self) -> Result<Value, BadJson> {
        match self {
            Self::Ready(value) => Ok(value),
            Self::Json(json) => from_json(&json),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Properties<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PropertiesVisitor;

        impl<'de> Visitor<'de> for PropertiesVisitor {
            type Value = Properties<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of properties")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Properties<'de>, A::Error> {
                let mut properties: Vec<(Text<'de>, Parsed)> = Vec::new();
                let mut rise = true;
                while let Some((name, value)) = map.next_entry()? {
                    rise &= properties.last().is_none_or(|(last, _)| *last < name);
                    properties.push((name, value));
                }
                // A dump has them sorted; only what was edited has to be searched.
                if !rise {
                    let mut seen = HashSet::with_capacity(properties.len());
                    for (name, _) in &properties {
                        if !seen.insert(&*name.0) {
                            return Err(A::Error::custom(format_args!(
                                "property {:?} is there twice",
                                name.0.chars().take(40).collect::<String>()
                            )));
                        }
                    }
                }
                Ok(Properties(properties))
            }
        }

        deserializer.deserialize_map(PropertiesVisitor)
    }
}

impl<'de> Deserialize<'de> for Parsed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ParsedVisitor;

        impl<'de> Visitor<'de> for ParsedVisitor {
            type Value = Parsed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E>(self) -> Result<Parsed, E> {
                Ok(Parsed::Ready(Value::Null))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Parsed, E> {
                Ok(Parsed::Ready(value.into()))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Parsed, E> {
                Ok(Parsed::Ready(value.into()))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Parsed, E> {
                Ok(match i64::try_from(value) {
                    Ok(value) => Parsed::Ready(value.into()),
                    // It does not fit, and `value::json` says so.
                    Err(_) => Parsed::Json(value.into()),
                })
            }

            fn visit_f64<E>(self, value: f64) -> Result<Parsed, E> {
                Ok(Parsed::Ready(value.into()))
            }

            fn visit_str<E>(self, value: &str) -> Result<Parsed, E> {
                Ok(Parsed::Ready(value.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Parsed, A::Error> {
                Json::deserialize(SeqAccessDeserializer::new(seq)).map(Parsed::Json)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Parsed, A::Error> {
                Json::deserialize(MapAccessDeserializer::new(map)).map(Parsed::Json)
            }
        }

        deserializer.deserialize_any(ParsedVisitor)
    }
}

/// Whether a value holds a number that may have been written as an integer beyond 64 bits: for
/// `serde_json` that is a float, and what was meant is lost.
pub(super) fn has_large_float(value: &Value) -> bool {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    match value {
        Value::Float(float) => float.abs() >= BEYOND,
        Value::List(elements) => elements.iter().any(has_large_float),
        _ => false,
    }
}

/// The first number of a line that is an integer beyond 64 bits, with its place. Vectors hold floats
/// anyway, however they are written.
pub(super) fn find_large_integer(text: &str) -> Option<(usize, BadJsonProblem)> {
    let (at, number) = numbers(text).find(|(_, number)| {
        let whole = !number.contains(['.', 'e', 'E']);
        whole && number.parse::<i64>().is_err()
    })?;
    let found = number.chars().take(40).collect();
    Some((at, BadJsonProblem::IntegerTooLarge { found }))
}

/// The line with ` 0` for each `-0`: without a point that is an integer, and `serde_json` makes a float
/// of it, whose sign is all that is left to tell them apart. Nothing moves to another column.
pub(super) fn with_whole_zeros(text: &str) -> Cow<'_, str> {
    // No line of a dump has one, and most have nothing like it: `-0.5` is not.
    let is_near = |(at, zero): (usize, &str)| {
        let after = text.as_bytes().get(at + zero.len());
        !after.is_some_and(|byte| b".eE".contains(byte))
    };
    if !text.match_indices("-0").any(is_near) {
        return Cow::Borrowed(text);
    }
    let mut patched = text.to_owned();
    for (at, _) in numbers(text).filter(|(_, number)| *number == "-0") {
        patched.replace_range(at..at + 2, " 0");
    }
    Cow::Owned(patched)
}

/// The numbers of a line, which stand outside of strings, each with its place.
fn numbers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'"' => {
                    at += 1;
                    while let Some(&inside) = bytes.get(at)
                        && inside != b'"'
                    {
                        at += if inside == b'\\' { 2 } else { 1 };
                    }
                    at += 1;
                }
                b'-' | b'0'..=b'9' => {
                    let start = at;
                    let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
                    let rest = &text[start..];
                    at += rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                    return Some((start, &text[start..at]));
                }
                _ => at += 1,
            }
        }
        None
    })
}
