//! A walk over one level of the graph, always to the neighbours of the nearest node not yet looked
//! at, until the nearest ones have all been.
//!
//! A walk costs what it waits for: codes are asked for as soon as a link to them is read, and the links
//! of what is looked at next as soon as that is known.

use super::blocks::{Blocks, KEPT, NO_SLOT};
use super::nearest::{Near, Nearest};
use super::score::{Scorer, Scores};
use super::visited::Visited;
use crate::error::IndexError;
use crate::index::search::Stop;
use std::sync::atomic::{AtomicU32, Ordering};

/// One level of the graph.
pub(crate) trait Level: Sync {
    /// No node is as large as this.
    fn nodes(&self) -> u32;

    /// The slots whose codes nodes have.
    fn slots<'a>(&self, nodes: &'a [u32], room: &'a mut Vec<u32>) -> &'a [u32] {
        room.clear();
        room.extend(nodes.iter().map(|node| self.slot(*node)));
        room
    }

    /// The slot whose code a node has.
    fn slot(&self, node: u32) -> u32;

    /// The nodes that a node is linked to; the first that is none ends them.
    fn links(&self, node: u32) -> &[AtomicU32];

    /// Asks for a node's links ahead of their use.
    fn prefetch_links(&self, node: u32);

    /// Whether new nodes should be linked to it.
    fn lives(&self, _node: u32) -> bool {
        true
    }

    /// Notes that a node's links have changed.
    fn touch(&self, _node: u32) {}

    /// A node that walks go around.
    fn hidden(&self) -> Option<u32> {
        None
    }
}

/// Room to walk in; one for many walks.
#[derive(Debug, Default)]
pub(crate) struct Walker {
    pub(crate) nearest: Nearest,
    /// Of a walk that takes only some: those.
    pub(crate) accepted: Nearest,
    visited: Visited,
    /// New nodes that are to be compared now.
    fresh: Vec<u32>,
    /// Those that are to be compared after them.
    coming: Vec<u32>,
    slots: Vec<u32>,
    scores: Scores,
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

/// What a walk looks for that takes only some.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepting<'a> {
    /// How many nearest of all it keeps to go on from.
    pub(crate) breadth: usize,
    /// How many it looks for.
    pub(crate) wanted: usize,
    /// After how many comparisons it gives up.
    pub(crate) patience: u64,
    pub(crate) stop: Stop<'a>,
}

/// What to do with the nearest node not looked at.
enum Next {
    Take,
    Skip,
    End,
}

impl Walker {
    /// Finds about the `breadth` nearest of a level, from `starts` on. They are in `nearest` then.
    pub(crate) fn walk<L: Level>(
        &mut self,
        level: &L,
        scorer: &Scorer<'_>,
        starts: &[u32],
        breadth: usize,
    ) {
        self.begin(level, starts, breadth);
        self.go(level, scorer, |_, _| Next::Take, |_, _, _| {});
    }

    /// The same, unless somebody stops it on the way.
    pub(crate) fn walk_until<L: Level>(
        &mut self,
        level: &L,
        scorer: &Scorer<'_>,
        starts: &[u32],
        breadth: usize,
        stop: Stop<'_>,
    ) -> Result<(), IndexError> {
        self.begin(level, starts, breadth);
        let judge = |_: &Self, _| match stop.stops() {
            true => Next::End,
            false => Next::Take,
        };
        match self.go(level, scorer, judge, |_, _, _| {}) {
            true => Ok(()),
            false => Err(IndexError::Stopped),
        }
    }

    /// Finds about the `wanted` nearest that are `accepted`, walking through the others as well. They are
    /// in `accepted` then. It keeps the `breadth` nearest of all to go on from, and gives up after
    /// comparing `patience` codes; whether it came to its end is what it returns.
    pub(crate) fn walk_accepting<L: Level>(
        &mut self,
        level: &L,
        scorer: &Scorer<'_>,
        starts: &[u32],
        Accepting {
            breadth,
            wanted,
            patience,
            stop,
        }: Accepting<'_>,
        mut accepts: impl FnMut(u32) -> bool,
    ) -> Result<bool, IndexError> {
        let limit = self.work.distances.saturating_add(patience);
        let mut stopped = false;
        self.accepted.begin(wanted);
        self.begin(level, starts, breadth);
        let came_to_end = self.go(
            level,
            scorer,
            |walker, near| {
                stopped = stop.stops();
                if stopped || walker.work.distances > limit {
                    Next::End
                } else if walker.accepted.would_take(near.far) {
                    Next::Take
                } else {
                    Next::Skip
                }
            },
            |accepted, far, node| {
                if accepted.would_take(far) && accepts(node) {
                    accepted.offer(far, node);
                }
            },
        );
        match stopped {
            true => Err(IndexError::Stopped),
            false => Ok(came_to_end && self.accepted.is_full()),
        }
    }

    /// Goes on from what is fresh until nothing is left. Whether `judge` has not ended it before.
    ///
    /// The next node is taken before what the last one led to has been looked at, so that codes are on
    /// their way while others are compared. It is seldom the wrong one: nearly all that are in `nearest` at
    /// some time are taken at last.
    #[inline(always)]
    fn go<L: Level>(
        &mut self,
        level: &L,
        scorer: &Scorer<'_>,
        mut judge: impl FnMut(&Self, Near) -> Next,
        mut also: impl FnMut(&mut Nearest, f32, u32),
    ) -> bool {
        loop {
            self.coming.clear();
            let mut next = None;
            if let Some(near) = self.nearest.next() {
                match judge(self, near) {
                    Next::Take => next = Some(near.node()),
                    Next::Skip => {}
                    Next::End => return false,
                }
            }
            if let Some(node) = next {
                self.gather(level, scorer.blocks(), node);
            } else if self.fresh.is_empty() {
                return true;
            }
            self.look(level, scorer, &mut also);
            std::mem::swap(&mut self.fresh, &mut self.coming);
        }
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        let lists = self.fresh.capacity() + self.coming.capacity() + self.slots.capacity();
        let found = self.nearest.bytes() + self.accepted.bytes() + self.scores.bytes();
        self.visited.bytes() + found + lists * size_of::<u32>()
    }

    fn begin<L: Level>(&mut self, level: &L, starts: &[u32], breadth: usize) {
        self.visited.begin(level.nodes() as usize);
        if let Some(hidden) = level.hidden() {
            self.visited.is_new(hidden);
        }
        self.nearest.begin(breadth);
        self.fresh.clear();
        for start in starts {
            if self.visited.is_new(*start) {
                self.fresh.push(*start);
            }
        }
    }

    /// Puts what a node leads to and is new into `coming`.
    #[inline]
    fn gather<L: Level>(&mut self, level: &L, blocks: &Blocks, node: u32) {
        self.work.steps += 1;
        for link in level.links(node) {
            let node = link.load(Ordering::Acquire);
            if node == NO_SLOT {
                break;
            }
            let node = node & !KEPT;
            if self.visited.is_new(node) {
                blocks.prefetch(level.slot(node));
                self.coming.push(node);
            }
        }
        if let Some(next) = self.nearest.peek() {
            level.prefetch_links(next);
        }
    }

    /// Offers what is fresh.
    #[inline]
    fn look<L: Level>(
        &mut self,
        level: &L,
        scorer: &Scorer<'_>,
        mut also: impl FnMut(&mut Nearest, f32, u32),
    ) {
        let slots = level.slots(&self.fresh, &mut self.slots);
        self.work.distances += slots.len() as u64;
        scorer.far(slots, &mut self.scores);
        // The nearest of them is most likely the next; by the time all have been offered its links are there.
        let mut best = (f32::MAX, None);
        for (node, far) in self.fresh.iter().zip(&self.scores.far) {
            if *far < best.0 {
                best = (*far, Some(*node));
            }
        }
        if let Some(best) = best.1 {
            level.prefetch_links(best);
        }
        for (node, far) in self.fresh.iter().zip(&self.scores.far) {
            self.nearest.offer(*far, *node);
            also(&mut self.accepted, *far, *node);
        }
    }
}
