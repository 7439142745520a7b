//! `STARTS WITH`, `ENDS WITH` and `CONTAINS`: null unless both sides are texts.
//!
//! Next: `pattern.rs`.

use crate::value::Value;

/// `text STARTS WITH start`.
pub(crate) fn starts_with(text: &Value, start: &Value) -> Value {
    of_texts(text, start, |text, start| text.starts_with(start))
}

/// `text ENDS WITH end`.
pub(crate) fn ends_with(text: &Value, end: &Value) -> Value {
    of_texts(text, end, |text, end| text.ends_with(end))
}

/// `text CONTAINS part`.
pub(crate) fn contains(text: &Value, part: &Value) -> Value {
    of_texts(text, part, |text, part| text.contains(part))
}

fn of_texts(left: &Value, right: &Value, holds: fn(&str, &str) -> bool) -> Value {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Value::Bool(holds(left, right)),
        _ => Value::Null,
    }
}
