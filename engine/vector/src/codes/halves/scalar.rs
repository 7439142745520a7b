#![expect(unsafe_code, reason = "a kernel: it reads through pointers")]
//! Halves on any machine: the twin that the others must agree with.

use super::{GROUP, GROUP_BYTES};
use crate::codes::order::Sums;

/// One sum.
#[derive(Clone, Copy)]
pub(super) struct Scalar(i32);

// SAFETY: (all blocks) the caller vouches for what lies behind a pointer.
impl Sums for Scalar {
    type Query = [i8; GROUP];

    #[inline(always)]
    unsafe fn zero() -> Self {
        Self(0)
    }

    #[inline(always)]
    unsafe fn query(from: *const i8) -> Self::Query {
        // SAFETY: as above; an array of bytes needs no alignment.
        unsafe { from.cast::<[i8; GROUP]>().read() }
    }

    #[inline(always)]
    unsafe fn add(mut self, query: Self::Query, row: *const u8) -> Self {
        // SAFETY: as above; an array of bytes needs no alignment.
        let row = unsafe { row.cast::<[u8; GROUP_BYTES]>().read() };
        for (at, byte) in row.into_iter().enumerate() {
            self.0 += i32::from(byte & 15) * i32::from(query[at]);
            self.0 += i32::from(byte >> 4) * i32::from(query[GROUP_BYTES + at]);
        }
        self
    }

    #[inline(always)]
    unsafe fn total(self) -> i32 {
        self.0
    }

    #[inline(always)]
    unsafe fn prefetch(_at: *const u8) {}
}
