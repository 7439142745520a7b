//! Nodes and relationships as they are handed out: read whole, and independent of the transaction.

use super::keys::Entity;
use super::properties::{Values, Wanted};
use super::record::{Ends, NodeRecord, RelationshipRecord};
use super::view::View;
use crate::catalog::{Catalog, LabelId, PropertyId, TypeId};
use crate::error::Result;
use crate::keys::KeyRead;
use crate::storage::family::Family;
use crate::value::{NodeId, RelationshipId, Value};
use std::sync::Arc;

/// A node with its labels and its properties: all of them, or those that were asked for.
#[derive(Clone)]
pub struct Node {
    id: NodeId,
    labels: Vec<LabelId>,
    properties: Vec<(PropertyId, Value)>,
    catalog: Arc<Catalog>,
}

/// A relationship with its ends and its properties: all of them, or those that were asked for.
#[derive(Clone)]
pub struct Relationship {
    id: RelationshipId,
    relationship_type: TypeId,
    source: NodeId,
    target: NodeId,
    properties: Vec<(PropertyId, Value)>,
    catalog: Arc<Catalog>,
}

impl Node {
    pub(crate) fn read<K: KeyRead>(
        view: &View<'_, K>,
        id: NodeId,
        wanted: Wanted<'_>,
    ) -> Result<Option<Self>> {
        let found = view.record(Family::Nodes, id.get(), |bytes| {
            NodeRecord::decode_values(bytes, wanted)
        })?;
        let Some(mut found) = found else {
            return Ok(None);
        };
        resolve(view, id.into(), &mut found.1)?;
        Ok(Some(Self::of(view, id, found)))
    }

    /// Several, in the order of their ids.
    pub(crate) fn read_all<K: KeyRead>(
        view: &View<'_, K>,
        ids: &[NodeId],
        wanted: Wanted<'_>,
    ) -> Result<Vec<Option<Self>>> {
        let numbers = ids.iter().map(|id| id.get());
        let mut found = view.records(Family::Nodes, numbers, |bytes| {
            NodeRecord::decode_values(bytes, wanted)
        })?;
        let records = ids.iter().zip(&mut found);
        let records =
            records.filter_map(|(id, found)| Some((Entity::from(*id), &mut found.as_mut()?.1)));
        resolve_all(view, records)?;
        let found = ids.iter().zip(found);
        let found = found.map(|(id, found)| Some(Self::of(view, *id, found?)));
        Ok(found.collect())
    }

    fn of<K: KeyRead>(
        view: &View<'_, K>,
        id: NodeId,
        (labels, (properties, _)): (Vec<LabelId>, Values),
    ) -> Self {
        Self {
            id,
            labels,
            properties,
            catalog: Arc::clone(&view.state.catalog),
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> NodeId {
        self.id
    }

    /// Its labels, in the order of their first use in the database.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        let labels = self.labels.iter();
        labels.filter_map(|label| self.catalog.labels.name(*label).map(|name| &**name))
    }

    /// Its labels by number.
    #[must_use]
    pub fn label_ids(&self) -> &[LabelId] {
        &self.labels
    }

    /// Whether it has a label.
    #[must_use]
    pub fn has_label(&self, label: &str) -> bool {
        self.labels().any(|known| known == label)
    }

    /// The value of a property; `None` if it has none of that name.
    #[must_use]
    pub fn get(&self, property: &str) -> Option<&Value> {
        find(&self.properties, self.catalog.properties.id(property)?)
    }

    /// Its properties, in the order of their names' first use in the database.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        named(&self.properties, &self.catalog)
    }

    /// Its properties by number.
    #[must_use]
    pub fn property_ids(&self) -> &[(PropertyId, Value)] {
        &self.properties
    }
}

impl Relationship {
    pub(crate) fn read<K: KeyRead>(
        view: &View<'_, K>,
        id: RelationshipId,
        wanted: Wanted<'_>,
    ) -> Result<Option<Self>> {
        let found = view.record(Family::Edges, id.get(), |bytes| {
            RelationshipRecord::decode_values(bytes, wanted)
        })?;
        let Some(mut found) = found else {
            return Ok(None);
        };
        resolve(view, id.into(), &mut found.1)?;
        Ok(Some(Self::of(view, id, found)))
    }

    /// Several, in the order of their ids.
    pub(crate) fn read_all<K: KeyRead>(
        view: &View<'_, K>,
        ids: &[RelationshipId],
        wanted: Wanted<'_>,
    ) -> Result<Vec<Option<Self>>> {
        let numbers = ids.iter().map(|id| id.get());
        let mut found = view.records(Family::Edges, numbers, |bytes| {
            RelationshipRecord::decode_values(bytes, wanted)
        })?;
        let records = ids.iter().zip(&mut found);
        let records =
            records.filter_map(|(id, found)| Some((Entity::from(*id), &mut found.as_mut()?.1)));
        resolve_all(view, records)?;
        let found = ids.iter().zip(found);
        let found = found.map(|(id, found)| Some(Self::of(view, *id, found?)));
        Ok(found.collect())
    }

    fn of<K: KeyRead>(
        view: &View<'_, K>,
        id: RelationshipId,
        (ends, (properties, _)): (Ends, Values),
    ) -> Self {
        Self {
            id,
            relationship_type: ends.relationship_type,
            source: ends.source,
            target: ends.target,
            properties,
            catalog: Arc::clone(&view.state.catalog),
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> RelationshipId {
        self.id
    }

    /// Its type.
    #[must_use]
    pub fn relationship_type(&self) -> &str {
        self.catalog
            .types
            .name(self.relationship_type)
            .map_or("", |name| &**name)
    }

    /// Its type by number.
    #[must_use]
    pub fn type_id(&self) -> TypeId {
        self.relationship_type
    }

    /// The node it leaves.
    #[must_use]
    pub fn source(&self) -> NodeId {
        self.source
    }

    /// The node it reaches.
    #[must_use]
    pub fn target(&self) -> NodeId {
        self.target
    }

    /// The value of a property; `None` if it has none of that name.
    #[must_use]
    pub fn get(&self, property: &str) -> Option<&Value> {
        find(&self.properties, self.catalog.properties.id(property)?)
    }

    /// Its properties, in the order of their names' first use in the database.
    pub fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        named(&self.properties, &self.catalog)
    }

    /// Its properties by number.
    #[must_use]
    pub fn property_ids(&self) -> &[(PropertyId, Value)] {
        &self.properties
    }
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node")
            .field("id", &self.id)
            .field("labels", &self.labels().collect::<Vec<_>>())
            .field("properties", &self.properties().collect::<Vec<_>>())
            .finish()
    }
}

impl std::fmt::Debug for Relationship {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relationship")
            .field("id", &self.id)
            .field("type", &self.relationship_type())
            .field("source", &self.source)
            .field("target", &self.target)
            .field("properties", &self.properties().collect::<Vec<_>>())
            .finish()
    }
}

/// Reads the values of a record that lie apart from it.
fn resolve<K: KeyRead>(
    view: &View<'_, K>,
    entity: Entity,
    (values, apart): &mut Values,
) -> Result<()> {
    for (at, property, slot) in apart.drain(..) {
        let value = slot.into_value(view.keys, entity, property)?;
        if let Some((_, null)) = values.get_mut(at) {
            *null = value;
        }
    }
    Ok(())
}

/// The same of several records: one question to the store for each family instead of one for each value.
fn resolve_all<'v, K: KeyRead>(
    view: &View<'_, K>,
    records: impl Iterator<Item = (Entity, &'v mut Values)>,
) -> Result<()> {
    let mut waiting = Vec::new();
    for (entity, (values, apart)) in records {
        let mut apart = apart.drain(..).peekable();
        for (at, (property, value)) in values.iter_mut().enumerate() {
            let Some((.., slot)) = apart.next_if(|(place, ..)| *place == at) else {
                continue;
            };
            if let Some((family, key)) = slot.place(entity, *property) {
                waiting.push((family, key, slot, value));
            }
        }
    }
    for family in [Family::Text, Family::Vectors] {
        let here = || waiting.iter().filter(|(at, ..)| *at == family);
        let keys: Vec<&[u8]> = here().map(|(_, key, ..)| key.as_slice()).collect();
        if keys.is_empty() {
            continue;
        }
        let mut stored = view.keys.multi_get(family, &keys)?.into_iter();
        for (_, _, slot, value) in waiting.iter_mut().filter(|(at, ..)| *at == family) {
            let bytes = stored.next().flatten();
            **value = slot.clone().into_value_of(bytes.as_deref())?;
        }
    }
    Ok(())
}

fn find(properties: &[(PropertyId, Value)], wanted: PropertyId) -> Option<&Value> {
    let at = properties
        .binary_search_by_key(&wanted, |(id, _)| *id)
        .ok()?;
    Some(&properties[at].1)
}

fn named<'a>(
    properties: &'a [(PropertyId, Value)],
    catalog: &'a Catalog,
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let properties = properties.iter();
    properties.filter_map(|(id, value)| Some((&**catalog.properties.name(*id)?, value)))
}
