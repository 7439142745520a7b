//! Why a traversal did not return rows.

use super::options::Budget;
use crate::value::NodeId;
use thiserror::Error;

/// What can go wrong; `E` is the error of the graph, the scorer or the members that were handed in.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TraverseError<E> {
    /// No level is both from the first on and up to the last.
    #[error("LEVELS {first}..{last} ends before it begins: write the smaller level first")]
    LevelsReversed {
        /// The first level.
        first: u32,
        /// The last level.
        last: u32,
    },
    /// RECOVER goes on until the last level, so there must be one.
    #[error("RECOVER needs an upper level: write LEVELS 0..n")]
    UnboundedRecover,
    /// RECOVER with neither TOP nor WHERE would take every member of every level.
    #[error("RECOVER needs its own KEEP with TOP or WHERE")]
    RecoverWithoutKeep,
    /// A level would have cost more than allowed; nothing of it was scored.
    #[error("level {level} exceeds the budget of {budget}: {used} were needed")]
    BudgetExceeded {
        /// The level that was not scored.
        level: u32,
        /// What was allowed.
        budget: Budget,
        /// What was used when the limit was noticed.
        used: u64,
    },
    /// The level that is open has not been decided yet.
    #[error("level {level} is open: decide it before asking for the next")]
    Undecided {
        /// The open level.
        level: u32,
    },
    /// A decision came while no level was waiting for one.
    #[error("no level is waiting for this decision: ask for the next one first")]
    NothingToDecide,
    /// The number of scores is not the number that was asked for.
    #[error("level {level} needs {expected} scores, not {found}")]
    WrongScores {
        /// The open level.
        level: u32,
        /// How many scores it needs.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// A node was admitted that is no candidate of the level.
    #[error("node {node} is no candidate of level {level}")]
    NotACandidate {
        /// The node.
        node: NodeId,
        /// The open level.
        level: u32,
    },
    /// A node was recovered that is already admitted, or at level 0, where nothing is missing yet.
    #[error("node {node} cannot be recovered at level {level}: it is admitted, or the level is 0")]
    NotRecoverable {
        /// The node.
        node: NodeId,
        /// The open level.
        level: u32,
    },
    /// The caller cancelled the traversal.
    #[error("the traversal was cancelled")]
    Cancelled,
    /// The graph, the scorer or the members failed.
    #[error(transparent)]
    Outside(#[from] E),
}
