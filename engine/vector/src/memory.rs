#![expect(unsafe_code, reason = "it maps memory")]
//! Memory that is reserved whole and used bit by bit, so that what lies in it never moves: a search
//! may hold an address while the index grows.
//!
//! Reserving costs no memory: a page is only there once it is written. Pages are asked to be huge as
//! soon as one is worth it, because a walk through a graph touches another page with every step.

use crate::error::IndexError;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::fs::File;
use std::ptr::NonNull;

/// A huge page on every machine we know of.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Some reserved memory, zeros at first.
#[derive(Debug)]
pub(crate) struct Reserved {
    mapped: NonNull<u8>,
    mapped_bytes: usize,
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: it is plain memory; whoever reads and writes through its address must order that.
unsafe impl Send for Reserved {}
// SAFETY: as above.
unsafe impl Sync for Reserved {}

impl Reserved {
    /// So many bytes, beginning at a huge page.
    pub(crate) fn new(bytes: usize) -> Result<Self, IndexError> {
        let reserved = MapFlags::PRIVATE | MapFlags::NORESERVE;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping touches no memory that there is.
        Self::map(bytes, |mapped| unsafe {
            mmap_anonymous(std::ptr::null_mut(), mapped, access, reserved)
        })
    }

    /// The first so many bytes of a file, which may be shorter as long as nobody touches what it lacks.
    pub(crate) fn of_file(file: &File, bytes: usize) -> Result<Self, IndexError> {
        let memory = Self::new(bytes)?;
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let fixed = MapFlags::SHARED | MapFlags::FIXED;
        if bytes > 0 {
            // SAFETY: it takes the place of a part of the mapping just made, which nobody knows yet.
            unsafe { mmap(memory.start().cast(), bytes, access, fixed, file, 0) }
                .map_err(|_| IndexError::NoMemory { bytes })?;
        }
        Ok(memory)
    }

    fn map(
        bytes: usize,
        map: impl FnOnce(usize) -> rustix::io::Result<*mut c_void>,
    ) -> Result<Self, IndexError> {
        let mapped_bytes = bytes
            .checked_next_multiple_of(HUGE_PAGE_BYTES)
            .and_then(|bytes| bytes.checked_add(HUGE_PAGE_BYTES))
            .ok_or(IndexError::NoMemory { bytes })?;
        let mapped = map(mapped_bytes).map_err(|_| IndexError::NoMemory { bytes })?;
        let mapped = NonNull::new(mapped.cast::<u8>()).ok_or(IndexError::NoMemory { bytes })?;
        let ahead = mapped.align_offset(HUGE_PAGE_BYTES);
        // SAFETY: the mapping is longer by a huge page, and the way to the next one is shorter.
        let start = unsafe { mapped.add(ahead) };
        Ok(Self {
            mapped,
            mapped_bytes,
            start,
            bytes,
        })
    }

    /// Where it begins.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Asks for huge pages, except for the first: what is small stays small. It is only a wish.
    pub(crate) fn prefer_huge_pages(&self) {
        if let Some(bytes) = self
            .bytes
            .checked_sub(HUGE_PAGE_BYTES)
            .filter(|left| *left > 0)
        {
            // SAFETY: the range is inside the mapping, and the advice changes no byte.
            let advised = unsafe {
                let second = self.start.add(HUGE_PAGE_BYTES);
                madvise(second.as_ptr().cast(), bytes, Advice::LinuxHugepage)
            };
            // Without them everything works, only slower.
            let _ = advised;
        }
    }
}

/// A cache line.
const LINE: usize = 64;

/// Asks for some bytes ahead of their use. They need not exist.
#[inline]
pub(crate) fn prefetch(from: *const u8, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let end = from.wrapping_add(bytes);
        let mut line = from.wrapping_sub(from.addr() % LINE);
        while line < end {
            // SAFETY: a prefetch never faults, and every x86-64 has it.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) };
            line = line.wrapping_add(LINE);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (from, bytes);
}

impl Drop for Reserved {
    fn drop(&mut self) {
        // SAFETY: the whole mapping that `new` made; nobody borrows from it any more.
        let unmapped = unsafe { munmap(self.mapped.as_ptr().cast(), self.mapped_bytes) };
        debug_assert!(unmapped.is_ok(), "what was mapped can be unmapped");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_zero_and_keeps_what_is_written() {
        let memory = Reserved::new(5 << 20).unwrap();
        memory.prefer_huge_pages();
        assert_eq!(memory.start() as usize % HUGE_PAGE_BYTES, 0);
        for at in [0, 1, (2 << 20) - 1, 2 << 20, (5 << 20) - 1] {
            // SAFETY: `at` is inside, and nobody else has the memory.
            unsafe {
                let byte = memory.start().add(at);
                assert_eq!(byte.read(), 0);
                byte.write(7);
                assert_eq!(byte.read(), 7);
            }
        }
    }

    #[test]
    fn more_than_there_can_be_is_an_error() {
        let error = Reserved::new(usize::MAX - 1).unwrap_err();
        assert!(matches!(error, IndexError::NoMemory { .. }), "{error}");
    }
}
