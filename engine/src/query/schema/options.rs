//! `OPTIONS` of an index: what is said under which key, and where.
//!
//! Any expression without variables may stand there. A key that is not known is refused: a setting that is misspelt
//! must not be one that is left out.
//!
//! Next: `vector.rs`.

use super::command::Place;
use crate::query::error::{Detail, Fault, raise};
use crate::query::functions::operators::with_article;
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use stratigraph_query_lang::ast::{Expression, ExpressionKind};
use stratigraph_query_lang::{Span, nearest};

/// What `OPTIONS` says.
pub(super) struct Options<'a> {
    config: BTreeMap<Arc<str>, Value>,
    from: Option<&'a Expression>,
}

/// The key of the provider, which there is only one of.
const PROVIDER: &str = "indexProvider";
/// The key of the settings.
const CONFIG: &str = "indexConfig";

impl<'a> Options<'a> {
    /// Reads them; `known` are the settings that there are.
    pub(super) fn read(
        place: &Place<'_>,
        from: Option<&'a Expression>,
        known: &[&str],
    ) -> Result<Self, Fault> {
        let mut options = Self {
            config: BTreeMap::new(),
            from,
        };
        let Some(expression) = from else {
            return Ok(options);
        };
        let given =
            place
                .database
                .value_of(place.text, expression, place.parameters, place.options)?;
        for (key, value) in entries(given, "OPTIONS", expression.span)? {
            match &*key {
                PROVIDER => {}
                CONFIG => options.config = entries(value, CONFIG, options.place(CONFIG))?,
                other => return Err(options.unknown(other, &[PROVIDER, CONFIG])),
            }
        }
        let unknown = options.config.keys();
        let unknown = unknown.map(|key| &**key).find(|key| !known.contains(key));
        match unknown {
            Some(key) => Err(options.unknown(key, known)),
            None => Ok(options),
        }
    }

    /// A whole number.
    pub(super) fn count(&self, key: &str) -> Result<Option<usize>, Fault> {
        match self.config.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Int(number)) => match usize::try_from(*number) {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(self.bad(key, format!("`{key}` cannot be negative"))),
            },
            Some(other) => Err(self.wrong(key, other, "a whole number")),
        }
    }

    /// True or false.
    pub(super) fn truth(&self, key: &str) -> Result<Option<bool>, Fault> {
        match self.config.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(truth)) => Ok(Some(*truth)),
            Some(other) => Err(self.wrong(key, other, "true or false")),
        }
    }

    /// One of some words, however it is written, with what each of them means.
    pub(super) fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, Fault> {
        let word = match self.config.get(key) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(word)) => word.to_lowercase(),
            Some(other) => return Err(self.wrong(key, other, "a string")),
        };
        let known = words.iter().find(|(known, _)| *known == word);
        let Some((_, meant)) = known else {
            let names = words.iter().map(|(name, _)| *name);
            let hint = match nearest(&word, names.clone()) {
                Some(other) => format!("did you mean '{other}'?"),
                None => format!("it is one of {}", listed(names)),
            };
            return Err(self
                .bad(key, format!("`{key}` cannot be '{word}'"))
                .hint(hint));
        };
        Ok(Some(*meant))
    }

    /// What cannot be declared, at the place of a setting.
    pub(super) fn bad(&self, key: &str, message: String) -> Fault {
        raise(Detail::InvalidDeclaration, message).at(self.place(key))
    }

    fn wrong(&self, key: &str, value: &Value, wanted: &str) -> Fault {
        let kind = with_article(value.kind());
        self.bad(key, format!("`{key}` is {wanted}, and this is {kind}"))
    }

    fn unknown(&self, key: &str, known: &[&str]) -> Fault {
        let hint = match nearest(key, known.iter().copied()) {
            Some(other) => format!("did you mean `{other}`?"),
            None => {
                let known = known.iter().map(|key| format!("`{key}`"));
                format!("there are {}", known.collect::<Vec<_>>().join(", "))
            }
        };
        self.bad(key, format!("there is no option `{key}`"))
            .hint(hint)
    }

    /// Where a key stands, or else all of the options.
    fn place(&self, key: &str) -> Span {
        let Some(from) = self.from else {
            return Span::default();
        };
        find(from, key).unwrap_or(from.span)
    }
}

/// The place of a key in a map that is written down, or in a map within it.
fn find(expression: &Expression, key: &str) -> Option<Span> {
    let ExpressionKind::Map(entries) = &expression.kind else {
        return None;
    };
    let own = entries.iter().find(|(name, _)| &*name.name == key);
    match own {
        Some((name, _)) => Some(name.span),
        None => entries.iter().find_map(|(_, value)| find(value, key)),
    }
}

fn entries(value: Value, what: &str, span: Span) -> Result<BTreeMap<Arc<str>, Value>, Fault> {
    match value {
        Value::Map(map) => Ok(Arc::unwrap_or_clone(map)),
        Value::Null => Ok(BTreeMap::new()),
        other => {
            let kind = with_article(other.kind());
            let message = format!("{what} is a map, and this is {kind}");
            Err(raise(Detail::InvalidDeclaration, message).at(span))
        }
    }
}

fn listed<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words = words.map(|word| format!("'{word}'"));
    words.collect::<Vec<_>>().join(", ")
}
