//! Which way an algorithm follows relationships.

use super::{Adjacency, Projection};
use crate::algo::AlgoError;

/// Which way relationships are followed. In an undirected projection all three mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// From source to target.
    #[default]
    Outgoing,
    /// From target to source.
    Incoming,
    /// Either way.
    Both,
}

impl Direction {
    /// The way back.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Outgoing => Self::Incoming,
            Self::Incoming => Self::Outgoing,
            Self::Both => Self::Both,
        }
    }
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

    /// How many steps lead from `place`.
    pub(in crate::algo) fn degree(self, place: u32) -> usize {
        self.each().map(|way| way.degree(place)).sum()
    }
}
