//! Arguments of a call: JSON from outside becomes the parameters of a statement, or an error with the place.

use serde_json::{Map, Value as Json};
use stratigraph::value::Date;
use stratigraph::{Parameters, Value, Vector};
use stratigraph_models::{Embedder, ModelError};

use super::RouteError;
use super::declared::{Declared, Kind, LONGEST_TEXT, Parameter};

/// Arguments that are what the declaration says. Those that were not given and have a default are there with it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checked<'d> {
    declared: &'d Declared,
    given: Map<String, Json>,
}

impl<'d> Checked<'d> {
    /// Looks at arguments: an object with a value for each parameter that is needed, and nothing that nobody knows.
    pub(crate) fn of(declared: &'d Declared, arguments: &Json) -> Result<Self, RouteError> {
        let wrong = |place: String, problem: String| {
            Err(RouteError::argument(&declared.name, place, problem))
        };
        let object = match arguments {
            Json::Object(object) => object,
            // Nothing at all is what some models say for no arguments.
            Json::Null => &Map::new(),
            _ => return wrong("$".to_owned(), "arguments are an object".to_owned()),
        };
        for name in object.keys() {
            if declared.parameters.iter().all(|one| one.name != *name) {
                let name: String = name.chars().take(64).collect();
                let known: Vec<&str> = { declared.parameters.iter() }
                    .map(|one| one.name.as_str())
                    .collect();
                let problem = match known.is_empty() {
                    true => "there is no such parameter: it takes none".to_owned(),
                    false => format!("there is no such parameter: it takes {}", known.join(", ")),
                };
                return wrong(format!("$.{name}"), problem);
            }
        }
        let mut given = Map::new();
        for parameter in &declared.parameters {
            let place = || format!("$.{}", parameter.name);
            // Null is what some models say for an argument that they do not give.
            let value = object.get(&parameter.name).filter(|value| !value.is_null());
            let value = value.or(parameter.default.as_ref());
            match value {
                Some(value) => {
                    if let Err(problem) = fits(parameter, value) {
                        return wrong(place(), problem);
                    }
                    given.insert(parameter.name.clone(), value.clone());
                }
                None if parameter.is_needed() => {
                    return wrong(place(), "it is needed, and is not given".to_owned());
                }
                None => {}
            }
        }
        Ok(Self { declared, given })
    }

    /// As they are told.
    pub(crate) fn told(&self) -> &Map<String, Json> {
        &self.given
    }

    /// As the statement takes them: values beside its text, never a part of it.
    pub(crate) fn bind(&self, embedder: &dyn Embedder) -> Result<Parameters, RouteError> {
        let mut bound = Parameters::new();
        for parameter in &self.declared.parameters {
            let given = self.given.get(&parameter.name);
            if !parameter.embedded {
                let value = given.map_or(Value::Null, |given| value(parameter.kind, given));
                bound.insert(parameter.name.as_str(), value);
                continue;
            }
            let (vector, text) = match given.and_then(Json::as_str) {
                Some(text) => (Value::from(embedded(embedder, text)?), Value::from(text)),
                None => (Value::Null, Value::Null),
            };
            bound.insert(parameter.name.as_str(), vector);
            bound.insert(parameter.text_name(), text);
        }
        Ok(bound)
    }
}

/// Whether a value is what a parameter has to be.
pub(super) fn fits(parameter: &Parameter, value: &Json) -> Result<(), String> {
    let is = |fits: bool, what: &str| match fits {
        true => Ok(()),
        false => Err(format!("it is {what}, and this is {}", shown(value))),
    };
    match parameter.kind {
        Kind::Text => {
            is(value.is_string(), "a text")?;
            let length = value.as_str().map_or(0, |text| text.chars().count());
            match length {
                0 => Err("it is a text, and this is an empty one".to_owned()),
                1..=LONGEST_TEXT => Ok(()),
                _ => Err(format!(
                    "it has {length} characters, and may have {LONGEST_TEXT}"
                )),
            }
        }
        Kind::Integer => is(whole(value).is_some(), "a whole number of 64 bits"),
        Kind::Number => is(value.as_f64().is_some_and(f64::is_finite), "a number"),
        Kind::Boolean => is(value.is_boolean(), "true or false"),
        Kind::Date => is(day(value).is_some(), "a day, as \"1984-10-11\""),
        Kind::Choice => {
            let known = |text| parameter.choices.iter().any(|choice| choice == text);
            match value.as_str().is_some_and(known) {
                true => Ok(()),
                false => {
                    const MOST_TOLD: usize = 20;
                    let told: Vec<String> = { parameter.choices.iter().take(MOST_TOLD) }
                        .map(|choice| format!("{choice:?}"))
                        .collect();
                    let more = match parameter.choices.len().checked_sub(MOST_TOLD) {
                        Some(more @ 1..) => format!(" and {more} more"),
                        _ => String::new(),
                    };
                    Err(format!("it is one of {}{more}", told.join(", ")))
                }
            }
        }
    }
}

/// 3.0 is a whole number in JSON Schema.
fn whole(value: &Json) -> Option<i64> {
    // Beyond that a float does not say which whole number it is.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = || {
        value
            .as_f64()
            .filter(|float| float.fract() == 0.0 && float.abs() <= EXACT)
    };
    value.as_i64().or_else(|| float().map(|float| float as i64))
}

fn day(value: &Json) -> Option<Date> {
    // A date of the language may be written in many ways; of JSON it is this one.
    let text = value.as_str().filter(|text| text.len() <= 16)?;
    text.contains('-').then(|| text.parse().ok()).flatten()
}

/// A value that fits, as the language has it.
fn value(kind: Kind, given: &Json) -> Value {
    match kind {
        Kind::Text | Kind::Choice => given.as_str().into(),
        Kind::Integer => whole(given).into(),
        Kind::Number => given.as_f64().into(),
        Kind::Boolean => given.as_bool().into(),
        Kind::Date => day(given).into(),
    }
}

/// The vector of a text that asks.
pub(super) fn embedded(embedder: &dyn Embedder, text: &str) -> Result<Vector, RouteError> {
    let rows = embedder.embed_questions(&[text])?;
    let wrong = || ModelError::WrongRows {
        texts: 1,
        dimensions: embedder.dimensions(),
        found_rows: rows.len(),
        found_dimensions: rows.dimensions(),
    };
    let row = rows.row(0).ok_or_else(wrong)?;
    Ok(Vector::new(row).map_err(|_| wrong())?)
}

fn shown(value: &Json) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    match text.chars().count() > LONGEST {
        true => format!("{}...", text.chars().take(LONGEST).collect::<String>()),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn declared() -> Declared {
        let declared = json!({
            "name": "x", "description": "x", "statement": "RETURN 1",
            "parameters": [
                {"name": "text", "type": "text"},
                {"name": "whole", "type": "integer", "default": 3},
                {"name": "share", "type": "number", "required": false},
                {"name": "open", "type": "boolean", "required": false},
                {"name": "size", "type": "choice", "choices": ["small", "large"]},
            ],
        });
        serde_json::from_value(declared).unwrap()
    }

    fn value() -> impl Strategy<Value = Json> {
        prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(Json::from),
            (-9_i64..9).prop_map(Json::from),
            (-9.0..9.0_f64).prop_map(Json::from),
            Just(json!(4.0)),
            "[a-z]{0,3}".prop_map(Json::from),
            Just(json!("")),
            Just(json!("small")),
            Just(json!("x".repeat(LONGEST_TEXT + 1))),
            Just(json!([1])),
            Just(json!({"a": 1})),
        ]
    }

    proptest! {
        /// What models are told is what is enforced, but that a null is as good as nothing.
        #[test]
        fn the_schema_and_the_check_agree(
            arguments in proptest::collection::btree_map(
                proptest::sample::select(vec!["text", "whole", "share", "open", "size", "other"]),
                value(),
                0..3,
            )
        ) {
            let declared = declared();
            let schema = declared.as_tool().unwrap().arguments;
            let mut arguments: Map<String, Json> =
                arguments.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            // Most of what is given is whole: else nothing but what is missing would ever be told.
            arguments.entry("text").or_insert_with(|| "a".into());
            arguments.entry("size").or_insert_with(|| "small".into());
            let is_null = |name: &String, value: &mut Json| value.is_null() && name != "other";
            arguments.retain(|name, value| !is_null(name, value));
            let arguments = Json::Object(arguments);
            let fits = Checked::of(&declared, &arguments);
            prop_assert_eq!(schema.check(&arguments).is_ok(), fits.is_ok(), "{}", arguments);
        }
    }
}
