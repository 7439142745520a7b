#![expect(unsafe_code, reason = "a kernel: it reads through pointers")]
//! Codes on any machine: the twin that the others must agree with.

use super::Parts;
use super::order::{STEP, Sums};

/// One sum.
#[derive(Clone, Copy)]
pub(super) struct Scalar(i32);

// SAFETY: (all blocks) the caller vouches for what lies behind a pointer.
impl Sums for Scalar {
    type Query = [i8; STEP];

    #[inline(always)]
    unsafe fn zero() -> Self {
        Self(0)
    }

    #[inline(always)]
    unsafe fn query(from: *const i8) -> Self::Query {
        // SAFETY: as above; an array of bytes needs no alignment.
        unsafe { from.cast::<[i8; STEP]>().read() }
    }

    #[inline(always)]
    unsafe fn add(self, query: Self::Query, row: *const u8) -> Self {
        // SAFETY: as above.
        unsafe { self.add_part(query, row, STEP) }
    }

    #[inline(always)]
    unsafe fn total(self) -> i32 {
        self.0
    }

    #[inline(always)]
    unsafe fn prefetch(_at: *const u8) {}
}

// SAFETY: (all blocks) as above.
impl Parts for Scalar {
    // A whole step is added by it as well.
    #[inline(always)]
    unsafe fn add_part(self, query: Self::Query, row: *const u8, count: usize) -> Self {
        // SAFETY: as above.
        let row = unsafe { std::slice::from_raw_parts(row, count) };
        let products = row.iter().zip(query);
        Self(
            self.0
                + products
                    .map(|(code, query)| i32::from(*code) * i32::from(query))
                    .sum::<i32>(),
        )
    }
}
