//! The rows of a matrix, and whether two of them are within `eps`.
//!
//! Scores are taken in single precision by the kernels of `stratigraph-vector`, many pairs a call,
//! which is fast and can be wrong by a little. So a score decides only where it is further from the
//! limit than its error can be; in between, the pair is measured again in double precision from the
//! rows as they were given. The answer is that of double precision, whatever the kernels add first,
//! and equal rows have distance 0.
//!
//! Next: `tiles.rs`, which asks about blocks of rows.

use super::tiles::{BLOCK, Tile, places};
use super::{DbscanError, RangeQuery};
use std::ops::Range;
use stratigraph_vector::{Kernels, Rows};

/// How far apart two vectors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Metric {
    /// 1 less the cosine of the angle: 0 for one direction, 1 for a right angle, 2 for opposites.
    Cosine,
    /// The Euclidean distance.
    L2,
}

/// How many sums the kernels run side by side. Rows are filled up to whole ones and start at a cache
/// line, since a read across two lines costs as much as two.
const LANES: usize = 16;
const LINE_BYTES: usize = LANES * size_of::<f32>();

/// The rows of a matrix, checked and made ready to compare.
#[derive(Debug, Clone)]
pub struct Vectors<'a> {
    metric: Metric,
    dimension: usize,
    given: &'a [f32],
    /// The rows (of length 1 for cosines), filled up with zeros to whole lanes.
    ready: Vec<f32>,
    /// Where they start in `ready`.
    start: usize,
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
        let mut ready: Vec<f32> = Vec::with_capacity(rows * stride + LANES);
        // Where there is no such place they start anywhere, which is only slower.
        let start = match ready.as_ptr().align_offset(LINE_BYTES) {
            start @ ..LANES => start,
            _ => 0,
        };
        ready.resize(start, 0.0);
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
            ready.resize(start + (row + 1) * stride, 0.0);
        }
        Ok(Self {
            metric,
            dimension,
            given: numbers,
            ready,
            start,
            stride,
            squares,
        })
    }

    /// These rows as the kernels take them.
    fn ready(&self, rows: Range<usize>) -> Rows<'_> {
        let [start, end] = [rows.start, rows.end].map(|row| self.start + row * self.stride);
        Rows::new(&self.ready[start..end], self.stride).expect("rows are whole")
    }

    fn given(&self, row: usize) -> &[f32] {
        &self.given[row * self.dimension..][..self.dimension]
    }

    /// Which of `others` are within the radius of each of `rows`; at most a block of either.
    pub(super) fn near_rows(
        &self,
        rows: Range<usize>,
        others: Range<usize>,
        radius: &Radius,
    ) -> Tile {
        let mut scores = [0.0; BLOCK * BLOCK];
        let scores = &mut scores[..rows.len() * others.len()];
        let (kernels, ready) = (Kernels::best(), self.ready(rows.clone()));
        match self.metric {
            Metric::Cosine => kernels.dot_pairs(ready, self.ready(others.clone()), scores),
            Metric::L2 => kernels.squared_l2_pairs(ready, self.ready(others.clone()), scores),
        }
        .expect("all rows have one length");
        let mut near = [0; BLOCK];
        let of_rows = scores.chunks_exact_mut(others.len());
        for ((row, near), scores) in rows.zip(&mut near).zip(of_rows) {
            self.turn(scores);
            // Most rows are far from a whole block, which takes no branch to see.
            let any = (scores.iter()).fold(false, |any, score| any | (*score <= radius.unsure));
            if any {
                for (bit, (other, score)) in others.clone().zip(scores).enumerate() {
                    *near |= u64::from(self.near(row, other, *score, radius)) << bit;
                }
            }
        }
        near
    }

    /// Which of the `wanted` among `others` are within the radius of a row.
    pub(super) fn near_some(
        &self,
        row: usize,
        others: Range<usize>,
        wanted: u64,
        radius: &Radius,
    ) -> u64 {
        let (mut those, mut scores) = ([0; BLOCK], [0.0; BLOCK]);
        let mut count = 0;
        for (those, place) in those.iter_mut().zip(places(wanted)) {
            *those = place as u32;
            count += 1;
        }
        let (those, scores) = (&those[..count], &mut scores[..count]);
        let (kernels, ready) = (Kernels::best(), self.ready(others.clone()));
        let query = &self.ready[self.start + row * self.stride..][..self.stride];
        match self.metric {
            Metric::Cosine => kernels.dot_gathered(query, ready, those, scores),
            Metric::L2 => kernels.squared_l2_gathered(query, ready, those, scores),
        }
        .expect("all rows have one length, and those wanted are among them");
        self.turn(scores);
        let decided = those.iter().zip(scores).map(|(place, score)| {
            let other = others.start + *place as usize;
            u64::from(self.near(row, other, *score, radius)) << place
        });
        decided.fold(0, |near, bit| near | bit)
    }

    /// Turns what the kernels say into scores, of which less is nearer.
    fn turn(&self, scores: &mut [f32]) {
        if self.metric == Metric::Cosine {
            scores.iter_mut().for_each(|score| *score = -*score);
        }
    }

    /// Whether two rows with this score are within the radius.
    #[inline]
    fn near(&self, a: usize, b: usize, score: f32, radius: &Radius) -> bool {
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
        // A lane takes a term per step and is summed with the others at the end. Each step, the
        // difference before it and the rounding of the rows err by half of EPSILON at most, relative
        // to the sum of absolute terms; counting each as a whole one and adding some is plenty. It
        // would be for a step that rounds twice, too.
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
        for start in (0..self.rows()).step_by(BLOCK) {
            let others = start..self.rows().min(start + BLOCK);
            let [near, ..] = self.near_rows(row..row + 1, others, &radius);
            out.extend(places(near).map(|place| (start + place) as u32));
        }
        Ok(())
    }
}

fn precise_dot(a: &[f32], b: &[f32]) -> f64 {
    let pairs = a.iter().zip(b);
    pairs.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}
