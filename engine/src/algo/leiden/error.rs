//! Why there are no communities: a graph that is none, an option out of range, or a caller who has
//! enough. The search itself never fails.

use thiserror::Error;

/// Why there are no communities.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum LeidenError {
    /// The offsets do not describe rows.
    #[error(
        "offset {at} does not fit: offsets start at 0, never fall and end at the number of targets, {targets}"
    )]
    Offsets {
        /// The first offset that does not fit.
        at: usize,
        /// How many targets there are.
        targets: usize,
    },
    /// More nodes than a community number can tell apart.
    #[error("{nodes} nodes are more than the {limit} that fit")]
    TooManyNodes {
        /// How many nodes there are.
        nodes: usize,
        /// How many there may be.
        limit: usize,
    },
    /// An edge leads to no node.
    #[error("entry {entry} leads to node {target}, but there are {nodes} nodes")]
    Target {
        /// The place in the targets.
        entry: usize,
        /// What stands there.
        target: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// There is not one weight per target.
    #[error("{weights} weights for {targets} targets: there must be one each, or none at all")]
    WeightCount {
        /// How many weights there are.
        weights: usize,
        /// How many targets there are.
        targets: usize,
    },
    /// A weight is negative or not a number.
    #[error("entry {entry} has weight {weight}: weights are finite and not negative")]
    Weight {
        /// The place in the weights.
        entry: usize,
        /// What stands there.
        weight: f32,
    },
    /// An edge stands in the row of only one of its ends, or with another weight in the other.
    #[error("the rows of nodes {from} and {to} disagree: an edge stands in both, with one weight")]
    NotSymmetric {
        /// One end.
        from: u32,
        /// The other end.
        to: u32,
    },
    /// The projection lists relationships at their sources alone.
    #[error("communities are those of an undirected graph: project it `undirected`")]
    Directed,
    /// A list of nodes names one that is not there.
    #[error("place {place} of the list names node {node}, but there are {nodes} nodes")]
    UnknownNode {
        /// The place in the list.
        place: usize,
        /// What stands there.
        node: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A list of nodes names one twice.
    #[error("place {place} of the list names node {node} for the second time")]
    RepeatedNode {
        /// The place in the list.
        place: usize,
        /// What stands there.
        node: u32,
    },
    /// An option is out of range.
    #[error("option {name} = {value}: {reason}")]
    Option {
        /// The option.
        name: &'static str,
        /// What it was set to.
        value: f64,
        /// Why not.
        reason: &'static str,
    },
    /// The caller cancelled the work.
    #[error(transparent)]
    Stopped(#[from] crate::error::Error),
}
