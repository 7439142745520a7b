#![expect(
    unsafe_code,
    reason = "codes and links are read through addresses in reserved memory"
)]
//! One block of memory per slot: what walks read of its code, and the links of level 0, side by side, so
//! that a step of a walk touches one place per neighbour.
//!
//! ```text
//! [code][scale: f32, unless all are equal][square: f32, if Euclidean][links: u32 ...] up to 64 bytes
//! ```
//!
//! The low halves of halved codes lie apart, and so does [what codes leave out](Lost). A code is written once,
//! before anybody can come by a link to its slot. Links change while others walk over them: each is read and
//! written whole, and a walk takes any mixture of an old and a new list. Nothing here may hand out a slot that
//! was not there. Where things are in a block is in `layout.rs`, how a slot is copied for a snapshot in
//! `copied.rs`.

mod copied;
mod layout;

use crate::codes::{Strided, halves};
use crate::coding::{Code, Coder, Coding, Lost};
use crate::error::IndexError;
use crate::memory::{Reserved, prefetch};
use crate::snapshot::PART_SLOTS;
use layout::Layout;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Ends a list of links.
pub(crate) const NO_SLOT: u32 = u32::MAX;
/// Set in a link that must stay: see `kept.rs`.
pub(crate) const KEPT: u32 = 1 << 31;
/// So many slots there can be at most.
pub(crate) const MAX_SLOTS: u32 = KEPT - 1;

/// From this many bytes on, huge pages are worth asking for.
const MANY_BYTES: usize = 2 << 20;

/// All blocks, room for as many as there may ever be.
#[derive(Debug)]
pub(crate) struct Blocks {
    memory: Reserved,
    apart: Reserved,
    lost: Reserved,
    layout: Layout,
    slots: u32,
    /// Which parts were changed since they were last copied.
    changed: Vec<AtomicBool>,
    pub(crate) coder: Coder,
}

impl Blocks {
    /// Room for so many slots, each with at least so many links.
    pub(crate) fn new(coder: Coder, least_links: usize, slots: u32) -> Result<Self, IndexError> {
        let layout = Layout::new(&coder, least_links);
        let slots = slots.min(MAX_SLOTS);
        let reserve = |each: usize| {
            let bytes = (slots as usize).checked_mul(each);
            Reserved::new(bytes.ok_or(IndexError::NoMemory { bytes: usize::MAX })?)
        };
        Ok(Self {
            memory: reserve(layout.stride)?,
            apart: reserve(layout.apart)?,
            lost: reserve(layout.lost)?,
            layout,
            slots,
            changed: (0..slots.div_ceil(PART_SLOTS))
                .map(|_| AtomicBool::new(false))
                .collect(),
            coder,
        })
    }

    /// How many bytes a slot takes.
    pub(crate) fn bytes_each(coder: &Coder, least_links: usize) -> usize {
        Layout::new(coder, least_links).bytes()
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// How many slots there is room for.
    pub(crate) fn slots(&self) -> u32 {
        self.slots
    }

    /// What walks read of all codes.
    pub(crate) fn codes(&self) -> Strided {
        Strided {
            first: self.memory.start(),
            stride: self.layout.stride,
        }
    }

    /// The low halves of all codes.
    pub(crate) fn low_halves(&self) -> Strided {
        Strided {
            first: self.apart.start(),
            stride: self.layout.apart,
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

    /// The code of a slot that nobody knows, to be written.
    ///
    /// # Safety
    ///
    /// No other thread reads or writes the slot meanwhile.
    #[expect(
        clippy::mut_from_ref,
        reason = "the memory is not in `self`, and the caller vouches for the slot"
    )]
    unsafe fn code_mut(&self, slot: u32) -> (&mut [u8], &mut [u8]) {
        let Layout { code, apart, .. } = self.layout;
        let low = self.apart.start().wrapping_add(slot as usize * apart);
        let high = self.at(slot, 0);
        // SAFETY: both lie in their memory, and nobody else has them.
        unsafe {
            (
                std::slice::from_raw_parts_mut(high, code),
                std::slice::from_raw_parts_mut(low, apart),
            )
        }
    }

    /// Fills a slot that nobody knows.
    ///
    /// # Safety
    ///
    /// No other thread reads or writes the slot meanwhile.
    pub(crate) unsafe fn fill(&self, slot: u32, code: &Code) {
        for memory in [
            (&self.memory, self.layout.stride),
            (&self.apart, self.layout.apart),
        ] {
            let (memory, each) = memory;
            let end = (slot as usize + 1) * each;
            if (MANY_BYTES..MANY_BYTES + each).contains(&end) {
                memory.prefer_huge_pages();
            }
        }
        // SAFETY: the caller vouches for the slot.
        let (high, low) = unsafe { self.code_mut(slot) };
        match self.layout.coding {
            Coding::Halves => {
                halves::pack(code.stored.iter().map(|bits| bits >> 4), high);
                halves::pack(code.stored.iter().copied(), low);
            }
            Coding::Bytes => high[..code.stored.len()].copy_from_slice(&code.stored),
            Coding::Whole => {
                let components = high.as_chunks_mut().0.iter_mut();
                for (bytes, component) in components.zip(&code.components) {
                    *bytes = component.to_ne_bytes();
                }
            }
        }
        for (at, word) in [
            (self.layout.scale_at, code.scale),
            (self.layout.square_at, code.square),
        ] {
            if let Some(at) = at {
                // SAFETY: as above; words lie at multiples of four.
                unsafe { self.at(slot, at).cast::<f32>().write(word) };
            }
        }
        // SAFETY: as above.
        unsafe { self.put_lost(slot, code.lost) };
        for link in self.links(slot) {
            link.store(NO_SLOT, Ordering::Relaxed);
        }
        self.touch(slot);
    }

    /// # Safety
    ///
    /// No other thread reads or writes the slot meanwhile.
    unsafe fn put_lost(&self, slot: u32, lost: Lost) {
        assert!(slot < self.slots, "slot {slot} of {}", self.slots);
        if self.layout.lost > 0 {
            let first = self.lost.start().cast::<[u8; Lost::BYTES]>();
            // SAFETY: it lies in the memory, bytes lie anywhere, and the caller vouches for the slot.
            unsafe { first.wrapping_add(slot as usize).write(lost.bytes()) };
        }
    }

    /// What the code of a slot leaves out.
    #[inline]
    pub(crate) fn lost(&self, slot: u32) -> Lost {
        assert!(slot < self.slots, "slot {slot} of {}", self.slots);
        if self.layout.lost == 0 {
            return Lost::default();
        }
        let first = self.lost.start().cast::<[u8; Lost::BYTES]>();
        // SAFETY: as for `code`.
        Lost::from_bytes(unsafe { first.wrapping_add(slot as usize).read() })
    }

    /// Takes what is stored of a slot as the vector to compare with; only what walks read of it, if that
    /// is `enough`.
    pub(crate) fn load(&self, slot: u32, enough: bool, code: &mut Code) {
        match self.layout.coding {
            Coding::Halves => {
                let low = (!enough).then(|| self.low_half(slot));
                halves::numbers(self.code(slot), low, &mut code.numbers);
                // Beyond the last dimension a query must be zero.
                code.numbers[self.layout.dimensions..].fill(0);
            }
            Coding::Bytes => {
                let bytes = &self.code(slot)[..self.layout.dimensions];
                code.numbers.clear();
                let numbers = bytes
                    .iter()
                    .map(|byte| byte.wrapping_add(128).cast_signed());
                code.numbers.extend(numbers);
            }
            Coding::Whole => {
                code.components.clear();
                code.components.extend_from_slice(self.whole(slot));
            }
        }
        code.scale = self.scale(slot);
        code.square = self.square(slot);
        code.unit = match self.layout.coding {
            Coding::Halves => code.scale / 16.0,
            Coding::Bytes | Coding::Whole => code.scale,
        };
    }

    /// Asks for huge pages if so many slots, which are filled without [`fill`](Self::fill), are worth it.
    pub(crate) fn prefer_huge_pages(&self, slots: u32) {
        for (memory, each) in [
            (&self.memory, self.layout.stride),
            (&self.apart, self.layout.apart),
        ] {
            if slots as usize * each >= MANY_BYTES {
                memory.prefer_huge_pages();
            }
        }
    }

    /// Notes that something of a slot has changed.
    #[inline]
    pub(crate) fn touch(&self, slot: u32) {
        self.changed[(slot / PART_SLOTS) as usize].store(true, Ordering::Relaxed);
    }

    /// Whether a part was changed since this was last asked for.
    pub(crate) fn take_change(&self, part: u32) -> bool {
        self.changed[part as usize].swap(false, Ordering::Relaxed)
    }

    /// Notes that all parts are known elsewhere as they are.
    pub(crate) fn all_unchanged(&self) {
        for changed in &self.changed {
            changed.store(false, Ordering::Relaxed);
        }
    }

    /// What walks read of a slot's code, which has been filled.
    pub(crate) fn code(&self, slot: u32) -> &[u8] {
        // SAFETY: the code lies in the block, and is not written while anybody knows it.
        unsafe { std::slice::from_raw_parts(self.at(slot, 0), self.layout.code) }
    }

    /// The low half of a slot's code, which has been filled.
    pub(crate) fn low_half(&self, slot: u32) -> &[u8] {
        assert!(slot < self.slots, "slot {slot} of {}", self.slots);
        let at = slot as usize * self.layout.apart;
        // SAFETY: as for `code`.
        unsafe { std::slice::from_raw_parts(self.apart.start().add(at), self.layout.apart) }
    }

    /// A slot's vector, where vectors are kept whole.
    #[inline]
    pub(crate) fn whole(&self, slot: u32) -> &[f32] {
        debug_assert_eq!(self.layout.coding, Coding::Whole);
        // SAFETY: as for `code`; blocks begin at multiples of 64.
        unsafe { std::slice::from_raw_parts(self.at(slot, 0).cast(), self.layout.dimensions) }
    }

    /// Whether the scale is the same for all.
    #[inline]
    pub(crate) fn same_scale(&self) -> Option<f32> {
        self.layout.scale_at.is_none().then_some(self.layout.scale)
    }

    /// What a slot's code is to be multiplied by.
    #[inline]
    pub(crate) fn scale(&self, slot: u32) -> f32 {
        // SAFETY: as for `code`; words lie at multiples of four.
        self.layout.scale_at.map_or(self.layout.scale, |at| unsafe {
            self.at(slot, at).cast::<f32>().read()
        })
    }

    /// The square of the length of what a slot's code stands for; zero where nobody needs it.
    #[inline]
    pub(crate) fn square(&self, slot: u32) -> f32 {
        // SAFETY: as for `scale`.
        self.layout
            .square_at
            .map_or(0.0, |at| unsafe { self.at(slot, at).cast::<f32>().read() })
    }

    /// A slot's links.
    #[inline]
    pub(crate) fn links(&self, slot: u32) -> &[AtomicU32] {
        let first = self.at(slot, self.layout.links_at).cast::<AtomicU32>();
        // SAFETY: the links lie in the block at multiples of four, and are only used as atomics.
        unsafe { std::slice::from_raw_parts(first, self.layout.links) }
    }

    /// Asks for a slot's code ahead of its use.
    #[inline]
    pub(crate) fn prefetch(&self, slot: u32) {
        prefetch_lines(self.codes(), slot, 0, self.layout.links_at);
    }

    /// Asks for the low half of a slot's code.
    #[inline]
    pub(crate) fn prefetch_low_half(&self, slot: u32) {
        prefetch_lines(self.low_halves(), slot, 0, self.layout.apart);
    }

    /// Asks for a slot's links.
    #[inline]
    pub(crate) fn prefetch_links(&self, slot: u32) {
        prefetch_lines(self.codes(), slot, self.layout.links_at, self.layout.stride);
    }
}

#[inline]
fn prefetch_lines(blocks: Strided, slot: u32, from: usize, to: usize) {
    let block = blocks.first.wrapping_add(slot as usize * blocks.stride);
    prefetch(block.wrapping_add(from), to - from);
}
