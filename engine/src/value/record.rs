//! Values as parts of records: compact, exact, not ordered.
//!
//! ```text
//! value            [tag: 1] [payload]
//!
//! 00 null          nothing
//! 01 false         nothing
//! 02 true          nothing
//! 03 integer       [zigzag]
//! 04 float         [bits: 8 LE]                           -0.0 is kept, all NaNs are one
//! 05 string        [length: varint] [UTF-8]
//! 06 bytes         [length: varint] [content]
//! 07 date          [day: zigzag]
//! 08 time          [second of the day: varint] [nanosecond: varint] [offset: zigzag]
//! 09 local time    [second of the day: varint] [nanosecond: varint]
//! 0A date-time     [second: zigzag] [nanosecond: varint] [offset: zigzag]
//!                  [zone: length, UTF-8; empty for none]
//! 0B local d.-t.   [second: zigzag] [nanosecond: varint]
//! 0C duration      [months: zigzag] [days: zigzag] [seconds: zigzag] [nanoseconds: varint]
//! 0D vector        [dimension: varint] [number: 4 LE]...
//! 0E list          [count: varint] [value]...             empty, or not all of one kind below
//! 0F map           [count: varint] ([key: length, UTF-8] [value])...     keys ascending
//! 41 booleans      [count: varint] [00 or 01]...          at least one
//! 43 to 4C         [count: varint] [payload]...           at least one; tag 40 + that of the kind
//! ```
//!
//! A list of one scalar kind names the kind once, in the tag. Seconds of local date-times count
//! from 1970-01-01T00:00 on the clock that shows them.
//!
//! Every value has exactly one encoding, and what reads is what we would write. The version of
//! the layout is that of the record around it; see `codec/record.rs`. Records are decoded on the
//! hot path: reading a string, a stored list or a vector makes one allocation, its own. Other lists
//! grow as their elements arrive, so that a damaged count in every level of nesting cannot reserve
//! the memory 64 times over.
//!
//! Next: `record/lists.rs` for the lists.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{
    Date, DateTime, Duration, LocalDateTime, LocalTime, MAX_DEPTH, TemporalError, Time, UtcOffset,
    Value, ValueKind, Vector, ZoneName,
};
use crate::codec::{CodecError, RecordReader, RecordWriter};

mod lists;

mod tag {
    pub(super) const NULL: u8 = 0x00;
    pub(super) const FALSE: u8 = 0x01;
    pub(super) const TRUE: u8 = 0x02;
    pub(super) const INTEGER: u8 = 0x03;
    pub(super) const FLOAT: u8 = 0x04;
    pub(super) const STRING: u8 = 0x05;
    pub(super) const BYTES: u8 = 0x06;
    pub(super) const DATE: u8 = 0x07;
    pub(super) const TIME: u8 = 0x08;
    pub(super) const LOCAL_TIME: u8 = 0x09;
    pub(super) const DATE_TIME: u8 = 0x0A;
    pub(super) const LOCAL_DATE_TIME: u8 = 0x0B;
    pub(super) const DURATION: u8 = 0x0C;
    pub(super) const VECTOR: u8 = 0x0D;
    pub(super) const LIST: u8 = 0x0E;
    pub(super) const MAP: u8 = 0x0F;
    /// Added to the tag of a scalar kind: a list of that kind. Booleans count as `FALSE`.
    pub(super) const LIST_OF: u8 = 0x40;
}

/// Appends a value to a record.
///
/// A value deeper than [`MAX_DEPTH`], which its constructors refuse, would be written and not
/// read again.
///
/// ```
/// use stratigraph::codec::{RecordReader, RecordWriter};
/// use stratigraph::value::{Value, record};
///
/// let mut writer = RecordWriter::new(1);
/// record::write_value(&mut writer, &Value::from(vec!["a", "bc"]));
/// let bytes = writer.finish();
/// assert_eq!(bytes, b"\x01\x45\x02\x01a\x02bc");
///
/// let mut reader = RecordReader::new("example", 1..=1, &bytes)?;
/// assert_eq!(record::read_value(&mut reader)?.to_string(), "['a', 'bc']");
/// # Ok::<(), stratigraph::codec::CodecError>(())
/// ```
pub fn write_value(record: &mut RecordWriter, value: &Value) {
    match value {
        Value::List(elements) => lists::write(record, elements),
        Value::Map(entries) => {
            record.push_u8(tag::MAP).push_count(entries.len());
            for (key, value) in entries.iter() {
                record.push_str(key);
                write_value(record, value);
            }
        }
        scalar => {
            record.push_u8(tag_of(scalar));
            write_payload(record, scalar);
        }
    }
}

/// The tag of anything but a list or a map.
fn tag_of(value: &Value) -> u8 {
    match value.kind() {
        // No property holds the last three, so that nothing has to read them back.
        ValueKind::Null | ValueKind::Node | ValueKind::Relationship | ValueKind::Path => tag::NULL,
        ValueKind::Boolean if value.as_bool() == Some(true) => tag::TRUE,
        ValueKind::Boolean => tag::FALSE,
        ValueKind::Integer => tag::INTEGER,
        ValueKind::Float => tag::FLOAT,
        ValueKind::String => tag::STRING,
        ValueKind::Bytes => tag::BYTES,
        ValueKind::Date => tag::DATE,
        ValueKind::Time => tag::TIME,
        ValueKind::LocalTime => tag::LOCAL_TIME,
        ValueKind::DateTime => tag::DATE_TIME,
        ValueKind::LocalDateTime => tag::LOCAL_DATE_TIME,
        ValueKind::Duration => tag::DURATION,
        ValueKind::Vector => tag::VECTOR,
        ValueKind::List => tag::LIST,
        ValueKind::Map => tag::MAP,
    }
}

/// Writes what follows the tag of a scalar or a vector.
fn write_payload(record: &mut RecordWriter, value: &Value) {
    match value {
        // The tag says it all; the other two have writers of their own.
        Value::Null | Value::Bool(_) | Value::List(_) | Value::Map(_) => {}
        // No property holds these: their tag is that of null.
        Value::Node(_) | Value::Relationship(_) | Value::Path(_) => {}
        Value::Int(value) => _ = record.push_zigzag(*value),
        Value::Float(value) if value.is_nan() => _ = record.push_f64(f64::NAN),
        Value::Float(value) => _ = record.push_f64(*value),
        Value::String(value) => _ = record.push_str(value),
        Value::Bytes(value) => _ = record.push_bytes(value),
        Value::Date(value) => _ = record.push_zigzag(value.epoch_day()),
        Value::Time(value) => {
            write_local_time(record, value.local());
            record.push_zigzag(i64::from(value.offset().seconds()));
        }
        Value::LocalTime(value) => write_local_time(record, *value),
        Value::DateTime(value) => {
            write_local_date_time(record, value.local());
            record
                .push_zigzag(i64::from(value.offset().seconds()))
                .push_str(value.zone().map_or("", ZoneName::as_str));
        }
        Value::LocalDateTime(value) => write_local_date_time(record, *value),
        Value::Duration(value) => {
            record
                .push_zigzag(value.months())
                .push_zigzag(value.days())
                .push_zigzag(value.seconds())
                .push_varint(u64::from(value.nanoseconds()));
        }
        Value::Vector(vector) => {
            record.push_count(vector.dimension());
            // A block at a time: growing the record for each number would cost most of the time.
            for block in vector.as_slice().chunks(64) {
                let mut bytes = [[0; size_of::<f32>()]; 64];
                for (place, number) in bytes.iter_mut().zip(block) {
                    *place = number.to_le_bytes();
                }
                let written = bytes.get(..block.len()).unwrap_or_default();
                record.push_raw(written.as_flattened());
            }
        }
    }
}

fn write_local_time(record: &mut RecordWriter, time: LocalTime) {
    record
        .push_varint(u64::from(time.second_of_day()))
        .push_varint(u64::from(time.nanosecond()));
}

fn write_local_date_time(record: &mut RecordWriter, local: LocalDateTime) {
    record
        .push_zigzag(local.epoch_second())
        .push_varint(u64::from(local.nanosecond()));
}

/// Reads what [`write_value`] wrote. A read that fails moves nothing.
///
/// # Errors
///
/// [`CodecError`]: the bytes are cut short, are not what the value they stand for is written as,
/// or nest values more than [`MAX_DEPTH`] deep.
pub fn read_value(reader: &mut RecordReader<'_>) -> Result<Value, CodecError> {
    let before = reader.clone();
    let value = read(reader, 0);
    if value.is_err() {
        *reader = before;
    }
    value
}

fn read(reader: &mut RecordReader<'_>, depth: usize) -> Result<Value, CodecError> {
    let at = reader.position();
    let tag = reader.read_u8()?;
    let is_nesting = matches!(tag, tag::LIST | tag::MAP | tag::LIST_OF..);
    if is_nesting && depth == MAX_DEPTH {
        return Err(CodecError::TooDeep {
            what: reader.what(),
            at,
            limit: MAX_DEPTH,
        });
    }
    match tag {
        tag::LIST => lists::read_mixed(reader, depth, at),
        tag::MAP => read_map(reader, depth),
        tag::LIST_OF.. => lists::read_uniform(reader, tag - tag::LIST_OF, at),
        _ => read_payload(reader, tag, at),
    }
}

/// Reads what follows the tag of a scalar or a vector.
#[inline]
fn read_payload(reader: &mut RecordReader<'_>, found: u8, at: usize) -> Result<Value, CodecError> {
    let what = reader.what();
    // The parts are readable, but no value has them: we did not write this.
    let strange = |_: TemporalError| CodecError::NotCanonical { what, at };
    Ok(match found {
        tag::NULL => Value::Null,
        tag::FALSE => Value::Bool(false),
        tag::TRUE => Value::Bool(true),
        tag::INTEGER => Value::Int(reader.read_zigzag()?),
        tag::FLOAT => {
            let float = reader.read_f64()?;
            if !is_canonical(float) {
                return Err(CodecError::NotCanonical { what, at });
            }
            Value::Float(float)
        }
        tag::STRING => Value::String(reader.read_str()?.into()),
        tag::BYTES => Value::Bytes(reader.read_bytes()?.into()),
        tag::DATE => Value::Date(Date::from_epoch_day(reader.read_zigzag()?).map_err(strange)?),
        tag::TIME => {
            let local = read_local_time(reader)?.map_err(strange)?;
            let offset = read_offset(reader)?.map_err(strange)?;
            Value::Time(Time::new(local, offset))
        }
        tag::LOCAL_TIME => Value::LocalTime(read_local_time(reader)?.map_err(strange)?),
        tag::DATE_TIME => {
            let local = read_local_date_time(reader)?.map_err(strange)?;
            let offset = read_offset(reader)?.map_err(strange)?;
            let zone = match reader.read_str()? {
                "" => None,
                name => Some(ZoneName::new(name).map_err(strange)?),
            };
            Value::DateTime(DateTime::new(local, offset, zone))
        }
        tag::LOCAL_DATE_TIME => {
            Value::LocalDateTime(read_local_date_time(reader)?.map_err(strange)?)
        }
        tag::DURATION => {
            let (months, days) = (reader.read_zigzag()?, reader.read_zigzag()?);
            let (seconds, nanoseconds) = (reader.read_zigzag()?, reader.read_varint_u32()?);
            let value = Duration::new(months, days, seconds, nanoseconds);
            Value::Duration(value.map_err(strange)?)
        }
        tag::VECTOR => read_vector(reader)?,
        found => return Err(CodecError::BadTag { what, at, found }),
    })
}

/// Whether this is the bit pattern that we write for the float.
fn is_canonical(float: f64) -> bool {
    !float.is_nan() || float.to_bits() == f64::NAN.to_bits()
}

type Checked<T> = Result<Result<T, TemporalError>, CodecError>;

fn read_local_time(reader: &mut RecordReader<'_>) -> Checked<LocalTime> {
    let (second, nanosecond) = (reader.read_varint_u32()?, reader.read_varint_u32()?);
    Ok(LocalTime::from_second_of_day(second, nanosecond))
}

fn read_local_date_time(reader: &mut RecordReader<'_>) -> Checked<LocalDateTime> {
    let (second, nanosecond) = (reader.read_zigzag()?, reader.read_varint_u32()?);
    Ok(LocalDateTime::from_epoch(second, nanosecond))
}

fn read_offset(reader: &mut RecordReader<'_>) -> Checked<UtcOffset> {
    // What does not fit is far too large as well.
    let seconds = i32::try_from(reader.read_zigzag()?).unwrap_or(i32::MAX);
    Ok(UtcOffset::from_seconds(seconds))
}

fn read_vector(reader: &mut RecordReader<'_>) -> Result<Value, CodecError> {
    let (what, at) = (reader.what(), reader.position());
    let dimension = reader.read_count(size_of::<f32>())?;
    if dimension > Vector::MAX_DIMENSION {
        return Err(CodecError::BadLength {
            what,
            at,
            length: dimension as u64,
            limit: Vector::MAX_DIMENSION as u64,
        });
    }
    // The count was checked against what is left, so the product cannot overflow.
    let bytes = reader.read_raw(dimension * size_of::<f32>())?;
    let (numbers, _) = bytes.as_chunks();
    // The iterator knows its length, so the numbers go straight into their shared place.
    let numbers: Arc<[f32]> = numbers.iter().copied().map(f32::from_le_bytes).collect();
    match Vector::new(numbers) {
        Ok(vector) => Ok(Value::Vector(vector)),
        Err(_) => Err(CodecError::NotCanonical { what, at }),
    }
}

fn read_map(reader: &mut RecordReader<'_>, depth: usize) -> Result<Value, CodecError> {
    let count = reader.read_count(2)?;
    let mut entries = BTreeMap::<Arc<str>, Value>::new();
    for _ in 0..count {
        let at = reader.position();
        let key = reader.read_str()?;
        if entries
            .last_key_value()
            .is_some_and(|(last, _)| **last >= *key)
        {
            return Err(CodecError::NotCanonical {
                what: reader.what(),
                at,
            });
        }
        entries.insert(key.into(), read(reader, depth + 1)?);
    }
    Ok(Value::Map(Arc::new(entries)))
}

#[cfg(test)]
mod tests;
