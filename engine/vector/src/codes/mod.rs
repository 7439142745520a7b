#![expect(
    unsafe_code,
    reason = "kernels are compiled for processor features, which are checked before they are called"
)]
//! Kernels over codes: a vector as one byte per dimension, and how alike two of them are.
//!
//! A stored code is a `u8` from 1 to 255 that stands for itself less 128; a query is an `i8` from
//! -127 to 127. Their dot product is whole numbers all the way, so all machines agree by nature,
//! and what the offset adds, 128 times the sum of the query, is taken off once per query. Unsigned by
//! signed is the one product of bytes that processors add up in one instruction.
//!
//! As with the `f32` kernels, one loop ([`order`]) serves all machines, and the choice is made once
//! per process by asking the processor. Codes of half a byte have kernels of their own: [`halves`].

use crate::error::VectorError;
use crate::machine::{self, Machine};
use std::fmt;
use std::sync::OnceLock;

/// The tables that run on this machine, the slowest first. Codes of a byte and of half a byte want the same of it.
macro_rules! available {
    ($scalar:ident, $avx2:ident, $avx512:ident, $neon:ident) => {{
        let mut found = vec![&$scalar];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                found.push(&$avx2);
            }
            if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni") {
                found.push(&$avx512);
            }
        }
        #[cfg(target_arch = "aarch64")]
        {
            if std::arch::is_aarch64_feature_detected!("neon") {
                found.push(&$neon);
            }
        }
        found
    }};
}

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

type Pair = unsafe fn(&[i8], *const u8) -> i32;
type InOrder = unsafe fn(&[i8], Strided, &mut [i32]);
type Gathered = unsafe fn(&[i8], Strided, &[u32], &mut [i32]);

/// Codes in memory, one every `stride` bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided {
    pub(crate) first: *const u8,
    pub(crate) stride: usize,
}

impl Strided {
    /// `count` codes of `bytes` bytes each; the last one may end without its padding.
    fn of(codes: &[u8], bytes: usize, stride: usize, count: usize) -> Result<Self, VectorError> {
        let held = match (codes.len().checked_sub(bytes), stride >= bytes.max(1)) {
            (Some(before_last), true) => before_last / stride + 1,
            (None, true) => 0,
            (_, false) => {
                return Err(VectorError::BadShape {
                    values: codes.len(),
                    dimensions: bytes,
                    stride,
                });
            }
        };
        if count > held {
            let place = count - 1;
            return Err(VectorError::NoSuchRow { place, rows: held });
        }
        let first = codes.as_ptr();
        Ok(Self { first, stride })
    }
}

/// How many codes there must be for each of these places to be one.
fn least(places: &[u32]) -> usize {
    let last = places.iter().max();
    last.map_or(0, |last| *last as usize + 1)
}

/// The functions for one kind of machine. One value exists per kind, and it is handed out only
/// where the machine is of that kind: every `unsafe` call below rests on it.
pub struct CodeKernels {
    name: &'static str,
    machine: Machine,
    dot: Pair,
    in_order: InOrder,
    gathered: Gathered,
}

/// Compiles the loops of [`order`] with a machine's features turned on.
macro_rules! kernels {
    ($table:ident, $name:literal, $machine:ident, $lanes:ty $(, $features:literal)?) => {
        static $table: CodeKernels = {
            $(#[target_feature(enable = $features)])?
            unsafe fn dot(query: &[i8], row: *const u8) -> i32 {
                // SAFETY: this function's own contract: features, and a row as long as the query.
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
            CodeKernels {
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

impl CodeKernels {
    /// The fastest kernels for this machine, or the best below what [`VARIABLE`](machine::VARIABLE)
    /// names.
    #[must_use]
    pub fn best() -> &'static Self {
        static BEST: OnceLock<&'static CodeKernels> = OnceLock::new();
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

    /// The sum of the products of a query with a stored code, the code's offset included.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`].
    pub fn dot(&self, query: &[i8], code: &[u8]) -> Result<i32, VectorError> {
        not_too_long(query)?;
        if query.len() != code.len() {
            return Err(VectorError::DimensionMismatch {
                expected: code.len(),
                found: query.len(),
            });
        }
        // SAFETY: this table is only handed out on its own machine; the lengths are equal.
        Ok(unsafe { (self.dot)(query, code.as_ptr()) })
    }

    /// The same with `results.len()` codes that start `stride` bytes apart.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`] for a query that is too long, [`VectorError::BadShape`] if
    /// codes would overlap, or [`VectorError::NoSuchRow`] if there are not so many.
    pub fn dot_rows(
        &self,
        query: &[i8],
        codes: &[u8],
        stride: usize,
        results: &mut [i32],
    ) -> Result<(), VectorError> {
        not_too_long(query)?;
        let codes = Strided::of(codes, query.len(), stride, results.len())?;
        // SAFETY: there are so many codes, each as long as the query.
        unsafe { self.in_order(query, codes, results) };
        Ok(())
    }

    /// The same with the codes at `places`, which start `stride` bytes apart.
    ///
    /// # Errors
    ///
    /// As for [`CodeKernels::dot_rows`], and [`VectorError::WrongRoom`].
    pub fn dot_gathered(
        &self,
        query: &[i8],
        codes: &[u8],
        stride: usize,
        places: &[u32],
        results: &mut [i32],
    ) -> Result<(), VectorError> {
        not_too_long(query)?;
        let codes = Strided::of(codes, query.len(), stride, least(places))?;
        same_room(places, results)?;
        // SAFETY: there is a code as long as the query at each place, and a result.
        unsafe { self.gathered(query, codes, places, results) };
        Ok(())
    }

    /// The same with `results.len()` codes that follow each other.
    ///
    /// # Safety
    ///
    /// As many codes as results can be read, each as long as the query.
    pub(crate) unsafe fn in_order(&self, query: &[i8], codes: Strided, results: &mut [i32]) {
        // SAFETY: this table is only handed out on its own machine; the caller vouches for the rest.
        unsafe { (self.in_order)(query, codes, results) }
    }

    /// The same with the codes at `places`, which should have been asked for ahead of time.
    ///
    /// # Safety
    ///
    /// There are as many places as results, and a code can be read at each, as long as the query.
    pub(crate) unsafe fn gathered(
        &self,
        query: &[i8],
        codes: Strided,
        places: &[u32],
        results: &mut [i32],
    ) {
        debug_assert_eq!(places.len(), results.len());
        // SAFETY: this table is only handed out on its own machine; the caller vouches for the rest.
        unsafe { (self.gathered)(query, codes, places, results) }
    }
}

impl machine::Table for CodeKernels {
    fn machine(&self) -> Machine {
        self.machine
    }
}

fn not_too_long(query: &[i8]) -> Result<(), VectorError> {
    if query.len() > MAX_DIMENSIONS {
        return Err(VectorError::DimensionMismatch {
            expected: MAX_DIMENSIONS,
            found: query.len(),
        });
    }
    Ok(())
}

fn same_room(places: &[u32], results: &[i32]) -> Result<(), VectorError> {
    if places.len() != results.len() {
        return Err(VectorError::WrongRoom {
            rows: places.len(),
            room: results.len(),
        });
    }
    Ok(())
}

impl fmt::Debug for CodeKernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CodeKernels").field(&self.name).finish()
    }
}

#[cfg(test)]
mod tests;
