//! The records of the `meta` family that the storage floor itself keeps.
//!
//! ```text
//! [1]  commit sequence   in every batch, so that each says which commit it is, and of which database
//! [2]  identity          the database's id, to tell a store from another's
//! [3]  load marker       there while a bulk load is unfinished
//! ```
//! Tags from 16 on belong to the catalogue.

use super::batch::Batch;
use super::family::Family;
use super::store::Snapshot;
use crate::codec::{CodecError, CommitSeq, DatabaseId, RecordReader, RecordWriter};
use crate::error::{Error, Result};

const SEQUENCE: &[u8] = &[1];
const IDENTITY: &[u8] = &[2];
const LOAD_MARKER: &[u8] = &[3];
/// Tags from here on belong to the catalogue.
const FIRST_FREE_TAG: u8 = 16;
const RECORD: u8 = 1;

/// Puts the commit's own sequence into its batch, and whose batch it is: it is the batch's first
/// entry, so that the log can be checked before it is replayed.
pub fn put_sequence(batch: &mut Batch, id: DatabaseId, sequence: CommitSeq) {
    let mut record = RecordWriter::new(RECORD);
    record
        .push_fixed_u64(sequence.get())
        .push_raw(id.as_bytes());
    batch.put(Family::Meta, SEQUENCE, &record.finish());
}

/// Whose batch begins with this put; `None` if no batch of ours does.
pub fn batch_owner(key: &[u8], value: &[u8]) -> Option<DatabaseId> {
    let mut record = RecordReader::new("sequence record", RECORD..=RECORD, value).ok()?;
    let (_, owner) = sequence_record(&mut record).ok()?;
    (key == SEQUENCE).then_some(owner)
}

fn sequence_record(record: &mut RecordReader<'_>) -> Result<(CommitSeq, DatabaseId), CodecError> {
    let sequence = CommitSeq::new(record.read_fixed_u64()?);
    Ok((sequence, DatabaseId::from_bytes(record.read_array()?)))
}

/// The last commit that the snapshot holds; `None` in a store that was never written.
pub fn sequence(snapshot: &dyn Snapshot) -> Result<Option<CommitSeq>> {
    read(snapshot, SEQUENCE, |record| Ok(sequence_record(record)?.0))
}

/// Puts the database's id.
pub fn put_identity(batch: &mut Batch, id: DatabaseId) {
    batch.put(
        Family::Meta,
        IDENTITY,
        &RecordWriter::new(RECORD).push_raw(id.as_bytes()).finish(),
    );
}

/// The id of the database that the store belongs to.
pub fn identity(snapshot: &dyn Snapshot) -> Result<Option<DatabaseId>> {
    read(snapshot, IDENTITY, |record| {
        Ok(DatabaseId::from_bytes(record.read_array()?))
    })
}

/// Says that a bulk load has begun. `runs` is how many sorted runs are about to be taken in, and 0
/// as long as none is: an unfinished load is undone by removing what is in that many runs.
pub fn put_load_marker(batch: &mut Batch, runs: u64) {
    let record = RecordWriter::new(RECORD).push_varint(runs).finish();
    batch.put(Family::Meta, LOAD_MARKER, &record);
}

/// Says that no bulk load is going on.
pub fn clear_load_marker(batch: &mut Batch) {
    batch.delete(Family::Meta, LOAD_MARKER);
}

/// How many runs a bulk load that was begun and not finished may have taken in; `None` if there is
/// no such load.
pub fn unfinished_load(snapshot: &dyn Snapshot) -> Result<Option<u64>> {
    read(snapshot, LOAD_MARKER, |record| {
        let runs = record.read_varint()?;
        Ok(runs)
    })
}

/// Whether the floor keeps this key of the `meta` family for itself.
pub fn is_reserved(key: &[u8]) -> bool {
    key.first().is_none_or(|tag| *tag < FIRST_FREE_TAG)
}

/// Whether a stored pair of this family is one of the above and decodes, for `check`.
pub fn verify(key: &[u8], value: &[u8]) -> Result<(), CodecError> {
    let mut record = RecordReader::new("meta record", RECORD..=RECORD, value)?;
    match key {
        SEQUENCE => drop(sequence_record(&mut record)?),
        IDENTITY => drop(record.read_array::<16>()?),
        LOAD_MARKER => drop(record.read_varint()?),
        _ => {
            let found = key.first().copied().unwrap_or(0);
            return Err(CodecError::BadTag {
                what: "meta key",
                at: 0,
                found,
            });
        }
    }
    record.finish()
}

fn read<T>(
    snapshot: &dyn Snapshot,
    key: &[u8],
    decode: impl Fn(&mut RecordReader<'_>) -> Result<T, CodecError>,
) -> Result<Option<T>> {
    let mut value = None;
    snapshot.get(Family::Meta, key, &mut |bytes| {
        value = Some(
            RecordReader::new("meta record", RECORD..=RECORD, bytes).and_then(|mut record| {
                let decoded = decode(&mut record)?;
                record.finish()?;
                Ok(decoded)
            }),
        );
    })?;
    value
        .transpose()
        .map_err(|error| Error::record(Family::Meta.name(), error))
}
