//! How near two vectors are: raw, and on the scale on which indexes are asked.
//!
//! Everything here goes through the kernels of the vector index, in 32 bits and in their one order of adding, so
//! that a function, an index and a traversal give the same score for the same vectors, bit for bit.
//!
//! | metric | raw | on the scale of searches |
//! |---|---|---|
//! | cosine | from -1 to 1 | (1 + cosine) / 2, from 0 to 1 |
//! | Euclidean | the distance, from 0 on | 1 / (1 + distance squared), from 0 to 1 |
//! | dot product | any number | the same: it has no bounds |
//!
//! Next: `functions/vectors.rs`.

use super::error::{Detail, Fault, raise};
use crate::value::{Value, Vector};
use std::borrow::Cow;
use stratigraph_vector::{Kernels, Metric};

/// The raw cosine; nothing if one of them has no direction.
pub(crate) fn cosine(left: &[f32], right: &[f32]) -> Result<Option<f64>, Fault> {
    same_dimensions(left, right)?;
    let cosine = Kernels::best().cosine(left, right);
    Ok(cosine.map_err(crate::Error::from)?.map(f64::from))
}

/// The dot product; nothing if it is no number.
pub(crate) fn dot(left: &[f32], right: &[f32]) -> Result<Option<f64>, Fault> {
    same_dimensions(left, right)?;
    let dot = Kernels::best().dot(left, right);
    Ok(number(dot.map_err(crate::Error::from)?))
}

/// The square of the Euclidean distance, which is what indexes compare; nothing if it is no number.
pub(crate) fn squared_l2(left: &[f32], right: &[f32]) -> Result<Option<f32>, Fault> {
    same_dimensions(left, right)?;
    let square = Kernels::best().squared_l2(left, right);
    let square = square.map_err(crate::Error::from)?;
    Ok((!square.is_nan()).then_some(square))
}

/// What an index says of a hit (the cosine, the dot product, or the square of the distance) on the scale of
/// searches, where more is always nearer.
pub(crate) fn scaled(metric: Metric, raw: f32) -> f64 {
    let raw = f64::from(raw);
    match metric {
        Metric::Cosine => (1.0 + raw) / 2.0,
        Metric::Euclidean => 1.0 / (1.0 + raw),
        Metric::Dot => raw,
    }
}

/// Whether there may be another raw score, just beside this one, that is the same on the scale of searches.
pub(crate) fn is_shared(metric: Metric, raw: f32) -> bool {
    let same = |other: f32| scaled(metric, other) == scaled(metric, raw);
    same(raw.next_up()) || same(raw.next_down())
}

fn number(value: f32) -> Option<f64> {
    (!value.is_nan()).then(|| f64::from(value))
}

fn same_dimensions(left: &[f32], right: &[f32]) -> Result<(), Fault> {
    if left.len() == right.len() {
        return Ok(());
    }
    let hint = "compare vectors of one model; `size(v)` says how many dimensions a vector has";
    Err(mismatch(left.len(), right.len()).hint(hint))
}

/// Two vectors that cannot be compared.
pub(crate) fn mismatch(expected: usize, found: usize) -> Fault {
    let message = format!("a vector of {found} dimensions met one of {expected}");
    raise(Detail::VectorDimensionMismatch, message)
}

/// The numbers of a vector, or of a list of numbers; nothing for null and for a list with null in it.
pub(crate) fn numbers(value: &Value) -> Result<Option<Cow<'_, [f32]>>, Fault> {
    let list = match value {
        Value::Null => return Ok(None),
        Value::Vector(vector) => return Ok(Some(Cow::Borrowed(vector.as_slice()))),
        Value::List(list) => list,
        other => {
            let message = format!("a vector is needed here, and this is a {}", other.kind());
            return Err(raise(Detail::InvalidArgumentType, message)
                .hint("give a vector, or a list of numbers"));
        }
    };
    if list.len() > Vector::MAX_DIMENSION {
        let most = Vector::MAX_DIMENSION;
        let message = format!("a vector has at most {most} numbers, not {}", list.len());
        return Err(raise(Detail::InvalidArgumentValue, message));
    }
    let mut numbers = Vec::with_capacity(list.len());
    for (place, one) in list.iter().enumerate() {
        let number = match one {
            Value::Null => return Ok(None),
            Value::Int(number) => *number as f32,
            Value::Float(number) => *number as f32,
            other => {
                let kind = other.kind();
                let message = format!("number {place} of the vector is a {kind}");
                return Err(raise(Detail::InvalidArgumentType, message));
            }
        };
        if !number.is_finite() {
            let message = format!("number {place} of the vector is {one}, which is not finite");
            let hint = "numbers of a vector have 32 bits, which hold up to about 3.4e38";
            return Err(raise(Detail::InvalidArgumentValue, message).hint(hint));
        }
        numbers.push(number);
    }
    Ok(Some(Cow::Owned(numbers)))
}

/// The same as a value.
pub(crate) fn vector(value: &Value) -> Result<Option<Vector>, Fault> {
    if let Value::Vector(vector) = value {
        return Ok(Some(vector.clone()));
    }
    let Some(numbers) = numbers(value)? else {
        return Ok(None);
    };
    let vector = Vector::new(numbers.into_owned());
    vector
        .map(Some)
        .map_err(|bad| raise(Detail::InvalidArgumentValue, bad.to_string()))
}
