//! Creating and deleting relationships. Both directions, degrees, sets and counts change together.

use super::{Changes, WriteTxn};
use crate::catalog::{Change, Counter, LabelId, Scope, TypeId, check_id};
use crate::error::{Error, Result};
use crate::graph::hierarchy;
use crate::graph::keys::{AdjacencyKey, DegreeKey, Entity, Way, record_key};
use crate::graph::properties::Properties;
use crate::graph::record::{Ends, RelationshipRecord};
use crate::graph::rules::{self, Facts, Outcome};
use crate::graph::sets::SetId;
use crate::graph::viewed::Viewed;
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
        let next = check_id("relationship ids", self.state.next.relationship)?;
        let relationship = RelationshipId::new(next);
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
        record.encode(relationship, &mut self.encoder);
        let key = record_key(relationship.get());
        changes.put_encoded(Family::Edges, &key, &mut self.encoder)?;
        let [out, incoming] = adjacency(relationship, record.ends());
        changes.put(Family::Out, &out, &[][..]);
        changes.put(Family::In, &incoming, &[][..]);
        self.write(changes, &rules)?;
        self.adds = true;
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
        let doomed = self.look_at_doomed(relationship)?;
        self.erase_relationships(vec![doomed], 0)
    }

    /// Everything that deleting a relationship changes. Only looks.
    pub(super) fn look_at_doomed(&self, relationship: RelationshipId) -> Result<Doomed> {
        let entity = Entity::Relationship(relationship);
        let record = self.existing_relationship(relationship)?;
        let ends = record.ends();
        let before = Facts::of_relationship(&record);
        let mut changes = Changes::default();
        changes.delete(Family::Edges, &record_key(relationship.get()));
        for (property, slot) in record.properties.iter() {
            if let Some((family, key)) = slot.place(entity, *property) {
                changes.delete(family, &key);
            }
        }
        let [out, incoming] = adjacency(relationship, ends);
        changes.delete(Family::Out, &out);
        changes.delete(Family::In, &incoming);
        let rules = rules::compare(&self.view(), entity, &before, &Facts::nothing())?;
        changes.follow(&rules);
        Ok(Doomed {
            relationship,
            ends,
            source_labels: self.labels_of_end(ends.source)?,
            target_labels: self.labels_of_end(ends.target)?,
            changes,
            rules,
        })
    }

    /// Deletes all of them, or says that there is no room for them and for so many bytes more.
    pub(super) fn erase_relationships(&mut self, doomed: Vec<Doomed>, more: usize) -> Result<()> {
        let bytes: usize = doomed.iter().map(|doomed| doomed.changes.bytes).sum();
        self.keys.ensure_room(bytes + more)?;
        for doomed in doomed {
            let ends = doomed.ends;
            doomed.changes.write_admitted(&mut self.keys);
            self.note_rules(&doomed.rules);
            self.note_relationship(
                doomed.relationship,
                ends,
                &doomed.source_labels,
                &doomed.target_labels,
                -1,
            );
            let declared = self.state.catalog.hierarchy_of(ends.relationship_type);
            if let Some(id) = declared.map(|declared| declared.id) {
                self.pending.relevel(id, ends.source.get());
                self.pending.relevel(id, ends.target.get());
            }
        }
        Ok(())
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
        for (way, near) in [(Way::Out, ends.source), (Way::In, ends.target)] {
            let key = DegreeKey {
                near,
                relationship_type: of,
            };
            pending.add_degree(way, key, difference);
        }
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

/// A relationship that is about to be deleted, and what goes with it.
pub(super) struct Doomed {
    relationship: RelationshipId,
    ends: Ends,
    source_labels: Vec<LabelId>,
    target_labels: Vec<LabelId>,
    changes: Changes,
    rules: Outcome,
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
