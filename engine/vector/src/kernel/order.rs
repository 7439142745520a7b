#![expect(
    unsafe_code,
    reason = "a kernel: rows are read through pointers, after one check per batch"
)]
//! The one order in which numbers are added, written once for all machines.
//!
//! # The order
//!
//! There are sixteen lanes, which all start at zero. Element `i` of the two vectors goes to lane
//! `i % 16` by one fused multiply-add, `i` ascending; missing elements of the last sixteen count as
//! zeros. Then lane `j` takes lane `j + 8`, then `j + 4`, then `j + 2`, then `j + 1`, each by one
//! addition. Last, `-0.0` becomes `0.0` and any NaN becomes the one NaN, because padding and
//! machines differ in nothing else.
//!
//! Sixteen lanes are one AVX-512 register, two of AVX2, four of NEON. One register is a single chain
//! of dependent additions, and still it is as fast as two or four: rows are independent, so
//! the processor works on the next row meanwhile. Measured per row at 384 dimensions in cache on a
//! Xeon (Sapphire Rapids): 21 ns with 16 lanes, 24 with 32, 24 with 64; AVX2 26, 26 and 25. From
//! memory all are equally fast. So the smallest, simplest order was taken.
//!
//! A machine is a [`Lanes`]; nothing here may look at which one it is. The functions are marked
//! `inline(always)` because they must be compiled inside a caller that has the machine's features.

use crate::rows::Rows;

/// How many sums run side by side.
pub(super) const LANES: usize = 16;

/// How many rows share one pass over a single query.
const TOGETHER: usize = 4;

/// How many bytes before their use rows are asked for from memory.
const AHEAD_BYTES: usize = 4096;

/// Sixteen `f32` in a machine's registers.
pub(super) trait Lanes: Copy {
    /// Sixteen zeros.
    ///
    /// # Safety
    ///
    /// The machine has the features of the implementing type; the same holds for all methods.
    unsafe fn zero() -> Self;

    /// The sixteen numbers from `from` on.
    ///
    /// # Safety
    ///
    /// They can be read.
    unsafe fn load(from: *const f32) -> Self;

    /// The `count` numbers from `from` on, and zeros after them.
    ///
    /// # Safety
    ///
    /// They can be read, and `count` is less than sixteen.
    unsafe fn load_part(from: *const f32, count: usize) -> Self;

    /// `self + left * right` in each lane, rounded once.
    ///
    /// # Safety
    ///
    /// The machine has the features.
    unsafe fn fused_add(self, left: Self, right: Self) -> Self;

    /// `self - other` in each lane.
    ///
    /// # Safety
    ///
    /// The machine has the features.
    unsafe fn minus(self, other: Self) -> Self;

    /// The sum of all lanes, halving: 8 to 8, 4 to 4, 2 to 2, 1 to 1.
    ///
    /// # Safety
    ///
    /// The machine has the features.
    unsafe fn total(self) -> f32;

    /// Asks for the cache line at `at`, which need not exist.
    ///
    /// # Safety
    ///
    /// The machine has the features.
    unsafe fn prefetch(at: *const f32);
}

/// What is summed up over the elements of two vectors.
pub(super) trait Term {
    /// Adds the term of sixteen elements.
    ///
    /// # Safety
    ///
    /// The machine has the features of `V`.
    unsafe fn add<V: Lanes>(sum: V, query: V, row: V) -> V;
}

/// The product of the elements.
pub(super) struct Product;

impl Term for Product {
    #[inline(always)]
    unsafe fn add<V: Lanes>(sum: V, query: V, row: V) -> V {
        // SAFETY: the caller vouches for the features.
        unsafe { sum.fused_add(query, row) }
    }
}

/// The square of the elements' difference.
pub(super) struct SquaredDifference;

impl Term for SquaredDifference {
    #[inline(always)]
    unsafe fn add<V: Lanes>(sum: V, query: V, row: V) -> V {
        // SAFETY: the caller vouches for the features.
        unsafe {
            let difference = query.minus(row);
            sum.fused_add(difference, difference)
        }
    }
}

/// The one form of a result: no negative zero, one NaN.
#[inline(always)]
fn canonical(sum: f32) -> f32 {
    if sum.is_nan() { f32::NAN } else { sum + 0.0 }
}

/// `Q` queries against `R` rows: what is loaded of a row serves all queries.
///
/// # Safety
///
/// The machine has the features of `V`, and from each pointer on `dimensions` numbers can be read.
#[inline(always)]
unsafe fn against<V: Lanes, T: Term, const Q: usize, const R: usize>(
    dimensions: usize,
    queries: [*const f32; Q],
    rows: [*const f32; R],
) -> [[f32; R]; Q] {
    // SAFETY: `at` and what is read from it stay within `dimensions`, which the caller vouches for.
    unsafe {
        let mut sums = [[V::zero(); R]; Q];
        let whole = dimensions / LANES * LANES;
        let mut at = 0;
        while at < whole {
            let left = queries.map(|query| V::load(query.add(at)));
            for (column, row) in rows.into_iter().enumerate() {
                let right = V::load(row.add(at));
                for (sums, left) in sums.iter_mut().zip(left) {
                    sums[column] = T::add(sums[column], left, right);
                }
            }
            at += LANES;
        }
        let rest = dimensions - whole;
        if rest > 0 {
            let left = queries.map(|query| V::load_part(query.add(at), rest));
            for (column, row) in rows.into_iter().enumerate() {
                let right = V::load_part(row.add(at), rest);
                for (sums, left) in sums.iter_mut().zip(left) {
                    sums[column] = T::add(sums[column], left, right);
                }
            }
        }
        let mut results = [[0.0; R]; Q];
        for (results, sums) in results.iter_mut().zip(sums) {
            for (result, sum) in results.iter_mut().zip(sums) {
                *result = canonical(sum.total());
            }
        }
        results
    }
}

/// One pair.
///
/// # Safety
///
/// The machine has the features of `V`, and the two are equally long.
#[inline(always)]
pub(super) unsafe fn pair<V: Lanes, T: Term>(left: &[f32], right: &[f32]) -> f32 {
    // SAFETY: the caller vouches for features and lengths.
    unsafe { against::<V, T, 1, 1>(left.len(), [left.as_ptr()], [right.as_ptr()])[0][0] }
}

/// The dot product of a pair, and of the right one with itself, in one pass.
///
/// # Safety
///
/// The machine has the features of `V`, and the two are equally long.
#[inline(always)]
pub(super) unsafe fn pair_and_square<V: Lanes>(left: &[f32], right: &[f32]) -> (f32, f32) {
    // SAFETY: the caller vouches for features and lengths, and `at` stays within them.
    unsafe {
        let (mut dot, mut square) = (V::zero(), V::zero());
        let (left_start, right_start) = (left.as_ptr(), right.as_ptr());
        let whole = left.len() / LANES * LANES;
        let mut at = 0;
        while at < whole {
            let row = V::load(right_start.add(at));
            dot = dot.fused_add(V::load(left_start.add(at)), row);
            square = square.fused_add(row, row);
            at += LANES;
        }
        let rest = left.len() - whole;
        if rest > 0 {
            let row = V::load_part(right_start.add(at), rest);
            dot = dot.fused_add(V::load_part(left_start.add(at), rest), row);
            square = square.fused_add(row, row);
        }
        (canonical(dot.total()), canonical(square.total()))
    }
}

/// One query against the first `results.len()` rows, in their order.
///
/// # Safety
///
/// The machine has the features of `V`, the query has the rows' dimensions, and there are as many
/// rows as results.
#[inline(always)]
pub(super) unsafe fn in_order<V: Lanes, T: Term>(
    query: &[f32],
    rows: Rows<'_>,
    results: &mut [f32],
) {
    let stride = rows.stride();
    let row = |place: usize| rows.values().as_ptr().wrapping_add(place * stride);
    let ahead = (AHEAD_BYTES / (stride * size_of::<f32>())).max(1);
    // SAFETY: places stay below the number of rows, and rows are inside the matrix; what is
    // asked for ahead of time need not exist.
    unsafe {
        let mut place = 0;
        let mut groups = results.chunks_exact_mut(TOGETHER);
        for group in &mut groups {
            for next in 0..TOGETHER {
                prefetch_row::<V>(row(place + ahead + next), rows.dimensions());
            }
            let [four] = against::<V, T, 1, TOGETHER>(
                query.len(),
                [query.as_ptr()],
                [row(place), row(place + 1), row(place + 2), row(place + 3)],
            );
            group.copy_from_slice(&four);
            place += TOGETHER;
        }
        for result in groups.into_remainder() {
            [[*result]] = against::<V, T, 1, 1>(query.len(), [query.as_ptr()], [row(place)]);
            place += 1;
        }
    }
}

/// One query against the rows at `places`.
///
/// # Safety
///
/// The machine has the features of `V`, the query has the rows' dimensions, every place is a row,
/// and there are as many places as results.
#[inline(always)]
pub(super) unsafe fn gathered<V: Lanes, T: Term>(
    query: &[f32],
    rows: Rows<'_>,
    places: &[u32],
    results: &mut [f32],
) {
    let stride = rows.stride();
    let row = |place: u32| rows.values().as_ptr().wrapping_add(place as usize * stride);
    let ahead = (AHEAD_BYTES / (stride * size_of::<f32>())).max(TOGETHER);
    // SAFETY: the caller vouches for every place.
    unsafe {
        let mut soon = places.iter().skip(ahead);
        let mut groups = results.chunks_exact_mut(TOGETHER);
        let mut those = places.chunks_exact(TOGETHER);
        for (group, four) in (&mut groups).zip(&mut those) {
            for next in soon.by_ref().take(TOGETHER) {
                prefetch_row::<V>(row(*next), rows.dimensions());
            }
            if let [a, b, c, d] = *four {
                let [four] = against::<V, T, 1, TOGETHER>(
                    query.len(),
                    [query.as_ptr()],
                    [row(a), row(b), row(c), row(d)],
                );
                group.copy_from_slice(&four);
            }
        }
        for (result, place) in groups.into_remainder().iter_mut().zip(those.remainder()) {
            [[*result]] = against::<V, T, 1, 1>(query.len(), [query.as_ptr()], [row(*place)]);
        }
    }
}

/// Every query against every row, `Q` by `R` at a time, which is for the machine to choose: the sums
/// of so many pairs must fit its registers. Results come query by query.
///
/// # Safety
///
/// The machine has the features of `V`, both have the same dimensions, and there is a result for
/// each pair.
#[inline(always)]
pub(super) unsafe fn all_pairs<V: Lanes, T: Term, const Q: usize, const R: usize>(
    queries: Rows<'_>,
    rows: Rows<'_>,
    results: &mut [f32],
) {
    let dimensions = rows.dimensions();
    let start = |rows: Rows<'_>, place: usize| {
        let values = rows.values().as_ptr();
        values.wrapping_add(place * rows.stride())
    };
    let whole = (queries.len() / Q * Q, rows.len() / R * R);
    for first in (0..whole.0).step_by(Q) {
        let group = std::array::from_fn(|query| start(queries, first + query));
        let mut place = 0;
        // SAFETY: places stay below the numbers of queries and rows, which are inside their matrices.
        unsafe {
            while place < whole.1 {
                let those = std::array::from_fn(|row| start(rows, place + row));
                let sums = against::<V, T, Q, R>(dimensions, group, those);
                for (query, sums) in sums.into_iter().enumerate() {
                    let at = (first + query) * rows.len() + place;
                    results[at..at + R].copy_from_slice(&sums);
                }
                place += R;
            }
            while place < rows.len() {
                let sums = against::<V, T, Q, 1>(dimensions, group, [start(rows, place)]);
                for (query, [sum]) in sums.into_iter().enumerate() {
                    results[(first + query) * rows.len() + place] = sum;
                }
                place += 1;
            }
        }
    }
    for query in whole.0..queries.len() {
        let results = &mut results[query * rows.len()..][..rows.len()];
        // SAFETY: the caller vouches for the features and dimensions; there are as many rows as
        // results.
        unsafe {
            let query = std::slice::from_raw_parts(start(queries, query), dimensions);
            in_order::<V, T>(query, rows, results);
        }
    }
}

/// Asks for all cache lines of a row.
///
/// # Safety
///
/// The machine has the features of `V`.
#[inline(always)]
unsafe fn prefetch_row<V: Lanes>(row: *const f32, dimensions: usize) {
    const LINE: usize = 64 / size_of::<f32>();
    let mut at = 0;
    while at < dimensions {
        // SAFETY: a prefetch reads nothing; the caller vouches for the features.
        unsafe { V::prefetch(row.wrapping_add(at)) };
        at += LINE;
    }
}
