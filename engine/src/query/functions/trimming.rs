//! `trim` and its kin: white space, or any letters that are named, taken off the ends.
//!
//! Next: `numbers.rs`.

use super::arguments::text;
use crate::query::error::Fault;
use crate::value::Value;
use std::collections::HashSet;

super::table::functions! {
    "trim"(text: STRING; letters: STRING) -> STRING = |_, arguments| trimmed(arguments, true, true),
        "A text without white space, or these letters, at both ends.", "trim('  hello ')" => "'hello'";
    "btrim"(text: STRING; letters: STRING) -> STRING = |_, arguments| trimmed(arguments, true, true),
        "A text without white space, or these letters, at both ends.", "btrim('xyhelloyx', 'xy')" => "'hello'";
    "ltrim"(text: STRING; letters: STRING) -> STRING = |_, arguments| trimmed(arguments, true, false),
        "A text without white space, or these letters, at its start.", "ltrim('  hello ')" => "'hello '";
    "rtrim"(text: STRING; letters: STRING) -> STRING = |_, arguments| trimmed(arguments, false, true),
        "A text without white space, or these letters, at its end.", "rtrim('  hello ')" => "'  hello'";
}

fn trimmed(arguments: &[Value], start: bool, end: bool) -> Result<Value, Fault> {
    let letters = if arguments.len() > 1 {
        Some(text(arguments, 1)?)
    } else {
        None
    };
    // A set, since both texts may be long.
    let letters: Option<HashSet<char>> = letters.map(|these| these.chars().collect());
    let goes = |letter: char| match &letters {
        Some(these) => these.contains(&letter),
        None => letter.is_whitespace(),
    };
    let mut kept = text(arguments, 0)?;
    if start {
        kept = kept.trim_start_matches(goes);
    }
    if end {
        kept = kept.trim_end_matches(goes);
    }
    Ok(Value::from(kept))
}
