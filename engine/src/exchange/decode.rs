//! One line of a dump, from its text.
//!
//! The first key names the kind of line, and every kind has a fixed set of fields: one that is
//! unknown, missing or there twice is refused, because a dump with it is not ours or is damaged.

use super::lines::{
    ConstraintLine, EndLine, Header, HierarchyLine, IndexLine, MemberLine, NameLine, TextIndexLine,
    VectorIndexLine,
};
use super::values::Properties;
use serde::de::{Deserialize, Deserializer, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A line of a dump.
#[derive(Debug)]
pub(super) enum Line<'a> {
    Header(Header),
    Name(NameLine),
    Index(IndexLine),
    VectorIndex(VectorIndexLine),
    TextIndex(TextIndexLine),
    Constraint(ConstraintLine),
    Hierarchy(HierarchyLine),
    Node(NodeLine<'a>),
    Relationship(RelationshipLine<'a>),
    Member(MemberLine),
    End(EndLine),
}

/// A node.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeLine<'a> {
    pub(super) node: u64,
    #[serde(borrow)]
    pub(super) labels: Vec<Text<'a>>,
    #[serde(borrow)]
    pub(super) properties: Properties<'a>,
}

/// A relationship.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RelationshipLine<'a> {
    pub(super) relationship: u64,
    #[serde(borrow, rename = "type")]
    pub(super) relationship_type: Text<'a>,
    pub(super) from: u64,
    pub(super) to: u64,
    #[serde(borrow)]
    pub(super) properties: Properties<'a>,
}

/// Why some text is no line.
#[derive(Debug)]
pub(super) struct BadLine {
    /// The column from 1; none if it is about the whole line.
    pub(super) column: Option<u64>,
    pub(super) problem: String,
}

/// The version of a header, whatever else may be in it.
#[derive(serde::Deserialize)]
struct Version {
    stratigraph_dump: u64,
}

/// The format that the text of a header names.
pub(super) fn decode_version(text: &str) -> Result<u64, BadLine> {
    let version: Version = parse(text)?;
    Ok(version.stratigraph_dump)
}

/// The line of some text.
pub(super) fn decode(text: &str) -> Result<Line<'_>, BadLine> {
    let kind = first_key(text).ok_or_else(|| BadLine {
        column: None,
        problem: "a line is one JSON object that begins with the key of its kind".to_owned(),
    })?;
    match kind {
        "node" => parse(text).map(Line::Node),
        "relationship" => parse(text).map(Line::Relationship),
        "member" => parse(text).map(Line::Member),
        "label" | "type" | "property" => parse(text).map(Line::Name),
        "index" => parse(text).map(Line::Index),
        "vector_index" => parse(text).map(Line::VectorIndex),
        "text_index" => parse(text).map(Line::TextIndex),
        "constraint" => parse(text).map(Line::Constraint),
        "hierarchy" => parse(text).map(Line::Hierarchy),
        "end" => parse(text).map(Line::End),
        "stratigraph_dump" => parse(text).map(Line::Header),
        // What a line of a canonical dump begins with.
        "labels" => Err(BadLine {
            column: None,
            problem: "a node begins with the key `node` and its id".to_owned(),
        }),
        unknown => Err(BadLine {
            column: None,
            problem: format!(
                "`{}` is not a kind of line",
                unknown.chars().take(40).collect::<String>().escape_debug()
            ),
        }),
    }
}

/// The first key of an object, as it is written: none of ours needs an escape.
fn first_key(text: &str) -> Option<&str> {
    let inside = text.trim_start().strip_prefix('{')?;
    let quoted = inside.trim_start().strip_prefix('"')?;
    Some(quoted.split_once('"')?.0)
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, BadLine> {
    serde_json::from_str(text).map_err(|error| {
        let mut problem = error.to_string();
        // serde_json counts lines in what it was given, which is one.
        let place = format!(" at line {} column {}", error.line(), error.column());
        if let Some(bare) = problem.strip_suffix(&place) {
            problem.truncate(bare.len());
        }
        BadLine {
            column: (error.column() > 0).then_some(error.column() as u64),
            problem,
        }
    })
}

/// A string that is borrowed from the line where it has no escapes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Text<'a>(pub(super) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}
