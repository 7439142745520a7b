//! A row of either form: cells by the names of their columns.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufRead;

use serde_json::Value as Json;
use stratigraph::Value;
use stratigraph_tables::json_value::{plain, value_as};
use stratigraph_tables::{
    BadRecord, CsvReader, Entries, Field, Kind, Lines, Place, Problem, Simple, excerpt,
};

/// Reads CSV.
pub(super) type Csv = CsvReader<Box<dyn BufRead>>;

/// What stands between the elements of a list in a cell.
const ARRAY: char = ';';

/// The most names in one cell.
const MOST_NAMES: usize = 10_000;

/// A row that was read.
pub(super) enum Row<'a> {
    /// Of a CSV file, with the places of its columns.
    Csv(&'a Csv, &'a HashMap<String, usize>),
    /// Of a file of JSON lines.
    Json(&'a Lines, &'a Entries),
}

impl Row<'_> {
    /// Where it stands.
    pub(super) fn place(&self) -> Place {
        match self {
            Self::Csv(reader, _) => reader.here(),
            Self::Json(lines, _) => lines.place(None),
        }
    }

    /// Whether it has the column at all.
    pub(super) fn has(&self, column: &str) -> bool {
        match self {
            Self::Csv(_, columns) => columns.contains_key(column),
            Self::Json(_, entries) => entries.0.iter().any(|(name, _)| name == column),
        }
    }

    /// What a cell says as a name of something: nothing if it is empty.
    pub(super) fn text(&self, column: &str) -> Result<Option<Cow<'_, str>>, BadRecord> {
        match self {
            Self::Csv(..) => {
                let text = self.field(column).map(|field| field.text.trim());
                Ok(text.filter(|text| !text.is_empty()).map(Cow::Borrowed))
            }
            Self::Json(..) => match self.json(column) {
                None => Ok(None),
                Some(json) => self.name_of(column, json),
            },
        }
    }

    /// The names that a cell holds: several in a list, or between separators.
    pub(super) fn texts(
        &self,
        column: &str,
        split: Option<&str>,
    ) -> Result<Vec<String>, BadRecord> {
        let mut all = Vec::new();
        let bounded = |count: usize| {
            if count <= MOST_NAMES {
                return Ok(());
            }
            let why = format!(
                "{}: {count} keys in one cell, and at most {MOST_NAMES} are taken",
                excerpt(column)
            );
            Err(BadRecord::new(self.place(), Problem::Refused(why)))
        };
        if let Some(Json::Array(list)) = self.json(column) {
            bounded(list.len())?;
            for one in list {
                all.extend(self.name_of(column, one)?.map(Cow::into_owned));
            }
            return Ok(all);
        }
        let Some(text) = self.text(column)? else {
            return Ok(all);
        };
        match split {
            None => all.push(text.into_owned()),
            Some(split) => {
                bounded(text.matches(split).count())?;
                let parts = text.split(split).map(str::trim);
                all.extend(parts.filter(|part| !part.is_empty()).map(str::to_owned));
            }
        }
        Ok(all)
    }

    /// The value of a cell; nothing if it is null.
    pub(super) fn value(&self, column: &str, kind: Kind) -> Result<Option<Value>, BadRecord> {
        match self {
            Self::Csv(reader, _) => {
                let Some(field) = self.field(column) else {
                    return Ok(None);
                };
                // Numbers and dates have no empty text; an empty text is one only in quotes.
                let text = matches!(
                    kind,
                    Kind::One(Simple::String) | Kind::List(_) | Kind::Bytes
                );
                if field.text.is_empty() && !(text && field.quoted) {
                    return Ok(None);
                }
                let value = kind.read(field.text, ARRAY).map_err(|reason| {
                    let problem = Problem::Value {
                        field: excerpt(column),
                        text: excerpt(field.text),
                        kind: kind.name(),
                        reason,
                    };
                    BadRecord::new(reader.place(field.line, Some(field.column)), problem)
                })?;
                Ok(Some(value))
            }
            Self::Json(..) => match self.json(column) {
                None => Ok(None),
                Some(json) => {
                    let value = value_as(kind, json, column, ARRAY);
                    let value = value.map_err(|problem| BadRecord::new(self.place(), problem))?;
                    Ok(Some(value))
                }
            },
        }
    }

    /// All cells that say something, as texts or as what JSON says.
    pub(super) fn all(&self) -> Result<Vec<(String, Value)>, BadRecord> {
        let mut all = Vec::new();
        match self {
            Self::Csv(_, columns) => {
                for name in columns.keys() {
                    let value = self.value(name, Kind::One(Simple::String))?;
                    all.extend(value.map(|value| (name.clone(), value)));
                }
            }
            Self::Json(_, entries) => {
                for (name, json) in &entries.0 {
                    if json.is_null() {
                        continue;
                    }
                    let value = plain(json).map_err(|why| {
                        let why = format!("{}: {why}", excerpt(name));
                        BadRecord::new(self.place(), Problem::Json(why))
                    })?;
                    all.push((name.clone(), value));
                }
            }
        }
        Ok(all)
    }

    fn field(&self, column: &str) -> Option<Field<'_>> {
        match self {
            Self::Csv(reader, columns) => reader.field(*columns.get(column)?),
            Self::Json(..) => None,
        }
    }

    fn json(&self, column: &str) -> Option<&Json> {
        match self {
            Self::Csv(..) => None,
            Self::Json(_, entries) => {
                let found = entries.0.iter().find(|(name, _)| name == column);
                found.map(|(_, json)| json).filter(|json| !json.is_null())
            }
        }
    }

    fn name_of<'j>(&self, column: &str, json: &'j Json) -> Result<Option<Cow<'j, str>>, BadRecord> {
        match json {
            Json::Null => Ok(None),
            Json::String(text) => {
                let text = text.trim();
                Ok((!text.is_empty()).then_some(Cow::Borrowed(text)))
            }
            Json::Number(number) if number.is_i64() => Ok(Some(Cow::Owned(number.to_string()))),
            _ => {
                let why = format!("{}: a key is a text or a whole number", excerpt(column));
                Err(BadRecord::new(self.place(), Problem::Json(why)))
            }
        }
    }
}
