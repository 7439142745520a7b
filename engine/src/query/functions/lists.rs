//! Functions of lists, and those that lists share with texts.
//!
//! Letters are Unicode code points: `size('é')` is 1.
//!
//! Next: `texts.rs`.

use super::arguments::{list, value, wrong};
use super::operators::with_article;
use super::{Call, Nulls, limits};
use crate::query::error::{Detail, ErrorType, Fault, raise};
use crate::value::Value;

super::table::functions! {
    "size"(of: STRING | LIST | VECTOR | BYTES) -> INTEGER = size,
        "How many elements a list has, or letters a text.", "size([1, 2, 3])" => "3";
    "isEmpty"(of: STRING | LIST | MAP) -> BOOLEAN = is_empty,
        "Whether a list, a map or a text has nothing in it.", "isEmpty([])" => "true";
    "head"(list: LIST) -> ANY = head,
        "The first element of a list.", "head([1, 2, 3])" => "1";
    "last"(list: LIST) -> ANY = last,
        "The last element of a list.", "last([1, 2, 3])" => "3";
    "tail"(list: LIST) -> LIST = tail,
        "A list without its first element.", "tail([1, 2, 3])" => "[2, 3]";
    "reverse"(of: STRING | LIST) -> STRING | LIST = reverse,
        "A list or a text from back to front.", "reverse('abc')" => "'cba'";
    // It takes anything, because an argument of another type is its own kind of error, found at run time.
    "range"(first: ANY, last: ANY; step: ANY) -> LIST = range,
        "The integers from the first to the last, both included.", "range(0, 10, 5)" => "[0, 5, 10]";
    "coalesce"(value: ANY) -> ANY = coalesce,
        "The first of its arguments that is not null; those after it are not computed.", "coalesce(null, 2, 3)" => "2"
        [variadic: true, nulls: Nulls::FirstKnown];
    "nullIf"(value: ANY, unwanted: ANY) -> ANY = null_if,
        "Null if both are equal, and the first otherwise.", "nullIf('', '')" => "null"
        [nulls: Nulls::Taken];
}

fn size(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let size = match value(arguments, 0) {
        Value::String(text) => text.chars().count(),
        Value::List(list) => list.len(),
        Value::Vector(vector) => vector.dimension(),
        Value::Bytes(bytes) => bytes.len(),
        other => return Err(wrong("a list or a string", other)),
    };
    Ok(Value::Int(size as i64))
}

fn is_empty(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(Value::Bool(match value(arguments, 0) {
        Value::String(text) => text.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        other => return Err(wrong("a list, a map or a string", other)),
    }))
}

fn head(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(list(arguments, 0)?.first().cloned().into())
}

fn last(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(list(arguments, 0)?.last().cloned().into())
}

fn tail(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let tail = list(arguments, 0)?.get(1..).unwrap_or_default();
    Ok(Value::List(tail.into()))
}

fn reverse(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    match value(arguments, 0) {
        Value::String(text) => Ok(text.chars().rev().collect::<String>().into()),
        Value::List(list) => Ok(Value::List(list.iter().rev().cloned().collect())),
        other => Err(wrong("a list or a string", other)),
    }
}

fn range(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let (first, last) = (whole(value(arguments, 0))?, whole(value(arguments, 1))?);
    let step = arguments.get(2).map_or(Ok(1), whole)?;
    if step == 0 {
        return Err(raise(
            Detail::NumberOutOfRange,
            "a range cannot have the step 0",
        ));
    }
    let (first, last, step) = (i128::from(first), i128::from(last), i128::from(step));
    // Towards the last; a step that leads away from it makes an empty list.
    let steps = (last - first) / step;
    let leads_away = (last - first).signum() == -step.signum();
    let count = if leads_away { 0 } else { steps + 1 };
    limits::list(usize::try_from(count).unwrap_or(usize::MAX))?;
    // Every number lies between the first and the last, so it fits.
    let numbers = (0..count).map(|at| Value::Int((first + at * step) as i64));
    Ok(Value::List(numbers.collect()))
}

fn whole(value: &Value) -> Result<i64, Fault> {
    value.as_int().ok_or_else(|| {
        let kind = with_article(value.kind());
        let message = format!("a range goes from integer to integer, and this is {kind}");
        raise(Detail::InvalidArgumentType, message).of_type(ErrorType::ArgumentError)
    })
}

fn coalesce(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    Ok(arguments.iter().find(|one| !one.is_null()).cloned().into())
}

fn null_if(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let (value, unwanted) = (value(arguments, 0), value(arguments, 1));
    if value.equals(unwanted) == Some(true) {
        return Ok(Value::Null);
    }
    Ok(value.clone())
}
