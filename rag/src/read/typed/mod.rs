//! Tables as a typed graph: a mapping says what nodes and relationships the rows of CSV and JSON lines are.
//!
//! What comes out is in keys: nodes by label and key, relationships by the labels and keys of their ends, with
//! the texts that are to be embedded. Labels and types are the mapping's; a cell chooses among them only where
//! the mapping lists what it may say. A record that is broken is an error with its file and line, and the rest
//! goes on; so it does after a file that ends before its end, but whoever reads can tell (`TypedRows::is_cut_short`).
//! Memory is one record.
//!
//! | what | where |
//! |---|---|
//! | the mapping as somebody writes it | `mapping.rs` |
//! | what a rule makes of a row | `rule.rs` |
//! | rows of either form | `row.rs` |
//! | files, one after the other | `rows.rs` |
//! | how much of them was read | `counted.rs` |
//! | files that are in memory, as they came over a network | `sent.rs` |

mod counted;
mod mapping;
mod row;
mod rows;
mod rule;
mod sent;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stratigraph::Value;

use stratigraph_tables::mapping::inside;

use super::{Format, Place, ReadError};
pub use rows::TypedRows;
use rule::{EdgeRule, NodeRule};
use sent::Sent;

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
    /// As errors name it.
    name: Arc<str>,
    text: Arc<str>,
    files: Vec<MappedFile>,
}

/// A file and all that its rows are.
#[derive(Clone, Debug)]
struct MappedFile {
    name: Arc<str>,
    /// Where it lies as seen from the mapping: what tells two files apart, and whose ending says the format.
    place: PathBuf,
    bytes: Bytes,
    nodes: Vec<NodeRule>,
    edges: Vec<EdgeRule>,
}

/// A file of which no row could be read: it is missing or empty, or all of its rows are broken.
#[derive(Clone, Debug)]
pub(crate) struct SilentFile {
    pub(crate) name: Arc<str>,
    /// The labels of nodes that its rules are for. One that is only referred to goes with what refers to it.
    pub(crate) labels: BTreeSet<Arc<str>>,
    /// The types of relationships that its rules are for, with the labels of their ends.
    pub(crate) types: BTreeSet<(Arc<str>, Arc<str>, Arc<str>)>,
    /// What is wrong with it first; nothing if there is no row.
    pub(crate) why: Option<ReadError>,
}

/// Where the bytes of a file are. What somebody has sent is never looked for on a disk.
#[derive(Clone, Debug)]
enum Bytes {
    OnDisk(PathBuf),
    /// Nothing, until it has come.
    Sent(Option<Sent>),
}

/// What a mapping may bring into the graph: whoever builds declares it beforehand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TypedSchema {
    /// The labels, each with the properties that hold vectors and those that are metadata.
    pub labels: BTreeMap<Arc<str>, LabelSchema>,
    /// The types of relationships, with the labels of their ends.
    pub types: BTreeSet<(Arc<str>, Arc<str>, Arc<str>)>,
    /// The properties of relationships, of whichever type.
    pub relationship_properties: BTreeSet<String>,
}

/// What the nodes of a label have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LabelSchema {
    /// The properties that hold vectors: an index each.
    pub vectors: BTreeSet<Arc<str>>,
    /// The properties that searches are narrowed by.
    pub metadata: BTreeSet<String>,
    /// The properties that are listed. A rule that lists none has the columns of its file, which is not read for this.
    pub properties: BTreeSet<String>,
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

    /// Makes a mapping of its text, for files that are [sent](Self::send): none is ever opened. Errors call it by its name.
    ///
    /// ```
    /// use stratigraph_rag::read::TableMapping;
    ///
    /// let text = "[[nodes]]\nfile = 'rocks.csv'\nlabel = 'Rock'\nkey = 'name'\n";
    /// let mut mapping = TableMapping::parse("rocks.toml", text)?;
    /// mapping.send("rocks.csv", b"name,age\nBas".to_vec())?;
    /// mapping.send("rocks.csv", b"alt,4\n".to_vec())?;
    /// assert_eq!(mapping.rows().count(), 1);
    /// assert!(mapping.send("../rocks.csv", Vec::new()).is_err());
    /// # Ok::<(), stratigraph_rag::read::ReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// It makes no sense.
    pub fn parse(name: &str, text: &str) -> Result<Self, ReadError> {
        mapping::parse(name, text, None)
    }

    /// Takes a piece of a file in: pieces of one file make it up in the order in which they come. A file of which none
    /// comes is missing.
    ///
    /// # Errors
    ///
    /// The mapping does not name the file, or has its files in a folder.
    pub fn send(&mut self, file: &str, piece: Vec<u8>) -> Result<(), ReadError> {
        let refuse = |reason: String| {
            let hint = "send the files that the mapping names, as it names them";
            ReadError::new(&self.name, Place::File, reason, hint)
        };
        let place = inside(Path::new(file)).map_err(refuse)?;
        let named = self.files.iter_mut().find(|known| known.place == place);
        match named.map(|file| &mut file.bytes) {
            Some(Bytes::Sent(sent)) => {
                sent.get_or_insert_default().push(piece);
                Ok(())
            }
            Some(Bytes::OnDisk(_)) => Err(refuse(format!("{file}: it is read from a folder"))),
            None => {
                let shown = stratigraph_tables::excerpt(file);
                Err(refuse(format!("{shown}: the mapping names no such file")))
            }
        }
    }

    /// The mapping as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The nodes and relationships of all files, in the order of the mapping.
    #[must_use]
    pub fn rows(&self) -> TypedRows<'_> {
        TypedRows::new(&self.files)
    }

    /// The files that it names, as it names them, and where they lie if that is on a disk.
    pub fn files(&self) -> impl Iterator<Item = (&str, Option<&Path>)> {
        self.files.iter().map(|file| match &file.bytes {
            Bytes::OnDisk(path) => (&*file.name, Some(path.as_path())),
            Bytes::Sent(_) => (&*file.name, None),
        })
    }

    /// How many bytes its tables have: those that are there, as whoever reads the others says what is wrong. A file that is
    /// no table is never read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let tables = self.files.iter().filter(|file| file.format().is_some());
        let bytes = tables.map(|file| match &file.bytes {
            Bytes::OnDisk(path) => path.metadata().map_or(0, |known| known.len()),
            Bytes::Sent(sent) => sent.as_ref().map_or(0, Sent::bytes),
        });
        bytes.sum()
    }

    /// What it may bring into the graph.
    #[must_use]
    pub fn schema(&self) -> TypedSchema {
        let mut schema = TypedSchema::default();
        for file in &self.files {
            file.declare(&mut schema);
        }
        schema
    }
}

impl MappedFile {
    /// How its rows are read; nothing if it is no table.
    fn format(&self) -> Option<Format> {
        let format = Format::of_path(&self.place);
        format.filter(|format| matches!(format, Format::Csv | Format::JsonLines))
    }

    /// It as one of which no row could be read.
    fn silent(&self, why: Option<ReadError>) -> SilentFile {
        let mut schema = TypedSchema::default();
        self.declare(&mut schema);
        let labels = self.nodes.iter().flat_map(|rule| rule.label.names());
        SilentFile {
            name: Arc::clone(&self.name),
            labels: labels.cloned().collect(),
            types: schema.types,
            why,
        }
    }

    /// Adds what it may bring.
    fn declare(&self, schema: &mut TypedSchema) {
        for rule in &self.nodes {
            rule.declare(schema);
        }
        for rule in &self.edges {
            rule.declare(schema);
        }
    }
}

#[cfg(test)]
mod tests;
