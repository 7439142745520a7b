#![expect(
    unsafe_code,
    reason = "a kernel: rows are read through pointers, which the index keeps valid"
)]
//! The loops over rows of codes, written once for all machines and packings: sixty-four bytes at a time,
//! four rows sharing one pass over the query. The pass itself is the packing's: see [`Pass`].
//!
//! The functions are marked `inline(always)` because they must be compiled inside a caller that has
//! the machine's features. For the same reason no closure may call them or touch a register: a closure
//! has no features of its own, and in it each instruction becomes a call.

use super::table::{Packing, Strided};

/// How many bytes of a row a step takes.
pub(super) const STEP: usize = 64;

/// How many rows share one pass over the query.
const TOGETHER: usize = 4;

/// How many bytes before their use rows that follow each other are asked for.
const AHEAD_BYTES: usize = 2048;

/// Sums of products in a machine's registers.
///
/// # Safety
///
/// Every method may be called only where the machine has the features of the implementing type.
pub(super) trait Sums: Copy {
    /// What meets one step of a row, as this machine likes it: it stays in registers for four rows.
    type Query: Copy;

    /// Nothing yet.
    unsafe fn zero() -> Self;

    /// The numbers from `from` on that meet one step of a row, all of which can be read.
    unsafe fn query(from: *const i8) -> Self::Query;

    /// Adds the products with the [`STEP`] bytes from `row` on, all of which can be read.
    unsafe fn add(self, query: Self::Query, row: *const u8) -> Self;

    /// The sum of all.
    unsafe fn total(self) -> i32;

    /// The sums of all of four.
    #[inline(always)]
    unsafe fn totals(four: [Self; TOGETHER]) -> [i32; TOGETHER] {
        let [a, b, c, d] = four;
        // SAFETY: the caller vouches for the features.
        unsafe { [a.total(), b.total(), c.total(), d.total()] }
    }

    /// Asks for the cache line at `at`, which need not exist.
    unsafe fn prefetch(at: *const u8);
}

/// A packing whose rows a machine can add up.
pub(super) trait Pass<S: Sums>: Packing {
    /// One query against `R` rows, each as long as the query.
    ///
    /// # Safety
    ///
    /// The machine has the features of `S`, a row may be as long as the query, and from each pointer on so
    /// many bytes can be read.
    unsafe fn sums<const R: usize>(query: &[i8], rows: [*const u8; R]) -> [S; R];
}

/// One query against one row.
///
/// # Safety
///
/// As for [`Pass::sums`].
#[inline(always)]
pub(super) unsafe fn against<P: Pass<S>, S: Sums>(query: &[i8], row: *const u8) -> i32 {
    // SAFETY: the caller vouches for features and the row.
    unsafe {
        let [sum] = P::sums::<1>(query, [row]);
        sum.total()
    }
}

/// One query against rows that follow each other.
///
/// One row at a time: four streams at once from memory are slower than one.
///
/// # Safety
///
/// As for [`Pass::sums`], and there are as many rows as results.
#[inline(always)]
pub(super) unsafe fn in_order<P: Pass<S>, S: Sums>(
    query: &[i8],
    rows: Strided,
    results: &mut [i32],
) {
    for (place, result) in results.iter_mut().enumerate() {
        let row = rows.first.wrapping_add(place * rows.stride);
        // SAFETY: the caller vouches for the rows; what is asked for ahead need not exist.
        unsafe {
            let mut at = 0;
            while at < query.len() / P::PER_BYTE {
                S::prefetch(row.wrapping_add(AHEAD_BYTES + at));
                at += STEP;
            }
            *result = against::<P, S>(query, row);
        }
    }
}

/// One query against the rows at `places`.
///
/// # Safety
///
/// As for [`Pass::sums`], there is a row at every place, and there are as many places as results.
#[inline(always)]
pub(super) unsafe fn gathered<P: Pass<S>, S: Sums>(
    query: &[i8],
    rows: Strided,
    places: &[u32],
    results: &mut [i32],
) {
    let row = |place: u32| rows.first.wrapping_add(place as usize * rows.stride);
    let mut groups = results.chunks_exact_mut(TOGETHER);
    let mut those = places.chunks_exact(TOGETHER);
    for (group, four) in (&mut groups).zip(&mut those) {
        if let [a, b, c, d] = *four {
            // SAFETY: the caller vouches for every place.
            let four = unsafe {
                let sums = P::sums::<TOGETHER>(query, [row(a), row(b), row(c), row(d)]);
                S::totals(sums)
            };
            group.copy_from_slice(&four);
        }
    }
    for (result, place) in groups.into_remainder().iter_mut().zip(those.remainder()) {
        // SAFETY: as above.
        *result = unsafe { against::<P, S>(query, row(*place)) };
    }
}
