#![expect(
    unsafe_code,
    reason = "what is compiled for a machine is called on that machine"
)]
//! A turn of the whole space that spreads what a vector holds evenly over its components.
//!
//! Embeddings have a few components that are far larger than the others, and which those are differs from
//! model to model. After the turn every component of every vector looks drawn from one normal
//! distribution, so that a few bits per component serve all models and nothing is learned from the data.
//! A turn changes no dot product and no distance.
//!
//! It is made of additions and one product per component, so that all machines get the same bits.

use crate::machine::{self, Machine};

/// How often signs are dealt and sums taken. Two turns leave a single large component visible; four do
/// not.
const ROUNDS: usize = 4;

/// A turn of a space of so many dimensions; the same one for the same number.
#[derive(Debug)]
pub(crate) struct Rotation {
    /// The sign bit of each component, if it changes, for each round.
    signs: [Vec<u32>; ROUNDS],
    /// The largest power of two that the dimensions have room for.
    span: usize,
    /// What undoes the growth of one transform.
    shrink: f32,
    turner: &'static Turner,
}

/// The turn compiled for one kind of machine. The wider its registers, the more sums it takes at once;
/// each sum is the same on all of them.
#[derive(Debug)]
struct Turner {
    machine: Machine,
    turn: unsafe fn(&Rotation, &mut [f32]),
}

impl machine::Table for Turner {
    fn machine(&self) -> Machine {
        self.machine
    }
}

macro_rules! turner {
    ($table:ident, $machine:ident $(, $features:literal)?) => {
        static $table: Turner = {
            $(#[target_feature(enable = $features)])?
            unsafe fn turn(rotation: &Rotation, vector: &mut [f32]) {
                rotation.turn_here(vector);
            }
            Turner {
                machine: Machine::$machine,
                turn,
            }
        };
    };
}

turner!(SCALAR, Scalar);
#[cfg(target_arch = "x86_64")]
turner!(AVX2, Avx2, "avx2");
#[cfg(target_arch = "x86_64")]
turner!(AVX512, Avx512, "avx512f");

impl Turner {
    fn best() -> &'static Self {
        machine::choose(&Self::available(), &SCALAR)
    }

    /// Those that run on this machine, the slowest first.
    fn available() -> Vec<&'static Self> {
        let mut found = vec![&SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                found.push(&AVX2);
            }
            if is_x86_feature_detected!("avx512f") {
                found.push(&AVX512);
            }
        }
        found
    }
}

impl Rotation {
    pub(crate) fn new(dimensions: usize) -> Self {
        let span = match dimensions {
            0 => 0,
            some => 1 << some.ilog2(),
        };
        let sign = |round: usize, place: usize| ((mix(place as u64) >> round & 1) as u32) << 31;
        let signs = |round| (0..dimensions).map(|place| sign(round, place)).collect();
        Self {
            signs: std::array::from_fn(signs),
            span,
            #[expect(clippy::cast_precision_loss, reason = "a power of two")]
            shrink: 1.0 / (span as f32).sqrt(),
            turner: Turner::best(),
        }
    }

    /// Turns a vector of the space.
    ///
    /// A transform needs a power of two, so the rounds take turns: the first components, then the last.
    /// Where they overlap, what one has spread the other spreads further.
    pub(crate) fn turn(&self, vector: &mut [f32]) {
        debug_assert_eq!(vector.len(), self.signs[0].len());
        // SAFETY: the table is one of this machine's.
        unsafe { (self.turner.turn)(self, vector) };
    }

    /// How long the difference between what [`turn`](Self::turn) gives and the true turn can be, as a share of
    /// the vector's length.
    ///
    /// A step of a transform is one addition per component: the difference it makes is at most 2^-24 of each
    /// result, and so of their length, and all that follows keeps lengths. What a round is divided by is a
    /// root and a quotient away from the truth, and multiplying rounds once more. Zeros, and numbers so small
    /// that products of them lose digits, are covered by whoever adds a little.
    pub(crate) fn rounding(&self) -> f64 {
        let steps = self.span.max(1).ilog2() + 3;
        // What products of these make together is far less than the part that is added.
        f64::from(u32::try_from(ROUNDS).unwrap_or(u32::MAX) * steps) * f64::from(f32::EPSILON) / 2.0
            * 1.01
    }

    #[inline(always)]
    fn turn_here(&self, vector: &mut [f32]) {
        let late = vector.len() - self.span;
        for (round, signs) in self.signs.iter().enumerate() {
            for (component, sign) in vector.iter_mut().zip(signs) {
                *component = f32::from_bits(component.to_bits() ^ sign);
            }
            let first = if round % 2 == 0 { 0 } else { late };
            let part = &mut vector[first..first + self.span];
            transform(part);
            for component in part {
                *component *= self.shrink;
            }
        }
    }
}

/// The Walsh-Hadamard transform of a power of two of numbers.
#[inline(always)]
fn transform(numbers: &mut [f32]) {
    let mut half = numbers.len() / 2;
    // The last three steps are within eight numbers that follow each other.
    let least = if numbers.len() < 8 { 0 } else { 4 };
    while half > least {
        for pair in numbers.chunks_exact_mut(2 * half) {
            let (left, right) = pair.split_at_mut(half);
            for (left, right) in left.iter_mut().zip(right) {
                (*left, *right) = (*left + *right, *left - *right);
            }
        }
        half /= 2;
    }
    if least > 0 {
        for eight in numbers.as_chunks_mut().0 {
            *eight = within_eight(*eight);
        }
    }
}

/// The transform of eight numbers.
#[inline(always)]
fn within_eight([a, b, c, d, e, f, g, h]: [f32; 8]) -> [f32; 8] {
    let (a, b, c, d, e, f, g, h) = (a + e, b + f, c + g, d + h, a - e, b - f, c - g, d - h);
    let (a, b, c, d, e, f, g, h) = (a + c, b + d, a - c, b - d, e + g, f + h, e - g, f - h);
    [a + b, a - b, c + d, c - d, e + f, e - f, g + h, g - h]
}

/// A number that looks random and depends on the place alone.
fn mix(place: u64) -> u64 {
    let mut mixed = place.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    fn dot(left: &[f32], right: &[f32]) -> f64 {
        let products = left.iter().zip(right);
        products.map(|(l, r)| f64::from(*l) * f64::from(*r)).sum()
    }

    #[test]
    fn a_turn_changes_no_dot_product() {
        let mut random = Rng::with_seed(1);
        for dimensions in [1, 2, 3, 7, 8, 100, 384, 768, 1000] {
            let rotation = Rotation::new(dimensions);
            let mut vector =
                || -> Vec<f32> { (0..dimensions).map(|_| random.f32() - 0.5).collect() };
            let (mut left, mut right) = (vector(), vector());
            let before = (dot(&left, &right), dot(&left, &left));
            rotation.turn(&mut left);
            rotation.turn(&mut right);
            let after = (dot(&left, &right), dot(&left, &left));
            assert!((before.0 - after.0).abs() < 1e-5 * before.1, "{dimensions}");
            assert!((before.1 - after.1).abs() < 1e-5 * before.1, "{dimensions}");
        }
    }

    #[test]
    fn every_machine_gets_the_same_bits() {
        let mut random = Rng::with_seed(2);
        for dimensions in [1, 5, 8, 31, 384, 1000, 1536] {
            let vector: Vec<f32> = (0..dimensions).map(|_| random.f32() - 0.5).collect();
            let turned = Turner::available().into_iter().map(|turner| {
                let mut vector = vector.clone();
                let rotation = Rotation {
                    turner,
                    ..Rotation::new(dimensions)
                };
                rotation.turn(&mut vector);
                vector
            });
            let turned: Vec<_> = turned.collect();
            assert!(turned.iter().all(|one| *one == turned[0]), "{dimensions}");
        }
    }

    #[test]
    fn one_large_component_is_spread_over_all() {
        for dimensions in [128, 384, 768, 1536] {
            let rotation = Rotation::new(dimensions);
            for place in (0..dimensions).step_by(7) {
                let mut vector = vec![0.0; dimensions];
                vector[place] = 1.0;
                rotation.turn(&mut vector);
                let largest = vector.iter().fold(0.0_f32, |most, one| most.max(one.abs()));
                // A normal distribution would have its largest of 1,536 near 3.4 deviations.
                let deviations = largest * (dimensions as f32).sqrt();
                assert!(deviations < 5.0, "{dimensions} {place}: {deviations}");
            }
        }
    }
}
