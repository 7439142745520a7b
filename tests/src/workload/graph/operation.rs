//! What a batch is made of.

use super::Key;
use super::content::{Content, Properties};
use super::model::Relationship;
use super::names::{Tint, Type};
use std::collections::BTreeSet;

/// Changes of properties: no content removes one.
pub(super) type PropertyChanges = Vec<(&'static str, Option<Content>)>;

/// One operation on a writer's part of the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operation {
    /// A new node.
    CreateNode {
        /// Its key.
        key: Key,
        /// Its labels besides the writer's.
        tints: BTreeSet<Tint>,
        /// Its properties without the key.
        properties: Properties,
    },
    /// A new relationship.
    CreateRelationship {
        /// Its key.
        key: Key,
        /// Everything else.
        relationship: Relationship,
    },
    /// Sets and removes some properties of a node.
    SetOnNode {
        /// Its key.
        node: Key,
        /// What changes.
        changes: PropertyChanges,
    },
    /// Sets and removes some properties of a relationship.
    SetOnRelationship {
        /// Its key.
        relationship: Key,
        /// What changes.
        changes: PropertyChanges,
    },
    /// Sets properties of a node and removes all others but the key.
    ReplaceOnNode {
        /// Its key.
        node: Key,
        /// What it has afterwards.
        properties: Properties,
    },
    /// Adds or removes a label.
    Tint {
        /// The node.
        node: Key,
        /// The label.
        tint: Tint,
        /// Whether it is added.
        on: bool,
    },
    /// Deletes a relationship.
    DeleteRelationship {
        /// Its key.
        relationship: Key,
    },
    /// Deletes a node that has no relationships.
    DeleteNode {
        /// Its key.
        node: Key,
    },
    /// Deletes a node with its relationships.
    DetachDelete {
        /// Its key.
        node: Key,
        /// How many relationships it has.
        relationships: u64,
    },
    /// Adds a node to the tags by name, or takes that back.
    Name {
        /// The node.
        node: Key,
        /// Whether it is added.
        on: bool,
    },
    /// Something that the engine must refuse, after which the transaction goes on.
    Refused(Refusal),
    /// The place to which `RollBack` goes.
    Savepoint,
    /// Takes back everything since the savepoint.
    RollBack,
}

/// What must be refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// A new node with a key that another has.
    TakenKey(Key),
    /// A rank that is no integer, of a node that is there.
    WrongKind(Key),
    /// The same of a new node.
    NewWrongKind(Key),
    /// A vector with as many dimensions as no vector of the index has, of a node that is there.
    WrongDimensions(Key),
    /// The same of a new node.
    NewWrongDimensions(Key),
    /// A relationship that would close a cycle.
    Cycle {
        /// The hierarchy's type.
        of: Type,
        /// Would be the parent.
        parent: Key,
        /// Would be the child, and is an ancestor.
        child: Key,
    },
    /// A second parent in a tree.
    SecondParent {
        /// Would be a parent.
        parent: Key,
        /// Has another one.
        child: Key,
    },
    /// Deleting a node that has relationships.
    Connected(Key),
}
