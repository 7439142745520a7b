//! Functions of texts but for trimming.
//!
//! Letters are Unicode code points.
//!
//! Next: `trimming.rs`.

use super::arguments::{count, text, value, wrong};
use super::{Call, limits};
use crate::query::error::{Detail, Fault, raise};
use crate::value::Value;
use unicode_normalization::UnicodeNormalization;

super::table::functions! {
    "left"(text: STRING, length: INTEGER) -> STRING = left,
        "The first letters of a text.", "left('hello', 3)" => "'hel'";
    "right"(text: STRING, length: INTEGER) -> STRING = right,
        "The last letters of a text.", "right('hello', 3)" => "'llo'";
    "substring"(text: STRING, start: INTEGER; length: INTEGER) -> STRING = substring,
        "Part of a text, from a place that is counted from 0.", "substring('hello', 1, 3)" => "'ell'";
    "split"(text: STRING, separator: STRING | LIST) -> LIST = split,
        "The parts of a text between separators; without a separator its letters.",
        "split('one,two', ',')" => "['one', 'two']";
    "replace"(text: STRING, search: STRING, replacement: STRING; limit: INTEGER) -> STRING = replace,
        "A text with every occurrence of another replaced.", "replace('hello', 'l', 'w')" => "'hewwo'";
    "toUpper"(text: STRING) -> STRING = upper,
        "A text in capital letters.", "toUpper('hello')" => "'HELLO'";
    "upper"(text: STRING) -> STRING = upper,
        "A text in capital letters.", "upper('hello')" => "'HELLO'";
    "toLower"(text: STRING) -> STRING = lower,
        "A text in small letters.", "toLower('HELLO')" => "'hello'";
    "lower"(text: STRING) -> STRING = lower,
        "A text in small letters.", "lower('HELLO')" => "'hello'";
    "char_length"(text: STRING) -> INTEGER = length,
        "How many letters a text has.", "char_length('hello')" => "5";
    "character_length"(text: STRING) -> INTEGER = length,
        "How many letters a text has.", "character_length('hello')" => "5";
    "normalize"(text: STRING; form: STRING) -> STRING = normalize,
        "A text in a normal form of Unicode: NFC, NFD, NFKC or NFKD.",
        "normalize('ﬁ', 'NFKC')" => "'fi'";
}

/// The most separators that a text is split at: each is looked for at each letter.
const SEPARATORS: usize = 1_000;

/// The text from one letter to another, which is left out.
fn part(text: &str, from: usize, to: usize) -> &str {
    let byte = |letter| {
        text.char_indices()
            .nth(letter)
            .map_or(text.len(), |(at, _)| at)
    };
    let to = byte(to);
    text.get(byte(from).min(to)..to).unwrap_or_default()
}

fn left(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(Value::from(part(
        text(arguments, 0)?,
        0,
        count(arguments, 1)?,
    )))
}

fn right(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let (text, length) = (text(arguments, 0)?, count(arguments, 1)?);
    let letters = text.chars().count();
    Ok(Value::from(part(
        text,
        letters.saturating_sub(length),
        letters,
    )))
}

fn substring(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let (text, start) = (text(arguments, 0)?, count(arguments, 1)?);
    let length = if arguments.len() > 2 {
        count(arguments, 2)?
    } else {
        usize::MAX
    };
    Ok(Value::from(part(text, start, start.saturating_add(length))))
}

fn split(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let text = text(arguments, 0)?;
    let separators: Vec<&str> = match value(arguments, 1) {
        Value::String(separator) => vec![separator],
        Value::List(list) if list.iter().any(Value::is_null) => return Ok(Value::Null),
        Value::List(list) if list.len() > SEPARATORS => {
            let message = format!("a text cannot be split at more than {SEPARATORS} separators");
            return Err(raise(Detail::InvalidArgumentValue, message));
        }
        Value::List(list) => {
            let texts = list
                .iter()
                .map(|one| one.as_str().ok_or_else(|| wrong("a string", one)));
            texts.collect::<Result<_, _>>()?
        }
        other => return Err(wrong("a string or a list of them", other)),
    };
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = cut(rest, &separators) {
        limits::list(parts.len() + 2)?;
        parts.push(Value::from(before));
        rest = after;
    }
    parts.push(Value::from(rest));
    Ok(Value::from(parts))
}

/// The text before and after the first separator; an empty one stands behind every letter but the last.
///
/// One that never comes is looked for at every letter anew, and not to the end of the text every time, which
/// would be quadratic.
fn cut<'a>(text: &'a str, separators: &[&str]) -> Option<(&'a str, &'a str)> {
    let (from, to) = match separators {
        [separator] if !separator.is_empty() => {
            let at = text.find(*separator)?;
            (at, at + separator.len())
        }
        _ => text.char_indices().find_map(|(at, _)| {
            let rest = text.get(at..)?;
            let stands_here = |one: &&&str| rest.starts_with(**one) && (at > 0 || !one.is_empty());
            let separator = separators.iter().find(stands_here)?;
            Some((at, at + separator.len()))
        })?,
    };
    Some((text.get(..from)?, text.get(to..)?))
}

fn replace(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let (source, search, replacement) = (
        text(arguments, 0)?,
        text(arguments, 1)?,
        text(arguments, 2)?,
    );
    let limit = if arguments.len() > 3 {
        count(arguments, 3)?
    } else {
        usize::MAX
    };
    let found = source.matches(search).take(limit).count();
    let added = replacement.len().saturating_sub(search.len());
    limits::text(source.len().saturating_add(found.saturating_mul(added)))?;
    Ok(Value::from(source.replacen(search, replacement, limit)))
}

fn upper(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(Value::from(text(arguments, 0)?.to_uppercase()))
}

fn lower(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(Value::from(text(arguments, 0)?.to_lowercase()))
}

fn length(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(Value::Int(text(arguments, 0)?.chars().count() as i64))
}

fn normalize(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let source = text(arguments, 0)?;
    let form = if arguments.len() > 1 {
        text(arguments, 1)?
    } else {
        "NFC"
    };
    let normal: String = match form.to_ascii_uppercase().as_str() {
        "NFC" => source.nfc().collect(),
        "NFD" => source.nfd().collect(),
        "NFKC" => source.nfkc().collect(),
        "NFKD" => source.nfkd().collect(),
        _ => {
            let message = format!("there is no normal form named '{form}'");
            return Err(raise(Detail::InvalidArgumentValue, message).hint("NFC, NFD, NFKC or NFKD"));
        }
    };
    Ok(Value::from(normal))
}
