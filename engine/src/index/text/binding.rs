//! What the graph's texts are to an index, and bringing what a transaction has changed into it.

use super::{OwnerId, TextWriter};
use crate::catalog::{GraphState, PropertyId, TextIndexDef};
use crate::database::keys::{KeyRead, KeyWrite};
use crate::error::Result;
use crate::graph::rules::with_facts;
use crate::graph::view::View;
use crate::storage::plant::{self, Bug};
use crate::value::Value;

/// A writer that holds more is written out, so that a transaction of many texts needs little memory.
const MANY_BYTES: usize = 64 << 20;
/// Between the texts of a list: what lies on two sides of it is no phrase.
const BETWEEN: &str = "\n";

/// Brings everything that was touched into an index, as it is now.
///
/// # Errors
/// [`Error::TransactionTooLarge`](crate::Error::TransactionTooLarge), damage in what is stored. A part may have been
/// written; doing it again comes to the same.
pub(crate) fn settle_touched<K: KeyWrite>(
    keys: &mut K,
    state: &GraphState,
    def: &TextIndexDef,
    touched: impl IntoIterator<Item = u64>,
) -> Result<()> {
    let mut writer = TextWriter::new(def.index());
    for id in touched {
        let view = View {
            keys: &*keys,
            state,
            pending: None,
        };
        let owner = OwnerId::new(id);
        match texts_of(&view, def, id)? {
            Some(texts) => {
                let texts = texts.iter();
                writer.set(
                    owner,
                    texts.map(|(property, text)| (*property, text.as_str())),
                );
            }
            None if plant::is(Bug::StaleText) => {}
            None => writer.remove(owner),
        }
        if writer.memory_bytes() > MANY_BYTES {
            writer.settle_into(keys)?;
        }
    }
    writer.settle_into(keys).map(drop)
}

/// The texts that a node or relationship has for an index; `None` if the index is not about it.
///
/// A property that is neither a string nor a list with strings has no text.
pub(crate) fn texts_of<K: KeyRead>(
    view: &View<'_, K>,
    def: &TextIndexDef,
    id: u64,
) -> Result<Option<Vec<(PropertyId, String)>>> {
    let entity = def.scope.entity(id);
    let mut texts = None;
    with_facts(view, entity, |facts| {
        if !facts.is_in(def.scope) {
            return Ok(());
        }
        let mut found = Vec::new();
        for field in def.settings.fields() {
            let value = facts.value(view, entity, field.property)?;
            if let Some(text) = value.and_then(into_text) {
                found.push((field.property, text));
            }
        }
        texts = Some(found);
        Ok(())
    })?;
    Ok(texts)
}

fn into_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(String::from(&*text)),
        Value::List(values) => {
            let texts: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
            (!texts.is_empty()).then(|| texts.join(BETWEEN))
        }
        _ => None,
    }
}
