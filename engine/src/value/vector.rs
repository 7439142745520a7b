//! Embeddings: finite `f32` numbers of a fixed count.
//!
//! A vector with a NaN or an infinity in it has no distance to anything and would poison the index
//! that holds it, so there is no such [`Vector`].
//!
//! Next: `ordered.rs` and `record.rs` for its bytes.

use std::cmp::Ordering;
use std::sync::Arc;

use thiserror::Error;

/// At least one number, at most [`Vector::MAX_DIMENSION`], all finite.
#[derive(Clone, Debug)]
pub struct Vector(Arc<[f32]>);

/// Why some numbers are no vector.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BadVector {
    /// There are no numbers.
    #[error("a vector needs at least one number")]
    Empty,
    /// There are too many.
    #[error("a vector has at most {max} numbers, not {found}")]
    TooLong {
        /// How many there are.
        found: usize,
        /// How many there may be.
        max: usize,
    },
    /// One of them is a NaN or an infinity.
    #[error("number {index} of the vector is {found}, which is not finite")]
    NotFinite {
        /// Its place, from 0.
        index: usize,
        /// What stands there.
        found: f32,
    },
}

impl Vector {
    /// The most numbers a vector has.
    pub const MAX_DIMENSION: usize = 65_536;

    /// Checks the numbers and takes them.
    ///
    /// # Errors
    ///
    /// [`BadVector`].
    pub fn new(numbers: impl Into<Arc<[f32]>>) -> Result<Self, BadVector> {
        let numbers = numbers.into();
        if numbers.is_empty() {
            return Err(BadVector::Empty);
        }
        if numbers.len() > Self::MAX_DIMENSION {
            return Err(BadVector::TooLong {
                found: numbers.len(),
                max: Self::MAX_DIMENSION,
            });
        }
        // Looking at all of them without a way out is what the compiler turns into SIMD.
        let all_finite = numbers
            .iter()
            .fold(true, |all, number| all & number.is_finite());
        if all_finite {
            return Ok(Self(numbers));
        }
        let mut places = numbers.iter().enumerate();
        let first = places.find(|(_, number)| !number.is_finite());
        let (index, found) = first.map_or((0, f32::NAN), |(index, found)| (index, *found));
        Err(BadVector::NotFinite { index, found })
    }

    /// How many numbers there are.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.0.len()
    }

    /// The numbers.
    #[must_use]
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// The numbers, as they are shared.
    pub(super) fn shared(&self) -> &Arc<[f32]> {
        &self.0
    }

    /// The order of vectors: by dimension, then number by number, -0 being 0.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.dimension().cmp(&other.dimension()).then_with(|| {
            let numbers = self.0.iter().zip(other.0.iter());
            numbers
                .map(|(left, right)| (left + 0.0).total_cmp(&(right + 0.0)))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        })
    }
}
