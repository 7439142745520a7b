//! The canonical dump: equal graphs give equal text, whatever their ids are.
//!
//! ```text
//! graph with ids ──gathered──> contents, each once ──arranged──> an order of nodes without ids ──> text
//! ```
//! Two nodes have the same place in every copy of a graph if their contents and everything around
//! them say which is which; [`order`] finds that order, [`partition`] is the step it is made of. The
//! text holds the whole graph, and so different graphs never have the same text. Equal graphs have
//! the same text unless they are so large and so symmetric that looking at every choice would take
//! too long; see [`order`].
//!
//! All of it happens in memory: it is for tests and comparisons, and has a limit.

mod arranged;
mod gathered;
mod graph;
mod order;
mod partition;

use super::FORMAT;
use super::declared::Declarations;
use super::dump::{DumpReport, Steps, write_declarations};
use super::error::DumpError;
use super::lines::Header;
use super::output::Output;
use super::read::DumpContents;
use crate::catalog::Catalog;
use crate::database::Database;
use crate::error::Result;
use crate::graph::{Read as _, view};
use crate::storage::cancel::Watch;
use arranged::Arranged;
use gathered::Gathered;
use std::io::Write;

/// The most nodes of a canonical dump.
pub const MAX_CANONICAL_NODES: u64 = 4_000_000;
/// The most relationships of a canonical dump.
pub const MAX_CANONICAL_RELATIONSHIPS: u64 = 16_000_000;

impl Database {
    /// Writes everything as text without ids, in an order that does not depend on them: the text of
    /// two databases is the same if their graphs are, with the same declarations. Relationships name
    /// their ends by the places of the nodes' lines, from 0. It cannot be loaded.
    ///
    /// Different graphs never have one text. Equal graphs can have two only if they hold a part of
    /// some thousand nodes or more, or of some hundred that are tightly linked, in which nodes look
    /// alike at every distance without being images of each other: telling those apart has a budget of
    /// some seconds.
    ///
    /// Names that nothing has, and the next free ids, are left out.
    ///
    /// # Errors
    /// [`DumpError::TooLargeToCompare`]; otherwise as [`dump`](Self::dump).
    pub fn dump_canonical(&self, out: impl Write, watch: &mut Watch<'_>) -> Result<DumpReport> {
        let read = self.read()?;
        let view = view::of(&read);
        let nodes = read.node_count(None)?;
        let relationships = read.relationship_count(None)?;
        limit("nodes", nodes, MAX_CANONICAL_NODES)?;
        limit("relationships", relationships, MAX_CANONICAL_RELATIONSHIPS)?;
        let catalog = view.catalog();
        let mut hierarchies: Vec<_> = catalog.hierarchies().collect();
        hierarchies.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        let mut progress = Steps {
            watch,
            total: nodes + relationships,
            done: 0,
        };
        let gathered = Gathered::read(&view, &hierarchies, &mut progress)?;
        let arranged = Arranged::of(gathered, &mut progress)?;
        let mut output = Output::new(out);
        output.json(&Header {
            stratigraph_dump: FORMAT,
            canonical: true,
            nodes,
            relationships,
            next: None,
        })?;
        let declarations = sorted_declarations(catalog)?;
        write_declarations(&mut output, &declarations)?;
        arranged.write(&mut output, &hierarchies)?;
        let written = output.end(nodes, relationships, None)?;
        progress.finish("dump")?;
        Ok(DumpReport {
            commit: read.commit_seq(),
            contents: DumpContents {
                nodes,
                relationships,
                names: 0,
                declarations: declarations.len() as u64,
                members: arranged.members(),
                bytes: written.bytes,
            },
            longest_line_bytes: written.longest_line_bytes,
            checksum: written.checksum,
        })
    }
}

/// What is declared, whatever the order was in which it was.
fn sorted_declarations(catalog: &Catalog) -> Result<Declarations> {
    let mut declarations = Declarations::of(catalog)?;
    declarations.indexes.sort_unstable();
    let vectors = &mut declarations.vector_indexes;
    vectors.sort_unstable_by(|left, right| left.vector_index.cmp(&right.vector_index));
    let texts = &mut declarations.text_indexes;
    texts.sort_unstable_by(|left, right| left.text_index.cmp(&right.text_index));
    declarations.constraints.sort_unstable();
    declarations.hierarchies.sort_unstable();
    Ok(declarations)
}

fn limit(what: &'static str, count: u64, limit: u64) -> Result<()> {
    if count <= limit {
        return Ok(());
    }
    Err(DumpError::TooLargeToCompare { what, count, limit }.into())
}

#[cfg(test)]
mod tests;
