#![expect(
    unsafe_code,
    reason = "what is copied is read through addresses in reserved memory"
)]
//! A slot as a snapshot holds it: the block in little-endian order, the low half, and what the code leaves out.
//!
//! What is copied in may be anything. Numbers are checked here, links by the caller, who knows the other slots.

use super::Blocks;
use super::layout::{Layout, WORD};
use crate::coding::{Coding, Lost};
use crate::error::IndexError;
use std::sync::atomic::{AtomicU32, Ordering};

impl Blocks {
    /// Appends everything of a slot, while nobody changes it.
    pub(crate) fn copy_out(&self, slot: u32, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self.code(slot));
        for word in self.words(slot) {
            bytes.extend_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
        }
        bytes.extend_from_slice(self.low_half(slot));
        if self.layout.lost > 0 {
            bytes.extend_from_slice(&self.lost(slot).bytes());
        }
    }

    /// Fills a slot that nobody knows with what was copied. The links are to be checked by the caller.
    ///
    /// # Safety
    ///
    /// No other thread reads or writes the slot meanwhile.
    pub(crate) unsafe fn copy_in(&self, slot: u32, bytes: &[u8]) -> Result<(), IndexError> {
        let Layout {
            code,
            apart,
            lost,
            links_at,
            ..
        } = self.layout;
        let damaged = IndexError::Damaged {
            what: "a slot has a number that cannot be",
        };
        if bytes.len() != self.layout.bytes() {
            return Err(damaged);
        }
        let (bytes, left_out) = bytes.split_at(bytes.len() - lost);
        if let Some(left_out) = left_out.first_chunk() {
            // SAFETY: the caller vouches for the slot.
            unsafe { self.put_lost(slot, Lost::from_bytes(*left_out)) };
        }
        // SAFETY: the caller vouches for the slot.
        let (high, low) = unsafe { self.code_mut(slot) };
        high.copy_from_slice(&bytes[..code]);
        let words = &bytes[code..bytes.len() - apart];
        low.copy_from_slice(&bytes[bytes.len() - apart..]);
        if self.layout.coding == Coding::Whole {
            let components = high.as_chunks_mut().0;
            for bytes in components {
                let component = f32::from_le_bytes(*bytes);
                if !component.is_finite() {
                    return Err(damaged);
                }
                *bytes = component.to_ne_bytes();
            }
        }
        for (at, bytes) in words.as_chunks().0.iter().enumerate() {
            let word = u32::from_le_bytes(*bytes);
            // Before the links are the scale and the square.
            let number = f32::from_bits(word);
            if at < (links_at - code) / WORD && !(number.is_finite() && number >= 0.0) {
                return Err(damaged);
            }
            self.words(slot)[at].store(word, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Everything of a block behind its code.
    fn words(&self, slot: u32) -> &[AtomicU32] {
        let first = self.at(slot, self.layout.code).cast::<AtomicU32>();
        let count = (self.layout.stride - self.layout.code) / WORD;
        // SAFETY: they lie in the block at multiples of four. Scale and square are written before anybody
        // knows the slot.
        unsafe { std::slice::from_raw_parts(first, count) }
    }
}
