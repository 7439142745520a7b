//! What is stored of a snapshot, beside what the index writes itself.
//!
//! ```text
//! vector_snapshot  [index: 4 BE]                                ->  the head
//!                  [index: 4 BE][part: 4 BE][generation: 4 BE]  ->  a part, as the index writes it
//!                  [index: 4 BE][FFFFFFFF]                      ->  the intent
//!
//! head    [format: 1][generation: varint][parts: count][generation: varint]*[the index's own head]
//! intent  [format: 1]
//! ```

use crate::catalog::SchemaId;
use crate::codec::{CodecError, KeyReader, KeyWriter, RecordReader, RecordWriter};
use crate::error::{Error, Result};
use crate::storage::family::Family;
use crate::storage::store::Snapshot as StoreSnapshot;

const FORMAT: u8 = 1;
pub(super) const HEAD: &str = "vector snapshot head";
/// Says that parts may lie around that no head has.
pub(super) const INTENT: &[u8] = &[FORMAT];
const NO_PART: u32 = u32::MAX;

/// What a head says, but for what the index says itself.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Head {
    pub(super) generation: u32,
    /// The generation of each part.
    pub(super) parts: Vec<u32>,
    /// The index's own head.
    pub(super) index: Vec<u8>,
}

impl Head {
    pub(super) fn encode(&self) -> Vec<u8> {
        let bytes = self.index.len() + 2 * self.parts.len() + 16;
        let mut record = RecordWriter::with_capacity(FORMAT, bytes);
        record.push_varint(self.generation.into());
        record.push_count(self.parts.len());
        for part in &self.parts {
            record.push_varint(u64::from(*part));
        }
        record.push_raw(&self.index);
        record.finish()
    }

    fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut record = RecordReader::new(HEAD, FORMAT..=FORMAT, bytes)?;
        let generation = record.read_varint_u32()?;
        let count = record.read_count(1)?;
        let mut parts = Vec::with_capacity(count);
        for _ in 0..count {
            parts.push(record.read_varint_u32()?);
        }
        Ok(Self {
            generation,
            parts,
            index: record.read_rest().to_vec(),
        })
    }

    pub(super) fn read(snapshot: &dyn StoreSnapshot, index: SchemaId) -> Result<Option<Self>> {
        let mut head = None;
        snapshot.get(Family::VectorSnapshot, &head_key(index), &mut |bytes| {
            head = Some(Self::decode(bytes));
        })?;
        head.transpose().map_err(damaged)
    }
}

/// Where the head is.
pub(super) fn head_key(index: SchemaId) -> [u8; 4] {
    index.get().to_be_bytes()
}

/// Where the intent is, behind all parts.
pub(super) fn intent_key(index: SchemaId) -> Vec<u8> {
    KeyWriter::with_capacity(8)
        .push_u32(index.get())
        .push_u32(NO_PART)
        .finish()
}

/// Where a part is.
pub(super) fn part_key(index: SchemaId, part: u32, generation: u32) -> Vec<u8> {
    KeyWriter::with_capacity(12)
        .push_u32(index.get())
        .push_u32(part)
        .push_u32(generation)
        .finish()
}

/// The part and the generation of a key, if it is one of a part.
pub(super) fn read_part_key(key: &[u8]) -> Option<(u32, u32)> {
    let mut reader = KeyReader::new("vector snapshot key", key);
    reader.read_u32().ok()?;
    let part = (reader.read_u32().ok()?, reader.read_u32().ok()?);
    reader.finish().ok()?;
    Some(part)
}

pub(super) fn damaged(error: CodecError) -> Error {
    Error::record(Family::VectorSnapshot.name(), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_and_keys_come_back() {
        let head = Head {
            generation: 300,
            parts: vec![299, 300],
            index: b"own".to_vec(),
        };
        let bytes = head.encode();
        assert_eq!(bytes, b"\x01\xAC\x02\x02\xAB\x02\xAC\x02own");
        assert_eq!(Head::decode(&bytes), Ok(head));
        let id = SchemaId(7);
        assert_eq!(part_key(id, 2, 300), [0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 1, 44]);
        assert_eq!(read_part_key(&part_key(id, 2, 300)), Some((2, 300)));
        assert!(part_key(id, 2, 300)[..] > head_key(id)[..]);
        assert!(part_key(id, 2, 300) < intent_key(id));
        assert_eq!(read_part_key(&intent_key(id)), None);
    }
}
