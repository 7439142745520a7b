//! Values as parts of keys: byte order is the order of [`Value::order`].
//!
//! ```text
//! value            [rank: 1] [payload]               the ranks of order.rs
//!
//! list             ([01] [value])... [00]
//! vector           [dimension: 4 BE] [number: 4 BE, flipped as an f64 is]...
//! bytes, string    [escaped, terminated]
//! date-time        [UTC second: i64] [nanosecond: 4 BE] [offset + 64800: 4 BE]
//!                  [zone: escaped, terminated; empty for none]
//! local date-time  [second: i64] [nanosecond: 4 BE]
//! date             [day: i64]
//! time             [UTC nanosecond of the day: i64] [offset + 64800: 4 BE]
//! local time       [nanosecond of the day: 8 BE]
//! duration         [average second: i64] [nanosecond: 4 BE] [months: i64] [days: i64]
//! boolean          [00] or [01]
//! number           [nearest double: f64] [what is missing to the number: 2 BE, sign flipped]
//! NaN, null        nothing
//! ```
//!
//! i64 and f64 are those of [`KeyWriter`]. A number is the double nearest to it and the difference,
//! which no integer of 64 bits makes larger than 512: rounding keeps the order, so two numbers
//! compare as their doubles do, and among those with one double the difference decides. 1 and 1.0
//! get the same bytes, as equal keys must. So **the kind of a number does not survive**: what is
//! whole and fits comes back as an integer, and -0.0 as 0. Who needs the value exactly as it was
//! keeps it in a record.
//!
//! A list's elements are led by a byte above the one that ends it, so a prefix sorts first. Maps
//! cannot be in keys: nothing looks one up by its order, and they are not stored.
//!
//! Nothing here may ever change its bytes; see `codec/ordered.rs`. A value is found in its key
//! without its length, so other components can follow.
//!
//! Next: `record.rs`, the exact encoding.

use thiserror::Error;

use super::number::{TWO_POW_63, exact_int};
use super::order::rank;
use super::{
    Date, DateTime, Duration, LocalDateTime, LocalTime, MAX_DEPTH, TemporalError, Time, UtcOffset,
    Value, Vector, ZoneName,
};
use crate::codec::{CodecError, KeyReader, KeyWriter};

/// Leads an element of a list.
const ELEMENT: u8 = 0x01;
/// Ends a list.
const END: u8 = 0x00;

/// The value is, or holds, a map: it cannot be part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a map cannot be indexed")]
pub struct NotIndexable;

/// Appends a value to a key.
///
/// Equivalent values append the same bytes, and the bytes of others compare as the values do.
///
/// ```
/// use stratigraph::codec::KeyWriter;
/// use stratigraph::value::{Value, ordered};
///
/// let key = |value: Value| {
///     let mut key = KeyWriter::new();
///     ordered::push_value(&mut key, &value).map(|()| key.finish())
/// };
/// assert!(key("a".into())? < key(1.into())?);
/// assert!(key(1.into())? < key(1.5.into())?);
/// assert_eq!(key(1.into())?, key(1.0.into())?);
/// # Ok::<(), stratigraph::value::ordered::NotIndexable>(())
/// ```
///
/// # Errors
///
/// [`NotIndexable`] for a map and for a list with a map in it; the key is then as it was.
pub fn push_value(key: &mut KeyWriter, value: &Value) -> Result<(), NotIndexable> {
    if !is_indexable(value) {
        return Err(NotIndexable);
    }
    push(key, value);
    Ok(())
}

/// Whether [`push_value`] takes this value.
#[must_use]
pub fn is_indexable(value: &Value) -> bool {
    match value {
        Value::Map(_) | Value::Node(_) | Value::Relationship(_) | Value::Path(_) => false,
        Value::List(elements) => elements.iter().all(is_indexable),
        _ => true,
    }
}

fn push(key: &mut KeyWriter, value: &Value) {
    key.push_u8(value.rank());
    match value {
        Value::Null | Value::Map(_) | Value::Node(_) | Value::Relationship(_) | Value::Path(_) => {}
        Value::Bool(value) => _ = key.push_bool(*value),
        Value::Int(value) => push_int(key, *value),
        Value::Float(value) if value.is_nan() => {}
        Value::Float(value) => push_number(key, *value, 0),
        Value::String(value) => _ = key.push_str(value),
        Value::Bytes(value) => _ = key.push_bytes(value),
        Value::Date(value) => _ = key.push_i64(value.epoch_day()),
        Value::Time(value) => {
            key.push_i64(value.utc_nanos());
            push_offset(key, value.offset());
        }
        Value::LocalTime(value) => _ = key.push_u64(value.nanos_of_day()),
        Value::DateTime(value) => {
            key.push_i64(value.epoch_second())
                .push_u32(value.nanosecond());
            push_offset(key, value.offset());
            key.push_str(value.zone().map_or("", ZoneName::as_str));
        }
        Value::LocalDateTime(value) => {
            key.push_i64(value.epoch_second())
                .push_u32(value.nanosecond());
        }
        Value::Duration(value) => {
            key.push_i64(value.average_seconds())
                .push_u32(value.nanoseconds())
                .push_i64(value.months())
                .push_i64(value.days());
        }
        Value::List(elements) => {
            for element in elements.iter() {
                key.push_u8(ELEMENT);
                push(key, element);
            }
            key.push_u8(END);
        }
        Value::Vector(vector) => {
            // A vector has at most 2^16 numbers.
            key.push_u32(vector.dimension() as u32);
            for number in vector.as_slice() {
                key.push_u32(order_f32(*number));
            }
        }
    }
}

fn push_int(key: &mut KeyWriter, int: i64) {
    let nearest = int as f64;
    push_number(key, nearest, missing_to(int, nearest));
}

fn push_number(key: &mut KeyWriter, nearest: f64, missing: i16) {
    key.push_f64(nearest)
        .push_u16(missing.cast_unsigned() ^ 0x8000);
}

/// The difference between an integer and the double nearest to it, at most 512 either way.
fn missing_to(int: i64, nearest: f64) -> i16 {
    (i128::from(int) - nearest as i128) as i16
}

fn push_offset(key: &mut KeyWriter, offset: UtcOffset) {
    key.push_u32((offset.seconds() - UtcOffset::MIN.seconds()).cast_unsigned());
}

/// Reads what [`push_value`] wrote. A read that fails moves nothing.
///
/// # Errors
///
/// [`CodecError`]: the bytes are cut short, are not what the value they stand for is written as,
/// or nest lists more than [`MAX_DEPTH`] deep.
pub fn read_value(reader: &mut KeyReader<'_>) -> Result<Value, CodecError> {
    let before = reader.clone();
    read(reader, 0).inspect_err(|_| *reader = before)
}

fn read(reader: &mut KeyReader<'_>, depth: usize) -> Result<Value, CodecError> {
    let (what, at) = (reader.what(), reader.position());
    let found = reader.read_u8()?;
    // The parts are readable, but no value has them: we did not write this.
    let strange = |_: TemporalError| CodecError::NotCanonical { what, at };
    Ok(match found {
        rank::NULL => Value::Null,
        rank::NAN => Value::Float(f64::NAN),
        rank::NUMBER => read_number(reader)?.ok_or(CodecError::NotCanonical { what, at })?,
        rank::BOOLEAN => Value::Bool(reader.read_bool()?),
        rank::STRING => Value::String(reader.read_str()?.into()),
        rank::BYTES => Value::Bytes(reader.read_bytes()?.into()),
        rank::DATE => Value::Date(Date::from_epoch_day(reader.read_i64()?).map_err(strange)?),
        rank::TIME => {
            let utc_nanos = reader.read_i64()?;
            let offset = read_offset(reader)?.map_err(strange)?;
            let local = i128::from(utc_nanos) + i128::from(offset.seconds()) * 1_000_000_000;
            // A number outside 64 bits is outside the day as well.
            let local = u64::try_from(local).unwrap_or(u64::MAX);
            let local = LocalTime::from_nanos_of_day(local).map_err(strange)?;
            Value::Time(Time::new(local, offset))
        }
        rank::LOCAL_TIME => {
            Value::LocalTime(LocalTime::from_nanos_of_day(reader.read_u64()?).map_err(strange)?)
        }
        rank::DATE_TIME => {
            let (second, nanosecond) = (reader.read_i64()?, reader.read_u32()?);
            let offset = read_offset(reader)?.map_err(strange)?;
            let zone = match &*reader.read_str()? {
                "" => None,
                name => Some(ZoneName::new(name).map_err(strange)?),
            };
            let value = DateTime::from_epoch(second, nanosecond, offset, zone);
            Value::DateTime(value.map_err(strange)?)
        }
        rank::LOCAL_DATE_TIME => {
            let (second, nanosecond) = (reader.read_i64()?, reader.read_u32()?);
            let value = LocalDateTime::from_epoch(second, nanosecond);
            Value::LocalDateTime(value.map_err(strange)?)
        }
        rank::DURATION => {
            let (average, nanosecond) = (reader.read_i64()?, reader.read_u32()?);
            let (months, days) = (reader.read_i64()?, reader.read_i64()?);
            let value = Duration::from_average(months, days, average, nanosecond);
            Value::Duration(value.map_err(strange)?)
        }
        rank::LIST => read_list(reader, depth, at)?,
        rank::VECTOR => read_vector(reader)?,
        found => return Err(CodecError::BadTag { what, at, found }),
    })
}

/// Reads a number; `None` if no number is written like that.
fn read_number(reader: &mut KeyReader<'_>) -> Result<Option<Value>, CodecError> {
    let nearest = reader.read_f64()?;
    let missing = (reader.read_u16()? ^ 0x8000).cast_signed();
    if nearest.is_nan() {
        return Ok(None);
    }
    // 2^63 itself is no integer of ours, but the largest ones are nearest to it.
    let int = if nearest == TWO_POW_63 {
        i64::try_from((1_i128 << 63) + i128::from(missing)).ok()
    } else {
        exact_int(nearest).and_then(|int| int.checked_add(i64::from(missing)))
    };
    Ok(match int {
        Some(int) => {
            let is_ours = int as f64 == nearest && missing_to(int, nearest) == missing;
            is_ours.then_some(Value::Int(int))
        }
        None => (missing == 0).then_some(Value::Float(nearest)),
    })
}

fn read_offset(reader: &mut KeyReader<'_>) -> Result<Result<UtcOffset, TemporalError>, CodecError> {
    let shifted = i64::from(reader.read_u32()?) + i64::from(UtcOffset::MIN.seconds());
    // What does not fit is far too large as well.
    let seconds = i32::try_from(shifted).unwrap_or(i32::MAX);
    Ok(UtcOffset::from_seconds(seconds))
}

fn read_list(reader: &mut KeyReader<'_>, depth: usize, start: usize) -> Result<Value, CodecError> {
    if depth == MAX_DEPTH {
        return Err(CodecError::TooDeep {
            what: reader.what(),
            at: start,
            limit: MAX_DEPTH,
        });
    }
    let mut elements = Vec::new();
    loop {
        let at = reader.position();
        match reader.read_u8()? {
            ELEMENT => elements.push(read(reader, depth + 1)?),
            END => return Ok(Value::List(elements.into())),
            found => {
                return Err(CodecError::BadTag {
                    what: reader.what(),
                    at,
                    found,
                });
            }
        }
    }
}

fn read_vector(reader: &mut KeyReader<'_>) -> Result<Value, CodecError> {
    let (what, at) = (reader.what(), reader.position());
    let dimension = reader.read_u32()?;
    let limit = Vector::MAX_DIMENSION.min(reader.remaining() / size_of::<u32>());
    let count = dimension as usize;
    if count > limit {
        return Err(CodecError::BadLength {
            what,
            at,
            length: u64::from(dimension),
            limit: limit as u64,
        });
    }
    let mut numbers = Vec::with_capacity(count);
    for _ in 0..count {
        let ordered = reader.read_u32()?;
        let number = unorder_f32(ordered);
        if order_f32(number) != ordered {
            return Err(CodecError::NotCanonical { what, at });
        }
        numbers.push(number);
    }
    match Vector::new(numbers) {
        Ok(vector) => Ok(Value::Vector(vector)),
        Err(_) => Err(CodecError::NotCanonical { what, at }),
    }
}

const SIGN_BIT: u32 = 1 << 31;

/// Bits whose unsigned order is the order of finite numbers; -0 becomes 0.
fn order_f32(number: f32) -> u32 {
    let bits = (number + 0.0).to_bits();
    if bits & SIGN_BIT == 0 {
        bits | SIGN_BIT
    } else {
        !bits
    }
}

/// Undoes the flips of [`order_f32`]; the caller checks that the result is canonical.
fn unorder_f32(ordered: u32) -> f32 {
    f32::from_bits(if ordered & SIGN_BIT == 0 {
        !ordered
    } else {
        ordered & !SIGN_BIT
    })
}

#[cfg(test)]
mod tests;
