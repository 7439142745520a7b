//! Creating and deleting nodes, and their labels.

use super::relationships::Doomed;
use super::{Changes, WriteTxn};
use crate::catalog::{Change, Counter, LabelId, SchemaId, Scope, check_id};
use crate::error::{Error, Result};
use crate::graph::Direction;
use crate::graph::hierarchy;
use crate::graph::keys::{Entity, Way, record_key};
use crate::graph::properties::Properties;
use crate::graph::read::Read;
use crate::graph::record::{MAX_LABELS, NodeRecord};
use crate::graph::rules::{self, Facts, Outcome};
use crate::graph::sets::SetId;
use crate::graph::viewed::Viewed;
use crate::storage::family::Family;
use crate::value::{NodeId, Value};

/// About what deleting one relationship adds to a transaction, for an estimate beforehand.
const DELETED_RELATIONSHIP_BYTES: u64 = 400;

/// A node that is about to be deleted, and what goes with it.
struct Erased {
    node: NodeId,
    labels: Vec<LabelId>,
    /// The hierarchies that it was added to by name.
    memberships: Vec<SchemaId>,
    changes: Changes,
    rules: Outcome,
}

impl WriteTxn {
    /// Creates a node. A property that is null is left out.
    ///
    /// # Errors
    /// [`Error::NotStorable`], [`Error::TooMany`], [`Error::TooLarge`] or [`Error::BadName`] for what
    /// it was given, [`Error::ConstraintViolation`]; the transaction goes on without it.
    pub fn create_node<L: AsRef<str>, P: AsRef<str>, V: Into<Value>>(
        &mut self,
        labels: impl IntoIterator<Item = L>,
        properties: impl IntoIterator<Item = (P, V)>,
    ) -> Result<NodeId> {
        let mut ids = Vec::new();
        for label in labels {
            let known = self.state.catalog.labels.id(label.as_ref());
            if known.is_some_and(|known| ids.contains(&known)) {
                continue;
            }
            // Before the name is given a number: what is refused must not use up names.
            if ids.len() >= MAX_LABELS {
                return Err(too_many_labels(ids.len() + 1));
            }
            ids.push(self.label(label.as_ref())?);
        }
        let properties = self.slots(properties)?;
        self.insert_node(ids, properties)
    }

    pub(crate) fn insert_node(
        &mut self,
        mut labels: Vec<LabelId>,
        properties: Properties,
    ) -> Result<NodeId> {
        labels.sort_unstable();
        labels.dedup();
        let node = NodeId::new(check_id("node ids", self.state.next.node)?);
        let entity = Entity::Node(node);
        let record = NodeRecord { labels, properties };
        let after = Facts::of_node(&record);
        let rules = rules::compare(&self.view(), entity, &Facts::nothing(), &after)?;
        let mut changes = Changes::default();
        record.encode(node, &mut self.encoder);
        let key = record_key(node.get());
        changes.put_encoded(Family::Nodes, &key, &mut self.encoder)?;
        self.write(changes, &rules)?;
        self.adds = true;
        self.state.next.node += 1;
        self.pending.count(Counter::Nodes, 1);
        for label in &record.labels {
            self.pending.add_to_set(SetId::Label(*label), node.get());
            self.pending.count(Counter::Label(*label), 1);
        }
        Ok(node)
    }

    /// Adds a label to a node; one that it has already is fine.
    ///
    /// # Errors
    /// [`Error::NodeNotFound`], [`Error::ConstraintViolation`], [`Error::TooMany`].
    pub fn add_label(&mut self, node: NodeId, label: &str) -> Result<()> {
        let label = self.label(label)?;
        let before = self.existing_node(node)?;
        let mut after = before.clone();
        let Err(at) = after.labels.binary_search(&label) else {
            return Ok(());
        };
        if after.labels.len() >= MAX_LABELS {
            return Err(too_many_labels(after.labels.len() + 1));
        }
        after.labels.insert(at, label);
        self.relabel(node, &before, &after, label, 1)
    }

    /// Removes a label from a node; one that it does not have is fine.
    ///
    /// # Errors
    /// [`Error::NodeNotFound`].
    pub fn remove_label(&mut self, node: NodeId, label: &str) -> Result<()> {
        let before = self.existing_node(node)?;
        let Some(label) = self.state.catalog.labels.id(label) else {
            return Ok(());
        };
        let mut after = before.clone();
        let Ok(at) = after.labels.binary_search(&label) else {
            return Ok(());
        };
        after.labels.remove(at);
        self.relabel(node, &before, &after, label, -1)
    }

    fn relabel(
        &mut self,
        node: NodeId,
        before: &NodeRecord,
        after: &NodeRecord,
        label: LabelId,
        difference: i64,
    ) -> Result<()> {
        let view = self.view();
        let rules = rules::compare(
            &view,
            Entity::Node(node),
            &Facts::of_node(before),
            &Facts::of_node(after),
        )?;
        let (out, incoming) = (view.degrees(Way::Out, node)?, view.degrees(Way::In, node)?);
        let mut changes = Changes::default();
        // What lies apart stays where it is: no slot has a value to put there.
        after.encode(node, &mut self.encoder);
        let key = record_key(node.get());
        changes.put_encoded(Family::Nodes, &key, &mut self.encoder)?;
        self.write(changes, &rules)?;
        if difference > 0 {
            self.adds = true;
            self.pending.add_to_set(SetId::Label(label), node.get());
        } else {
            self.pending
                .remove_from_set(SetId::Label(label), node.get());
        }
        self.pending.count(Counter::Label(label), difference);
        for (of, degree) in out {
            let degree = degree.cast_signed() * difference;
            self.pending.count(Counter::From(label, of), degree);
        }
        for (of, degree) in incoming {
            let degree = degree.cast_signed() * difference;
            self.pending.count(Counter::To(label, of), degree);
        }
        Ok(())
    }

    /// Deletes a node that has no relationships.
    ///
    /// # Errors
    /// [`Error::NodeNotFound`], or [`Error::HasRelationships`] if it has any.
    pub fn delete_node(&mut self, node: NodeId) -> Result<()> {
        let erased = self.look_at_erased(node)?;
        let relationships = self.degree(node, Direction::Both, None)?;
        if relationships > 0 {
            return Err(Error::HasRelationships {
                node,
                relationships,
            });
        }
        self.keys.ensure_room(erased.changes.bytes)?;
        self.erase_node(erased);
        Ok(())
    }

    /// Deletes a node and its relationships; returns how many relationships that were.
    ///
    /// # Errors
    /// [`Error::NodeNotFound`]; [`Error::TooConnected`] if deleting that many relationships does not
    /// fit into a transaction: delete them in portions first, see
    /// [`delete_relationships_of`](Self::delete_relationships_of).
    pub fn detach_delete_node(&mut self, node: NodeId) -> Result<u64> {
        let erased = self.look_at_erased(node)?;
        let relationships = self.degree(node, Direction::Both, None)?;
        let limit_bytes = self.keys.limit_bytes().saturating_sub(self.keys.bytes());
        let too_connected = |bytes| Error::TooConnected {
            node,
            relationships,
            bytes,
            limit_bytes,
        };
        let bytes = relationships.saturating_mul(DELETED_RELATIONSHIP_BYTES);
        if bytes > limit_bytes {
            return Err(too_connected(bytes));
        }
        let doomed = self.doomed(node, u64::MAX)?;
        let deleted = doomed.len() as u64;
        match self.erase_relationships(doomed, erased.changes.bytes) {
            Err(Error::TransactionTooLarge { bytes, .. }) => {
                return Err(too_connected(bytes.saturating_sub(self.keys.bytes())));
            }
            other => other?,
        }
        self.erase_node(erased);
        Ok(deleted)
    }

    /// Deletes at most so many of a node's relationships; returns how many. For nodes with more
    /// relationships than one transaction can delete: repeat it, a transaction each, until it
    /// returns 0.
    ///
    /// # Errors
    /// [`Error::NodeNotFound`], [`Error::TransactionTooLarge`].
    pub fn delete_relationships_of(&mut self, node: NodeId, at_most: u64) -> Result<u64> {
        if !self.contains(node)? {
            return Err(Error::NodeNotFound { node });
        }
        let doomed = self.doomed(node, at_most)?;
        let count = doomed.len() as u64;
        self.erase_relationships(doomed, 0)?;
        Ok(count)
    }

    fn doomed(&self, node: NodeId, at_most: u64) -> Result<Vec<Doomed>> {
        let mut doomed = Vec::new();
        for neighbour in self.neighbours(node, Direction::Both, None)? {
            if doomed.len() as u64 >= at_most {
                break;
            }
            doomed.push(self.look_at_doomed(neighbour?.relationship)?);
        }
        Ok(doomed)
    }

    /// Everything that deleting a node without relationships changes. Only looks.
    fn look_at_erased(&self, node: NodeId) -> Result<Erased> {
        let (view, entity) = (self.view(), Entity::Node(node));
        let record = self.existing_node(node)?;
        let mut changes = Changes::default();
        changes.delete(Family::Nodes, &record_key(node.get()));
        for (property, slot) in record.properties.iter() {
            if let Some((family, key)) = slot.place(entity, *property) {
                changes.delete(family, &key);
            }
        }
        let mut memberships = Vec::new();
        for (hierarchy, key) in hierarchy::named_in(&view, node)? {
            changes.delete(Family::Hierarchy, &key);
            memberships.push(hierarchy);
        }
        let rules = rules::compare(&view, entity, &Facts::of_node(&record), &Facts::nothing())?;
        changes.follow(&rules);
        Ok(Erased {
            node,
            labels: record.labels,
            memberships,
            changes,
            rules,
        })
    }

    fn erase_node(&mut self, erased: Erased) {
        erased.changes.write_admitted(&mut self.keys);
        self.note_rules(&erased.rules);
        for hierarchy in erased.memberships {
            self.pending.relevel(hierarchy, erased.node.get());
        }
        self.pending.count(Counter::Nodes, -1);
        for label in erased.labels {
            let set = SetId::Label(label);
            self.pending.remove_from_set(set, erased.node.get());
            self.pending.count(Counter::Label(label), -1);
        }
    }

    pub(super) fn existing_node(&self, node: NodeId) -> Result<NodeRecord> {
        let record = self.view().node_record(node)?;
        record.ok_or(Error::NodeNotFound { node })
    }

    pub(crate) fn label(&mut self, name: &str) -> Result<LabelId> {
        self.name(|catalog| &catalog.labels, Change::Label, name)
    }

    pub(crate) fn scope_of_label(&mut self, name: &str) -> Result<Scope> {
        self.label(name).map(Scope::Label)
    }
}

fn too_many_labels(count: usize) -> Error {
    Error::TooMany {
        what: "labels of a node",
        count: count as u64,
        limit: MAX_LABELS as u64,
    }
}
