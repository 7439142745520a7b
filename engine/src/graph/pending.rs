//! What a write transaction has changed but not written out yet, because many changes go to one pair:
//! containers of sets, degrees, counts, sketches, and levels of hierarchies.
//!
//! They are kept as differences, which cannot fail to be noted, and are merged with what is stored
//! when the transaction commits or sets a savepoint ([`Pending::settle`]). Reading looks at both.

use super::hierarchy::{self, Releveled};
use super::keys::{DegreeKey, Way};
use super::own_texts::OwnTexts;
use super::sets::{self, ContainerKey, SetId};
use super::view::View;
use crate::catalog::{Counter, GraphState, SchemaId, TypeId};
use crate::codec::{CodecError, CommitSeq, varint};
use crate::error::{Error, Result};
use crate::index::property::Sketch;
use crate::index::text::Occasion;
use crate::index::vector::{JournalKey, read_touched, write_touched};
use crate::keys::{KeyRead, KeyWriteTxn};
use crate::storage::batch::{Batch, Change, Key};
use crate::storage::family::Family;
use crate::storage::plant::{self, Bug};
use crate::value::NodeId;
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, BTreeSet};

/// So many degrees are read in one go, which costs less than one by one.
const DEGREES_PER_READ: usize = 512;

/// Differences to what is stored.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    sets: BTreeMap<ContainerKey, SetChange>,
    degrees: BTreeMap<(Way, DegreeKey), i64>,
    counts: BTreeMap<Counter, i64>,
    sketches: BTreeMap<SchemaId, Sketch>,
    releveled: BTreeMap<SchemaId, Releveled>,
    /// Whose vectors came, changed or went, for each vector index.
    vectors: BTreeMap<SchemaId, BTreeSet<u64>>,
    /// Whose texts did, for each text index.
    texts: OwnTexts,
}

/// What changed in a container. No id is in both.
#[derive(Debug, Default)]
pub(crate) struct SetChange {
    pub(crate) added: RoaringBitmap,
    pub(crate) removed: RoaringBitmap,
}

/// A pair to write; no value means to delete.
pub(crate) type Pair = (Family, Key, Change);
/// Several of them.
pub(crate) type Pairs = Vec<Pair>;

impl Pending {
    /// Notes that an id came into a set, in which it was not.
    pub(crate) fn add_to_set(&mut self, set: SetId, id: u64) {
        let (key, low) = ContainerKey::of(set, id);
        let change = self.sets.entry(key).or_default();
        if !change.removed.remove(low) {
            change.added.insert(low);
        }
    }

    /// Notes that an id left a set, in which it was.
    pub(crate) fn remove_from_set(&mut self, set: SetId, id: u64) {
        let (key, low) = ContainerKey::of(set, id);
        let change = self.sets.entry(key).or_default();
        if !change.added.remove(low) {
            change.removed.insert(low);
        }
    }

    /// The changed containers of a set, in order.
    pub(crate) fn set_changes(&self, set: SetId) -> impl Iterator<Item = (u64, &SetChange)> {
        let key = |high| ContainerKey { set, high };
        self.sets
            .range(key(0)..=key(u64::MAX))
            .map(|(key, change)| (key.high, change))
    }

    /// The changes of one container.
    pub(crate) fn set_change(&self, key: ContainerKey) -> Option<&SetChange> {
        self.sets.get(&key)
    }

    /// Notes a change of a degree.
    pub(crate) fn add_degree(&mut self, way: Way, key: DegreeKey, difference: i64) {
        if difference < 0 && plant::is(Bug::StaleDegree) {
            return;
        }
        *self.degrees.entry((way, key)).or_default() += difference;
    }

    /// How much a degree differs from the stored one.
    pub(crate) fn degree(&self, way: Way, key: DegreeKey) -> i64 {
        self.degrees.get(&(way, key)).copied().unwrap_or_default()
    }

    /// Lays the changed degrees of a node over the stored ones.
    pub(crate) fn merge_degrees(
        &self,
        way: Way,
        near: NodeId,
        found: &mut Vec<(TypeId, u64)>,
    ) -> Result<()> {
        for ((_, key), difference) in self.degrees.range(DegreeKey::all_of(way, near)) {
            let of = key.relationship_type;
            match found.iter_mut().find(|(known, _)| *known == of) {
                Some((_, degree)) => *degree = add(*degree, *difference, way.family(), "degree")?,
                None => found.push((of, add(0, *difference, way.family(), "degree")?)),
            }
        }
        found.retain(|(_, degree)| *degree > 0);
        found.sort_unstable();
        Ok(())
    }

    /// Notes a change of a count.
    pub(crate) fn count(&mut self, counter: Counter, difference: i64) {
        *self.counts.entry(counter).or_default() += difference;
    }

    /// How much a count differs from the stored one.
    pub(crate) fn counted(&self, counter: Counter) -> i64 {
        self.counts.get(&counter).copied().unwrap_or_default()
    }

    /// Notes an indexed value.
    pub(crate) fn sketch(&mut self, index: SchemaId, values: &[u8]) {
        self.sketches.entry(index).or_default().add(values);
    }

    /// The values indexed since.
    pub(crate) fn sketched(&self, index: SchemaId) -> Option<&Sketch> {
        self.sketches.get(&index)
    }

    /// Notes that the parents of a node, or its membership, changed.
    pub(crate) fn relevel(&mut self, hierarchy: SchemaId, node: u64) {
        self.releveled.entry(hierarchy).or_default().note(node);
    }

    /// What changed in a hierarchy.
    pub(crate) fn releveled(&self, hierarchy: SchemaId) -> Option<&Releveled> {
        self.releveled.get(&hierarchy)
    }

    /// Notes that a vector index has to look at something.
    pub(crate) fn touch_vector(&mut self, index: SchemaId, id: u64) {
        self.vectors.entry(index).or_default().insert(id);
    }

    /// Notes that a text index has to look at something.
    pub(crate) fn touch_text(&mut self, index: SchemaId, id: u64) {
        self.texts.touch(index, id);
    }

    /// What text indexes have to look at.
    pub(crate) fn texts(&self) -> &OwnTexts {
        &self.texts
    }

    /// What a vector index has to look at.
    pub(crate) fn touched_vectors(&self, index: SchemaId) -> Option<&BTreeSet<u64>> {
        self.vectors.get(&index)
    }

    /// Whether nothing waits to be written.
    pub(crate) fn is_empty(&self) -> bool {
        self.sets.is_empty()
            && self.degrees.is_empty()
            && self.counts.is_empty()
            && self.sketches.is_empty()
            && self.releveled.is_empty()
            && self.vectors.is_empty()
            && self.texts.is_empty()
    }

    /// Writes everything out. After an error nothing was written but texts, which come to the same when they are
    /// written once more, and everything still waits.
    ///
    /// The last time, at commit, what goes with each change is written beyond the transaction's
    /// limit: it is no more than a few times the changes, which were let in, and refusing it would
    /// lose all of them. Levels of hierarchies are another matter, since one relationship may move
    /// millions: they have the limit for themselves.
    pub(crate) fn settle(
        &mut self,
        keys: &mut KeyWriteTxn,
        state: &GraphState,
        last: bool,
    ) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let occasion = if last {
            Occasion::Commit
        } else {
            Occasion::Midway
        };
        self.texts.settle(keys, state, occasion)?;
        let mut pairs = Pairs::new();
        for (id, releveled) in &self.releveled {
            let view = View {
                keys: &*keys,
                state,
                pending: Some(self),
            };
            hierarchy::settle(&view, *id, releveled, &mut pairs)?;
        }
        let levels = cost_of(&pairs);
        let commit = keys.commit_seq().next().unwrap_or(CommitSeq::ZERO);
        for (index, ids) in &self.vectors {
            let index = *index;
            let key = JournalKey { index, commit }.encode();
            let mut all = ids.clone();
            if let Some(Some(before)) = keys.changed(Family::Journal, &key) {
                // What was written out at a savepoint.
                read_touched(before, &mut all)
                    .map_err(|error| Error::record(Family::Journal.name(), error))?;
            }
            pairs.push(pair(Family::Journal, &key, Some(write_touched(&all))));
        }
        self.settle_sets(keys, &mut pairs)?;
        self.settle_degrees(keys, state, &mut pairs)?;
        self.settle_counts(keys, &mut pairs)?;
        for (id, sketch) in &self.sketches {
            let key = id.sketch_key();
            let mut merged = stored(keys, Family::Meta, &key, Sketch::decode)?.unwrap_or_default();
            merged.merge(sketch);
            pairs.push(pair(Family::Meta, &key, Some(merged.encode())));
        }
        if last {
            let (bytes, limit_bytes) = (levels as u64, keys.limit_bytes());
            if bytes > limit_bytes {
                return Err(Error::TransactionTooLarge { bytes, limit_bytes });
            }
        } else {
            keys.ensure_room(cost_of(&pairs))?;
        }
        for (family, key, value) in pairs {
            keys.change_admitted(family, key, value);
        }
        *self = Self::default();
        Ok(())
    }

    fn settle_sets(&self, keys: &KeyWriteTxn, pairs: &mut Pairs) -> Result<()> {
        for (key, change) in &self.sets {
            if change.added.is_empty() && change.removed.is_empty() {
                continue;
            }
            let key = key.encode();
            let mut container =
                stored(keys, Family::Labels, &key, sets::decode_container)?.unwrap_or_default();
            container |= &change.added;
            container -= &change.removed;
            let value = (!container.is_empty()).then(|| sets::encode_container(&mut container));
            pairs.push(pair(Family::Labels, &key, value));
        }
        Ok(())
    }

    fn settle_degrees(
        &self,
        keys: &KeyWriteTxn,
        state: &GraphState,
        pairs: &mut Pairs,
    ) -> Result<()> {
        // What the transaction itself has created has no stored degree to look for.
        let first_new = keys.base_state().next.node;
        debug_assert!(first_new <= state.next.node, "ids only rise");
        for way in [Way::Out, Way::In] {
            let family = way.family();
            let damaged = |error| Error::record(family.name(), error);
            let changed: Vec<([u8; DegreeKey::BYTES], bool, i64)> = self
                .degrees
                .iter()
                .filter(|((at, _), sum)| *at == way && **sum != 0)
                .map(|((_, key), sum)| (key.encode(), key.near.get() < first_new, *sum))
                .collect();
            for portion in changed.chunks(DEGREES_PER_READ) {
                let stored = portion.iter().filter(|(_, is_stored, _)| *is_stored);
                let stored: Vec<&[u8]> = stored.map(|(key, ..)| &key[..]).collect();
                let mut stored = keys.multi_get(family, &stored)?.into_iter();
                for (key, is_stored, difference) in portion {
                    let before = if *is_stored {
                        let bytes = stored.next().flatten();
                        bytes.map(|bytes| decode_degree(&bytes))
                    } else {
                        keys.changed(family, key).flatten().map(decode_degree)
                    };
                    let before = before.transpose().map_err(damaged)?.unwrap_or_default();
                    let after = add(before, *difference, family, "degree")?;
                    let value = (after > 0).then(|| encode_degree(after));
                    pairs.push(pair(family, key, value));
                }
            }
        }
        Ok(())
    }

    fn settle_counts(&self, keys: &KeyWriteTxn, pairs: &mut Pairs) -> Result<()> {
        for (counter, difference) in &self.counts {
            pairs.extend(counted(keys, *counter, *difference)?);
        }
        Ok(())
    }
}

/// A pair to write, or to delete.
pub(crate) fn pair(family: Family, key: &[u8], value: Option<Vec<u8>>) -> Pair {
    (family, key.into(), value.map(Into::into))
}

/// What to write for a count that differs; nothing if it does not.
pub(crate) fn counted(
    keys: &impl KeyRead,
    counter: Counter,
    difference: i64,
) -> Result<Option<Pair>> {
    if difference == 0 {
        return Ok(None);
    }
    let key = counter.key();
    let before = stored(keys, Family::Meta, &key, Counter::decode_count)?.unwrap_or_default();
    let after = add(before, difference, Family::Meta, "count")?;
    let value = (after > 0).then(|| Counter::encode_count(after));
    Ok(Some(pair(Family::Meta, &key, value)))
}

/// How many bytes a transaction holds of some pairs.
fn cost_of(pairs: &Pairs) -> usize {
    let pairs = pairs.iter();
    pairs
        .map(|(_, key, value)| Batch::cost_of(key, value.as_deref().unwrap_or_default()))
        .sum()
}

/// A degree's bytes.
pub(crate) fn encode_degree(degree: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2);
    varint::write_u64(&mut bytes, degree);
    bytes
}

/// The degree of some bytes. A degree of nothing is not stored.
pub(crate) fn decode_degree(bytes: &[u8]) -> Result<u64, CodecError> {
    let wrong = CodecError::NotCanonical {
        what: "degree",
        at: 0,
    };
    match varint::read_u64(bytes) {
        Ok((degree, [])) if degree > 0 => Ok(degree),
        Ok(_) => Err(wrong),
        Err(error) => Err(error),
    }
}

/// A stored value, decoded.
pub(crate) fn stored<T>(
    keys: &impl KeyRead,
    family: Family,
    key: &[u8],
    decode: impl Fn(&[u8]) -> Result<T, CodecError>,
) -> Result<Option<T>> {
    keys.get_with(family, key, decode)?
        .transpose()
        .map_err(|error| Error::record(family.name(), error))
}

/// A count and a difference. One that would fall below nothing was wrong before.
pub(crate) fn add(before: u64, difference: i64, family: Family, what: &'static str) -> Result<u64> {
    before
        .checked_add_signed(difference)
        .ok_or_else(|| Error::record(family.name(), CodecError::NotCanonical { what, at: 0 }))
}
