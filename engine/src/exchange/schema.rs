//! Declarations apart from contents: for whoever brings nodes and relationships in a form of their own, and wants
//! indexes, constraints and hierarchies exactly as they were.

use super::declared::Declarations;
use super::decode;
use super::dump::each_member;
use super::load::declare_all;
use crate::database::Database;
use crate::error::{Error, Result};
use crate::graph::{Read, ReadTxn, view};
use crate::storage::cancel::Watch;
use crate::value::NodeId;
use serde::Serialize;
use std::sync::Arc;

/// What is declared in a database, as the lines that a dump has for it.
#[derive(Debug, Clone, Default)]
pub struct DeclarationLines(Declarations);

impl DeclarationLines {
    /// What is declared at a snapshot.
    ///
    /// # Errors
    /// Damage.
    pub fn of(read: &ReadTxn) -> Result<Self> {
        Ok(Self(Declarations::of(read.catalog())?))
    }

    /// How many declarations there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The lines, without their ends, in an order in which they can be declared.
    ///
    /// # Errors
    /// None that a caller can cause.
    pub fn to_lines(&self) -> Result<Vec<String>> {
        let all = &self.0;
        let indexes = all.indexes.iter().map(line);
        let texts = all.text_indexes.iter().map(line);
        let constraints = all.constraints.iter().map(line);
        let hierarchies = all.hierarchies.iter().map(line);
        // As in a load: last, for the indexes that they are given for their filters.
        let vectors = all.vector_indexes.iter().map(line);
        let others = indexes.chain(texts).chain(constraints);
        others.chain(hierarchies).chain(vectors).collect()
    }

    /// Adds what a line declares; `at` is its number, for whoever refuses it later.
    ///
    /// # Errors
    /// [`DumpError`](super::DumpError): it is no such line.
    pub fn add(&mut self, at: u64, text: &str) -> Result<()> {
        let read = decode::decode(text).map_err(|bad| bad.at(at))?;
        self.0.add(at, read)
    }
}

fn line(of: &impl Serialize) -> Result<String> {
    serde_json::to_string(of).map_err(|_| Error::bug("a declaration could not be written"))
}

impl Database {
    /// Declares what the lines say, one after the other, and gives the names of those that were still being built
    /// when they were written and refuse what is here: they are not declared.
    ///
    /// ```
    /// use stratigraph::exchange::DeclarationLines;
    /// use stratigraph::storage::cancel::Watch;
    /// use stratigraph::{Database, Read};
    ///
    /// let db = Database::in_memory()?;
    /// let mut lines = DeclarationLines::default();
    /// lines.add(1, r#"{"index":"by_name","label":"Person","properties":["name"]}"#)?;
    /// db.declare(&lines, &mut Watch::quiet())?;
    /// assert!(db.read()?.index("by_name").is_ok());
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`DumpError::Refused`](super::DumpError::Refused) with the line; what came before it stays declared.
    pub fn declare(
        &self,
        lines: &DeclarationLines,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Arc<str>>> {
        declare_all(self, &lines.0, watch)
    }
}

/// Visits every node that was added to a hierarchy by name, with that name.
///
/// # Errors
/// Damage; what `visit` refuses.
pub fn named_members(
    read: &ReadTxn,
    mut visit: impl FnMut(&str, NodeId) -> Result<()>,
) -> Result<()> {
    let view = view::of(read);
    for hierarchy in read.catalog().hierarchies() {
        each_member(&view, hierarchy, |node| visit(&hierarchy.name, node))?;
    }
    Ok(())
}
