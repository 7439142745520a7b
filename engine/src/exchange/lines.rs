//! The lines of a dump that are not nodes or relationships, as they are written and read.
//!
//! The fields are in the order of the text: the first names the kind of line.

use crate::catalog::NextIds;
use crate::index::text::Analysis;
use crate::value::ValueKind;
use serde::{Deserialize, Serialize};
use stratigraph_vector::{Coding, Metric};

/// The first line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    /// The format.
    pub(super) stratigraph_dump: u64,
    /// Whether ids are left out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) canonical: bool,
    pub(super) nodes: u64,
    pub(super) relationships: u64,
    /// The next free ids; not in a canonical dump.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<NextLine>,
}

/// The next free ids, of the header.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NextLine {
    pub(super) node: u64,
    pub(super) relationship: u64,
    /// Of indexes, constraints and hierarchies.
    pub(super) declaration: u32,
}

/// The last line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndLine {
    pub(super) end: EndCounts,
    /// Where the dump comes from: for people, and beside the checksum, since equal graphs of
    /// different databases should differ nowhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) of: Option<Origin>,
}

/// What was written before the last line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndCounts {
    pub(super) nodes: u64,
    pub(super) relationships: u64,
    /// XXH3 (64 bits) of all bytes before this line, in hex.
    pub(super) checksum: String,
}

/// Which commit of which database.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Origin {
    pub(super) database: String,
    pub(super) commit: u64,
}

/// A name that was used, in the order of first use.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub(super) enum NameLine {
    Label(String),
    Type(String),
    Property(String),
}

/// A property index that no constraint brings with it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IndexLine {
    /// Where it was read: it is refused much later.
    #[serde(skip)]
    pub(super) line: u64,
    pub(super) index: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) relationship_type: Option<String>,
    pub(super) properties: Vec<String>,
    /// What was there before has not all been entered: there may be something that it refuses.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) building: bool,
}

/// A vector index. It is on a label, on a type, or on all of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VectorIndexLine {
    /// Where it was read: it is refused much later.
    #[serde(skip)]
    pub(super) line: u64,
    pub(super) vector_index: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) relationship_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) any: Option<AnyWord>,
    pub(super) property: String,
    pub(super) dimensions: u32,
    pub(super) metric: Metric,
    pub(super) coding: Coding,
    pub(super) links: u32,
    pub(super) breadth: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) filters: Vec<String>,
}

/// A text index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextIndexLine {
    /// Where it was read: it is refused much later.
    #[serde(skip)]
    pub(super) line: u64,
    pub(super) text_index: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) relationship_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) any: Option<AnyWord>,
    pub(super) fields: Vec<TextFieldLine>,
    pub(super) analysis: Analysis,
    pub(super) k1: f32,
    pub(super) b: f32,
}

/// A property of a text index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextFieldLine {
    pub(super) property: String,
    pub(super) weight: f32,
}

/// Everything of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AnyWord {
    Node,
    Relationship,
}

/// A constraint.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConstraintLine {
    /// Where it was read: it is refused much later.
    #[serde(skip)]
    pub(super) line: u64,
    pub(super) constraint: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) relationship_type: Option<String>,
    pub(super) properties: Vec<String>,
    pub(super) demand: DemandWord,
    /// The kind of value that the demand `type` is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<String>,
    /// What was there before it has not all been looked at: it may be broken.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) building: bool,
}

/// What a constraint demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DemandWord {
    Unique,
    Exists,
    Type,
    Key,
}

/// A hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HierarchyLine {
    /// Where it was read: it is refused much later.
    #[serde(skip)]
    pub(super) line: u64,
    pub(super) hierarchy: String,
    #[serde(rename = "type")]
    pub(super) relationship_type: String,
    pub(super) tree: bool,
}

/// A node that was added to a hierarchy by name.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemberLine {
    pub(super) member: u64,
    pub(super) hierarchy: String,
}

impl From<NextIds> for NextLine {
    fn from(next: NextIds) -> Self {
        Self {
            node: next.node,
            relationship: next.relationship,
            declaration: next.schema,
        }
    }
}

impl From<NextLine> for NextIds {
    fn from(next: NextLine) -> Self {
        Self {
            node: next.node,
            relationship: next.relationship,
            schema: next.declaration,
        }
    }
}

/// The kind of value of that name.
pub(super) fn kind_named(name: &str) -> Option<ValueKind> {
    let kinds = [
        ValueKind::Null,
        ValueKind::Boolean,
        ValueKind::Integer,
        ValueKind::Float,
        ValueKind::String,
        ValueKind::Bytes,
        ValueKind::Date,
        ValueKind::Time,
        ValueKind::LocalTime,
        ValueKind::DateTime,
        ValueKind::LocalDateTime,
        ValueKind::Duration,
        ValueKind::List,
        ValueKind::Map,
        ValueKind::Vector,
    ];
    kinds.into_iter().find(|kind| kind.name() == name)
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_false(flag: &bool) -> bool {
    !*flag
}
