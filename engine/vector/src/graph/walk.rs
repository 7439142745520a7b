//! A walk over one level of the graph, always to the neighbours of the nearest node not yet looked
//! at, until the nearest ones have all been.

use super::blocks::{Blocks, KEPT, NO_SLOT};
use super::nearest::Nearest;
use super::score::Scorer;
use super::visited::Visited;
use std::sync::atomic::{AtomicU32, Ordering};

/// One level of the graph.
pub(crate) trait Level: Sync {
    /// The slot whose code a node has.
    fn slot(&self, node: u32) -> u32;

    /// The nodes that a node is linked to; the first that is none ends them.
    fn links(&self, node: u32) -> &[AtomicU32];

    /// Asks for a node's links ahead of their use.
    fn prefetch_links(&self, node: u32);
}

/// Room to walk in; one for many walks.
#[derive(Debug, Default)]
pub(crate) struct Walker {
    pub(crate) nearest: Nearest,
    visited: Visited,
    fresh: Vec<u32>,
    slots: Vec<u32>,
    raw: Vec<i32>,
    far: Vec<f32>,
    pub(crate) work: Work,
}

/// What walks have cost, counted over all that shared a [`Walker`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// Codes that were compared with a query.
    pub(crate) distances: u64,
    /// Nodes whose links were followed.
    pub(crate) steps: u64,
}

impl Walker {
    /// Finds about the `breadth` nearest of a level with `nodes` nodes, from `starts` on. They are in
    /// `nearest` then.
    pub(crate) fn walk<L: Level>(
        &mut self,
        level: &L,
        nodes: u32,
        blocks: &Blocks,
        scorer: &Scorer<'_>,
        starts: &[u32],
        breadth: usize,
    ) {
        self.visited.begin(nodes as usize);
        self.nearest.begin(breadth);
        self.fresh.clear();
        for start in starts {
            if self.visited.is_new(*start) {
                self.fresh.push(*start);
            }
        }
        self.look(level, scorer);
        while let Some(near) = self.nearest.next() {
            self.work.steps += 1;
            self.fresh.clear();
            for link in level.links(near.node()) {
                let node = link.load(Ordering::Acquire);
                if node == NO_SLOT {
                    break;
                }
                let node = node & !KEPT;
                if self.visited.is_new(node) {
                    blocks.prefetch(level.slot(node));
                    self.fresh.push(node);
                }
            }
            self.look(level, scorer);
            if let Some(next) = self.nearest.peek() {
                level.prefetch_links(next);
            }
        }
    }

    /// Offers what is fresh.
    #[inline]
    fn look<L: Level>(&mut self, level: &L, scorer: &Scorer<'_>) {
        self.slots.clear();
        self.slots
            .extend(self.fresh.iter().map(|node| level.slot(*node)));
        self.work.distances += self.slots.len() as u64;
        scorer.far(&self.slots, &mut self.raw, &mut self.far);
        for (node, far) in self.fresh.iter().zip(&self.far) {
            self.nearest.offer(*far, *node);
        }
    }
}
