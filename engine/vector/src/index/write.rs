#![expect(unsafe_code, reason = "it fills slots that nobody else knows")]
//! Writing: a vector gets a slot of its own, and whoever had its id before dies.

use super::Index;
use super::ids::Ids;
use super::slots::{ALIVE, LAST_SEQUENCE};
use crate::coding::Code;
use crate::error::IndexError;
use crate::originals::Wanted;
use std::sync::atomic::Ordering;

/// What only one who writes may touch.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(crate) ids: Ids,
    /// Slots that nobody can come by any more.
    pub(crate) free: Vec<u32>,
    /// Slots whose life has ended, in that order.
    pub(crate) dead: Vec<u32>,
    /// For so many that come next there is room.
    pub(crate) promised: usize,
    pub(crate) latest: u64,
    /// Whether slots must not be used again because somebody is copying them.
    pub(crate) copied: bool,
    code: Code,
}

impl Writer {
    pub(super) fn bytes(&self) -> usize {
        let lists = self.free.capacity() + self.dead.capacity();
        self.ids.bytes() + lists * size_of::<u32>()
    }
}

impl Index {
    /// Writes a vector, in the place of one with the same id. It is found by searches at this sequence and
    /// later, the one before it by searches at earlier ones.
    ///
    /// # Errors
    ///
    /// [`IndexError`], if the vector cannot be compared, the index is full, or the sequence is smaller than
    /// one before. Nothing has changed then.
    pub fn insert(&self, sequence: u64, id: u64, vector: &[f32]) -> Result<(), IndexError> {
        self.link_overdue(1);
        self.insert_unlinked(sequence, id, vector)
    }

    /// The same for one whom others wait for: it does not help to link, and leaves that to
    /// [`link_overdue`](Self::link_overdue).
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn insert_unlinked(
        &self,
        sequence: u64,
        id: u64,
        vector: &[f32],
    ) -> Result<(), IndexError> {
        while !self.try_insert(sequence, id, vector)? {
            self.link_some();
        }
        Ok(())
    }

    /// Removes a vector: searches at this sequence and later do not find it. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// [`IndexError::SequenceGoesBack`].
    pub fn remove(&self, sequence: u64, id: u64) -> Result<bool, IndexError> {
        let mut writer = self.writer.lock();
        writer.advance(sequence)?;
        let removed = writer.ids.remove(id, &self.slots);
        if let Some(slot) = removed {
            self.bury(&mut writer, slot, sequence);
        }
        Ok(removed.is_some())
    }

    /// Whether it was written, and not refused because too many are fresh.
    fn try_insert(&self, sequence: u64, id: u64, vector: &[f32]) -> Result<bool, IndexError> {
        let writer = &mut *self.writer.lock();
        writer.check(sequence)?;
        self.graph.blocks.coder.encode(vector, &mut writer.code)?;
        if self.fresh.is_full() {
            return Ok(false);
        }
        let reused = if writer.copied {
            None
        } else {
            writer.free.last().copied()
        };
        let slot = match reused {
            Some(slot) => {
                self.check_room(writer, false)?;
                slot
            }
            None => {
                self.check_room(writer, true)?;
                self.used()
            }
        };
        if let Some(originals) = &self.originals {
            originals.put(Wanted { slot, id }, vector)?;
        }
        writer.latest = sequence;
        writer.promised = writer.promised.saturating_sub(1);
        // SAFETY: the slot is new, or no walk can come by it any more. A scan may compare what is half written,
        // since it compares before it asks who lives there: bytes are read that are numbers whatever they are, and
        // who came while a search went on may be in its answer, which is scored by vectors, or not.
        unsafe { self.graph.blocks.fill(slot, &writer.code) };
        if reused.is_some() {
            writer.free.pop();
            self.dead.fetch_sub(1, Ordering::Relaxed);
        }
        if let Some(old) = writer.ids.remove(id, &self.slots) {
            self.bury(writer, old, sequence);
        }
        self.slots.settle(slot, id, sequence, ALIVE);
        writer.ids.put(id, slot, &self.slots);
        if reused.is_none() {
            self.used.store(slot + 1, Ordering::Release);
        }
        let added = self.fresh.add(slot);
        debug_assert!(added, "only who writes adds, and there was room");
        if self.fresh.len() >= super::tend::MANY_FRESH {
            self.bell.ring();
        }
        Ok(true)
    }

    fn bury(&self, writer: &mut Writer, slot: u32, sequence: u64) {
        self.slots.bury(slot, sequence);
        self.graph.blocks.touch(slot);
        writer.dead.push(slot);
        self.dead.fetch_add(1, Ordering::Relaxed);
        // Again and again, for as long as somebody may still search for them nothing is done about them.
        if writer.dead.len().is_multiple_of(self.many_dead()) {
            self.bell.ring();
        }
    }
}

impl Writer {
    fn advance(&mut self, sequence: u64) -> Result<(), IndexError> {
        self.check(sequence)?;
        self.latest = sequence;
        Ok(())
    }

    fn check(&self, sequence: u64) -> Result<(), IndexError> {
        if sequence < self.latest || sequence > LAST_SEQUENCE {
            return Err(IndexError::SequenceGoesBack {
                sequence,
                latest: self.latest,
            });
        }
        Ok(())
    }
}
