//! What it means for two vectors to be near.

use crate::error::{IndexError, VectorError};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The longest vector that is compared by its length: its square and its products are far from infinite.
pub(crate) const LONGEST: f64 = 1e18;

/// How two vectors are compared. A database stores it by the place of its variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// The cosine of the angle between them; higher is nearer.
    Cosine,
    /// Their dot product; higher is nearer.
    Dot,
    /// The square of their Euclidean distance; lower is nearer.
    Euclidean,
}

impl Metric {
    /// Refuses a vector that has not so many dimensions, or that cannot be compared: an index would.
    ///
    /// # Errors
    ///
    /// [`IndexError::Vector`], [`IndexError::NotFinite`], [`IndexError::NoDirection`] or
    /// [`IndexError::TooLong`].
    pub fn check(self, dimensions: usize, vector: &[f32]) -> Result<(), IndexError> {
        self.length(dimensions, vector).map(|_| ())
    }

    /// The length of a vector that can be compared.
    pub(crate) fn length(self, dimensions: usize, vector: &[f32]) -> Result<f64, IndexError> {
        if vector.len() != dimensions {
            return Err(VectorError::DimensionMismatch {
                expected: dimensions,
                found: vector.len(),
            }
            .into());
        }
        // In f64, so that neither the smallest nor the largest vector loses its length.
        let square = square(vector);
        if !square.is_finite() {
            // No square of a finite component is too large for an f64.
            let place = vector.iter().position(|component| !component.is_finite());
            let place = place.unwrap_or_default();
            let value = vector[place].to_string();
            return Err(IndexError::NotFinite { place, value });
        }
        let length = square.sqrt();
        match self {
            Self::Cosine if length == 0.0 => Err(IndexError::NoDirection),
            Self::Dot | Self::Euclidean if length > LONGEST => Err(IndexError::TooLong {
                length: format!("{length:e}"),
            }),
            _ => Ok(length),
        }
    }

    /// The score of what is so far away.
    pub(crate) fn score(self, far: f32) -> f32 {
        // Never a negative zero, which would not print as it compares.
        match self {
            Self::Cosine | Self::Dot => -far + 0.0,
            Self::Euclidean => far + 0.0,
        }
    }

    /// Whether a score is as good as a limit. Nothing is as good as what is no number.
    #[must_use]
    pub fn reaches(self, score: f32, limit: f32) -> bool {
        match self {
            Self::Cosine | Self::Dot => score >= limit,
            Self::Euclidean => score <= limit,
        }
    }

    /// Which of two scores comes first: that of the nearer one.
    #[must_use]
    pub fn order(self, left: f32, right: f32) -> Ordering {
        match self {
            Self::Cosine | Self::Dot => right.total_cmp(&left),
            Self::Euclidean => left.total_cmp(&right),
        }
    }
}

/// The square of a vector's length, in sums that do not wait for each other.
fn square(vector: &[f32]) -> f64 {
    let mut sums = [0.0; 8];
    let (eights, rest) = vector.as_chunks::<8>();
    for eight in eights {
        for (sum, component) in sums.iter_mut().zip(eight) {
            *sum += f64::from(*component) * f64::from(*component);
        }
    }
    let rest: f64 = rest.iter().map(|one| f64::from(*one).powi(2)).sum();
    sums.iter().sum::<f64>() + rest
}
