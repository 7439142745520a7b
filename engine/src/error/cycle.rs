//! A cycle, as a message shows it.

use crate::value::NodeId;
use std::fmt;

/// How many nodes of a cycle a message names.
const SHOWN: usize = 12;

/// The nodes of a cycle: each is a parent of the next, and the last of the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle(Vec<NodeId>);

impl Cycle {
    /// Its nodes.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.0
    }
}

impl From<Vec<NodeId>> for Cycle {
    fn from(nodes: Vec<NodeId>) -> Self {
        Self(nodes)
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = self.0.len().saturating_sub(SHOWN);
        for (place, node) in self.0.iter().enumerate() {
            if hidden > 0 && place == SHOWN - 1 {
                write!(f, "... {hidden} more ... -> ")?;
            }
            if hidden == 0 || place < SHOWN - 1 || place == self.0.len() - 1 {
                write!(f, "{node} -> ")?;
            }
        }
        match self.0.first() {
            Some(first) => write!(f, "{first}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_closes_where_it_began_and_a_long_one_is_cut() {
        let cycle = |length| Cycle((0..length).map(NodeId::new).collect()).to_string();
        assert_eq!(cycle(1), "0 -> 0");
        assert_eq!(cycle(3), "0 -> 1 -> 2 -> 0");
        assert_eq!(
            cycle(20),
            "0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> 9 -> 10 -> ... 8 more ... -> 19 -> 0"
        );
    }
}
