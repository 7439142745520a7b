//! What can be asked, and what is answered.

use crate::error::IndexError;
use roaring::RoaringBitmap;

/// How hard to look.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Effort {
    /// Keep so many candidates while walking. Known as `ef`; more find more and take longer.
    Breadth(usize),
    /// As hard as it takes to find this share of the true nearest, from 0 to 1, by what the index has measured
    /// on itself. It measures when this is first asked for, which takes as long as some thousand searches, and again
    /// when somebody tends to it after it has doubled.
    Recall(f32),
    /// Compare codes with every vector that is allowed, and whole vectors with the best of those.
    Scan,
    /// Compare codes with every vector that is allowed, and whole vectors with those that a proven bound does not
    /// rule out: the answer is that of [`Effort::Exact`], bit for bit. Where codes prove nothing, because scores
    /// are distances or vectors are kept whole, it is the same way as well.
    Proven,
    /// Compare whole vectors with every one that is allowed.
    Exact,
}

/// What is looked for.
///
/// ```
/// use stratigraph_vector::{Effort, Metric, Query, Settings};
///
/// let index = Settings::new(2, Metric::Cosine).memory_limit(1 << 20).build()?;
/// index.insert(1, 10, &[1.0, 0.0])?;
/// index.insert(2, 20, &[0.0, 1.0])?;
/// let answer = index.search(&Query::new(&[0.9, 0.1], 1).effort(Effort::Exact))?;
/// assert_eq!(answer.hits[0].id, 10);
/// let before = index.search(&Query::new(&[0.0, 1.0], 5).at(1))?;
/// assert_eq!(before.hits.len(), 1, "at sequence 1 there was only one");
/// # Ok::<(), stratigraph_vector::IndexError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "a query is nothing until it is searched for"]
pub struct Query<'a> {
    pub(super) vector: &'a [f32],
    pub(super) k: usize,
    pub(super) effort: Effort,
    pub(super) within: Option<&'a RoaringBitmap>,
    pub(super) except: Option<&'a RoaringBitmap>,
    pub(super) sequence: Option<u64>,
    pub(super) threshold: Option<f32>,
    pub(super) hidden: Option<u32>,
}

/// How many candidates are kept if nothing else is said.
const DEFAULT_BREADTH: usize = 64;

impl<'a> Query<'a> {
    /// The `k` nearest to a vector.
    pub fn new(vector: &'a [f32], k: usize) -> Self {
        Self {
            vector,
            k,
            effort: Effort::Breadth(DEFAULT_BREADTH),
            within: None,
            except: None,
            sequence: None,
            threshold: None,
            hidden: None,
        }
    }

    /// How hard to look.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Only among these slots, as they are at the sequence that is searched at: see
    /// [`Index::slot`](crate::Index::slot).
    pub fn within(mut self, slots: &'a RoaringBitmap) -> Self {
        self.within = Some(slots);
        self
    }

    /// Not among these slots.
    pub fn except(mut self, slots: &'a RoaringBitmap) -> Self {
        self.except = Some(slots);
        self
    }

    /// As it was at a sequence. Without it, as it is now: who is replaced while the search goes on may then be
    /// found as the old one, as the new one, or not at all.
    pub fn at(mut self, sequence: u64) -> Self {
        self.sequence = Some(sequence);
        self
    }

    /// Refuses numbers that are none.
    pub(super) fn check(&self) -> Result<(), IndexError> {
        let refused = |what| Err(IndexError::NotANumber { what });
        match (self.threshold, self.effort) {
            (Some(threshold), _) if threshold.is_nan() => refused("threshold"),
            (_, Effort::Recall(recall)) if recall.is_nan() => refused("recall"),
            _ => Ok(()),
        }
    }

    /// As if this slot were empty.
    pub(super) fn without(mut self, slot: u32) -> Self {
        self.hidden = Some(slot);
        self
    }

    /// Only what scores as well: at least so much, or at most, if the metric is a distance.
    pub fn threshold(mut self, score: f32) -> Self {
        self.threshold = Some(score);
        self
    }
}

/// Whether all of the nearest are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// All are: every vector that was allowed was compared whole, or ruled out by a proven bound.
    Exact,
    /// Some may be missing, in the place of others that are a little farther.
    Approximate,
}

/// Which way was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// Comparing whole vectors with each that is allowed.
    Exact,
    /// Comparing codes with each that is allowed.
    Scan,
    /// Comparing codes with each that is allowed, and whole vectors with those that they do not rule out.
    Proven,
    /// Walking through the graph, and leaving out at the end what is not allowed.
    Walk,
    /// Walking through the graph until enough that is allowed was found.
    WalkAccepting,
}

/// One that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Whose vector it is.
    pub id: u64,
    /// Where it is.
    pub slot: u32,
    /// The cosine, the dot product, or the square of the distance.
    pub score: f32,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The nearest first; of those that score the same, the one with the smaller id.
    pub hits: Vec<Hit>,
    /// Whether some may be missing.
    pub how: How,
    /// Which way was taken.
    pub strategy: Strategy,
    /// How many codes or vectors were compared.
    pub compared: u64,
    /// How many nodes' links were followed.
    pub steps: u64,
    /// Which share of the true nearest was most likely found, if the index has measured it.
    pub estimated_recall: Option<f32>,
}

impl Answer {
    pub(super) fn nothing() -> Self {
        Self {
            hits: Vec::new(),
            how: How::Exact,
            strategy: Strategy::Exact,
            compared: 0,
            steps: 0,
            estimated_recall: Some(1.0),
        }
    }
}
