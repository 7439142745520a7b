//! `of[index]` and `of[from..to]`.
//!
//! Places are counted from 0, and from the end where they are negative. Beyond either end there is nothing,
//! which is no error: null, or a shorter list. Nodes and relationships are the evaluator's, which has the graph.
//!
//! Next: `../mod.rs`.

use super::with_article;
use crate::query::error::{Detail, Fault, raise};
use crate::value::Value;

/// `of[index]` of a list, a vector or a map.
pub(crate) fn index(of: &Value, index: &Value) -> Result<Value, Fault> {
    match (of, index) {
        (Value::List(_) | Value::Vector(_) | Value::Map(_), Value::Null) => Ok(Value::Null),
        (Value::List(list), Value::Int(at)) => {
            let at = place(*at, list.len());
            Ok(at.and_then(|at| list.get(at)).cloned().into())
        }
        (Value::Vector(vector), Value::Int(at)) => {
            let numbers = vector.as_slice();
            let at = place(*at, numbers.len());
            Ok(at.and_then(|at| numbers.get(at)).copied().into())
        }
        (Value::Map(entries), Value::String(key)) => Ok(entries.get(key).cloned().into()),
        (Value::List(_) | Value::Vector(_), other) => Err(raise(
            Detail::ListElementAccessByNonInteger,
            format!(
                "elements of a list are found by an integer, not by {}",
                with_article(other.kind())
            ),
        )),
        (Value::Map(_), other) => Err(raise(
            Detail::MapElementAccessByNonString,
            format!(
                "entries of a map are found by a string, not by {}",
                with_article(other.kind())
            ),
        )),
        (Value::Null, _) => Ok(Value::Null),
        (other, _) => Err(raise(
            Detail::InvalidArgumentType,
            format!("{} has no elements", with_article(other.kind())),
        )),
    }
}

/// `of[from..to]` of a list; an end that is not said is the list's own.
pub(crate) fn slice(of: &Value, from: Option<&Value>, to: Option<&Value>) -> Result<Value, Fault> {
    let list = match of {
        Value::Null => return Ok(Value::Null),
        Value::List(list) => list,
        other => {
            let kind = with_article(other.kind());
            let message = format!("a part can be taken of a list, and this is {kind}");
            return Err(raise(Detail::InvalidArgumentType, message));
        }
    };
    let (Some(from), Some(to)) = (
        bound(from, 0, list.len())?,
        bound(to, list.len(), list.len())?,
    ) else {
        return Ok(Value::Null);
    };
    let part = list.get(from..to).unwrap_or_default();
    Ok(Value::List(part.into()))
}

/// The place of an index; `None` before the beginning. It may lie beyond the end.
fn place(index: i64, length: usize) -> Option<usize> {
    let from = if index < 0 { length as i64 } else { 0 };
    usize::try_from(from.saturating_add(index)).ok()
}

/// Where a part begins or ends, within the list; `None` for null.
fn bound(index: Option<&Value>, unsaid: usize, length: usize) -> Result<Option<usize>, Fault> {
    match index {
        None => Ok(Some(unsaid)),
        Some(Value::Null) => Ok(None),
        Some(Value::Int(index)) => Ok(Some(place(*index, length).unwrap_or(0).min(length))),
        Some(other) => Err(raise(
            Detail::ListElementAccessByNonInteger,
            format!(
                "a part of a list goes from integer to integer, and this is {}",
                with_article(other.kind())
            ),
        )),
    }
}
