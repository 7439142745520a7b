//! Properties of the layers, with an order and an equality that see every difference.
//!
//! The engine takes 1 and 1.0 for equal, as its queries do; here they are two things, or a change from one
//! to the other would stay undone.

use std::borrow::Cow;
use std::collections::BTreeMap;

use stratigraph::Value;

use crate::Datum;

/// The properties of something, by name.
pub type Properties = BTreeMap<Cow<'static, str>, Property>;

/// A property.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Yes or no.
    Boolean(bool),
    /// The bits of another number.
    Float(u64),
    /// Several.
    List(Vec<Property>),
    /// Something that the layers never write, found in the graph.
    Foreign,
}

impl Property {
    /// The text, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The texts, if it is a list of nothing else.
    pub(super) fn texts(&self) -> Option<Vec<&str>> {
        match self {
            Self::List(items) => items.iter().map(Self::as_str).collect(),
            _ => None,
        }
    }
}

/// The text under this name, or nothing.
pub(super) fn text<'a>(properties: &'a Properties, name: &str) -> &'a str {
    let property = properties.get(name);
    property.and_then(Property::as_str).unwrap_or_default()
}

/// How many bytes its values have, at the least.
pub(super) fn bytes_of(properties: &Properties) -> u64 {
    fn of(property: &Property) -> u64 {
        match property {
            Property::Text(text) => text.len() as u64,
            Property::List(items) => items.iter().map(of).sum(),
            _ => 1,
        }
    }
    properties.values().map(of).sum()
}

/// A text under a name, unless it is empty.
pub(super) fn put_text(properties: &mut Properties, name: &'static str, text: &str) {
    if !text.is_empty() {
        properties.insert(name.into(), text.into());
    }
}

impl From<&str> for Property {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Property {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<usize> for Property {
    fn from(number: usize) -> Self {
        // Spans of texts in memory.
        Self::Integer(number as i64)
    }
}

impl<T: Into<Property>> FromIterator<T> for Property {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

impl From<&Datum> for Property {
    fn from(datum: &Datum) -> Self {
        match datum {
            Datum::Text(text) => Self::Text(text.clone()),
            Datum::Integer(number) => Self::Integer(*number),
            Datum::Float(number) => Self::Float(number.to_bits()),
            Datum::Boolean(truth) => Self::Boolean(*truth),
            Datum::List(items) => items.iter().collect(),
        }
    }
}

impl From<&Property> for Value {
    fn from(property: &Property) -> Self {
        match property {
            Property::Text(text) => text.as_str().into(),
            Property::Integer(number) => (*number).into(),
            Property::Boolean(truth) => (*truth).into(),
            Property::Float(bits) => f64::from_bits(*bits).into(),
            Property::List(items) => Self::List(items.iter().map(Self::from).collect()),
            Property::Foreign => Self::Null,
        }
    }
}

impl From<&Value> for Property {
    fn from(value: &Value) -> Self {
        match value {
            Value::String(text) => (&**text).into(),
            Value::Int(number) => Self::Integer(*number),
            Value::Bool(truth) => Self::Boolean(*truth),
            Value::Float(number) => Self::Float(number.to_bits()),
            Value::List(items) => items.iter().collect(),
            _ => Self::Foreign,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_as_they_were_and_numbers_are_of_one_kind() {
        let list: Property = ["a", "b"].into_iter().collect();
        for property in [
            list,
            Property::Integer(1),
            Property::Float(1.0_f64.to_bits()),
            Property::Boolean(true),
        ] {
            assert_eq!(Property::from(&Value::from(&property)), property);
        }
        assert_ne!(Property::Integer(1), Property::Float(1.0_f64.to_bits()));
        assert_eq!(Property::from(&Value::bytes(*b"x")), Property::Foreign);
    }
}
