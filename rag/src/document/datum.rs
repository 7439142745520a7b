//! Values of metadata.

use serde::Serialize;
use stratigraph::Value;

/// A value of metadata: what a document, its path or its table says of it. JSON has it as it is: a text, a number, a truth or a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Datum {
    /// A text; dates are texts until someone says what they are.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number that is none of those.
    Float(f64),
    /// Yes or no.
    Boolean(bool),
    /// Several.
    List(Vec<Datum>),
}

impl Datum {
    /// The text, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl From<&str> for Datum {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Datum {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<Datum> for Value {
    fn from(datum: Datum) -> Self {
        match datum {
            Datum::Text(text) => text.into(),
            Datum::Integer(number) => number.into(),
            Datum::Float(number) => number.into(),
            Datum::Boolean(truth) => truth.into(),
            Datum::List(items) => Self::List(items.into_iter().map(Self::from).collect()),
        }
    }
}
