//! SCORE: scorers are asked once per level about all candidates at once.
//!
//! Most scores depend on the node alone, and then each candidate is asked about once, however many
//! ways lead to it. A scorer that looks at the way says so, and is asked about each arrival.

use super::arrivals::ArrivalColumns;
use super::steps::Hop;
use crate::value::{NodeId, RelationshipId};

/// The way on which a candidate was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrivalView<'a> {
    /// The node the step started from.
    pub parent: NodeId,
    /// The hops before the last one.
    pub via: &'a [Hop],
    /// The last relationship.
    pub relationship: RelationshipId,
}

/// What a scorer is asked about: one entry per score, in ascending order of nodes.
#[derive(Clone, Copy, Debug)]
pub struct Candidates<'a> {
    pub(super) nodes: &'a [NodeId],
    pub(super) arrivals: Option<&'a ArrivalColumns>,
}

impl<'a> Candidates<'a> {
    /// These nodes, which ascend, however they were reached.
    #[must_use]
    pub fn of(nodes: &'a [NodeId]) -> Self {
        Self {
            nodes,
            arrivals: None,
        }
    }

    /// How many scores are asked for.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing to score.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of each entry. For a scorer of arrivals a node stands here once per arrival.
    #[must_use]
    pub fn nodes(&self) -> &'a [NodeId] {
        self.nodes
    }

    /// The way behind an entry; none for roots, for members of RECOVER, and unless the scorer
    /// [scores arrivals](Scorer::scores_arrivals).
    #[must_use]
    pub fn arrival(&self, entry: usize) -> Option<ArrivalView<'a>> {
        self.arrivals?.get(entry)
    }
}

/// What of some members is wanted, by their scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Who scores less is not; `None` if any score will do.
    pub at_least: Option<f64>,
    /// Only the best so many are, by score descending and id; `None` if all are.
    pub top: Option<usize>,
}

/// Something that gives scores.
pub trait Scorer<E> {
    /// Whether a score depends on the way, not only on the node.
    fn scores_arrivals(&self) -> bool {
        false
    }

    /// Fills in one score per entry. All are null (NaN) at first; NaN stays null.
    ///
    /// # Errors
    ///
    /// Whatever scoring fails with; the traversal then fails as a whole.
    fn score(
        &mut self,
        level: u32,
        candidates: Candidates<'_>,
        scores: &mut [f64],
    ) -> Result<(), E>;

    /// As [`score`](Self::score), for one who asks for nobody but those that are wanted: the scores of others may
    /// stay null.
    ///
    /// # Errors
    ///
    /// As for [`score`](Self::score).
    fn score_wanted(
        &mut self,
        level: u32,
        candidates: Candidates<'_>,
        _wanted: Wanted,
        scores: &mut [f64],
    ) -> Result<(), E> {
        self.score(level, candidates, scores)
    }
}

/// A score from a function of node and level, which may answer null.
#[derive(Clone, Copy, Debug)]
pub struct NodeScorer<F>(pub F);

impl<E, F: FnMut(NodeId, u32) -> Result<Option<f64>, E>> Scorer<E> for NodeScorer<F> {
    fn score(
        &mut self,
        level: u32,
        candidates: Candidates<'_>,
        scores: &mut [f64],
    ) -> Result<(), E> {
        for (node, score) in candidates.nodes().iter().zip(scores) {
            *score = (self.0)(*node, level)?.unwrap_or(f64::NAN);
        }
        Ok(())
    }
}

/// A score from a function of node, way and level, which may answer null.
#[derive(Clone, Copy, Debug)]
pub struct ArrivalScorer<F>(pub F);

impl<E, F> Scorer<E> for ArrivalScorer<F>
where
    F: FnMut(NodeId, Option<ArrivalView<'_>>, u32) -> Result<Option<f64>, E>,
{
    fn scores_arrivals(&self) -> bool {
        true
    }

    fn score(
        &mut self,
        level: u32,
        candidates: Candidates<'_>,
        scores: &mut [f64],
    ) -> Result<(), E> {
        for (entry, (node, score)) in candidates.nodes().iter().zip(scores).enumerate() {
            *score = (self.0)(*node, candidates.arrival(entry), level)?.unwrap_or(f64::NAN);
        }
        Ok(())
    }
}
