//! Creating and deleting relationships. Both directions, degrees, sets and counts change together.

use super::{Changes, WriteTxn};
use crate::catalog::{Change, Counter, LabelId, Scope, TypeId};
use crate::error::{Error, Result};
use crate::graph::hierarchy;
use crate::graph::keys::{AdjacencyKey, Entity, Way, record_key};
use crate::graph::properties::Properties;
use crate::graph::read::sealed::Viewed;
use crate::graph::record::{Ends, RelationshipRecord};
use crate::graph::rules::{self, Facts};
use crate::graph::sets::SetId;
use crate::storage::family::Family;
use crate::value::{NodeId, RelationshipId, Value};

impl WriteTxn {
    /// Creates a relationship from `source` to `target`. Two nodes may have any number of them, and a
    /// node one with itself. A property that is null is left out.
    ///
    /// # Errors
    /// [`Error::NodeNotFound`] for an end; [`Error::HierarchyCycle`] or [`Error::HierarchyParent`] if
    /// the type is a hierarchy that refuses it; otherwise as
    /// [`create_node`](Self::create_node).
    pub fn create_relationship<P: AsRef<str>, V: Into<Value>>(
        &mut self,
        source: NodeId,
        relationship_type: &str,
        target: NodeId,
        properties: impl IntoIterator<Item = (P, V)>,
    ) -> Result<RelationshipId> {
        let of = self.relationship_type(relationship_type)?;
        let properties = self.slots(properties)?;
        self.insert_relationship(source, of, target, properties)
    }

    pub(crate) fn insert_relationship(
        &mut self,
        source: NodeId,
        relationship_type: TypeId,
        target: NodeId,
        properties: Properties,
    ) -> Result<RelationshipId> {
        let relationship = RelationshipId::new(self.state.next.relationship);
        let entity = Entity::Relationship(relationship);
        let record = RelationshipRecord {
            relationship_type,
            source,
            target,
            properties,
        };
        let view = self.view();
        let source_labels = self.labels_of_end(source)?;
        let target_labels = self.labels_of_end(target)?;
        let declared = view.catalog().hierarchy_of(relationship_type).cloned();
        if let Some(declared) = &declared {
            hierarchy::admit(&view, declared, source, target)?;
        }
        let after = Facts::of_relationship(&record);
        let rules = rules::compare(&view, entity, &Facts::nothing(), &after)?;
        let mut changes = Changes::default();
        let mut apart = Vec::new();
        let bytes = record.encode(relationship, &mut apart);
        changes.put(Family::Edges, &record_key(relationship.get()), bytes);
        changes.put_apart(apart)?;
        let [out, incoming] = adjacency(relationship, record.ends());
        changes.put(Family::Out, &out, Vec::new());
        changes.put(Family::In, &incoming, Vec::new());
        self.write(changes, rules)?;
        self.state.next.relationship += 1;
        self.note_relationship(
            relationship,
            record.ends(),
            &source_labels,
            &target_labels,
            1,
        );
        if let Some(declared) = declared {
            self.pending.relevel(declared.id, source.get());
            self.pending.relevel(declared.id, target.get());
        }
        Ok(relationship)
    }

    /// Deletes a relationship.
    ///
    /// # Errors
    /// [`Error::RelationshipNotFound`].
    pub fn delete_relationship(&mut self, relationship: RelationshipId) -> Result<()> {
        let record = self.existing_relationship(relationship)?;
        let ends = record.ends();
        let source_labels = self.labels_of_end(ends.source)?;
        let target_labels = self.labels_of_end(ends.target)?;
        let (changes, rules) = self.deletion(relationship, &record)?;
        self.write(changes, rules)?;
        self.unmet.remove(&Entity::Relationship(relationship));
        self.note_relationship(relationship, ends, &source_labels, &target_labels, -1);
        let declared = self.state.catalog.hierarchy_of(ends.relationship_type);
        if let Some(id) = declared.map(|declared| declared.id) {
            self.pending.relevel(id, ends.source.get());
            self.pending.relevel(id, ends.target.get());
        }
        Ok(())
    }

    /// What deleting a relationship writes at once.
    fn deletion(
        &self,
        relationship: RelationshipId,
        record: &RelationshipRecord,
    ) -> Result<(Changes, rules::Outcome)> {
        let entity = Entity::Relationship(relationship);
        let before = Facts::of_relationship(record);
        let rules = rules::compare(&self.view(), entity, &before, &Facts::nothing())?;
        let mut changes = Changes::default();
        changes.delete(Family::Edges, &record_key(relationship.get()));
        for (property, slot) in record.properties.iter() {
            if let Some((family, key)) = slot.place(entity, *property) {
                changes.delete(family, &key);
            }
        }
        let [out, incoming] = adjacency(relationship, record.ends());
        changes.delete(Family::Out, &out);
        changes.delete(Family::In, &incoming);
        Ok((changes, rules))
    }

    /// How many bytes deleting these relationships adds to the transaction at most. Whoever deletes
    /// several asks first: long index entries make one cost far more than another.
    pub(super) fn bytes_to_delete(&self, relationships: &[RelationshipId]) -> Result<u64> {
        let mut bytes = 0;
        for relationship in relationships {
            let record = self.existing_relationship(*relationship)?;
            let (changes, rules) = self.deletion(*relationship, &record)?;
            bytes += changes.bytes_with(&rules) as u64;
        }
        Ok(self.with_way_back(bytes))
    }

    /// What else one relationship more, or less, changes.
    fn note_relationship(
        &mut self,
        relationship: RelationshipId,
        ends: Ends,
        source_labels: &[LabelId],
        target_labels: &[LabelId],
        difference: i64,
    ) {
        let of = ends.relationship_type;
        let pending = &mut self.pending;
        pending.add_degree(Way::Out, ends.source, of, difference);
        pending.add_degree(Way::In, ends.target, of, difference);
        pending.count(Counter::Relationships, difference);
        pending.count(Counter::Type(of), difference);
        for label in source_labels {
            pending.count(Counter::From(*label, of), difference);
        }
        for label in target_labels {
            pending.count(Counter::To(*label, of), difference);
        }
        let set = SetId::Type(of);
        if difference > 0 {
            pending.add_to_set(set, relationship.get());
        } else {
            pending.remove_from_set(set, relationship.get());
        }
    }

    fn labels_of_end(&self, node: NodeId) -> Result<Vec<LabelId>> {
        let labels = self.view().labels_of(node)?;
        labels.ok_or(Error::NodeNotFound { node })
    }

    pub(super) fn existing_relationship(
        &self,
        relationship: RelationshipId,
    ) -> Result<RelationshipRecord> {
        let record = self.view().relationship_record(relationship)?;
        record.ok_or(Error::RelationshipNotFound { relationship })
    }

    pub(crate) fn relationship_type(&mut self, name: &str) -> Result<TypeId> {
        self.name(|catalog| &catalog.types, Change::Type, name)
    }

    pub(crate) fn scope_of_type(&mut self, name: &str) -> Result<Scope> {
        self.relationship_type(name).map(Scope::Type)
    }
}

/// The keys of a relationship in `out` and in `in`.
pub(crate) fn adjacency(
    relationship: RelationshipId,
    ends: Ends,
) -> [[u8; AdjacencyKey::BYTES]; 2] {
    let seen_from = |near, far| {
        AdjacencyKey {
            near,
            relationship_type: ends.relationship_type,
            far,
            relationship,
        }
        .encode()
    };
    [
        seen_from(ends.source, ends.target),
        seen_from(ends.target, ends.source),
    ]
}
