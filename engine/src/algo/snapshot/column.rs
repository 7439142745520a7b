//! One property of many entities, in arrays: for whoever groups by it.
//!
//! Values that cannot be told from each other have one code, so that grouping counts codes and compares few values. Columns of a commit are
//! kept for a while, as projections are.

use super::fill::BETWEEN_BEATS;
use crate::catalog::{PropertyId, TypeId};
use crate::codec::CommitSeq;
use crate::error::{Error, Result};
use crate::graph::keys::{Entity, decode_record_key};
use crate::graph::record::{NodeRecord, RelationshipRecord};
use crate::graph::view::{self, View};
use crate::graph::{Read, ReadTxn};
use crate::keys::KeyRead;
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use crate::value::{Exact, NodeId, RelationshipId, Value};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// What a value takes beside itself: in a list, and as a key with its code.
const VALUE_BYTES: usize = 2 * size_of::<Value>() + 16;

/// Whose property a column has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ColumnOf {
    /// Of all nodes.
    Nodes,
    /// Of all relationships of these types, which ascend; of any if there is no list.
    Relationships(Option<Vec<TypeId>>),
}

/// A property of many entities. What does not have it has null.
#[derive(Debug, Default)]
pub(crate) struct Column {
    /// The entities, ascending.
    ids: Vec<u64>,
    /// Beside them the codes of their values.
    codes: Vec<u32>,
    /// By code, in the order in which they were met.
    values: Vec<Value>,
    /// Of relationships: where each begins and leads.
    ends: Vec<(u64, u64)>,
    /// Whether values with two codes may still be equal.
    may_be_equal: bool,
    bytes: usize,
}

impl Column {
    /// Whether values with two codes may still be equal, as 1 and 1.0 are.
    pub(crate) fn may_be_equal(&self) -> bool {
        self.may_be_equal
    }

    /// The codes, in the order of the entities.
    pub(crate) fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// Beside the codes of relationships where each begins and leads.
    pub(crate) fn ends(&self) -> &[(u64, u64)] {
        &self.ends
    }

    /// The values by code.
    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }

    /// The code of an entity.
    pub(crate) fn code(&self, id: u64) -> Option<u32> {
        let first = self.ids.first()?;
        // Ids mostly follow one another.
        let guess = usize::try_from(id.checked_sub(*first)?).ok()?;
        let at = match self.ids.get(guess) {
            Some(found) if *found == id => guess,
            _ => self.ids.binary_search(&id).ok()?,
        };
        self.codes.get(at).copied()
    }

    /// The memory it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Columns of a database; newer ones push older ones out.
#[derive(Default)]
pub(crate) struct ColumnCache {
    limit_bytes: u64,
    /// The one used last comes last.
    kept: Mutex<Vec<(Key, Arc<Column>)>>,
}

#[derive(Clone, PartialEq)]
struct Key {
    commit: CommitSeq,
    of: ColumnOf,
    property: PropertyId,
}

impl ColumnCache {
    /// Keeps columns of at most so many bytes together.
    pub(super) fn new(limit_bytes: u64) -> Self {
        Self {
            limit_bytes,
            kept: Mutex::default(),
        }
    }

    /// How many bytes are kept now.
    pub(super) fn bytes(&self) -> u64 {
        let kept = self.kept.lock();
        kept.iter().map(|(_, column)| column.bytes() as u64).sum()
    }

    fn find(&self, key: &Key) -> Option<Arc<Column>> {
        let mut kept = self.kept.lock();
        let at = kept.iter().position(|(known, _)| known == key)?;
        let found = kept.remove(at);
        let column = Arc::clone(&found.1);
        kept.push(found);
        Some(column)
    }

    fn keep(&self, key: Key, column: &Arc<Column>) {
        let mut kept = self.kept.lock();
        kept.retain(|(known, _)| *known != key);
        let mut bytes = column.bytes() as u64;
        if bytes > self.limit_bytes {
            return;
        }
        let too_much = kept.iter().rposition(|(_, other)| {
            bytes = bytes.saturating_add(other.bytes() as u64);
            bytes > self.limit_bytes
        });
        kept.drain(..too_much.map_or(0, |at| at + 1));
        kept.push((key, Arc::clone(column)));
    }
}

/// A column while it is read.
struct Reading {
    column: Column,
    codes: HashMap<Exact, u32>,
    most_bytes: usize,
}

/// Asks whether to go on, with the first record and then every few thousand.
struct Beats<'b, 'w> {
    watch: &'b mut Watch<'w>,
    entries: u64,
}

impl Beats<'_, '_> {
    fn entry(&mut self) -> Result<()> {
        if self.entries & BETWEEN_BEATS == 0 {
            self.watch.step("read a property", self.entries, 0)?;
        }
        self.entries += 1;
        Ok(())
    }
}

impl Reading {
    /// Adds an entity; false if that is too much.
    fn add(&mut self, id: u64, value: Value, ends: Option<(u64, u64)>) -> bool {
        let column = &mut self.column;
        let value = Exact(value);
        let code = match self.codes.get(&value) {
            Some(code) => *code,
            None => {
                let code = column.values.len() as u32;
                column.bytes += VALUE_BYTES + 2 * value.0.held_bytes();
                column.may_be_equal |= !matches!(
                    value.0,
                    Value::Null | Value::Bool(_) | Value::Int(_) | Value::String(_)
                );
                column.values.push(value.0.clone());
                self.codes.insert(value, code);
                code
            }
        };
        column.ids.push(id);
        column.codes.push(code);
        column.ends.extend(ends);
        column.bytes += size_of::<u64>() + size_of::<u32>();
        column.bytes += ends.map_or(0, |_| size_of::<(u64, u64)>());
        column.bytes <= self.most_bytes && column.codes.len() < u32::MAX as usize
    }
}

impl ReadTxn {
    /// A property of many entities; none if it takes more than so many bytes. Reading it may be stopped, and what was read
    /// until then is given up.
    pub(crate) fn column(
        &self,
        of: &ColumnOf,
        property: PropertyId,
        most_bytes: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Arc<Column>>> {
        let key = Key {
            commit: self.commit_seq(),
            of: of.clone(),
            property,
        };
        let cache = self.projections().columns();
        if let Some(kept) = cache.find(&key) {
            return Ok((kept.bytes() <= most_bytes).then_some(kept));
        }
        let mut reading = Reading {
            column: Column::default(),
            codes: HashMap::new(),
            most_bytes,
        };
        let (view, mut beats) = (view::of(self), Beats { watch, entries: 0 });
        let all = match of {
            ColumnOf::Nodes => read_nodes(&view, property, &mut reading, &mut beats),
            ColumnOf::Relationships(types) => {
                let asked = (types.as_deref(), property);
                read_relationships(&view, asked, &mut reading, &mut beats)
            }
        };
        if !all? {
            return Ok(None);
        }
        let column = Arc::new(reading.column);
        cache.keep(key, &column);
        Ok(Some(column))
    }
}

fn read_nodes<K: KeyRead>(
    view: &View<'_, K>,
    property: PropertyId,
    into: &mut Reading,
    beats: &mut Beats<'_, '_>,
) -> Result<bool> {
    let damaged = |error| Error::record(Family::Nodes.name(), error);
    let mut scan = view
        .keys
        .scan_with(Family::Nodes, &KeyRange::all(), ScanOptions::once())?;
    while let Some(entry) = scan.next()? {
        beats.entry()?;
        let id = decode_record_key(entry.key).map_err(damaged)?;
        let slot = NodeRecord::decode_property(entry.value, property).map_err(damaged)?;
        let value = match slot {
            Some(slot) => slot.into_value(view.keys, Entity::Node(NodeId::new(id)), property)?,
            None => Value::Null,
        };
        if !into.add(id, value, None) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn read_relationships<K: KeyRead>(
    view: &View<'_, K>,
    (types, property): (Option<&[TypeId]>, PropertyId),
    into: &mut Reading,
    beats: &mut Beats<'_, '_>,
) -> Result<bool> {
    let damaged = |error| Error::record(Family::Edges.name(), error);
    let mut scan = view
        .keys
        .scan_with(Family::Edges, &KeyRange::all(), ScanOptions::once())?;
    while let Some(entry) = scan.next()? {
        beats.entry()?;
        let id = decode_record_key(entry.key).map_err(damaged)?;
        let ends = RelationshipRecord::decode_ends(entry.value).map_err(damaged)?;
        if types.is_some_and(|types| types.binary_search(&ends.relationship_type).is_err()) {
            continue;
        }
        let slot = RelationshipRecord::decode_property(entry.value, property).map_err(damaged)?;
        let value = match slot {
            Some(slot) => {
                let entity = Entity::Relationship(RelationshipId::new(id));
                slot.into_value(view.keys, entity, property)?
            }
            None => Value::Null,
        };
        if !into.add(id, value, Some((ends.source.get(), ends.target.get()))) {
            return Ok(false);
        }
    }
    Ok(true)
}
