#![expect(unsafe_code, reason = "seals lie in reserved memory")]
//! Rows in a file that is mapped into memory, so that the system keeps what is asked for often, and that
//! outlives the process.
//!
//! They are read through the map and written past it: a row that nobody has asked for yet is in the system's memory and
//! not in the process's, however many are written, and a full disk is an error instead of a signal.
//!
//! Nobody vouches for such a file: what was written last may not have reached the disk when the power went,
//! somebody may have put another in its place, bits may have turned. So the index keeps a seal of each row in
//! memory and in its snapshots, and no row is shown whose seal is another.

use super::rows::{Rows, bytes};
use super::{AHEAD, Originals, Wanted};
use crate::error::IndexError;
use crate::memory::Reserved;
use parking_lot::Mutex;
use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// A file doubles from this size on.
const LEAST_BYTES: u64 = 64 << 10;
/// It grows by no more than this at once.
const MOST_GROWTH_BYTES: u64 = 16 << 20;
/// How many bytes a seal takes.
const SEAL_BYTES: usize = size_of::<u64>();

/// Rows in a mapped file.
#[derive(Debug)]
pub(crate) struct Filed {
    rows: Rows,
    seals: Reserved,
    file: File,
    /// How long the file is: made longer before anything behind its end is touched.
    bytes: Mutex<u64>,
    row_bytes: u64,
    room: u32,
}

impl Filed {
    /// Rows in the file of that name, which is made if it is missing. What it holds is used as far as it has
    /// the seals that a snapshot tells.
    pub(super) fn open(path: &Path, dimensions: usize, room: u32) -> Result<Self, IndexError> {
        let failed = |reason: io::Error| IndexError::Original {
            place: path.display().to_string(),
            reason: reason.to_string(),
        };
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let memory = Reserved::of_file(&file, bytes(dimensions, room)?)?;
        Ok(Self {
            rows: Rows::over(memory, dimensions, room),
            seals: Reserved::new(room as usize * SEAL_BYTES)?,
            file,
            bytes: Mutex::new(length),
            row_bytes: (dimensions * size_of::<f32>()) as u64,
            room,
        })
    }

    /// How many bytes so many rows take.
    pub(crate) fn bytes_of(&self, rows: u32) -> u64 {
        u64::from(rows) * self.row_bytes
    }

    /// The seal of a row as it was written.
    pub(crate) fn seal(&self, slot: u32) -> u64 {
        self.seal_of(slot).load(Ordering::Acquire)
    }

    /// Expects a row in the file, which [reaches](Self::reach) it, that was written before this process began.
    pub(crate) fn expect(&self, slot: u32, seal: u64) {
        self.seal_of(slot).store(seal, Ordering::Release);
    }

    /// Whether a row is as it was written.
    pub(crate) fn is_whole(&self, slot: u32) -> bool {
        sealed(self.rows.row(slot)) == self.seal(slot)
    }

    /// Puts back a row that was lost; whether it is the one that was.
    pub(crate) fn mend(&self, slot: u32, vector: &[f32]) -> bool {
        let fits = vector.len() as u64 * size_of::<f32>() as u64 == self.row_bytes;
        fits && sealed(vector) == self.seal(slot) && self.write(slot, vector).is_ok()
    }

    /// Writes a row that nobody asks for before this is done.
    fn write(&self, slot: u32, vector: &[f32]) -> io::Result<()> {
        debug_assert_eq!(size_of_val(vector) as u64, self.row_bytes);
        // No more than a row, whatever was given: the next one may be another's.
        let bytes = as_bytes(vector);
        let bytes = &bytes[..bytes.len().min(self.row_bytes as usize)];
        self.file.write_all_at(bytes, self.bytes_of(slot))
    }

    fn seal_of(&self, slot: u32) -> &AtomicU64 {
        assert!(slot < self.room, "slot {slot} of {}", self.room);
        // SAFETY: inside the memory, which is zeros at first and holds nothing but atomics.
        unsafe { &*self.seals.start().cast::<AtomicU64>().add(slot as usize) }
    }

    /// Makes the file long enough for a row, with space on the disk: a mapped write cannot say that there is
    /// none.
    pub(crate) fn reach(&self, slot: u32) -> Result<(), IndexError> {
        let end = self.bytes_of(slot + 1);
        let mut bytes = self.bytes.lock();
        if end > *bytes {
            let step = end.next_power_of_two();
            let grown = end.next_multiple_of(step.clamp(LEAST_BYTES, MOST_GROWTH_BYTES));
            give_space(&self.file, *bytes, grown).map_err(|reason| IndexError::Original {
                place: format!("the file of vectors, at {grown} bytes"),
                reason: reason.to_string(),
            })?;
            *bytes = grown;
        }
        Ok(())
    }
}

/// Makes a file longer, with space for all of it.
fn give_space(file: &File, from: u64, to: u64) -> io::Result<()> {
    match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, to) {
        // Some file systems can only be written to.
        Err(Errno::OPNOTSUPP) => {
            let zeros = vec![0; MOST_GROWTH_BYTES as usize];
            let mut at = from;
            while at < to {
                let end = to.min(at + MOST_GROWTH_BYTES);
                file.write_all_at(&zeros[..(end - at) as usize], at)?;
                at = end;
            }
            Ok(())
        }
        given => Ok(given?),
    }
}

/// The seal of a row: that of its bytes.
fn sealed(row: &[f32]) -> u64 {
    xxh3_64(as_bytes(row))
}

fn as_bytes(row: &[f32]) -> &[u8] {
    // SAFETY: numbers are bytes without gaps.
    unsafe { std::slice::from_raw_parts(row.as_ptr().cast::<u8>(), size_of_val(row)) }
}

impl Originals for Filed {
    fn put(&self, wanted: Wanted, vector: &[f32]) -> Result<(), IndexError> {
        self.reach(wanted.slot)?;
        self.write(wanted.slot, vector)
            .map_err(|reason| IndexError::Original {
                place: format!("the file of vectors, row {}", wanted.slot),
                reason: reason.to_string(),
            })?;
        self.seal_of(wanted.slot)
            .store(sealed(vector), Ordering::Release);
        Ok(())
    }

    fn visit(
        &self,
        wanted: &[Wanted],
        see: &mut dyn FnMut(usize, &[f32]),
    ) -> Result<(), IndexError> {
        // Rows lie far apart, and it is known which are next.
        for first in wanted.iter().take(AHEAD) {
            self.rows.prefetch(first.slot);
        }
        for (place, now) in wanted.iter().enumerate() {
            if let Some(soon) = wanted.get(place + AHEAD) {
                self.rows.prefetch(soon.slot);
            }
            let row = self.rows.row(now.slot);
            if sealed(row) != self.seal(now.slot) {
                return Err(IndexError::RowLost {
                    slot: now.slot,
                    id: now.id,
                });
            }
            see(place, row);
        }
        Ok(())
    }

    /// Only the seal: the system keeps the rows, and gives their memory to others when it is needed.
    fn bytes_each(&self) -> usize {
        SEAL_BYTES
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// How much of a file the process has in its memory, in KiB.
    fn held_kib(path: &Path) -> u64 {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let name = path.to_str().unwrap();
        let lines = maps.lines().skip_while(|line| !line.ends_with(name));
        let held = lines.skip(1).find_map(|line| line.strip_prefix("Rss:"));
        let held = held.expect("it is mapped").trim().trim_end_matches(" kB");
        held.parse().unwrap()
    }

    #[test]
    fn rows_are_held_once_somebody_asks_for_them() {
        const ROWS: u32 = 4096;
        let name = format!("stratigraph-rows-held-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let filed = Filed::open(&path, 256, ROWS).unwrap();
        for slot in 0..ROWS {
            let wanted = Wanted { slot, id: 0 };
            filed.put(wanted, &[slot as f32; 256]).unwrap();
        }
        assert_eq!(held_kib(&path), 0, "they are written past the map");
        assert!((0..ROWS).all(|slot| filed.is_whole(slot)));
        assert!(held_kib(&path) > 0);
        std::fs::remove_file(&path).unwrap();
    }
}
