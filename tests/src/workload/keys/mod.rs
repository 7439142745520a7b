//! The floor below the graph: batches of pairs, some of them bulk loads.
//!
//! Every batch changes every one of its [`families`], in a way that no other batch does: a family that
//! misses a batch, or has one too many, always shows.
//!
//! Keys are `[number of the writer: 4 BE][group: 4 BE][slot: 2 BE]` in a small key space, so that the state stays
//! bounded; entries of a bulk load are `[number of the writer: 4 BE][LOADED: 4 BE][batch: 8 BE][entry: 2 BE]`, and
//! a later batch deletes them. Next: [`state`] for what all batches together come to.

mod state;

pub use state::{State, place};

use super::{BatchNumber, Workload, Writer, mix};
use stratigraph::codec::CommitSeq;
use stratigraph::storage::cancel::Watch;
use stratigraph::storage::family::Family;
use stratigraph::storage::range::KeyRange;
use stratigraph::{Database, Result};

/// How many slots a writer has in each family.
const SLOTS: u16 = 64;
/// Slots of one group share the first eight bytes of their keys, which some families filter on.
const SLOTS_PER_GROUP: u16 = 8;
/// One batch in so many is a bulk load.
const BULK_PERIOD: u64 = 61;
/// So many batches later its entries are deleted again.
const BULK_LIFE: u64 = 7;
/// The group of loaded entries; after every group of slots.
const LOADED: u32 = 0xFFFF_FFFE;
/// The group of the progress record; after everything else.
const PROGRESS: u32 = 0xFFFF_FFFF;

/// The families that batches write to: those of indexes, each of which reads no other keys than its own. In
/// all others `check` rightly takes a pair that is no part of a graph for damage; graph writers fill them.
pub fn families() -> impl Iterator<Item = Family> + Clone {
    [Family::VectorSnapshot, Family::Postings, Family::Journal].into_iter()
}

/// What a writer's keys begin with. No index has so high a number: the families have its pairs as well.
fn number(writer: Writer) -> u32 {
    0xF000_0000 | writer.0
}

/// Every key of a writer.
#[must_use]
pub fn range(writer: Writer) -> KeyRange {
    KeyRange::prefix(&number(writer).to_be_bytes())
}

/// One change: `None` deletes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// In which family.
    pub family: Family,
    /// The key.
    pub key: Vec<u8>,
    /// Its new value.
    pub value: Option<Vec<u8>>,
}

/// Commits `batch`, which must be the one after the writer's last.
///
/// # Errors
/// Whatever the database refuses.
pub fn commit(
    db: &Database,
    workload: Workload,
    writer: Writer,
    batch: BatchNumber,
) -> Result<CommitSeq> {
    let changes = changes(workload, writer, batch);
    if is_bulk_load(workload, writer, batch) {
        let mut load = db.key_bulk_load()?;
        for change in &changes {
            load.put(
                change.family,
                &change.key,
                change.value.as_deref().unwrap_or_default(),
            )?;
        }
        return load.finish(&mut Watch::quiet());
    }
    let mut txn = db.key_write()?;
    for change in &changes {
        match &change.value {
            Some(value) => txn.put(change.family, &change.key, value)?,
            None => txn.delete(change.family, &change.key)?,
        }
    }
    txn.commit()
}

/// Whether the batch goes in as a bulk load.
#[must_use]
pub fn is_bulk_load(workload: Workload, writer: Writer, batch: BatchNumber) -> bool {
    workload.bulk_loads && workload.is_due(writer, batch, BULK_PERIOD, 0)
}

/// What the batch changes, in the order in which it does; a bulk load only adds, in key order.
#[must_use]
pub fn changes(workload: Workload, writer: Writer, batch: BatchNumber) -> Vec<Change> {
    let mut changes = Vec::new();
    for family in families() {
        let (seed, writer_number) = (workload.seed, u64::from(writer.0));
        let parts_of = |batch: BatchNumber| [seed, writer_number, batch.0, family.index() as u64];
        let parts = parts_of(batch);
        let mut rng = fastrand::Rng::with_seed(mix(&parts));
        if is_bulk_load(workload, writer, batch) {
            for entry in 0..loaded_entries(&parts) {
                let value = Some(value(&mut rng, batch));
                changes.push(Change {
                    family,
                    key: loaded_key(writer, batch, entry),
                    value,
                });
            }
            continue;
        }
        if let Some(born) = batch.0.checked_sub(BULK_LIFE).map(BatchNumber)
            && is_bulk_load(workload, writer, born)
        {
            for entry in 0..loaded_entries(&parts_of(born)) {
                changes.push(Change {
                    family,
                    key: loaded_key(writer, born, entry),
                    value: None,
                });
            }
        }
        for _ in 0..rng.u8(0..3) {
            changes.push(Change {
                family,
                key: slot_key(writer, rng.u16(..SLOTS)),
                value: None,
            });
        }
        for _ in 0..rng.u8(0..3) {
            let key = slot_key(writer, rng.u16(..SLOTS));
            changes.push(Change {
                family,
                key,
                value: Some(value(&mut rng, batch)),
            });
        }
        // The last word in every family names the batch: no two states of a family are equal.
        let mut signed = batch.0.to_be_bytes().to_vec();
        signed.extend(value(&mut rng, batch));
        changes.push(Change {
            family,
            key: slot_key(writer, rng.u16(..SLOTS)),
            value: Some(signed),
        });
    }
    if !is_bulk_load(workload, writer, batch) {
        let value = Some(batch.0.to_be_bytes().to_vec());
        changes.push(Change {
            family: Family::Journal,
            key: progress_key(writer),
            value,
        });
    }
    changes
}

/// The key of a slot.
fn slot_key(writer: Writer, slot: u16) -> Vec<u8> {
    let mut key = key_of(writer, u32::from(slot / SLOTS_PER_GROUP));
    key.extend(slot.to_be_bytes());
    key
}

fn loaded_key(writer: Writer, batch: BatchNumber, entry: u16) -> Vec<u8> {
    let mut key = key_of(writer, LOADED);
    key.extend(batch.0.to_be_bytes());
    key.extend(entry.to_be_bytes());
    key
}

fn progress_key(writer: Writer) -> Vec<u8> {
    key_of(writer, PROGRESS)
}

fn key_of(writer: Writer, group: u32) -> Vec<u8> {
    [number(writer).to_be_bytes(), group.to_be_bytes()].concat()
}

fn loaded_entries(parts: &[u64; 4]) -> u16 {
    1 + (mix(parts) >> 8) as u16 % 24
}

/// Mostly short, now and then of several blocks, sometimes empty; half of them compress well.
fn value(rng: &mut fastrand::Rng, batch: BatchNumber) -> Vec<u8> {
    let length = match rng.u8(..100) {
        0..8 => 0,
        8..75 => rng.usize(1..200),
        75..98 => rng.usize(200..2048),
        _ => rng.usize(16 << 10..24 << 10),
    };
    if rng.bool() {
        return batch
            .0
            .to_be_bytes()
            .iter()
            .copied()
            .cycle()
            .take(length)
            .collect();
    }
    let mut bytes = vec![0; length];
    rng.fill(&mut bytes);
    bytes
}
