//! Functions of numbers but for rounding and angles.
//!
//! What is not a number is NaN, not an error: `sqrt(-1)`. Only integers that do not fit are errors.
//!
//! Next: `rounding.rs`.

use super::Call;
use super::arguments::{number, value, wrong};
use super::operators::overflow;
use crate::query::error::Fault;
use crate::value::Value;

super::table::functions! {
    "abs"(number: INTEGER | FLOAT) -> INTEGER | FLOAT = abs,
        "A number without its sign.", "abs(-5)" => "5";
    "sign"(number: INTEGER | FLOAT) -> INTEGER = sign,
        "1, 0 or -1, as the number is positive, zero or negative.", "sign(-5)" => "-1";
    "isNaN"(number: INTEGER | FLOAT) -> BOOLEAN = is_nan,
        "Whether a number is NaN.", "isNaN(sqrt(-1))" => "true";
    "sqrt"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::sqrt),
        "The square root.", "sqrt(2.25)" => "1.5";
    "exp"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::exp),
        "e to this power.", "exp(0)" => "1.0";
    "log"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::ln),
        "The natural logarithm.", "log(1)" => "0.0";
    "ln"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::ln),
        "The natural logarithm.", "ln(1)" => "0.0";
    "log10"(number: INTEGER | FLOAT) -> FLOAT = |_, arguments| of(arguments, f64::log10),
        "The logarithm to base 10.", "log10(1000)" => "3.0";
    "e"() -> FLOAT = |_, _| Ok(Value::Float(std::f64::consts::E)),
        "The base of the natural logarithm.", "e()" => "2.718281828459045";
    "pi"() -> FLOAT = |_, _| Ok(Value::Float(std::f64::consts::PI)),
        "The ratio of a circle's circumference to its diameter.", "pi()" => "3.141592653589793";
}

/// What `function` gives of the first argument as a float.
pub(super) fn of(arguments: &[Value], function: fn(f64) -> f64) -> Result<Value, Fault> {
    Ok(Value::Float(function(number(arguments, 0)?)))
}

fn abs(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    match value(arguments, 0) {
        Value::Int(number) => match number.checked_abs() {
            Some(without_sign) => Ok(Value::Int(without_sign)),
            None => Err(overflow(format!("abs({number})"))),
        },
        Value::Float(number) => Ok(Value::Float(number.abs())),
        other => Err(wrong("a number", other)),
    }
}

fn sign(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    match value(arguments, 0) {
        Value::Int(number) => Ok(Value::Int(number.signum())),
        Value::Float(number) if *number > 0.0 => Ok(Value::Int(1)),
        Value::Float(number) if *number < 0.0 => Ok(Value::Int(-1)),
        Value::Float(_) => Ok(Value::Int(0)),
        other => Err(wrong("a number", other)),
    }
}

fn is_nan(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(Value::Bool(number(arguments, 0)?.is_nan()))
}
