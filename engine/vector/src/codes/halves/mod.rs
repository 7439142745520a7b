#![expect(
    unsafe_code,
    reason = "a kernel: halves are read through pointers, which the index keeps valid"
)]
//! Kernels over half codes: four bits per dimension, from 0 to 15.
//!
//! A code of a byte may be cut in two: the high halves of a vector alone tell its neighbourhood for
//! half the memory, and with the low ones they are the whole code again: sixteen times the one sum
//! and once the other. A query stays whole: an `i8` per dimension.
//!
//! Dimensions are padded with zeros to whole groups of 128. A group takes 64 bytes, a cache line:
//!
//! ```text
//! byte         0             1           ...         63
//!         [ d 64 | d 0 ][ d 65 | d 1 ]   ...   [ d 127 | d 63 ]
//!          high    low
//! ```
//!
//! So one mask and one shift turn what is loaded into dimensions that follow each other, and the
//! query needs no order of its own.
//!
//! Measured on one core of a Xeon (Sapphire Rapids) at 2 GHz nominal that reads 13 GB/s, nanoseconds
//! per row (`examples/kernels/`), whole codes beside:
//!
//! | dimensions | AVX-512 in cache, four at once | AVX2 | AVX-512 from memory, in order | at random |
//! |---|---|---|---|---|
//! | 128, half | 2.8 | 3.7 | 6 | 19 |
//! | 128, whole | 2.1 | 5.4 | 10 | 24 |
//! | 768, half | 6.3 | 12.5 | 27 | 66 |
//! | 768, whole | 6.8 | 23.1 | 51 | 108 |
//!
//! So in cache they save nothing with AVX-512, and half the time wherever memory is what one waits for.
//!
//! As with codes, sums are whole numbers, and the loops and the tables are the same: see [`super`].

use super::order::{Pass, Sums};
use super::table::{CodeTable, Packing};
use crate::error::VectorError;

mod packed;
mod scalar;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

pub(crate) use packed::numbers;
pub use packed::{pack, packed_bytes, padded, unpack};

/// How many dimensions share a cache line.
pub const GROUP: usize = 128;

/// How many bytes a group takes.
pub const GROUP_BYTES: usize = GROUP / 2;

/// The most dimensions of a query: those of [codes](super::MAX_DIMENSIONS), padded.
pub const MAX_DIMENSIONS: usize = padded(super::MAX_DIMENSIONS);

/// Four bits per dimension, as the picture shows.
pub struct Halves;

/// Kernels over half codes. A query is whole groups.
pub type HalfKernels = CodeTable<Halves>;

tables!(Halves);

impl Packing for Halves {
    const PER_BYTE: usize = GROUP / GROUP_BYTES;

    fn row_bytes(query: &[i8]) -> Result<usize, VectorError> {
        let found = query.len();
        let expected = padded(found).min(MAX_DIMENSIONS);
        if found != expected {
            return Err(VectorError::DimensionMismatch { expected, found });
        }
        Ok(packed_bytes(found))
    }
}

/// A step of a row is a group, and rows are whole groups: nothing is ever read in part.
impl<S: Sums> Pass<S> for Halves {
    #[inline(always)]
    unsafe fn sums<const R: usize>(query: &[i8], rows: [*const u8; R]) -> [S; R] {
        // SAFETY: what is read stays within the groups that the caller vouches for.
        unsafe {
            let mut sums = [S::zero(); R];
            let start = query.as_ptr();
            let groups = query.len() / GROUP;
            let mut group = 0;
            while group < groups {
                let part = S::query(start.add(group * GROUP));
                let mut row = 0;
                while row < R {
                    sums[row] = sums[row].add(part, rows[row].add(group * GROUP_BYTES));
                    row += 1;
                }
                group += 1;
            }
            sums
        }
    }
}

#[cfg(test)]
mod tests;
