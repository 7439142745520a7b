//! From a vector to its code: one byte per dimension, and the number it is to be multiplied by.
//!
//! Every vector has its own scale, so that nothing is learned from the data and nothing has to be
//! learned again when the data changes: a code depends on its vector alone.

use crate::error::{IndexError, VectorError};
use crate::kernel::Kernels;
use crate::metric::Metric;

/// What a stored code's bytes are above the numbers they stand for.
const OFFSET: i32 = 128;

/// A vector's code: `scale` times each number is about the component.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Code {
    /// From -127 to 127.
    pub(crate) numbers: Vec<i8>,
    pub(crate) scale: f32,
    /// The square of the length of what the code stands for.
    pub(crate) square: f32,
}

impl Code {
    /// Encodes a vector, which must be one that the metric can compare.
    pub(crate) fn encode(
        &mut self,
        vector: &[f32],
        metric: Metric,
        dimensions: usize,
    ) -> Result<(), IndexError> {
        if vector.len() != dimensions {
            let found = vector.len();
            let expected = dimensions;
            return Err(VectorError::DimensionMismatch { expected, found }.into());
        }
        if let Some(place) = vector.iter().position(|component| !component.is_finite()) {
            let value = vector[place].to_string();
            return Err(IndexError::NotFinite { place, value });
        }
        let largest = vector
            .iter()
            .fold(0.0_f32, |most, component| most.max(component.abs()));
        if largest == 0.0 && metric == Metric::Cosine {
            return Err(IndexError::NoDirection);
        }
        // In f64, so that neither the smallest nor the largest vector loses its direction.
        let factor = if largest > 0.0 {
            127.0 / f64::from(largest)
        } else {
            0.0
        };
        self.numbers.clear();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "from -127 to 127 by construction"
        )]
        let numbers = vector
            .iter()
            .map(|component| (f64::from(*component) * factor).round() as i8);
        self.numbers.extend(numbers);
        let square: i64 = self
            .numbers
            .iter()
            .map(|number| i64::from(*number).pow(2))
            .sum();
        #[expect(
            clippy::cast_precision_loss,
            reason = "below 2^31, far below where f64 rounds"
        )]
        let length = (square as f64).sqrt();
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a scale needs no more than f32"
        )]
        if metric == Metric::Cosine {
            // The code itself is given length one: it is the direction of what is stored.
            self.scale = (1.0 / length) as f32;
            self.square = 1.0;
        } else {
            self.scale = (f64::from(largest) / 127.0) as f32;
            self.square = (f64::from(largest) / 127.0 * length).powi(2) as f32;
        }
        Ok(())
    }

    /// The code as it is stored.
    pub(crate) fn stored(&self) -> impl Iterator<Item = u8> + '_ {
        self.numbers
            .iter()
            .map(|number| number.wrapping_add(i8::MIN).cast_unsigned())
    }

    /// What a stored code's offset adds to its dot product with this one.
    pub(crate) fn offset(&self) -> i32 {
        OFFSET
            * self
                .numbers
                .iter()
                .map(|number| i32::from(*number))
                .sum::<i32>()
    }

    /// Takes a stored code as the one to compare with.
    pub(crate) fn load(&mut self, stored: &[u8], scale: f32, square: f32) {
        self.numbers.clear();
        let numbers = stored
            .iter()
            .map(|byte| byte.cast_signed().wrapping_add(i8::MIN));
        self.numbers.extend(numbers);
        self.scale = scale;
        self.square = square;
    }
}

/// The score of a whole vector with another by the metric.
pub(crate) fn exact(
    kernels: &Kernels,
    metric: Metric,
    left: &[f32],
    right: &[f32],
) -> Result<Option<f32>, VectorError> {
    match metric {
        Metric::Cosine => kernels.cosine(left, right),
        Metric::Dot => kernels.dot(left, right).map(Some),
        Metric::Euclidean => kernels.squared_l2(left, right).map(Some),
    }
}
