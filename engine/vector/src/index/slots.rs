#![expect(unsafe_code, reason = "it hands out what lies in reserved memory")]
//! Who lives in a slot and from when to when: the id, and the sequences at which it was born and died.
//!
//! A search at a sequence sees what was born at it or before and has not died by then. A slot that was
//! never used was born at 0 and died at 0: nobody sees it.

use crate::error::IndexError;
use crate::memory::{Reserved, prefetch};
use std::sync::atomic::{AtomicU64, Ordering};

/// The sequence at which those die who are alive.
pub(crate) const ALIVE: u64 = u64::MAX;
/// The last sequence that there can be.
pub(crate) const LAST_SEQUENCE: u64 = u64::MAX - 1;

/// One slot.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Slot {
    id: AtomicU64,
    born: AtomicU64,
    died: AtomicU64,
}

/// Who lives in a slot, as it was at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) id: u64,
    pub(crate) born: u64,
    pub(crate) died: u64,
}

/// All slots, room for as many as there may ever be.
#[derive(Debug)]
pub(crate) struct Slots {
    memory: Reserved,
    room: u32,
}

/// How many bytes a slot takes here.
pub(crate) const SLOT_BYTES: usize = size_of::<Slot>();

impl Slots {
    pub(crate) fn new(room: u32) -> Result<Self, IndexError> {
        Ok(Self {
            memory: Reserved::new(room as usize * SLOT_BYTES)?,
            room,
        })
    }

    #[inline]
    fn slot(&self, slot: u32) -> &Slot {
        assert!(slot < self.room, "slot {slot} of {}", self.room);
        // SAFETY: inside the memory, which is zeros at first; a slot is nothing but atomics.
        unsafe { &*self.memory.start().cast::<Slot>().add(slot as usize) }
    }

    /// Asks for a slot ahead of its use.
    pub(crate) fn prefetch(&self, slot: u32) {
        let slot: *const Slot = self.slot(slot);
        prefetch(slot.cast(), SLOT_BYTES);
    }

    /// Lets somebody live in a slot that nobody sees.
    pub(crate) fn settle(&self, slot: u32, id: u64, born: u64, died: u64) {
        let slot = self.slot(slot);
        // Nobody is seen in between: not who was there, for he has died, nor the new one before his birth.
        slot.died.store(0, Ordering::Release);
        slot.id.store(id, Ordering::Release);
        slot.born.store(born, Ordering::Release);
        slot.died.store(died, Ordering::Release);
    }

    /// Ends a life.
    pub(crate) fn bury(&self, slot: u32, died: u64) {
        self.slot(slot).died.store(died, Ordering::Release);
    }

    pub(crate) fn id(&self, slot: u32) -> u64 {
        self.slot(slot).id.load(Ordering::Acquire)
    }

    pub(crate) fn record(&self, slot: u32) -> Record {
        let slot = self.slot(slot);
        Record {
            id: slot.id.load(Ordering::Acquire),
            born: slot.born.load(Ordering::Acquire),
            died: slot.died.load(Ordering::Acquire),
        }
    }

    pub(crate) fn died(&self, slot: u32) -> u64 {
        self.slot(slot).died.load(Ordering::Acquire)
    }

    /// Whether nobody has ended the life in a slot.
    #[inline]
    pub(crate) fn lives(&self, slot: u32) -> bool {
        self.died(slot) == ALIVE
    }

    /// Whether a search at a sequence sees who lives in a slot.
    #[inline]
    pub(crate) fn sees(&self, slot: u32, sequence: u64) -> bool {
        let slot = self.slot(slot);
        sequence < slot.died.load(Ordering::Acquire)
            && slot.born.load(Ordering::Acquire) <= sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_seen_from_birth_until_death() {
        let slots = Slots::new(3).unwrap();
        assert!(!slots.sees(2, 0) && !slots.sees(2, LAST_SEQUENCE), "nobody");
        slots.settle(1, 77, 5, ALIVE);
        let seen = |slots: &Slots| (3..10).filter(|at| slots.sees(1, *at)).collect::<Vec<_>>();
        assert_eq!(seen(&slots), [5, 6, 7, 8, 9]);
        assert!(slots.lives(1) && slots.sees(1, LAST_SEQUENCE));
        slots.bury(1, 8);
        assert_eq!(seen(&slots), [5, 6, 7]);
        assert!(!slots.lives(1) && slots.id(1) == 77);
        slots.settle(1, 78, 9, ALIVE);
        assert_eq!(seen(&slots), [9]);
    }
}
