//! Collects nodes and relationships, and builds a [`Projection`] of them.
//!
//! The builder knows nothing of storage: whoever has a snapshot pushes what it reads, from as many
//! threads as it likes. It never holds more than `max_bytes`, whatever is pushed.

use std::sync::OnceLock;

use parking_lot::Mutex;
use roaring::RoaringTreemap;

use super::chunk::Chunk;
use super::fill::{self, Columns};
use super::memory::Meter;
use super::places::Places;
use super::{AlgoError, MOST_ENTRIES, MOST_NODES, Projection};
use crate::storage::cancel::Watch;
use crate::value::{NodeId, RelationshipId};

/// What a projection keeps, and how much memory it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectionOptions {
    /// Every relationship is listed at both of its ends; a relationship from a node to itself is
    /// listed once.
    pub undirected: bool,
    /// Keep the ids of relationships (8 bytes each).
    pub relationships: bool,
    /// Keep the weights of relationships (4 bytes each).
    pub weights: bool,
    /// Build the incoming direction at once rather than when it is first asked for.
    pub incoming: bool,
    /// The most memory that the builder and what it builds may hold at any time.
    ///
    /// While building, the pushed relationships (8 bytes each, 8 more if ids or weights are kept
    /// and 4 more for weights) and the arrays made of them exist side by side.
    pub max_bytes: u64,
}

impl Default for ProjectionOptions {
    /// Directed, bare targets, up to 4 GiB.
    fn default() -> Self {
        Self {
            undirected: false,
            relationships: false,
            weights: false,
            incoming: false,
            max_bytes: 4 << 30,
        }
    }
}

impl ProjectionOptions {
    /// Parallel relationships can only be told apart by id: weights need ids to have a fixed order.
    fn sorts_by_relationship(self) -> bool {
        self.relationships || self.weights
    }
}

/// Builds a [`Projection`]; see there for an example.
#[derive(Debug)]
#[must_use]
pub struct ProjectionBuilder {
    options: ProjectionOptions,
    places: Places,
    meter: Meter,
    delivered: Mutex<Delivered>,
}

/// What finished parts have left.
#[derive(Debug, Default)]
struct Delivered {
    chunks: Vec<Chunk>,
    skipped: u64,
}

impl ProjectionBuilder {
    /// Projects these nodes. They may come in any order, and more than once.
    ///
    /// # Errors
    /// [`AlgoError::TooManyNodes`] and [`AlgoError::TooLarge`].
    pub fn new(
        nodes: impl IntoIterator<Item = NodeId>,
        options: ProjectionOptions,
    ) -> Result<Self, AlgoError> {
        let meter = Meter::new(0, options.max_bytes);
        let places = Places::new(nodes, &meter)?;
        Ok(Self {
            options,
            places,
            meter,
            delivered: Mutex::default(),
        })
    }

    /// Projects the nodes of a set, whose size is known before it is read.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_set(nodes: &RoaringTreemap, options: ProjectionOptions) -> Result<Self, AlgoError> {
        if nodes.len() > MOST_NODES {
            return Err(AlgoError::TooManyNodes {
                nodes: nodes.len(),
                limit: MOST_NODES,
            });
        }
        Self::new(nodes.iter().map(NodeId::new), options)
    }

    /// Begins a portion of relationships, for one thread. What was pushed reaches the builder when
    /// the part is dropped.
    pub fn part(&self) -> ProjectionPart<'_> {
        ProjectionPart {
            builder: self,
            chunks: Vec::new(),
            skipped: 0,
        }
    }

    /// The memory held so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.meter.held()
    }

    /// Builds the projection on up to `threads` threads; the result does not depend on how many.
    ///
    /// # Errors
    /// [`AlgoError::TooManyRelationships`], [`AlgoError::TooLarge`], and
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn build(self, threads: usize, watch: &mut Watch<'_>) -> Result<Projection, AlgoError> {
        let Self {
            options,
            places,
            meter,
            delivered,
        } = self;
        let Delivered { chunks, skipped } = delivered.into_inner();
        let relationship_count: u64 = chunks.iter().map(|chunk| chunk.len() as u64).sum();
        let entries = relationship_count * if options.undirected { 2 } else { 1 };
        if entries > MOST_ENTRIES {
            return Err(AlgoError::TooManyRelationships {
                entries,
                limit: MOST_ENTRIES,
            });
        }
        let columns = Columns {
            relationships: options.sorts_by_relationship(),
            weights: options.weights,
        };
        let rows = places.len() as u64 + 1;
        // Offsets, plus the counts and the cursors, which go again.
        let bytes = rows * 12 + entries * columns.entry_bytes();
        meter.take("the rows of the projection", bytes)?;
        let mut outgoing = fill::from_chunks(
            places.len(),
            &chunks,
            options.undirected,
            columns,
            threads,
            watch,
        )?;
        drop(chunks);
        if !options.relationships {
            outgoing.relationships = None;
        }
        let projection = Projection {
            places,
            outgoing,
            incoming: OnceLock::new(),
            tiling: Mutex::new(None),
            undirected: options.undirected,
            relationship_count,
            skipped,
            threads,
            max_bytes: meter.limit(),
        };
        if options.incoming {
            projection.build_incoming(watch)?;
        }
        Ok(projection)
    }
}

/// A portion of the relationships of a projection; see [`ProjectionBuilder::part`].
#[derive(Debug)]
pub struct ProjectionPart<'b> {
    builder: &'b ProjectionBuilder,
    chunks: Vec<Chunk>,
    skipped: u64,
}

impl ProjectionPart<'_> {
    /// Adds a relationship. One whose end is not a projected node is skipped and counted.
    ///
    /// No weight means 1. Weights are kept in 32 bits, and only if the options ask for them.
    ///
    /// # Errors
    /// [`AlgoError::BadWeight`] and [`AlgoError::TooLarge`].
    pub fn push(
        &mut self,
        source: NodeId,
        target: NodeId,
        relationship: RelationshipId,
        weight: Option<f64>,
    ) -> Result<(), AlgoError> {
        let places = &self.builder.places;
        let (Some(source), Some(target)) = (places.find(source), places.find(target)) else {
            self.skipped += 1;
            return Ok(());
        };
        let options = self.builder.options;
        let weight = if options.weights {
            Some(checked_weight(relationship, weight.unwrap_or(1.0))?)
        } else {
            None
        };
        let relationship = options.sorts_by_relationship().then_some(relationship);
        self.chunk_with_room()?
            .push(source, target, relationship, weight);
        Ok(())
    }

    fn chunk_with_room(&mut self) -> Result<&mut Chunk, AlgoError> {
        let full = self.chunks.last().is_none_or(Chunk::is_full);
        if full {
            let previous = self.chunks.last().map_or(0, Chunk::capacity);
            let options = self.builder.options;
            self.chunks.push(Chunk::after(
                previous,
                options.sorts_by_relationship(),
                options.weights,
                &self.builder.meter,
            )?);
        }
        let last = self.chunks.len() - 1;
        Ok(&mut self.chunks[last])
    }
}

impl Drop for ProjectionPart<'_> {
    fn drop(&mut self) {
        let mut delivered = self.builder.delivered.lock();
        delivered.chunks.append(&mut self.chunks);
        delivered.skipped += self.skipped;
    }
}

/// Rounds a weight to 32 bits, or refuses it.
fn checked_weight(relationship: RelationshipId, weight: f64) -> Result<f32, AlgoError> {
    let rounded = weight as f32;
    if rounded.is_finite() && weight >= 0.0 {
        // Adding zero turns -0 into 0, so that equal weights have equal bits.
        Ok(rounded + 0.0)
    } else {
        Err(AlgoError::BadWeight {
            relationship,
            weight,
        })
    }
}
