//! One write transaction: random operations, each made on the plain graph too, which says beforehand
//! whether it is refused.

use crate::compare::{Look, compare};
use crate::plain::{LABELS, Node, PROPERTIES, Plain, Properties, Relationship, TYPES};
use crate::refusal::{self, Refusal};
use crate::values::{storable, unstorable};
use fastrand::Rng;
use std::collections::BTreeSet;
use std::fmt::Debug;
use stratigraph::catalog::NameId as _;
use stratigraph::{Entity, NodeId, Read, RelationshipId, Result, Savepoint, Value, WriteTxn};

/// More nodes than this, and more are deleted than created.
const CROWDED: usize = 40;

pub(crate) struct Writer<'a> {
    pub(crate) txn: WriteTxn,
    pub(crate) plain: Plain,
    savepoints: Vec<(Savepoint, Plain)>,
    gone: Vec<Savepoint>,
    /// Ids of committed transactions are not given again.
    given: Given,
    rng: &'a mut Rng,
    pub(crate) operations: u64,
}

/// The highest ids that committed transactions have given.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Given {
    pub(crate) node: Option<u64>,
    pub(crate) relationship: Option<u64>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(txn: WriteTxn, plain: Plain, given: Given, rng: &'a mut Rng) -> Self {
        Self {
            txn,
            plain,
            savepoints: Vec::new(),
            gone: Vec::new(),
            given,
            rng,
            operations: 0,
        }
    }

    pub(crate) fn work(&mut self) {
        for _ in 0..self.rng.u32(0..30) {
            self.step();
            self.operations += 1;
            if self.rng.u8(0..24) == 0 {
                compare(&self.txn, &self.plain, Look::Some(3), self.rng);
            }
        }
    }

    fn step(&mut self) {
        let crowded = self.plain.nodes.len() > CROWDED;
        match self.rng.u32(0..100) {
            0..12 if !crowded => self.create_node(),
            0..12 => self.detach_delete(),
            12..34 => self.create_relationship(),
            34..37 => self.delete_node(),
            37..39 => self.detach_delete(),
            39..41 => self.delete_some_relationships(),
            41..46 => self.delete_relationship(),
            46..53 => self.add_label(),
            53..58 => self.remove_label(),
            58..78 => self.set_properties(),
            78..82 => self.replace_properties(),
            82..86 => self.remove_property(),
            86..92 => self.change_members(),
            _ => self.savepoints(),
        }
    }

    /// Holds what the database said against what the plain graph says.
    ///
    /// Returns the result if it was no refusal.
    fn judge<T: Debug>(
        &self,
        what: impl Debug,
        outcome: Result<T>,
        expected: &BTreeSet<Refusal>,
        refused: Option<(u64, u64)>,
    ) -> Option<T> {
        match outcome {
            Ok(value) => {
                assert!(expected.is_empty(), "{what:?} gave {value:?}: {expected:?}");
                Some(value)
            }
            Err(error) => {
                let refusal = Refusal::of(&error);
                assert!(
                    expected.contains(&refusal),
                    "{what:?} was refused ({error}) and not with one of {expected:?}"
                );
                refusal::is_true(&error, &self.plain, refused);
                None
            }
        }
    }

    fn create_node(&mut self) {
        let labels: Vec<&str> = (0..self.rng.usize(0..4)).map(|_| self.label()).collect();
        let properties = self.pairs(3);
        let outcome = self.txn.create_node(labels.iter(), properties.clone());
        let mut after = self.plain.clone();
        let node = Node {
            labels: labels.into_iter().collect(),
            properties: Properties::default(),
        };
        // Any id will do to find out whether it is refused.
        let id = outcome.as_ref().map_or(u64::MAX, |id| id.get());
        assert!(!self.plain.nodes.contains_key(&id), "{id} is in use");
        let new = self.given.node.is_none_or(|given| id > given);
        assert!(new, "{id} was given before");
        after.nodes.insert(id, node);
        let entity = NodeId::new(id).into();
        let expected = put(&mut after, entity, &properties);
        if self.judge(&properties, outcome, &expected, None).is_some() {
            self.plain = after;
        }
    }

    fn create_relationship(&mut self) {
        let many = if self.rng.u8(0..12) == 0 { 20 } else { 1 };
        let (mut source, of) = (self.node(), TYPES[self.rng.usize(0..TYPES.len())]);
        for _ in 0..many {
            if self.rng.u8(0..8) == 0 {
                source = self.node();
            }
            let mut target = self.node();
            // In a hierarchy, downwards and without loops for the most part: there are enough cycles.
            if matches!(of, "TREE" | "DAG") && target <= source && self.rng.u8(0..6) > 0 {
                (source, target) = (target, source);
            }
            let properties = self.pairs(2);
            let (from, to) = (NodeId::new(source), NodeId::new(target));
            let outcome = self
                .txn
                .create_relationship(from, of, to, properties.clone());
            let mut after = self.plain.clone();
            let id = outcome.as_ref().map_or(u64::MAX, |id| id.get());
            assert!(
                !self.plain.relationships.contains_key(&id),
                "{id} is in use"
            );
            let new = self.given.relationship.is_none_or(|given| id > given);
            assert!(new, "{id} was given before");
            after.relationships.insert(
                id,
                Relationship {
                    of,
                    source,
                    target,
                    properties: Properties::default(),
                },
            );
            let entity = RelationshipId::new(id).into();
            let mut expected = put(&mut after, entity, &properties);
            expected.append(&mut self.plain.refused_by_hierarchy(source, of, target));
            for end in [source, target] {
                if !self.plain.nodes.contains_key(&end) {
                    expected.insert(Refusal::NodeNotFound(end));
                }
            }
            let what = (source, of, target, properties);
            let refused = Some((source, target));
            if self.judge(&what, outcome, &expected, refused).is_some() {
                self.plain = after;
            }
        }
    }

    fn delete_node(&mut self) {
        let node = self.node();
        let mut expected = self.node_missing(node);
        let degree = self.plain.degree(node);
        if degree > 0 {
            expected.insert(Refusal::HasRelationships(degree));
        }
        let outcome = self.txn.delete_node(NodeId::new(node));
        if self
            .judge(("delete", node), outcome, &expected, None)
            .is_some()
        {
            self.plain.remove_node(node);
        }
    }

    fn detach_delete(&mut self) {
        let node = self.node();
        let outcome = self.txn.detach_delete_node(NodeId::new(node));
        let expected = self.node_missing(node);
        let deleted = self.judge(("detach and delete", node), outcome, &expected, None);
        if let Some(deleted) = deleted {
            let before = self.plain.relationships.len();
            self.plain.remove_node(node);
            let gone = before - self.plain.relationships.len();
            assert_eq!(deleted, gone as u64);
        }
    }

    fn delete_some_relationships(&mut self) {
        let (node, at_most) = (self.node(), self.rng.u64(0..5));
        let outcome = self.txn.delete_relationships_of(NodeId::new(node), at_most);
        let expected = self.node_missing(node);
        if let Some(deleted) = self.judge((node, at_most), outcome, &expected, None) {
            // Which ones is not documented; how many is, and that they are the node's.
            let ids = self.txn.relationship_ids().unwrap();
            let left: BTreeSet<u64> = ids.map(|id| id.unwrap().get()).collect();
            let before = self.plain.relationships.len() as u64;
            let mut of_node = 0;
            self.plain.relationships.retain(|id, each| {
                let is_of_node = each.source == node || each.target == node;
                of_node += u64::from(is_of_node);
                !is_of_node || left.contains(id)
            });
            assert_eq!(before - self.plain.relationships.len() as u64, deleted);
            assert_eq!(deleted, of_node.min(at_most));
        }
    }

    fn delete_relationship(&mut self) {
        let id = self.relationship();
        let mut expected = BTreeSet::new();
        if !self.plain.relationships.contains_key(&id) {
            expected.insert(Refusal::RelationshipNotFound(id));
        }
        let outcome = self.txn.delete_relationship(RelationshipId::new(id));
        if self
            .judge(("delete", id), outcome, &expected, None)
            .is_some()
        {
            self.plain.relationships.remove(&id);
        }
    }

    fn add_label(&mut self) {
        let (node, label) = (self.node(), self.label());
        let mut after = self.plain.clone();
        let mut expected = self.node_missing(node);
        if let Some(of) = after.nodes.get_mut(&node) {
            of.labels.insert(label);
            expected = after.refused_at_once(NodeId::new(node).into());
        }
        let outcome = self.txn.add_label(NodeId::new(node), label);
        if self
            .judge((node, label), outcome, &expected, None)
            .is_some()
        {
            self.plain = after;
        }
    }

    fn remove_label(&mut self) {
        let (node, label) = (self.node(), self.label());
        let outcome = self.txn.remove_label(NodeId::new(node), label);
        let expected = self.node_missing(node);
        if self
            .judge((node, label), outcome, &expected, None)
            .is_some()
            && let Some(of) = self.plain.nodes.get_mut(&node)
        {
            of.labels.remove(label);
        }
    }

    fn set_properties(&mut self) {
        let entity = self.entity();
        let pairs = self.pairs(3);
        let mut after = self.plain.clone();
        let expected = put(&mut after, entity, &pairs);
        let outcome = self.txn.set_properties(entity, pairs.clone());
        if self
            .judge((entity, pairs), outcome, &expected, None)
            .is_some()
        {
            self.plain = after;
        }
    }

    fn replace_properties(&mut self) {
        let entity = self.entity();
        let pairs = self.pairs(3);
        let mut after = self.plain.clone();
        if let Some(properties) = after.properties_mut(entity) {
            properties.clear();
        }
        let expected = put(&mut after, entity, &pairs);
        let outcome = self.txn.replace_properties(entity, pairs.clone());
        if self
            .judge((entity, pairs), outcome, &expected, None)
            .is_some()
        {
            self.plain = after;
        }
    }

    fn remove_property(&mut self) {
        let (entity, name) = (self.entity(), self.property());
        let mut after = self.plain.clone();
        let expected = put(&mut after, entity, &[(name, Value::Null)]);
        let outcome = self.txn.remove_property(entity, name);
        if self
            .judge((entity, name), outcome, &expected, None)
            .is_some()
        {
            self.plain = after;
        }
    }

    fn change_members(&mut self) {
        let known: Vec<&String> = self.plain.hierarchies.keys().collect();
        let name = match self.rng.choice(known) {
            Some(name) if self.rng.u8(0..16) > 0 => name.clone(),
            _ => "never".into(),
        };
        let (node, add) = (self.node(), self.rng.u8(0..3) > 0);
        let mut expected = BTreeSet::new();
        if !self.plain.hierarchies.contains_key(&name) {
            expected.insert(Refusal::UnknownName(name.clone()));
        }
        let outcome = if add {
            expected.append(&mut self.node_missing(node));
            self.txn.add_member(&name, NodeId::new(node))
        } else {
            self.txn.remove_member(&name, NodeId::new(node))
        };
        let what = (&name, node, add);
        if self.judge(what, outcome, &expected, None).is_some() {
            let hierarchy = self.plain.hierarchies.get_mut(&name);
            let named = &mut hierarchy.expect("it is declared").named;
            if add {
                named.insert(node);
            } else {
                named.remove(&node);
            }
        }
    }

    fn savepoints(&mut self) {
        if !self.gone.is_empty() && self.rng.u8(0..8) == 0 {
            let gone = self.gone[self.rng.usize(0..self.gone.len())];
            let outcome = match self.rng.bool() {
                true => self.txn.rollback_to(gone),
                false => self.txn.release(gone),
            };
            let expected = BTreeSet::from([Refusal::UnknownSavepoint]);
            self.judge("a savepoint that is gone", outcome, &expected, None);
            return;
        }
        let count = self.savepoints.len();
        if count == 0 || self.rng.u8(0..5) < 2 {
            let savepoint = self.txn.savepoint().unwrap();
            self.savepoints.push((savepoint, self.plain.clone()));
            return;
        }
        let at = self.rng.usize(0..count);
        let savepoint = self.savepoints[at].0;
        if self.rng.u8(0..3) > 0 {
            self.txn.rollback_to(savepoint).unwrap();
            let gone = self.savepoints.drain(at + 1..);
            self.gone.extend(gone.map(|(savepoint, _)| savepoint));
            self.plain = self.savepoints[at].1.clone();
        } else {
            self.txn.release(savepoint).unwrap();
            let gone = self.savepoints.drain(at..);
            self.gone.extend(gone.map(|(savepoint, _)| savepoint));
        }
        compare(&self.txn, &self.plain, Look::Some(2), self.rng);
    }

    fn node_missing(&self, node: u64) -> BTreeSet<Refusal> {
        match self.plain.nodes.contains_key(&node) {
            true => BTreeSet::new(),
            false => BTreeSet::from([Refusal::NodeNotFound(node)]),
        }
    }

    fn label(&mut self) -> &'static str {
        LABELS[self.rng.usize(0..LABELS.len())]
    }

    fn property(&mut self) -> &'static str {
        PROPERTIES[self.rng.usize(0..PROPERTIES.len())]
    }

    fn pairs(&mut self, at_most: usize) -> Vec<(&'static str, Value)> {
        let count = self.rng.usize(0..=at_most);
        let mut pairs = Vec::with_capacity(count);
        for _ in 0..count {
            let value = match self.rng.u32(0..60) {
                0 => unstorable(self.rng),
                1..6 => Value::Null,
                _ => storable(self.rng),
            };
            pairs.push((self.property(), value));
        }
        pairs
    }

    /// Mostly one that is there, the first more often than others, so that it gets many
    /// relationships.
    fn node(&mut self) -> u64 {
        let known: Vec<u64> = self.plain.nodes.keys().copied().collect();
        match (known.first(), self.rng.u32(0..20)) {
            (None, _) | (_, 0) => self.rng.u64(0..100),
            (Some(first), 1..5) => *first,
            _ => known[self.rng.usize(0..known.len())],
        }
    }

    fn relationship(&mut self) -> u64 {
        let known: Vec<u64> = self.plain.relationships.keys().copied().collect();
        match self.rng.choice(&known) {
            Some(id) if self.rng.u8(0..20) > 0 => *id,
            _ => self.rng.u64(0..200),
        }
    }

    fn entity(&mut self) -> Entity {
        if self.rng.u8(0..3) == 0 {
            RelationshipId::new(self.relationship()).into()
        } else {
            NodeId::new(self.node()).into()
        }
    }

    /// What the names mean: a number that is known never comes to mean another name.
    pub(crate) fn names(&self) -> Vec<(u32, String)> {
        numbered(&self.txn)
    }
}

/// Every name with its number, of all three kinds.
pub(crate) fn numbered(read: &impl Read) -> Vec<(u32, String)> {
    let catalog = read.catalog();
    let labels = catalog
        .labels
        .iter()
        .map(|(id, name)| (id.number(), format!("label {name}")));
    let types = catalog
        .types
        .iter()
        .map(|(id, name)| (id.number(), format!("type {name}")));
    let properties = catalog.properties.iter();
    let properties = properties.map(|(id, name)| (id.number(), format!("property {name}")));
    labels.chain(types).chain(properties).collect()
}

/// Sets properties in the plain graph, and says why that is refused.
fn put(plain: &mut Plain, entity: Entity, pairs: &[(&'static str, Value)]) -> BTreeSet<Refusal> {
    let mut refusals = BTreeSet::new();
    for (name, value) in pairs {
        if is_unstorable(value) {
            refusals.insert(Refusal::NotStorable);
        }
        let Some(properties) = plain.properties_mut(entity) else {
            continue;
        };
        if value.is_null() {
            properties.remove(name);
        } else {
            properties.insert(name, value.clone());
        }
    }
    if plain.properties(entity).is_none() {
        refusals.insert(match entity {
            Entity::Node(id) => Refusal::NodeNotFound(id.get()),
            Entity::Relationship(id) => Refusal::RelationshipNotFound(id.get()),
        });
    }
    refusals.append(&mut plain.refused_at_once(entity));
    refusals
}

/// Maps, and lists that hold anything but scalars of one kind.
fn is_unstorable(value: &Value) -> bool {
    match value {
        Value::Map(_) => true,
        Value::List(elements) => elements.iter().any(|element| {
            matches!(element, Value::Null | Value::List(_) | Value::Map(_))
                || element.kind() != elements[0].kind()
        }),
        _ => false,
    }
}
