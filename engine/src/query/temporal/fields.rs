//! The components that a map gives, checked as they are read.
//!
//! A name that means nothing is refused, so that a slip of the pen is not a default.
//!
//! Next: `build.rs`.

use super::meaningless;
use super::zones::Place;
use crate::query::error::{Detail, ErrorType, Fault, raise};
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Components by name.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    map: &'a BTreeMap<Arc<str>, Value>,
}

impl<'a> Fields<'a> {
    /// The components of a map, none of which has another name than `known`.
    pub(crate) fn new(
        map: &'a BTreeMap<Arc<str>, Value>,
        known: &[&[&str]],
    ) -> Result<Self, Fault> {
        for (name, value) in map {
            if !known.iter().any(|names| names.contains(&name.as_ref())) {
                let shown = super::text::excerpt(name);
                return Err(meaningless(format!("`{shown}` is no component here"))
                    .hint(format!("the components are {}", known.concat().join(", "))));
            }
            if value.is_null() {
                return Err(wrong_type(name, "a value", value));
            }
        }
        Ok(Self { map })
    }

    /// Whether there is such a component.
    pub(crate) fn has(self, name: &str) -> bool {
        self.map.contains_key(name)
    }

    /// Whether there is any of these.
    pub(crate) fn has_any(self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// How many components there are.
    pub(crate) fn len(self) -> usize {
        self.map.len()
    }

    /// A component of any type.
    pub(crate) fn value(self, name: &str) -> Option<&'a Value> {
        self.map.get(name)
    }

    /// A whole number.
    pub(crate) fn integer(self, name: &str) -> Result<Option<i64>, Fault> {
        match self.map.get(name) {
            None => Ok(None),
            Some(Value::Int(number)) => Ok(Some(*number)),
            Some(other) => Err(wrong_type(name, "an integer", other)),
        }
    }

    /// Where clocks are, by `timezone`.
    pub(crate) fn place(self) -> Result<Option<Place>, Fault> {
        match self.map.get("timezone") {
            None => Ok(None),
            Some(Value::String(name)) => Place::parse(name).map(Some),
            Some(other) => Err(wrong_type("timezone", "a string", other)),
        }
    }

    /// Each of `names` but the first needs the one before it, where `first_is_needed` the first as well.
    pub(crate) fn in_order(self, names: &[&str], first_is_needed: bool) -> Result<(), Fault> {
        let start = usize::from(!first_is_needed);
        let Some(last) = names.iter().rposition(|name| self.has(name)) else {
            return Ok(());
        };
        match names
            .iter()
            .take(last)
            .skip(start)
            .find(|name| !self.has(name))
        {
            None => Ok(()),
            Some(missing) => Err(needed(missing)),
        }
    }
}

/// The error of a component that cannot be left out.
pub(crate) fn needed(name: &str) -> Fault {
    meaningless(format!(
        "`{name}` is needed, as smaller components are given or nothing else is"
    ))
}

/// The error of a component of another type.
pub(crate) fn wrong_type(name: &str, wanted: &str, found: &Value) -> Fault {
    let message = format!("`{name}` must be {wanted}, it is of type {}", found.kind());
    raise(Detail::InvalidArgumentType, message).of_type(ErrorType::TypeError)
}
