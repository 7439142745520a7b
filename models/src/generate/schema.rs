//! JSON Schema, as much of it as prompts and tools need, and all of that enforced.
//!
//! A schema with a word that is not known here is refused when it is made: a rule that nobody keeps would
//! be worse than none.

use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// What a JSON value has to look like. Clones share it: one schema goes with each of many requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema(Arc<Contents>);

#[derive(Debug, PartialEq)]
struct Contents {
    name: String,
    json: Value,
    text: String,
}

/// Where a value is not what its schema says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where, as in `$.triples[3].subject`.
    pub path: String,
    /// What is wrong there.
    pub problem: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.problem)
    }
}

impl std::error::Error for Violation {}

const KNOWN: [&str; 15] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "description",
    "title",
    "default",
];

impl Schema {
    /// A schema under a name, which endpoints want to have.
    ///
    /// # Errors
    ///
    /// A [`Violation`] if it has a word that is not known here, or not in its form.
    pub fn new(name: &str, json: Value) -> Result<Self, Violation> {
        known(&json, "$")?;
        Ok(Self(Arc::new(Contents {
            name: name.to_owned(),
            text: json.to_string(),
            json,
        })))
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// As JSON.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.0.json
    }

    /// As JSON in one line.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Whether a value is what it says.
    ///
    /// # Errors
    ///
    /// The first [`Violation`].
    pub fn check(&self, value: &Value) -> Result<(), Violation> {
        check(&self.0.json, value, &mut "$".to_owned())
    }
}

fn violation<T>(path: &str, problem: impl Into<String>) -> Result<T, Violation> {
    Err(Violation {
        path: path.to_owned(),
        problem: problem.into(),
    })
}

fn known(schema: &Value, path: &str) -> Result<(), Violation> {
    let Some(rules) = schema.as_object() else {
        return violation(path, "a schema is an object");
    };
    for (word, rule) in rules {
        if !KNOWN.contains(&word.as_str()) {
            return violation(path, format!("`{word}` is not known"));
        }
        let fits = match word.as_str() {
            "type" => rule
                .as_str()
                .is_some_and(|kind| of_kind(kind, &Value::Null).is_some()),
            "enum" => rule.is_array(),
            "required" => rule
                .as_array()
                .is_some_and(|names| names.iter().all(Value::is_string)),
            "properties" => rule.is_object(),
            "additionalProperties" => rule.is_boolean(),
            "items" => {
                known(rule, &format!("{path}[]"))?;
                true
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" => rule.is_u64(),
            "minimum" | "maximum" => rule.is_number(),
            _ => true,
        };
        if !fits {
            return violation(path, format!("`{word}` cannot be {rule}"));
        }
    }
    for (name, property) in rules
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        known(property, &format!("{path}.{name}"))?;
    }
    Ok(())
}

/// Whether a value is of this kind; nothing if there is no such kind.
fn of_kind(kind: &str, value: &Value) -> Option<bool> {
    Some(match kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        // 3.0 is a whole number in JSON Schema.
        "integer" => {
            value.is_i64()
                || value.is_u64()
                || value.as_f64().is_some_and(|float| float.fract() == 0.0)
        }
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "null" => value.is_null(),
        _ => return None,
    })
}

fn check(schema: &Value, value: &Value, path: &mut String) -> Result<(), Violation> {
    let limit = |word: &str| {
        schema
            .get(word)
            .and_then(Value::as_u64)
            .map(|limit| limit as usize)
    };
    if let Some(kind) = schema.get("type").and_then(Value::as_str)
        && of_kind(kind, value) != Some(true)
    {
        return violation(path, format!("this is no {kind}"));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed: Vec<String> = allowed.iter().map(Value::to_string).collect();
        return violation(path, format!("only {} are allowed", allowed.join(", ")));
    }
    match value {
        Value::String(text) => within(
            path,
            "characters",
            text.chars().count(),
            limit("minLength"),
            limit("maxLength"),
        ),
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            let bound = |word: &str| schema.get(word).and_then(Value::as_f64);
            if bound("minimum").is_some_and(|least| number < least)
                || bound("maximum").is_some_and(|most| number > most)
            {
                return violation(path, format!("{number} is out of bounds"));
            }
            Ok(())
        }
        Value::Array(items) => {
            within(
                path,
                "items",
                items.len(),
                limit("minItems"),
                limit("maxItems"),
            )?;
            let Some(schema) = schema.get("items") else {
                return Ok(());
            };
            for (place, item) in items.iter().enumerate() {
                let length = path.len();
                path.push_str(&format!("[{place}]"));
                check(schema, item, path)?;
                path.truncate(length);
            }
            Ok(())
        }
        Value::Object(object) => of_object(schema, object, path),
        Value::Null | Value::Bool(_) => Ok(()),
    }
}

fn within(
    path: &str,
    what: &str,
    count: usize,
    least: Option<usize>,
    most: Option<usize>,
) -> Result<(), Violation> {
    if least.is_some_and(|least| count < least) || most.is_some_and(|most| count > most) {
        return violation(path, format!("{count} {what} are not within the bounds"));
    }
    Ok(())
}

fn of_object(
    schema: &Value,
    object: &Map<String, Value>,
    path: &mut String,
) -> Result<(), Violation> {
    for name in schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if let Some(name) = name.as_str().filter(|name| !object.contains_key(*name)) {
            return violation(path, format!("`{name}` is missing"));
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (name, value) in object {
        match properties.and_then(|properties| properties.get(name)) {
            Some(schema) => {
                let length = path.len();
                path.push('.');
                path.push_str(name);
                check(schema, value, path)?;
                path.truncate(length);
            }
            None if closed => {
                let name: String = name.chars().take(64).collect();
                return violation(path, format!("`{name}` is not allowed"));
            }
            None => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn triples() -> Schema {
        let json = json!({
            "type": "object", "additionalProperties": false, "required": ["triples"],
            "properties": {"triples": {"type": "array", "maxItems": 2, "items": {
                "type": "object", "required": ["subject"], "additionalProperties": false,
                "properties": {
                    "subject": {"type": "string", "minLength": 1, "maxLength": 5},
                    "kind": {"enum": ["a", "b"]},
                    "weight": {"type": "integer", "minimum": 0, "maximum": 9}
                }
            }}}
        });
        Schema::new("triples", json).unwrap()
    }

    #[test]
    fn every_rule_is_enforced() {
        let item = |item: Value| json!({"triples": [item]});
        for (value, said) in [
            (json!([]), "$: this is no object"),
            (json!({}), "$: `triples` is missing"),
            (
                json!({"triples": [], "sql": "DROP"}),
                "$: `sql` is not allowed",
            ),
            (
                json!({"triples": [1, 2, 3]}),
                "$.triples: 3 items are not within the bounds",
            ),
            (item(json!({})), "$.triples[0]: `subject` is missing"),
            (
                item(json!({"subject": 1})),
                "$.triples[0].subject: this is no string",
            ),
            (
                item(json!({"subject": ""})),
                "$.triples[0].subject: 0 characters are not within the bounds",
            ),
            (
                item(json!({"subject": "äöüäöü"})),
                "$.triples[0].subject: 6 characters are not within the bounds",
            ),
            (
                item(json!({"subject": "a", "kind": "c"})),
                "$.triples[0].kind: only \"a\", \"b\" are allowed",
            ),
            (
                item(json!({"subject": "a", "weight": 1.5})),
                "$.triples[0].weight: this is no integer",
            ),
            (
                item(json!({"subject": "a", "weight": 10})),
                "$.triples[0].weight: 10 is out of bounds",
            ),
        ] {
            assert_eq!(triples().check(&value).unwrap_err().to_string(), said);
        }
        let good = item(json!({"subject": "äöüäö", "kind": "b", "weight": 9.0}));
        triples().check(&good).unwrap();
    }

    #[test]
    fn a_rule_that_nobody_keeps_is_refused() {
        for (json, said) in [
            (json!({"pattern": "x"}), "$: `pattern` is not known"),
            (json!({"type": "text"}), "$: `type` cannot be \"text\""),
            (
                json!({"properties": {"a": {"items": {"anyOf": []}}}}),
                "$.a[]: `anyOf` is not known",
            ),
            (json!({"maxLength": -1}), "$: `maxLength` cannot be -1"),
            (
                json!({"required": ["a", 3]}),
                "$: `required` cannot be [\"a\",3]",
            ),
            (json!("x"), "$: a schema is an object"),
        ] {
            assert_eq!(Schema::new("x", json).unwrap_err().to_string(), said);
        }
    }
}
