//! What something of the graph says, as a text that can be read and cited, and where it is said. `reader.rs` reads it.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use stratigraph::{Node, Value};

use crate::build::{Label, hash};

/// The most descriptions or sentences of one thing that are read out.
const MOST_TEXTS: usize = 16;

/// What something of the graph is called, for good: ids are of one database, and keys of what is said.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Name {
    /// Its label, or the type of a relationship.
    pub kind: String,
    /// Its key.
    pub key: String,
}

/// Where in a document something is said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The document.
    pub document: String,
    /// The hash of its whole text.
    pub version: String,
    /// The key of the chunk; nothing for headings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<String>,
    /// Which bytes.
    pub span: Range<u64>,
    /// The pages that they are on, from 1, if the document has pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<(u64, u64)>,
}

/// What something says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// What says it.
    pub name: Name,
    /// The headings that it stands under, as one line; empty for what stands under none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// What it says.
    pub text: String,
    /// Where that is said, at most 16 places.
    pub places: Vec<Place>,
}

impl Evidence {
    /// All of it as one text. What a heading says is the end of the line that it is.
    #[must_use]
    pub fn read_out(&self) -> String {
        match (self.heading.as_str(), self.text.as_str()) {
            ("", text) => text.to_owned(),
            (heading, text) if heading.ends_with(text) => heading.to_owned(),
            (heading, text) => format!("{heading}\n{text}"),
        }
    }

    /// The hash of everything that it says.
    #[must_use]
    pub fn hash(&self) -> String {
        hash([self.heading.as_str(), self.text.as_str()])
    }
}

/// Its label; of several, that of the layers, which has the key.
pub(super) fn kind_of(node: &Node) -> String {
    let known = Label::ALL
        .into_iter()
        .find(|label| node.has_label(label.name()));
    match known {
        Some(label) => label.name().to_owned(),
        None => node.labels().next().unwrap_or_default().to_owned(),
    }
}

pub(super) fn text_of(node: &Node, name: &str) -> String {
    let value = node.get(name).and_then(Value::as_str);
    value.unwrap_or_default().to_owned()
}

pub(super) fn texts_of<'n>(node: &'n Node, name: &str) -> impl Iterator<Item = &'n str> {
    let list = match node.get(name) {
        Some(Value::List(items)) => &items[..],
        _ => &[],
    };
    list.iter().filter_map(Value::as_str)
}

pub(super) fn said_of_instance(node: &Node) -> String {
    let said = texts_of(node, "descriptions").take(MOST_TEXTS);
    let said = said.chain(texts_of(node, "sentences").take(MOST_TEXTS));
    headed(&text_of(node, "name"), &joined(said))
}

/// A row of a table: what it has, but for vectors and what nobody wrote.
pub(super) fn row(node: &Node) -> String {
    let shown = |(name, value): (&str, &Value)| match value {
        Value::String(text) => Some(format!("{name}: {text}")),
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => Some(format!("{name}: {value}")),
        Value::Date(day) => Some(format!("{name}: {day}")),
        _ => None,
    };
    // What a vector was made of stands in other properties already.
    let of_vector = |name: &str| {
        let vector = name.strip_suffix("_text").and_then(|name| node.get(name));
        matches!(vector, Some(Value::Vector(_)))
    };
    let lines = node.properties();
    let lines = lines.filter(|(name, _)| *name != "key" && !of_vector(name));
    lines.filter_map(shown).collect::<Vec<_>>().join("\n")
}

pub(super) fn headed(name: &str, text: &str) -> String {
    match text.is_empty() {
        true => name.to_owned(),
        false => format!("{name}: {text}"),
    }
}

pub(super) fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<&str> = texts
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .collect();
    texts.join(" ")
}
