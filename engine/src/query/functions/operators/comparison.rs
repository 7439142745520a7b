//! `= <> < <= > >=` and `IN`, which do not always know.
//!
//! What is equal and what comes first is decided by `value/equality.rs`; here are the operators over it.
//!
//! Next: `logic.rs`.

use super::with_article;
use crate::query::error::{Detail, Fault, raise};
use crate::value::{Comparison, Value};
use std::cmp::Ordering;
use stratigraph_query_lang::ast::ComparisonOperator;

/// What a comparison gives: true, false, or null where nobody knows.
pub(crate) fn compare(operator: ComparisonOperator, left: &Value, right: &Value) -> Value {
    let holds: fn(Ordering) -> bool = match operator {
        ComparisonOperator::Equal => return left.equals(right).into(),
        ComparisonOperator::NotEqual => return left.equals(right).map(|equal| !equal).into(),
        ComparisonOperator::Less => Ordering::is_lt,
        ComparisonOperator::LessOrEqual => Ordering::is_le,
        ComparisonOperator::Greater => Ordering::is_gt,
        ComparisonOperator::GreaterOrEqual => Ordering::is_ge,
    };
    match left.comparison(right) {
        Comparison::Ordered(order) => Value::Bool(holds(order)),
        Comparison::Unordered => Value::Bool(false),
        Comparison::Unknown => Value::Null,
    }
}

/// `element IN list`: true if one is equal, null if one might be, false if none is.
pub(crate) fn is_in(element: &Value, list: &Value) -> Result<Value, Fault> {
    let elements = match list {
        Value::Null => return Ok(Value::Null),
        Value::List(elements) => elements,
        other => {
            let kind = with_article(other.kind());
            return Err(raise(
                Detail::InvalidArgumentType,
                format!("to the right of IN stands a list, and this is {kind}"),
            ));
        }
    };
    let mut unknown = false;
    for one in elements.iter() {
        match element.equals(one) {
            Some(true) => return Ok(Value::Bool(true)),
            Some(false) => {}
            None => unknown = true,
        }
    }
    Ok(if unknown {
        Value::Null
    } else {
        Value::Bool(false)
    })
}
