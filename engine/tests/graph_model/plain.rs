//! The plain graph: what the documentation promises, in ordered maps and without any cleverness.
//!
//! It knows nothing of bytes, pending differences or index entries. Whether a change is allowed is
//! found by making it and looking at everything.

use crate::refusal::Refusal;
use crate::values::key_bytes;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use stratigraph::value::{Grouped, ValueKind};
use stratigraph::{Entity, NodeId, RelationshipId, Value};

pub(crate) const LABELS: [&str; 5] = ["A", "B", "C", "D", "E"];
pub(crate) const TYPES: [&str; 4] = ["T", "U", "TREE", "DAG"];
pub(crate) const PROPERTIES: [&str; 5] = ["p", "q", "r", "s", "t"];
/// The longest values, together, that an index takes.
const MAX_INDEXED_BYTES: usize = 8 << 10;

pub(crate) type Properties = BTreeMap<&'static str, Value>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Plain {
    pub(crate) nodes: BTreeMap<u64, Node>,
    pub(crate) relationships: BTreeMap<u64, Relationship>,
    pub(crate) indexes: BTreeMap<String, Index>,
    pub(crate) constraints: BTreeMap<String, Constraint>,
    pub(crate) hierarchies: BTreeMap<String, Hierarchy>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) labels: BTreeSet<&'static str>,
    pub(crate) properties: Properties,
}

#[derive(Clone, Debug)]
pub(crate) struct Relationship {
    pub(crate) of: &'static str,
    pub(crate) source: u64,
    pub(crate) target: u64,
    pub(crate) properties: Properties,
}

/// What a declaration is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    Nodes(&'static str),
    Relationships(&'static str),
}

#[derive(Clone, Debug)]
pub(crate) struct Index {
    pub(crate) on: On,
    pub(crate) properties: Vec<&'static str>,
    /// Whether a constraint of the same name needs it, and no two may have the same values.
    pub(crate) proof: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    Unique,
    Exists,
    Kind(ValueKind),
    Key,
}

#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub(crate) on: On,
    pub(crate) properties: Vec<&'static str>,
    pub(crate) demand: Demand,
}

#[derive(Clone, Debug)]
pub(crate) struct Hierarchy {
    pub(crate) of: &'static str,
    pub(crate) tree: bool,
    pub(crate) named: BTreeSet<u64>,
}

impl Plain {
    pub(crate) fn properties(&self, entity: Entity) -> Option<&Properties> {
        match entity {
            Entity::Node(id) => self.nodes.get(&id.get()).map(|node| &node.properties),
            Entity::Relationship(id) => {
                let relationship = self.relationships.get(&id.get());
                relationship.map(|relationship| &relationship.properties)
            }
        }
    }

    pub(crate) fn properties_mut(&mut self, entity: Entity) -> Option<&mut Properties> {
        match entity {
            Entity::Node(id) => {
                let node = self.nodes.get_mut(&id.get());
                node.map(|node| &mut node.properties)
            }
            Entity::Relationship(id) => {
                let relationship = self.relationships.get_mut(&id.get());
                relationship.map(|relationship| &mut relationship.properties)
            }
        }
    }

    /// Everything that a declaration is on.
    pub(crate) fn scope(&self, on: On) -> Vec<Entity> {
        match on {
            On::Nodes(label) => self.with_label(label).map(Entity::from).collect(),
            On::Relationships(of) => self.of_type(of).map(Entity::from).collect(),
        }
    }

    pub(crate) fn with_label(&self, label: &str) -> impl Iterator<Item = NodeId> {
        let nodes = self.nodes.iter();
        nodes
            .filter(move |(_, node)| node.labels.contains(label))
            .map(|(id, _)| NodeId::new(*id))
    }

    pub(crate) fn of_type(&self, of: &str) -> impl Iterator<Item = RelationshipId> {
        let relationships = self.relationships.iter();
        relationships
            .filter(move |(_, relationship)| relationship.of == of)
            .map(|(id, _)| RelationshipId::new(*id))
    }

    /// How many relationships a node has; one with itself counts twice.
    pub(crate) fn degree(&self, node: u64) -> u64 {
        let ends = self.relationships.values();
        ends.map(|of| u64::from(of.source == node) + u64::from(of.target == node))
            .sum()
    }

    /// The values of an entity under an index; `None` if it lacks one.
    pub(crate) fn tuple(&self, entity: Entity, properties: &[&str]) -> Option<Vec<Value>> {
        let has = self.properties(entity)?;
        properties
            .iter()
            .map(|name| has.get(name).cloned())
            .collect()
    }

    /// What an index holds, in its order.
    pub(crate) fn entries(&self, index: &Index) -> Vec<(Vec<Value>, Entity)> {
        let scope = self.scope(index.on).into_iter();
        let mut entries: Vec<_> = scope
            .filter_map(|entity| Some((self.tuple(entity, &index.properties)?, entity)))
            .collect();
        entries.sort_by_cached_key(|(values, entity)| (grouped(values), *entity));
        entries
    }

    /// Why an entity may not be as it is: what is looked at with every change.
    pub(crate) fn refused_at_once(&self, entity: Entity) -> BTreeSet<Refusal> {
        let mut refusals = BTreeSet::new();
        let is_in = |on: On| match (on, entity) {
            (On::Nodes(label), Entity::Node(id)) => {
                let node = self.nodes.get(&id.get());
                node.is_some_and(|node| node.labels.contains(label))
            }
            (On::Relationships(of), Entity::Relationship(id)) => {
                let relationship = self.relationships.get(&id.get());
                relationship.is_some_and(|relationship| relationship.of == of)
            }
            _ => false,
        };
        for (name, constraint) in self.constraints.iter().filter(|(_, of)| is_in(of.on)) {
            let tuple = self.tuple(entity, &constraint.properties);
            let broken = match constraint.demand {
                Demand::Exists => false,
                Demand::Kind(kind) => tuple.is_some_and(|values| values[0].kind() != kind),
                Demand::Unique | Demand::Key => tuple.is_some_and(|values| {
                    let mine = grouped(&values);
                    self.scope(constraint.on).into_iter().any(|other| {
                        let other_values = self.tuple(other, &constraint.properties);
                        other != entity && other_values.is_some_and(|of| grouped(&of) == mine)
                    })
                }),
            };
            if broken {
                refusals.insert(Refusal::Constraint(name.clone()));
            }
        }
        for (name, index) in self.indexes.iter().filter(|(_, of)| is_in(of.on)) {
            let tuple = self.tuple(entity, &index.properties).unwrap_or_default();
            if tuple.iter().map(key_bytes).sum::<usize>() > MAX_INDEXED_BYTES {
                refusals.insert(Refusal::TooLongForIndex(name.clone()));
            }
        }
        refusals
    }

    /// Why the graph may not be committed as it is.
    pub(crate) fn refused_at_commit(&self) -> BTreeSet<Refusal> {
        let mut refusals = BTreeSet::new();
        for (name, constraint) in &self.constraints {
            if !matches!(constraint.demand, Demand::Exists | Demand::Key) {
                continue;
            }
            let mut scope = self.scope(constraint.on).into_iter();
            if scope.any(|entity| self.tuple(entity, &constraint.properties).is_none()) {
                refusals.insert(Refusal::Constraint(name.clone()));
            }
        }
        refusals
    }

    /// Why what was just declared under this name cannot be, by what was there before.
    pub(crate) fn refused_declaration(&self, name: &str) -> BTreeSet<Refusal> {
        let mut refusals = self.refused_at_commit();
        let everything = self.nodes.keys().map(|id| NodeId::new(*id).into());
        let relationships = self.relationships.keys();
        let relationships = relationships.map(|id| RelationshipId::new(*id).into());
        for entity in everything.chain(relationships) {
            refusals.append(&mut self.refused_at_once(entity));
        }
        refusals.retain(|refusal| match refusal {
            Refusal::Constraint(of) | Refusal::TooLongForIndex(of) => of == name,
            _ => false,
        });
        refusals
    }

    /// Why a relationship more may not be.
    pub(crate) fn refused_by_hierarchy(
        &self,
        source: u64,
        of: &str,
        target: u64,
    ) -> BTreeSet<Refusal> {
        let mut refusals = BTreeSet::new();
        for (name, hierarchy) in self.hierarchies.iter().filter(|(_, each)| each.of == of) {
            let parents = self.parents(of, target);
            if hierarchy.tree && parents.iter().any(|parent| *parent != source) {
                refusals.insert(Refusal::SecondParent(name.clone()));
            }
            if self.below(of, target).contains(&source) {
                refusals.insert(Refusal::Cycle(name.clone()));
            }
        }
        refusals
    }

    /// Why the relationships of a type are no hierarchy.
    pub(crate) fn refused_as_hierarchy(
        &self,
        name: &str,
        of: &str,
        tree: bool,
    ) -> BTreeSet<Refusal> {
        let mut refusals = BTreeSet::new();
        for relationship in self.relationships.values().filter(|each| each.of == of) {
            if self
                .below(of, relationship.target)
                .contains(&relationship.source)
            {
                refusals.insert(Refusal::Cycle(name.into()));
            }
            if tree && self.parents(of, relationship.target).len() > 1 {
                refusals.insert(Refusal::SecondParent(name.into()));
            }
        }
        refusals
    }

    fn parents(&self, of: &str, child: u64) -> BTreeSet<u64> {
        let relationships = self.relationships.values();
        relationships
            .filter(|each| each.of == of && each.target == child)
            .map(|each| each.source)
            .collect()
    }

    /// Everything that a node leads to, itself included.
    fn below(&self, of: &str, node: u64) -> BTreeSet<u64> {
        let mut found = BTreeSet::from([node]);
        let mut queue = vec![node];
        while let Some(parent) = queue.pop() {
            for each in self.relationships.values() {
                if each.of == of && each.source == parent && found.insert(each.target) {
                    queue.push(each.target);
                }
            }
        }
        found
    }

    /// The level of every member of a hierarchy.
    pub(crate) fn levels(&self, hierarchy: &Hierarchy) -> BTreeMap<u64, u32> {
        let mut children: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let mut members = hierarchy.named.clone();
        let mut have_parents = BTreeSet::new();
        for each in self
            .relationships
            .values()
            .filter(|each| each.of == hierarchy.of)
        {
            children.entry(each.source).or_default().push(each.target);
            members.extend([each.source, each.target]);
            have_parents.insert(each.target);
        }
        let mut levels = BTreeMap::new();
        let mut queue: VecDeque<(u64, u32)> = VecDeque::new();
        queue.extend(members.difference(&have_parents).map(|root| (*root, 0)));
        while let Some((node, level)) = queue.pop_front() {
            if levels.contains_key(&node) {
                continue;
            }
            levels.insert(node, level);
            let below = children.get(&node).into_iter().flatten();
            queue.extend(below.map(|child| (*child, level + 1)));
        }
        levels
    }

    pub(crate) fn remove_node(&mut self, node: u64) {
        self.nodes.remove(&node);
        self.relationships
            .retain(|_, each| each.source != node && each.target != node);
        for hierarchy in self.hierarchies.values_mut() {
            hierarchy.named.remove(&node);
        }
    }

    /// Whether something declared has that name.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.indexes.contains_key(name)
            || self.constraints.contains_key(name)
            || self.hierarchies.contains_key(name)
    }
}

pub(crate) fn grouped(values: &[Value]) -> Vec<Grouped> {
    values.iter().cloned().map(Grouped).collect()
}
