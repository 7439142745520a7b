#![expect(unsafe_code, reason = "rows are read from memory that is reserved")]
//! Rows in memory.

use super::{AHEAD, Originals, Wanted};
use crate::error::IndexError;
use crate::memory::{Reserved, prefetch};

/// Rows of equal length, one for each slot.
#[derive(Debug)]
pub(crate) struct Rows {
    memory: Reserved,
    dimensions: usize,
    room: u32,
}

impl Rows {
    pub(super) fn new(dimensions: usize, room: u32) -> Result<Self, IndexError> {
        Ok(Self::over(
            Reserved::new(bytes(dimensions, room)?)?,
            dimensions,
            room,
        ))
    }

    /// Rows in memory that is as long as [`bytes`] says.
    pub(super) fn over(memory: Reserved, dimensions: usize, room: u32) -> Self {
        Self {
            memory,
            dimensions,
            room,
        }
    }

    /// Asks for a row ahead of its use.
    pub(super) fn prefetch(&self, slot: u32) {
        prefetch(
            self.address(slot).cast(),
            self.dimensions * size_of::<f32>(),
        );
    }

    /// Writes a row that nobody asks for before this is done.
    pub(super) fn write(&self, slot: u32, vector: &[f32]) {
        debug_assert_eq!(vector.len(), self.dimensions);
        // SAFETY: the row is inside, and nobody asks for it before this is done.
        unsafe {
            self.address(slot)
                .copy_from_nonoverlapping(vector.as_ptr(), self.dimensions.min(vector.len()));
        }
    }

    /// A row that was written, or zeros.
    pub(super) fn row(&self, slot: u32) -> &[f32] {
        // SAFETY: the row is inside, and is not written while anybody may ask for it.
        unsafe { std::slice::from_raw_parts(self.address(slot), self.dimensions) }
    }

    fn address(&self, slot: u32) -> *mut f32 {
        assert!(slot < self.room, "slot {slot} of {}", self.room);
        let place = slot as usize * self.dimensions;
        self.memory.start().cast::<f32>().wrapping_add(place)
    }
}

/// How many bytes so many rows take.
pub(super) fn bytes(dimensions: usize, room: u32) -> Result<usize, IndexError> {
    (room as usize)
        .checked_mul(dimensions * size_of::<f32>())
        .ok_or(IndexError::NoMemory { bytes: usize::MAX })
}

impl Originals for Rows {
    fn put(&self, wanted: Wanted, vector: &[f32]) -> Result<(), IndexError> {
        self.write(wanted.slot, vector);
        Ok(())
    }

    fn visit(
        &self,
        wanted: &[Wanted],
        see: &mut dyn FnMut(usize, &[f32]),
    ) -> Result<(), IndexError> {
        // Rows lie far apart, and it is known which are next.
        for first in wanted.iter().take(AHEAD) {
            self.prefetch(first.slot);
        }
        for (place, now) in wanted.iter().enumerate() {
            if let Some(soon) = wanted.get(place + AHEAD) {
                self.prefetch(soon.slot);
            }
            see(place, self.row(now.slot));
        }
        Ok(())
    }

    fn bytes_each(&self) -> usize {
        self.dimensions * size_of::<f32>()
    }
}
