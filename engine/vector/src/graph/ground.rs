//! Level 0 of the graph, whose links lie in the blocks.

use super::blocks::Blocks;
use super::walk::Level;
use std::sync::atomic::AtomicU32;

/// Level 0: every slot is a node.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) blocks: &'a Blocks,
    /// How many slots there are at the time.
    pub(crate) slots: u32,
    /// Whether a slot is worth a link.
    pub(crate) lives: &'a (dyn Fn(u32) -> bool + Sync),
    /// One that walks go around, as if it were not there.
    pub(crate) hidden: Option<u32>,
}

impl Level for Ground<'_> {
    #[inline]
    fn nodes(&self) -> u32 {
        self.slots
    }

    #[inline]
    fn slots<'a>(&self, nodes: &'a [u32], _room: &'a mut Vec<u32>) -> &'a [u32] {
        nodes
    }

    #[inline]
    fn slot(&self, node: u32) -> u32 {
        node
    }

    #[inline]
    fn links(&self, node: u32) -> &[AtomicU32] {
        self.blocks.links(node)
    }

    #[inline]
    fn prefetch_links(&self, node: u32) {
        self.blocks.prefetch_links(node);
    }

    fn lives(&self, node: u32) -> bool {
        (self.lives)(node)
    }

    fn hidden(&self) -> Option<u32> {
        self.hidden
    }

    fn touch(&self, node: u32) {
        self.blocks.touch(node);
    }
}
