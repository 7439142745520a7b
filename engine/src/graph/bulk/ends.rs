//! Which nodes a loaded relationship may connect: those of the load, and those stored before it.

use crate::error::Result;
use crate::graph::view::View;
use crate::keys::KeyReadTxn;
use crate::value::NodeId;
use roaring::RoaringTreemap;

/// How many stored nodes are remembered to be there, so that hubs are not looked up again and again.
const REMEMBERED: usize = 1 << 14;

/// The nodes that there are.
pub(super) struct KnownNodes {
    /// The first id that no stored node has.
    first: u64,
    /// As long as the load left no gap, it has all ids from the first to here.
    end: u64,
    /// All ids of the load, once it has left a gap.
    scattered: Option<RoaringTreemap>,
    /// At a place that its id decides, a stored node; one more than its id.
    remembered: Box<[u64]>,
}

impl KnownNodes {
    pub(super) fn new(first: u64) -> Self {
        Self {
            first,
            end: first,
            scattered: None,
            remembered: vec![0; REMEMBERED].into_boxed_slice(),
        }
    }

    /// The first id that no stored node has.
    pub(super) fn first_new(&self) -> u64 {
        self.first
    }

    /// Notes a node of the load; ids rise.
    pub(super) fn add(&mut self, node: u64) {
        match &mut self.scattered {
            None if node == self.end => self.end += 1,
            None => {
                let mut scattered = RoaringTreemap::new();
                scattered.insert_range(self.first..self.end);
                scattered.insert(node);
                self.scattered = Some(scattered);
            }
            Some(scattered) => drop(scattered.insert(node)),
        }
    }

    /// Whether a node is there.
    pub(super) fn contains(&mut self, view: &View<'_, KeyReadTxn>, node: NodeId) -> Result<bool> {
        let id = node.get();
        if id >= self.first {
            return Ok(match &self.scattered {
                None => id < self.end,
                Some(scattered) => scattered.contains(id),
            });
        }
        // Fibonacci hashing: neighbouring ids go to different places, and so do those of one stride.
        let hash = id.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        let place = (hash as usize) % REMEMBERED;
        if self.remembered.get(place) == Some(&(id + 1)) {
            return Ok(true);
        }
        let is_there = view.contains(node.into())?;
        if is_there && let Some(place) = self.remembered.get_mut(place) {
            *place = id + 1;
        }
        Ok(is_there)
    }
}
