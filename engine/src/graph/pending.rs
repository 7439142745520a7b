//! What a write transaction has changed but not written out yet, because many changes go to one pair:
//! containers of sets, degrees, counts, sketches, and levels of hierarchies.
//!
//! They are kept as differences, which cannot fail to be noted, and are merged with what is stored
//! when the transaction commits or sets a savepoint ([`Pending::settle`]). Reading looks at both.

use super::hierarchy;
use super::keys::{DegreeKey, Way};
use super::sets::{self, ContainerKey, SetId};
use super::view::View;
use crate::catalog::{Counter, GraphState, SchemaId, TypeId};
use crate::codec::{CodecError, varint};
use crate::database::keys::{KeyRead, KeyWriteTxn};
use crate::error::{Error, Result};
use crate::index::property::Sketch;
use crate::storage::batch::Batch;
use crate::storage::family::Family;
use crate::storage::plant::{self, Bug};
use crate::value::NodeId;
use roaring::{RoaringBitmap, RoaringTreemap};
use std::collections::{BTreeMap, HashMap};

/// Differences to what is stored.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    sets: BTreeMap<ContainerKey, SetChange>,
    degrees: HashMap<(Way, NodeId), Vec<(TypeId, i64)>>,
    counts: HashMap<Counter, i64>,
    sketches: HashMap<SchemaId, Sketch>,
    /// For each hierarchy, nodes whose parents, or whose membership, changed.
    releveled: BTreeMap<SchemaId, RoaringTreemap>,
}

/// What changed in a container. No id is in both.
#[derive(Debug, Default)]
pub(crate) struct SetChange {
    pub(crate) added: RoaringBitmap,
    pub(crate) removed: RoaringBitmap,
}

/// Pairs to write; no value means to delete.
type Pairs = Vec<(Family, Vec<u8>, Option<Vec<u8>>)>;

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

    /// Notes a change of a degree.
    pub(crate) fn add_degree(&mut self, way: Way, near: NodeId, of: TypeId, difference: i64) {
        if difference < 0 && plant::is(Bug::StaleDegree) {
            return;
        }
        let degrees = self.degrees.entry((way, near)).or_default();
        match degrees.iter_mut().find(|(known, _)| *known == of) {
            Some((_, sum)) => *sum += difference,
            None => degrees.push((of, difference)),
        }
    }

    fn degrees_of(&self, way: Way, near: NodeId) -> &[(TypeId, i64)] {
        self.degrees.get(&(way, near)).map_or(&[], Vec::as_slice)
    }

    /// How much a degree differs from the stored one.
    pub(crate) fn degree(&self, way: Way, near: NodeId, of: TypeId) -> i64 {
        let mut degrees = self.degrees_of(way, near).iter();
        degrees
            .find(|(known, _)| *known == of)
            .map_or(0, |(_, difference)| *difference)
    }

    /// Lays the changed degrees of a node over the stored ones.
    pub(crate) fn merge_degrees(
        &self,
        way: Way,
        near: NodeId,
        found: &mut Vec<(TypeId, u64)>,
    ) -> Result<()> {
        for (of, difference) in self.degrees_of(way, near) {
            match found.iter_mut().find(|(known, _)| known == of) {
                Some((_, degree)) => *degree = add(*degree, *difference, way.family(), "degree")?,
                None => found.push((*of, add(0, *difference, way.family(), "degree")?)),
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
        self.releveled.entry(hierarchy).or_default().insert(node);
    }

    /// The nodes of a hierarchy whose levels have to be looked at again.
    pub(crate) fn releveled(&self, hierarchy: SchemaId) -> Option<&RoaringTreemap> {
        self.releveled.get(&hierarchy)
    }

    /// Whether nothing waits to be written.
    pub(crate) fn is_empty(&self) -> bool {
        self.sets.is_empty()
            && self.degrees.is_empty()
            && self.counts.is_empty()
            && self.sketches.is_empty()
            && self.releveled.is_empty()
    }

    /// Writes everything out. After an error nothing was written, and everything still waits.
    pub(crate) fn settle(&mut self, keys: &mut KeyWriteTxn, state: &GraphState) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let mut pairs = Pairs::new();
        for (id, changed) in &self.releveled {
            let view = View {
                keys: &*keys,
                state,
                pending: Some(self),
            };
            hierarchy::settle(&view, *id, changed, &mut pairs)?;
        }
        self.settle_sets(keys, &mut pairs)?;
        self.settle_degrees(keys, state, &mut pairs)?;
        self.settle_counts(keys, &mut pairs)?;
        for (id, sketch) in &self.sketches {
            let key = id.sketch_key();
            let mut merged = stored(keys, Family::Meta, &key, Sketch::decode)?.unwrap_or_default();
            merged.merge(sketch);
            pairs.push((Family::Meta, key, Some(merged.encode())));
        }
        let room = pairs
            .iter()
            .map(|(_, key, value)| Batch::cost_of(key, value.as_deref().unwrap_or_default()));
        keys.ensure_room(room.sum())?;
        for (family, key, value) in pairs {
            match value {
                Some(value) => keys.put_admitted(family, &key, &value),
                None => keys.delete_admitted(family, &key),
            }
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
            pairs.push((Family::Labels, key.to_vec(), value));
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
        for ((way, near), degrees) in &self.degrees {
            let family = way.family();
            let damaged = |error| Error::record(family.name(), error);
            for (of, difference) in degrees.iter().filter(|(_, difference)| *difference != 0) {
                let key = DegreeKey {
                    near: *near,
                    relationship_type: *of,
                }
                .encode();
                let before = if near.get() >= first_new {
                    let changed = keys.changed(family, &key).flatten().map(decode_degree);
                    changed.transpose().map_err(damaged)?
                } else {
                    stored(keys, family, &key, decode_degree)?
                };
                let after = add(before.unwrap_or_default(), *difference, family, "degree")?;
                let value = (after > 0).then(|| encode_degree(after));
                pairs.push((family, key.to_vec(), value));
            }
        }
        Ok(())
    }

    fn settle_counts(&self, keys: &KeyWriteTxn, pairs: &mut Pairs) -> Result<()> {
        for (counter, difference) in &self.counts {
            if *difference == 0 {
                continue;
            }
            let key = counter.key();
            let before = stored(keys, Family::Meta, &key, Counter::decode_count)?;
            let after = add(
                before.unwrap_or_default(),
                *difference,
                Family::Meta,
                "count",
            )?;
            let value = (after > 0).then(|| Counter::encode_count(after));
            pairs.push((Family::Meta, key, value));
        }
        Ok(())
    }
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
