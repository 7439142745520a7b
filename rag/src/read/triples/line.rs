//! A line of JSON to the facts that it states.
//!
//! A text is what stands there, without the blanks around it; numbers are taken for texts, as names may be
//! numbers. What a line says beside a fact becomes metadata if it is a plain value, and is left out if not.
//!
//! What a line says of all its facts is copied to each of them, so both together have an end: a line must not
//! become thousands of times its length.

use serde_json::Value as Json;
use stratigraph_tables::json_lines::parse;
use stratigraph_tables::{BadLine, Entries, excerpt};

use super::names::{Part, part_of};
use super::{Stated, TripleReader};
use crate::{Datum, Metadata};

/// The most facts of one line.
const MOST_FACTS: usize = 10_000;
/// Titles are cut here: they stand before every source.
const LONGEST_TITLE: usize = 500;
/// What an entry takes beside its texts, about.
const ENTRY_BYTES: usize = 64;

/// Reads a line.
pub(super) fn read(text: &str, number: u64) -> Result<Vec<Stated>, BadLine> {
    let mut facts = match text.as_bytes().first() {
        Some(b'[') => vec![of_array(&parse::<Vec<Json>>(text)?)?],
        _ => of_line(parse::<Entries>(text)?)?,
    };
    for fact in &mut facts {
        fact.line = number;
    }
    Ok(facts)
}

/// An object with one fact, or with a list of them.
fn of_line(entries: Entries) -> Result<Vec<Stated>, BadLine> {
    let is_list =
        |(name, value): &(String, Json)| part_of(name) == Some(Part::Facts) && value.is_array();
    if !entries.0.iter().any(is_list) {
        return Ok(vec![of_object(entries.0, None)?]);
    }
    let mut title = None;
    let mut list = Vec::new();
    let mut metadata = Metadata::new();
    for (name, value) in entries.0 {
        match (part_of(&name), value) {
            (Some(Part::Facts), Json::Array(facts)) => {
                if !list.is_empty() {
                    return Err(whole("two lists of facts are on one line".to_owned()));
                }
                list = facts;
            }
            (Some(Part::Title), value) => title = title_of(&name, &value)?,
            (Some(Part::Metadata), Json::Object(more)) => {
                metadata.extend(more.into_iter().filter_map(datum_of_entry));
            }
            (_, value) => metadata.extend(datum_of_entry((name, value))),
        }
    }
    if list.len() > MOST_FACTS {
        return Err(whole(format!(
            "{} facts are on one line, and at most {MOST_FACTS} are taken",
            list.len()
        )));
    }
    let shared = title.as_ref().map_or(0, String::len) + bytes_of(&metadata);
    if shared as u64 * list.len() as u64 > TripleReader::MAX_LINE {
        return Err(whole(format!(
            "{} facts are on one line, with {shared} bytes that are said of each of them: that is more than {} bytes; \
             put fewer facts on a line, or say less of all",
            list.len(),
            TripleReader::MAX_LINE
        )));
    }
    let mut facts = Vec::with_capacity(list.len());
    for (at, one) in list.into_iter().enumerate() {
        let fact = match one {
            Json::Object(fact) => of_object(fact.into_iter().collect(), title.as_deref()),
            Json::Array(fact) => of_array(&fact),
            _ => Err(whole("it is neither an object nor an array".to_owned())),
        };
        let mut fact = fact.map_err(|(column, why)| (column, format!("fact {}: {why}", at + 1)))?;
        for (name, value) in &metadata {
            fact.metadata
                .entry(name.clone())
                .or_insert_with(|| value.clone());
        }
        facts.push(fact);
    }
    Ok(facts)
}

fn of_object(entries: Vec<(String, Json)>, title: Option<&str>) -> Result<Stated, BadLine> {
    let mut stated = Stated::default();
    let mut own_title = None;
    // Which name each part was found under: two names of one part would be two answers.
    let mut found: Vec<(Part, String)> = Vec::new();
    for (name, value) in entries {
        let Some(part) = part_of(&name) else {
            stated.metadata.extend(datum_of_entry((name, value)));
            continue;
        };
        if let Some((_, other)) = found.iter().find(|(known, _)| *known == part) {
            let (name, other) = (excerpt(&name), excerpt(other));
            return Err(whole(format!(
                "`{other}` and `{name}` are the same part of a fact"
            )));
        }
        found.push((part, name.clone()));
        if let (Part::Metadata, Json::Object(more)) = (part, &value) {
            let more = more.clone().into_iter().filter_map(datum_of_entry);
            stated.metadata.extend(more);
            continue;
        }
        if part == Part::Title {
            own_title = title_of(&name, &value)?;
            continue;
        }
        let text = text_of(&name, &value)?.unwrap_or_default();
        let [subject, object] = &mut stated.entities;
        match part {
            Part::Subject => stated.triple.subject = text,
            Part::Relation => stated.triple.predicate = text,
            Part::Object => stated.triple.object = text,
            Part::Description => stated.triple.description = text,
            Part::Source => stated.triple.source = text,
            Part::SubjectKind => subject.kind = Some(text).filter(|kind| !kind.is_empty()),
            Part::ObjectKind => object.kind = Some(text).filter(|kind| !kind.is_empty()),
            Part::SubjectDescription => subject.description = text,
            Part::ObjectDescription => object.description = text,
            Part::Facts | Part::Title | Part::Metadata => {
                let name = excerpt(&name);
                return Err(whole(format!("`{name}` holds neither facts nor metadata")));
            }
        }
    }
    prefix(
        &mut stated.triple.source,
        own_title.as_deref().or(title).unwrap_or_default(),
    );
    finish(stated)
}

/// Subject, type, relation, object, type, metadata.
fn of_array(parts: &[Json]) -> Result<Stated, BadLine> {
    let (parts, metadata) = match parts {
        [parts @ .., metadata] if parts.len() == 5 => (parts, metadata),
        parts if parts.len() == 5 => (parts, &Json::Null),
        _ => {
            return Err(whole(format!(
                "the array has {} parts, and a fact six",
                parts.len()
            )));
        }
    };
    let mut texts = Vec::with_capacity(5);
    for (part, name) in parts.iter().zip([
        "subject",
        "subject type",
        "relation",
        "object",
        "object type",
    ]) {
        texts.push(text_of(name, part)?.unwrap_or_default());
    }
    let mut texts = texts.into_iter();
    let mut next = || texts.next().unwrap_or_default();
    let mut stated = Stated::default();
    stated.triple.subject = next();
    stated.entities[0].kind = Some(next()).filter(|kind| !kind.is_empty());
    stated.triple.predicate = next();
    stated.triple.object = next();
    stated.entities[1].kind = Some(next()).filter(|kind| !kind.is_empty());
    match metadata {
        Json::Null => {}
        Json::Object(more) => {
            let more = more.clone().into_iter();
            stated.metadata = more.filter_map(datum_of_entry).collect();
        }
        other => stated
            .metadata
            .extend(datum_of_entry(("metadata".to_owned(), other.clone()))),
    }
    if let Some(Datum::Text(source)) = stated.metadata.remove("source") {
        stated.triple.source = source;
    }
    finish(stated)
}

/// A fact must have its three parts; its ends get their names.
fn finish(mut stated: Stated) -> Result<Stated, BadLine> {
    for (text, what) in [
        (&stated.triple.subject, "subject"),
        (&stated.triple.predicate, "relation"),
        (&stated.triple.object, "object"),
    ] {
        if text.is_empty() {
            return Err(whole(format!("there is no {what}")));
        }
    }
    stated.entities[0].name.clone_from(&stated.triple.subject);
    stated.entities[1].name.clone_from(&stated.triple.object);
    Ok(stated)
}

/// The document's title before what is cited, unless it names it already.
fn prefix(source: &mut String, title: &str) {
    if title.is_empty() || source.contains(title) {
        return;
    }
    *source = if source.is_empty() {
        format!("[{title}]")
    } else {
        format!("[{title}]: {source}")
    };
}

/// The text of a part; nothing for null.
fn text_of(name: &str, value: &Json) -> Result<Option<String>, BadLine> {
    match value {
        Json::Null => Ok(None),
        Json::String(text) => Ok(Some(text.trim().to_owned())),
        Json::Number(number) => Ok(Some(number.to_string())),
        _ => Err(whole(format!("`{}` is no text", excerpt(name)))),
    }
}

/// A title, up to a length.
fn title_of(name: &str, value: &Json) -> Result<Option<String>, BadLine> {
    let mut title = text_of(name, value)?;
    if let Some(title) = &mut title {
        title.truncate(title.floor_char_boundary(LONGEST_TITLE));
        title.truncate(title.trim_end().len());
    }
    Ok(title)
}

/// How much room metadata takes, about.
fn bytes_of(metadata: &Metadata) -> usize {
    let entries = metadata.iter();
    let entries = entries.map(|(name, datum)| ENTRY_BYTES + name.len() + bytes_of_datum(datum));
    entries.sum()
}

fn bytes_of_datum(datum: &Datum) -> usize {
    match datum {
        Datum::Text(text) => text.len(),
        Datum::List(items) => {
            let items = items.iter();
            items.map(|item| ENTRY_BYTES + bytes_of_datum(item)).sum()
        }
        Datum::Integer(_) | Datum::Float(_) | Datum::Boolean(_) => 0,
    }
}

/// A plain value as metadata.
fn datum_of_entry((name, value): (String, Json)) -> Option<(String, Datum)> {
    Some((name, datum(value)?))
}

fn datum(value: Json) -> Option<Datum> {
    Some(match value {
        Json::String(text) => Datum::Text(text),
        Json::Bool(truth) => Datum::Boolean(truth),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Datum::Integer(whole),
            None => Datum::Float(number.as_f64()?),
        },
        Json::Array(items) => {
            let plain = |item: Json| if item.is_array() { None } else { datum(item) };
            Datum::List(items.into_iter().map(plain).collect::<Option<Vec<_>>>()?)
        }
        Json::Null | Json::Object(_) => return None,
    })
}

fn whole(reason: String) -> BadLine {
    (None, reason)
}
