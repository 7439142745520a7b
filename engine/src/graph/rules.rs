//! What is declared about a node or relationship, held against a change of it: which constraints
//! refuse it, and which index entries come and go.
//!
//! Uniqueness, types and the length of indexed values are looked at with every change; presence at
//! commit, so that a node may be built up in several steps.

use super::keys::Entity;
use super::properties::{Properties, Slot};
use super::record::{NodeRecord, RelationshipRecord};
use super::view::View;
use crate::catalog::{
    Catalog, ConstraintDef, Demand, IndexDef, LabelId, PropertyId, Readiness, SchemaId, Scope,
    TypeId, VectorIndexDef,
};
use crate::error::{Error, Result, Violation};
use crate::index::property::{Entry, EntryKey, index_prefix, push};
use crate::keys::KeyRead;
use crate::storage::plant::{self, Bug};
use crate::value::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a declaration looks at.
pub(crate) struct Facts<'a> {
    /// What it is one of, if it is there.
    any: Option<Scope>,
    labels: &'a [LabelId],
    relationship_type: Option<TypeId>,
    properties: Option<&'a Properties>,
}

/// What a change brings with it.
pub(crate) struct Outcome {
    /// What is changed.
    pub(crate) entity: Entity,
    /// Index entries to write and to remove.
    pub(crate) entries: Vec<Entry>,
    /// Vector indexes that have to look at it at commit.
    pub(crate) vectors: Vec<SchemaId>,
    /// Text indexes that have to look at it, at commit or before.
    pub(crate) texts: Vec<SchemaId>,
    /// The entity, if it lacks a property that it must have at commit.
    pub(crate) unmet: Option<Entity>,
}

impl<'a> Facts<'a> {
    /// Of something that is not there.
    pub(crate) fn nothing() -> Self {
        Self {
            any: None,
            labels: &[],
            relationship_type: None,
            properties: None,
        }
    }

    pub(crate) fn of_node(record: &'a NodeRecord) -> Self {
        Self {
            any: Some(Scope::AnyNode),
            labels: &record.labels,
            relationship_type: None,
            properties: Some(&record.properties),
        }
    }

    pub(crate) fn of_relationship(record: &'a RelationshipRecord) -> Self {
        Self {
            any: Some(Scope::AnyRelationship),
            labels: &[],
            relationship_type: Some(record.relationship_type),
            properties: Some(&record.properties),
        }
    }

    /// Whether a declaration on that is about it.
    pub(crate) fn is_in(&self, scope: Scope) -> bool {
        match scope {
            Scope::Label(label) => self.labels.contains(&label),
            Scope::Type(of) => self.relationship_type == Some(of),
            Scope::AnyNode | Scope::AnyRelationship => self.any == Some(scope),
        }
    }

    /// Everything that a declaration about it may be on.
    pub(crate) fn scopes(&self) -> impl Iterator<Item = Scope> {
        let labels = self.labels.iter().copied().map(Scope::Label);
        let of = self.relationship_type.map(Scope::Type);
        self.any.into_iter().chain(labels).chain(of)
    }

    fn slot(&self, property: PropertyId) -> Option<&'a Slot> {
        self.properties?.get(property)
    }

    pub(crate) fn value<K: KeyRead>(
        &self,
        view: &View<'_, K>,
        entity: Entity,
        property: PropertyId,
    ) -> Result<Option<Value>> {
        let slot = self.slot(property);
        slot.map(|slot| slot.clone().into_value(view.keys, entity, property))
            .transpose()
    }
}

/// Holds a change against the rules. Reads, and changes nothing.
pub(crate) fn compare<K: KeyRead>(
    view: &View<'_, K>,
    entity: Entity,
    before: &Facts<'_>,
    after: &Facts<'_>,
) -> Result<Outcome> {
    let mut outcome = Outcome {
        entity,
        entries: Vec::new(),
        vectors: Vec::new(),
        texts: Vec::new(),
        unmet: None,
    };
    let catalog = view.catalog();
    let left = before.scopes().filter(|scope| !after.is_in(*scope));
    for scope in after.scopes().chain(left) {
        let Some(rules) = catalog.rules(scope) else {
            continue;
        };
        let (was, is) = (before.is_in(scope), after.is_in(scope));
        for constraint in rules.constraints.iter().filter(|_| is) {
            if let Demand::Type(_) = constraint.demand {
                check_type(view, entity, constraint, after)?;
            }
            if constraint.demand.needs_presence() && missing(constraint, after).is_some() {
                outcome.unmet = Some(entity);
            }
        }
        for index in &rules.text_indexes {
            let mut fields = index.settings.fields().iter();
            let changes = fields.any(|field| {
                let old = before.slot(field.property).filter(|_| was);
                let new = after.slot(field.property).filter(|_| is);
                match (old, new) {
                    (None, None) => false,
                    (Some(old), Some(new)) => !old.is_kept_as(new),
                    _ => true,
                }
            });
            outcome.texts.extend(changes.then_some(index.id));
        }
        for index in &rules.vector_indexes {
            let old = before.slot(index.property).filter(|_| was);
            let new = after.slot(index.property).filter(|_| is);
            let (now, was_any) = (
                check_vector(view, entity, index, (old, new), was)?,
                holds_vector(old),
            );
            if was_any || now {
                // What lies apart and is not written anew is as it was.
                let stays = matches!((old, new), (Some(Slot::Vector(_)), Some(Slot::Vector(_))));
                let is_told = !stays && (now || !plant::is(Bug::StaleVector));
                outcome.vectors.extend(is_told.then_some(index.id));
            }
        }
        for index in &rules.indexes {
            let old = if was {
                old_key(view, entity, index, before)?
            } else {
                None
            };
            let new = if is {
                key(view, entity, index, after)?
            } else {
                None
            };
            if old == new {
                continue;
            }
            let old = match old {
                // Until an index is built there may be no such entry, or in this place of a unique one
                // somebody else's: what is not there must not be removed, nor counted as removed.
                Some(old) if index.readiness != Readiness::Ready => {
                    old.is_entered(view.keys)?.then_some(old)
                }
                old => old,
            };
            if let Some(new) = &new
                && index.unique
            {
                check_unique(view, entity, index, new, after)?;
            }
            if !(new.is_some() && plant::is(Bug::StaleIndex)) {
                outcome.entries.extend(old.map(EntryKey::removed));
            }
            outcome.entries.extend(new.map(EntryKey::written));
        }
    }
    Ok(outcome)
}

/// Whether everything that lacked a property when it was changed has it by now.
pub(crate) fn check_presence<K: KeyRead>(
    view: &View<'_, K>,
    unmet: &BTreeSet<Entity>,
) -> Result<()> {
    for entity in unmet {
        check_presence_of(view, *entity, |_| true)?;
    }
    Ok(())
}

/// Whether an entity has every property that it must have, by the constraints that `concerns`.
pub(crate) fn check_presence_of<K: KeyRead>(
    view: &View<'_, K>,
    entity: Entity,
    concerns: impl Fn(SchemaId) -> bool,
) -> Result<()> {
    with_facts(view, entity, |facts| {
        check_facts(view.catalog(), entity, facts, concerns)
    })
}

/// Whether facts have every property that an entity must have, by the constraints that `concerns`.
pub(crate) fn check_facts(
    catalog: &Catalog,
    entity: Entity,
    facts: &Facts<'_>,
    concerns: impl Fn(SchemaId) -> bool,
) -> Result<()> {
    for rules in facts.scopes().filter_map(|scope| catalog.rules(scope)) {
        let constraints = rules.constraints.iter();
        for constraint in constraints.filter(|of| of.demand.needs_presence() && concerns(of.id)) {
            if let Some(property) = missing(constraint, facts) {
                let what = Violation::missing(catalog, constraint, entity, property);
                return Err(Error::ConstraintViolation(Box::new(what)));
            }
        }
    }
    Ok(())
}

/// Calls `look` with the facts of an entity, unless it is gone.
pub(crate) fn with_facts<K: KeyRead>(
    view: &View<'_, K>,
    entity: Entity,
    look: impl FnOnce(&Facts<'_>) -> Result<()>,
) -> Result<()> {
    match entity {
        Entity::Node(node) => match view.node_record(node)? {
            Some(record) => look(&Facts::of_node(&record)),
            None => Ok(()),
        },
        Entity::Relationship(relationship) => match view.relationship_record(relationship)? {
            Some(record) => look(&Facts::of_relationship(&record)),
            None => Ok(()),
        },
    }
}

fn missing(constraint: &ConstraintDef, facts: &Facts<'_>) -> Option<PropertyId> {
    let mut properties = constraint.properties.iter().copied();
    properties.find(|property| facts.slot(*property).is_none())
}

/// Whether the properties are of the kind that a constraint wants.
pub(crate) fn check_type<K: KeyRead>(
    view: &View<'_, K>,
    entity: Entity,
    constraint: &ConstraintDef,
    facts: &Facts<'_>,
) -> Result<()> {
    let Demand::Type(wanted) = constraint.demand else {
        return Ok(());
    };
    for property in &constraint.properties {
        let Some(value) = facts.value(view, entity, *property)? else {
            continue;
        };
        if value.kind() != wanted {
            let what = Violation::of_type(view.catalog(), constraint, entity, *property, &value);
            return Err(Error::ConstraintViolation(Box::new(what)));
        }
    }
    Ok(())
}

/// Whether a property may hold a vector.
fn holds_vector(slot: Option<&Slot>) -> bool {
    matches!(slot, Some(Slot::Vector(_) | Slot::Value(Value::Vector(_))))
}

/// Whether there is a vector for an index, which it must be able to hold. What `was` in the index was looked at
/// before, unless it is written anew; and what was no vector before there was an index may stay, as long as it
/// is not written.
fn check_vector<K: KeyRead>(
    view: &View<'_, K>,
    entity: Entity,
    index: &VectorIndexDef,
    (old, new): (Option<&Slot>, Option<&Slot>),
    was: bool,
) -> Result<bool> {
    let other = |kind| Error::NotAVector {
        index: Arc::clone(&index.name),
        entity,
        kind,
        dimensions: index.dimensions,
    };
    let stored;
    let stays = old.zip(new).is_some_and(|(old, new)| old.is_kept_as(new));
    let vector = match new {
        None => return Ok(false),
        Some(_) if stays && !holds_vector(new) => return Ok(false),
        Some(Slot::Vector(_)) if was => return Ok(true),
        Some(Slot::Value(Value::Vector(vector))) => vector,
        Some(Slot::Value(value)) => return Err(other(value.kind())),
        Some(apart) => {
            stored = apart
                .clone()
                .into_value(view.keys, entity, index.property)?;
            match &stored {
                Value::Vector(vector) => vector,
                value => return Err(other(value.kind())),
            }
        }
    };
    let checked = index
        .metric
        .check(index.dimensions as usize, vector.as_slice());
    checked.map_err(|source| Error::VectorRefused {
        index: Arc::clone(&index.name),
        entity,
        source: Box::new(source),
    })?;
    Ok(true)
}

/// The key of an entity in an index; `None` if it lacks one of the properties.
pub(crate) fn key<K: KeyRead>(
    view: &View<'_, K>,
    entity: Entity,
    index: &IndexDef,
    facts: &Facts<'_>,
) -> Result<Option<EntryKey>> {
    let mut key = index_prefix(index.id);
    for property in &index.properties {
        match facts.slot(*property) {
            None => return Ok(None),
            Some(Slot::Value(value)) => push(&mut key, index, value)?,
            Some(apart) => {
                let value = apart.clone().into_value(view.keys, entity, *property)?;
                push(&mut key, index, &value)?;
            }
        }
    }
    EntryKey::new(index, entity, key).map(Some)
}

/// The key of an entity before a change. While an index is built, something may be there whose values
/// it refuses: that has no entry, and must not keep its values for ever.
fn old_key<K: KeyRead>(
    view: &View<'_, K>,
    entity: Entity,
    index: &IndexDef,
    before: &Facts<'_>,
) -> Result<Option<EntryKey>> {
    match key(view, entity, index, before) {
        Err(Error::IndexedValueTooLong { .. } | Error::NotIndexable { .. })
            if index.readiness != Readiness::Ready =>
        {
            Ok(None)
        }
        key => key,
    }
}

/// Whether nobody else has the values.
pub(crate) fn check_unique<K: KeyRead>(
    view: &View<'_, K>,
    entity: Entity,
    index: &IndexDef,
    key: &EntryKey,
    facts: &Facts<'_>,
) -> Result<()> {
    let Some(other) = key.holder(view.keys)? else {
        return Ok(());
    };
    if other == entity {
        return Ok(());
    }
    let mut values = Vec::new();
    for property in &index.properties {
        values.extend(facts.value(view, entity, *property)?);
    }
    let what = Violation::taken(view.catalog(), index, entity, other, &values);
    Err(Error::ConstraintViolation(Box::new(what)))
}
