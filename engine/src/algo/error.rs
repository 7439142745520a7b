//! What can go wrong while a graph is projected or an algorithm runs.
//!
//! Algorithms must never fail on the shape of a graph (loops, cycles, no nodes at all): only on
//! limits, on bad weights, on options that make no sense and on being cancelled.

use crate::error::{Error, ErrorKind};
use crate::value::{NodeId, RelationshipId, ValueKind};
use std::sync::Arc;

/// Everything that can go wrong in a projection or an algorithm.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AlgoError {
    /// More nodes than places have numbers.
    #[error("a projection holds at most {limit} nodes and was given {nodes}: project fewer labels")]
    TooManyNodes {
        /// How many there are, or how many had been counted when it stopped.
        nodes: u64,
        /// The most there may be.
        limit: u64,
    },
    /// More entries than offsets can count.
    #[error(
        "a projection holds at most {limit} entries and was given {entries} (an undirected one counts each relationship twice): project fewer relationships"
    )]
    TooManyRelationships {
        /// How many entries there are.
        entries: u64,
        /// The most there may be.
        limit: u64,
    },
    /// The memory limit does not allow it.
    #[error(
        "{what} would bring the projection to {bytes} bytes, over its limit of {limit_bytes}: project less, or raise `max_bytes`"
    )]
    TooLarge {
        /// What needed the memory.
        what: &'static str,
        /// What would have been held.
        bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// A weight that is no number, negative or infinite (also once it is rounded to 32 bits).
    #[error("relationship {relationship} has weight {weight}: weights are finite and not negative")]
    BadWeight {
        /// The relationship.
        relationship: RelationshipId,
        /// Its weight.
        weight: f64,
    },
    /// A weight that is no number at all.
    #[error("property {property} of relationship {relationship} is a {kind}: weights are numbers")]
    WeightKind {
        /// The property that should hold weights.
        property: Arc<str>,
        /// The relationship.
        relationship: RelationshipId,
        /// What its property is.
        kind: ValueKind,
    },
    /// A node that the algorithm was given is not part of the projection.
    #[error("node {node} is not in the projection")]
    NotProjected {
        /// The node.
        node: NodeId,
    },
    /// A weighted algorithm met a projection without weights.
    #[error(
        "the projection has no weights: project it with `weights`, or ask for the unweighted form"
    )]
    NoWeights,
    /// An option is out of range.
    #[error("option {name} = {value}: {reason}")]
    BadOption {
        /// The option.
        name: &'static str,
        /// What it was set to.
        value: f64,
        /// Why not.
        reason: &'static str,
    },
    /// The caller cancelled the work, or what reports progress failed.
    #[error(transparent)]
    Engine(#[from] Error),
}

impl AlgoError {
    /// What to do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::TooManyNodes { .. }
            | Self::TooManyRelationships { .. }
            | Self::TooLarge { .. }
            | Self::BadWeight { .. }
            | Self::WeightKind { .. }
            | Self::NotProjected { .. }
            | Self::NoWeights
            | Self::BadOption { .. } => ErrorKind::Request,
            Self::Engine(error) => error.kind(),
        }
    }
}
