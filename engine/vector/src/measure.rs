//! How near vectors truly are, by all of their components.

use crate::error::{IndexError, VectorError};
use crate::kernel::{Kernels, cosine_of};
use crate::metric::Metric;

/// How near vectors truly are to a query: what an index says of its hits, for vectors that are in none.
///
/// ```
/// use stratigraph_vector::{Measure, Metric};
///
/// let measure = Measure::to(Metric::Euclidean, &[0.0, 3.0])?;
/// assert_eq!(measure.score(&[4.0, 0.0])?, 25.0);
/// assert!(measure.score(&[1.0]).is_err());
/// # Ok::<(), stratigraph_vector::IndexError>(())
/// ```
#[derive(Debug)]
pub struct Measure<'a> {
    kernels: &'static Kernels,
    metric: Metric,
    query: &'a [f32],
    square: f32,
}

impl<'a> Measure<'a> {
    /// Measures what is near to a vector.
    ///
    /// # Errors
    ///
    /// Those of [`Metric::check`].
    pub fn to(metric: Metric, query: &'a [f32]) -> Result<Self, IndexError> {
        metric.check(query.len(), query)?;
        Ok(Self::new(metric, query))
    }

    /// The cosine, the dot product or the square of the distance of a vector, as in
    /// [`Hit::score`](crate::Hit::score).
    ///
    /// # Errors
    ///
    /// [`IndexError::Vector`], if it has other dimensions.
    pub fn score(&self, row: &[f32]) -> Result<f32, IndexError> {
        if row.len() != self.query.len() {
            return Err(VectorError::DimensionMismatch {
                expected: self.query.len(),
                found: row.len(),
            }
            .into());
        }
        Ok(self.metric.score(self.far(row)))
    }

    /// For a query that was checked.
    pub(crate) fn new(metric: Metric, query: &'a [f32]) -> Self {
        let kernels = Kernels::best();
        Self {
            kernels,
            metric,
            query,
            square: kernels.square(query),
        }
    }

    /// How far a row is that has as many dimensions as the query. Lower is nearer, whatever the metric.
    pub(crate) fn far(&self, row: &[f32]) -> f32 {
        let far = match self.metric {
            Metric::Euclidean => self.kernels.squared_l2(self.query, row),
            Metric::Dot => self.kernels.dot(self.query, row).map(|dot| -dot),
            Metric::Cosine => self
                .kernels
                .dot_and_square(self.query, row)
                .map(|(dot, square)| {
                    let cosine = cosine_of(self.query, row, dot, [self.square, square]);
                    debug_assert!(cosine.is_some(), "what has no direction is refused");
                    -cosine.unwrap_or(-1.0)
                }),
        };
        debug_assert!(far.is_ok(), "both have the dimensions of the index");
        far.unwrap_or(f32::MAX)
    }
}
