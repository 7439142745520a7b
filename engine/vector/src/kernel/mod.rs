#![expect(
    unsafe_code,
    reason = "kernels are compiled for processor features, which are checked before they are called"
)]
//! The kernels: how alike two vectors are, by the best instructions this machine has.
//!
//! All machines give the same bits, because all run the one loop of [`order`] and only bring their
//! own sixteen lanes: [`scalar`] for any machine, `avx2` and `avx512` for x86-64, `neon` for ARM.
//! The choice is made once per process by asking the processor ([`tables`]). Nothing here may decide by the
//! build's target features alone: one binary must run everywhere.
//!
//! A function checks the shapes once per call and answers a wrong one with a
//! [`VectorError`]; behind that check nothing is checked again. Many rows per
//! call are much cheaper than many calls.
//!
//! Measured on one core of a Xeon (Sapphire Rapids) at 2 GHz nominal, nanoseconds per row of a dot
//! product, many rows per call (`examples/kernels/`):
//!
//! | dimensions | AVX-512 in cache | AVX2 in cache | from memory, in order | from memory, at random |
//! |---|---|---|---|---|
//! | 128 | 8 | 8 | 35 | 92 |
//! | 384 | 19 | 21 | 105 | 190 |
//! | 768 | 38 | 43 | 218 | 297 |
//!
//! Where there are many queries as well, what is read serves several pairs: sixty-four queries against
//! rows in cache take 4 ns per pair at 128 dimensions and 10 at 384 with AVX-512, 6 and 14 with AVX2.
//!
//! One row per call costs a few nanoseconds more (384 dimensions: 22). The scalar twin takes 1150
//! at 384, because `mul_add` is a call where the build may not assume the instruction.

use crate::error::VectorError;
use crate::machine::{self, Machine};
use crate::rows::Rows;
pub use cosine::{cosine_from_parts, cosine_of, cosine_of_long};
use std::fmt;
use std::sync::OnceLock;

mod cosine;
mod order;
mod scalar;
mod tables;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

type Pair = unsafe fn(&[f32], &[f32]) -> f32;
type PairAndSquare = unsafe fn(&[f32], &[f32]) -> (f32, f32);
type InOrder = unsafe fn(&[f32], Rows<'_>, &mut [f32]);
type Gathered = unsafe fn(&[f32], Rows<'_>, &[u32], &mut [f32]);
type AllPairs = unsafe fn(Rows<'_>, Rows<'_>, &mut [f32]);

/// The functions for one kind of machine. One value exists per kind, and it is handed out only
/// where the machine is of that kind: every `unsafe` call below rests on it.
pub struct Kernels {
    name: &'static str,
    machine: Machine,
    dot: Pair,
    squared_l2: Pair,
    dot_and_square: PairAndSquare,
    dot_rows: InOrder,
    squared_l2_rows: InOrder,
    dot_gathered: Gathered,
    squared_l2_gathered: Gathered,
    dot_pairs: AllPairs,
    squared_l2_pairs: AllPairs,
}

impl Kernels {
    /// The fastest kernels for this machine, or the best below what [`VARIABLE`](machine::VARIABLE)
    /// names.
    #[must_use]
    pub fn best() -> &'static Self {
        static BEST: OnceLock<&'static Kernels> = OnceLock::new();
        BEST.get_or_init(|| machine::choose(&Self::available(), Self::scalar()))
    }

    /// The kernels for any machine, which the others are compared with.
    #[must_use]
    pub fn scalar() -> &'static Self {
        &tables::SCALAR
    }

    /// All kernels that run on this machine, the slowest first.
    #[must_use]
    pub fn available() -> Vec<&'static Self> {
        tables::available()
    }

    /// Which instructions these are made of.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The dot product.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`].
    pub fn dot(&self, left: &[f32], right: &[f32]) -> Result<f32, VectorError> {
        same_dimensions(left.len(), right.len())?;
        // SAFETY: this table is only handed out on its own machine; the lengths are equal.
        Ok(unsafe { (self.dot)(left, right) })
    }

    /// The square of the Euclidean distance.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`].
    pub fn squared_l2(&self, left: &[f32], right: &[f32]) -> Result<f32, VectorError> {
        same_dimensions(left.len(), right.len())?;
        // SAFETY: this table is only handed out on its own machine; the lengths are equal.
        Ok(unsafe { (self.squared_l2)(left, right) })
    }

    /// The dot product of a vector with itself.
    #[must_use]
    pub fn square(&self, vector: &[f32]) -> f32 {
        // SAFETY: this table is only handed out on its own machine; a length equals itself.
        unsafe { (self.dot)(vector, vector) }
    }

    /// The dot product of two vectors, and the square of the length of the right one.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`].
    pub(crate) fn dot_and_square(
        &self,
        left: &[f32],
        right: &[f32],
    ) -> Result<(f32, f32), VectorError> {
        same_dimensions(left.len(), right.len())?;
        // SAFETY: this table is only handed out on its own machine; the lengths are equal.
        Ok(unsafe { (self.dot_and_square)(left, right) })
    }

    /// The length of a vector.
    #[must_use]
    pub fn norm(&self, vector: &[f32]) -> f32 {
        self.square(vector).sqrt()
    }

    /// The cosine of the angle between two vectors; nothing if one of them has no direction.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`].
    pub fn cosine(&self, left: &[f32], right: &[f32]) -> Result<Option<f32>, VectorError> {
        same_dimensions(left.len(), right.len())?;
        // SAFETY: this table is only handed out on its own machine; the lengths are equal.
        let (square, (dot, other)) =
            unsafe { ((self.dot)(left, left), (self.dot_and_square)(left, right)) };
        Ok(cosine_of(left, right, dot, [square, other]))
    }

    /// The dot product of the query with each row.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`], or [`VectorError::WrongRoom`].
    pub fn dot_rows(
        &self,
        query: &[f32],
        rows: Rows<'_>,
        results: &mut [f32],
    ) -> Result<(), VectorError> {
        all_rows(query, rows, results)?;
        // SAFETY: this table is only handed out on its own machine; the shapes were checked.
        unsafe { (self.dot_rows)(query, rows, results) };
        Ok(())
    }

    /// The squared distance of the query from each row.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`], or [`VectorError::WrongRoom`].
    pub fn squared_l2_rows(
        &self,
        query: &[f32],
        rows: Rows<'_>,
        results: &mut [f32],
    ) -> Result<(), VectorError> {
        all_rows(query, rows, results)?;
        // SAFETY: this table is only handed out on its own machine; the shapes were checked.
        unsafe { (self.squared_l2_rows)(query, rows, results) };
        Ok(())
    }

    /// The dot product of the query with the row at each place; rows are fetched ahead of their use.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`], [`VectorError::NoSuchRow`] or [`VectorError::WrongRoom`].
    pub fn dot_gathered(
        &self,
        query: &[f32],
        rows: Rows<'_>,
        places: &[u32],
        results: &mut [f32],
    ) -> Result<(), VectorError> {
        some_rows(query, rows, places, results)?;
        // SAFETY: this table is only handed out on its own machine; shapes and places were checked.
        unsafe { (self.dot_gathered)(query, rows, places, results) };
        Ok(())
    }

    /// The squared distance of the query from the row at each place; rows are fetched ahead.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`], [`VectorError::NoSuchRow`] or [`VectorError::WrongRoom`].
    pub fn squared_l2_gathered(
        &self,
        query: &[f32],
        rows: Rows<'_>,
        places: &[u32],
        results: &mut [f32],
    ) -> Result<(), VectorError> {
        some_rows(query, rows, places, results)?;
        // SAFETY: this table is only handed out on its own machine; shapes and places were checked.
        unsafe { (self.squared_l2_gathered)(query, rows, places, results) };
        Ok(())
    }

    /// The dot product of every query with every row, query by query: with many of both, much
    /// cheaper than a call per query, because each number that is read serves several pairs.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`], or [`VectorError::WrongRoom`].
    pub fn dot_pairs(
        &self,
        queries: Rows<'_>,
        rows: Rows<'_>,
        results: &mut [f32],
    ) -> Result<(), VectorError> {
        every_pair(queries, rows, results)?;
        // SAFETY: this table is only handed out on its own machine; the shapes were checked.
        unsafe { (self.dot_pairs)(queries, rows, results) };
        Ok(())
    }

    /// The squared distance of every query from every row, query by query.
    ///
    /// # Errors
    ///
    /// [`VectorError::DimensionMismatch`], or [`VectorError::WrongRoom`].
    pub fn squared_l2_pairs(
        &self,
        queries: Rows<'_>,
        rows: Rows<'_>,
        results: &mut [f32],
    ) -> Result<(), VectorError> {
        every_pair(queries, rows, results)?;
        // SAFETY: this table is only handed out on its own machine; the shapes were checked.
        unsafe { (self.squared_l2_pairs)(queries, rows, results) };
        Ok(())
    }
}

impl machine::Table for Kernels {
    fn machine(&self) -> Machine {
        self.machine
    }
}

impl fmt::Debug for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernels").field(&self.name).finish()
    }
}

fn same_dimensions(expected: usize, found: usize) -> Result<(), VectorError> {
    if expected == found {
        Ok(())
    } else {
        Err(VectorError::DimensionMismatch { expected, found })
    }
}

fn same_room(rows: usize, room: usize) -> Result<(), VectorError> {
    if rows == room {
        Ok(())
    } else {
        Err(VectorError::WrongRoom { rows, room })
    }
}

fn all_rows(query: &[f32], rows: Rows<'_>, results: &[f32]) -> Result<(), VectorError> {
    same_dimensions(rows.dimensions(), query.len())?;
    same_room(rows.len(), results.len())
}

fn every_pair(queries: Rows<'_>, rows: Rows<'_>, results: &[f32]) -> Result<(), VectorError> {
    same_dimensions(rows.dimensions(), queries.dimensions())?;
    same_room(queries.len().saturating_mul(rows.len()), results.len())
}

fn some_rows(
    query: &[f32],
    rows: Rows<'_>,
    places: &[u32],
    results: &[f32],
) -> Result<(), VectorError> {
    same_dimensions(rows.dimensions(), query.len())?;
    same_room(places.len(), results.len())?;
    // One pass over all places, which the compiler turns into wide comparisons.
    let last = places.iter().fold(0, |last, place| last.max(*place)) as usize;
    if !places.is_empty() && last >= rows.len() {
        return Err(VectorError::NoSuchRow {
            place: last,
            rows: rows.len(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
