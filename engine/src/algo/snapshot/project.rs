//! From a snapshot to a projection.
//!
//! A [`Selection`] says what; `fill.rs` reads it, and `cache.rs` keeps it.

use super::cache::{Found, ProjectionCache};
use super::fill;
use crate::algo::pace::Pace;
use crate::algo::parallel::MOST_THREADS;
use crate::algo::{AlgoError, Projection, ProjectionBuilder, ProjectionOptions};
use crate::catalog::TypeId;
use crate::graph::{Read, ReadTxn, view};
use crate::storage::cancel::Watch;
use crate::value::NodeId;
use roaring::RoaringTreemap;
use std::sync::Arc;

/// Which part of the graph is projected, and what is kept of it.
///
/// ```
/// use stratigraph::algo::snapshot::Selection;
/// use stratigraph::{Database, NO_PROPERTIES, Read};
///
/// let db = Database::in_memory()?;
/// let mut txn = db.write()?;
/// let ann = txn.create_node(["Person"], [("name", "Ann")])?;
/// let bob = txn.create_node(["Person"], [("name", "Bob")])?;
/// txn.create_relationship(ann, "KNOWS", bob, NO_PROPERTIES)?;
/// txn.commit()?;
///
/// let people = Selection::all().label("Person").relationship_type("KNOWS");
/// let graph = db.read()?.project(&people)?;
/// assert_eq!((graph.len(), graph.relationship_count()), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "it only says what to project"]
pub struct Selection {
    labels: Vec<String>,
    nodes: Option<RoaringTreemap>,
    types: Vec<String>,
    weight: Option<String>,
    options: ProjectionOptions,
    threads: usize,
}

impl Selection {
    /// Every node and every relationship.
    pub fn all() -> Self {
        Self {
            labels: Vec::new(),
            nodes: None,
            types: Vec::new(),
            weight: None,
            options: ProjectionOptions::default(),
            threads: 2,
        }
    }

    /// Only nodes with this label; called again, with either.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.labels.push(label.into());
        self
    }

    /// Only these nodes; with labels, only those of them that have one.
    pub fn nodes(mut self, nodes: RoaringTreemap) -> Self {
        self.nodes = Some(nodes);
        self
    }

    /// Only relationships of this type; called again, of either.
    pub fn relationship_type(mut self, relationship_type: impl Into<String>) -> Self {
        self.types.push(relationship_type.into());
        self
    }

    /// Keeps a numeric property of the relationships as their weight. One that lacks it weighs 1.
    pub fn weight(mut self, property: impl Into<String>) -> Self {
        self.weight = Some(property.into());
        self.options.weights = true;
        self
    }

    /// Lists every relationship at both of its ends.
    pub fn undirected(mut self) -> Self {
        self.options.undirected = true;
        self
    }

    /// Keeps the ids of the relationships too.
    pub fn with_relationships(mut self) -> Self {
        self.options.relationships = true;
        self
    }

    /// Builds the incoming direction at once.
    pub fn with_incoming(mut self) -> Self {
        self.options.incoming = true;
        self
    }

    /// The most memory that building it may take. 4 GiB by default. One that was kept takes none
    /// to build, and then must not be larger.
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.options.max_bytes = bytes;
        self
    }

    /// How many threads build it, up to 64. 2 by default; the result does not depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.clamp(1, MOST_THREADS);
        self
    }

    /// What two selections have in common that project the same: not how it is built, nor in which
    /// order or how often names are given.
    pub(super) fn key(&self) -> Self {
        let mut key = self.clone();
        for names in [&mut key.labels, &mut key.types] {
            names.sort_unstable();
            names.dedup();
        }
        key.threads = 1;
        key.options.max_bytes = 0;
        key
    }

    /// The most memory that building it may take.
    pub(super) fn byte_limit(&self) -> u64 {
        self.options.max_bytes
    }

    fn nodes_of(
        &self,
        read: &impl Read,
        watch: &mut Watch<'_>,
    ) -> Result<RoaringTreemap, AlgoError> {
        let total = self.nodes.as_ref().map_or(0, RoaringTreemap::len);
        let mut pace = Pace::start(watch, "read the nodes", total)?;
        let mut chosen = match (&self.nodes, self.labels.is_empty()) {
            (Some(nodes), true) => {
                // A node that is gone must not come back as an isolated one.
                let mut there = RoaringTreemap::new();
                for id in nodes {
                    pace.advance(1)?;
                    if read.contains(NodeId::new(id))? {
                        there.insert(id);
                    }
                }
                return Ok(there);
            }
            (None, true) => {
                let mut all = RoaringTreemap::new();
                for node in read.node_ids()? {
                    pace.advance(1)?;
                    all.insert(node?.get());
                }
                return Ok(all);
            }
            (_, false) => RoaringTreemap::new(),
        };
        for label in &self.labels {
            chosen |= read.nodes_with_label(label)?;
        }
        if let Some(nodes) = &self.nodes {
            chosen &= nodes;
        }
        Ok(chosen)
    }

    /// Projects what a transaction sees, without keeping it.
    pub(crate) fn build<T: Read>(
        &self,
        read: &T,
        watch: &mut Watch<'_>,
    ) -> Result<Projection, AlgoError>
    where
        T::Keys: Sync,
    {
        let view = view::of(read);
        let nodes = self.nodes_of(read, watch)?;
        let types = (!self.types.is_empty()).then(|| {
            let names = self.types.iter();
            let mut types: Vec<TypeId> = names
                .filter_map(|name| view.catalog().types.id(name))
                .collect();
            types.sort_unstable();
            types
        });
        let builder = ProjectionBuilder::from_set(&nodes, self.options)?;
        let source = fill::Source {
            view: &view,
            types: types.as_deref(),
            weight: self.weight.as_deref(),
        };
        source.fill(&builder, self.threads, watch)?;
        builder.build(self.threads, watch)
    }
}

impl ReadTxn {
    /// The database's last projections.
    pub(crate) fn projections(&self) -> &ProjectionCache {
        self.database().projections()
    }

    /// Copies a part of the graph into flat arrays for algorithms. The last few projections are kept:
    /// the same one of the same commit costs nothing, and who asks for one that another thread is
    /// building waits for it.
    ///
    /// # Errors
    /// [`AlgoError::TooLarge`] and other limits; see also [`Read`].
    pub fn project(&self, selection: &Selection) -> Result<Arc<Projection>, AlgoError> {
        self.project_watched(selection, &mut Watch::quiet())
    }

    /// The same, with progress, and cancellable.
    ///
    /// # Errors
    /// As [`project`](Self::project), and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn project_watched(
        &self,
        selection: &Selection,
        watch: &mut Watch<'_>,
    ) -> Result<Arc<Projection>, AlgoError> {
        let cache = self.projections();
        match cache.find(self.commit_seq(), selection, watch)? {
            Found::Kept(projection) => Ok(projection),
            Found::Missing(claim) => {
                let projection = Arc::new(selection.build(self, watch)?);
                claim.keep(&projection);
                Ok(projection)
            }
        }
    }

    /// The same if it is kept, and costs nothing.
    pub(crate) fn kept_projection(&self, selection: &Selection) -> Option<Arc<Projection>> {
        self.projections().kept(self.commit_seq(), selection)
    }

    /// Notes that so many entries were read without it, and says how many these are by now.
    pub(crate) fn read_beside_projection(&self, selection: &Selection, entries: u64) -> u64 {
        let commit = self.commit_seq();
        self.projections().read_beside(commit, selection, entries)
    }
}
