//! Properties as they lie in a record: small values in place, long ones as a word about where.
//!
//! ```text
//! [count: varint] ([property: varint][length: varint])* [payload]*
//!
//! payload   [0][value]                        in place
//!           [1][length: varint]               a long value, in `text`
//!           [2][dimension: varint]            a vector, in `vectors`
//! ```
//! The table of lengths comes first, so that one property is read without decoding the others; it is
//! sorted by property. Vectors and long values lie apart so that a traversal never reads them.

use super::keys::{Entity, TextKey, VectorKey};
use crate::catalog::{NameId, PropertyId};
use crate::codec::{CodecError, RecordReader, RecordWriter};
use crate::error::{Error, Result};
use crate::keys::KeyRead;
use crate::storage::family::Family;
use crate::value::{Value, Vector, record};

/// A value whose bytes are more than this lies apart.
const APART_BYTES: usize = 1024;
/// The longest value of a property.
pub const MAX_VALUE_BYTES: usize = 16 << 20;
/// How many properties a node or a relationship may have.
pub const MAX_PROPERTIES: usize = 4096;

const IN_PLACE: u8 = 0;
const TEXT: u8 = 1;
const VECTOR: u8 = 2;
const FORMAT: u8 = 1;

/// What a record says of a property.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    /// Its value.
    Value(Value),
    /// Its value has so many bytes and lies in `text`.
    Text(u64),
    /// Its value has so many dimensions and lies in `vectors`.
    Vector(u64),
}

/// The properties of a record, sorted by property.
#[derive(Clone, Debug, Default)]
pub(crate) struct Properties(Vec<(PropertyId, Slot)>);

/// Where records are encoded: one for many records, so that its memory is asked for once.
#[derive(Default)]
pub(crate) struct Encoder {
    pub(crate) record: RecordWriter,
    payload: RecordWriter,
    /// Values that go apart from the record that was encoded last.
    pub(crate) apart: Vec<Apart>,
}

/// A value that goes apart from its record.
pub(crate) struct Apart {
    pub(crate) family: Family,
    pub(crate) key: [u8; 13],
    pub(crate) value: Vec<u8>,
}

impl Properties {
    /// None yet, with room for so many.
    pub(crate) fn with_capacity(properties: usize) -> Self {
        Self(Vec::with_capacity(properties))
    }

    /// The slot of a property.
    pub(crate) fn get(&self, property: PropertyId) -> Option<&Slot> {
        let at = self.0.binary_search_by_key(&property, |(id, _)| *id).ok()?;
        Some(&self.0[at].1)
    }

    /// Sets a property, and returns what was there.
    pub(crate) fn set(&mut self, property: PropertyId, slot: Slot) -> Option<Slot> {
        match self.0.binary_search_by_key(&property, |(id, _)| *id) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, slot)),
            Err(at) => {
                self.0.insert(at, (property, slot));
                None
            }
        }
    }

    /// Removes a property, and returns what was there.
    pub(crate) fn remove(&mut self, property: PropertyId) -> Option<Slot> {
        let at = self.0.binary_search_by_key(&property, |(id, _)| *id).ok()?;
        Some(self.0.remove(at).1)
    }

    /// Removes all of them and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(PropertyId, Slot)> {
        self.0.iter()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Writes them into the record; values that lie apart are added to `apart`.
    pub(crate) fn encode(&self, to: &mut Encoder, entity: Entity) {
        let Encoder {
            record,
            payload,
            apart,
        } = to;
        record.push_count(self.0.len());
        payload.truncate(0);
        let mut begin = 0;
        for (property, slot) in &self.0 {
            match slot {
                Slot::Text(bytes) => drop(payload.push_u8(TEXT).push_varint(*bytes)),
                Slot::Vector(dimension) => drop(payload.push_u8(VECTOR).push_varint(*dimension)),
                Slot::Value(Value::Vector(vector)) => {
                    let dimension = vector.as_slice().len() as u64;
                    payload.push_u8(VECTOR).push_varint(dimension);
                    apart.push(Apart {
                        family: Family::Vectors,
                        key: VectorKey {
                            property: *property,
                            entity,
                        }
                        .encode(),
                        value: encode_vector(vector),
                    });
                }
                Slot::Value(value) => {
                    payload.push_u8(IN_PLACE);
                    record::write_value(payload, value);
                    let bytes = payload.as_bytes().len() - begin - 1;
                    if bytes > APART_BYTES {
                        let mut long = RecordWriter::with_capacity(FORMAT, bytes + 1);
                        long.push_raw(&payload.as_bytes()[begin + 1..]);
                        payload.truncate(begin);
                        payload.push_u8(TEXT).push_varint(bytes as u64);
                        apart.push(Apart {
                            family: Family::Text,
                            key: TextKey {
                                entity,
                                property: *property,
                            }
                            .encode(),
                            value: long.finish(),
                        });
                    }
                }
            }
            let end = payload.as_bytes().len();
            record
                .push_varint(u64::from(property.number()))
                .push_count(end - begin);
            begin = end;
        }
        record.push_raw(payload.as_bytes());
    }

    /// Reads what [`encode`](Self::encode) wrote, to the end of the record.
    pub(crate) fn decode(
        what: &'static str,
        mut record: RecordReader<'_>,
    ) -> Result<Self, CodecError> {
        let table = Table::read(what, &mut record)?;
        let mut properties = Vec::with_capacity(table.count);
        table.each(|property, slot| {
            properties.push((property, read_slot(what, slot)?));
            Ok(true)
        })?;
        Ok(Self(properties))
    }
}

/// The values of a record's properties. One that lies apart is null, and is in the second list.
pub(crate) type Values = (Vec<(PropertyId, Value)>, Vec<(usize, PropertyId, Slot)>);

/// Reads the values of a record, to its end.
pub(crate) fn decode_values(
    what: &'static str,
    mut record: RecordReader<'_>,
    wanted: Wanted<'_>,
) -> Result<Values, CodecError> {
    let table = Table::read(what, &mut record)?;
    let mut values = Vec::with_capacity(wanted.most(table.count));
    let mut apart = Vec::new();
    table.each(|property, slot| {
        if !wanted.has(property) {
            return Ok(true);
        }
        match read_slot(what, slot)? {
            Slot::Value(value) => values.push((property, value)),
            slot => {
                apart.push((values.len(), property, slot));
                values.push((property, Value::Null));
            }
        }
        Ok(true)
    })?;
    Ok((values, apart))
}

/// Which properties of a record are read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    All,
    These(&'a [PropertyId]),
}

impl Wanted<'_> {
    fn has(self, property: PropertyId) -> bool {
        match self {
            Self::All => true,
            Self::These(some) => some.contains(&property),
        }
    }

    fn most(self, there: usize) -> usize {
        match self {
            Self::All => there,
            Self::These(some) => there.min(some.len()),
        }
    }
}

/// Reads one property of a record, whose reader stands before the table.
pub(crate) fn decode_one(
    what: &'static str,
    mut record: RecordReader<'_>,
    wanted: PropertyId,
) -> Result<Option<Slot>, CodecError> {
    let mut found = None;
    Table::read(what, &mut record)?.each(|property, slot| {
        if property == wanted {
            found = Some(read_slot(what, slot)?);
        }
        Ok(property < wanted)
    })?;
    Ok(found)
}

impl IntoIterator for Properties {
    type Item = (PropertyId, Slot);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// The table of a record's properties and the payload after it.
struct Table<'a> {
    what: &'static str,
    count: usize,
    entries: RecordReader<'a>,
    payload: &'a [u8],
}

impl<'a> Table<'a> {
    fn read(what: &'static str, record: &mut RecordReader<'a>) -> Result<Self, CodecError> {
        let count = record.read_count(2)?;
        let entries = record.clone();
        for _ in 0..count {
            record.read_varint_u32()?;
            record.read_varint()?;
        }
        Ok(Self {
            what,
            count,
            entries,
            payload: record.read_rest(),
        })
    }

    /// Calls `visit` with each property and its payload until it says `false`.
    fn each(
        mut self,
        mut visit: impl FnMut(PropertyId, &'a [u8]) -> Result<bool, CodecError>,
    ) -> Result<(), CodecError> {
        let wrong = CodecError::NotCanonical {
            what: self.what,
            at: 0,
        };
        let mut last = None;
        for _ in 0..self.count {
            let property = PropertyId::from_number(self.entries.read_varint_u32()?);
            let length = usize::try_from(self.entries.read_varint()?).unwrap_or(usize::MAX);
            let (slot, rest) = self
                .payload
                .split_at_checked(length)
                .ok_or_else(|| wrong.clone())?;
            if last.is_some_and(|last| property <= last) {
                return Err(wrong);
            }
            last = Some(property);
            self.payload = rest;
            if !visit(property, slot)? {
                return Ok(());
            }
        }
        if self.payload.is_empty() {
            Ok(())
        } else {
            Err(wrong)
        }
    }
}

fn read_slot(what: &'static str, bytes: &[u8]) -> Result<Slot, CodecError> {
    let mut reader = RecordReader::part(what, FORMAT, bytes);
    let slot = match reader.read_u8()? {
        IN_PLACE => Slot::Value(record::read_value(&mut reader)?),
        TEXT => Slot::Text(reader.read_varint()?),
        VECTOR => Slot::Vector(reader.read_varint()?),
        found => return Err(CodecError::BadTag { what, at: 0, found }),
    };
    reader.finish()?;
    Ok(slot)
}

impl Slot {
    /// Whether a change that makes this slot another leaves the value as it was. One that is written anew may be
    /// the same all the same.
    pub(crate) fn is_kept_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(old), Self::Value(new)) => old.equivalent(new),
            (Self::Text(_), Self::Text(_)) | (Self::Vector(_), Self::Vector(_)) => true,
            _ => false,
        }
    }

    /// Where the value lies, if apart.
    pub(crate) fn place(&self, entity: Entity, property: PropertyId) -> Option<(Family, [u8; 13])> {
        match self {
            Self::Value(_) => None,
            Self::Text(_) => Some((Family::Text, TextKey { entity, property }.encode())),
            Self::Vector(_) => Some((Family::Vectors, VectorKey { property, entity }.encode())),
        }
    }

    /// The value, wherever it lies.
    pub(crate) fn into_value(
        self,
        keys: &impl KeyRead,
        entity: Entity,
        property: PropertyId,
    ) -> Result<Value> {
        let (family, key) = match self.place(entity, property) {
            Some(place) => place,
            None => return self.into_value_of(None),
        };
        let found = keys.get_with(family, &key, |bytes| {
            self.clone().into_value_of(Some(bytes))
        })?;
        found.unwrap_or_else(|| self.into_value_of(None))
    }

    /// The value, of the bytes that lie apart if it does.
    pub(crate) fn into_value_of(self, bytes: Option<&[u8]>) -> Result<Value> {
        let (family, value) = match (self, bytes) {
            (Self::Value(value), _) => return Ok(value),
            (Self::Text(_), bytes) => (Family::Text, bytes.map(decode_text)),
            (Self::Vector(dimension), bytes) => {
                let vector = bytes.map(|bytes| decode_vector(bytes, dimension));
                (
                    Family::Vectors,
                    vector.map(|vector| vector.map(Value::Vector)),
                )
            }
        };
        let value = value.unwrap_or(Err(CodecError::NotCanonical {
            what: "record, whose value apart is missing",
            at: 0,
        }));
        value.map_err(|error| Error::record(family.name(), error))
    }
}

fn encode_vector(vector: &Vector) -> Vec<u8> {
    let components = vector.as_slice();
    let mut bytes = Vec::with_capacity(1 + components.len() * 4);
    bytes.push(FORMAT);
    for component in components {
        bytes.extend_from_slice(&component.to_le_bytes());
    }
    bytes
}

/// A stored vector of so many dimensions.
pub(crate) fn decode_vector(bytes: &[u8], dimension: u64) -> Result<Vector, CodecError> {
    let vector = decode_any_vector(bytes)?;
    match vector.as_slice().len() as u64 == dimension {
        true => Ok(vector),
        false => Err(bad_vector()),
    }
}

/// A stored vector, whatever its dimension.
pub(crate) fn decode_any_vector(bytes: &[u8]) -> Result<Vector, CodecError> {
    let mut components = Vec::with_capacity(bytes.len() / 4);
    decode_vector_into(bytes, &mut components)?;
    Vector::new(components).map_err(|_| bad_vector())
}

/// Appends the components of a stored vector; returns how many they are.
pub(crate) fn decode_vector_into(
    bytes: &[u8],
    components: &mut Vec<f32>,
) -> Result<usize, CodecError> {
    let mut record = RecordReader::new("vector", FORMAT..=FORMAT, bytes)?;
    let (stored, rest) = record.read_rest().as_chunks::<4>();
    if !rest.is_empty() || stored.is_empty() {
        return Err(bad_vector());
    }
    components.extend(
        stored
            .iter()
            .map(|component| f32::from_le_bytes(*component)),
    );
    Ok(stored.len())
}

fn bad_vector() -> CodecError {
    CodecError::NotCanonical {
        what: "vector",
        at: 1,
    }
}

/// A stored long value.
pub(crate) fn decode_text(bytes: &[u8]) -> Result<Value, CodecError> {
    let mut record = RecordReader::new("long value", FORMAT..=FORMAT, bytes)?;
    let value = record::read_value(&mut record)?;
    record.finish()?;
    Ok(value)
}
