//! The time limits of write transactions.

use std::fmt;

/// Which time limit ended a write transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeLimit {
    /// Nothing was asked of the transaction for too long.
    Idle,
    /// The transaction was open for too long.
    Total,
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Idle => "idle",
            Self::Total => "total time",
        })
    }
}
