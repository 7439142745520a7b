//! Parameters as they come from outside: from the command line, from a JSON file, from a prompt.
//!
//! Next: `literal.rs`.

use super::Session;
use super::literal::is_literal;
use crate::failure::Failure;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;
use stratigraph::storage::cancel::CancelToken;
use stratigraph::{Parameters, Value};

/// `name=value` of a command line: a literal of the language, or else the text as it is.
///
/// # Errors
/// There is no name, or the literal has no value (`date('tomorrow')`).
pub(crate) fn named_value(
    session: &mut Session,
    text: &str,
    cancel: &CancelToken,
) -> Result<(String, Value), Failure> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let name = name.strip_prefix('$').unwrap_or(name).trim();
    if name.is_empty() || !text.contains('=') {
        return Err(Failure::BadParameter {
            what: text.to_owned(),
            reason: "write name=value".to_owned(),
        });
    }
    let value = if is_literal(value) {
        value_of(session, value, cancel)?
    } else {
        value.into()
    };
    Ok((name.to_owned(), value))
}

/// The value of an expression.
///
/// # Errors
/// It has none.
pub(crate) fn value_of(
    session: &mut Session,
    expression: &str,
    cancel: &CancelToken,
) -> Result<Value, Failure> {
    // In parentheses and with an end of line, so that nothing but an expression fits.
    let text = format!("RETURN ({expression}\n) AS value");
    let value = session.run(&text, cancel, |answer| {
        let mut value = Value::Null;
        while let Some(row) = answer.next() {
            value = row?.into_iter().next().unwrap_or(Value::Null);
        }
        Ok(Some(value))
    })?;
    Ok(value.unwrap_or(Value::Null))
}

/// Adds the entries of a JSON object.
///
/// # Errors
/// It is none, or holds a number that no value can be.
pub(crate) fn add_json(parameters: &mut Parameters, text: &str) -> Result<(), Failure> {
    let bad = |reason: String| Failure::BadParameter {
        what: "the JSON of the parameters".to_owned(),
        reason,
    };
    let json: Json = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    let Json::Object(entries) = json else {
        return Err(bad(
            "it is no object with a key for each parameter".to_owned()
        ));
    };
    for (name, json) in entries {
        let value = from_json(json).map_err(|reason| bad(format!("${name}: {reason}")))?;
        parameters.insert(name, value);
    }
    Ok(())
}

/// JSON as a value. What was read nests no deeper than its reader allows.
fn from_json(json: Json) -> Result<Value, String> {
    match json {
        Json::Null => Ok(Value::Null),
        Json::Bool(value) => Ok(value.into()),
        Json::String(text) => Ok(text.into()),
        Json::Number(number) => {
            if let Some(whole) = number.as_i64() {
                return Ok(whole.into());
            }
            if number.is_u64() {
                return Err(format!("the integer {number} does not fit into 64 bits"));
            }
            let float = number.as_f64().map(Value::from);
            float.ok_or_else(|| format!("{number} is no number that we have"))
        }
        Json::Array(elements) => {
            let elements: Vec<Value> = elements
                .into_iter()
                .map(from_json)
                .collect::<Result<_, _>>()?;
            Value::list(elements).map_err(|error| error.to_string())
        }
        Json::Object(entries) => {
            let entry = |(name, json): (String, Json)| Ok((Arc::from(name), from_json(json)?));
            let entries: BTreeMap<Arc<str>, Value> = entries
                .into_iter()
                .map(entry)
                .collect::<Result<_, String>>()?;
            Value::map(entries).map_err(|error| error.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_becomes_values() {
        let mut parameters = Parameters::new();
        let text = r#"{"a": 1, "b": [1.5, null, "x"], "c": {"d": true}}"#;
        add_json(&mut parameters, text).unwrap();
        let shown = |name| parameters.get(name).unwrap().to_string();
        assert_eq!(shown("a"), "1");
        assert_eq!(shown("b"), "[1.5, null, 'x']");
        assert_eq!(shown("c"), "{d: true}");
        for bad in ["", "[1]", r#"{"a": 18446744073709551615}"#, r#"{"a": }"#] {
            assert!(add_json(&mut Parameters::new(), bad).is_err(), "{bad}");
        }
    }
}
