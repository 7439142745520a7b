//! Bulk load: nodes and relationships from iterators through sorted files, whole or not at all.
//!
//! ```text
//! add       records -> runs of nodes and edges        long values, vectors -> runs of their own
//!           relationships, index entries, sets -> sorted, what is too much for memory put aside
//! finish    hierarchies -> levels     merge -> runs of out, in, prop_index, labels
//!           take in all runs -> one last commit: names, counts, next ids
//! ```
//! [`add`] looks first and writes then, as a transaction does: an item that is refused has changed
//! nothing, and the load goes on without it. What only shows when everything is there (a cycle, two
//! loaded nodes with one key) fails [`BulkLoad::finish`] and undoes the load. Nothing here must ever
//! keep something of every relationship in memory, hierarchies excepted, which have a limit.
//!
//! [`finish`] is the second half; [`adjacency`] and [`pairs`] sort, by [`radix`] where
//! that is quicker; [`sides`] writes what nodes see.

mod add;
mod adjacency;
mod apart;
mod aside;
mod ends;
mod finish;
mod hierarchies;
mod names;
mod pairs;
mod radix;
mod scratch;
mod sets;
mod sides;
#[cfg(test)]
mod tests;

use super::keys::Entity;
use super::view::View;
use crate::catalog::{Counter, GraphState, SchemaId, check_id};
use crate::codec::CommitSeq;
use crate::error::{Error, Result};
use crate::index::property::Sketch;
use crate::keys::{KeyBulkLoad, KeyReadTxn, RunStream};
use crate::storage::batch::Batch;
use crate::storage::cancel::CancelToken;
use crate::storage::family::Family;
use crate::value::{NodeId, RelationshipId};
use adjacency::AdjacencySorter;
use apart::ApartWriter;
use ends::KnownNodes;
use hierarchies::{LoadedHierarchies, RELATIONSHIP_BYTES};
use pairs::PairSorter;
use scratch::ScratchWriter;
use sets::SetWriter;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The least memory that a load makes do with.
const MIN_MEMORY_BYTES: usize = 64 << 10;

/// How a bulk load works.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct BulkOptions {
    /// About how much memory sorting may take. Writing the sorted files takes some 100 MiB more,
    /// whatever the size of the load, and the store its cache.
    ///
    /// A relationship whose type is a hierarchy takes some 100 bytes until the load finishes; all of
    /// them together may take as much again.
    pub memory_bytes: usize,
    /// How many threads the load may keep busy; one does everything in the caller's.
    pub threads: usize,
}

impl Default for BulkOptions {
    fn default() -> Self {
        Self {
            memory_bytes: 256 << 20,
            threads: 2,
        }
    }
}

impl BulkOptions {
    /// The defaults: 256 MiB and two threads.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// About how much memory sorting may take.
    #[must_use]
    pub fn memory_bytes(mut self, bytes: usize) -> Self {
        self.memory_bytes = bytes;
        self
    }

    /// How many threads the load may keep busy.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }
}

/// What a load has brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BulkReport {
    /// How many nodes.
    pub nodes: u64,
    /// How many relationships.
    pub relationships: u64,
    /// The commit with which readers see them.
    pub commit: CommitSeq,
}

/// A bulk load: adds nodes and relationships, many times faster than transactions do, with bounded
/// memory and checks as strict. It holds the writer's place. Nobody sees anything before it is
/// [finished](Self::finish); dropping it, or a crash, undoes all of it.
///
/// Nodes and relationships cannot be changed once they are added. So what a transaction looks at when
/// it commits, whether every property that must be there is, a load looks at at once.
///
/// ```
/// use stratigraph::storage::cancel::Watch;
/// use stratigraph::{Database, Read};
///
/// let db = Database::in_memory()?;
/// let mut load = db.bulk_load()?;
/// let ann = load.add_node(["Person"], [("name", "Ann")])?;
/// let bob = load.add_node(["Person"], [("name", "Bob")])?;
/// load.add_relationship(ann, "KNOWS", bob, [("since", 2020)])?;
/// let report = load.finish(&mut Watch::quiet())?;
/// assert_eq!((report.nodes, report.relationships), (2, 1));
/// assert_eq!(db.read()?.node_count(Some("Person"))?, 2);
/// # Ok::<(), stratigraph::Error>(())
/// ```
pub struct BulkLoad {
    options: BulkOptions,
    state: GraphState,
    read: KeyReadTxn,
    cancel: CancelToken,
    /// What ended the load: half of an item may be written.
    failed: Option<Error>,
    nodes: u64,
    relationships: u64,
    known: KnownNodes,
    counts: HashMap<Counter, u64>,
    sketches: HashMap<SchemaId, Sketch>,
    /// Text indexes that have to look at what came.
    texts: BTreeSet<SchemaId>,
    /// Whose vectors came, for each vector index.
    vectors: BTreeMap<SchemaId, BTreeSet<u64>>,
    hierarchies: LoadedHierarchies,
    records: [RunStream; 2],
    apart: ApartWriter,
    adjacency: AdjacencySorter,
    labels: SetWriter,
    types: SetWriter,
    sets: PairSorter,
    entries: PairSorter,
    room: add::Room,
    recent: names::Recent,
    /// Names and what else the last commit stores.
    last: Batch,
    /// Comes last, so that whatever writes into its folder has ended when it is dropped.
    load: KeyBulkLoad,
}

impl BulkLoad {
    pub(crate) fn begin(load: KeyBulkLoad, read: KeyReadTxn, options: BulkOptions) -> Result<Self> {
        let state = GraphState::clone(&load.base().state);
        let options = BulkOptions {
            memory_bytes: options.memory_bytes.max(MIN_MEMORY_BYTES),
            threads: options.threads.max(1),
        };
        let (memory, beside) = (options.memory_bytes, options.threads > 1);
        let space = load.space();
        let limit = (memory / RELATIONSHIP_BYTES) as u64;
        Ok(Self {
            known: KnownNodes::new(state.next.node),
            hierarchies: LoadedHierarchies::new(state.next.node, limit),
            records: [Family::Nodes, Family::Edges].map(|family| space.stream(family)),
            // What is put aside is there twice while it is, and what is left at the end is turned.
            adjacency: AdjacencySorter::new(space, memory / 4, beside),
            entries: PairSorter::new(space, memory / 8, beside),
            apart: ApartWriter::new(space, memory / 16, beside),
            sets: PairSorter::new(space, memory / 32, beside),
            labels: SetWriter::of_labels(ScratchWriter::create(space)?),
            types: SetWriter::of_types(),
            options,
            state,
            read,
            cancel: CancelToken::new(),
            failed: None,
            nodes: 0,
            relationships: 0,
            counts: HashMap::new(),
            sketches: HashMap::new(),
            texts: BTreeSet::new(),
            vectors: BTreeMap::new(),
            room: add::Room::default(),
            recent: names::Recent::default(),
            last: Batch::new(),
            load,
        })
    }

    /// Lets `token` stop this load: adding fails then. [`finish`](Self::finish) has its own.
    #[must_use]
    pub fn with_cancel(mut self, token: CancelToken) -> Self {
        self.read = self.read.with_cancel(token.clone());
        self.cancel = token;
        self
    }

    /// How many nodes were added.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// How many relationships were added.
    #[must_use]
    pub fn relationships(&self) -> u64 {
        self.relationships
    }

    /// Makes the next ids at least these, so that those of what a dump no longer has are not given
    /// again.
    ///
    /// # Errors
    /// [`Error::TooMany`] beyond [`MAX_ID`](crate::catalog::MAX_ID); the load goes on without it.
    pub fn reserve_ids(&mut self, next_node: u64, next_relationship: u64) -> Result<()> {
        check_id("node ids", next_node.saturating_sub(1))?;
        check_id("relationship ids", next_relationship.saturating_sub(1))?;
        let next = &mut self.state.next;
        next.node = next.node.max(next_node);
        next.relationship = next.relationship.max(next_relationship);
        Ok(())
    }

    /// Adds a node to a hierarchy by name, so that it is a member also without relationships.
    ///
    /// # Errors
    /// [`Error::UnknownName`], [`Error::NodeNotFound`]; the load goes on without it.
    pub fn add_member(&mut self, hierarchy: &str, node: NodeId) -> Result<()> {
        self.step()?;
        let declared = self.state.catalog.hierarchy_named(hierarchy);
        let declared = declared.ok_or_else(|| Error::UnknownName {
            what: "hierarchy",
            name: hierarchy.into(),
        })?;
        let id = declared.id;
        let view = view(&self.read, &self.state);
        if !self.known.contains(&view, node)? {
            return Err(Error::NodeNotFound { node });
        }
        self.hierarchies.name(id, node);
        Ok(())
    }

    /// Whether the load may go on.
    fn step(&self) -> Result<()> {
        self.cancel.check()?;
        match &self.failed {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Ends the load, if what was written is no longer whole.
    fn or_fail<T>(&mut self, written: Result<T>) -> Result<T> {
        if let Err(error) = &written {
            self.failed = Some(error.clone());
        }
        written
    }
}

/// The graph before the load, with the names that the load has brought.
fn view<'a>(read: &'a KeyReadTxn, state: &'a GraphState) -> View<'a, KeyReadTxn> {
    View {
        keys: read,
        state,
        pending: None,
    }
}

/// An id of the load, and the next one: it may be chosen, but must rise.
fn take_id(
    wanted: Option<u64>,
    next: u64,
    family: Family,
    added: u64,
    what: &'static str,
) -> Result<(u64, u64)> {
    let id = wanted.unwrap_or(next);
    if id < next {
        return Err(Error::BulkOrder {
            family: family.name(),
            entry: added,
        });
    }
    Ok((check_id(what, id)?, id + 1))
}

/// A node or relationship of the load.
fn entity_of(family: Family, id: u64) -> Entity {
    match family {
        Family::Nodes => Entity::Node(NodeId::new(id)),
        _ => Entity::Relationship(RelationshipId::new(id)),
    }
}
