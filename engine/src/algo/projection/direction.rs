//! Which way an algorithm follows relationships.

use super::{Adjacency, Projection};
use crate::algo::{AlgoError, Direction};
use crate::value::RelationshipId;

/// One step from a node to another.
#[derive(Debug, Clone, Copy)]
pub(in crate::algo) struct Entry {
    pub(in crate::algo) target: u32,
    /// `None` if the projection does not keep them.
    pub(in crate::algo) relationship: Option<RelationshipId>,
    /// 1 if the projection keeps no weights.
    pub(in crate::algo) weight: f64,
}

/// The one or two adjacencies that a direction walks.
#[derive(Debug, Clone, Copy)]
pub(in crate::algo) struct Ways<'a> {
    first: &'a Adjacency,
    second: Option<&'a Adjacency>,
}

impl<'a> Ways<'a> {
    /// Builds the incoming direction if it is needed and not there yet.
    pub(in crate::algo) fn of(
        projection: &'a Projection,
        direction: Direction,
    ) -> Result<Self, AlgoError> {
        let outgoing = projection.outgoing();
        Ok(match direction {
            _ if projection.is_undirected() => Self::one(outgoing),
            Direction::Outgoing => Self::one(outgoing),
            Direction::Incoming => Self::one(projection.incoming()?),
            Direction::Both => Self {
                first: outgoing,
                second: Some(projection.incoming()?),
            },
        })
    }

    /// As [`of`](Self::of), but only if nothing has to be built.
    pub(in crate::algo) fn if_built(
        projection: &'a Projection,
        direction: Direction,
    ) -> Option<Self> {
        let outgoing = projection.outgoing();
        if direction == Direction::Outgoing {
            return Some(Self::one(outgoing));
        }
        let incoming = projection.incoming_if_built()?;
        Some(match direction {
            Direction::Both if !projection.is_undirected() => Self {
                first: outgoing,
                second: Some(incoming),
            },
            _ => Self::one(incoming),
        })
    }

    fn one(first: &'a Adjacency) -> Self {
        Self {
            first,
            second: None,
        }
    }

    /// Each adjacency that is walked.
    pub(in crate::algo) fn each(self) -> impl Iterator<Item = &'a Adjacency> {
        std::iter::once(self.first).chain(self.second)
    }

    /// Where one step leads from `place`. With two adjacencies the order is not by place, and a
    /// relationship from a node to itself comes twice.
    pub(in crate::algo) fn neighbours(self, place: u32) -> impl Iterator<Item = u32> + 'a {
        self.each()
            .flat_map(move |way| way.neighbours(place).iter().copied())
    }

    /// As [`neighbours`](Self::neighbours), with what the projection keeps of each relationship.
    pub(in crate::algo) fn entries(self, place: u32) -> impl Iterator<Item = Entry> + 'a {
        self.each().flat_map(move |way| {
            way.row(place).map(move |at| Entry {
                target: way.targets()[at],
                relationship: way.relationships.as_ref().map(|ids| ids[at]),
                weight: way
                    .weights
                    .as_ref()
                    .map_or(1.0, |weights| f64::from(weights[at])),
            })
        })
    }

    /// How many steps lead from `place`.
    pub(in crate::algo) fn degree(self, place: u32) -> usize {
        self.each().map(|way| way.degree(place)).sum()
    }
}
