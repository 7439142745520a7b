//! `+` and `||` of texts and lists.
//!
//! A list wins over a text: `'a' + ['b']` is a list of two. What a loop could double without end is limited
//! by `limits.rs`.
//!
//! Next: `comparison.rs`.

use crate::query::error::Fault;
use crate::query::functions::{convert, limits};
use crate::value::Value;

/// `left + right` of anything but numbers and times; `None` if it is not taken.
pub(super) fn added(left: &Value, right: &Value) -> Option<Result<Value, Fault>> {
    match (left, right) {
        (Value::List(_), Value::List(_)) => concatenated(left, right),
        (Value::List(list), element) => Some(list_of(list, std::slice::from_ref(element))),
        (element, Value::List(list)) => Some(list_of(std::slice::from_ref(element), list)),
        (Value::String(text), other) => convert::printed(other).map(|other| text_of(text, &other)),
        (other, Value::String(text)) => convert::printed(other).map(|other| text_of(&other, text)),
        _ => None,
    }
}

/// `left || right`: two texts or two lists; `None` of anything else.
pub(super) fn concatenated(left: &Value, right: &Value) -> Option<Result<Value, Fault>> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => Some(text_of(left, right)),
        (Value::List(left), Value::List(right)) => Some(list_of(left, right)),
        _ => None,
    }
}

fn text_of(left: &str, right: &str) -> Result<Value, Fault> {
    limits::text(left.len().saturating_add(right.len()))?;
    Ok(Value::from([left, right].concat()))
}

fn list_of(left: &[Value], right: &[Value]) -> Result<Value, Fault> {
    limits::list(left.len().saturating_add(right.len()))?;
    limits::list_of([left, right].concat())
}
