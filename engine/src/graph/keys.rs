//! The graph's keys: one struct per key, next to a picture of its bytes.
//!
//! Ends and directions have types of their own, so that mixing them up does not compile. Everything
//! here is big-endian and of fixed width: the order of the bytes is the order of the fields. None of
//! these bytes may ever change; see the table of families for the values under them.

use crate::catalog::{NameId, PropertyId, TypeId};
use crate::codec::{CodecError, KeyReader};
use crate::storage::range::KeyRange;
use crate::value::{NodeId, RelationshipId};

/// Which way a relationship is seen from a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// From its source.
    Out,
    /// From its target.
    In,
}

impl Way {
    /// The other way.
    #[must_use]
    pub fn reverse(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
        }
    }

    /// The family in which relationships are seen this way.
    #[must_use]
    pub fn family(self) -> crate::storage::family::Family {
        match self {
            Self::Out => crate::storage::family::Family::Out,
            Self::In => crate::storage::family::Family::In,
        }
    }
}

/// A relationship as one of its ends sees it, in `out` and `in`.
///
/// ```text
/// [near end: 8 BE][type: 4 BE][far end: 8 BE][relationship: 8 BE]
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AdjacencyKey {
    /// The end that it is seen from.
    pub near: NodeId,
    /// Its type.
    pub relationship_type: TypeId,
    /// The other end.
    pub far: NodeId,
    /// Which one it is.
    pub relationship: RelationshipId,
}

impl AdjacencyKey {
    /// How long such keys are; degree keys in the same family are shorter.
    pub const BYTES: usize = 28;

    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.near.get().to_be_bytes());
        bytes[8..12].copy_from_slice(&self.relationship_type.number().to_be_bytes());
        bytes[12..20].copy_from_slice(&self.far.get().to_be_bytes());
        bytes[20..].copy_from_slice(&self.relationship.get().to_be_bytes());
        bytes
    }

    /// The key of some bytes.
    ///
    /// # Errors
    /// Bytes that are none.
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut reader = KeyReader::new("adjacency key", bytes);
        let key = Self {
            near: NodeId::new(reader.read_u64()?),
            relationship_type: TypeId::from_number(reader.read_u32()?),
            far: NodeId::new(reader.read_u64()?),
            relationship: RelationshipId::new(reader.read_u64()?),
        };
        reader.finish()?;
        Ok(key)
    }

    /// All that one node sees, its degrees included.
    #[must_use]
    pub fn of_node(near: NodeId) -> KeyRange {
        KeyRange::prefix(&near.get().to_be_bytes())
    }

    /// What one node sees of one type at one other end.
    #[must_use]
    pub(crate) fn between(near: NodeId, relationship_type: TypeId, far: NodeId) -> KeyRange {
        let first = Self {
            near,
            relationship_type,
            far,
            relationship: RelationshipId::new(0),
        };
        KeyRange::prefix(&first.encode()[..20])
    }

    /// What one node sees of one type, without the degree.
    #[must_use]
    pub fn of_type(near: NodeId, relationship_type: TypeId) -> KeyRange {
        let degree = DegreeKey {
            near,
            relationship_type,
        }
        .encode();
        let mut start = Vec::with_capacity(DegreeKey::BYTES + 1);
        start.extend_from_slice(&degree);
        let range = KeyRange::prefix(&start);
        // The degree's key is the prefix itself: one byte more leaves it out.
        start.push(0);
        match range.end {
            Some(end) => KeyRange::between(start, end),
            None => KeyRange::starting_at(start),
        }
    }
}

/// How many relationships of a type a node has, in `out` and `in`, before the relationships themselves.
///
/// ```text
/// [node: 8 BE][type: 4 BE]
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DegreeKey {
    /// The node.
    pub near: NodeId,
    /// The type.
    pub relationship_type: TypeId,
}

impl DegreeKey {
    /// How long such keys are.
    pub const BYTES: usize = 12;

    /// From the first to the last type that a node may have relationships of.
    pub(crate) fn all_of(way: Way, near: NodeId) -> std::ops::RangeInclusive<(Way, Self)> {
        let of = |number| Self {
            near,
            relationship_type: TypeId::from_number(number),
        };
        (way, of(0))..=(way, of(u32::MAX))
    }

    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.near.get().to_be_bytes());
        bytes[8..].copy_from_slice(&self.relationship_type.number().to_be_bytes());
        bytes
    }

    /// The key of some bytes.
    ///
    /// # Errors
    /// Bytes that are none.
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut reader = KeyReader::new("degree key", bytes);
        let key = Self {
            near: NodeId::new(reader.read_u64()?),
            relationship_type: TypeId::from_number(reader.read_u32()?),
        };
        reader.finish()?;
        Ok(key)
    }
}

/// A node or a relationship.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Entity {
    /// A node.
    Node(NodeId),
    /// A relationship.
    Relationship(RelationshipId),
}

impl Entity {
    /// Its number among its kind.
    #[must_use]
    pub fn number(self) -> u64 {
        match self {
            Self::Node(id) => id.get(),
            Self::Relationship(id) => id.get(),
        }
    }

    /// The node that it is, if it is one.
    #[must_use]
    pub fn node(self) -> Option<NodeId> {
        match self {
            Self::Node(id) => Some(id),
            Self::Relationship(_) => None,
        }
    }

    /// The relationship that it is, if it is one.
    #[must_use]
    pub fn relationship(self) -> Option<RelationshipId> {
        match self {
            Self::Node(_) => None,
            Self::Relationship(id) => Some(id),
        }
    }

    fn kind(self) -> u8 {
        match self {
            Self::Node(_) => 0,
            Self::Relationship(_) => 1,
        }
    }

    fn from_parts(
        what: &'static str,
        at: usize,
        kind: u8,
        number: u64,
    ) -> Result<Self, CodecError> {
        match kind {
            0 => Ok(Self::Node(NodeId::new(number))),
            1 => Ok(Self::Relationship(RelationshipId::new(number))),
            found => Err(CodecError::BadTag { what, at, found }),
        }
    }
}

impl std::fmt::Display for Entity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Node(id) => write!(f, "node {id}"),
            Self::Relationship(id) => write!(f, "relationship {id}"),
        }
    }
}

/// A long property value, in `text`.
///
/// ```text
/// [0 node, 1 relationship: 1][id: 8 BE][property: 4 BE]
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextKey {
    /// Whose property it is.
    pub entity: Entity,
    /// Which one.
    pub property: PropertyId,
}

impl TextKey {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; 13] {
        let mut bytes = [0; 13];
        bytes[0] = self.entity.kind();
        bytes[1..9].copy_from_slice(&self.entity.number().to_be_bytes());
        bytes[9..].copy_from_slice(&self.property.number().to_be_bytes());
        bytes
    }

    /// The key of some bytes.
    ///
    /// # Errors
    /// Bytes that are none.
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        const WHAT: &str = "text key";
        let mut reader = KeyReader::new(WHAT, bytes);
        let kind = reader.read_u8()?;
        let entity = Entity::from_parts(WHAT, 0, kind, reader.read_u64()?)?;
        let property = PropertyId::from_number(reader.read_u32()?);
        reader.finish()?;
        Ok(Self { entity, property })
    }
}

/// A vector, in `vectors`: those of one property lie together, since an index reads them all.
///
/// ```text
/// [property: 4 BE][0 node, 1 relationship: 1][id: 8 BE]
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VectorKey {
    /// Which property it is.
    pub property: PropertyId,
    /// Whose.
    pub entity: Entity,
}

impl VectorKey {
    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> [u8; 13] {
        let mut bytes = [0; 13];
        bytes[..4].copy_from_slice(&self.property.number().to_be_bytes());
        bytes[4] = self.entity.kind();
        bytes[5..].copy_from_slice(&self.entity.number().to_be_bytes());
        bytes
    }

    /// The key of some bytes.
    ///
    /// # Errors
    /// Bytes that are none.
    pub fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        const WHAT: &str = "vector key";
        let mut reader = KeyReader::new(WHAT, bytes);
        let property = PropertyId::from_number(reader.read_u32()?);
        let kind = reader.read_u8()?;
        let entity = Entity::from_parts(WHAT, 4, kind, reader.read_u64()?)?;
        reader.finish()?;
        Ok(Self { property, entity })
    }
}

/// The key of a record of `nodes` or `edges`.
///
/// ```text
/// [id: 8 BE]
/// ```
pub(crate) fn record_key(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}

/// The id in the key of a record of `nodes` or `edges`.
pub(crate) fn decode_record_key(bytes: &[u8]) -> Result<u64, CodecError> {
    let mut reader = KeyReader::new("record key", bytes);
    let number = reader.read_u64()?;
    reader.finish()?;
    Ok(number)
}

#[cfg(test)]
mod tests;
