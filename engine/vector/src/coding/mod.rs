//! From a vector to what an index keeps of it to walk by.
//!
//! A code depends on its vector alone: nothing is learned from the data, so nothing has to be learned
//! again when the data changes, and encoding a vector anew gives the same bytes on any machine.

mod lost;
mod rotation;

use crate::codes::halves;
use crate::error::IndexError;
use crate::metric::Metric;
pub(crate) use lost::Lost;
use rotation::Rotation;
use serde::{Deserialize, Serialize};

/// What of a vector is kept where walks pass by. A database stores it by the place of its variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coding {
    /// Eight bits per dimension in two halves: walks read the high ones, and the low ones only decide
    /// among what was found. The fastest where vectors have some hundred dimensions.
    Halves,
    /// Eight bits per dimension in one piece.
    Bytes,
    /// The vector itself, as `f32`. Nothing is looked at twice, but it takes four to eight times the memory.
    Whole,
}

/// From so many dimensions on, four bits per dimension tell near from far well enough to walk by.
const MANY_DIMENSIONS: usize = 200;
/// The width of one of 16 cells that lose least of a normal distribution, in its deviations.
pub(crate) const CELL: f64 = 0.36;
/// The deviation of what a normal distribution has beyond the outermost of those cells, 8 of them away.
pub(crate) const CLIPPED: f32 = 0.025;

impl Coding {
    /// The one that is best for vectors of so many dimensions.
    #[must_use]
    pub fn best_for(dimensions: usize) -> Self {
        if dimensions >= MANY_DIMENSIONS {
            Self::Halves
        } else {
            Self::Bytes
        }
    }
}

/// Encodes the vectors of one index.
#[derive(Debug)]
pub(crate) struct Coder {
    pub(crate) coding: Coding,
    pub(crate) metric: Metric,
    pub(crate) dimensions: usize,
    pub(crate) rotation: Rotation,
}

/// A vector as it is stored and as it is compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Code {
    /// A number from -127 to 127 per dimension, zeros up to a whole group; none in a whole vector.
    pub(crate) numbers: Vec<i8>,
    /// About the component, divided by its number.
    pub(crate) unit: f32,
    /// The components: turned, unless the vector is kept whole.
    pub(crate) components: Vec<f32>,
    /// The bits of each dimension, offset included; none in a whole vector.
    pub(crate) stored: Vec<u8>,
    /// What a dot product with the stored numbers is to be multiplied by.
    pub(crate) scale: f32,
    /// The square of its length, where that must be added to be compared.
    pub(crate) square: f32,
    /// What of it is not in what is stored.
    pub(crate) lost: Lost,
}

impl Code {
    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        let bytes = self.numbers.capacity() + self.stored.capacity();
        bytes + self.components.capacity() * size_of::<f32>()
    }
}

impl Coder {
    pub(crate) fn new(coding: Coding, metric: Metric, dimensions: usize) -> Self {
        Self {
            coding,
            metric,
            dimensions,
            rotation: Rotation::new(dimensions),
        }
    }

    /// Refuses what cannot be compared by the metric. Returns the vector's length.
    pub(crate) fn check(&self, vector: &[f32]) -> Result<f64, IndexError> {
        self.metric.length(self.dimensions, vector)
    }

    /// Encodes a vector that the metric can compare, to be stored and to be compared with others.
    pub(crate) fn encode(&self, vector: &[f32], code: &mut Code) -> Result<(), IndexError> {
        let length = self.check(vector)?;
        self.encode_query(vector, length, code);
        match self.coding {
            Coding::Halves => {
                let cells = 16.0 / self.cell();
                let cell = |one: &f32| low_byte((one * cells + 127.5).clamp(0.0, 255.0));
                code.stored.extend(code.components.iter().map(cell));
            }
            Coding::Bytes => {
                let numbers = code.numbers.iter();
                let stored = numbers.map(|number| number.wrapping_add(i8::MIN).cast_unsigned());
                code.stored.extend(stored);
            }
            Coding::Whole => {}
        }
        code.lost = self.lost(code);
        Ok(())
    }

    /// The same, without what would be stored, of a vector whose length [`Coder::check`] has found.
    pub(crate) fn encode_query(&self, vector: &[f32], length: f64, code: &mut Code) {
        code.numbers.clear();
        code.stored.clear();
        code.components.clear();
        let (length, shrink) = match self.metric {
            Metric::Cosine => (1.0, 1.0 / length),
            Metric::Dot | Metric::Euclidean if length > 0.0 => (length, 1.0 / length),
            Metric::Dot | Metric::Euclidean => (0.0, 0.0),
        };
        if self.coding == Coding::Whole {
            let grow = if self.metric == Metric::Cosine {
                shrink
            } else {
                1.0
            };
            let components = vector.iter().map(|one| narrow(f64::from(*one) * grow));
            code.components.extend(components);
            (code.unit, code.scale, code.square) = (0.0, 1.0, 0.0);
            return;
        }
        let direction = vector.iter().map(|one| narrow(f64::from(*one) * shrink));
        code.components.extend(direction);
        self.rotation.turn(&mut code.components);
        let largest = largest(&code.components);
        let grow = if largest > 0.0 { 127.0 / largest } else { 0.0 };
        let numbers = code.components.iter();
        code.numbers
            .extend(numbers.map(|one| low_byte(one * grow).cast_signed()));
        code.unit = largest / 127.0 * narrow(length);
        code.square = narrow(length * length);
        code.scale = match self.coding {
            Coding::Halves => {
                code.numbers.resize(halves::padded(self.dimensions), 0);
                narrow(length) * self.cell()
            }
            Coding::Bytes | Coding::Whole => code.unit,
        };
    }

    /// The width of one of the 16 cells that a component of a vector of length one falls in.
    pub(crate) fn cell(&self) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "fewer dimensions than that")]
        narrow(CELL / (self.dimensions as f64).sqrt())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "f32 is what is wanted")]
pub(crate) fn narrow(number: f64) -> f32 {
    number as f32
}

/// The lowest byte of the nearest whole number to one below 2^22. A cast would look for what cannot be
/// there, one number after the other.
#[inline(always)]
fn low_byte(number: f32) -> u8 {
    /// From here on, the last bit of a number is worth one.
    const ONES: f32 = 12_582_912.0;
    (number + ONES).to_bits().to_le_bytes()[0]
}

/// The size of the largest component, in portions that do not wait for each other.
pub(crate) fn largest(components: &[f32]) -> f32 {
    let larger = |most: f32, one: f32| if one.abs() > most { one.abs() } else { most };
    let (portions, rest) = components.as_chunks::<16>();
    let mut most = [0.0; 16];
    for portion in portions {
        for (most, one) in most.iter_mut().zip(portion) {
            *most = larger(*most, *one);
        }
    }
    rest.iter().chain(&most).copied().fold(0.0, larger)
}
