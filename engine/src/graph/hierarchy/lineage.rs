//! How the hierarchy sees the graph, and how it reads it: in portions, and against a limit.
//!
//! Neighbours are always read through [`Kin`]. It must never ask for more than a portion at once: a
//! node may have millions of children, and most questions are answered after a few of them.
//!
//! Next: `reach.rs` for the simplest use.

use crate::value::NodeId;

/// The relationships of one hierarchy as somebody sees them, for example a write transaction.
///
/// The neighbours are those after the changes in question, the stored levels those before. A view
/// that wants its reader to be cancelled says so by an error of its own.
pub trait Lineage {
    /// What can go wrong while reading.
    type Error;

    /// Appends parents of `child` to `out`: at most `limit` of them, in ascending order, beginning
    /// above `after`. Fewer than `limit` means that there are no more. A parent to which `child`
    /// has several relationships may be repeated.
    ///
    /// # Errors
    /// Whatever reading can fail with.
    fn parents_after(
        &self,
        child: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<(), Self::Error>;

    /// Appends children of `parent` to `out`, as [`Lineage::parents_after`] does with parents.
    ///
    /// # Errors
    /// Whatever reading can fail with.
    fn children_after(
        &self,
        parent: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<(), Self::Error>;

    /// Whether the node was added to the hierarchy by name.
    ///
    /// # Errors
    /// Whatever reading can fail with.
    fn is_named(&self, node: NodeId) -> Result<bool, Self::Error>;

    /// The level that is stored, from before the changes; `None` for a node that was no member.
    ///
    /// # Errors
    /// Whatever reading can fail with.
    fn stored_level(&self, node: NodeId) -> Result<Option<u32>, Self::Error>;
}

/// Why a question about a hierarchy has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineageError<E> {
    /// The view could not be read.
    #[error(transparent)]
    View(#[from] E),

    /// The limit of work came first.
    #[error("the hierarchy was not searched to the end: {limit} reads were allowed")]
    LimitReached {
        /// How many reads and neighbours were allowed.
        limit: u64,
    },

    /// No root leads to a member: there is a cycle, which should have been refused.
    #[error("no root of the hierarchy leads to node {node}: it lies on a cycle or below one")]
    Rootless {
        /// The least such member.
        node: NodeId,
    },

    /// A relationship shows from one end only: the view contradicts itself.
    #[error(
        "node {node} is the child of a node that is not among its parents: the stored directions disagree"
    )]
    OneSided {
        /// The child.
        node: NodeId,
    },
}

/// The work that is left. One unit is one read of a portion, or one neighbour in it; what is kept
/// in memory is in proportion to what has been spent.
pub(super) struct Budget {
    limit: u64,
    spent: u64,
}

impl Budget {
    pub(super) fn new(limit: u64) -> Self {
        Self { limit, spent: 0 }
    }

    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    fn spend<E>(&mut self, units: usize) -> Result<(), LineageError<E>> {
        let units = u64::try_from(units).unwrap_or(u64::MAX);
        self.spent = self.spent.saturating_add(units);
        if self.spent > self.limit {
            Err(LineageError::LimitReached { limit: self.limit })
        } else {
            Ok(())
        }
    }
}

/// Which way to go along relationships.
#[derive(Debug, Clone, Copy)]
enum Direction {
    Parents,
    Children,
}

/// The first portion is small because most nodes have few neighbours and most questions end early.
const FIRST_PORTION: usize = 16;
const PORTION_GROWTH: usize = 4;
const LARGEST_PORTION: usize = 1024;

/// The parents or the children of one node, each once, in ascending order.
pub(super) struct Kin {
    node: NodeId,
    direction: Direction,
    portion: Vec<NodeId>,
    position: usize,
    /// The neighbour returned last, where the next portion begins.
    last: Option<NodeId>,
    next_size: usize,
    is_last_portion: bool,
}

impl Kin {
    pub(super) fn parents_of(node: NodeId) -> Self {
        Self::new(node, Direction::Parents)
    }

    pub(super) fn children_of(node: NodeId) -> Self {
        Self::new(node, Direction::Children)
    }

    fn new(node: NodeId, direction: Direction) -> Self {
        Self {
            node,
            direction,
            portion: Vec::new(),
            position: 0,
            last: None,
            next_size: FIRST_PORTION,
            is_last_portion: false,
        }
    }

    /// The same way from another node.
    pub(super) fn turn_to(&mut self, node: NodeId) {
        *self = Self::new(node, self.direction);
    }

    pub(super) fn node(&self) -> NodeId {
        self.node
    }

    /// The next neighbour, or `None` after the last.
    pub(super) fn next<L: Lineage + ?Sized>(
        &mut self,
        lineage: &L,
        budget: &mut Budget,
    ) -> Result<Option<NodeId>, LineageError<L::Error>> {
        loop {
            while let Some(&neighbour) = self.portion.get(self.position) {
                self.position += 1;
                // Parallel relationships repeat a neighbour.
                if self.last.is_none_or(|last| neighbour > last) {
                    self.last = Some(neighbour);
                    return Ok(Some(neighbour));
                }
            }
            if self.is_last_portion {
                return Ok(None);
            }
            self.read_portion(lineage, budget)?;
        }
    }

    fn read_portion<L: Lineage + ?Sized>(
        &mut self,
        lineage: &L,
        budget: &mut Budget,
    ) -> Result<(), LineageError<L::Error>> {
        budget.spend(1)?;
        self.portion.clear();
        self.position = 0;
        let (size, out) = (self.next_size, &mut self.portion);
        match self.direction {
            Direction::Parents => lineage.parents_after(self.node, self.last, size, out)?,
            Direction::Children => lineage.children_after(self.node, self.last, size, out)?,
        }
        self.is_last_portion = self.portion.len() < size;
        self.next_size = (size * PORTION_GROWTH).min(LARGEST_PORTION);
        budget.spend(self.portion.len())
    }
}

#[cfg(test)]
mod tests;
