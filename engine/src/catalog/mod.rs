//! The catalogue: names and their numbers, what is declared, the next free ids, and counts.
//!
//! A [`Catalog`] is in memory, whole and immutable: every commit has one, readers hold the one of
//! their snapshot, and a writer changes a copy. [`records`] are its bytes in the `meta` family.
//! It must never read or change the graph itself; that is the [`graph`](crate::graph)'s part.

mod counters;
mod names;
mod records;
mod schema;
pub(crate) mod sketch;

pub use counters::Counter;
pub use names::{
    LabelId, MAX_NAME_BYTES, MAX_NAMES, NameId, Names, PropertyId, TypeId, check_name,
};
pub(crate) use records::{Change, verify};
pub use schema::{
    ConstraintDef, Demand, HierarchyDef, IndexDef, MAX_INDEXED_PROPERTIES, Readiness, SchemaId,
    Scope, TextIndexDef, VectorIndexDef,
};

use crate::error::{Error, Result};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Ids of nodes and relationships are below this: they stay whole numbers of 63 bits for every reader
/// of a dump, and the next one can always be named.
pub const MAX_ID: u64 = 1 << 63;
/// The numbers of declarations are below this, well before they would overflow.
pub const MAX_SCHEMA_ID: u32 = 1 << 31;

/// What is known about a commit beside its bytes.
#[derive(Clone, Debug, Default)]
pub struct GraphState {
    /// Names and declarations.
    pub catalog: Arc<Catalog>,
    /// What the next node, relationship and declaration are called.
    pub next: NextIds,
}

/// The next free ids. They only rise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NextIds {
    /// Of nodes.
    pub node: u64,
    /// Of relationships.
    pub relationship: u64,
    /// Of indexes, constraints and hierarchies.
    pub schema: u32,
}

/// An id, if there can be one of that number.
///
/// # Errors
/// [`Error::TooMany`] from [`MAX_ID`] on.
pub(crate) fn check_id(what: &'static str, id: u64) -> Result<u64> {
    check_below(what, id, MAX_ID)
}

/// The number of a declaration, if there can be such a one.
///
/// # Errors
/// [`Error::TooMany`] from [`MAX_SCHEMA_ID`] on.
pub(crate) fn check_schema_id(id: u32) -> Result<u32> {
    check_below(
        "declarations, dropped ones included",
        id.into(),
        MAX_SCHEMA_ID.into(),
    )?;
    Ok(id)
}

fn check_below(what: &'static str, number: u64, limit: u64) -> Result<u64> {
    if number < limit {
        return Ok(number);
    }
    Err(Error::TooMany {
        what,
        count: number.saturating_add(1),
        limit,
    })
}

/// Names and declarations.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// Labels.
    pub labels: Names<LabelId>,
    /// Relationship types.
    pub types: Names<TypeId>,
    /// Property keys.
    pub properties: Names<PropertyId>,
    indexes: BTreeMap<SchemaId, Arc<IndexDef>>,
    constraints: BTreeMap<SchemaId, Arc<ConstraintDef>>,
    hierarchies: BTreeMap<SchemaId, Arc<HierarchyDef>>,
    vector_indexes: BTreeMap<SchemaId, Arc<VectorIndexDef>>,
    text_indexes: BTreeMap<SchemaId, Arc<TextIndexDef>>,
    /// Indexes and hierarchies that were dropped and whose entries are still being removed.
    dropped: Vec<SchemaId>,
    /// What a writer has to look at for each label and type; made from the above.
    rules: HashMap<Scope, Arc<Rules>>,
    by_type: HashMap<TypeId, Arc<HierarchyDef>>,
}

/// Everything that is declared about one label or type.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Its indexes, in the order of their ids.
    pub indexes: Vec<Arc<IndexDef>>,
    /// Its constraints, in the order of their ids.
    pub constraints: Vec<Arc<ConstraintDef>>,
    /// Its vector indexes, in the order of their ids.
    pub vector_indexes: Vec<Arc<VectorIndexDef>>,
    /// Its text indexes, in the order of their ids.
    pub text_indexes: Vec<Arc<TextIndexDef>>,
}

impl Catalog {
    /// What is declared about a label or type; `None` if nothing is.
    #[must_use]
    pub fn rules(&self, scope: Scope) -> Option<&Arc<Rules>> {
        // Most databases declare something; most labels have nothing declared.
        if self.rules.is_empty() {
            return None;
        }
        self.rules.get(&scope)
    }

    /// The hierarchy that relationships of a type form.
    #[must_use]
    pub fn hierarchy_of(&self, of: TypeId) -> Option<&Arc<HierarchyDef>> {
        self.by_type.get(&of)
    }

    /// All indexes.
    pub fn indexes(&self) -> impl Iterator<Item = &Arc<IndexDef>> {
        self.indexes.values()
    }

    /// All constraints.
    pub fn constraints(&self) -> impl Iterator<Item = &Arc<ConstraintDef>> {
        self.constraints.values()
    }

    /// All hierarchies.
    pub fn hierarchies(&self) -> impl Iterator<Item = &Arc<HierarchyDef>> {
        self.hierarchies.values()
    }

    /// All vector indexes.
    pub fn vector_indexes(&self) -> impl Iterator<Item = &Arc<VectorIndexDef>> {
        self.vector_indexes.values()
    }

    /// The vector index with this number.
    #[must_use]
    pub fn vector_index(&self, id: SchemaId) -> Option<&Arc<VectorIndexDef>> {
        self.vector_indexes.get(&id)
    }

    /// The vector index of that name.
    #[must_use]
    pub fn vector_index_named(&self, name: &str) -> Option<&Arc<VectorIndexDef>> {
        self.vector_indexes().find(|index| *index.name == *name)
    }

    /// All text indexes.
    pub fn text_indexes(&self) -> impl Iterator<Item = &Arc<TextIndexDef>> {
        self.text_indexes.values()
    }

    /// The text index with this number.
    #[must_use]
    pub fn text_index(&self, id: SchemaId) -> Option<&Arc<TextIndexDef>> {
        self.text_indexes.get(&id)
    }

    /// The text index of that name.
    #[must_use]
    pub fn text_index_named(&self, name: &str) -> Option<&Arc<TextIndexDef>> {
        self.text_indexes().find(|index| *index.name == *name)
    }

    /// The index with this number.
    #[must_use]
    pub fn index(&self, id: SchemaId) -> Option<&Arc<IndexDef>> {
        self.indexes.get(&id)
    }

    /// The constraint with this number.
    #[must_use]
    pub fn constraint(&self, id: SchemaId) -> Option<&Arc<ConstraintDef>> {
        self.constraints.get(&id)
    }

    /// The index of that name.
    #[must_use]
    pub fn index_named(&self, name: &str) -> Option<&Arc<IndexDef>> {
        self.indexes().find(|index| *index.name == *name)
    }

    /// The constraint of that name.
    #[must_use]
    pub fn constraint_named(&self, name: &str) -> Option<&Arc<ConstraintDef>> {
        self.constraints()
            .find(|constraint| *constraint.name == *name)
    }

    /// The property indexes that belong to a constraint or a vector index.
    pub fn owned_by(&self, owner: SchemaId) -> impl Iterator<Item = &Arc<IndexDef>> {
        self.indexes()
            .filter(move |index| index.owner == Some(owner))
    }

    /// The property indexes on just this property, in the order of their ids.
    pub fn indexes_on(
        &self,
        scope: Scope,
        property: PropertyId,
    ) -> impl Iterator<Item = &Arc<IndexDef>> {
        self.indexes()
            .filter(move |index| index.scope == scope && index.properties == [property])
    }

    /// Whether an index is there until somebody drops it. One that is being built, or whose constraint is, may still be
    /// taken back, and only what it is for may count on it.
    #[must_use]
    pub fn is_settled(&self, index: &IndexDef) -> bool {
        let constraint = index.owner.and_then(|owner| self.constraint(owner));
        index.readiness == Readiness::Ready
            && constraint.is_none_or(|of| of.readiness == Readiness::Ready)
    }

    /// The vector indexes but its owner that could not be filtered any more without this property index.
    pub fn filtered_by(&self, index: &IndexDef) -> impl Iterator<Item = &Arc<VectorIndexDef>> {
        let (id, scope, owner) = (index.id, index.scope, index.owner);
        let property = match index.properties.as_slice() {
            [property] if self.is_settled(index) => Some(*property),
            _ => None,
        };
        self.vector_indexes().filter(move |vectors| {
            let filter = property.filter(|property| vectors.filters.contains(property));
            let is_another = |other: &Arc<IndexDef>| {
                other.id != id && (self.is_settled(other) || other.owner == Some(vectors.id))
            };
            Some(vectors.id) != owner
                && vectors.scope == scope
                && filter.is_some_and(|filter| !self.indexes_on(scope, filter).any(is_another))
        })
    }

    /// The index that proves a constraint, if it is one that an index proves.
    #[must_use]
    pub fn proof_of(&self, constraint: SchemaId) -> Option<&Arc<IndexDef>> {
        self.owned_by(constraint).next()
    }

    /// The hierarchy of that name.
    #[must_use]
    pub fn hierarchy_named(&self, name: &str) -> Option<&Arc<HierarchyDef>> {
        self.hierarchies()
            .find(|hierarchy| *hierarchy.name == *name)
    }

    /// Whether something declared has that name; indexes, constraints and hierarchies share them.
    #[must_use]
    pub fn is_taken(&self, name: &str) -> bool {
        self.index_named(name).is_some()
            || self.constraint_named(name).is_some()
            || self.hierarchy_named(name).is_some()
            || self.vector_index_named(name).is_some()
            || self.text_index_named(name).is_some()
    }

    /// Whether what has that name is still being built.
    #[must_use]
    pub fn is_building(&self, name: &str) -> bool {
        let index = self.index_named(name).map(|index| index.readiness);
        let constraint = self.constraint_named(name).map(|of| of.readiness);
        let text = self.text_index_named(name).map(|index| index.readiness);
        let mut declared = [index, constraint, text].into_iter().flatten();
        declared.any(|of| of != Readiness::Ready)
    }

    /// Dropped indexes and hierarchies whose entries are still being removed.
    #[must_use]
    pub fn dropped(&self) -> &[SchemaId] {
        &self.dropped
    }

    /// The label or type of a scope by its name.
    #[must_use]
    pub fn scope_name(&self, scope: Scope) -> String {
        match scope {
            Scope::Label(label) => self.labels.show(label),
            Scope::Type(of) => self.types.show(of),
            Scope::AnyNode => "any node".to_owned(),
            Scope::AnyRelationship => "any relationship".to_owned(),
        }
    }

    /// Makes the look-ups anew from what is declared.
    fn derive(&mut self) {
        let mut rules: HashMap<Scope, Rules> = HashMap::new();
        for index in self.indexes.values() {
            let of = rules.entry(index.scope).or_default();
            of.indexes.push(Arc::clone(index));
        }
        for constraint in self.constraints.values() {
            let of = rules.entry(constraint.scope).or_default();
            of.constraints.push(Arc::clone(constraint));
        }
        for index in self.vector_indexes.values() {
            let of = rules.entry(index.scope).or_default();
            of.vector_indexes.push(Arc::clone(index));
        }
        for index in self.text_indexes.values() {
            let of = rules.entry(index.scope).or_default();
            of.text_indexes.push(Arc::clone(index));
        }
        self.rules = rules
            .into_iter()
            .map(|(scope, rules)| (scope, Arc::new(rules)))
            .collect();
        self.by_type = self
            .hierarchies
            .values()
            .map(|hierarchy| (hierarchy.relationship_type, Arc::clone(hierarchy)))
            .collect();
    }
}
