#![expect(
    unsafe_code,
    reason = "a kernel: halves are read through pointers, which the index keeps valid"
)]
//! The loops over halves, written once for all machines: a group at a time, four rows sharing one
//! pass over the query.
//!
//! Rows are whole groups, so nothing is ever read in part. As in the loops over codes, no closure may
//! touch a register: a closure has no features of its own, and in it each instruction becomes a call.

use super::{GROUP, GROUP_BYTES};
use crate::codes::Strided;

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
    /// A group of a query, as this machine likes it: it stays in registers for four rows.
    type Query: Copy;

    /// Nothing yet.
    unsafe fn zero() -> Self;

    /// The [`GROUP`] numbers from `from` on, all of which can be read.
    unsafe fn query(from: *const i8) -> Self::Query;

    /// Adds the products with the [`GROUP_BYTES`] bytes from `row` on, all of which can be read.
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

/// One query against `R` rows of as many groups.
///
/// # Safety
///
/// The machine has the features of `S`, the query is whole groups, and from each pointer on as many
/// groups can be read.
#[inline(always)]
unsafe fn sums<S: Sums, const R: usize>(query: &[i8], rows: [*const u8; R]) -> [S; R] {
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

/// One query against one row.
///
/// # Safety
///
/// As for [`sums`].
#[inline(always)]
pub(super) unsafe fn against<S: Sums>(query: &[i8], row: *const u8) -> i32 {
    // SAFETY: the caller vouches for features and the row.
    unsafe {
        let [sum] = sums::<S, 1>(query, [row]);
        sum.total()
    }
}

/// One query against rows that follow each other.
///
/// One row at a time: four streams at once from memory are slower than one.
///
/// # Safety
///
/// The machine has the features of `S`, and there are as many rows as results.
#[inline(always)]
pub(super) unsafe fn in_order<S: Sums>(query: &[i8], rows: Strided, results: &mut [i32]) {
    for (place, result) in results.iter_mut().enumerate() {
        let row = rows.first.wrapping_add(place * rows.stride);
        // SAFETY: the caller vouches for the rows; what is asked for ahead need not exist.
        unsafe {
            let mut at = 0;
            while at < query.len() / 2 {
                S::prefetch(row.wrapping_add(AHEAD_BYTES + at));
                at += GROUP_BYTES;
            }
            *result = against::<S>(query, row);
        }
    }
}

/// One query against the rows at `places`.
///
/// # Safety
///
/// The machine has the features of `S`, there is a row at every place, and there are as many places
/// as results.
#[inline(always)]
pub(super) unsafe fn gathered<S: Sums>(
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
                let sums = sums::<S, TOGETHER>(query, [row(a), row(b), row(c), row(d)]);
                S::totals(sums)
            };
            group.copy_from_slice(&four);
        }
    }
    for (result, place) in groups.into_remainder().iter_mut().zip(those.remainder()) {
        // SAFETY: as above.
        *result = unsafe { against::<S>(query, row(*place)) };
    }
}
