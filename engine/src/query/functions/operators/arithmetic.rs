//! `+ - * / % ^`, and the signs.
//!
//! Integers never wrap: what does not fit is an error. Floats never fail: they become infinite or NaN. Where
//! an integer meets a float, both are floats.
//!
//! Next: `join.rs`, for `+` of texts and lists.

use super::{join, not_taken, with_article};
use crate::query::error::{Detail, Fault, raise};
use crate::query::temporal::arithmetic as times;
use crate::value::Value;
use stratigraph_query_lang::ast::ArithmeticOperator;

/// What an arithmetic operator gives.
pub(crate) fn arithmetic(
    operator: ArithmeticOperator,
    left: &Value,
    right: &Value,
) -> Result<Value, Fault> {
    match (left, right) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (Value::Int(left), Value::Int(right)) => of_integers(operator, *left, *right),
        (Value::Int(left), Value::Float(right)) => of_floats(operator, *left as f64, *right),
        (Value::Float(left), Value::Int(right)) => of_floats(operator, *left, *right as f64),
        (Value::Float(left), Value::Float(right)) => of_floats(operator, *left, *right),
        _ => match operator {
            // Texts and lists first: they take dates and times as any other value.
            ArithmeticOperator::Add => join::added(left, right)
                .or_else(|| of_times(operator, left, right))
                .unwrap_or_else(|| Err(not_taken("+", left, right))),
            ArithmeticOperator::Concatenate => {
                join::concatenated(left, right).unwrap_or_else(|| Err(not_taken("||", left, right)))
            }
            _ => of_times(operator, left, right)
                .unwrap_or_else(|| Err(not_taken(operator.symbol(), left, right))),
        },
    }
}

/// `-value`.
pub(crate) fn negate(value: &Value) -> Result<Value, Fault> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::Int(number) => {
            let negated = number.checked_neg().map(Value::Int);
            negated.ok_or_else(|| overflow(format!("-({number})")))
        }
        Value::Float(number) => Ok(Value::Float(-number)),
        Value::Duration(_) => arithmetic(ArithmeticOperator::Multiply, value, &Value::Int(-1)),
        _ => Err(unsigned("-", value)),
    }
}

/// `+value`.
pub(crate) fn plus(value: &Value) -> Result<Value, Fault> {
    match value {
        Value::Null | Value::Int(_) | Value::Float(_) | Value::Duration(_) => Ok(value.clone()),
        _ => Err(unsigned("+", value)),
    }
}

fn unsigned(sign: &str, value: &Value) -> Fault {
    let kind = with_article(value.kind());
    raise(
        Detail::InvalidArgumentType,
        format!("`{sign}` before {kind} means nothing"),
    )
}

fn of_integers(operator: ArithmeticOperator, left: i64, right: i64) -> Result<Value, Fault> {
    let result = match operator {
        ArithmeticOperator::Add => left.checked_add(right),
        ArithmeticOperator::Subtract => left.checked_sub(right),
        ArithmeticOperator::Multiply => left.checked_mul(right),
        ArithmeticOperator::Divide | ArithmeticOperator::Remainder if right == 0 => {
            let message = format!("{left} {} 0 has no result", operator.symbol());
            return Err(raise(Detail::DivisionByZero, message)
                .hint("divide by a float, as in `x / 0.0`, to get infinity"));
        }
        ArithmeticOperator::Divide => left.checked_div(right),
        // The one case that overflows on the way, the smallest by -1, has the result 0.
        ArithmeticOperator::Remainder => Some(left.wrapping_rem(right)),
        ArithmeticOperator::Power => return of_floats(operator, left as f64, right as f64),
        ArithmeticOperator::Concatenate => None,
    };
    match (result, operator) {
        (Some(result), _) => Ok(Value::Int(result)),
        (None, ArithmeticOperator::Concatenate) => {
            Err(not_taken("||", &Value::Int(left), &Value::Int(right)))
        }
        (None, _) => Err(overflow(format!("{left} {} {right}", operator.symbol()))),
    }
}

fn of_floats(operator: ArithmeticOperator, left: f64, right: f64) -> Result<Value, Fault> {
    Ok(Value::Float(match operator {
        ArithmeticOperator::Add => left + right,
        ArithmeticOperator::Subtract => left - right,
        ArithmeticOperator::Multiply => left * right,
        ArithmeticOperator::Divide => left / right,
        ArithmeticOperator::Remainder => left % right,
        ArithmeticOperator::Power => left.powf(right),
        ArithmeticOperator::Concatenate => {
            return Err(not_taken("||", &Value::Float(left), &Value::Float(right)));
        }
    }))
}

/// What the operator gives if one operand is a date, a time or a duration; `None` if it does not take both.
fn of_times(
    operator: ArithmeticOperator,
    left: &Value,
    right: &Value,
) -> Option<Result<Value, Fault>> {
    match operator {
        ArithmeticOperator::Add => times::add(left, right),
        ArithmeticOperator::Subtract => times::subtract(left, right),
        ArithmeticOperator::Multiply => times::multiply(left, right),
        ArithmeticOperator::Divide => times::divide(left, right),
        _ => None,
    }
}

/// The error for an integer that does not fit, as the result of `what`.
pub(crate) fn overflow(what: impl std::fmt::Display) -> Fault {
    raise(
        Detail::IntegerOverflow,
        format!("{what} does not fit into an integer of 64 bits"),
    )
    .hint("compute with floats: toFloat(x)")
}
