//! Arguments as Rust's types.
//!
//! The binder and the evaluator have seen to it that there are enough arguments, and of types that are taken;
//! what is asked for here and is not there is an error all the same, never a panic.
//!
//! Next: `entities.rs`, the first of the tables.

use super::operators::with_article;
use crate::query::error::{Detail, Fault, raise};
use crate::value::Value;

/// What stands for an argument that was not given.
static NOT_GIVEN: Value = Value::Null;

/// One argument; null if it was not given.
pub(super) fn value(arguments: &[Value], at: usize) -> &Value {
    arguments.get(at).unwrap_or(&NOT_GIVEN)
}

/// A text.
pub(super) fn text(arguments: &[Value], at: usize) -> Result<&str, Fault> {
    let value = value(arguments, at);
    value.as_str().ok_or_else(|| wrong("a string", value))
}

/// An integer.
pub(super) fn integer(arguments: &[Value], at: usize) -> Result<i64, Fault> {
    let value = value(arguments, at);
    value.as_int().ok_or_else(|| wrong("an integer", value))
}

/// A number of things, so not a negative one.
pub(super) fn count(arguments: &[Value], at: usize) -> Result<usize, Fault> {
    let number = integer(arguments, at)?;
    usize::try_from(number).map_err(|_| {
        let message = format!("a number that is not negative is needed here, and this is {number}");
        raise(Detail::NumberOutOfRange, message)
    })
}

/// A number, as a float.
pub(super) fn number(arguments: &[Value], at: usize) -> Result<f64, Fault> {
    match value(arguments, at) {
        Value::Int(number) => Ok(*number as f64),
        Value::Float(number) => Ok(*number),
        other => Err(wrong("a number", other)),
    }
}

/// The elements of a list.
pub(super) fn list(arguments: &[Value], at: usize) -> Result<&[Value], Fault> {
    let value = value(arguments, at);
    value.as_list().ok_or_else(|| wrong("a list", value))
}

/// The error for an argument that is not what is `needed`.
pub(super) fn wrong(needed: &str, value: &Value) -> Fault {
    let kind = with_article(value.kind());
    raise(
        Detail::InvalidArgumentValue,
        format!("{needed} is needed here, and this is {kind}"),
    )
}
