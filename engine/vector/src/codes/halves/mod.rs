#![expect(
    unsafe_code,
    reason = "kernels are compiled for processor features, which are checked before they are called"
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
//! As with codes, sums are whole numbers, one loop ([`order`]) serves all machines, and the choice is
//! made once per process.

use super::{Strided, least, same_room};
use crate::error::VectorError;
use crate::machine::{self, Machine};
use std::fmt;
use std::sync::OnceLock;

mod order;
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

type Pair = unsafe fn(&[i8], *const u8) -> i32;
type InOrder = unsafe fn(&[i8], Strided, &mut [i32]);
type Gathered = unsafe fn(&[i8], Strided, &[u32], &mut [i32]);

/// The functions for one kind of machine. One value exists per kind, and it is handed out only
/// where the machine is of that kind: every `unsafe` call below rests on it.
pub struct HalfKernels {
    name: &'static str,
    machine: Machine,
    dot: Pair,
    in_order: InOrder,
    gathered: Gathered,
}

/// Compiles the loops of [`order`] with a machine's features turned on.
macro_rules! kernels {
    ($table:ident, $name:literal, $machine:ident, $lanes:ty $(, $features:literal)?) => {
        static $table: HalfKernels = {
            $(#[target_feature(enable = $features)])?
            unsafe fn dot(query: &[i8], row: *const u8) -> i32 {
                // SAFETY: this function's own contract: features, and a row of the query's groups.
                unsafe { order::against::<$lanes>(query, row) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn in_order(query: &[i8], rows: Strided, results: &mut [i32]) {
                // SAFETY: this function's own contract: features, and enough rows.
                unsafe { order::in_order::<$lanes>(query, rows, results) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn gathered(
                query: &[i8],
                rows: Strided,
                places: &[u32],
                results: &mut [i32],
            ) {
                // SAFETY: this function's own contract: features, and every place.
                unsafe { order::gathered::<$lanes>(query, rows, places, results) }
            }
            HalfKernels {
                name: $name,
                machine: Machine::$machine,
                dot,
                in_order,
                gathered,
            }
        };
    };
}

kernels!(SCALAR, "scalar", Scalar, scalar::Scalar);
#[cfg(target_arch = "x86_64")]
kernels!(AVX2, "avx2", Avx2, avx2::Avx2, "avx2");
#[cfg(target_arch = "x86_64")]
kernels!(
    AVX512,
    "avx512vnni",
    Avx512,
    avx512::Avx512,
    "avx512f,avx512bw,avx512vnni"
);
#[cfg(target_arch = "aarch64")]
kernels!(NEON, "neon", Neon, neon::Neon, "neon");

impl HalfKernels {
    /// The fastest kernels for this machine, or the best below what [`VARIABLE`](machine::VARIABLE)
    /// names.
    #[must_use]
    pub fn best() -> &'static Self {
        static BEST: OnceLock<&'static HalfKernels> = OnceLock::new();
        BEST.get_or_init(|| machine::choose(&Self::available(), &SCALAR))
    }

    /// All kernels that run on this machine, the slowest first.
    #[must_use]
    pub fn available() -> Vec<&'static Self> {
        available!(SCALAR, AVX2, AVX512, NEON)
    }

    /// Which instructions these are made of.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The sum of the products of a query with the nibbles of one row.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`], also for a query that is not whole groups.
    pub fn dot(&self, query: &[i8], row: &[u8]) -> Result<i32, VectorError> {
        let bytes = row_bytes(query)?;
        if row.len() != bytes {
            return Err(VectorError::DimensionMismatch {
                expected: row.len() * 2,
                found: query.len(),
            });
        }
        // SAFETY: this table is only handed out on its own machine; the row has the query's groups.
        Ok(unsafe { (self.dot)(query, row.as_ptr()) })
    }

    /// The same with `results.len()` rows that start `stride` bytes apart.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`] for a query that is not whole groups or too long,
    /// [`VectorError::BadShape`] if rows would overlap, or [`VectorError::NoSuchRow`] if there are not
    /// so many.
    pub fn dot_rows(
        &self,
        query: &[i8],
        rows: &[u8],
        stride: usize,
        results: &mut [i32],
    ) -> Result<(), VectorError> {
        let rows = Strided::of(rows, row_bytes(query)?, stride, results.len())?;
        // SAFETY: there are so many rows, each of the query's groups.
        unsafe { self.in_order(query, rows, results) };
        Ok(())
    }

    /// The same with the rows at `places`, which start `stride` bytes apart.
    ///
    /// # Errors
    ///
    /// As for [`HalfKernels::dot_rows`], and [`VectorError::WrongRoom`].
    pub fn dot_gathered(
        &self,
        query: &[i8],
        rows: &[u8],
        stride: usize,
        places: &[u32],
        results: &mut [i32],
    ) -> Result<(), VectorError> {
        let rows = Strided::of(rows, row_bytes(query)?, stride, least(places))?;
        same_room(places, results)?;
        // SAFETY: there is a row of the query's groups at each place, and a result.
        unsafe { self.gathered(query, rows, places, results) };
        Ok(())
    }

    /// The same with `results.len()` rows that follow each other.
    ///
    /// # Safety
    ///
    /// The query is whole groups, no more than [`MAX_DIMENSIONS`], and as many rows as results can be
    /// read, each of as many groups.
    pub(crate) unsafe fn in_order(&self, query: &[i8], rows: Strided, results: &mut [i32]) {
        debug_assert!(row_bytes(query).is_ok());
        // SAFETY: this table is only handed out on its own machine; the caller vouches for the rest.
        unsafe { (self.in_order)(query, rows, results) }
    }

    /// The same with the rows at `places`, which should have been asked for ahead of time.
    ///
    /// # Safety
    ///
    /// The query is whole groups, no more than [`MAX_DIMENSIONS`], there are as many places as results,
    /// and a row of as many groups can be read at each.
    pub(crate) unsafe fn gathered(
        &self,
        query: &[i8],
        rows: Strided,
        places: &[u32],
        results: &mut [i32],
    ) {
        debug_assert!(row_bytes(query).is_ok());
        debug_assert_eq!(places.len(), results.len());
        // SAFETY: this table is only handed out on its own machine; the caller vouches for the rest.
        unsafe { (self.gathered)(query, rows, places, results) }
    }
}

impl machine::Table for HalfKernels {
    fn machine(&self) -> Machine {
        self.machine
    }
}

/// How many bytes a row for this query has, if it is whole groups.
fn row_bytes(query: &[i8]) -> Result<usize, VectorError> {
    let expected = padded(query.len()).min(MAX_DIMENSIONS);
    if query.len() != expected {
        return Err(VectorError::DimensionMismatch {
            expected,
            found: query.len(),
        });
    }
    Ok(packed_bytes(query.len()))
}

impl fmt::Debug for HalfKernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HalfKernels").field(&self.name).finish()
    }
}

#[cfg(test)]
mod tests;
