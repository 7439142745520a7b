//! What each commit has changed for a vector index.
//!
//! ```text
//! journal  [index: 4 BE][sequence: 8 BE]  ->  [format: 1][count: varint]([id, less the one before: varint])*
//! ```
//! It only says whose vectors came, changed or went; what they are now is read where vectors are. So an
//! index that was kept at one commit is brought to a later one by looking at each id once.

use crate::catalog::SchemaId;
use crate::codec::{CodecError, CommitSeq, KeyReader, KeyWriter, RecordReader, RecordWriter};
use crate::error::{Error, Result};
use crate::keys::KeyRead;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use std::collections::BTreeSet;

const WHAT: &str = "vector journal";
const FORMAT: u8 = 1;

/// Whose entry it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JournalKey {
    pub(crate) index: SchemaId,
    pub(crate) commit: CommitSeq,
}

impl JournalKey {
    pub(crate) fn encode(self) -> Vec<u8> {
        KeyWriter::with_capacity(12)
            .push_u32(self.index.get())
            .push_u64(self.commit.get())
            .finish()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, CodecError> {
        let mut reader = KeyReader::new("vector journal key", bytes);
        let index = SchemaId(reader.read_u32()?);
        let commit = CommitSeq::new(reader.read_u64()?);
        reader.finish()?;
        Ok(Self { index, commit })
    }
}

/// The ids that a commit has touched, as bytes.
pub(crate) fn encode(ids: &BTreeSet<u64>) -> Vec<u8> {
    let mut record = RecordWriter::with_capacity(FORMAT, 8 + 2 * ids.len());
    record.push_count(ids.len());
    let mut last = 0;
    for id in ids {
        record.push_varint(id - last);
        last = *id;
    }
    record.finish()
}

/// Adds the ids of an entry.
pub(crate) fn decode_into(bytes: &[u8], ids: &mut BTreeSet<u64>) -> Result<(), CodecError> {
    let mut record = RecordReader::new(WHAT, FORMAT..=FORMAT, bytes)?;
    let mut last = None;
    for _ in 0..record.read_count(1)? {
        let step = record.read_varint()?;
        let id = match last {
            None => Some(step),
            Some(_) if step == 0 => None,
            Some(last) => step.checked_add(last),
        };
        let id = id.ok_or(CodecError::NotCanonical { what: WHAT, at: 1 })?;
        ids.insert(id);
        last = Some(id);
    }
    record.finish()
}

/// The ids that commits after one, up to the one that is read, have touched.
pub(crate) fn touched_after(
    keys: &impl KeyRead,
    index: SchemaId,
    commit: CommitSeq,
) -> Result<BTreeSet<u64>> {
    let damaged = |error| Error::record(Family::Journal.name(), error);
    let mut ids = BTreeSet::new();
    let range = KeyRange {
        start: first_after(index, commit),
        ..range_until(index, keys.commit_seq())
    };
    let mut scan = keys.scan(Family::Journal, &range)?;
    while let Some(entry) = scan.next()? {
        decode_into(entry.value, &mut ids).map_err(damaged)?;
    }
    Ok(ids)
}

/// About how many ids there are in all entries. One that is damaged counts as one: what it said matters only to
/// an index that is older.
pub(super) fn count(keys: &impl KeyRead, index: SchemaId) -> Result<u64> {
    let mut count = 0;
    let mut scan = keys.scan(
        Family::Journal,
        &KeyRange::prefix(&index.get().to_be_bytes()),
    )?;
    while let Some(entry) = scan.next()? {
        let mut record = RecordReader::new(WHAT, FORMAT..=FORMAT, entry.value);
        let ids = record
            .as_mut()
            .ok()
            .and_then(|record| record.read_count(1).ok());
        count += ids.unwrap_or(1) as u64;
    }
    Ok(count)
}

/// The entries of commits up to one.
pub(crate) fn range_until(index: SchemaId, commit: CommitSeq) -> KeyRange {
    KeyRange {
        start: index.get().to_be_bytes().to_vec(),
        end: Some(first_after(index, commit)),
    }
}

/// Where the entries of later commits begin.
fn first_after(index: SchemaId, commit: CommitSeq) -> Vec<u8> {
    let commit = commit.next().unwrap_or(commit);
    JournalKey { index, commit }.encode()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_entries_come_back() {
        let key = JournalKey {
            index: SchemaId(7),
            commit: CommitSeq::new(258),
        };
        let bytes = key.encode();
        assert_eq!(bytes, [0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!(JournalKey::decode(&bytes), Ok(key));
        assert!(range_until(key.index, key.commit).contains(&bytes));
        assert!(first_after(key.index, key.commit) > bytes);

        let ids: BTreeSet<u64> = [0, 3, 300, u64::MAX].into();
        let bytes = encode(&ids);
        assert_eq!(bytes[..5], [1, 4, 0, 3, 0xA9]);
        let mut back = BTreeSet::new();
        decode_into(&bytes, &mut back).unwrap();
        assert_eq!(back, ids);
    }

    #[test]
    fn entries_of_other_bytes_are_refused() {
        let mut ids = BTreeSet::new();
        for bytes in [
            &b""[..],
            b"\x02\x00",
            b"\x01\x02\x05\x00",
            b"\x01\x01",
            b"\x01\x00\x00",
        ] {
            assert!(decode_into(bytes, &mut ids).is_err(), "{bytes:?}");
        }
    }
}
