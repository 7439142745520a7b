//! The slots that are not linked yet, in the order in which they came: one thread adds, one takes, any
//! number read.
//!
//! It is a ring in which a place is written again once its slot was taken. A reader that was overtaken
//! sees how far, and drops what it read there: those slots are linked by then.

use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// The ring.
#[derive(Debug)]
pub(crate) struct Fresh {
    places: Box<[AtomicU32]>,
    added: AtomicU64,
    taken: AtomicU64,
}

impl Fresh {
    /// Room for so many, a power of two.
    pub(crate) fn new(room: usize) -> Self {
        debug_assert!(room.is_power_of_two(), "a place is a masked count");
        Self {
            places: (0..room).map(|_| AtomicU32::new(0)).collect(),
            added: AtomicU64::new(0),
            taken: AtomicU64::new(0),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.places)
    }

    /// Adds one, unless there is no room. Only one thread at a time may.
    #[must_use]
    pub(crate) fn add(&self, slot: u32) -> bool {
        let added = self.added.load(Ordering::Relaxed);
        if added - self.taken.load(Ordering::Acquire) >= self.places.len() as u64 {
            return false;
        }
        self.place(added).store(slot, Ordering::Release);
        // Whoever sees the count sees the slot, and all that was written to it before.
        self.added.store(added + 1, Ordering::Release);
        true
    }

    /// Whether there is no room for another.
    pub(crate) fn is_full(&self) -> bool {
        self.len() == self.places.len()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        let taken = self.taken.load(Ordering::Acquire);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "no more than there is room for"
        )]
        let len = (self.added.load(Ordering::Acquire) - taken) as usize;
        len.min(self.places.len())
    }

    /// Appends all that there are. Those that it leaves out because they were taken meanwhile are linked.
    pub(crate) fn read(&self, slots: &mut Vec<u32>) {
        let before = slots.len();
        let taken = self.taken.load(Ordering::Acquire);
        let added = self.added.load(Ordering::Acquire);
        for count in taken..added {
            slots.push(self.place(count).load(Ordering::Acquire));
        }
        // Whoever wrote a place again had seen that its slot was taken, and so does this.
        let taken_since = self.taken.load(Ordering::Acquire).min(added) - taken;
        #[expect(clippy::cast_possible_truncation, reason = "no more than there are")]
        slots.drain(before..before + taken_since as usize);
    }

    /// Appends the first few, which stay until they are [taken](Self::take).
    pub(crate) fn first(&self, most: usize, slots: &mut Vec<u32>) {
        let taken = self.taken.load(Ordering::Relaxed);
        let added = self.added.load(Ordering::Acquire);
        for count in (taken..added).take(most) {
            slots.push(self.place(count).load(Ordering::Acquire));
        }
    }

    /// Takes the first few away, which can be found otherwise now. Only one thread at a time may.
    pub(crate) fn take(&self, count: usize) {
        let taken = self.taken.load(Ordering::Relaxed);
        self.taken.store(taken + count as u64, Ordering::Release);
    }

    fn place(&self, count: u64) -> &AtomicU32 {
        #[expect(clippy::cast_possible_truncation, reason = "masked")]
        let place = count as usize & (self.places.len() - 1);
        &self.places[place]
    }
}
