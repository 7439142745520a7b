//! One entry of a property index: what writers keep in step.

use crate::catalog::{IndexDef, SchemaId};
use crate::codec::{CodecError, KeyReader, KeyWriter};
use crate::error::{Error, Result};
use crate::graph::Entity;
use crate::keys::KeyRead;
use crate::storage::family::Family;
use crate::value::{NodeId, RelationshipId, Value, ordered};

/// The longest values, together, that an index takes.
pub(crate) const MAX_INDEXED_BYTES: usize = 8 << 10;

/// The key of an entity in an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryKey {
    index: SchemaId,
    entity: Entity,
    unique: bool,
    bytes: Vec<u8>,
    /// How many of the bytes are the index and the values.
    values_end: usize,
}

/// An entry to write or, without a value, to remove.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) index: SchemaId,
    pub(crate) key: Vec<u8>,
    pub(crate) value: Option<Vec<u8>>,
    /// How many bytes of the key are the index and the values.
    values_end: usize,
}

impl Entry {
    /// The values' bytes, to count distinct ones by.
    pub(crate) fn values(&self) -> &[u8] {
        self.key.get(..self.values_end).unwrap_or(&self.key)
    }
}

impl EntryKey {
    /// The key of `entity`, whose values were written after the index's prefix.
    pub(crate) fn new(index: &IndexDef, entity: Entity, mut key: KeyWriter) -> Result<Self> {
        let values_end = key.as_bytes().len();
        if values_end > MAX_INDEXED_BYTES {
            return Err(Error::IndexedValueTooLong {
                index: index.name.clone(),
                entity,
                bytes: values_end as u64,
                limit_bytes: MAX_INDEXED_BYTES as u64,
            });
        }
        if !index.unique {
            key.push_u64(entity.number());
        }
        Ok(Self {
            index: index.id,
            entity,
            unique: index.unique,
            bytes: key.finish(),
            values_end,
        })
    }

    /// Who has the values in a unique index now.
    pub(crate) fn holder(&self, keys: &impl KeyRead) -> Result<Option<Entity>> {
        let holder = keys.get_with(Family::PropIndex, &self.bytes, |bytes| {
            decode_holder(bytes, self.entity)
        })?;
        holder
            .transpose()
            .map_err(|error| Error::record(Family::PropIndex.name(), error))
    }

    /// Whether the entity is in the index with these values. While an index is being built nobody
    /// else knows: it may not have been entered yet.
    pub(crate) fn is_entered(&self, keys: &impl KeyRead) -> Result<bool> {
        if self.unique {
            Ok(self.holder(keys)? == Some(self.entity))
        } else {
            keys.contains(Family::PropIndex, &self.bytes)
        }
    }

    pub(crate) fn written(self) -> Entry {
        let value = if self.unique {
            self.entity.number().to_be_bytes().to_vec()
        } else {
            Vec::new()
        };
        Entry {
            value: Some(value),
            ..self.removed()
        }
    }

    pub(crate) fn removed(self) -> Entry {
        Entry {
            index: self.index,
            values_end: self.values_end,
            key: self.bytes,
            value: None,
        }
    }
}

/// What the keys of an index begin with.
pub(crate) fn index_prefix(index: SchemaId) -> KeyWriter {
    let mut key = KeyWriter::with_capacity(64);
    key.push_u32(index.get());
    key
}

/// Appends a value to a key.
pub(crate) fn push(key: &mut KeyWriter, index: &IndexDef, value: &Value) -> Result<()> {
    ordered::push_value(key, value).map_err(|_| Error::NotIndexable {
        index: index.name.clone(),
        kind: value.kind(),
    })
}

/// The entity in the value of a unique index's entry, of the same kind as `like`.
pub(super) fn decode_holder(bytes: &[u8], like: Entity) -> Result<Entity, CodecError> {
    let mut reader = KeyReader::new("unique index entry", bytes);
    let number = reader.read_u64()?;
    reader.finish()?;
    Ok(entity_like(like, number))
}

pub(super) fn entity_like(like: Entity, number: u64) -> Entity {
    match like {
        Entity::Node(_) => Entity::Node(NodeId::new(number)),
        Entity::Relationship(_) => Entity::Relationship(RelationshipId::new(number)),
    }
}
