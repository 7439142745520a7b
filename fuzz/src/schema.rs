//! A second reader of JSON Schema, as short as can be, to disagree with the one of `models`.

use serde_json::Value;

/// Whether a value is what a schema says that the reader of `models` has taken.
pub fn holds(schema: &Value, value: &Value) -> bool {
    let rule = |name: &str| schema.get(name);
    let number = |name: &str| rule(name).and_then(Value::as_f64);
    let between = |least: &str, most: &str, found: f64| {
        number(least).is_none_or(|least| found >= least)
            && number(most).is_none_or(|most| found <= most)
    };
    let is = |kind: &str| match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        _ => value.as_f64().is_some_and(|number| number.fract() == 0.0),
    };
    if rule("type")
        .and_then(Value::as_str)
        .is_some_and(|kind| !is(kind))
    {
        return false;
    }
    if rule("enum")
        .and_then(Value::as_array)
        .is_some_and(|all| !all.contains(value))
    {
        return false;
    }
    match value {
        Value::String(text) => between("minLength", "maxLength", text.chars().count() as f64),
        Value::Number(number) => between("minimum", "maximum", number.as_f64().unwrap_or(f64::NAN)),
        Value::Array(items) => {
            between("minItems", "maxItems", items.len() as f64)
                && rule("items").is_none_or(|of| items.iter().all(|item| holds(of, item)))
        }
        Value::Object(all) => {
            let required = rule("required").and_then(Value::as_array);
            let names = required.into_iter().flatten().filter_map(Value::as_str);
            let closed = rule("additionalProperties") == Some(&Value::Bool(false));
            names.into_iter().all(|name| all.contains_key(name))
                && all.iter().all(|(name, value)| {
                    let of = rule("properties").and_then(|all| all.get(name));
                    of.map_or(!closed, |of| holds(of, value))
                })
        }
        _ => true,
    }
}
