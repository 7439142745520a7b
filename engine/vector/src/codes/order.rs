#![expect(
    unsafe_code,
    reason = "a kernel: codes are read through pointers, which the index keeps valid"
)]
//! The loops over codes, written once for all machines: sixty-four bytes at a time, four codes
//! sharing one pass over the query.
//!
//! The functions are marked `inline(always)` because they must be compiled inside a caller that has
//! the machine's features. For the same reason no closure may call them: a closure has no features of
//! its own, and in it each instruction becomes a call.

use super::Strided;

/// How many bytes a step takes.
pub(super) const STEP: usize = 64;

/// How many codes share one pass over the query.
const TOGETHER: usize = 4;

/// How many bytes before their use codes that follow each other are asked for.
const AHEAD_BYTES: usize = 2048;

/// Sums of products in a machine's registers.
///
/// # Safety
///
/// Every method may be called only where the machine has the features of the implementing type.
pub(super) trait Sums: Copy {
    /// Sixty-four bytes of a query, as this machine likes them.
    type Query: Copy;

    /// Nothing yet.
    unsafe fn zero() -> Self;

    /// The sixty-four bytes from `from` on, all of which can be read.
    unsafe fn query(from: *const i8) -> Self::Query;

    /// The `count` bytes from `from` on, fewer than sixty-four, and zeros after them.
    unsafe fn query_part(from: *const i8, count: usize) -> Self::Query;

    /// Adds the products with the sixty-four bytes from `row` on, all of which can be read.
    unsafe fn add(self, query: Self::Query, row: *const u8) -> Self;

    /// Adds the products with the `count` bytes from `row` on, fewer than sixty-four.
    unsafe fn add_part(self, query: Self::Query, row: *const u8, count: usize) -> Self;

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

/// One query against `R` codes, each as long as the query.
///
/// # Safety
///
/// The machine has the features of `S`, and from each pointer on `query.len()` bytes can be read.
#[inline(always)]
unsafe fn sums<S: Sums, const R: usize>(query: &[i8], rows: [*const u8; R]) -> [S; R] {
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

/// One query against one code.
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

/// One query against four codes.
///
/// # Safety
///
/// As for [`sums`].
#[inline(always)]
unsafe fn against_four<S: Sums>(query: &[i8], rows: [*const u8; TOGETHER]) -> [i32; TOGETHER] {
    // SAFETY: the caller vouches for features and rows.
    unsafe { S::totals(sums::<S, TOGETHER>(query, rows)) }
}

/// One query against codes that follow each other.
///
/// One code at a time: four streams at once from memory are slower than one.
///
/// # Safety
///
/// The machine has the features of `S`, and there are as many codes as results.
#[inline(always)]
pub(super) unsafe fn in_order<S: Sums>(query: &[i8], rows: Strided, results: &mut [i32]) {
    for (place, result) in results.iter_mut().enumerate() {
        let row = rows.first.wrapping_add(place * rows.stride);
        // SAFETY: the caller vouches for the codes; what is asked for ahead need not exist.
        unsafe {
            let mut at = 0;
            while at < query.len() {
                S::prefetch(row.wrapping_add(AHEAD_BYTES + at));
                at += STEP;
            }
            *result = against::<S>(query, row);
        }
    }
}

/// One query against the codes at `places`.
///
/// # Safety
///
/// The machine has the features of `S`, there is a code at every place, and there are as many
/// places as results.
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
            let four = unsafe { against_four::<S>(query, [row(a), row(b), row(c), row(d)]) };
            group.copy_from_slice(&four);
        }
    }
    for (result, place) in groups.into_remainder().iter_mut().zip(those.remainder()) {
        // SAFETY: as above.
        *result = unsafe { against::<S>(query, row(*place)) };
    }
}
