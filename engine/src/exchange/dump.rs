//! Writing a dump: one snapshot, line by line, with no more of it in memory than one line and a piece
//! of text on its way out.

use super::declared::Declarations;
use super::lines::{Header, MemberLine, NameLine, Origin};
use super::output::Output;
use super::read::DumpContents;
use super::text::Texts;
use super::{FORMAT, LINES_PER_STEP};
use crate::catalog::HierarchyDef;
use crate::codec::{CodecError, CommitSeq};
use crate::database::Database;
use crate::error::{Error, Result};
use crate::graph::Read;
use crate::graph::hierarchy::keys::{HierarchyKey, named};
use crate::graph::keys::decode_record_key;
use crate::graph::record::{NodeRecord, RelationshipRecord};
use crate::graph::view::{self, View};
use crate::keys::KeyRead;
use crate::storage::cancel::Watch;
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use crate::value::{NodeId, RelationshipId};
use std::io::Write;

/// What was dumped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DumpReport {
    /// The commit that was dumped.
    pub commit: CommitSeq,
    /// What the dump holds.
    pub contents: DumpContents,
    /// Its longest line; a load has a limit for that.
    pub longest_line_bytes: u64,
    /// The checksum of its end line.
    pub checksum: String,
}

impl Database {
    /// Writes everything as text: see `docs/dump-format.md`. It is of one commit, readers and
    /// writers go on meanwhile, and [`load`](Self::load) makes the same database of it. Two dumps of
    /// the same contents are the same bytes, but for the end line.
    ///
    /// ```
    /// use stratigraph::storage::cancel::Watch;
    /// use stratigraph::{Database, LoadOptions, Read};
    ///
    /// let db = Database::in_memory()?;
    /// let mut txn = db.write()?;
    /// txn.create_node(["Book"], [("title", "Moby-Dick")])?;
    /// txn.commit()?;
    ///
    /// let mut watch = Watch::quiet();
    /// let mut text = Vec::new();
    /// db.dump(&mut text, &mut watch)?;
    /// let again = Database::in_memory()?;
    /// again.load(&text[..], &LoadOptions::default(), &mut watch)?;
    /// assert_eq!(again.read()?.node_count(Some("Book"))?, 1);
    /// # Ok::<(), stratigraph::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`DumpError::Write`](super::DumpError::Write), damage, [`Error::Cancelled`]; what was written
    /// by then has no end line, and no load takes it.
    pub fn dump(&self, out: impl Write, watch: &mut Watch<'_>) -> Result<DumpReport> {
        let read = self.read()?;
        let view = view::of(&read);
        let nodes = read.node_count(None)?;
        let relationships = read.relationship_count(None)?;
        let mut output = Output::new(out);
        output.json(&Header {
            stratigraph_dump: FORMAT,
            canonical: false,
            nodes,
            relationships,
            next: Some(view.state.next.into()),
        })?;
        let catalog = view.catalog();
        write_names(&mut output, &view)?;
        let declarations = Declarations::of(catalog)?;
        write_declarations(&mut output, &declarations)?;
        let texts = Texts::new(catalog);
        let mut progress = Steps {
            watch,
            total: nodes + relationships,
            done: 0,
        };
        each_node(&view, |node, record| {
            progress.step("dump nodes")?;
            output.line(|text| {
                let _ = write!(text, "{{\"node\":{node},");
                texts.push_node(text, view.keys, node.into(), record)
            })
        })?;
        expect_count(progress.done, nodes)?;
        each_relationship(&view, |relationship, record| {
            progress.step("dump relationships")?;
            output.line(|text| {
                let _ = write!(text, "{{\"relationship\":{relationship},");
                texts.push_relationship(text, view.keys, relationship.into(), record)
            })
        })?;
        expect_count(progress.done, nodes + relationships)?;
        let mut members = 0;
        for hierarchy in catalog.hierarchies() {
            each_member(&view, hierarchy, |node| {
                members += 1;
                output.json(&MemberLine {
                    member: node.get(),
                    hierarchy: String::from(&*hierarchy.name),
                })
            })?;
        }
        let commit = read.commit_seq();
        let origin = Origin {
            database: self.id().to_string(),
            commit: commit.get(),
        };
        let written = output.end(nodes, relationships, Some(origin))?;
        progress.finish("dump")?;
        let names = catalog.labels.len() + catalog.types.len() + catalog.properties.len();
        Ok(DumpReport {
            commit,
            contents: DumpContents {
                nodes,
                relationships,
                names: names as u64,
                declarations: declarations.len() as u64,
                members,
                bytes: written.bytes,
            },
            longest_line_bytes: written.longest_line_bytes,
            checksum: written.checksum,
        })
    }
}

fn write_names<W: Write, K: KeyRead>(output: &mut Output<W>, view: &View<'_, K>) -> Result<()> {
    let catalog = view.catalog();
    for (_, name) in catalog.labels.iter() {
        output.json(&NameLine::Label(String::from(&**name)))?;
    }
    for (_, name) in catalog.types.iter() {
        output.json(&NameLine::Type(String::from(&**name)))?;
    }
    for (_, name) in catalog.properties.iter() {
        output.json(&NameLine::Property(String::from(&**name)))?;
    }
    Ok(())
}

pub(super) fn write_declarations<W: Write>(
    output: &mut Output<W>,
    declarations: &Declarations,
) -> Result<()> {
    for index in &declarations.indexes {
        output.json(index)?;
    }
    for index in &declarations.vector_indexes {
        output.json(index)?;
    }
    for index in &declarations.text_indexes {
        output.json(index)?;
    }
    for constraint in &declarations.constraints {
        output.json(constraint)?;
    }
    for hierarchy in &declarations.hierarchies {
        output.json(hierarchy)?;
    }
    Ok(())
}

/// Tells a watch of progress, now and then.
pub(super) struct Steps<'a, 'w> {
    pub(super) watch: &'a mut Watch<'w>,
    pub(super) total: u64,
    pub(super) done: u64,
}

impl Steps<'_, '_> {
    pub(super) fn step(&mut self, what: &str) -> Result<()> {
        if self.done.is_multiple_of(LINES_PER_STEP) {
            self.watch.step(what, self.done, self.total)?;
        }
        self.done += 1;
        Ok(())
    }

    pub(super) fn finish(&mut self, what: &str) -> Result<()> {
        self.watch.step(what, self.total, self.total)
    }
}

/// Every node with its record, in order.
pub(super) fn each_node<K: KeyRead>(
    view: &View<'_, K>,
    mut visit: impl FnMut(NodeId, NodeRecord) -> Result<()>,
) -> Result<()> {
    each_record(view, Family::Nodes, NodeRecord::decode, |number, record| {
        visit(NodeId::new(number), record)
    })
}

/// Every relationship with its record, in order.
pub(super) fn each_relationship<K: KeyRead>(
    view: &View<'_, K>,
    mut visit: impl FnMut(RelationshipId, RelationshipRecord) -> Result<()>,
) -> Result<()> {
    let decode = RelationshipRecord::decode;
    each_record(view, Family::Edges, decode, |number, record| {
        visit(RelationshipId::new(number), record)
    })
}

fn each_record<K: KeyRead, R>(
    view: &View<'_, K>,
    family: Family,
    decode: impl Fn(&[u8]) -> Result<R, CodecError>,
    mut visit: impl FnMut(u64, R) -> Result<()>,
) -> Result<()> {
    let damaged = |error| Error::record(family.name(), error);
    let mut scan = view
        .keys
        .scan_with(family, &KeyRange::all(), ScanOptions::once())?;
    while let Some(entry) = scan.next()? {
        let number = decode_record_key(entry.key).map_err(damaged)?;
        visit(number, decode(entry.value).map_err(damaged)?)?;
    }
    Ok(())
}

/// Every node that was added to a hierarchy by name, in order.
pub(super) fn each_member<K: KeyRead>(
    view: &View<'_, K>,
    hierarchy: &HierarchyDef,
    mut visit: impl FnMut(NodeId) -> Result<()>,
) -> Result<()> {
    let damaged = |error| Error::record(Family::Hierarchy.name(), error);
    let mut scan = view.keys.scan(Family::Hierarchy, &named(hierarchy.id))?;
    while let Some(entry) = scan.next()? {
        match HierarchyKey::decode(entry.key).map_err(damaged)? {
            HierarchyKey::Named(_, node) => visit(node)?,
            // The range holds nothing else.
            HierarchyKey::LevelOf(..) | HierarchyKey::Members(..) => {}
        }
    }
    Ok(())
}

/// A dump states its counts before it has walked; that they differ is damage.
fn expect_count(found: u64, stated: u64) -> Result<()> {
    if found == stated {
        return Ok(());
    }
    Err(Error::record(
        Family::Meta.name(),
        CodecError::NotCanonical {
            what: "count of nodes or relationships",
            at: 0,
        },
    ))
}
