#![expect(
    unsafe_code,
    reason = "codes and links are read through addresses in reserved memory"
)]
//! One block of memory per slot: the code, its scale, and the links of level 0, side by side, so that
//! a step of a walk touches one place per neighbour.
//!
//! ```text
//! [code: a byte per dimension][scale: f32][square: f32, if Euclidean][links: u32 ...] up to 64 bytes
//! ```
//!
//! A code is written once, before anybody can come by a link to its slot. Links change while others
//! walk over them: each is read and written whole, and a walk takes any mixture of an old and a new
//! list. Nothing here may hand out a slot that was not there.

use super::code::Code;
use super::walk::Level;
use crate::codes::Strided;
use crate::error::IndexError;
use crate::memory::Reserved;
use crate::metric::Metric;
use std::sync::atomic::{AtomicU32, Ordering};

/// Ends a list of links.
pub(crate) const NO_SLOT: u32 = u32::MAX;
/// Set in a link that must stay: see `link.rs`.
pub(crate) const KEPT: u32 = 1 << 31;
/// So many slots there can be at most.
pub(crate) const MAX_SLOTS: u32 = KEPT - 1;

/// A cache line; blocks begin at one.
const LINE: usize = 64;
const WORD: usize = size_of::<u32>();
/// From this many bytes on, huge pages are worth asking for.
const MANY_BYTES: usize = 2 << 20;

/// Where things are in a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) dimensions: usize,
    scale_at: usize,
    square_at: Option<usize>,
    links_at: usize,
    pub(crate) links: usize,
    stride: usize,
}

impl Layout {
    /// With at least so many links; what is left of the last line is for links, too.
    pub(crate) fn new(dimensions: usize, metric: Metric, least_links: usize) -> Self {
        let scale_at = dimensions.next_multiple_of(WORD);
        let square_at = (metric == Metric::Euclidean).then_some(scale_at + WORD);
        let links_at = square_at.unwrap_or(scale_at) + WORD;
        let stride = (links_at + least_links * WORD).next_multiple_of(LINE);
        Self {
            dimensions,
            scale_at,
            square_at,
            links_at,
            links: (stride - links_at) / WORD,
            stride,
        }
    }

    /// How many bytes a slot takes.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }
}

/// All blocks, room for as many as there may ever be.
#[derive(Debug)]
pub(crate) struct Blocks {
    memory: Reserved,
    layout: Layout,
    slots: u32,
}

impl Blocks {
    pub(crate) fn new(layout: Layout, slots: u32) -> Result<Self, IndexError> {
        let slots = slots.min(MAX_SLOTS);
        let bytes = (slots as usize).checked_mul(layout.stride);
        let memory = Reserved::new(bytes.ok_or(IndexError::NoMemory { bytes: usize::MAX })?)?;
        Ok(Self {
            memory,
            layout,
            slots,
        })
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// How many slots there is room for.
    pub(crate) fn slots(&self) -> u32 {
        self.slots
    }

    /// All codes.
    pub(crate) fn codes(&self) -> Strided {
        Strided {
            first: self.memory.start(),
            stride: self.layout.stride,
        }
    }

    /// The address of something in a slot's block.
    #[inline]
    fn at(&self, slot: u32, offset: usize) -> *mut u8 {
        assert!(slot < self.slots, "slot {slot} of {}", self.slots);
        // The block lies in the memory, and `offset` in the block.
        self.memory
            .start()
            .wrapping_add(slot as usize * self.layout.stride + offset)
    }

    /// Fills a slot that nobody knows yet.
    ///
    /// # Safety
    ///
    /// No other thread reads or writes the slot meanwhile.
    pub(crate) unsafe fn fill(&self, slot: u32, code: &Code) {
        debug_assert_eq!(code.numbers.len(), self.layout.dimensions);
        if (slot as usize + 1) * self.layout.stride
            == MANY_BYTES.next_multiple_of(self.layout.stride)
        {
            self.memory.prefer_huge_pages();
        }
        let start = self.at(slot, 0);
        for (at, byte) in code.stored().enumerate().take(self.layout.dimensions) {
            // SAFETY: inside the block, which nobody else has.
            unsafe { start.add(at).write(byte) };
        }
        // SAFETY: as above; words lie at multiples of four.
        unsafe {
            start
                .add(self.layout.scale_at)
                .cast::<f32>()
                .write(code.scale);
            if let Some(square_at) = self.layout.square_at {
                start.add(square_at).cast::<f32>().write(code.square);
            }
        }
        for link in self.links(slot) {
            link.store(NO_SLOT, Ordering::Relaxed);
        }
    }

    /// A slot's code, which has been filled.
    pub(crate) fn code(&self, slot: u32) -> &[u8] {
        // SAFETY: the code lies in the block, and is never written again once anybody knows it.
        unsafe { std::slice::from_raw_parts(self.at(slot, 0), self.layout.dimensions) }
    }

    /// What a slot's code is to be multiplied by.
    #[inline]
    pub(crate) fn scale(&self, slot: u32) -> f32 {
        // SAFETY: as for `code`; words lie at multiples of four.
        unsafe { self.at(slot, self.layout.scale_at).cast::<f32>().read() }
    }

    /// The square of the length of what a slot's code stands for; one where nobody needs it.
    #[inline]
    pub(crate) fn square(&self, slot: u32) -> f32 {
        // SAFETY: as for `scale`.
        self.layout
            .square_at
            .map_or(1.0, |at| unsafe { self.at(slot, at).cast::<f32>().read() })
    }

    /// A slot's links.
    #[inline]
    pub(crate) fn links(&self, slot: u32) -> &[AtomicU32] {
        let first = self.at(slot, self.layout.links_at).cast::<AtomicU32>();
        // SAFETY: the links lie in the block at multiples of four, and are only used as atomics.
        unsafe { std::slice::from_raw_parts(first, self.layout.links) }
    }

    /// Asks for a slot's block ahead of its use, from its start to its first links.
    #[inline]
    pub(crate) fn prefetch(&self, slot: u32) {
        self.prefetch_lines(slot, 0, self.layout.links_at);
    }

    /// Asks for a slot's links.
    #[inline]
    pub(crate) fn prefetch_links(&self, slot: u32) {
        self.prefetch_lines(slot, self.layout.links_at, self.layout.stride);
    }

    #[inline]
    fn prefetch_lines(&self, slot: u32, from: usize, to: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let block = self.memory.start().wrapping_add(slot as usize * self.layout.stride);
            let mut line = from / LINE * LINE;
            while line < to {
                // SAFETY: a prefetch never faults, and every x86-64 has it.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(block.wrapping_add(line).cast()) };
                line += LINE;
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (slot, from, to);
    }
}

/// Level 0: every slot is a node.
impl Level for Blocks {
    #[inline]
    fn slot(&self, node: u32) -> u32 {
        node
    }

    #[inline]
    fn links(&self, node: u32) -> &[AtomicU32] {
        self.links(node)
    }

    #[inline]
    fn prefetch_links(&self, node: u32) {
        self.prefetch_links(node);
    }
}
