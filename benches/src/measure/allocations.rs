#![expect(
    unsafe_code,
    reason = "a counting global allocator is the only way to count allocations"
)]
//! Counts the allocations of Rust code, per thread: work that no busy neighbour can distort.
//!
//! What RocksDB allocates in C++ goes past it; that part is the same on both sides.

use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many allocations this thread has made; take the difference of two calls.
pub(crate) fn so_far() -> u64 {
    COUNT.get()
}

fn count() {
    // A thread that is being torn down has no counter any more, and nobody who asks for it.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call goes to mimalloc with the arguments it came with; the counter
// is a plain thread-local number that is initialised at compile time and so never allocates.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the promises of `GlobalAlloc::alloc`, which are the same.
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `MiMalloc` through this allocator, with this layout.
        unsafe { MiMalloc.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the pointer came from `MiMalloc` through this allocator, with this layout.
        unsafe { MiMalloc.realloc(pointer, layout, size) }
    }
}
