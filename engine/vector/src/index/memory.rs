//! What an index takes, to the byte, and whether it may take more.

use super::ids::Ids;
use super::slots::SLOT_BYTES;
use super::write::Writer;
use super::{Index, MAX_SLOTS};
use crate::error::IndexError;
use crate::originals::Keeper;
use std::sync::atomic::Ordering;

/// How many bytes of memory an index takes, by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// Codes and the links of level 0.
    pub blocks: usize,
    /// Ids, and from when to when they live.
    pub slots: usize,
    /// The table from ids to slots, and lists of slots.
    pub ids: usize,
    /// The levels above level 0.
    pub upper: usize,
    /// Vectors that are kept whole for the end of a search.
    pub originals: usize,
    /// What searches work in.
    pub rooms: usize,
    /// What tending works in.
    pub tending: usize,
}

impl Memory {
    /// All of it.
    #[must_use]
    pub fn total(&self) -> usize {
        let Self {
            blocks,
            slots,
            ids,
            upper,
            originals,
            rooms,
            tending,
        } = self;
        blocks + slots + ids + upper + originals + rooms + tending
    }
}

impl Index {
    /// What it takes now.
    #[must_use]
    pub fn memory(&self) -> Memory {
        self.memory_with(&self.writer.lock())
    }

    pub(super) fn memory_with(&self, writer: &Writer) -> Memory {
        let used = self.used() as usize;
        Memory {
            blocks: used * self.graph.blocks.layout().bytes(),
            slots: used * SLOT_BYTES,
            ids: writer.bytes() + self.fresh.bytes(),
            upper: self.graph.upper().bytes(),
            originals: used * self.originals_each(),
            rooms: self.rooms.bytes(),
            tending: self.tending_bytes.load(Ordering::Relaxed),
        }
    }

    /// How many vectors there is room for in an index that has none yet.
    pub(crate) fn most_vectors(&self) -> usize {
        let each = self.graph.blocks.layout().bytes() + SLOT_BYTES + self.originals_each();
        let limit = self.settings.memory_limit;
        let fits = |vectors: &usize| {
            let ids = Ids::bytes_for(*vectors);
            vectors.saturating_mul(each).saturating_add(ids) <= limit
        };
        // The table of ids grows by doubling: what does not fit with it may fit with the one before.
        let slots = self.graph.blocks.slots().min(MAX_SLOTS) as usize;
        let most = slots.min(limit / each.max(1));
        if fits(&most) {
            return most;
        }
        let (mut fit, mut over) = (0, most);
        while over - fit > 1 {
            let middle = fit + (over - fit) / 2;
            if fits(&middle) {
                fit = middle;
            } else {
                over = middle;
            }
        }
        fit
    }

    /// Refuses to write another vector if there is no memory for it, or no slot if it needs a new one.
    pub(super) fn check_room(&self, writer: &Writer, new_slot: bool) -> Result<(), IndexError> {
        let limit = self.settings.memory_limit;
        let each = self.graph.blocks.layout().bytes() + SLOT_BYTES + self.originals_each();
        let more = writer.ids.growth() + if new_slot { each } else { 0 };
        // What was promised is not weighed again: other things may have grown meanwhile.
        let too_much =
            writer.promised == 0 && more > 0 && self.memory_with(writer).total() + more > limit;
        let no_slot = new_slot && self.used() >= self.graph.blocks.slots().min(MAX_SLOTS);
        if too_much || no_slot {
            return Err(IndexError::Full {
                limit_bytes: limit,
                vectors: self.used() as usize,
            });
        }
        Ok(())
    }

    /// Whether so many vectors more can be written, whatever else happens: whoever has to write all of them or
    /// none asks first, and is the only one who writes.
    ///
    /// # Errors
    ///
    /// [`IndexError::Full`]; [`IndexError::Original`] if the file of vectors cannot grow.
    pub fn ensure_room(&self, vectors: usize) -> Result<(), IndexError> {
        let mut writer = self.writer.lock();
        let free = if writer.copied { 0 } else { writer.free.len() };
        let new = vectors.saturating_sub(free);
        let used = self.used();
        let full = || IndexError::Full {
            limit_bytes: self.settings.memory_limit,
            vectors: used as usize,
        };
        let most = self.graph.blocks.slots().min(MAX_SLOTS);
        let last = u32::try_from(new)
            .ok()
            .and_then(|new| used.checked_add(new));
        let last = last.filter(|last| *last <= most).ok_or_else(full)?;
        let each = self.graph.blocks.layout().bytes() + SLOT_BYTES + self.originals_each();
        let ids = writer.ids.growth_for(vectors);
        let more = new.saturating_mul(each).saturating_add(ids);
        if more > 0
            && self.memory_with(&writer).total().saturating_add(more) > self.settings.memory_limit
        {
            return Err(full());
        }
        if let (Some(rows), Some(last)) = (
            self.originals.as_ref().and_then(|keeper| keeper.filed()),
            // As if no slot were free: while a snapshot is made, none is used again.
            used.checked_add(u32::try_from(vectors).unwrap_or(u32::MAX))
                .map_or(last, |last| last.min(most))
                .checked_sub(1),
        ) {
            rows.reach(last)?;
        }
        writer.promised = vectors;
        Ok(())
    }

    fn originals_each(&self) -> usize {
        let originals = self.originals.as_ref();
        originals.map_or(0, Keeper::bytes_each)
    }
}
