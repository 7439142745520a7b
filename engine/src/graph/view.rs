//! A view of the graph: bytes at one commit, what is known about them, and what a writer has changed
//! on top. Everything that reads the graph is written once, over this.

use super::adjacency::{self, Neighbours};
use super::ids::{Ids, RecordId};
use super::keys::{DegreeKey, Entity, VectorKey, Way, record_key};
use super::pending::{self, Pending, decode_degree, stored};
use super::properties::decode_any_vector;
use super::record::{NodeRecord, RelationshipRecord};
use super::sets::{self, ContainerKey, SetId};
use super::viewed::Viewed;
use crate::catalog::{Catalog, Counter, GraphState, LabelId, PropertyId, Scope, TypeId};
use crate::codec::CodecError;
use crate::error::{Error, Result};
use crate::keys::KeyRead;
use crate::storage::family::Family;
use crate::value::{NodeId, RelationshipId, Value, Vector};
use roaring::{RoaringBitmap, RoaringTreemap};
use std::collections::BTreeMap;

/// The graph as a transaction sees it.
pub struct View<'a, K> {
    pub(crate) keys: &'a K,
    pub(crate) state: &'a GraphState,
    pub(crate) pending: Option<&'a Pending>,
}

// Not derived: that would ask for keys which are `Copy`.
impl<K> Clone for View<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for View<'_, K> {}

impl<'a, K: KeyRead> View<'a, K> {
    pub(crate) fn catalog(&self) -> &'a Catalog {
        &self.state.catalog
    }

    pub(crate) fn node_record(&self, node: NodeId) -> Result<Option<NodeRecord>> {
        self.record(Family::Nodes, node.get(), NodeRecord::decode)
    }

    pub(crate) fn labels_of(&self, node: NodeId) -> Result<Option<Vec<LabelId>>> {
        self.record(Family::Nodes, node.get(), NodeRecord::decode_labels)
    }

    pub(crate) fn relationship_record(
        &self,
        relationship: RelationshipId,
    ) -> Result<Option<RelationshipRecord>> {
        let number = relationship.get();
        self.record(Family::Edges, number, RelationshipRecord::decode)
    }

    pub(crate) fn contains(&self, entity: Entity) -> Result<bool> {
        let family = family_of(entity);
        self.keys.contains(family, &record_key(entity.number()))
    }

    /// One property, without decoding the others; null if it is not there.
    pub(crate) fn property(&self, entity: Entity, property: PropertyId) -> Result<Option<Value>> {
        let decode = match entity {
            Entity::Node(_) => NodeRecord::decode_property,
            Entity::Relationship(_) => RelationshipRecord::decode_property,
        };
        let slot = self.record(family_of(entity), entity.number(), |bytes| {
            decode(bytes, property)
        })?;
        match slot {
            None => Ok(None),
            Some(None) => Ok(Some(Value::Null)),
            Some(Some(slot)) => slot.into_value(self.keys, entity, property).map(Some),
        }
    }

    pub(crate) fn record<T>(
        &self,
        family: Family,
        number: u64,
        decode: impl Fn(&[u8]) -> Result<T, CodecError>,
    ) -> Result<Option<T>> {
        stored(self.keys, family, &record_key(number), decode)
    }

    /// Several records, in the order of their numbers.
    pub(crate) fn records<T>(
        &self,
        family: Family,
        numbers: impl Iterator<Item = u64>,
        decode: impl Fn(&[u8]) -> Result<T, CodecError>,
    ) -> Result<Vec<Option<T>>> {
        let keys: Vec<_> = numbers.map(record_key).collect();
        self.values(family, &keys, decode)
    }

    /// The vectors that some have as a property, in their order; none for what has something else, or is not there.
    pub(crate) fn vectors(
        &self,
        entities: &[Entity],
        property: PropertyId,
    ) -> Result<Vec<Option<Vector>>> {
        let key = |entity: &Entity| {
            let entity = *entity;
            VectorKey { property, entity }.encode()
        };
        let keys: Vec<_> = entities.iter().map(key).collect();
        self.values(Family::Vectors, &keys, decode_any_vector)
    }

    fn values<T, const N: usize>(
        &self,
        family: Family,
        keys: &[[u8; N]],
        decode: impl Fn(&[u8]) -> Result<T, CodecError>,
    ) -> Result<Vec<Option<T>>> {
        let keys: Vec<&[u8]> = keys.iter().map(<[u8; N]>::as_slice).collect();
        let values = self.keys.multi_get(family, &keys)?.into_iter();
        let values = values.map(|value| value.as_deref().map(&decode).transpose());
        let values: Result<_, _> = values.collect();
        values.map_err(|error| Error::record(family.name(), error))
    }

    /// The ids of a set.
    pub(crate) fn set(&self, set: SetId) -> Result<RoaringTreemap> {
        let mut changes = self.pending.map(|pending| {
            let changes = pending.set_changes(set);
            changes.collect::<BTreeMap<_, _>>()
        });
        let mut containers: Vec<(u64, RoaringBitmap)> = Vec::new();
        let mut scan = self.keys.scan(Family::Labels, &set.range())?;
        while let Some(entry) = scan.next()? {
            let damaged = |error| Error::record(Family::Labels.name(), error);
            let key = ContainerKey::decode(entry.key).map_err(damaged)?;
            let mut container = sets::decode_container(entry.value).map_err(damaged)?;
            if let Some(change) = changes.as_mut().and_then(|all| all.remove(&key.high)) {
                container |= &change.added;
                container -= &change.removed;
            }
            containers.push((key.high, container));
        }
        let added = changes.into_iter().flatten();
        containers.extend(added.map(|(high, change)| (high, change.added.clone())));
        containers.sort_unstable_by_key(|(high, _)| *high);
        let mut ids = RoaringTreemap::new();
        for (high, container) in &containers {
            sets::append(&mut ids, *high, container)?;
        }
        Ok(ids)
    }

    /// The ids of everything that a declaration may be about.
    pub(crate) fn in_scope(&self, scope: Scope) -> Result<RoaringTreemap> {
        fn all<I: RecordId>(ids: Ids<'_, I>, number: impl Fn(I) -> u64) -> Result<RoaringTreemap> {
            let mut set = RoaringTreemap::new();
            for id in ids {
                set.insert(number(id?));
            }
            Ok(set)
        }
        match scope {
            Scope::Label(label) => self.set(SetId::Label(label)),
            Scope::Type(of) => self.set(SetId::Type(of)),
            Scope::AnyNode => all(Ids::new(self.keys)?, NodeId::get),
            Scope::AnyRelationship => all(Ids::new(self.keys)?, RelationshipId::get),
        }
    }

    /// The ids of what a declaration is about and that has a label, or is of a type; none if nothing is called so.
    pub(crate) fn labelled(&self, scope: Scope, label: &str) -> Result<RoaringTreemap> {
        let set = self.set_named(scope, label);
        set.map_or_else(|| Ok(RoaringTreemap::new()), |set| self.set(set))
    }

    /// The set of that label, or of that type.
    pub(crate) fn set_named(&self, scope: Scope, label: &str) -> Option<SetId> {
        if scope.is_node() {
            self.catalog().labels.id(label).map(SetId::Label)
        } else {
            self.catalog().types.id(label).map(SetId::Type)
        }
    }

    /// The ids of a set that have all but their last sixteen bits in common with `id`, by these sixteen bits.
    pub(crate) fn set_part(&self, set: SetId, id: u64) -> Result<RoaringBitmap> {
        let (key, _) = ContainerKey::of(set, id);
        let stored = stored(
            self.keys,
            Family::Labels,
            &key.encode(),
            sets::decode_container,
        )?;
        let mut part = stored.unwrap_or_default();
        if let Some(change) = self.pending.and_then(|pending| pending.set_change(key)) {
            part |= &change.added;
            part -= &change.removed;
        }
        Ok(part)
    }

    /// Whether an id is in a set.
    pub(crate) fn set_contains(&self, set: SetId, id: u64) -> Result<bool> {
        let (key, low) = ContainerKey::of(set, id);
        if let Some(change) = self.pending.and_then(|pending| pending.set_change(key)) {
            if change.added.contains(low) {
                return Ok(true);
            }
            if change.removed.contains(low) {
                return Ok(false);
            }
        }
        let key = key.encode();
        let container = stored(self.keys, Family::Labels, &key, sets::decode_container)?;
        Ok(container.is_some_and(|container| container.contains(low)))
    }

    /// An exact count.
    pub(crate) fn count(&self, counter: Counter) -> Result<u64> {
        let key = counter.key();
        let before = stored(self.keys, Family::Meta, &key, Counter::decode_count)?;
        let difference = self.pending.map_or(0, |pending| pending.counted(counter));
        pending::add(
            before.unwrap_or_default(),
            difference,
            Family::Meta,
            "count",
        )
    }

    /// How many relationships of a type a node has.
    pub(crate) fn degree(&self, way: Way, near: NodeId, of: TypeId) -> Result<u64> {
        let key = DegreeKey {
            near,
            relationship_type: of,
        };
        let family = way.family();
        let before = stored(self.keys, family, &key.encode(), decode_degree)?;
        let difference = self.pending.map_or(0, |pending| pending.degree(way, key));
        pending::add(before.unwrap_or_default(), difference, family, "degree")
    }

    /// The types of a node's relationships, each with how many there are.
    pub(crate) fn degrees(&self, way: Way, near: NodeId) -> Result<Vec<(TypeId, u64)>> {
        let mut found = adjacency::stored_degrees(self.keys, way, near)?;
        if let Some(pending) = self.pending {
            pending.merge_degrees(way, near, &mut found)?;
        }
        Ok(found)
    }

    /// What a node is connected to, one way; every type if none is named.
    pub(crate) fn neighbours(
        &self,
        near: NodeId,
        direction: super::Direction,
        types: Option<&[TypeId]>,
    ) -> Result<Neighbours<'a, K>> {
        Neighbours::new(self.keys, near, direction, types)
    }
}

/// The view of a transaction.
pub(crate) fn of<T: Viewed>(txn: &T) -> View<'_, T::Keys> {
    txn.view()
}

/// In which family an entity's record lies.
pub(crate) fn family_of(entity: Entity) -> Family {
    match entity {
        Entity::Node(_) => Family::Nodes,
        Entity::Relationship(_) => Family::Edges,
    }
}
