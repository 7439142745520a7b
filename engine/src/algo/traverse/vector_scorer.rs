//! The scorer that most traversals use: how like a query vector the vectors of nodes are.
//!
//! The vectors lie in one matrix. The rows of a level's candidates are gathered block by block, and
//! fetched from memory ahead of their use; with two threads each takes one half, and the scores are
//! the same, because no score depends on another.

use super::scorer::{Candidates, Scorer};
use super::steps::Ascending;
use crate::algo::parallel::MOST_THREADS;
use crate::value::NodeId;
use stratigraph_vector::{Kernels, Rows, VectorError, cosine_of};

/// Candidates per call of a kernel: their places and results stay in the first cache.
const BLOCK: usize = 1024;

/// Below this a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 16_384;

/// Which node's vector lies where.
#[derive(Clone, Copy, Debug)]
enum Places<'a> {
    /// Row `p` is node `first + p`.
    Consecutive { first: u64 },
    /// Row `p` is node `nodes[p]`; they ascend.
    Ascending(&'a [NodeId]),
}

/// The vectors of many nodes.
#[derive(Clone, Debug)]
pub struct NodeVectors<'a> {
    places: Places<'a>,
    rows: Rows<'a>,
    /// The dot product of each row with itself.
    squares: Vec<f32>,
}

impl<'a> NodeVectors<'a> {
    /// Rows of nodes whose ids follow each other from `first` on. Reads all rows once.
    #[must_use]
    pub fn consecutive(first: NodeId, rows: Rows<'a>) -> Self {
        Self {
            places: Places::Consecutive { first: first.get() },
            rows,
            squares: squares(rows),
        }
    }

    /// Rows of these nodes, which ascend strictly. Reads all rows once.
    ///
    /// Nothing comes back if there is not one node per row, or if they do not ascend.
    #[must_use]
    pub fn of_nodes(nodes: &'a [NodeId], rows: Rows<'a>) -> Option<Self> {
        let fits = nodes.len() == rows.len() && nodes.is_sorted_by(|left, right| left < right);
        fits.then(|| Self {
            places: Places::Ascending(nodes),
            rows,
            squares: squares(rows),
        })
    }
}

fn squares(rows: Rows<'_>) -> Vec<f32> {
    let kernels = Kernels::best();
    (0..rows.len())
        .filter_map(|place| rows.row(place))
        .map(|row| kernels.square(row))
        .collect()
}

/// What the score is. A larger one is always the nearer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The cosine, null for a vector without direction. Vectors so long or so short that their squares
    /// do not fit into 32 bits (above about 1.8e19, below about 1e-15) are measured again in 64 bits, and
    /// slowly.
    Cosine,
    /// The dot product, in 32 bits: infinite where it overflows them, or null.
    Dot,
    /// Minus the Euclidean distance, in 32 bits: minus infinity if it is above about 1.8e19.
    NegativeL2,
}

/// Scores nodes by their vectors; a node without one is null.
#[derive(Clone, Debug)]
pub struct VectorScorer<'a> {
    vectors: &'a NodeVectors<'a>,
    query: &'a [f32],
    query_square: f32,
    measure: Measure,
    threads: usize,
}

impl<'a> VectorScorer<'a> {
    /// Scores by the likeness to this query.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`] if the query is not as long as the rows.
    pub fn new(
        vectors: &'a NodeVectors<'a>,
        query: &'a [f32],
        measure: Measure,
    ) -> Result<Self, VectorError> {
        if query.len() != vectors.rows.dimensions() {
            return Err(VectorError::DimensionMismatch {
                expected: vectors.rows.dimensions(),
                found: query.len(),
            });
        }
        Ok(Self {
            vectors,
            query,
            query_square: Kernels::best().square(query),
            measure,
            threads: 1,
        })
    }

    /// Divides large levels among this many threads, up to 64, which are started and ended with each level.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.clamp(1, MOST_THREADS);
        self
    }

    /// Scores nodes that ascend.
    fn score_part(&self, nodes: &[NodeId], scores: &mut [f64]) -> Result<(), VectorError> {
        let mut finder = match self.vectors.places {
            Places::Ascending(nodes) => Ascending::new(nodes),
            Places::Consecutive { .. } => Ascending::new(&[]),
        };
        let mut places = Vec::with_capacity(BLOCK);
        let mut slots = Vec::with_capacity(BLOCK);
        let mut results = vec![0.0; BLOCK];
        for (nodes, scores) in nodes.chunks(BLOCK).zip(scores.chunks_mut(BLOCK)) {
            places.clear();
            slots.clear();
            for (slot, node) in nodes.iter().enumerate() {
                let place = match self.vectors.places {
                    Places::Consecutive { first } => (node.get().checked_sub(first))
                        .and_then(|place| usize::try_from(place).ok())
                        .filter(|place| *place < self.vectors.rows.len()),
                    Places::Ascending(_) => finder.find(*node),
                };
                if let Some(place) = place.and_then(|place| u32::try_from(place).ok()) {
                    places.push(place);
                    slots.push(slot);
                }
            }
            let results = results.get_mut(..places.len()).unwrap_or_default();
            self.measure_rows(&places, results)?;
            if places.len() == nodes.len() {
                for ((score, place), result) in scores.iter_mut().zip(&places).zip(results) {
                    *score = self.score_of(*place, *result);
                }
                continue;
            }
            for ((slot, place), result) in slots.iter().zip(&places).zip(results) {
                if let Some(score) = scores.get_mut(*slot) {
                    *score = self.score_of(*place, *result);
                }
            }
        }
        Ok(())
    }

    fn measure_rows(&self, places: &[u32], results: &mut [f32]) -> Result<(), VectorError> {
        let kernels = Kernels::best();
        let rows = self.vectors.rows;
        match self.measure {
            Measure::Cosine | Measure::Dot => {
                kernels.dot_gathered(self.query, rows, places, results)
            }
            Measure::NegativeL2 => kernels.squared_l2_gathered(self.query, rows, places, results),
        }
    }

    /// From what the kernel returned to the score; NaN is null.
    #[inline]
    fn score_of(&self, place: u32, result: f32) -> f64 {
        match self.measure {
            Measure::Dot => f64::from(result),
            Measure::NegativeL2 => -f64::from(result.sqrt()),
            Measure::Cosine => {
                let square = self.vectors.squares.get(place as usize).copied();
                let squares = [self.query_square, square.unwrap_or(f32::NAN)];
                let row = self.vectors.rows.row(place as usize);
                let cosine = row.and_then(|row| cosine_of(self.query, row, result, squares));
                cosine.map_or(f64::NAN, f64::from)
            }
        }
    }
}

impl<E: From<VectorError>> Scorer<E> for VectorScorer<'_> {
    fn score(
        &mut self,
        _level: u32,
        candidates: Candidates<'_>,
        scores: &mut [f64],
    ) -> Result<(), E> {
        let nodes = candidates.nodes();
        if self.threads == 1 || nodes.len() < WORTH_A_THREAD {
            return Ok(self.score_part(nodes, scores)?);
        }
        let part = nodes.len().div_ceil(self.threads).next_multiple_of(BLOCK);
        let this = &*self;
        std::thread::scope(|scope| {
            let mut parts = nodes.chunks(part).zip(scores.chunks_mut(part));
            // The first part is this thread's own.
            let own = parts.next();
            let others: Vec<_> = parts
                .map(|(nodes, scores)| scope.spawn(move || this.score_part(nodes, scores)))
                .collect();
            if let Some((nodes, scores)) = own {
                this.score_part(nodes, scores)?;
            }
            for other in others {
                match other.join() {
                    Ok(result) => result?,
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(())
        })
    }
}
