//! From node ids to places and back.
//!
//! Places are the numbers 0, 1, 2, ... in ascending order of ids, so "smaller place" and "smaller
//! id" mean the same: algorithms break ties by place. Two ways lead from an id to its place: a
//! table where ids lie close together (as a database that hands them out in order gives them), and
//! binary search where they do not.

use super::memory::Meter;
use super::{AlgoError, MOST_NODES};
use crate::value::NodeId;

/// A table may be this many times as long as there are nodes before searching is the better deal.
const TABLE_SLOTS_PER_NODE: u64 = 4;
/// Marks a slot of the table whose id is not projected.
const ABSENT: u32 = u32::MAX;

/// The nodes of a projection, in ascending order.
#[derive(Debug, Clone)]
pub(super) struct Places {
    nodes: Vec<NodeId>,
    lookup: Lookup,
}

/// How an id finds its place.
#[derive(Debug, Clone)]
enum Lookup {
    /// The ids follow one another without a gap: subtract the first.
    Consecutive,
    /// A slot for every id from the first to the last.
    Table(Vec<u32>),
    Search,
}

impl Places {
    /// Takes ids in any order; an id that comes twice counts once.
    pub(super) fn new(
        ids: impl IntoIterator<Item = NodeId>,
        meter: &Meter,
    ) -> Result<Self, AlgoError> {
        let mut nodes = Vec::new();
        let mut granted = 0;
        for id in ids {
            if nodes.len() == granted {
                // Growth is asked for before it happens; old and new block exist while it copies.
                let more = granted.max(1024);
                meter.take("the list of nodes", (more * size_of::<NodeId>()) as u64)?;
                nodes.reserve_exact(more);
                granted += more;
            }
            nodes.push(id);
            if nodes.len() as u64 > MOST_NODES && !nodes.is_sorted() {
                // Doubles may bring it below the limit again, so they go before it is counted.
                nodes.sort_unstable();
                nodes.dedup();
            }
            if nodes.len() as u64 > MOST_NODES {
                return Err(AlgoError::TooManyNodes {
                    nodes: nodes.len() as u64,
                    limit: MOST_NODES,
                });
            }
        }
        if !nodes.is_sorted() {
            nodes.sort_unstable();
        }
        nodes.dedup();
        nodes.shrink_to_fit();
        meter.give_back(((granted - nodes.len()) * size_of::<NodeId>()) as u64);
        let lookup = Lookup::of(&nodes, meter)?;
        Ok(Self { nodes, lookup })
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn all(&self) -> &[NodeId] {
        &self.nodes
    }

    #[inline]
    pub(super) fn find(&self, node: NodeId) -> Option<u32> {
        let from_first = || node.get().checked_sub(self.nodes.first()?.get());
        let found = match &self.lookup {
            Lookup::Consecutive => {
                let place = from_first()?;
                return (place < self.nodes.len() as u64).then_some(place as u32);
            }
            Lookup::Table(table) => *table.get(usize::try_from(from_first()?).ok()?)?,
            Lookup::Search => {
                return self
                    .nodes
                    .binary_search(&node)
                    .ok()
                    .map(|place| place as u32);
            }
        };
        (found != ABSENT).then_some(found)
    }

    pub(super) fn bytes(&self) -> u64 {
        let table = match &self.lookup {
            Lookup::Table(table) => size_of_val(&**table),
            Lookup::Consecutive | Lookup::Search => 0,
        };
        (size_of_val(&*self.nodes) + table) as u64
    }
}

impl Lookup {
    fn of(nodes: &[NodeId], meter: &Meter) -> Result<Self, AlgoError> {
        let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else {
            return Ok(Self::Search);
        };
        let gap_to_last = last.get() - first.get();
        let count = nodes.len() as u64;
        if gap_to_last == count - 1 {
            return Ok(Self::Consecutive);
        }
        if gap_to_last >= count * TABLE_SLOTS_PER_NODE {
            return Ok(Self::Search);
        }
        let slots = gap_to_last as usize + 1;
        meter.take("the table from node ids to places", slots as u64 * 4)?;
        let mut table = vec![ABSENT; slots];
        for (place, node) in (0_u32..).zip(nodes) {
            if let Some(slot) = table.get_mut((node.get() - first.get()) as usize) {
                *slot = place;
            }
        }
        Ok(Self::Table(table))
    }
}
