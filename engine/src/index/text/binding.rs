//! What the graph's texts are to an index, and bringing what a transaction has changed into it.

use super::keys::DocumentsKey;
use super::{Occasion, OwnerId, TextWriter};
use crate::catalog::{GraphState, PropertyId, TextIndexDef};
use crate::error::Result;
use crate::graph::rules::with_facts;
use crate::graph::view::View;
use crate::keys::{KeyRead, KeyWrite};
use crate::storage::family::Family;
use crate::storage::plant::{self, Bug};
use crate::value::Value;

/// A writer that holds more is written out, so that a transaction of many texts needs little memory.
const MANY_BYTES: usize = 64 << 20;

/// Brings everything that was touched into an index, as it is now.
///
/// # Errors
/// [`Error::TransactionTooLarge`](crate::Error::TransactionTooLarge), damage in what is stored. A part may have been
/// written; doing it again comes to the same.
pub(crate) fn settle_touched(
    keys: &mut impl KeyWrite,
    state: &GraphState,
    def: &TextIndexDef,
    touched: impl IntoIterator<Item = u64>,
    occasion: Occasion,
) -> Result<()> {
    let mut touched = touched.into_iter();
    while settle_some(
        keys,
        state,
        def,
        &mut touched,
        MANY_BYTES,
        occasion,
        |_, _| Ok(true),
    )? > 0
    {}
    Ok(())
}

/// Brings those into an index that it knows nothing of, until their notes take so many bytes; returns how many were
/// looked at. Who is in the index already is there as it is now, since writers see to that.
///
/// # Errors
/// As [`settle_touched`].
pub(crate) fn settle_missing(
    keys: &mut impl KeyWrite,
    state: &GraphState,
    def: &TextIndexDef,
    ids: &mut impl Iterator<Item = u64>,
    bytes: usize,
) -> Result<u64> {
    let bytes = bytes.min(MANY_BYTES);
    settle_some(
        keys,
        state,
        def,
        ids,
        bytes,
        Occasion::Commit,
        |keys, id| {
            let key = DocumentsKey::Document(OwnerId::new(id)).encode(def.id);
            Ok(!keys.contains(Family::TextDocuments, &key)?)
        },
    )
}

/// Brings some into an index; returns how many were looked at.
fn settle_some<K: KeyWrite>(
    keys: &mut K,
    state: &GraphState,
    def: &TextIndexDef,
    ids: &mut impl Iterator<Item = u64>,
    bytes: usize,
    occasion: Occasion,
    is_wanted: impl Fn(&K, u64) -> Result<bool>,
) -> Result<u64> {
    let mut writer = TextWriter::new(def.index());
    let mut count = 0;
    while writer.memory_bytes() <= bytes
        && let Some(id) = ids.next()
    {
        count += 1;
        if !is_wanted(keys, id)? {
            continue;
        }
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
    }
    writer.settle_into(keys, occasion)?;
    Ok(count)
}

/// The texts that a node or relationship has for an index; `None` if the index is not about it.
///
/// A property that is neither a string nor a list with strings has no text. Each string of a list is a text of its
/// own: no phrase goes over two of them.
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
            let strings = value.map(into_strings).unwrap_or_default();
            found.extend(strings.into_iter().map(|text| (field.property, text)));
        }
        texts = Some(found);
        Ok(())
    })?;
    Ok(texts)
}

fn into_strings(value: Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![String::from(&*text)],
        Value::List(values) => {
            let strings = values.iter().filter_map(Value::as_str);
            strings.map(String::from).collect()
        }
        _ => Vec::new(),
    }
}
