//! Adding nodes and relationships: everything that can refuse one comes before anything is written.

use super::names::check_known;
use super::{BulkLoad, entity_of, take_id, view};
use crate::catalog::{Counter, LabelId, NameId, PropertyId, SchemaId, TypeId, check_name};
use crate::error::{Error, Result};
use crate::graph::keys::{Entity, record_key};
use crate::graph::properties::{Apart, Encoder, MAX_PROPERTIES, MAX_VALUE_BYTES, Properties, Slot};
use crate::graph::record::{MAX_LABELS, NodeRecord, RelationshipRecord};
use crate::graph::rules::{self, Facts, Outcome};
use crate::index::property::Entry;
use crate::storage::family::Family;
use crate::value::{NodeId, RelationshipId, Value, check_storable};
use std::ops::Range;

/// What is filled anew for every item, so that its memory is used again.
#[derive(Default)]
pub(super) struct Room {
    node: NodeRecord,
    encoder: Encoder,
    entries: Vec<Entry>,
    /// The vector indexes that its vectors go to.
    vectors: Vec<SchemaId>,
}

impl BulkLoad {
    /// Adds a node; its id is good at once. A property that is null is left out.
    ///
    /// # Errors
    /// [`Error::NotStorable`], [`Error::TooMany`], [`Error::TooLarge`] or [`Error::BadName`] for what
    /// it was given, [`Error::ConstraintViolation`] if a constraint refuses it or a stored node has
    /// what must be unique; the load goes on without it. Anything else ends the load.
    pub fn add_node<L: AsRef<str>, P: AsRef<str>, V: Into<Value>>(
        &mut self,
        labels: impl IntoIterator<Item = L>,
        properties: impl IntoIterator<Item = (P, V)>,
    ) -> Result<NodeId> {
        self.add_named_node(None, labels, properties)
    }

    /// Adds a node under an id of the caller's choice, to bring back what was dumped. Ids must rise,
    /// and be above those of all nodes that were ever stored; gaps are fine.
    ///
    /// # Errors
    /// [`Error::BulkOrder`] for the id; otherwise as [`add_node`](Self::add_node).
    pub fn add_node_with_id<L: AsRef<str>, P: AsRef<str>, V: Into<Value>>(
        &mut self,
        node: NodeId,
        labels: impl IntoIterator<Item = L>,
        properties: impl IntoIterator<Item = (P, V)>,
    ) -> Result<()> {
        self.add_named_node(Some(node.get()), labels, properties)?;
        Ok(())
    }

    /// Adds a node whose names were looked up before; see [`label`](Self::label).
    ///
    /// # Errors
    /// As [`add_node`](Self::add_node), and [`Error::UnknownName`] for a number that is no name's.
    pub fn add_node_of<V: Into<Value>>(
        &mut self,
        labels: &[LabelId],
        properties: impl IntoIterator<Item = (PropertyId, V)>,
    ) -> Result<NodeId> {
        self.step()?;
        self.begin_node();
        for label in labels {
            check_known(&self.state.catalog.labels, *label)?;
            let labels = &mut self.room.node.labels;
            if !labels.contains(label) {
                check_room(labels)?;
                labels.push(*label);
            }
        }
        for (property, value) in properties {
            let value = self.checked_of(property, value.into())?;
            set(&mut self.room.node.properties, property, value)?;
        }
        self.insert_node(None)
    }

    /// Adds one node after the other; returns their ids, which follow each other.
    ///
    /// # Errors
    /// As [`add_node`](Self::add_node): those before the refused one are added.
    pub fn add_nodes<L: AsRef<str>, P: AsRef<str>, V: Into<Value>>(
        &mut self,
        nodes: impl IntoIterator<
            Item = (
                impl IntoIterator<Item = L>,
                impl IntoIterator<Item = (P, V)>,
            ),
        >,
    ) -> Result<Range<NodeId>> {
        let first = NodeId::new(self.state.next.node);
        for (labels, properties) in nodes {
            self.add_node(labels, properties)?;
        }
        Ok(first..NodeId::new(self.state.next.node))
    }

    /// Adds a relationship. Each end is a node of this load or one that was stored before. A property
    /// that is null is left out.
    ///
    /// # Errors
    /// [`Error::NodeNotFound`] for an end, [`Error::HierarchyParent`] for a second parent in a tree,
    /// [`Error::HierarchyTooLarge`] if a load cannot hold more relationships of hierarchies;
    /// otherwise as [`add_node`](Self::add_node).
    pub fn add_relationship<P: AsRef<str>, V: Into<Value>>(
        &mut self,
        source: NodeId,
        relationship_type: &str,
        target: NodeId,
        properties: impl IntoIterator<Item = (P, V)>,
    ) -> Result<RelationshipId> {
        self.add_named_relationship(None, source, relationship_type, target, properties)
    }

    /// Adds a relationship under an id of the caller's choice; see
    /// [`add_node_with_id`](Self::add_node_with_id).
    ///
    /// # Errors
    /// [`Error::BulkOrder`] for the id; otherwise as [`add_relationship`](Self::add_relationship).
    pub fn add_relationship_with_id<P: AsRef<str>, V: Into<Value>>(
        &mut self,
        relationship: RelationshipId,
        source: NodeId,
        relationship_type: &str,
        target: NodeId,
        properties: impl IntoIterator<Item = (P, V)>,
    ) -> Result<()> {
        let id = Some(relationship.get());
        self.add_named_relationship(id, source, relationship_type, target, properties)?;
        Ok(())
    }

    /// Adds a relationship whose names were looked up before; see
    /// [`relationship_type`](Self::relationship_type).
    ///
    /// # Errors
    /// As [`add_relationship`](Self::add_relationship), and [`Error::UnknownName`] for a number that
    /// is no name's.
    pub fn add_relationship_of<V: Into<Value>>(
        &mut self,
        source: NodeId,
        relationship_type: TypeId,
        target: NodeId,
        properties: impl IntoIterator<Item = (PropertyId, V)>,
    ) -> Result<RelationshipId> {
        self.step()?;
        check_known(&self.state.catalog.types, relationship_type)?;
        let mut slots = Properties::default();
        for (property, value) in properties {
            let value = self.checked_of(property, value.into())?;
            set(&mut slots, property, value)?;
        }
        self.insert_relationship(
            None,
            &RelationshipRecord {
                relationship_type,
                source,
                target,
                properties: slots,
            },
        )
    }

    /// Adds one relationship after the other; returns their ids, which follow each other.
    ///
    /// # Errors
    /// As [`add_relationship`](Self::add_relationship): those before the refused one are added.
    pub fn add_relationships<T: AsRef<str>, P: AsRef<str>, V: Into<Value>>(
        &mut self,
        relationships: impl IntoIterator<Item = (NodeId, T, NodeId, impl IntoIterator<Item = (P, V)>)>,
    ) -> Result<Range<RelationshipId>> {
        let first = RelationshipId::new(self.state.next.relationship);
        for (source, of, target, properties) in relationships {
            self.add_relationship(source, of.as_ref(), target, properties)?;
        }
        Ok(first..RelationshipId::new(self.state.next.relationship))
    }

    fn add_named_node<L: AsRef<str>, P: AsRef<str>, V: Into<Value>>(
        &mut self,
        id: Option<u64>,
        labels: impl IntoIterator<Item = L>,
        properties: impl IntoIterator<Item = (P, V)>,
    ) -> Result<NodeId> {
        self.step()?;
        self.begin_node();
        for label in labels {
            let known = self.known_label(label.as_ref());
            let labels = &self.room.node.labels;
            if known.is_some_and(|known| labels.contains(&known)) {
                continue;
            }
            // Before the name is given a number: what is refused must not use up names.
            check_room(labels)?;
            let label = match known {
                Some(known) => known,
                None => self.label(label.as_ref())?,
            };
            self.room.node.labels.push(label);
        }
        for (property, value) in properties {
            if let Some((property, value)) = self.checked(property.as_ref(), value.into())? {
                set(&mut self.room.node.properties, property, value)?;
            }
        }
        self.insert_node(id)
    }

    fn add_named_relationship<P: AsRef<str>, V: Into<Value>>(
        &mut self,
        id: Option<u64>,
        source: NodeId,
        relationship_type: &str,
        target: NodeId,
        properties: impl IntoIterator<Item = (P, V)>,
    ) -> Result<RelationshipId> {
        self.step()?;
        let relationship_type = self.relationship_type(relationship_type)?;
        let mut slots = Properties::default();
        for (property, value) in properties {
            if let Some((property, value)) = self.checked(property.as_ref(), value.into())? {
                set(&mut slots, property, value)?;
            }
        }
        self.insert_relationship(
            id,
            &RelationshipRecord {
                relationship_type,
                source,
                target,
                properties: slots,
            },
        )
    }

    /// A property's number, and its value if it can be stored; `None` for a null under a name that
    /// was never used, since nothing is to be stored under it.
    fn checked(&mut self, property: &str, value: Value) -> Result<Option<(PropertyId, Value)>> {
        let known = self.known_property(property);
        if value.is_null() && known.is_none() {
            check_name(PropertyId::WHAT, property)?;
            return Ok(None);
        }
        check_storable(&value).map_err(|source| Error::NotStorable {
            property: property.into(),
            source: Box::new(source),
        })?;
        let property = match known {
            Some(known) => known,
            None => self.property_key(property)?,
        };
        Ok(Some((property, value)))
    }

    /// A value, if it can be stored under a number that is a property's.
    fn checked_of(&self, property: PropertyId, value: Value) -> Result<Value> {
        let names = &self.state.catalog.properties;
        check_known(names, property)?;
        check_storable(&value).map_err(|source| Error::NotStorable {
            property: names.show(property).into(),
            source: Box::new(source),
        })?;
        Ok(value)
    }

    fn begin_node(&mut self) {
        self.room.node.labels.clear();
        self.room.node.properties.clear();
    }

    /// Adds the node that the room holds.
    fn insert_node(&mut self, wanted: Option<u64>) -> Result<NodeId> {
        let next = self.state.next.node;
        let (id, next) = take_id(wanted, next, Family::Nodes, self.nodes, "node ids")?;
        let node = NodeId::new(id);
        self.room.node.labels.sort_unstable();
        let catalog = &self.state.catalog;
        let after = Facts::of_node(&self.room.node);
        self.room.entries.clear();
        self.room.vectors.clear();
        if after.scopes().any(|scope| catalog.rules(scope).is_some()) {
            let outcome = self.admitted(Family::Nodes, id, &after)?;
            self.texts.extend(outcome.texts);
            (self.room.entries, self.room.vectors) = (outcome.entries, outcome.vectors);
        }
        self.room.node.encode(node, &mut self.room.encoder);
        check_lengths(&self.room.encoder.apart)?;

        let written = self.write_item(Family::Nodes, id);
        let written = written.and_then(|()| {
            let mut labels = self.room.node.labels.iter();
            labels.try_for_each(|label| self.labels.add(label.number(), id, &mut self.sets))
        });
        self.or_fail(written)?;
        self.known.add(id);
        self.nodes += 1;
        self.state.next.node = next;
        Ok(node)
    }

    fn insert_relationship(
        &mut self,
        wanted: Option<u64>,
        record: &RelationshipRecord,
    ) -> Result<RelationshipId> {
        let next = self.state.next.relationship;
        let (id, next) = take_id(
            wanted,
            next,
            Family::Edges,
            self.relationships,
            "relationship ids",
        )?;
        let relationship = RelationshipId::new(id);
        let RelationshipRecord {
            relationship_type: of,
            source,
            target,
            ..
        } = *record;
        let base = view(&self.read, &self.state);
        for node in [source, target] {
            if !self.known.contains(&base, node)? {
                return Err(Error::NodeNotFound { node });
            }
        }
        let declared = self.state.catalog.hierarchy_of(of);
        if let Some(declared) = declared {
            self.hierarchies.admit(&base, declared, source, target)?;
        }
        self.room.entries.clear();
        self.room.vectors.clear();
        let after = Facts::of_relationship(record);
        let catalog = &self.state.catalog;
        if after.scopes().any(|scope| catalog.rules(scope).is_some()) {
            let outcome = self.admitted(Family::Edges, id, &after)?;
            self.texts.extend(outcome.texts);
            (self.room.entries, self.room.vectors) = (outcome.entries, outcome.vectors);
        }
        record.encode(relationship, &mut self.room.encoder);
        check_lengths(&self.room.encoder.apart)?;

        let written = self.write_item(Family::Edges, id);
        let written = written.and_then(|()| {
            self.types.add(of.number(), id, &mut self.sets)?;
            self.adjacency.push(source, of, target, id)
        });
        self.or_fail(written)?;
        if let Some(declared) = self.state.catalog.hierarchy_of(of) {
            self.hierarchies.add(declared, source, target);
        }
        self.relationships += 1;
        self.state.next.relationship = next;
        Ok(relationship)
    }

    /// What something new brings into indexes, if the rules admit it.
    fn admitted(&self, family: Family, id: u64, after: &Facts<'_>) -> Result<Outcome> {
        let (base, entity): (_, Entity) = (view(&self.read, &self.state), entity_of(family, id));
        let outcome = rules::compare(&base, entity, &Facts::nothing(), after)?;
        if outcome.unmet.is_some() {
            rules::check_facts(base.catalog(), entity, after, |_| true)?;
        }
        Ok(outcome)
    }

    /// Writes the record in the room, what lies apart from it, and its index entries.
    fn write_item(&mut self, family: Family, id: u64) -> Result<()> {
        let [nodes, edges] = &mut self.records;
        let stream = if family == Family::Nodes {
            nodes
        } else {
            edges
        };
        stream.put(&record_key(id), self.room.encoder.record.as_bytes())?;
        for apart in self.room.encoder.apart.drain(..) {
            self.apart.put(&apart)?;
        }
        for index in self.room.vectors.drain(..) {
            self.vectors.entry(index).or_default().insert(id);
        }
        for entry in self.room.entries.drain(..) {
            let value = entry.value.as_deref().unwrap_or_default();
            self.entries.push(&entry.key, value)?;
            *self
                .counts
                .entry(Counter::Entries(entry.index))
                .or_default() += 1;
            let sketch = self.sketches.entry(entry.index).or_default();
            sketch.add(entry.values());
        }
        Ok(())
    }
}

/// Whether a node may have one label more.
fn check_room(labels: &[LabelId]) -> Result<()> {
    if labels.len() >= MAX_LABELS {
        return Err(Error::TooMany {
            what: "labels of a node",
            count: labels.len() as u64 + 1,
            limit: MAX_LABELS as u64,
        });
    }
    Ok(())
}

/// Sets a property of something new. Null is left out; the last of a name wins.
fn set(slots: &mut Properties, property: PropertyId, value: Value) -> Result<()> {
    match value {
        Value::Null => drop(slots.remove(property)),
        value => drop(slots.set(property, Slot::Value(value))),
    }
    if slots.len() > MAX_PROPERTIES {
        return Err(Error::TooMany {
            what: "properties of one node or relationship",
            count: slots.len() as u64,
            limit: MAX_PROPERTIES as u64,
        });
    }
    Ok(())
}

fn check_lengths(apart: &[Apart]) -> Result<()> {
    match apart
        .iter()
        .find(|apart| apart.value.len() > MAX_VALUE_BYTES)
    {
        Some(apart) => Err(Error::TooLarge {
            what: "property value",
            bytes: apart.value.len() as u64,
            limit_bytes: MAX_VALUE_BYTES as u64,
        }),
        None => Ok(()),
    }
}
