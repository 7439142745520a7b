//! Functions of vectors: how near two are, and making one.
//!
//! Lists of numbers are taken for vectors. A vector that is null, or has no direction where only that counts, is
//! near to nothing: the result is null.
//!
//! Next: `aggregate/mod.rs`.

use super::Call;
use super::arguments::{count, text, value};
use crate::query::error::{Detail, Fault, raise};
use crate::query::similarity::{self, numbers};
use crate::value::Value;
use stratigraph_vector::Metric;

super::table::functions! {
    "vector.cosine"(a: VECTOR | LIST, b: VECTOR | LIST) -> FLOAT = cosine,
        "The cosine of the angle between two vectors, from -1 to 1; null if one has no direction.",
        "vector.cosine([3, 4], [4, 3])" => "0.9599999785423279";
    "vector.dot"(a: VECTOR | LIST, b: VECTOR | LIST) -> FLOAT = dot,
        "The dot product of two vectors, any number.", "vector.dot([1, 2], [3, 4])" => "11.0";
    "vector.l2"(a: VECTOR | LIST, b: VECTOR | LIST) -> FLOAT = l2,
        "The Euclidean distance between two vectors, from 0 on; less is nearer.",
        "vector.l2([0, 0], [3, 4])" => "5.0";
    "vector.similarity.cosine"(a: VECTOR | LIST, b: VECTOR | LIST) -> FLOAT = similar_by_cosine,
        "(1 + cosine) / 2 of two vectors, from 0 to 1: the score of searches in an index of cosines.",
        "vector.similarity.cosine([1, 0], [0, 1])" => "0.5";
    "vector.similarity.euclidean"(a: VECTOR | LIST, b: VECTOR | LIST) -> FLOAT = similar_by_distance,
        "1 / (1 + distance squared) of two vectors, from 0 to 1: the score of searches in an index of distances.",
        "vector.similarity.euclidean([0, 0], [1, 0])" => "0.5";
    "vector"(numbers: VECTOR | LIST; dimension: INTEGER, coordinateType: STRING) -> VECTOR = vector,
        "A vector of the numbers of a list, which are kept in 32 bits; of so many, if it is said how many.",
        "vector([1, 0.5], 2, 'FLOAT32')" => "vector([1.0, 0.5])";
    "vector_dimension_count"(vector: VECTOR | LIST) -> INTEGER = dimension_count,
        "How many numbers a vector has.", "vector_dimension_count(vector([1, 0.5]))" => "2";
}

/// A measure of the numbers of two vectors; null if one of them is none.
fn of_two<T: Into<Value>>(
    arguments: &[Value],
    measure: impl Fn(&[f32], &[f32]) -> Result<Option<T>, Fault>,
) -> Result<Value, Fault> {
    let (left, right) = (numbers(value(arguments, 0))?, numbers(value(arguments, 1))?);
    let (Some(left), Some(right)) = (left, right) else {
        return Ok(Value::Null);
    };
    Ok(measure(&left, &right)?.map_or(Value::Null, Into::into))
}

fn cosine(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    of_two(arguments, similarity::cosine)
}

fn dot(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    of_two(arguments, similarity::dot)
}

fn l2(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    of_two(arguments, |left, right| {
        let square = similarity::squared_l2(left, right)?;
        Ok(square.map(|square| f64::from(square.sqrt())))
    })
}

fn similar_by_cosine(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    of_two(arguments, |left, right| {
        let cosine = similarity::cosine(left, right)?;
        // It came from 32 bits, so nothing is lost on the way back.
        Ok(cosine.map(|cosine| similarity::scaled(Metric::Cosine, cosine as f32)))
    })
}

fn similar_by_distance(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    of_two(arguments, |left, right| {
        let square = similarity::squared_l2(left, right)?;
        Ok(square.map(|square| similarity::scaled(Metric::Euclidean, square)))
    })
}

fn vector(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let Some(made) = similarity::vector(value(arguments, 0))? else {
        return Ok(Value::Null);
    };
    if arguments.len() > 1 {
        let wanted = count(arguments, 1)?;
        if made.dimension() != wanted {
            let fault = similarity::mismatch(wanted, made.dimension());
            return Err(fault.hint("the second argument says how many numbers there are"));
        }
    }
    if arguments.len() > 2 {
        let of = text(arguments, 2)?;
        let known = ["FLOAT32", "FLOAT"];
        if !known.iter().any(|known| known.eq_ignore_ascii_case(of)) {
            let message = format!("vectors hold numbers of type FLOAT32, and not {of}");
            return Err(raise(Detail::InvalidArgumentValue, message).hint("leave the type out"));
        }
    }
    Ok(made.into())
}

fn dimension_count(_: &Call<'_>, arguments: &[Value]) -> Result<Value, Fault> {
    let vector = similarity::vector(value(arguments, 0))?;
    Ok(vector.map_or(Value::Null, |vector| Value::from(vector.dimension() as i64)))
}
