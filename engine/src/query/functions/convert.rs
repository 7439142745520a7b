//! `toInteger` and its kin.
//!
//! A text that is no such value gives null. A value that no conversion takes, a list for instance, is an error,
//! but null with `OrNull` at the end of the name. They take anything because of that: which of it is an error
//! is found at run time.
//!
//! Next: `value_type.rs`.

use super::arguments::{list, value, wrong};
use super::operators::overflow;
use super::{Call, table::functions};
use crate::query::error::Fault;
use crate::value::Value;
use std::borrow::Cow;

functions! {
    "toBoolean"(value: ANY) -> BOOLEAN = to_boolean,
        "The boolean that a text or an integer stands for.", "toBoolean('true')" => "true";
    "toBooleanOrNull"(value: ANY) -> BOOLEAN = to_boolean_or_null,
        "As toBoolean, and null where that is an error.", "toBooleanOrNull([])" => "null";
    "toBooleanList"(list: LIST) -> LIST = to_boolean_list,
        "Each element as by toBooleanOrNull.", "toBooleanList(['true', 0, []])" => "[true, false, null]";
    "toInteger"(value: ANY) -> INTEGER = to_integer,
        "The integer that a text, a float or a boolean stands for; fractions are cut off.",
        "toInteger('42.9')" => "42";
    "toIntegerOrNull"(value: ANY) -> INTEGER = to_integer_or_null,
        "As toInteger, and null where that is an error.", "toIntegerOrNull([])" => "null";
    "toIntegerList"(list: LIST) -> LIST = to_integer_list,
        "Each element as by toIntegerOrNull.", "toIntegerList(['1', 2.5, 'x'])" => "[1, 2, null]";
    "toFloat"(value: ANY) -> FLOAT = to_float,
        "The float that a text or an integer stands for.", "toFloat('1.5')" => "1.5";
    "toFloatOrNull"(value: ANY) -> FLOAT = to_float_or_null,
        "As toFloat, and null where that is an error.", "toFloatOrNull(true)" => "null";
    "toFloatList"(list: LIST | VECTOR) -> LIST = to_float_list,
        "Each element as by toFloatOrNull.", "toFloatList(['1', 2, 'x'])" => "[1.0, 2.0, null]";
    "toString"(value: ANY) -> STRING = to_string,
        "A number, a boolean, a date or a time as a text.", "toString(1.5)" => "'1.5'";
    "toStringOrNull"(value: ANY) -> STRING = to_string_or_null,
        "As toString, and null where that is an error.", "toStringOrNull([])" => "null";
    "toStringList"(list: LIST) -> LIST = to_string_list,
        "Each element as by toStringOrNull.", "toStringList([1, true, []])" => "['1', 'true', null]";
}

/// A value as a text if it is a text, a number, a boolean, a date, a time or a duration.
pub(super) fn printed(value: &Value) -> Option<Cow<'_, str>> {
    Some(match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => Cow::Owned(value.to_string()),
        Value::Date(date) => Cow::Owned(date.to_string()),
        Value::Time(time) => Cow::Owned(time.to_string()),
        Value::LocalTime(time) => Cow::Owned(time.to_string()),
        Value::DateTime(time) => Cow::Owned(time.to_string()),
        Value::LocalDateTime(time) => Cow::Owned(time.to_string()),
        Value::Duration(duration) => Cow::Owned(duration.to_string()),
        _ => return None,
    })
}

/// What a value is as another type: an error if it never can be, null if this one cannot.
type Conversion = fn(&Value) -> Result<Value, Fault>;

fn boolean(value: &Value) -> Result<Value, Fault> {
    match value {
        Value::Null | Value::Bool(_) => Ok(value.clone()),
        Value::Int(number) => Ok(Value::Bool(*number != 0)),
        Value::String(text) => {
            let text = text.trim();
            let is = |word| text.eq_ignore_ascii_case(word);
            Ok((is("true") || is("false")).then(|| is("true")).into())
        }
        other => Err(wrong("a boolean, a string or an integer", other)),
    }
}

fn integer(value: &Value) -> Result<Value, Fault> {
    match value {
        Value::Null | Value::Int(_) => Ok(value.clone()),
        Value::Bool(truth) => Ok(Value::Int(i64::from(*truth))),
        Value::Float(number) => whole(*number),
        Value::String(text) => {
            let text = text.trim();
            match text.parse::<i64>() {
                Ok(number) => Ok(Value::Int(number)),
                Err(_) => match float_of(text) {
                    Some(number) => whole(number),
                    None => Ok(Value::Null),
                },
            }
        }
        other => Err(wrong("a number, a string or a boolean", other)),
    }
}

/// A float without its fraction; null for NaN, which is no integer at all.
fn whole(number: f64) -> Result<Value, Fault> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if number.is_nan() {
        return Ok(Value::Null);
    }
    if !(-BEYOND..BEYOND).contains(&number) {
        return Err(overflow(Value::Float(number)));
    }
    Ok(Value::Int(number as i64))
}

fn float(value: &Value) -> Result<Value, Fault> {
    match value {
        Value::Null | Value::Float(_) => Ok(value.clone()),
        Value::Int(number) => Ok(Value::Float(*number as f64)),
        Value::String(text) => Ok(float_of(text.trim()).into()),
        other => Err(wrong("a number or a string", other)),
    }
}

/// The float that a text is. Rust takes words for infinity and NaN in any case, and takes them short; we take
/// those that we print.
fn float_of(text: &str) -> Option<f64> {
    let digits = text.trim_start_matches(['+', '-']);
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    let is_word = matches!(digits, "Infinity" | "NaN");
    if is_number || is_word {
        text.parse().ok()
    } else {
        None
    }
}

fn string(value: &Value) -> Result<Value, Fault> {
    match value {
        Value::Null | Value::String(_) => Ok(value.clone()),
        other => match printed(other) {
            Some(text) => Ok(Value::from(text.into_owned())),
            None => Err(wrong("a number, a boolean, a date or a time", other)),
        },
    }
}

fn or_null(convert: Conversion, value: &Value) -> Value {
    convert(value).unwrap_or(Value::Null)
}

fn each(convert: Conversion, arguments: &[Value]) -> Result<Value, Fault> {
    let converted = list(arguments, 0)?.iter().map(|one| or_null(convert, one));
    Ok(Value::List(converted.collect()))
}

fn to_boolean(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    boolean(value(arguments, 0))
}

fn to_boolean_or_null(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(or_null(boolean, value(arguments, 0)))
}

fn to_boolean_list(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    each(boolean, arguments)
}

fn to_integer(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    integer(value(arguments, 0))
}

fn to_integer_or_null(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(or_null(integer, value(arguments, 0)))
}

fn to_integer_list(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    each(integer, arguments)
}

fn to_float(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    float(value(arguments, 0))
}

fn to_float_or_null(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(or_null(float, value(arguments, 0)))
}

fn to_float_list(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    if let Value::Vector(vector) = value(arguments, 0) {
        return Ok(Value::from(vector.as_slice().to_vec()));
    }
    each(float, arguments)
}

fn to_string(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    string(value(arguments, 0))
}

fn to_string_or_null(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(or_null(string, value(arguments, 0)))
}

fn to_string_list(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    each(string, arguments)
}
