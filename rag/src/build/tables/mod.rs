//! Tables as typed nodes and relationships beside the layers of documents: a mapping is a contribution as a document is.
//!
//! ```text
//! TableSource -STATES-> (any label of the mapping) -any type of the mapping-> (any label)
//! ```
//! What a mapping states is a set of nodes and relationships in keys; writing it is the difference to what it stated before,
//! in one commit, and the graph is what the mappings that are there state. A node belongs to the mapping that states
//! it: another one that states it too is refused, so that no order decides what its properties are. Labels and types of the
//! layers themselves are no mapping's, nor are the properties that are written beside those of rows. A file that cannot be
//! read to its end is never taken for one that states less, and one that is missing or empty takes out what it stated only
//! if whoever brings it means that ([`TablesLimits::prune`]): it is more often a mishap.
//!
//! | what | where |
//! |---|---|
//! | what the rows state, in keys | `stated.rs` |
//! | what a mapping stated before, and the difference | `write.rs` |
//! | keys, vector indexes | `declare.rs` |
//! | how far it has come | `progress.rs` |

mod declare;
mod progress;
mod stated;
mod write;

use std::collections::BTreeSet;
use std::sync::Arc;

use stratigraph::storage::cancel::CancelToken;
use thiserror::Error;

use super::names::document_key;
use super::vectors::Vectors;
use super::{BuildError, Change, Layers};
use crate::read::{Origin, ReadError, TableMapping, TypedKey};
use progress::Telling;
use stated::Stated;

pub(crate) use declare::{is_of_layers, key_index as table_key_index};
pub use progress::{TablesProgress, TablesStep};

/// The label of a mapping's own node.
const SOURCE: &str = "TableSource";
/// From a mapping to the nodes that it states.
const STATES: &str = "STATES";
/// The property of relationships that names the mapping that states them.
const STATED_BY: &str = "stated_by";
/// The key of a node among all of its label.
const KEY: &str = "key";

/// The most nodes and relationships of a mapping: it is written as a whole, so it has an end.
const MOST_STATED: usize = 1_000_000;
/// The most broken rows that are told.
const MOST_TOLD: usize = 1000;

/// How far the work on tables may go.
#[derive(Clone, Debug)]
pub struct TablesLimits {
    /// What stops it: nothing is written then.
    pub cancel: CancelToken,
    /// About how many bytes of memory what the rows state may take: it is written as a whole.
    pub memory: usize,
    /// Whether what was stated may be taken out although a file is missing, empty, or all of its rows are broken.
    pub prune: bool,
}

impl Default for TablesLimits {
    /// As far as the machine goes.
    fn default() -> Self {
        Self {
            cancel: CancelToken::new(),
            memory: usize::MAX,
            prune: false,
        }
    }
}

/// What came of tables.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct TablesReport {
    /// Nodes that the mapping states.
    pub nodes: u64,
    /// Relationships that it states.
    pub relationships: u64,
    /// Rows that no rule was for.
    pub untaken: u64,
    /// Rows that could not be read, or state a node a second time and in another way, the first of them; the others are in.
    pub broken: Vec<ReadError>,
    /// How many that were.
    pub count_broken: u64,
    /// What changed in the graph.
    pub change: Change,
}

/// Why tables are as they were before.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TablesError {
    /// The layers refuse.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A name of the layers is used, or that of a property which is written beside those of rows.
    #[error(
        "{name} is a name of the layers themselves, and tables cannot have it: give it another one in the mapping"
    )]
    Taken {
        /// The name.
        name: Arc<str>,
    },
    /// Another mapping states a node.
    #[error("{}, line {}: {} {:?} is stated by {other} already: one mapping states a node", origin.file, origin.line, key.label, key.key)]
    StatedByOther {
        /// The node.
        key: TypedKey,
        /// Where.
        origin: Origin,
        /// Who states it.
        other: String,
    },
    /// Nobody knows what would have followed. What is behind it is said here, and not once more as its source.
    #[error(
        "a table could not be read to its end, and a part of it is not taken for the whole: {0}"
    )]
    CutShort(ReadError),
    /// An empty table in the place of a full one is more often a mishap than meant.
    #[error(
        "{file}: no row could be read of it, and what it may have stated before would be taken out, such as {lost}: put the file back, take it out of the mapping, or mean it with --prune (`prune` in a request and in a program){}",
        first_error(why.as_deref())
    )]
    Silent {
        /// The file, or the first of several.
        file: Arc<str>,
        /// The first of what would be taken out and its rules are for, in words.
        lost: String,
        /// What is wrong with it first; nothing if it only has no rows.
        why: Option<Box<ReadError>>,
    },
    /// Too much for one commit.
    #[error(
        "the tables state more than {MOST_STATED} nodes and relationships, and are written as a whole: split the mapping"
    )]
    TooMany,
    /// Too much for the memory that there is for it.
    #[error(
        "what the tables state takes more than {limit} bytes of memory, and is written as a whole: split the mapping"
    )]
    TooLarge {
        /// The memory that there is.
        limit: usize,
    },
}

fn first_error(why: Option<&ReadError>) -> String {
    why.map_or_else(String::new, |why| format!(". Its first error: {why}"))
}

impl From<stratigraph::Error> for TablesError {
    fn from(error: stratigraph::Error) -> Self {
        Self::Build(error.into())
    }
}

impl Layers {
    /// Writes what the tables of a mapping state, in the place of what they stated before under this id, in one commit.
    /// Rows that are broken are told, and the others go in, unless a file ends before its end, or says nothing any more.
    ///
    /// # Errors
    /// [`TablesError`]; the graph is as it was then.
    pub fn upsert_tables(
        &self,
        id: &str,
        mapping: &TableMapping,
    ) -> Result<TablesReport, TablesError> {
        self.upsert_tables_within(id, mapping, &TablesLimits::default(), &mut |_| ())
    }

    /// The same within limits; `told` hears how far it has come. While it is written `told` is called in the writer's place,
    /// so it must not write to the same database.
    ///
    /// # Errors
    /// [`TablesError`]; the graph is as it was then.
    pub fn upsert_tables_within(
        &self,
        id: &str,
        mapping: &TableMapping,
        limits: &TablesLimits,
        told: &mut dyn FnMut(TablesProgress),
    ) -> Result<TablesReport, TablesError> {
        let source = document_key(id)?;
        let mut telling = Telling::new(told, &limits.cancel);
        let (stated, mut report) = read(mapping, limits, &mut telling)?;
        self.refuse_silence(&source, &stated, limits)?;
        declare::declare(self, &mapping.schema())?;
        report.change = self.write_tables(&source, &stated, &mut telling)?;
        Ok(report)
    }

    /// What the tables of a mapping state, which is not written, and for which no vector is computed; `told` hears how far
    /// it has come.
    ///
    /// # Errors
    /// [`TablesError`]
    pub fn forecast_tables(
        &self,
        id: &str,
        mapping: &TableMapping,
        limits: &TablesLimits,
        told: &mut dyn FnMut(TablesProgress),
    ) -> Result<TablesReport, TablesError> {
        let source = document_key(id)?;
        let mut telling = Telling::new(told, &limits.cancel);
        let (stated, report) = read(mapping, limits, &mut telling)?;
        self.refuse_silence(&source, &stated, limits)?;
        Ok(report)
    }

    /// Takes out what the tables of a mapping stated under this id; nothing if there are none.
    ///
    /// # Errors
    /// What the database says.
    pub fn delete_tables(&self, id: &str) -> Result<Change, TablesError> {
        let mut told = |_: TablesProgress| ();
        let mut telling = Telling::new(&mut told, &CancelToken::new());
        self.write_tables(&document_key(id)?, &Stated::default(), &mut telling)
    }

    /// Refuses tables of which a file says nothing, if something that it may have stated would be taken out and nobody means it.
    /// Where all of that stays, as of a file that never was there, it is only told. Who stated what is not kept: of two files
    /// with rules for one label, either may have stated its nodes.
    fn refuse_silence(
        &self,
        source: &str,
        stated: &Stated,
        limits: &TablesLimits,
    ) -> Result<(), TablesError> {
        if limits.prune || stated.silent.is_empty() {
            return Ok(());
        }
        match write::silenced(self, source, stated)? {
            None => Ok(()),
            Some((file, lost)) => Err(TablesError::Silent {
                file: Arc::clone(&file.name),
                lost,
                why: file.why.clone().map(Box::new),
            }),
        }
    }

    fn write_tables(
        &self,
        source: &str,
        stated: &Stated,
        telling: &mut Telling<'_>,
    ) -> Result<Change, TablesError> {
        let mut vectors = Vectors::default();
        let wanted = write::texts_to_embed(self, source, stated)?;
        let wanted: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
        let wanted: Vec<&str> = wanted.into_iter().collect();
        telling.begin(TablesStep::Embed, wanted.len() as u64)?;
        let mut done = 0;
        for texts in wanted.chunks(super::vectors::TEXTS_AT_ONCE) {
            vectors.compute(texts, source, self.embedder())?;
            done += texts.len() as u64;
            telling.done(done)?;
        }
        write::write(self, source, stated, &mut vectors, telling)
    }
}

/// What the rows state, if the layers allow its names, and the report of it.
fn read(
    mapping: &TableMapping,
    limits: &TablesLimits,
    telling: &mut Telling<'_>,
) -> Result<(Stated, TablesReport), TablesError> {
    declare::check(&mapping.schema())?;
    let mut report = TablesReport::default();
    let stated = Stated::read(mapping, limits, &mut report, telling)?;
    report.nodes = stated.nodes.len() as u64;
    report.relationships = stated.edges.len() as u64;
    Ok((stated, report))
}

#[cfg(test)]
mod tests;
