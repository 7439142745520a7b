//! The rows of a matrix, and whether two of them are within `eps`.
//!
//! Scores are taken in single precision, sixteen lanes at a time, which is fast and can be wrong by
//! a little. So a score decides only where it is further from the limit than its error can be; in
//! between, the pair is measured again in double precision from the rows as they were given. The
//! answer is that of double precision, and equal rows have distance 0.
//!
//! Scores must stay symmetric to the bit, because `exact.rs` takes each pair once. Next: `exact.rs`.

use super::{DbscanError, RangeQuery};

/// How far apart two vectors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Metric {
    /// 1 less the cosine of the angle: 0 for one direction, 1 for a right angle, 2 for opposites.
    Cosine,
    /// The Euclidean distance.
    L2,
}

/// Sums that LLVM turns into vector registers without being asked to reorder anything.
const LANES: usize = 16;

/// The rows of a matrix, checked and made ready to compare.
#[derive(Debug, Clone)]
pub struct Vectors<'a> {
    metric: Metric,
    dimension: usize,
    given: &'a [f32],
    /// The rows (of length 1 for cosines), filled up with zeros to whole lanes.
    ready: Vec<f32>,
    /// Numbers per row of `ready`.
    stride: usize,
    /// The squared length of each row; empty for L2.
    squares: Vec<f64>,
}

impl<'a> Vectors<'a> {
    /// Takes `numbers` as rows of `dimension` numbers.
    ///
    /// # Errors
    ///
    /// [`DbscanError::Shape`], [`DbscanError::NotFinite`] for a row that holds anything but numbers,
    /// [`DbscanError::ZeroVector`] for a row whose cosine is not defined.
    pub fn new(numbers: &'a [f32], dimension: usize, metric: Metric) -> Result<Self, DbscanError> {
        if dimension == 0 || !numbers.len().is_multiple_of(dimension) {
            return Err(DbscanError::Shape {
                numbers: numbers.len(),
                dimension,
            });
        }
        let rows = numbers.len() / dimension;
        let stride = dimension.next_multiple_of(LANES);
        let mut ready = Vec::with_capacity(rows * stride);
        let mut squares = Vec::new();
        for (row, given) in numbers.chunks_exact(dimension).enumerate() {
            if let Some(&value) = given.iter().find(|value| !value.is_finite()) {
                return Err(DbscanError::NotFinite { row, value });
            }
            match metric {
                Metric::L2 => ready.extend_from_slice(given),
                Metric::Cosine => {
                    let square = precise_dot(given, given);
                    if square == 0.0 {
                        return Err(DbscanError::ZeroVector { row });
                    }
                    let length = square.sqrt();
                    ready.extend(given.iter().map(|&x| (f64::from(x) / length) as f32));
                    squares.push(square);
                }
            }
            ready.resize((row + 1) * stride, 0.0);
        }
        Ok(Self {
            metric,
            dimension,
            given: numbers,
            ready,
            stride,
            squares,
        })
    }

    /// How many numbers make a row, the filling included.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    fn ready(&self, row: usize) -> &[f32] {
        &self.ready[row * self.stride..][..self.stride]
    }

    fn given(&self, row: usize) -> &[f32] {
        &self.given[row * self.dimension..][..self.dimension]
    }

    /// Whether two rows are within the radius.
    #[inline]
    pub(super) fn near(&self, a: usize, b: usize, radius: &Radius) -> bool {
        let score = match self.metric {
            Metric::Cosine => -dot(self.ready(a), self.ready(b)),
            Metric::L2 => square_distance(self.ready(a), self.ready(b)),
        };
        score <= radius.surely_in || (score <= radius.unsure && self.precisely_near(a, b, radius))
    }

    #[cold]
    fn precisely_near(&self, a: usize, b: usize, radius: &Radius) -> bool {
        let (x, y) = (self.given(a), self.given(b));
        match self.metric {
            // The root of the product, and not the product of the roots: it is exact for equal rows.
            Metric::Cosine => {
                let lengths = (self.squares[a] * self.squares[b]).sqrt();
                1.0 - precise_dot(x, y) / lengths <= radius.eps
            }
            Metric::L2 => {
                let pairs = x.iter().zip(y);
                let square: f64 = pairs
                    .map(|(&x, &y)| (f64::from(x) - f64::from(y)).powi(2))
                    .sum();
                square <= radius.eps * radius.eps
            }
        }
    }

    /// The radius `eps` in terms of scores.
    pub(super) fn radius(&self, eps: f32) -> Radius {
        // A lane takes a term per step and is summed with the others at the end. Each addition, the
        // product before it and the rounding of the rows err by half of EPSILON at most, relative
        // to the sum of absolute terms; counting each as a whole one and adding some is plenty.
        let error = (self.stride / LANES + LANES) as f64 * f64::from(f32::EPSILON);
        let eps = f64::from(eps);
        let (limit, margin) = match self.metric {
            // Terms sum to 1 at most.
            Metric::Cosine => (eps - 1.0, error),
            // Terms are positive, so the error is relative to the sum; squares may vanish, though.
            Metric::L2 => {
                let vanishing = self.stride as f64 * f64::from(f32::MIN_POSITIVE);
                (eps * eps, eps * eps * error + vanishing)
            }
        };
        Radius {
            eps,
            // A score may overflow, so an infinite one is never trusted to be near ...
            surely_in: (limit - margin).min(f64::from(f32::MAX)) as f32,
            // ... and, where the limit overflows too, not to be far either.
            unsure: (limit + margin) as f32,
        }
    }
}

/// The limit between near and far.
pub(super) struct Radius {
    eps: f64,
    /// Scores up to this are near.
    surely_in: f32,
    /// Scores up to this may be near; those above are far.
    unsure: f32,
}

impl RangeQuery for Vectors<'_> {
    fn rows(&self) -> usize {
        self.given.len() / self.dimension
    }

    fn within(&self, row: usize, eps: f32, out: &mut Vec<u32>) -> crate::error::Result<()> {
        let radius = self.radius(eps);
        let others = (0..self.rows()).filter(|&other| self.near(row, other, &radius));
        out.extend(others.map(|other| other as u32));
        Ok(())
    }
}

/// Sums `term` over pairs of numbers, lane by lane. The lengths are whole lanes.
#[inline(always)]
fn sum_in_lanes(a: &[f32], b: &[f32], term: impl Fn(f32, f32) -> f32) -> f32 {
    let mut sums = [0.0; LANES];
    for (a, b) in a
        .as_chunks::<LANES>()
        .0
        .iter()
        .zip(b.as_chunks::<LANES>().0)
    {
        for lane in 0..LANES {
            sums[lane] += term(a[lane], b[lane]);
        }
    }
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
        half /= 2;
    }
    sums[0]
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    sum_in_lanes(a, b, |a, b| a * b)
}

fn square_distance(a: &[f32], b: &[f32]) -> f32 {
    sum_in_lanes(a, b, |a, b| (a - b) * (a - b))
}

fn precise_dot(a: &[f32], b: &[f32]) -> f64 {
    let pairs = a.iter().zip(b);
    pairs.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}
