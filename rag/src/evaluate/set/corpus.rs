//! Corpora: documents, or pages of documents, perhaps with what somebody has extracted from them.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value as Json;

use super::rows::{datum, id_of, is_there, page, rows, texts_of};
use super::{Row, SetError};
use crate::extract::{Entity, Extracted, Triple};
use crate::{Datum, Metadata};

/// The rows of a set's corpus, and what is to be told of them. A set of facts has none.
pub(super) fn read(folder: &Path, notes: &mut Vec<String>) -> Result<Vec<Row>, SetError> {
    let mut odd = 0;
    let mut corpus = match ["pages", "corpus"]
        .into_iter()
        .find(|name| is_there(folder, name))
    {
        Some(name) => rows(folder, name, |row, number| row_of(row, number, &mut odd))?,
        None => Vec::new(),
    };
    if odd > 0 {
        notes.push(format!(
            "{odd} of the triples that its rows have are not of three texts, and are left out"
        ));
    }
    if is_there(folder, "pages") && is_there(folder, "documents") {
        let known = rows(folder, "documents", |row, _| {
            Ok((id_of(&row["doc"]), metadata_of(row)))
        })?;
        let known: BTreeMap<String, Metadata> = known
            .into_iter()
            .filter_map(|(doc, metadata)| Some((doc?, metadata)))
            .collect();
        for row in &mut corpus {
            let Some(Datum::Text(doc)) = row.metadata.get("doc") else {
                continue;
            };
            for (name, value) in known.get(doc).into_iter().flatten() {
                let entry = row.metadata.entry(name.clone());
                entry.or_insert_with(|| value.clone());
            }
        }
    }
    Ok(corpus)
}

/// Everything of a row that can be metadata, but for what it says itself.
fn metadata_of(row: &Json) -> Metadata {
    let known = ["id", "title", "text", "body"];
    let entries = row.as_object().into_iter().flatten();
    let rest = entries.filter(|(name, _)| !known.contains(&name.as_str()));
    rest.filter_map(|(name, value)| Some((name.clone(), datum(value)?)))
        .collect()
}

fn row_of(row: &Json, number: usize, odd: &mut usize) -> Result<Row, String> {
    if !row.is_object() {
        return Err("is no object".to_owned());
    }
    let text = ["text", "body"].iter().find_map(|name| row[*name].as_str());
    let text = text.ok_or("has no `text`")?;
    let title = ["title", "doc"].iter().find_map(|name| row[*name].as_str());
    Ok(Row {
        id: id_of(&row["id"])
            .or_else(|| page(row))
            .unwrap_or_else(|| number.to_string()),
        title: title.unwrap_or_default().to_owned(),
        text: text.to_owned(),
        metadata: metadata_of(row),
        said: said_of(row, odd),
    })
}

/// What somebody has extracted from the row's text, if the row has that.
fn said_of(row: &Json, odd: &mut usize) -> Option<Extracted> {
    if !row["entities"].is_array() && !row["triples"].is_array() {
        return None;
    }
    let entities = texts_of(&row["entities"]).map(|name| Entity {
        name: name.to_owned(),
        ..Entity::default()
    });
    let mut triples = Vec::new();
    for triple in row["triples"].as_array().into_iter().flatten() {
        let parts: Vec<&str> = texts_of(triple).collect();
        match (parts.as_slice(), triple.as_array().map(Vec::len)) {
            ([subject, predicate, object], Some(3)) => triples.push(Triple {
                subject: (*subject).to_owned(),
                predicate: (*predicate).to_owned(),
                object: (*object).to_owned(),
                ..Triple::default()
            }),
            _ => *odd += 1,
        }
    }
    Some(Extracted {
        entities: entities.collect(),
        triples,
        chains: Vec::new(),
    })
}
