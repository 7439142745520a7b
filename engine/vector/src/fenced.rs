#![expect(unsafe_code, reason = "it maps memory")]
//! For tests: bytes after which memory ends, so that whoever reads one too many is ended by the
//! processor, instead of finding something that happens to be there.

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
use std::ffi::c_void;

/// More than a page on every machine we know of, and a multiple of it.
const FENCE_BYTES: usize = 64 << 10;

/// Some bytes with a fence behind them.
pub(crate) struct Fenced {
    mapped: *mut c_void,
    mapped_bytes: usize,
    bytes: usize,
}

impl Fenced {
    pub(crate) fn new(bytes: usize) -> Self {
        let mapped_bytes = bytes.next_multiple_of(FENCE_BYTES) + FENCE_BYTES;
        // SAFETY: a new mapping touches no memory that there is, and its last part is inside it.
        let mapped = unsafe {
            let all = mmap_anonymous(
                std::ptr::null_mut(),
                mapped_bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::PRIVATE,
            )
            .expect("memory for a test");
            let fence = all.byte_add(mapped_bytes - FENCE_BYTES);
            mprotect(fence, FENCE_BYTES, MprotectFlags::empty()).expect("a fence");
            all
        };
        Self {
            mapped,
            mapped_bytes,
            bytes,
        }
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the bytes before the fence are mapped, and borrowed from `self` as a whole.
        unsafe {
            let start = self
                .mapped
                .byte_add(self.mapped_bytes - FENCE_BYTES - self.bytes);
            std::slice::from_raw_parts_mut(start.cast(), self.bytes)
        }
    }
}

impl Drop for Fenced {
    fn drop(&mut self) {
        // SAFETY: the whole mapping that `new` made; nobody borrows from it any more.
        let _ = unsafe { munmap(self.mapped, self.mapped_bytes) };
    }
}
