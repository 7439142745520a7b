//! Rows as they are on the wire, straight from the engine's values.
//!
//! A length stands before what it is the length of: a byte is left for it, and what came after is moved if that is not
//! enough, which rows seldom need. Kinds that are rare are written by way of their message; `outgoing.rs` says what
//! each is.

use super::outgoing::kind;
use super::{MAX_DEPTH, deeper};
use crate::failure::Failure;
use prost::encoding::{WireType, double, encode_key, encode_varint};
use stratigraph::NodeValue;
use stratigraph::value::Value;

/// The tags of what is written here, as the protocol numbers them.
const ROWS_OF_BATCH: u32 = 1;
const VALUES_OF_ROW: u32 = 1;
const VALUES_OF_LIST: u32 = 1;
const ENTRIES_OF_MAP: u32 = 1;
const COMPONENTS_OF_VECTOR: u32 = 1;
const KEY_OF_ENTRY: u32 = 1;
const VALUE_OF_ENTRY: u32 = 2;
const ID_OF_NODE: u32 = 1;
const LABELS_OF_NODE: u32 = 2;
const PROPERTIES_OF_NODE: u32 = 3;
const INT: u32 = 3;
const DOUBLE: u32 = 4;
const STRING: u32 = 5;
const LIST: u32 = 7;
const MAP: u32 = 8;
const VECTOR: u32 = 9;
const NODE: u32 = 16;

/// Adds a row to those of a batch.
pub(crate) fn row(values: &[Value], out: &mut Vec<u8>) -> Result<(), Failure> {
    within(ROWS_OF_BATCH, out, |out| {
        let mut values = values.iter();
        values.try_for_each(|value| write(VALUES_OF_ROW, value, MAX_DEPTH, out))
    })
}

/// Writes a message under a tag.
fn within(
    tag: u32,
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    encode_key(tag, WireType::LengthDelimited, out);
    let start = out.len() + 1;
    out.push(0);
    write(out)?;
    let length = out.len() - start;
    if let Ok(short @ ..=0x7f) = u8::try_from(length) {
        out[start - 1] = short;
        return Ok(());
    }
    let mut digits = Vec::with_capacity(10);
    encode_varint(length as u64, &mut digits);
    out.splice(start - 1..start, digits);
    Ok(())
}

fn write(tag: u32, value: &Value, depth: usize, out: &mut Vec<u8>) -> Result<(), Failure> {
    within(tag, out, |out| match value {
        Value::Int(value) => {
            encode_key(INT, WireType::Varint, out);
            encode_varint(value.cast_unsigned(), out);
            Ok(())
        }
        Value::Float(value) => {
            double::encode(DOUBLE, value, out);
            Ok(())
        }
        Value::String(value) => {
            text(STRING, value, out);
            Ok(())
        }
        Value::List(elements) => {
            let inside = deeper(depth)?;
            within(LIST, out, |out| {
                let mut elements = elements.iter();
                elements.try_for_each(|value| write(VALUES_OF_LIST, value, inside, out))
            })
        }
        Value::Map(entries) => {
            let inside = deeper(depth)?;
            within(MAP, out, |out| {
                let mut entries = entries.iter();
                entries
                    .try_for_each(|(name, value)| entry(ENTRIES_OF_MAP, name, value, inside, out))
            })
        }
        Value::Vector(vector) => within(VECTOR, out, |out| {
            within(COMPONENTS_OF_VECTOR, out, |out| {
                let components = vector.as_slice().iter();
                out.extend(components.flat_map(|component| component.to_le_bytes()));
                Ok(())
            })
        }),
        Value::Node(value) => node(value, depth, out),
        other => {
            kind(other, depth)?.encode(out);
            Ok(())
        }
    })
}

fn node(value: &NodeValue, depth: usize, out: &mut Vec<u8>) -> Result<(), Failure> {
    let inside = deeper(depth)?;
    within(NODE, out, |out| {
        encode_key(ID_OF_NODE, WireType::Varint, out);
        encode_varint(value.id().get(), out);
        value
            .labels()
            .for_each(|label| text(LABELS_OF_NODE, label, out));
        let mut properties = value.properties();
        properties.try_for_each(|(name, value)| entry(PROPERTIES_OF_NODE, name, value, inside, out))
    })
}

/// An entry of a map.
fn entry(
    tag: u32,
    name: &str,
    value: &Value,
    depth: usize,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    within(tag, out, |out| {
        text(KEY_OF_ENTRY, name, out);
        write(VALUE_OF_ENTRY, value, depth, out)
    })
}

fn text(tag: u32, text: &str, out: &mut Vec<u8>) {
    encode_key(tag, WireType::LengthDelimited, out);
    encode_varint(text.len() as u64, out);
    out.extend_from_slice(text.as_bytes());
}
