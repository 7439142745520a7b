//! A writer's part of the graph, in memory and by key.

use super::Key;
use super::content::Properties;
use super::names::{MARK, Tint, Type};
use super::operation::Operation;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The node that carries the mark of the last batch, from the first one on. It is never deleted.
pub(super) const ANCHOR: Key = Key(0);

/// A node without its key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Node {
    pub(super) tints: BTreeSet<Tint>,
    /// Whether it was added to the tags by name.
    pub(super) named: bool,
    pub(super) properties: Properties,
}

/// A relationship without its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relationship {
    pub(super) of: Type,
    pub(super) source: Key,
    pub(super) target: Key,
    pub(super) properties: Properties,
}

/// Nodes and relationships by key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Graph {
    pub(super) nodes: BTreeMap<Key, Node>,
    pub(super) relationships: BTreeMap<Key, Relationship>,
}

impl Graph {
    /// Carries an operation out. One that is refused changes nothing; what stands between a savepoint
    /// and the way back to it never comes here.
    pub(super) fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::CreateNode {
                key,
                tints,
                properties,
            } => {
                let node = Node {
                    tints: tints.clone(),
                    named: false,
                    properties: properties.clone(),
                };
                self.nodes.insert(*key, node);
            }
            Operation::CreateRelationship { key, relationship } => {
                self.relationships.insert(*key, relationship.clone());
            }
            Operation::SetOnNode { node, changes } => {
                let node = self.nodes.entry(*node).or_default();
                for (name, content) in changes {
                    match content {
                        Some(content) => drop(node.properties.insert(name, *content)),
                        None => drop(node.properties.remove(name)),
                    }
                }
            }
            Operation::SetOnRelationship {
                relationship,
                changes,
            } => {
                if let Some(relationship) = self.relationships.get_mut(relationship) {
                    for (name, content) in changes {
                        match content {
                            Some(content) => drop(relationship.properties.insert(name, *content)),
                            None => drop(relationship.properties.remove(name)),
                        }
                    }
                }
            }
            Operation::ReplaceOnNode { node, properties } => {
                self.nodes
                    .entry(*node)
                    .or_default()
                    .properties
                    .clone_from(properties);
            }
            Operation::Tint { node, tint, on } => {
                let tints = &mut self.nodes.entry(*node).or_default().tints;
                if *on {
                    tints.insert(*tint);
                } else {
                    tints.remove(tint);
                }
            }
            Operation::DeleteRelationship { relationship } => {
                self.relationships.remove(relationship);
            }
            Operation::DeleteNode { node } => {
                self.nodes.remove(node);
            }
            Operation::DetachDelete { node, .. } => {
                self.relationships
                    .retain(|_, of| of.source != *node && of.target != *node);
                self.nodes.remove(node);
            }
            Operation::Name { node, on } => self.nodes.entry(*node).or_default().named = *on,
            Operation::Refused(_) | Operation::Savepoint | Operation::RollBack => {}
        }
    }

    /// The mark of the last batch.
    pub(crate) fn progress(&self) -> Option<String> {
        let mark = self.nodes.get(&ANCHOR)?.properties.get(MARK)?;
        Some(super::content::show(&mark.value()))
    }

    /// How many relationships a node has; one with itself counts once.
    pub(super) fn relationships_of(&self, node: Key) -> u64 {
        let touching = |of: &&Relationship| of.source == node || of.target == node;
        self.relationships.values().filter(touching).count() as u64
    }

    /// The one relationship that leads to a node in a tree.
    pub(super) fn relationship_to_parent(&self, child: Key) -> Option<Key> {
        let mut relationships = self.relationships.iter();
        let found = relationships.find(|(_, of)| of.of == Type::Part && of.target == child);
        found.map(|(key, _)| *key)
    }

    /// Whether `descendant` is `ancestor` or can be reached from it by relationships of a type.
    pub(super) fn reaches(&self, of: Type, ancestor: Key, descendant: Key) -> bool {
        let mut seen = BTreeSet::from([ancestor]);
        let mut waiting = vec![ancestor];
        while let Some(node) = waiting.pop() {
            if node == descendant {
                return true;
            }
            waiting.extend(self.children(of, node).filter(|child| seen.insert(*child)));
        }
        false
    }

    fn children(&self, of: Type, parent: Key) -> impl Iterator<Item = Key> {
        let relationships = self.relationships.values();
        relationships
            .filter(move |known| known.of == of && known.source == parent)
            .map(|known| known.target)
    }

    /// The members of a hierarchy, each with its shortest distance from one without a parent.
    pub(super) fn levels(&self, of: Type) -> BTreeMap<Key, u32> {
        let relationships = || self.relationships.values().filter(|known| known.of == of);
        let targets: BTreeSet<Key> = relationships().map(|known| known.target).collect();
        let sources = relationships().map(|known| known.source);
        let named = self
            .nodes
            .iter()
            .filter(|(_, node)| node.named && of == Type::Tag);
        let roots = sources.chain(named.map(|(key, _)| *key));
        let roots: BTreeSet<Key> = roots.filter(|key| !targets.contains(key)).collect();
        let mut levels: BTreeMap<Key, u32> = roots.iter().map(|key| (*key, 0)).collect();
        let mut waiting: VecDeque<(Key, u32)> = roots.into_iter().map(|key| (key, 0)).collect();
        while let Some((node, level)) = waiting.pop_front() {
            for child in self.children(of, node) {
                if let Entry::Vacant(unseen) = levels.entry(child) {
                    unseen.insert(level + 1);
                    waiting.push_back((child, level + 1));
                }
            }
        }
        levels
    }
}
