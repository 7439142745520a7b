//! From a snapshot to a projection.
//!
//! Without weights only the family `out` is read, whose keys say everything; with weights the
//! relationship records are, in their order. Either is divided among threads by ranges of ids, and
//! the result does not depend on how.

use crate::algo::{AlgoError, Projection, ProjectionBuilder, ProjectionOptions, ProjectionPart};
use crate::catalog::{PropertyId, TypeId};
use crate::database::keys::KeyRead;
use crate::error::{Error, Result};
use crate::graph::keys::{AdjacencyKey, DegreeKey, Entity, decode_record_key};
use crate::graph::record::RelationshipRecord;
use crate::graph::view::View;
use crate::graph::{Read, ReadTxn, view};
use crate::storage::cancel::{CancelToken, Watch};
use crate::storage::family::Family;
use crate::storage::range::KeyRange;
use crate::storage::store::ScanOptions;
use crate::value::{NodeId, RelationshipId, Value};
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

    /// The most memory that building it may take. 4 GiB by default.
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.options.max_bytes = bytes;
        self
    }

    /// How many threads build it. 2 by default; the result does not depend on it.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    fn nodes_of(&self, read: &impl Read) -> Result<RoaringTreemap> {
        let mut chosen = match (&self.nodes, self.labels.is_empty()) {
            (Some(nodes), true) => {
                // A node that is gone must not come back as an isolated one.
                let mut there = RoaringTreemap::new();
                for id in nodes {
                    if read.contains(NodeId::new(id))? {
                        there.insert(id);
                    }
                }
                return Ok(there);
            }
            (None, true) => {
                let mut all = RoaringTreemap::new();
                for node in read.node_ids()? {
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

    fn build<T: Read>(&self, read: &T, watch: &mut Watch<'_>) -> Result<Projection, AlgoError>
    where
        T::Keys: Sync,
    {
        watch.step("read the nodes", 0, 0)?;
        let view = view::of(read);
        let nodes = self.nodes_of(read)?;
        let types = (!self.types.is_empty()).then(|| {
            let names = self.types.iter();
            let mut types: Vec<TypeId> = names
                .filter_map(|name| view.catalog().types.id(name))
                .collect();
            types.sort_unstable();
            types
        });
        let weight = self
            .weight
            .as_ref()
            .map(|name| view.catalog().properties.id(name));
        let builder = ProjectionBuilder::from_set(&nodes, self.options)?;
        watch.step("read the relationships", 0, 0)?;
        let next = match weight {
            Some(_) => view.state.next.relationship,
            None => view.state.next.node,
        };
        let threads = self.threads as u64;
        let stop = CancelToken::new();
        let filled = std::thread::scope(|scope| {
            let portions: Vec<_> = (0..threads)
                .map(|portion| {
                    let (builder, view, types) = (&builder, &view, types.as_deref());
                    let stop = &stop;
                    let from = next / threads * portion;
                    let to = match portion + 1 {
                        last if last == threads => u64::MAX,
                        other => next / threads * other,
                    };
                    scope.spawn(move || {
                        let fill = Fill { view, types, stop };
                        let mut part = builder.part();
                        let filled = match weight {
                            Some(weight) => fill.push_records(weight, from, to, &mut part),
                            None => fill.push_adjacency(from, to, &mut part),
                        };
                        // One that fails stops the others: their work is for nothing.
                        filled.inspect_err(|_| stop.cancel())
                    })
                })
                .collect();
            let mut outcome = Ok(());
            for portion in portions {
                let filled = portion
                    .join()
                    .unwrap_or_else(|_| Err(Error::bug("a thread that projects has died").into()));
                // The first cause says more than "cancelled", which it was for the others.
                if outcome.is_ok() || matches!(outcome, Err(AlgoError::Engine(Error::Cancelled))) {
                    outcome = outcome.and(filled);
                }
            }
            outcome
        });
        filled?;
        builder.build(self.threads, watch)
    }
}

/// Reads a range of relationships.
struct Fill<'v, 'a, K> {
    view: &'v View<'a, K>,
    types: Option<&'v [TypeId]>,
    stop: &'v CancelToken,
}

impl<K: KeyRead> Fill<'_, '_, K> {
    fn wants(&self, of: TypeId) -> bool {
        self.types
            .is_none_or(|types| types.binary_search(&of).is_ok())
    }

    /// Keys alone, of sources in a range.
    fn push_adjacency(
        &self,
        from: u64,
        to: u64,
        part: &mut ProjectionPart<'_>,
    ) -> Result<(), AlgoError> {
        const KEYS_PER_CHECK: u32 = 4096;
        let mut scan = self
            .view
            .keys
            .scan_with(Family::Out, &range(from, to), whole())?;
        let mut steps = 0_u32;
        while let Some(entry) = scan.next()? {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(KEYS_PER_CHECK) {
                self.stop.check()?;
            }
            if entry.key.len() == DegreeKey::BYTES {
                continue;
            }
            let key = AdjacencyKey::decode(entry.key)
                .map_err(|error| Error::record(Family::Out.name(), error))?;
            if self.wants(key.relationship_type) {
                part.push(key.near, key.far, key.relationship, None)?;
            }
        }
        Ok(())
    }

    /// Records, of relationships in a range.
    fn push_records(
        &self,
        weight: Option<PropertyId>,
        from: u64,
        to: u64,
        part: &mut ProjectionPart<'_>,
    ) -> Result<(), AlgoError> {
        let mut scan = self
            .view
            .keys
            .scan_with(Family::Edges, &range(from, to), whole())?;
        while let Some(entry) = scan.next()? {
            self.stop.check()?;
            let damaged = |error| Error::record(Family::Edges.name(), error);
            let id = RelationshipId::new(decode_record_key(entry.key).map_err(damaged)?);
            let ends = RelationshipRecord::decode_ends(entry.value).map_err(damaged)?;
            if !self.wants(ends.relationship_type) {
                continue;
            }
            let slot = match weight {
                Some(weight) => {
                    RelationshipRecord::decode_property(entry.value, weight).map_err(damaged)?
                }
                None => None,
            };
            let value = match (slot, weight) {
                (Some(slot), Some(property)) => {
                    slot.into_value(self.view.keys, Entity::Relationship(id), property)?
                }
                _ => Value::Null,
            };
            let weight = match value {
                Value::Null => None,
                Value::Int(weight) => Some(weight as f64),
                Value::Float(weight) => Some(weight),
                _ => Some(f64::NAN),
            };
            part.push(ends.source, ends.target, id, weight)?;
        }
        Ok(())
    }
}

fn range(from: u64, to: u64) -> KeyRange {
    match to {
        u64::MAX => KeyRange::starting_at(from.to_be_bytes()),
        to => KeyRange::between(from.to_be_bytes(), to.to_be_bytes()),
    }
}

fn whole() -> ScanOptions {
    ScanOptions {
        keep_in_cache: false,
        ..ScanOptions::default()
    }
}

impl ReadTxn {
    /// Copies a part of the graph into flat arrays for algorithms. The last few projections are kept:
    /// the same one of the same commit costs nothing.
    ///
    /// # Errors
    /// [`AlgoError::TooLarge`] and other limits; see also [`Read`].
    pub fn project(&self, selection: &Selection) -> Result<Arc<Projection>, AlgoError> {
        self.project_watched(selection, &mut Watch::new(&mut |_| {}, CancelToken::new()))
    }

    /// The same, with progress, and cancellable.
    ///
    /// # Errors
    /// As [`project`](Self::project), and [`Error::Cancelled`].
    pub fn project_watched(
        &self,
        selection: &Selection,
        watch: &mut Watch<'_>,
    ) -> Result<Arc<Projection>, AlgoError> {
        let (cache, commit) = (self.projections(), self.commit_seq());
        if let Some(kept) = cache.find(commit, selection) {
            return Ok(kept);
        }
        let projection = Arc::new(selection.build(self, watch)?);
        cache.keep(commit, selection, &projection);
        Ok(projection)
    }
}
