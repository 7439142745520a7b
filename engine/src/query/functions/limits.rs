//! How large one value may become.
//!
//! A query of a few words could ask for a list of 10^18 numbers or double a text forty times. What computes a
//! value asks here before it takes the memory, and never after.
//!
//! Next: `arguments.rs`.

use crate::query::error::{Detail, Fault, raise};
use crate::value::Value;

/// The most elements that a function or an operator puts into one list.
pub(crate) const LIST_ELEMENTS: usize = 10_000_000;

/// The most bytes that a function or an operator puts into one text.
pub(crate) const TEXT_BYTES: usize = 128 << 20;

/// How many values are looked at to tell how large one is: shared parts would be counted again and again.
const LOOKED_AT: usize = 1_000;

/// Whether a list may have so many elements.
pub(crate) fn list(elements: usize) -> Result<(), Fault> {
    if elements <= LIST_ELEMENTS {
        return Ok(());
    }
    let message = format!("the list would have more than {LIST_ELEMENTS} elements");
    Err(raise(Detail::MemoryLimit, message).hint("work on smaller lists, or on rows instead"))
}

/// Whether a text may have so many bytes.
pub(crate) fn text(bytes: usize) -> Result<(), Fault> {
    if bytes <= TEXT_BYTES {
        return Ok(());
    }
    let message = format!("the text would have more than {TEXT_BYTES} bytes");
    Err(raise(Detail::MemoryLimit, message).hint("work on shorter texts, or on lists of them"))
}

/// About how many bytes a value takes.
pub(crate) fn bytes(value: &Value) -> usize {
    let mut left = LOOKED_AT;
    weigh(value, &mut left)
}

/// As deep as the value; no more than `left` values are looked into.
fn weigh(value: &Value, left: &mut usize) -> usize {
    *left = left.saturating_sub(1);
    let held = match value {
        Value::String(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::Vector(vector) => size_of_val(vector.as_slice()),
        Value::DateTime(_) | Value::Duration(_) => 40,
        Value::List(elements) => {
            let looked = elements.len().min(*left);
            let inside: usize = elements
                .iter()
                .take(looked)
                .map(|one| weigh(one, left))
                .sum();
            inside + (elements.len() - looked) * size_of::<Value>()
        }
        Value::Map(entries) => {
            let looked = entries.len().min(*left);
            let one =
                |(key, value): (&std::sync::Arc<str>, &Value)| key.len() + 32 + weigh(value, left);
            let inside: usize = entries.iter().take(looked).map(one).sum();
            inside + (entries.len() - looked) * 4 * size_of::<Value>()
        }
        Value::Path(path) => 32 * path.nodes().len(),
        _ => 0,
    };
    size_of::<Value>() + held
}
