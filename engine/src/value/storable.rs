//! Which values a property may hold.
//!
//! Scalars, vectors, and lists of scalars of one kind. Maps are refused, as by other engines of
//! this query language: what they hold could be neither indexed nor set one by one.
//!
//! Null passes: setting a property to null removes it, which is for the layer above to do.
//!
//! Next: `record.rs`, the bytes of a property.

use thiserror::Error;

use super::{Value, ValueKind};

/// Why a value cannot be a property.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NotStorable {
    /// It is a map.
    #[error("a map cannot be stored in a property; give each of its entries a property of its own")]
    Map,
    /// It is part of the graph itself.
    #[error(
        "a {found} cannot be stored in a property; store its id or its properties, or a relationship to it"
    )]
    Entity {
        /// What it is.
        found: ValueKind,
    },
    /// It is a list that holds something no stored list may hold.
    #[error("a stored list cannot hold a value of kind {found}, as this one does at index {index}; {}", hint(*found))]
    Element {
        /// The place in the list, from 0.
        index: usize,
        /// What stands there.
        found: ValueKind,
    },
    /// It is a list of more than one kind.
    #[error(
        "a stored list holds one kind of value, this one mixes {first} (index 0) with {found} \
         (index {index}); {}",
        mixed_hint(*first, *found)
    )]
    Mixed {
        /// The first place, from 0, with another kind than the first element.
        index: usize,
        /// The kind of the first element.
        first: ValueKind,
        /// The kind of this one.
        found: ValueKind,
    },
}

/// Whether a property may hold this value.
///
/// # Errors
///
/// [`NotStorable`] names the first thing that is in the way.
pub fn check_storable(value: &Value) -> Result<(), NotStorable> {
    match value {
        Value::Map(_) => Err(NotStorable::Map),
        Value::List(elements) => check_elements(elements),
        Value::Node(_) | Value::Relationship(_) | Value::Path(_) => Err(NotStorable::Entity {
            found: value.kind(),
        }),
        _ => Ok(()),
    }
}

fn check_elements(elements: &[Value]) -> Result<(), NotStorable> {
    let Some(first) = elements.first().map(Value::kind) else {
        return Ok(());
    };
    for (index, element) in elements.iter().enumerate() {
        let found = element.kind();
        if !is_element(found) {
            return Err(NotStorable::Element { index, found });
        }
        if found != first {
            return Err(NotStorable::Mixed {
                index,
                first,
                found,
            });
        }
    }
    Ok(())
}

fn is_element(kind: ValueKind) -> bool {
    match kind {
        ValueKind::Boolean
        | ValueKind::Integer
        | ValueKind::Float
        | ValueKind::String
        | ValueKind::Date
        | ValueKind::Time
        | ValueKind::LocalTime
        | ValueKind::DateTime
        | ValueKind::LocalDateTime
        | ValueKind::Duration => true,
        ValueKind::Null
        | ValueKind::Bytes
        | ValueKind::List
        | ValueKind::Map
        | ValueKind::Vector
        | ValueKind::Node
        | ValueKind::Relationship
        | ValueKind::Path => false,
    }
}

fn hint(found: ValueKind) -> &'static str {
    match found {
        ValueKind::Null => "leave the nulls out",
        ValueKind::List => "make it one flat list, or nodes of their own",
        ValueKind::Vector => "store each vector in a property of its own",
        _ => "store it in a node of its own",
    }
}

fn mixed_hint(first: ValueKind, found: ValueKind) -> &'static str {
    match (first, found) {
        (ValueKind::Integer, ValueKind::Float) | (ValueKind::Float, ValueKind::Integer) => {
            "turn all of them into floats, as with 1.0 for 1"
        }
        _ => "turn all of them into strings, or split the list",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::value::any_value::one_of_each;

    #[test]
    fn scalars_and_vectors_are_stored_maps_are_not() {
        for value in one_of_each() {
            let expected = match value {
                Value::Map(_) => Err(NotStorable::Map),
                // The list of the sample holds a null.
                Value::List(_) => Err(NotStorable::Element {
                    index: 1,
                    found: ValueKind::Null,
                }),
                _ => Ok(()),
            };
            assert_eq!(check_storable(&value), expected, "{value}");
        }
    }

    #[test]
    fn lists_of_one_scalar_kind_are_stored() {
        assert_eq!(check_storable(&Value::from(Vec::<Value>::new())), Ok(()));
        let stored = one_of_each().into_iter().filter(|value| {
            check_storable(&Value::from(vec![value.clone(), value.clone()])).is_ok()
        });
        let kinds: Vec<&str> = stored.map(|value| value.kind().name()).collect();
        assert_eq!(
            kinds,
            [
                "boolean",
                "integer",
                "float",
                "string",
                "date",
                "time",
                "local time",
                "date-time",
                "local date-time",
                "duration"
            ]
        );
    }

    #[test]
    fn refusals_say_what_where_and_what_to_do() {
        let refused = |elements: Vec<Value>| {
            check_storable(&Value::from(elements))
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refused(vec![1.into(), 2.into(), 2.5.into()]),
            "a stored list holds one kind of value, this one mixes integer (index 0) with float \
             (index 2); turn all of them into floats, as with 1.0 for 1"
        );
        assert_eq!(
            refused(vec!["a".into(), true.into()]),
            "a stored list holds one kind of value, this one mixes string (index 0) with boolean \
             (index 1); turn all of them into strings, or split the list"
        );
        assert_eq!(
            refused(vec!["a".into(), Value::Null]),
            "a stored list cannot hold a value of kind null, as this one does at index 1; leave the nulls out"
        );
        assert_eq!(
            refused(vec![vec![1].into()]),
            "a stored list cannot hold a value of kind list, as this one does at index 0; make it \
             one flat list, or nodes of their own"
        );
        assert_eq!(
            check_storable(&Value::map(BTreeMap::new()).unwrap())
                .unwrap_err()
                .to_string(),
            "a map cannot be stored in a property; give each of its entries a property of its own"
        );
    }
}
