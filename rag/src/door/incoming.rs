//! Documents as they come through a door: bytes with a name.

use std::io::Cursor;
use std::path::Path;

use stratigraph::Value;

use super::{DoorError, Equipment};
use crate::ingest::FactList;
use crate::read::{Format, ReadError, Source};
use crate::{Datum, Document, Metadata};

/// The most entries that the metadata of a document may have when it comes from outside.
pub const LONGEST_METADATA: usize = 256;

/// How deep its lists may lie.
const DEEPEST: usize = 8;

/// A document as it comes: not read yet.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// Its name among all documents.
    pub id: String,
    /// Its bytes, as the file has them.
    pub bytes: Vec<u8>,
    /// How they are read; as the name ends if nothing is said.
    pub format: Option<Format>,
    /// What is known of it beside its text.
    pub metadata: Metadata,
}

/// A document that is ready to be taken in.
pub(super) enum Ready {
    Document(Box<Result<Document, ReadError>>),
    Facts(FactList),
}

/// The formats that a door takes, by the names that they have there.
const FORMATS: [(&str, Format); 5] = [
    ("markdown", Format::Markdown),
    ("html", Format::Html),
    ("plain", Format::Plain),
    ("pdf", Format::Pdf),
    ("facts", Format::JsonLines),
];

impl Incoming {
    /// The format of this name.
    ///
    /// # Errors
    /// [`DoorError::Request`] if none has it.
    pub fn format_named(name: &str) -> Result<Format, DoorError> {
        let found = FORMATS.iter().find(|(known, _)| *known == name);
        found.map(|(_, format)| *format).ok_or_else(|| {
            let name: String = name.chars().take(64).collect();
            let known = FORMATS.map(|(known, _)| known).join(", ");
            DoorError::request("format", format!("`{name}` is none of {known}"))
        })
    }

    /// The name of a format at the doors; none if it is no document.
    #[must_use]
    pub fn name_of_format(format: Format) -> Option<&'static str> {
        let found = FORMATS.iter().find(|(_, known)| *known == format);
        found.map(|(name, _)| *name)
    }

    pub(super) fn ready(self, equipment: &Equipment, has_facts: bool) -> Result<Ready, DoorError> {
        let format = match self.format.or_else(|| Format::of_path(Path::new(&self.id))) {
            Some(Format::JsonLines) if !has_facts => {
                let problem = "is a list of facts, and the layers of this database have none: it would need the profile tag, triples, hybrid, strata or layered";
                return Err(DoorError::request(self.id, problem));
            }
            Some(Format::JsonLines) => {
                return Ok(Ready::Facts(FactList {
                    id: self.id,
                    metadata: self.metadata,
                    lines: Box::new(Cursor::new(self.bytes)),
                }));
            }
            Some(Format::Csv) => {
                let problem = "is a table, and no document: tables come in with `stratigraph ingest --profile typed:MAPPING`";
                return Err(DoorError::request(self.id, problem));
            }
            Some(format) => format,
            None => {
                let problem = "does not say by its ending what it is: give its `format` (markdown, html, plain, pdf, facts)";
                return Err(DoorError::request(self.id, problem));
            }
        };
        let source = Source::new(&self.id, &self.bytes).metadata(self.metadata);
        let read = equipment.equip(source).read(format);
        Ok(Ready::Document(Box::new(read)))
    }
}

/// Metadata out of a value of a query.
///
/// # Errors
/// [`DoorError::Request`] if it holds what no document says of itself: nodes, say, or lists in lists in lists.
pub fn datum(name: &str, value: &Value) -> Result<Datum, DoorError> {
    within(name, value, 0)
}

fn within(name: &str, value: &Value, depth: usize) -> Result<Datum, DoorError> {
    Ok(match value {
        Value::String(text) => Datum::Text(text.as_ref().to_owned()),
        Value::Int(number) => Datum::Integer(*number),
        Value::Float(number) => Datum::Float(*number),
        Value::Bool(truth) => Datum::Boolean(*truth),
        Value::List(items) if depth < DEEPEST => {
            let items = items.iter().map(|item| within(name, item, depth + 1));
            Datum::List(items.collect::<Result<_, _>>()?)
        }
        other => {
            let name: String = name.chars().take(64).collect();
            let problem = format!(
                "is a {}: metadata are texts, numbers, truths and lists of those",
                other.kind()
            );
            return Err(DoorError::request(format!("metadata `{name}`"), problem));
        }
    })
}
