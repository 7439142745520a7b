//! A matrix of vectors as it lies in memory: rows of equal length, a fixed distance apart.
//!
//! It only looks at numbers that somebody else holds, and it must never hand out a row that is not
//! wholly inside them: the kernels read its rows through pointers.

use crate::error::VectorError;

/// Rows of equal length in one slice of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    values: &'a [f32],
    dimensions: usize,
    stride: usize,
    count: usize,
}

impl<'a> Rows<'a> {
    /// Rows that follow each other without a gap.
    ///
    /// # Errors
    ///
    /// [`VectorError::BadShape`] if the numbers do not make whole rows.
    pub fn new(values: &'a [f32], dimensions: usize) -> Result<Self, VectorError> {
        Self::with_stride(values, dimensions, dimensions)
    }

    /// Rows that start `stride` numbers apart, so that each may be padded to a cache line or share
    /// its block with other things. The last one may end without its padding.
    ///
    /// # Errors
    ///
    /// [`VectorError::BadShape`] if rows would overlap, have no dimension, or end in the middle.
    pub fn with_stride(
        values: &'a [f32],
        dimensions: usize,
        stride: usize,
    ) -> Result<Self, VectorError> {
        let bad = VectorError::BadShape {
            values: values.len(),
            dimensions,
            stride,
        };
        if dimensions == 0 || stride < dimensions {
            return Err(bad);
        }
        let whole = values.len() / stride;
        let count = match values.len() % stride {
            0 => whole,
            rest if rest == dimensions => whole + 1,
            _ => return Err(bad),
        };
        Ok(Self {
            values,
            dimensions,
            stride,
            count,
        })
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many numbers a row has.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How far apart rows start.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// The numbers, with whatever lies between the rows.
    pub(crate) fn values(&self) -> &'a [f32] {
        self.values
    }

    /// One row, or nothing if there is no such place.
    #[must_use]
    pub fn row(&self, place: usize) -> Option<&'a [f32]> {
        let start = place.checked_mul(self.stride)?;
        self.values.get(start..start.checked_add(self.dimensions)?)
    }

    /// The `count` rows from `first` on, or nothing if there are not so many.
    #[must_use]
    pub fn part(&self, first: usize, count: usize) -> Option<Self> {
        if first.checked_add(count)? > self.count {
            return None;
        }
        let start = first * self.stride;
        let end = (start + count * self.stride).min(self.values.len());
        Some(Self {
            values: self.values.get(start..end)?,
            count,
            ..*self
        })
    }
}
