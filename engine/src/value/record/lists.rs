//! Lists in records: those of one scalar kind, which are the ones that are stored, and others.
//!
//! Next: back to `record.rs`, which has the picture of the bytes.

use std::sync::Arc;

use super::{is_canonical, read, read_payload, tag, tag_of, write_payload, write_value};
use crate::codec::{CodecError, RecordReader, RecordWriter};
use crate::value::{Value, ValueKind};

pub(super) fn write(record: &mut RecordWriter, elements: &[Value]) {
    let Some(kind) = common_kind(elements) else {
        record.push_u8(tag::LIST).push_count(elements.len());
        for element in elements {
            write_value(record, element);
        }
        return;
    };
    record
        .push_u8(tag::LIST_OF + kind)
        .push_count(elements.len());
    for element in elements {
        match element {
            Value::Bool(value) => _ = record.push_bool(*value),
            element => write_payload(record, element),
        }
    }
}

/// The tag of the scalar kind that all elements have; `None` for none or an empty list.
fn common_kind(elements: &[Value]) -> Option<u8> {
    let first = elements.first()?;
    let tag = match first.kind() {
        ValueKind::Null
        | ValueKind::List
        | ValueKind::Map
        | ValueKind::Vector
        | ValueKind::Node
        | ValueKind::Relationship
        | ValueKind::Path => return None,
        ValueKind::Boolean => tag::FALSE,
        _ => tag_of(first),
    };
    let kind = first.kind();
    elements
        .iter()
        .all(|element| element.kind() == kind)
        .then_some(tag)
}

/// Reads the rest of a list whose tag says `kind` for all elements.
pub(super) fn read_uniform(
    reader: &mut RecordReader<'_>,
    kind: u8,
    at: usize,
) -> Result<Value, CodecError> {
    let what = reader.what();
    // What an element takes at least, so that the count can be trusted for memory.
    let min_bytes = match kind {
        tag::FALSE | tag::INTEGER | tag::STRING | tag::BYTES | tag::DATE => 1,
        tag::LOCAL_TIME | tag::LOCAL_DATE_TIME => 2,
        tag::TIME => 3,
        tag::DATE_TIME | tag::DURATION => 4,
        tag::FLOAT => 8,
        _ => {
            return Err(CodecError::BadTag {
                what,
                at,
                found: tag::LIST_OF + kind,
            });
        }
    };
    let count = reader.read_count(min_bytes)?;
    if count == 0 {
        return Err(CodecError::NotCanonical { what, at });
    }
    // The common kinds are wrapped where they are stored; a value that is made first and moved
    // then takes several times as long.
    match kind {
        tag::FALSE => collect(count, || reader.read_bool(), Value::Bool),
        tag::INTEGER => collect(count, || reader.read_zigzag(), Value::Int),
        tag::FLOAT => read_floats(reader, count),
        tag::STRING => collect(count, || Ok(Arc::from(reader.read_str()?)), Value::String),
        _ => {
            let element = || {
                let at = reader.position();
                read_payload(reader, kind, at)
            };
            collect(count, element, |value| value)
        }
    }
}

fn read_floats(reader: &mut RecordReader<'_>, count: usize) -> Result<Value, CodecError> {
    let (what, at) = (reader.what(), reader.position());
    // The count was checked against what is left, so the product cannot overflow.
    let bytes = reader.read_raw(count * size_of::<f64>())?;
    let (floats, _) = bytes.as_chunks();
    let floats = floats.iter().copied().map(f64::from_le_bytes);
    if let Some(index) = floats.clone().position(|float| !is_canonical(float)) {
        return Err(CodecError::NotCanonical {
            what,
            at: at + index * size_of::<f64>(),
        });
    }
    Ok(Value::List(floats.map(Value::Float).collect()))
}

/// Fills a list of known length in one allocation.
///
/// Collecting results would lose the length and allocate twice, so a failure is put aside, and the
/// rest of a list that nobody will see is filled with nulls.
fn collect<T>(
    count: usize,
    mut read: impl FnMut() -> Result<T, CodecError>,
    wrap: impl Fn(T) -> Value,
) -> Result<Value, CodecError> {
    let mut failure = None;
    let elements: Arc<[Value]> = (0..count)
        .map(|_| {
            if failure.is_some() {
                return Value::Null;
            }
            match read() {
                Ok(element) => wrap(element),
                Err(error) => {
                    failure = Some(error);
                    Value::Null
                }
            }
        })
        .collect();
    match failure {
        None => Ok(Value::List(elements)),
        Some(error) => Err(error),
    }
}

/// Reads the rest of a list whose elements have tags of their own.
pub(super) fn read_mixed(
    reader: &mut RecordReader<'_>,
    depth: usize,
    at: usize,
) -> Result<Value, CodecError> {
    let count = reader.read_count(1)?;
    let mut elements = Vec::new();
    for _ in 0..count {
        elements.push(read(reader, depth + 1)?);
    }
    // Elements of one scalar kind have a shorter form.
    if common_kind(&elements).is_some() {
        return Err(CodecError::NotCanonical {
            what: reader.what(),
            at,
        });
    }
    Ok(Value::List(elements.into()))
}
