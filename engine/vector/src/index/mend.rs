//! Putting back what was lost of the file of vectors.

use super::Index;
use crate::error::IndexError;

/// So many slots are looked at before writers may go on.
const PORTION: u32 = 256;

impl Index {
    /// How long the file of vectors must be to hold them all; nothing if there is none.
    #[must_use]
    pub fn rows_bytes(&self) -> u64 {
        let rows = self.originals.as_ref().and_then(|keeper| keeper.filed());
        rows.map_or(0, |rows| rows.bytes_of(self.used()))
    }

    /// Looks at every vector in the file of vectors, and puts back those that are not as they were written.
    /// `truth` tells the vector that somebody has now. Returns how many were put back.
    ///
    /// Searches and writers go on meanwhile.
    ///
    /// # Errors
    ///
    /// [`IndexError::RowLost`], if `truth` tells another vector than was written: the index has to be built
    /// anew then. What `truth` fails with comes back as it is.
    pub fn mend<E: From<IndexError>>(
        &self,
        mut truth: impl FnMut(u64) -> Result<Option<Vec<f32>>, E>,
    ) -> Result<usize, E> {
        let Some(rows) = self.originals.as_ref().and_then(|keeper| keeper.filed()) else {
            return Ok(0);
        };
        let mut mended = 0;
        let mut first = 0;
        while first < self.used() {
            let end = self.used().min(first.saturating_add(PORTION));
            // Who lives in a slot stays there while nobody writes.
            let writer = self.writer.lock();
            let lost = (first..end).filter(|slot| self.slots.lives(*slot) && !rows.is_whole(*slot));
            for slot in lost {
                let id = self.slots.id(slot);
                let vector = truth(id)?;
                if !vector.is_some_and(|vector| rows.mend(slot, &vector)) {
                    return Err(IndexError::RowLost { slot, id }.into());
                }
                mended += 1;
            }
            drop(writer);
            first = end;
        }
        Ok(mended)
    }
}
