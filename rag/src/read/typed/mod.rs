//! Tables as a typed graph: a mapping says what nodes and relationships the rows of CSV and JSON lines are.
//!
//! What comes out is in keys: nodes by label and key, relationships by the labels and keys of their ends, with
//! the texts that are to be embedded. Labels and types are the mapping's; a cell chooses among them only where
//! the mapping lists what it may say. A record that is broken is an error with its file and line, and the rest
//! goes on; memory is one record.
//!
//! | what | where |
//! |---|---|
//! | the mapping as somebody writes it | `mapping.rs` |
//! | what a rule makes of a row | `rule.rs` |
//! | rows of either form | `row.rs` |
//! | files, one after the other | `rows.rs` |

mod mapping;
mod row;
mod rows;
mod rule;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stratigraph::Value;

use super::ReadError;
pub use rows::TypedRows;
use rule::{EdgeRule, NodeRule};

/// Where something was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file as the mapping names it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u64,
}

/// What names a node among all of its label.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypedKey {
    /// The label.
    pub label: Arc<str>,
    /// The key; a number is its text.
    pub key: String,
}

/// A node that a row states.
#[derive(Clone, Debug)]
pub struct TypedNode {
    /// Its label and key.
    pub key: TypedKey,
    /// Its properties, each name once, in the order of the names.
    pub properties: BTreeMap<String, Value>,
    /// What is to be embedded: the property that will hold the vector, and the text.
    pub embed: Vec<(Arc<str>, String)>,
    /// Where it was read.
    pub origin: Origin,
}

/// A relationship that a row states.
#[derive(Clone, Debug)]
pub struct TypedEdge {
    /// Its type.
    pub kind: Arc<str>,
    /// Where it begins.
    pub from: TypedKey,
    /// Where it ends.
    pub to: TypedKey,
    /// Its properties.
    pub properties: BTreeMap<String, Value>,
    /// Where it was read.
    pub origin: Origin,
}

/// What a row states.
#[derive(Clone, Debug)]
pub enum Typed {
    /// A node.
    Node(TypedNode),
    /// A relationship.
    Edge(TypedEdge),
}

/// What the rows of tables are.
#[derive(Clone, Debug)]
pub struct TableMapping {
    files: Vec<MappedFile>,
}

/// A file and all that its rows are.
#[derive(Clone, Debug)]
struct MappedFile {
    name: Arc<str>,
    path: PathBuf,
    nodes: Vec<NodeRule>,
    edges: Vec<EdgeRule>,
}

/// What a mapping may bring into the graph: whoever builds declares it beforehand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TypedSchema {
    /// The labels, each with the properties that hold vectors and those that are metadata.
    pub labels: BTreeMap<Arc<str>, LabelSchema>,
    /// The types of relationships, with the labels of their ends.
    pub types: BTreeSet<(Arc<str>, Arc<str>, Arc<str>)>,
}

/// What the nodes of a label have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LabelSchema {
    /// The properties that hold vectors: an index each.
    pub vectors: BTreeSet<Arc<str>>,
    /// The properties that searches are narrowed by.
    pub metadata: BTreeSet<String>,
}

impl TableMapping {
    /// Reads a mapping. The files that it names lie in its folder or below it.
    ///
    /// # Errors
    ///
    /// It cannot be read, or makes no sense.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        mapping::read(path)
    }

    /// The nodes and relationships of all files, in the order of the mapping.
    #[must_use]
    pub fn rows(&self) -> TypedRows<'_> {
        TypedRows::new(&self.files)
    }

    /// The files that it names.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    /// What it may bring into the graph.
    #[must_use]
    pub fn schema(&self) -> TypedSchema {
        let mut schema = TypedSchema::default();
        for file in &self.files {
            for rule in &file.nodes {
                rule.declare(&mut schema);
            }
            for rule in &file.edges {
                rule.declare(&mut schema);
            }
        }
        schema
    }
}

#[cfg(test)]
mod tests;
