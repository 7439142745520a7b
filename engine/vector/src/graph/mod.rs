//! The graph that is walked to find what is near: blocks of codes and links, and how they are linked.
//!
//! Nothing here knows sequences, filters or whole vectors: it works on slots and codes. One thread at a
//! time changes it, any number walk over it meanwhile.

pub(crate) mod blocks;
pub(crate) mod bounds;
pub(crate) mod ground;
mod kept;
pub(crate) mod link;
pub(crate) mod nearest;
pub(crate) mod prune;
pub(crate) mod score;
pub(crate) mod unlink;
pub(crate) mod upper;
mod visited;
pub(crate) mod walk;

use arc_swap::ArcSwap;
use blocks::{Blocks, NO_SLOT};
use ground::Ground;
use link::{Linker, Linking, Starts, link};
use score::Scorer;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use upper::Upper;
use walk::Walker;

/// Blocks with the levels above them.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) blocks: Blocks,
    upper: ArcSwap<Upper>,
    /// A node that is linked, if any is.
    entry: AtomicU32,
    seed: u64,
}

impl Graph {
    pub(crate) fn new(blocks: Blocks, seed: u64) -> Self {
        Self {
            blocks,
            upper: ArcSwap::default(),
            entry: AtomicU32::new(NO_SLOT),
            seed,
        }
    }

    /// Puts together what a snapshot held, which has been checked.
    pub(crate) fn restore(&self, upper: Upper, entry: u32) {
        self.upper.store(Arc::new(upper));
        self.entry.store(entry, Ordering::Release);
    }

    /// A node that is linked, if any is.
    pub(crate) fn entry(&self) -> Option<u32> {
        Some(self.entry.load(Ordering::Acquire)).filter(|entry| *entry != NO_SLOT)
    }

    /// The levels above.
    pub(crate) fn upper(&self) -> Arc<Upper> {
        self.upper.load_full()
    }

    /// Links nodes that no link leads to yet. They must be in order, and few beside those that are linked.
    /// `held` are those that were taken out and that the levels above still know.
    pub(crate) fn link(
        &self,
        ground: &Ground<'_>,
        linking: Linking<'_>,
        held: &HashSet<u32>,
        new: &[u32],
        linkers: &mut Vec<Linker>,
    ) {
        let starts = Linked { graph: self, held };
        link(ground, &self.blocks, linking, &starts, new, linkers);
        if let (None, Some(first)) = (self.entry(), new.first()) {
            self.entry.store(*first, Ordering::Release);
        }
    }

    /// Makes the levels above anew, from these nodes.
    pub(crate) fn raise(
        &self,
        nodes: impl Iterator<Item = u32>,
        linking: Linking<'_>,
        linkers: &mut Vec<Linker>,
    ) {
        let upper = Upper::build(&self.blocks, nodes, self.seed, linking, linkers);
        self.upper.store(Arc::new(upper));
    }

    /// Takes nodes out: nothing that stays leads to them any more. Those that are `idle` are not linked.
    pub(crate) fn unlink(
        &self,
        ground: &Ground<'_>,
        linking: Linking<'_>,
        gone: &[u32],
        idle: &[u32],
        linkers: &mut Vec<Linker>,
    ) {
        let known = self.upper();
        let entry = unlink::unlink(
            ground,
            linking,
            gone,
            idle,
            known.slots(),
            self.entry(),
            linkers,
        );
        self.entry
            .store(entry.unwrap_or(NO_SLOT), Ordering::Release);
    }
}

impl Starts for Graph {
    fn find(&self, scorer: &Scorer<'_>, walker: &mut Walker, starts: &mut Vec<u32>) {
        let upper = self.upper.load();
        upper.descend(scorer, walker, starts);
        for start in &mut *starts {
            *start = upper.slot(*start);
        }
        // All that the upper levels know may have been taken out.
        starts.extend(self.entry());
    }
}

/// Where a walk begins that must not find what was taken out: nothing else leads there.
struct Linked<'a> {
    graph: &'a Graph,
    held: &'a HashSet<u32>,
}

impl Starts for Linked<'_> {
    fn find(&self, scorer: &Scorer<'_>, walker: &mut Walker, starts: &mut Vec<u32>) {
        self.graph.find(scorer, walker, starts);
        starts.retain(|start| !self.held.contains(start));
    }
}

#[cfg(test)]
mod tests;
