//! What can be asked of a vector index, and what is answered.

use crate::graph::Entity;
use crate::value::Value;
use roaring::RoaringTreemap;
use std::ops::Bound as End;
use stratigraph_vector::{Effort, How, Strategy};

/// What is looked for in a vector index.
///
/// ```
/// use stratigraph::{Database, Read, Value, Vector, VectorIndex, VectorSearch};
///
/// let db = Database::in_memory()?;
/// db.create_vector_index(VectorIndex::on_nodes("Chunk", "embedding", 2).named("chunks"))?;
/// let mut txn = db.write()?;
/// for embedding in [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]] {
///     let embedding = Value::Vector(Vector::new(embedding)?);
///     txn.create_node(["Chunk"], [("embedding", embedding)])?;
/// }
/// txn.commit()?;
/// let answer = db.read()?.search_vectors("chunks", &VectorSearch::new(&[1.0, 0.1], 2))?;
/// assert_eq!(answer.hits.len(), 2);
/// assert!(answer.hits[0].score > answer.hits[1].score);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a search is only described until a transaction makes it"]
pub struct VectorSearch<'a> {
    pub(super) vector: &'a [f32],
    pub(super) k: usize,
    pub(super) effort: Effort,
    pub(super) threshold: Option<f32>,
    pub(super) among: Option<&'a RoaringTreemap>,
    pub(super) label: Option<&'a str>,
    pub(super) filters: Vec<(&'a str, Allowed)>,
}

/// What a property may be.
#[derive(Clone, Debug)]
pub(super) enum Allowed {
    Equal(Value),
    Range(End<Value>, End<Value>),
}

impl<'a> VectorSearch<'a> {
    /// The `k` nearest to a vector.
    pub fn new(vector: &'a [f32], k: usize) -> Self {
        Self {
            vector,
            k,
            effort: Effort::Breadth(DEFAULT_BREADTH),
            threshold: None,
            among: None,
            label: None,
            filters: Vec::new(),
        }
    }

    /// The same for another `k`.
    pub(crate) fn best(mut self, k: usize) -> Self {
        self.k = k;
        self
    }

    /// How hard to look: so many candidates (known as `ef`; 64 if nothing is said), a share of the true
    /// nearest, or all of them.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// How many candidates a walk keeps at least; none if the effort says something else.
    pub(crate) fn breadth(&self) -> Option<usize> {
        match self.effort {
            Effort::Breadth(breadth) => Some(breadth),
            _ => None,
        }
    }

    /// Only what scores as well: at least so much, or at most, if the metric is a distance.
    pub fn threshold(mut self, score: f32) -> Self {
        self.threshold = Some(score);
        self
    }

    /// Only among nodes, or relationships, with these ids.
    pub fn among(mut self, ids: &'a RoaringTreemap) -> Self {
        self.among = Some(ids);
        self
    }

    /// Only nodes with this label, or relationships of this type.
    pub fn labelled(mut self, label: &'a str) -> Self {
        self.label = Some(label);
        self
    }

    /// Only where a property that the index was declared to be filtered by equals a value.
    pub fn where_equal(mut self, property: &'a str, value: impl Into<Value>) -> Self {
        self.filters.push((property, Allowed::Equal(value.into())));
        self
    }

    /// Only where such a property lies within bounds.
    pub fn where_range(
        mut self,
        property: &'a str,
        bounds: impl std::ops::RangeBounds<Value>,
    ) -> Self {
        let range = Allowed::Range(bounds.start_bound().cloned(), bounds.end_bound().cloned());
        self.filters.push((property, range));
        self
    }
}

/// How many candidates are kept if nothing else is said.
const DEFAULT_BREADTH: usize = 64;

/// One that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorHit {
    /// Whose vector it is.
    pub entity: Entity,
    /// The cosine, the dot product, or the square of the distance.
    pub score: f32,
}

/// Who has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServedBy {
    /// The index.
    Index,
    /// All stored vectors were compared, because the index is still being made, or made anew.
    VectorsWhileBuilding,
    /// All stored vectors were compared, because the transaction reads at a commit from before the index.
    VectorsOfEarlierCommit,
    /// All stored vectors were compared, because a part of the index was found to be damaged; it is being
    /// mended.
    VectorsWhileMending,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct VectorAnswer {
    /// The nearest first; of those that score the same, the one with the smaller id.
    pub hits: Vec<VectorHit>,
    /// Whether some may be missing.
    pub how: How,
    /// Who has answered.
    pub served_by: ServedBy,
    /// Which way was taken.
    pub strategy: Strategy,
    /// How many codes or vectors were compared.
    pub compared: u64,
    /// Which share of the true nearest was most likely found, if the index has measured it.
    pub estimated_recall: Option<f32>,
}
