//! What a constraint refuses: its name, who breaks it, and with which value.

use crate::catalog::{Catalog, ConstraintDef, IndexDef, PropertyId};
use crate::graph::Entity;
use crate::value::{Value, ValueKind};
use std::fmt;
use std::sync::Arc;

/// A value in a message is cut after so many characters.
const SHOWN_CHARACTERS: usize = 80;

/// A broken constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The constraint's name.
    pub constraint: Arc<str>,
    /// What it is on: a label or a relationship type.
    pub scope: String,
    /// The properties it is on.
    pub properties: Vec<String>,
    /// Who breaks it.
    pub entity: Entity,
    /// How.
    pub reason: ViolationReason,
}

/// How a constraint is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ViolationReason {
    /// Somebody else has the values.
    Taken {
        /// The values, as text.
        values: Vec<String>,
        /// Who has them.
        other: Entity,
    },
    /// The property is not there.
    Missing {
        /// Which.
        property: String,
    },
    /// The property is of another kind.
    Kind {
        /// Which.
        property: String,
        /// Its value, as text.
        value: String,
        /// Its kind.
        found: ValueKind,
    },
}

impl Violation {
    pub(crate) fn taken(
        catalog: &Catalog,
        index: &IndexDef,
        entity: Entity,
        other: Entity,
        values: &[Value],
    ) -> Self {
        let constraint = index.owner.and_then(|id| catalog.constraint(id));
        Self {
            constraint: constraint
                .map_or_else(|| Arc::clone(&index.name), |of| Arc::clone(&of.name)),
            scope: catalog.scope_name(index.scope),
            properties: names(catalog, &index.properties),
            entity,
            reason: ViolationReason::Taken {
                values: values.iter().map(short).collect(),
                other,
            },
        }
    }

    pub(crate) fn missing(
        catalog: &Catalog,
        constraint: &ConstraintDef,
        entity: Entity,
        property: PropertyId,
    ) -> Self {
        let reason = ViolationReason::Missing {
            property: catalog.properties.show(property),
        };
        Self::of(catalog, constraint, entity, reason)
    }

    pub(crate) fn of_type(
        catalog: &Catalog,
        constraint: &ConstraintDef,
        entity: Entity,
        property: PropertyId,
        value: &Value,
    ) -> Self {
        let reason = ViolationReason::Kind {
            property: catalog.properties.show(property),
            value: short(value),
            found: value.kind(),
        };
        Self::of(catalog, constraint, entity, reason)
    }

    fn of(
        catalog: &Catalog,
        constraint: &ConstraintDef,
        entity: Entity,
        reason: ViolationReason,
    ) -> Self {
        Self {
            constraint: Arc::clone(&constraint.name),
            scope: catalog.scope_name(constraint.scope),
            properties: names(catalog, &constraint.properties),
            entity,
            reason,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            constraint,
            scope,
            properties,
            entity,
            reason,
        } = self;
        let properties = properties.join(", ");
        write!(
            f,
            "constraint {constraint} on {scope} ({properties}) refuses {entity}: "
        )?;
        match reason {
            ViolationReason::Taken { values, other } => {
                write!(f, "{other} has {} already", values.join(", "))
            }
            ViolationReason::Missing { property } => write!(f, "it has no {property}"),
            ViolationReason::Kind {
                property,
                value,
                found,
            } => write!(f, "its {property} is {value}, a {found}"),
        }
    }
}

fn names(catalog: &Catalog, properties: &[PropertyId]) -> Vec<String> {
    let properties = properties.iter();
    properties.map(|id| catalog.properties.show(*id)).collect()
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((cut, _)) => format!("{}...", &text[..cut]),
        None => text,
    }
}
