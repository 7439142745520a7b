//! `AND`, `OR`, `XOR`, `NOT`: three-valued, `None` is unknown.
//!
//! The evaluator folds with these, so that it can stop where the result is certain.
//!
//! Next: `text.rs`.

use super::with_article;
use crate::query::error::{Detail, Fault, raise};
use crate::value::Value;

/// Whether a value is true; `None` for null.
///
/// # Errors
///
/// `InvalidArgumentType` if it is neither a boolean nor null.
pub(crate) fn truth(value: &Value) -> Result<Option<bool>, Fault> {
    match value {
        Value::Bool(truth) => Ok(Some(*truth)),
        Value::Null => Ok(None),
        other => {
            let kind = with_article(other.kind());
            let message = format!("a boolean is needed here, and this is {kind}");
            Err(raise(Detail::InvalidArgumentType, message))
        }
    }
}

/// `NOT value`.
pub(crate) fn not(value: &Value) -> Result<Value, Fault> {
    Ok(truth(value)?.map(|truth| !truth).into())
}

/// `left AND right`: false wins over unknown.
pub(crate) fn and(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// `left OR right`: true wins over unknown.
pub(crate) fn or(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    match (left, right) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// `left XOR right`: unknown if either is.
pub(crate) fn xor(left: Option<bool>, right: Option<bool>) -> Option<bool> {
    Some(left? != right?)
}
