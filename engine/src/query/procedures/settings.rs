//! A map of settings that a procedure takes: every key is one that it knows, and every value of the right type.
//!
//! Next: `search.rs`, which has the smallest ones.

use crate::query::error::{Detail, Fault, raise};
use crate::query::functions::operators::with_article;
use crate::value::{NodeId, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use stratigraph_query_lang::nearest;

/// The settings of one call. A setting that is null was not given.
pub(super) struct Settings<'a> {
    /// Who takes them.
    of: &'static str,
    entries: Option<&'a BTreeMap<Arc<str>, Value>>,
}

impl<'a> Settings<'a> {
    /// Settings out of a map, or none out of null.
    pub(super) fn of(
        of: &'static str,
        value: &'a Value,
        known: &[&'static str],
    ) -> Result<Self, Fault> {
        let entries = match value {
            Value::Null => None,
            Value::Map(entries) => Some(&**entries),
            other => {
                let kind = with_article(other.kind());
                let message = format!("settings of {of} are a map, and this is {kind}");
                return Err(raise(Detail::InvalidArgumentType, message));
            }
        };
        for key in entries.into_iter().flat_map(BTreeMap::keys) {
            if !known.contains(&&**key) {
                let message = format!("{of} has no setting `{key}`");
                let hint = match nearest(key, known.iter().copied()) {
                    Some(other) => format!("did you mean `{other}`?"),
                    None => format!("it has {}", known.join(", ")),
                };
                return Err(raise(Detail::InvalidArgumentValue, message).hint(hint));
            }
        }
        Ok(Self { of, entries })
    }

    /// Whether it was given.
    pub(super) fn has(&self, key: &str) -> bool {
        self.value(key).is_some()
    }

    /// Whether it stands there, even if it is null.
    pub(super) fn is_named(&self, key: &str) -> bool {
        self.entries
            .is_some_and(|entries| entries.contains_key(key))
    }

    /// A setting.
    pub(super) fn value(&self, key: &str) -> Option<&'a Value> {
        let value = self.entries?.get(key)?;
        (!value.is_null()).then_some(value)
    }

    /// A text.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, Fault> {
        let as_text = |value: &'a Value| {
            let text = value.as_str();
            text.ok_or_else(|| self.wrong(key, "a string", value))
        };
        self.value(key).map(as_text).transpose()
    }

    /// One of some words, whatever the case: its place among them.
    pub(super) fn word(&self, key: &str, words: &[&str]) -> Result<Option<usize>, Fault> {
        let Some(text) = self.text(key)? else {
            return Ok(None);
        };
        let place = words
            .iter()
            .position(|word| word.eq_ignore_ascii_case(text));
        if place.is_none() {
            let message = format!("`{key}` of {} cannot be '{text}'", self.of);
            let hint = format!("it is one of '{}'", words.join("', '"));
            return Err(raise(Detail::InvalidArgumentValue, message).hint(hint));
        }
        Ok(place)
    }

    /// A list of texts with something in it; a single text is a list of one.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, Fault> {
        let texts = match self.value(key) {
            None => return Ok(Vec::new()),
            Some(Value::String(text)) => return Ok(vec![text.to_string()]),
            Some(Value::List(texts)) => texts,
            Some(other) => return Err(self.wrong(key, "a list of strings", other)),
        };
        if texts.is_empty() {
            // To take it for all of them would turn "none" into its opposite.
            let message = format!("`{key}` of {} is an empty list", self.of);
            let hint = format!("leave `{key}` out if all are meant");
            return Err(raise(Detail::InvalidArgumentValue, message).hint(hint));
        }
        let text = |value: &Value| {
            let text = value.as_str().map(str::to_owned);
            text.ok_or_else(|| self.wrong(key, "a list of strings", value))
        };
        texts.iter().map(text).collect()
    }

    /// Whether something is so; not, if nothing is said.
    pub(super) fn flag(&self, key: &str) -> Result<bool, Fault> {
        match self.value(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(self.wrong(key, "a boolean", other)),
        }
    }

    /// A number.
    pub(super) fn number(&self, key: &str) -> Result<Option<f64>, Fault> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Int(number)) => Ok(Some(*number as f64)),
            Some(Value::Float(number)) => Ok(Some(*number)),
            Some(other) => Err(self.wrong(key, "a number", other)),
        }
    }

    /// A list of numbers.
    pub(super) fn numbers(&self, key: &str) -> Result<Option<Vec<f64>>, Fault> {
        let numbers = match self.value(key) {
            None => return Ok(None),
            Some(Value::List(numbers)) => numbers,
            Some(other) => return Err(self.wrong(key, "a list of numbers", other)),
        };
        let number = |value: &Value| match value {
            Value::Int(number) => Ok(*number as f64),
            Value::Float(number) => Ok(*number),
            other => Err(self.wrong(key, "a list of numbers", other)),
        };
        numbers
            .iter()
            .map(number)
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// A whole number.
    pub(super) fn integer(&self, key: &str) -> Result<Option<i64>, Fault> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Int(number)) => Ok(Some(*number)),
            Some(other) => Err(self.wrong(key, "an integer", other)),
        }
    }

    /// A whole number that is not negative.
    pub(super) fn count(&self, key: &str) -> Result<Option<usize>, Fault> {
        let Some(number) = self.integer(key)? else {
            return Ok(None);
        };
        usize::try_from(number).map(Some).map_err(|_| {
            let message = format!("`{key}` of {} is {number}, and cannot be negative", self.of);
            raise(Detail::NumberOutOfRange, message)
        })
    }

    /// The same in 32 bits.
    pub(super) fn small_count(&self, key: &str) -> Result<Option<u32>, Fault> {
        let Some(number) = self.count(key)? else {
            return Ok(None);
        };
        u32::try_from(number).map(Some).map_err(|_| {
            let message = format!(
                "`{key}` of {} is {number}, and is at most {}",
                self.of,
                u32::MAX
            );
            raise(Detail::NumberOutOfRange, message)
        })
    }

    /// A node.
    pub(super) fn node(&self, key: &str) -> Result<Option<NodeId>, Fault> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Node(node)) => Ok(Some(node.id())),
            Some(other) => Err(self.wrong(key, "a node", other)),
        }
    }

    /// A list of nodes; a single node is a list of one, and nulls are left out.
    pub(super) fn nodes(&self, key: &str) -> Result<Option<Vec<NodeId>>, Fault> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Node(node)) => Ok(Some(vec![node.id()])),
            Some(Value::List(nodes)) => {
                let nodes = nodes.iter().filter(|one| !one.is_null());
                let node = |one: &Value| match one {
                    Value::Node(node) => Ok(node.id()),
                    other => Err(self.wrong(key, "a list of nodes", other)),
                };
                nodes.map(node).collect::<Result<Vec<_>, _>>().map(Some)
            }
            Some(other) => Err(self.wrong(key, "a list of nodes", other)),
        }
    }

    /// The error for a setting that must be given.
    pub(super) fn missing(&self, key: &str) -> Fault {
        let message = format!("{} needs the setting `{key}`", self.of);
        raise(Detail::InvalidArgumentValue, message)
    }

    fn wrong(&self, key: &str, needed: &str, value: &Value) -> Fault {
        let kind = with_article(value.kind());
        let message = format!("`{key}` of {} needs {needed}, and this is {kind}", self.of);
        raise(Detail::InvalidArgumentType, message)
    }
}
