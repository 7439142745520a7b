//! Setting and removing properties of nodes and relationships.

use super::{Changes, WriteTxn};
use crate::catalog::{Change, NameId as _, PropertyId, check_name};
use crate::error::{Error, Result};
use crate::graph::keys::{Entity, record_key};
use crate::graph::properties::{Encoder, MAX_PROPERTIES, Properties, Slot};
use crate::graph::record::{NodeRecord, RelationshipRecord};
use crate::graph::rules::{self, Facts};
use crate::graph::view::family_of;
use crate::graph::viewed::Viewed;
use crate::value::{NodeId, RelationshipId, Value, check_storable};
use std::collections::BTreeMap;

/// A record of either kind.
enum Record {
    Node(NodeId, NodeRecord),
    Relationship(RelationshipId, RelationshipRecord),
}

impl WriteTxn {
    /// Sets a property. Null removes it.
    ///
    /// # Errors
    /// [`Error::NodeNotFound`], [`Error::RelationshipNotFound`], [`Error::NotStorable`],
    /// [`Error::ConstraintViolation`], [`Error::TooLarge`], [`Error::TooMany`].
    pub fn set_property(
        &mut self,
        entity: impl Into<Entity>,
        property: &str,
        value: impl Into<Value>,
    ) -> Result<()> {
        self.set_properties(entity, [(property, value)])
    }

    /// Sets some properties and leaves the others. Null removes one.
    ///
    /// # Errors
    /// As [`set_property`](Self::set_property).
    pub fn set_properties<P: AsRef<str>, V: Into<Value>>(
        &mut self,
        entity: impl Into<Entity>,
        properties: impl IntoIterator<Item = (P, V)>,
    ) -> Result<()> {
        let mut changes = BTreeMap::new();
        let mut set = 0;
        for (property, value) in properties {
            let Some((property, value)) = self.checked(property.as_ref(), value.into())? else {
                continue;
            };
            set += usize::from(!value.is_null());
            let before = changes.insert(property, value);
            set -= usize::from(before.is_some_and(|before| !before.is_null()));
            // Looked at as they come: what is refused must not use up names.
            if set > MAX_PROPERTIES {
                return Err(too_many_properties(set));
            }
        }
        self.change_properties(entity.into(), set > 0, |kept| {
            for (property, value) in changes {
                match value {
                    Value::Null => drop(kept.remove(property)),
                    value => drop(kept.set(property, Slot::Value(value))),
                }
            }
        })
    }

    /// Sets some properties and removes all others.
    ///
    /// # Errors
    /// As [`set_property`](Self::set_property).
    pub fn replace_properties<P: AsRef<str>, V: Into<Value>>(
        &mut self,
        entity: impl Into<Entity>,
        properties: impl IntoIterator<Item = (P, V)>,
    ) -> Result<()> {
        let properties = self.slots(properties)?;
        let adds = properties.len() > 0;
        self.change_properties(entity.into(), adds, |kept| *kept = properties)
    }

    /// Removes a property; one that is not there is fine.
    ///
    /// # Errors
    /// As [`set_property`](Self::set_property).
    pub fn remove_property(&mut self, entity: impl Into<Entity>, property: &str) -> Result<()> {
        self.set_property(entity, property, Value::Null)
    }

    fn change_properties(
        &mut self,
        entity: Entity,
        adds: bool,
        change: impl FnOnce(&mut Properties),
    ) -> Result<()> {
        let before = match entity {
            Entity::Node(id) => Record::Node(id, self.existing_node(id)?),
            Entity::Relationship(id) => Record::Relationship(id, self.existing_relationship(id)?),
        };
        let mut properties = before.properties().clone();
        change(&mut properties);
        if properties.len() > MAX_PROPERTIES {
            return Err(too_many_properties(properties.len()));
        }
        let after = before.with(properties);
        let rules = rules::compare(&self.view(), entity, &before.facts(), &after.facts())?;
        let mut changes = Changes::default();
        after.encode(&mut self.encoder);
        for (property, slot) in before.properties().iter() {
            // A value apart that is neither kept nor written anew would stay behind.
            let Some((family, key)) = slot.place(entity, *property) else {
                continue;
            };
            let kept = after.properties().get(*property);
            if kept.is_none_or(|slot| slot.place(entity, *property) != Some((family, key))) {
                changes.delete(family, &key);
            }
        }
        let key = record_key(entity.number());
        changes.put_encoded(family_of(entity), &key, &mut self.encoder)?;
        self.write(changes, &rules)?;
        self.adds |= adds;
        Ok(())
    }

    /// The properties of something new. Null is left out; the last of a name wins.
    pub(crate) fn slots<P: AsRef<str>, V: Into<Value>>(
        &mut self,
        properties: impl IntoIterator<Item = (P, V)>,
    ) -> Result<Properties> {
        let properties = properties.into_iter();
        let mut slots = Properties::with_capacity(properties.size_hint().0.min(MAX_PROPERTIES));
        for (property, value) in properties {
            let Some((property, value)) = self.checked(property.as_ref(), value.into())? else {
                continue;
            };
            match value {
                Value::Null => drop(slots.remove(property)),
                value => drop(slots.set(property, Slot::Value(value))),
            }
            if slots.len() > MAX_PROPERTIES {
                return Err(too_many_properties(slots.len()));
            }
        }
        Ok(slots)
    }

    /// A property's number, and its value if it can be stored; `None` for a null under a name that
    /// was never used, since removing nothing needs no number.
    fn checked(&mut self, property: &str, value: Value) -> Result<Option<(PropertyId, Value)>> {
        if value.is_null() && self.state.catalog.properties.id(property).is_none() {
            check_name(PropertyId::WHAT, property)?;
            return Ok(None);
        }
        check_storable(&value).map_err(|source| Error::NotStorable {
            property: property.into(),
            source: Box::new(source),
        })?;
        Ok(Some((self.property_key(property)?, value)))
    }

    pub(crate) fn property_key(&mut self, name: &str) -> Result<PropertyId> {
        self.name(|catalog| &catalog.properties, Change::Property, name)
    }
}

impl Record {
    fn properties(&self) -> &Properties {
        match self {
            Self::Node(_, record) => &record.properties,
            Self::Relationship(_, record) => &record.properties,
        }
    }

    /// The same with other properties.
    fn with(&self, properties: Properties) -> Self {
        match self {
            Self::Node(id, record) => {
                let labels = record.labels.clone();
                Self::Node(*id, NodeRecord { labels, properties })
            }
            Self::Relationship(id, record) => {
                let record = RelationshipRecord {
                    properties,
                    ..*record
                };
                Self::Relationship(*id, record)
            }
        }
    }

    fn facts(&self) -> Facts<'_> {
        match self {
            Self::Node(_, record) => Facts::of_node(record),
            Self::Relationship(_, record) => Facts::of_relationship(record),
        }
    }

    fn encode(&self, to: &mut Encoder) {
        match self {
            Self::Node(id, record) => record.encode(*id, to),
            Self::Relationship(id, record) => record.encode(*id, to),
        }
    }
}

fn too_many_properties(count: usize) -> Error {
    Error::TooMany {
        what: "properties of one node or relationship",
        count: count as u64,
        limit: MAX_PROPERTIES as u64,
    }
}
