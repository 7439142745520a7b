//! Sets of ids: nodes by label, relationships by type.
//!
//! ```text
//! labels  [0 label, 1 type: 1][number: 4 BE][id >> 16: 6 BE]  ->  [format: 1][roaring, of id & FFFF]
//! ```
//! One pair holds the ids that share all but their last sixteen bits, and is rewritten singly: a
//! change costs one container and never the whole set. An empty one is not stored.

use crate::catalog::{LabelId, NameId, TypeId};
use crate::codec::{CodecError, KeyReader, RecordReader};
use crate::error::{Error, Result};
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use roaring::{RoaringBitmap, RoaringTreemap};

const FORMAT: u8 = 1;

/// A set that the graph keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum SetId {
    /// Nodes with a label.
    Label(LabelId),
    /// Relationships of a type.
    Type(TypeId),
}

/// One container of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ContainerKey {
    /// The set.
    pub(crate) set: SetId,
    /// What its ids have in common: all but their last sixteen bits.
    pub(crate) high: u64,
}

impl SetId {
    fn prefix(self) -> [u8; 5] {
        let (kind, number) = match self {
            Self::Label(label) => (0, label.number()),
            Self::Type(of) => (1, of.number()),
        };
        let mut bytes = [kind; 5];
        bytes[1..].copy_from_slice(&number.to_be_bytes());
        bytes
    }

    /// The keys of its containers.
    #[must_use]
    pub(crate) fn range(self) -> KeyRange {
        KeyRange::prefix(&self.prefix())
    }
}

impl ContainerKey {
    /// The container in which an id lies.
    #[must_use]
    pub(crate) fn of(set: SetId, id: u64) -> (Self, u32) {
        let (high, low) = split(id);
        (Self { set, high }, low)
    }

    /// Its bytes.
    #[must_use]
    pub(crate) fn encode(&self) -> [u8; 11] {
        let mut bytes = [0; 11];
        bytes[..5].copy_from_slice(&self.set.prefix());
        bytes[5..].copy_from_slice(&self.high.to_be_bytes()[2..]);
        bytes
    }

    /// The key of some bytes.
    ///
    /// # Errors
    /// Bytes that are none.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut reader = KeyReader::new("set key", bytes);
        let kind = reader.read_u8()?;
        let number = reader.read_u32()?;
        let set = match kind {
            0 => SetId::Label(LabelId::from_number(number)),
            1 => SetId::Type(TypeId::from_number(number)),
            found => {
                return Err(CodecError::BadTag {
                    what: "set key",
                    at: 0,
                    found,
                });
            }
        };
        let high = reader.read_array::<6>()?;
        reader.finish()?;
        let mut wide = [0; 8];
        wide[2..].copy_from_slice(&high);
        Ok(Self {
            set,
            high: u64::from_be_bytes(wide),
        })
    }
}

/// The container of an id, and its place in it.
pub(crate) fn split(id: u64) -> (u64, u32) {
    // Sixteen bits fit.
    (id >> 16, (id & 0xFFFF) as u32)
}

/// A container's bytes.
pub(crate) fn encode_container(container: &mut RoaringBitmap) -> Vec<u8> {
    container.optimize();
    let mut bytes = Vec::with_capacity(1 + container.serialized_size());
    bytes.push(FORMAT);
    // Writing into memory cannot fail.
    let _ = container.serialize_into(&mut bytes);
    bytes
}

/// The container of some bytes.
pub(crate) fn decode_container(bytes: &[u8]) -> Result<RoaringBitmap, CodecError> {
    const WHAT: &str = "set container";
    let mut record = RecordReader::new(WHAT, FORMAT..=FORMAT, bytes)?;
    let mut rest = record.read_rest();
    let container = RoaringBitmap::deserialize_from(&mut rest)
        .map_err(|_| CodecError::NotCanonical { what: WHAT, at: 1 })?;
    if !rest.is_empty() || container.max().is_none_or(|max| max > 0xFFFF) {
        return Err(CodecError::NotCanonical { what: WHAT, at: 1 });
    }
    Ok(container)
}

/// Appends a container to the set that its ids belong to; containers come in rising order.
pub(crate) fn append(set: &mut RoaringTreemap, high: u64, container: &RoaringBitmap) -> Result<()> {
    let first = high << 16;
    set.append(container.iter().map(|low| first | u64::from(low)))
        .map(|_| ())
        .map_err(|_| {
            Error::record(
                Family::Labels.name(),
                CodecError::NotCanonical {
                    what: "set key",
                    at: 5,
                },
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_containers_come_back_and_sort_by_set_then_id() {
        let set = SetId::Type(TypeId::from_number(7));
        let (key, low) = ContainerKey::of(set, 0x0001_0203_0405_0607);
        assert_eq!(low, 0x0607);
        assert_eq!(key.encode(), [1, 0, 0, 0, 7, 0, 1, 2, 3, 4, 5]);
        assert_eq!(ContainerKey::decode(&key.encode()), Ok(key));
        assert!(set.range().contains(&key.encode()));

        let mut container: RoaringBitmap = (10..5000).collect();
        let bytes = encode_container(&mut container);
        // Ids are dense, and a run of them costs next to nothing.
        assert!(bytes.len() < 32, "{} bytes", bytes.len());
        assert_eq!(decode_container(&bytes), Ok(container));
    }

    #[test]
    fn a_container_of_other_bytes_is_refused() {
        let mut wide: RoaringBitmap = [0x1_0000].into_iter().collect();
        assert!(decode_container(&encode_container(&mut wide)).is_err());
        assert!(decode_container(&encode_container(&mut RoaringBitmap::new())).is_err());
        let mut trailing = encode_container(&mut [1_u32].into_iter().collect());
        trailing.push(0);
        assert!(decode_container(&trailing).is_err());
        assert!(decode_container(&[]).is_err());
    }
}
