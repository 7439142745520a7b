//! Counts that every commit keeps exact, for the planner and for `COUNT`.
//!
//! ```text
//! meta  [23][kind: 1][number: 4 BE][number: 4 BE]  ->  [format: 1][count: varint]
//! ```

use super::names::{LabelId, NameId, TypeId};
use super::schema::SchemaId;
use crate::codec::{CodecError, KeyReader, KeyWriter, RecordReader, RecordWriter};

const FORMAT: u8 = 1;

/// Something that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Counter {
    /// All nodes.
    Nodes,
    /// All relationships.
    Relationships,
    /// Nodes with a label.
    Label(LabelId),
    /// Relationships of a type.
    Type(TypeId),
    /// Relationships of a type that leave a node with a label.
    From(LabelId, TypeId),
    /// Relationships of a type that reach a node with a label.
    To(LabelId, TypeId),
    /// Entries of a property index.
    Entries(SchemaId),
    /// Members of a hierarchy.
    Members(SchemaId),
}

impl Counter {
    /// The tag of their keys in `meta`.
    pub(crate) const TAG: u8 = 23;

    /// Its key in `meta`.
    #[must_use]
    pub fn key(self) -> Vec<u8> {
        let (kind, first, second) = match self {
            Self::Nodes => (0, 0, 0),
            Self::Relationships => (1, 0, 0),
            Self::Label(label) => (2, label.number(), 0),
            Self::Type(of) => (3, of.number(), 0),
            Self::From(label, of) => (4, label.number(), of.number()),
            Self::To(label, of) => (5, label.number(), of.number()),
            Self::Entries(index) => (6, index.get(), 0),
            Self::Members(hierarchy) => (7, hierarchy.get(), 0),
        };
        KeyWriter::with_capacity(10)
            .push_u8(Self::TAG)
            .push_u8(kind)
            .push_u32(first)
            .push_u32(second)
            .finish()
    }

    /// The counter of a key.
    ///
    /// # Errors
    /// A key that is none.
    pub fn decode(key: &[u8]) -> Result<Self, CodecError> {
        let mut reader = KeyReader::new("counter key", key);
        reader.read_u8()?;
        let kind = reader.read_u8()?;
        let (first, second) = (reader.read_u32()?, reader.read_u32()?);
        reader.finish()?;
        let (label, of) = (LabelId::from_number(first), TypeId::from_number(second));
        match (kind, first, second) {
            (0, 0, 0) => Ok(Self::Nodes),
            (1, 0, 0) => Ok(Self::Relationships),
            (2, _, 0) => Ok(Self::Label(label)),
            (3, _, 0) => Ok(Self::Type(TypeId::from_number(first))),
            (4, _, _) => Ok(Self::From(label, of)),
            (5, _, _) => Ok(Self::To(label, of)),
            (6, _, 0) => Ok(Self::Entries(SchemaId(first))),
            (7, _, 0) => Ok(Self::Members(SchemaId(first))),
            _ => Err(CodecError::BadTag {
                what: "counter key",
                at: 1,
                found: kind,
            }),
        }
    }

    /// A count as it is stored.
    #[must_use]
    pub fn encode_count(count: u64) -> Vec<u8> {
        RecordWriter::new(FORMAT).push_varint(count).finish()
    }

    /// A stored count.
    ///
    /// # Errors
    /// Bytes that are none.
    pub fn decode_count(bytes: &[u8]) -> Result<u64, CodecError> {
        let mut record = RecordReader::new("count", FORMAT..=FORMAT, bytes)?;
        let count = record.read_varint()?;
        record.finish()?;
        Ok(count)
    }
}
