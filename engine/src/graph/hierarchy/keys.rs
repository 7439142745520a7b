//! What is stored of a hierarchy.
//!
//! ```text
//! hierarchy  [hierarchy: 4 BE][0][node: 8 BE]                   ->  [format: 1][level: varint]
//!            [hierarchy: 4 BE][1][level: 4 BE][id >> 16: 6 BE]  ->  [format: 1][roaring, of id & FFFF]
//!            [hierarchy: 4 BE][2][node: 8 BE]                   ->  []      a member by name
//! ```

use crate::catalog::SchemaId;
use crate::codec::{CodecError, KeyReader, KeyWriter, RecordReader, RecordWriter};
use crate::storage::range::KeyRange;
use crate::value::NodeId;

const FORMAT: u8 = 1;
const LEVEL_OF: u8 = 0;
const MEMBERS: u8 = 1;
const NAMED: u8 = 2;

/// A key of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HierarchyKey {
    /// The level of a member.
    LevelOf(SchemaId, NodeId),
    /// A container of the members of a level.
    Members(SchemaId, u32, u64),
    /// A member by name.
    Named(SchemaId, NodeId),
}

impl HierarchyKey {
    /// Its bytes.
    pub(crate) fn encode(self) -> Vec<u8> {
        let mut key = KeyWriter::with_capacity(15);
        match self {
            Self::LevelOf(hierarchy, node) => key
                .push_u32(hierarchy.get())
                .push_u8(LEVEL_OF)
                .push_u64(node.get()),
            Self::Members(hierarchy, level, high) => key
                .push_u32(hierarchy.get())
                .push_u8(MEMBERS)
                .push_u32(level)
                .push_raw(&high.to_be_bytes()[2..]),
            Self::Named(hierarchy, node) => key
                .push_u32(hierarchy.get())
                .push_u8(NAMED)
                .push_u64(node.get()),
        };
        key.finish()
    }

    /// The key of some bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        const WHAT: &str = "hierarchy key";
        let mut reader = KeyReader::new(WHAT, bytes);
        let hierarchy = SchemaId(reader.read_u32()?);
        let key = match reader.read_u8()? {
            LEVEL_OF => Self::LevelOf(hierarchy, NodeId::new(reader.read_u64()?)),
            MEMBERS => {
                let level = reader.read_u32()?;
                let mut wide = [0; 8];
                wide[2..].copy_from_slice(&reader.read_array::<6>()?);
                Self::Members(hierarchy, level, u64::from_be_bytes(wide))
            }
            NAMED => Self::Named(hierarchy, NodeId::new(reader.read_u64()?)),
            found => {
                return Err(CodecError::BadTag {
                    what: WHAT,
                    at: 4,
                    found,
                });
            }
        };
        reader.finish()?;
        Ok(key)
    }
}

/// The members of a level; of every level, if none is named.
pub(crate) fn members(hierarchy: SchemaId, level: Option<u32>) -> KeyRange {
    let mut key = KeyWriter::with_capacity(9);
    key.push_u32(hierarchy.get()).push_u8(MEMBERS);
    if let Some(level) = level {
        key.push_u32(level);
    }
    KeyRange::prefix(key.as_bytes())
}

/// The members by name.
pub(crate) fn named(hierarchy: SchemaId) -> KeyRange {
    let mut key = KeyWriter::with_capacity(5);
    key.push_u32(hierarchy.get()).push_u8(NAMED);
    KeyRange::prefix(key.as_bytes())
}

/// A level's bytes.
pub(crate) fn encode_level(level: u32) -> Vec<u8> {
    RecordWriter::new(FORMAT).push_varint(level.into()).finish()
}

/// The level of some bytes.
pub(crate) fn decode_level(bytes: &[u8]) -> Result<u32, CodecError> {
    let mut record = RecordReader::new("level", FORMAT..=FORMAT, bytes)?;
    let level = record.read_varint_u32()?;
    record.finish()?;
    Ok(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_the_pictures() {
        let (id, node) = (SchemaId(3), NodeId::new(0x0102));
        for (key, bytes) in [
            (
                HierarchyKey::LevelOf(id, node),
                &[0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 2][..],
            ),
            (
                HierarchyKey::Members(id, 4, 5),
                &[0, 0, 0, 3, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 5],
            ),
            (
                HierarchyKey::Named(id, node),
                &[0, 0, 0, 3, 2, 0, 0, 0, 0, 0, 0, 1, 2],
            ),
        ] {
            assert_eq!(key.encode(), bytes);
            assert_eq!(HierarchyKey::decode(bytes), Ok(key));
        }
        assert_eq!(encode_level(300), [1, 0xAC, 2]);
        assert_eq!(decode_level(&[1, 0xAC, 2]), Ok(300));
        assert!(decode_level(&[1, 0xAC, 2, 0]).is_err());
    }
}
