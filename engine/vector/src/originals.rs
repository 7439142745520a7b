#![expect(unsafe_code, reason = "rows are read from memory that is mapped")]
//! The vectors themselves, by which the best are told apart at the end of a search: in memory, in a mapped
//! file, or wherever a caller has them.

use crate::error::IndexError;
use crate::memory::{Reserved, prefetch};
use std::fmt::Debug;
use std::fs::File;
use std::path::Path;

/// One vector that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Where the index has it.
    pub slot: u32,
    /// Whose it is.
    pub id: u64,
}

/// Keeps vectors whole.
pub trait Originals: Send + Sync + Debug {
    /// Keeps a vector, before anybody asks for it. One who lived in the slot before is not asked for again, but
    /// an earlier vector of the same id in another slot may be. The index must not be called from here.
    ///
    /// # Errors
    ///
    /// [`IndexError::Original`]. The vector is not in the index then.
    fn put(&self, wanted: Wanted, vector: &[f32]) -> Result<(), IndexError>;

    /// Shows each of the wanted vectors, in any order, with its place in the list.
    ///
    /// # Errors
    ///
    /// [`IndexError::Original`], if one cannot be read. A search fails then: it would be wrong without it.
    fn visit(
        &self,
        wanted: &[Wanted],
        see: &mut dyn FnMut(usize, &[f32]),
    ) -> Result<(), IndexError>;

    /// How many bytes of memory a vector takes: they count towards the limit of the index.
    fn bytes_each(&self) -> usize;
}

/// Rows in memory that was reserved, or that a file is mapped into.
#[derive(Debug)]
pub(crate) struct Rows {
    memory: Reserved,
    file: Option<Growing>,
    dimensions: usize,
    room: u32,
}

/// A file that is made longer before anything behind its end is touched.
#[derive(Debug)]
struct Growing {
    file: File,
    bytes: parking_lot::Mutex<u64>,
}

/// So many rows are on their way while one is looked at.
const AHEAD: usize = 2;
/// A file grows by so much at once.
const GROWTH_BYTES: u64 = 16 << 20;

impl Rows {
    pub(crate) fn in_memory(dimensions: usize, room: u32) -> Result<Self, IndexError> {
        Ok(Self {
            memory: Reserved::new(Self::size(dimensions, room)?)?,
            file: None,
            dimensions,
            room,
        })
    }

    pub(crate) fn in_file(path: &Path, dimensions: usize, room: u32) -> Result<Self, IndexError> {
        let failed = |reason: std::io::Error| IndexError::Original {
            place: path.display().to_string(),
            reason: reason.to_string(),
        };
        // Another index may have mapped a file of that name: it keeps that one, and this gets its own.
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(failed(error));
            }
            _ => {}
        }
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(failed)?;
        Ok(Self {
            memory: Reserved::of_file(&file, Self::size(dimensions, room)?)?,
            file: Some(Growing {
                file,
                bytes: parking_lot::Mutex::new(0),
            }),
            dimensions,
            room,
        })
    }

    fn size(dimensions: usize, room: u32) -> Result<usize, IndexError> {
        (room as usize)
            .checked_mul(dimensions * size_of::<f32>())
            .ok_or(IndexError::NoMemory { bytes: usize::MAX })
    }

    fn prefetch(&self, slot: u32) {
        prefetch(self.row(slot).cast(), self.dimensions * size_of::<f32>());
    }

    /// The address of a row, which there is room for.
    fn row(&self, slot: u32) -> *mut f32 {
        assert!(slot < self.room, "slot {slot} of {}", self.room);
        let place = slot as usize * self.dimensions;
        self.memory.start().cast::<f32>().wrapping_add(place)
    }
}

impl Originals for Rows {
    fn put(&self, wanted: Wanted, vector: &[f32]) -> Result<(), IndexError> {
        debug_assert_eq!(vector.len(), self.dimensions);
        if let Some(file) = &self.file {
            let each = (self.dimensions * size_of::<f32>()) as u64;
            file.reach((u64::from(wanted.slot) + 1) * each)?;
        }
        // SAFETY: the row is inside, the file reaches that far, and nobody asks for it before this is done.
        unsafe {
            self.row(wanted.slot)
                .copy_from_nonoverlapping(vector.as_ptr(), self.dimensions);
        }
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
            // SAFETY: the row was put there, and is not written while anybody may ask for it.
            let row = unsafe { std::slice::from_raw_parts(self.row(now.slot), self.dimensions) };
            see(place, row);
        }
        Ok(())
    }

    fn bytes_each(&self) -> usize {
        match self.file {
            Some(_) => 0,
            None => self.dimensions * size_of::<f32>(),
        }
    }
}

impl Growing {
    /// Makes the file at least so long, with space on the disk: a mapped write cannot say that there is none.
    fn reach(&self, end: u64) -> Result<(), IndexError> {
        let mut bytes = self.bytes.lock();
        if end > *bytes {
            let grown = end.next_multiple_of(GROWTH_BYTES);
            let flags = rustix::fs::FallocateFlags::empty();
            rustix::fs::fallocate(&self.file, flags, 0, grown).map_err(|errno| {
                IndexError::Original {
                    place: format!("the file of vectors, at {grown} bytes"),
                    reason: errno.to_string(),
                }
            })?;
            *bytes = grown;
        }
        Ok(())
    }
}
