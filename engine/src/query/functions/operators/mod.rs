//! `+`, `<`, `IN` and their kin over values.
//!
//! Nothing here knows rows or expressions: values in, a value out. Null stands for something unknown, so
//! nearly everything gives null for null; a value of a type that an operator does not take is an error, except
//! in comparisons and text predicates, which do not know either.
//!
//! | what | where |
//! |---|---|
//! | `+ - * / % ^ \|\|` and the signs | `arithmetic.rs` |
//! | `+` and `\|\|` of texts and lists | `join.rs` |
//! | `= <> < <= > >=` and `IN` | `comparison.rs` |
//! | `AND OR XOR NOT` | `logic.rs` |
//! | `STARTS WITH`, `ENDS WITH`, `CONTAINS` | `text.rs` |
//! | `=~` | `pattern.rs` |
//! | `[i]`, `[from..to]` | `element.rs` |
//!
//! Next: `arithmetic.rs`.

mod arithmetic;
mod comparison;
mod element;
mod join;
mod logic;
mod pattern;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use arithmetic::{arithmetic, negate, overflow, plus};
pub(crate) use comparison::{compare, is_in};
pub(crate) use element::{index, slice};
pub(crate) use logic::{and, not, or, truth, xor};
pub(crate) use pattern::matches;
pub(crate) use text::{contains, ends_with, starts_with};

use crate::query::error::{Detail, Fault, raise};
use crate::value::{Value, ValueKind};

/// The error for operands that an operator does not take.
fn not_taken(operator: &str, left: &Value, right: &Value) -> Fault {
    let (left, right) = (with_article(left.kind()), with_article(right.kind()));
    raise(
        Detail::InvalidArgumentType,
        format!("`{operator}` does not take {left} and {right}"),
    )
}

/// The name of a kind as it stands in a sentence: "a list", "an integer".
pub(crate) fn with_article(kind: ValueKind) -> String {
    match kind {
        ValueKind::Null | ValueKind::Bytes => kind.name().to_owned(),
        ValueKind::Integer => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}
