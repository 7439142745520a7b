#![expect(
    unsafe_code,
    reason = "kernels are compiled for processor features, which are checked before they are called"
)]
//! Tables of kernels over codes, one per kind of machine and way of packing.
//!
//! A packing makes its tables with `tables!`, and brings the registers of each machine in modules of its
//! own. What every table does is here: it checks the shapes once per call, and behind that check nothing
//! is checked again.

use crate::error::VectorError;
use crate::machine::{self, Machine};
use std::fmt;
use std::marker::PhantomData;

/// Compiles the loops of [`order`](super::order) over a packing with a machine's features turned on.
macro_rules! table {
    ($table:ident, $packing:ty, $name:literal, $machine:ident, $lanes:ty $(, $features:literal)?) => {
        static $table: CodeTable<$packing> = {
            $(#[target_feature(enable = $features)])?
            unsafe fn dot(query: &[i8], row: *const u8) -> i32 {
                // SAFETY: this function's own contract: features, and a row as long as the query.
                unsafe { $crate::codes::order::against::<$packing, $lanes>(query, row) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn in_order(query: &[i8], rows: $crate::codes::Strided, results: &mut [i32]) {
                // SAFETY: this function's own contract: features, and enough rows.
                unsafe { $crate::codes::order::in_order::<$packing, $lanes>(query, rows, results) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn gathered(
                query: &[i8],
                rows: $crate::codes::Strided,
                places: &[u32],
                results: &mut [i32],
            ) {
                // SAFETY: this function's own contract: features, and every place.
                unsafe {
                    $crate::codes::order::gathered::<$packing, $lanes>(query, rows, places, results);
                }
            }
            CodeTable {
                name: $name,
                machine: $crate::machine::Machine::$machine,
                packing: std::marker::PhantomData,
                dot,
                in_order,
                gathered,
            }
        };
    };
}

/// The tables of a packing, one per kind of machine. All packings want the same features. Where it is
/// called there are [`CodeTable`] and a module per machine.
macro_rules! tables {
    ($packing:ty) => {
        table!(SCALAR, $packing, "scalar", Scalar, scalar::Scalar);
        #[cfg(target_arch = "x86_64")]
        table!(AVX2, $packing, "avx2", Avx2, avx2::Avx2, "avx2");
        #[cfg(target_arch = "x86_64")]
        table!(
            AVX512,
            $packing,
            "avx512vnni",
            Avx512,
            avx512::Avx512,
            "avx512f,avx512bw,avx512vnni"
        );
        #[cfg(target_arch = "aarch64")]
        table!(NEON, $packing, "neon", Neon, neon::Neon, "neon");

        impl CodeTable<$packing> {
            /// The fastest kernels for this machine, or the best below what
            /// [`KERNELS_VARIABLE`](crate::KERNELS_VARIABLE) names.
            #[must_use]
            pub fn best() -> &'static Self {
                static BEST: std::sync::OnceLock<&'static CodeTable<$packing>> =
                    std::sync::OnceLock::new();
                BEST.get_or_init(|| $crate::machine::choose(&Self::available(), &SCALAR))
            }

            /// All kernels that run on this machine, the slowest first.
            #[must_use]
            pub fn available() -> Vec<&'static Self> {
                let mut found = vec![&SCALAR];
                #[cfg(target_arch = "x86_64")]
                {
                    if is_x86_feature_detected!("avx2") {
                        found.push(&AVX2);
                    }
                    if is_x86_feature_detected!("avx512bw")
                        && is_x86_feature_detected!("avx512vnni")
                    {
                        found.push(&AVX512);
                    }
                }
                #[cfg(target_arch = "aarch64")]
                {
                    if std::arch::is_aarch64_feature_detected!("neon") {
                        found.push(&NEON);
                    }
                }
                found
            }
        }
    };
}

/// How the numbers of a code lie in the bytes of a row.
pub trait Packing: 'static {
    /// How many dimensions share a byte.
    const PER_BYTE: usize;

    /// How many bytes a row has that is as long as the query.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`] for a query of a length that no row has.
    fn row_bytes(query: &[i8]) -> Result<usize, VectorError>;
}

/// Rows in memory, one every `stride` bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strided {
    pub(crate) first: *const u8,
    pub(crate) stride: usize,
}

impl Strided {
    /// `count` rows of `bytes` bytes each; the last one may end without its padding.
    fn of(rows: &[u8], bytes: usize, stride: usize, count: usize) -> Result<Self, VectorError> {
        let held = match (rows.len().checked_sub(bytes), stride >= bytes.max(1)) {
            (Some(before_last), true) => before_last / stride + 1,
            (None, true) => 0,
            (_, false) => {
                return Err(VectorError::BadShape {
                    values: rows.len(),
                    dimensions: bytes,
                    stride,
                });
            }
        };
        if count > held {
            let place = count - 1;
            return Err(VectorError::NoSuchRow { place, rows: held });
        }
        let first = rows.as_ptr();
        Ok(Self { first, stride })
    }
}

type Pair = unsafe fn(&[i8], *const u8) -> i32;
type InOrder = unsafe fn(&[i8], Strided, &mut [i32]);
type Gathered = unsafe fn(&[i8], Strided, &[u32], &mut [i32]);

/// The functions for one kind of machine and one way of packing: [`CodeKernels`](crate::CodeKernels) or
/// [`HalfKernels`](crate::halves::HalfKernels).
///
/// One value exists per kind, and it is handed out only where the machine is of that kind: every `unsafe`
/// call below rests on it.
pub struct CodeTable<P> {
    pub(super) name: &'static str,
    pub(super) machine: Machine,
    pub(super) packing: PhantomData<P>,
    pub(super) dot: Pair,
    pub(super) in_order: InOrder,
    pub(super) gathered: Gathered,
}

impl<P: Packing> CodeTable<P> {
    /// Which instructions these are made of.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The sum of the products of a query with one row, the offset of its code included.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`], also for a query of a length that no row has: one that is too
    /// long or, with halves, not whole groups.
    pub fn dot(&self, query: &[i8], row: &[u8]) -> Result<i32, VectorError> {
        if row.len() != P::row_bytes(query)? {
            return Err(VectorError::DimensionMismatch {
                expected: row.len() * P::PER_BYTE,
                found: query.len(),
            });
        }
        // SAFETY: this table is only handed out on its own machine; the row is as long as the query.
        Ok(unsafe { (self.dot)(query, row.as_ptr()) })
    }

    /// The same with `results.len()` rows that start `stride` bytes apart.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`] for a query of a length that no row has,
    /// [`VectorError::BadShape`] if rows would overlap, or [`VectorError::NoSuchRow`] if there are not
    /// so many.
    pub fn dot_rows(
        &self,
        query: &[i8],
        rows: &[u8],
        stride: usize,
        results: &mut [i32],
    ) -> Result<(), VectorError> {
        let rows = Strided::of(rows, P::row_bytes(query)?, stride, results.len())?;
        // SAFETY: there are so many rows, each as long as the query.
        unsafe { self.in_order(query, rows, results) };
        Ok(())
    }

    /// The same with the rows at `places`, which start `stride` bytes apart.
    ///
    /// # Errors
    ///
    /// As for [`dot_rows`](Self::dot_rows), and [`VectorError::WrongRoom`].
    pub fn dot_gathered(
        &self,
        query: &[i8],
        rows: &[u8],
        stride: usize,
        places: &[u32],
        results: &mut [i32],
    ) -> Result<(), VectorError> {
        let rows = Strided::of(rows, P::row_bytes(query)?, stride, least(places))?;
        same_room(places, results)?;
        // SAFETY: there is a row as long as the query at each place, and a result.
        unsafe { self.gathered(query, rows, places, results) };
        Ok(())
    }

    /// The same with `results.len()` rows that follow each other.
    ///
    /// # Safety
    ///
    /// A row may be as long as the query, and as many rows as results can be read, each as long.
    pub(crate) unsafe fn in_order(&self, query: &[i8], rows: Strided, results: &mut [i32]) {
        debug_assert!(P::row_bytes(query).is_ok());
        // SAFETY: this table is only handed out on its own machine; the caller vouches for the rest.
        unsafe { (self.in_order)(query, rows, results) }
    }

    /// The same with the rows at `places`, which should have been asked for ahead of time.
    ///
    /// # Safety
    ///
    /// A row may be as long as the query, there are as many places as results, and a row can be read at
    /// each, as long as the query.
    pub(crate) unsafe fn gathered(
        &self,
        query: &[i8],
        rows: Strided,
        places: &[u32],
        results: &mut [i32],
    ) {
        debug_assert!(P::row_bytes(query).is_ok());
        debug_assert_eq!(places.len(), results.len());
        // SAFETY: this table is only handed out on its own machine; the caller vouches for the rest.
        unsafe { (self.gathered)(query, rows, places, results) }
    }
}

impl<P: Packing> machine::Table for CodeTable<P> {
    fn machine(&self) -> Machine {
        self.machine
    }
}

impl<P> fmt::Debug for CodeTable<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CodeTable").field(&self.name).finish()
    }
}

/// How many rows there must be for each of these places to be one.
fn least(places: &[u32]) -> usize {
    let last = places.iter().max();
    last.map_or(0, |last| *last as usize + 1)
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
