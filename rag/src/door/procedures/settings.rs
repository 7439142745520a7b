//! Maps of settings: what is in them, and nothing that nobody knows.

use std::collections::BTreeMap;
use std::sync::Arc;

use stratigraph::Value;

use super::super::{DoorError, LONGEST_METADATA, datum};
use crate::Metadata;

/// A map of settings that is read name by name.
pub(super) struct Settings<'a>(Option<&'a BTreeMap<Arc<str>, Value>>);

/// No settings.
pub(super) fn none() -> Value {
    Value::Map(Arc::default())
}

impl<'a> Settings<'a> {
    /// The map, if all of its names are known.
    pub(super) fn of(value: &'a Value, known: &[&str]) -> Result<Self, String> {
        let map = match value {
            Value::Map(map) => Some(&**map),
            _ => None,
        };
        let names = map.into_iter().flat_map(BTreeMap::keys);
        for name in names {
            if !known.contains(&&**name) {
                let name: String = name.chars().take(64).collect();
                return Err(format!(
                    "there is no setting `{name}`: there are {}",
                    known.join(", ")
                ));
            }
        }
        Ok(Self(map))
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        let value = self.0?.get(name)?;
        (!value.is_null()).then_some(value)
    }

    /// A text, if there is one.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, String> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let text = value.as_str().ok_or_else(|| unfit(name, "a text", value))?;
        Ok(Some(text.to_owned()))
    }

    /// A text that must be there.
    pub(super) fn needed(&self, name: &str) -> Result<String, String> {
        let text = self.text(name)?;
        text.ok_or_else(|| format!("`{name}` is needed"))
    }

    /// Texts; none if nothing is said.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let Some(value) = self.value(name) else {
            return Ok(Vec::new());
        };
        let unfit = || unfit(name, "a list of texts", value);
        let list = value.as_list().ok_or_else(unfit)?.iter();
        list.map(|text| text.as_str().map(str::to_owned).ok_or_else(unfit))
            .collect()
    }

    /// Yes or no; no if nothing is said.
    pub(super) fn truth(&self, name: &str) -> Result<bool, String> {
        Ok(self.said(name)?.unwrap_or_default())
    }

    /// Yes or no, if it is said.
    pub(super) fn said(&self, name: &str) -> Result<Option<bool>, String> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Bool(truth)) => Ok(Some(*truth)),
            Some(value) => Err(unfit(name, "true or false", value)),
        }
    }

    /// A count.
    pub(super) fn count(&self, name: &str) -> Result<Option<usize>, String> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let count = value.as_int().and_then(|count| usize::try_from(count).ok());
        let count = count.filter(|count| *count > 0);
        count
            .map(Some)
            .ok_or_else(|| unfit(name, "a count above zero", value))
    }

    /// A whole number from 0 on.
    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, String> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let number = value.as_int().and_then(|number| u64::try_from(number).ok());
        number
            .map(Some)
            .ok_or_else(|| unfit(name, "a whole number from 0 on", value))
    }

    /// A number from 0 to 1.
    pub(super) fn share(&self, name: &str) -> Result<Option<f64>, String> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        let share = match value {
            Value::Float(share) => Some(*share),
            Value::Int(share) => Some(*share as f64),
            _ => None,
        };
        let share = share.filter(|share| (0.0..=1.0).contains(share));
        let share = share.ok_or_else(|| unfit(name, "a number from 0 to 1", value))?;
        Ok(Some(share))
    }

    /// What is known of a document.
    pub(super) fn metadata(&self, name: &str) -> Result<Metadata, String> {
        let map = match self.value(name) {
            None => return Ok(Metadata::new()),
            Some(Value::Map(map)) => map,
            Some(value) => return Err(unfit(name, "a map", value)),
        };
        if map.len() > LONGEST_METADATA {
            let found = map.len();
            return Err(format!(
                "`{name}` has {found} entries, and may have {LONGEST_METADATA}"
            ));
        }
        let entries = map.iter().map(|(name, value)| {
            let value = datum(name, value);
            let value = value.map_err(|error: DoorError| error.to_string());
            Ok((name.to_string(), value?))
        });
        entries.collect()
    }
}

fn unfit(name: &str, wanted: &str, value: &Value) -> String {
    format!("`{name}` is {wanted}, and no {}", value.kind())
}
