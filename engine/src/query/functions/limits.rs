//! How large one value may become.
//!
//! A query of a few words could ask for a list of 10^18 numbers or double a text forty times. What computes a
//! value asks here before it takes the memory, and never after.
//!
//! Next: `arguments.rs`.

use crate::query::error::{Detail, Fault, raise};
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most elements that a function or an operator puts into one list.
pub(crate) const LIST_ELEMENTS: usize = 10_000_000;

/// The most bytes that a function or an operator puts into one text.
pub(crate) const TEXT_BYTES: usize = 128 << 20;

/// The most values that one value has in it, counted as often as they are in it: a list that holds another
/// one twice, which holds a third one twice, takes little memory and for ever to compare or to print.
const VALUES_INSIDE: usize = 2 * LIST_ELEMENTS;

/// A list of some values.
pub(crate) fn list_of(values: Vec<Value>) -> Result<Value, Fault> {
    inside(values.iter())?;
    Ok(Value::list(values)?)
}

/// A map with some entries.
pub(crate) fn map_of(entries: BTreeMap<Arc<str>, Value>) -> Result<Value, Fault> {
    inside(entries.values())?;
    Ok(Value::map(entries)?)
}

/// Whether some values may be in one.
fn inside<'a>(values: impl Iterator<Item = &'a Value>) -> Result<(), Fault> {
    let mut left = VALUES_INSIDE;
    for value in values {
        if !count(value, &mut left) {
            let message = format!("the value would have more than {VALUES_INSIDE} values in it");
            return Err(raise(Detail::MemoryLimit, message).hint("work on rows instead"));
        }
    }
    Ok(())
}

/// Takes a value and what is in it off what is left; whether there was enough. As deep as the value.
fn count(value: &Value, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1) else {
        return false;
    };
    *left = rest;
    match value {
        Value::List(elements) => elements.iter().all(|one| count(one, left)),
        Value::Map(entries) => entries.values().all(|one| count(one, left)),
        _ => true,
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_doubles_itself_is_refused_before_it_takes_for_ever() {
        let mut value = Value::from(1);
        let mut depth = 0;
        while let Ok(doubled) = list_of(vec![value.clone(), value.clone()]) {
            value = doubled;
            depth += 1;
        }
        assert!((20..30).contains(&depth), "refused after {depth}");
    }
}
