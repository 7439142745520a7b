#![expect(
    unsafe_code,
    reason = "kernels are compiled for processor features, which are checked before they are called"
)]
//! The tables of kernels, one per kind of machine, and which of them run here.
//!
//! What a table is compiled for and what is asked of the processor stand together: no table may be handed
//! out where the processor lacks one of its features.

use super::Kernels;
use super::order::{self, Product, SquaredDifference};
use crate::machine::Machine;
use crate::rows::Rows;

/// Compiles the loops of [`order`] with a machine's features turned on, and says how many queries and
/// rows share a pass where there are several of both.
macro_rules! kernels {
    ($table:ident, $name:literal, $machine:ident, $lanes:ty, $queries:literal x $rows:literal $(, $features:literal)?) => {
        pub(super) static $table: Kernels = {
            $(#[target_feature(enable = $features)])?
            unsafe fn dot(left: &[f32], right: &[f32]) -> f32 {
                // SAFETY: this function's own contract: features, and equal lengths.
                unsafe { order::pair::<$lanes, Product>(left, right) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn squared_l2(left: &[f32], right: &[f32]) -> f32 {
                // SAFETY: as for `dot`.
                unsafe { order::pair::<$lanes, SquaredDifference>(left, right) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn dot_and_square(left: &[f32], right: &[f32]) -> (f32, f32) {
                // SAFETY: as for `dot`.
                unsafe { order::pair_and_square::<$lanes>(left, right) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn dot_rows(query: &[f32], rows: Rows<'_>, results: &mut [f32]) {
                // SAFETY: this function's own contract: features, dimensions, and enough rows.
                unsafe { order::in_order::<$lanes, Product>(query, rows, results) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn squared_l2_rows(query: &[f32], rows: Rows<'_>, results: &mut [f32]) {
                // SAFETY: as for `dot_rows`.
                unsafe { order::in_order::<$lanes, SquaredDifference>(query, rows, results) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn dot_gathered(
                query: &[f32],
                rows: Rows<'_>,
                places: &[u32],
                results: &mut [f32],
            ) {
                // SAFETY: this function's own contract: features, dimensions, and every place.
                unsafe { order::gathered::<$lanes, Product>(query, rows, places, results) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn squared_l2_gathered(
                query: &[f32],
                rows: Rows<'_>,
                places: &[u32],
                results: &mut [f32],
            ) {
                // SAFETY: as for `dot_gathered`.
                unsafe { order::gathered::<$lanes, SquaredDifference>(query, rows, places, results) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn dot_pairs(queries: Rows<'_>, rows: Rows<'_>, results: &mut [f32]) {
                // SAFETY: this function's own contract: features, dimensions, and a result a pair.
                unsafe {
                    order::all_pairs::<$lanes, Product, $queries, $rows>(queries, rows, results);
                }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn squared_l2_pairs(queries: Rows<'_>, rows: Rows<'_>, results: &mut [f32]) {
                // SAFETY: as for `dot_pairs`.
                unsafe {
                    order::all_pairs::<$lanes, SquaredDifference, $queries, $rows>(
                        queries, rows, results,
                    );
                }
            }
            Kernels {
                name: $name,
                machine: Machine::$machine,
                dot,
                squared_l2,
                dot_and_square,
                dot_rows,
                squared_l2_rows,
                dot_gathered,
                squared_l2_gathered,
                dot_pairs,
                squared_l2_pairs,
            }
        };
    };
}

kernels!(SCALAR, "scalar", Scalar, super::scalar::Scalar, 1 x 4);
#[cfg(target_arch = "x86_64")]
kernels!(AVX2, "avx2", Avx2, super::avx2::Avx2, 2 x 2, "avx2,fma");
#[cfg(target_arch = "x86_64")]
kernels!(AVX512, "avx512", Avx512, super::avx512::Avx512, 4 x 4, "avx512f");
#[cfg(target_arch = "aarch64")]
kernels!(NEON, "neon", Neon, super::neon::Neon, 2 x 2, "neon");

/// Those that run on this machine, the slowest first.
pub(super) fn available() -> Vec<&'static Kernels> {
    let mut found = vec![&SCALAR];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            found.push(&AVX2);
        }
        if is_x86_feature_detected!("avx512f") {
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
