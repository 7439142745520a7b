#![expect(
    unsafe_code,
    reason = "a kernel: codes are read through pointers, which the index keeps valid"
)]
//! Kernels over codes: a vector as one byte per dimension, and how alike two of them are.
//!
//! A stored code is a `u8` from 1 to 255 that stands for itself less 128; a query is an `i8` from
//! -127 to 127. Their dot product is whole numbers all the way, so all machines agree by nature,
//! and what the offset adds, 128 times the sum of the query, is taken off once per query. Unsigned by
//! signed is the one product of bytes that processors add up in one instruction.
//!
//! As with the `f32` kernels, one loop ([`order`]) serves all machines, and the choice is made once
//! per process by asking the processor ([`table`]). Codes of half a byte are packed in another way, and
//! share both: [`halves`].

use crate::error::VectorError;
use order::{Pass, STEP, Sums};
pub use table::CodeTable;
use table::Packing;
pub(crate) use table::Strided;

#[macro_use]
mod table;

pub mod halves;
mod order;
mod scalar;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

/// The most dimensions whose dot product cannot leave an `i32`.
pub(crate) const MAX_DIMENSIONS: usize = 65_535;

/// A byte per dimension, in their order.
pub struct Bytes;

/// Kernels over codes of a byte per dimension. A query is as long as a row.
pub type CodeKernels = CodeTable<Bytes>;

tables!(Bytes);

impl Packing for Bytes {
    const PER_BYTE: usize = 1;

    fn row_bytes(query: &[i8]) -> Result<usize, VectorError> {
        let found = query.len();
        if found > MAX_DIMENSIONS {
            return Err(VectorError::DimensionMismatch {
                expected: MAX_DIMENSIONS,
                found,
            });
        }
        Ok(found)
    }
}

/// Sums that can be given less than a step: a row of bytes may end in the middle of one.
///
/// # Safety
///
/// As for [`Sums`].
trait Parts: Sums {
    /// The `count` numbers from `from` on, fewer than [`STEP`], and zeros after them.
    #[inline(always)]
    unsafe fn query_part(from: *const i8, count: usize) -> Self::Query {
        let mut part = [0_i8; STEP];
        // SAFETY: the caller vouches for the features and the numbers; `count` is below the array's length.
        unsafe {
            std::ptr::copy_nonoverlapping(from, part.as_mut_ptr(), count);
            Self::query(part.as_ptr())
        }
    }

    /// Adds the products with the `count` bytes from `row` on, fewer than [`STEP`].
    #[inline(always)]
    unsafe fn add_part(self, query: Self::Query, row: *const u8, count: usize) -> Self {
        let mut part = [0_u8; STEP];
        // SAFETY: the caller vouches for the features and the bytes; `count` is below the array's length.
        unsafe {
            std::ptr::copy_nonoverlapping(row, part.as_mut_ptr(), count);
            self.add(query, part.as_ptr())
        }
    }
}

impl<S: Parts> Pass<S> for Bytes {
    #[inline(always)]
    unsafe fn sums<const R: usize>(query: &[i8], rows: [*const u8; R]) -> [S; R] {
        // SAFETY: `at` and what is read from it stay within `query.len()`, which the caller vouches for.
        unsafe {
            let mut sums = [S::zero(); R];
            let start = query.as_ptr();
            let whole = query.len() / STEP * STEP;
            let mut at = 0;
            while at < whole {
                let part = S::query(start.add(at));
                for (sum, row) in sums.iter_mut().zip(rows) {
                    *sum = sum.add(part, row.add(at));
                }
                at += STEP;
            }
            let rest = query.len() - whole;
            if rest > 0 {
                let part = S::query_part(start.add(at), rest);
                for (sum, row) in sums.iter_mut().zip(rows) {
                    *sum = sum.add_part(part, row.add(at), rest);
                }
            }
            sums
        }
    }
}

#[cfg(test)]
mod tests;
