//! From the fields of a record, or the entries of an object, to what a node or a relationship is made of.
//!
//! Next: `bring.rs`.

use super::header::{Column, Part};
use super::ids::OuterId;
use super::mapping::Mapped;
use serde_json::Value as Json;
use std::io::BufRead;
use stratigraph::Value;
use stratigraph::value::json::from_json;
use stratigraph_tables::json_value::{plain, value_as};
use stratigraph_tables::{
    BadRecord, CsvReader, Entries, Field, Kind, Problem, Signs, Simple, excerpt,
};

/// What the fields of a record come to.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) id: Option<OuterId>,
    pub(super) labels: Vec<String>,
    pub(super) start: Option<OuterId>,
    pub(super) end: Option<OuterId>,
    pub(super) of: Option<String>,
    pub(super) properties: Vec<(String, Value)>,
}

pub(super) fn outer(id: String, space: &str) -> OuterId {
    OuterId {
        id,
        space: space.to_owned(),
    }
}

/// The values of an object as dumps write them.
pub(super) fn typed(entries: Entries) -> Result<Vec<(String, Value)>, Problem> {
    let values = entries.0.into_iter().map(|(name, json)| {
        let value = from_json(&json)
            .map_err(|error| Problem::Json(format!("{}: {error}", excerpt(&name))))?;
        Ok((name, value))
    });
    values.collect()
}

pub(super) fn parts_of(
    reader: &CsvReader<Box<dyn BufRead>>,
    columns: &[Column],
    names: &[String],
) -> Result<Parts, BadRecord> {
    if reader.width() != columns.len() {
        return Err(BadRecord::new(
            reader.here(),
            Problem::Fields {
                found: reader.width(),
                expected: columns.len(),
            },
        ));
    }
    let mut parts = Parts::default();
    let array = reader.signs().array;
    for (at, column) in columns.iter().enumerate() {
        let Some(field) = reader.field(at) else {
            continue;
        };
        let bad = |problem| BadRecord::new(reader.place(field.line, Some(field.column)), problem);
        let read = |kind: Kind| {
            kind.read(field.text, array)
                .map_err(|reason| bad(of_another_type(names.get(at), field, kind, reason)))
        };
        let missing = field.text.is_empty() && !field.quoted;
        match column {
            Column::Ignore => {}
            Column::Id {
                space,
                property,
                kind,
            } => {
                if field.text.is_empty() {
                    return Err(bad(Problem::Missing("id")));
                }
                // Also where it is no property: a number is a number.
                let value = read(Kind::One(*kind))?;
                if let Some(property) = property {
                    parts.properties.push((property.clone(), value));
                }
                parts.id = Some(outer(field.text.to_owned(), space));
            }
            Column::Labels => {
                let labels = field.text.split(array).map(str::trim);
                parts.labels = labels
                    .filter(|label| !label.is_empty())
                    .map(str::to_owned)
                    .collect();
            }
            Column::Start { space } if !field.text.is_empty() => {
                parts.start = Some(outer(field.text.to_owned(), space));
            }
            Column::End { space } if !field.text.is_empty() => {
                parts.end = Some(outer(field.text.to_owned(), space));
            }
            Column::Start { .. } => return Err(bad(Problem::Missing("start"))),
            Column::End { .. } => return Err(bad(Problem::Missing("end"))),
            Column::Type => parts.of = (!field.text.is_empty()).then(|| field.text.to_owned()),
            Column::Property { .. } if missing => {}
            Column::Property { name, kind } => {
                // Numbers and dates have no empty text: it is nothing, also in quotes.
                let no_text = !matches!(
                    kind,
                    Kind::One(Simple::String) | Kind::List(_) | Kind::Bytes
                );
                if !(no_text && field.text.is_empty()) {
                    parts.properties.push((name.clone(), read(*kind)?));
                }
            }
        }
    }
    Ok(parts)
}

fn of_another_type(name: Option<&String>, field: Field<'_>, kind: Kind, reason: String) -> Problem {
    Problem::Value {
        field: name.cloned().unwrap_or_default(),
        text: excerpt(field.text),
        kind: kind.name(),
        reason,
    }
}

/// What a mapping makes of the entries of an object.
pub(super) fn mapped_parts(
    entries: Entries,
    mapped: &Mapped,
    signs: Signs,
) -> Result<Parts, Problem> {
    let mut parts = Parts::default();
    for (key, json) in entries.0 {
        let id = |json: &Json| match json {
            Json::String(text) => Ok(text.clone()),
            Json::Number(number) if number.is_i64() => Ok(number.to_string()),
            Json::Null => Ok(String::new()),
            _ => Err(Problem::Json(format!(
                "{}: an id is a text or a whole number",
                excerpt(&key)
            ))),
        };
        match mapped.column(&key) {
            Some(Column::Ignore) => {}
            Some(Column::Id {
                space,
                property,
                kind,
            }) => {
                let text = id(&json)?;
                if text.is_empty() {
                    return Err(Problem::Missing("id"));
                }
                if let Some(property) = property {
                    let value = value_as(
                        Kind::One(kind),
                        &Json::String(text.clone()),
                        &key,
                        signs.array,
                    )?;
                    parts.properties.push((property, value));
                }
                parts.id = Some(outer(text, &space));
            }
            Some(Column::Labels) => match json {
                Json::String(text) => parts.labels.push(text),
                Json::Array(all) => parts
                    .labels
                    .extend(all.iter().filter_map(Json::as_str).map(str::to_owned)),
                Json::Null => {}
                _ => {
                    return Err(Problem::Json(format!(
                        "{}: labels are texts",
                        excerpt(&key)
                    )));
                }
            },
            Some(Column::Start { space }) => parts.start = Some(outer(id(&json)?, &space)),
            Some(Column::End { space }) => parts.end = Some(outer(id(&json)?, &space)),
            Some(Column::Type) => parts.of = Some(id(&json)?),
            Some(Column::Property { .. }) if json.is_null() => {}
            Some(Column::Property { name, kind }) => {
                let value = value_as(kind, &json, &key, signs.array)?;
                parts.properties.push((name, value));
            }
            None if json.is_null() => {}
            None => {
                let value = plain(&json)
                    .map_err(|why| Problem::Json(format!("{}: {why}", excerpt(&key))))?;
                parts.properties.push((key, value));
            }
        }
    }
    if mapped.part == Part::Nodes && parts.id.is_none() && mapped.has_id() {
        return Err(Problem::Missing("id"));
    }
    Ok(parts)
}
