//! What is declared about the graph: indexes of all kinds, constraints and hierarchies.

use super::names::{LabelId, PropertyId, TypeId};
use crate::index::text::TextSettings;
use crate::value::ValueKind;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use stratigraph_vector::{Coding, Metric};

/// How many properties an index or a constraint may be on.
pub const MAX_INDEXED_PROPERTIES: usize = 8;

/// The number of something declared; indexes, constraints and hierarchies share one sequence, and a
/// number is never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SchemaId(pub(crate) u32);

impl SchemaId {
    /// Its number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// Which entities a declaration is about. The order of the variants is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// Nodes with a label.
    Label(LabelId),
    /// Relationships of a type.
    Type(TypeId),
    /// All nodes.
    AnyNode,
    /// All relationships.
    AnyRelationship,
}

impl Scope {
    /// Whether it is about nodes.
    #[must_use]
    pub fn is_node(self) -> bool {
        matches!(self, Self::Label(_) | Self::AnyNode)
    }
}

/// Whether what is declared is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Readiness {
    /// Writers keep to it, but what was there before has not all been looked at.
    Building,
    /// In force for everything.
    Ready,
    /// A text index that was ready before a bulk load, and is brought up to it. Unlike what is being built, it is
    /// never taken back.
    Refilling,
}

impl fmt::Display for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Building => "building",
            Self::Ready => "ready",
            Self::Refilling => "refilling",
        })
    }
}

/// A property index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexDef {
    /// Its number, which its keys begin with.
    pub id: SchemaId,
    /// Its name.
    pub name: Arc<str>,
    /// What it is on.
    pub scope: Scope,
    /// The properties, in the order of its keys.
    pub properties: Vec<PropertyId>,
    /// Whether two entities may not have the same values: its keys end without the id then.
    pub unique: bool,
    /// Whether it holds everything.
    pub readiness: Readiness,
    /// The constraint or the vector index that it belongs to, and goes with.
    pub owner: Option<SchemaId>,
}

/// A vector index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorIndexDef {
    /// Its number, which its keys begin with.
    pub id: SchemaId,
    /// Its name.
    pub name: Arc<str>,
    /// What it is on.
    pub scope: Scope,
    /// The property that holds the vectors.
    pub property: PropertyId,
    /// How many dimensions they have.
    pub dimensions: u32,
    /// How they are compared.
    pub metric: Metric,
    /// What walks read of them.
    pub coding: Coding,
    /// How many links one begins with, known as M.
    pub links: u32,
    /// From how many near ones they are chosen, known as `ef_construction`.
    pub breadth: u32,
    /// What searches may be limited by, beside sets of ids: each has a property index that goes with this one.
    pub filters: Vec<PropertyId>,
}

/// A text index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextIndexDef {
    /// Its number, which its keys begin with.
    pub id: SchemaId,
    /// Its name.
    pub name: Arc<str>,
    /// What it is on.
    pub scope: Scope,
    /// The properties, and how their texts become terms and scores.
    pub settings: Arc<TextSettings>,
    /// Whether it holds everything.
    pub readiness: Readiness,
}

/// What a constraint demands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Demand {
    /// No two have the same values; one that lacks a property is no matter.
    Unique,
    /// The properties are there.
    Exists,
    /// The property, where it is there, is of this kind.
    Type(ValueKind),
    /// Both unique and there: a node key, or a relationship key.
    Key,
}

impl Demand {
    /// Whether an index has to prove it.
    #[must_use]
    pub fn is_unique(&self) -> bool {
        matches!(self, Self::Unique | Self::Key)
    }

    /// Whether the properties must be there.
    #[must_use]
    pub fn needs_presence(&self) -> bool {
        matches!(self, Self::Exists | Self::Key)
    }
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unique => f.write_str("unique"),
            Self::Exists => f.write_str("exists"),
            Self::Type(kind) => write!(f, "type {kind}"),
            Self::Key => f.write_str("key"),
        }
    }
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstraintDef {
    /// Its number.
    pub id: SchemaId,
    /// Its name, which violations carry.
    pub name: Arc<str>,
    /// What it is on.
    pub scope: Scope,
    /// On which properties.
    pub properties: Vec<PropertyId>,
    /// What it demands of them.
    pub demand: Demand,
    /// Whether everything keeps to it.
    pub readiness: Readiness,
}

/// A relationship type that leads from parent to child.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HierarchyDef {
    /// Its number, which its keys begin with.
    pub id: SchemaId,
    /// Its name.
    pub name: Arc<str>,
    /// The type; a type has one hierarchy at most.
    pub relationship_type: TypeId,
    /// Whether a child has one parent only.
    pub tree: bool,
}
