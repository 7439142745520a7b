//! Our kernels against numkong's, which share no line with them: it adds `f32` products up in `f64`,
//! so it is as good as exact where we round.
//!
//! How far we may be away follows from what we do: each fused multiply-add and each of the four
//! halvings rounds once, by 2^-24 of the sum, which is never larger than the sum of the terms' sizes;
//! and below 2^-126 by 2^-149 at most.

use fastrand::Rng;
use numkong::{Angular, Dot, Euclidean};
use stratigraph_vector::halves::{self, HalfKernels};
use stratigraph_vector::{CodeKernels, Kernels};

const ROUNDING: f64 = 1.0 / (1 << 24) as f64;
/// The smallest step between two `f32`.
const STEP: f64 = f32::from_bits(1) as f64;

/// Where numbers are drawn from.
#[derive(Clone, Copy, Debug)]
enum Draw {
    Plain,
    /// Too small for a normal number.
    Denormal,
    /// Their products are too small for a normal number, and some for any.
    Small,
    /// The sums of their squares come close to the largest number or go beyond it.
    Large,
    /// All sizes at once.
    Mixed,
}

impl Draw {
    const ALL: [Self; 5] = [
        Self::Plain,
        Self::Denormal,
        Self::Small,
        Self::Large,
        Self::Mixed,
    ];

    fn number(self, rng: &mut Rng) -> f32 {
        let plain = rng.f32() - 0.5;
        match self {
            Self::Plain => plain,
            Self::Denormal => f32::from_bits(rng.u32(..1 << 23)).copysign(plain),
            Self::Small => plain * 10_f32.powi(rng.i32(-24..-17)),
            Self::Large => plain * 10_f32.powi(rng.i32(15..20)),
            Self::Mixed => plain * 10_f32.powi(rng.i32(-30..15)),
        }
    }

    fn vector(self, rng: &mut Rng, dimensions: usize) -> Vec<f32> {
        (0..dimensions).map(|_| self.number(rng)).collect()
    }
}

fn lengths() -> impl Iterator<Item = usize> {
    (1..200).chain([
        255, 256, 257, 383, 384, 385, 767, 768, 769, 1023, 1535, 1537, 3001,
    ])
}

fn pairs(seed: u64) -> impl Iterator<Item = (String, Vec<f32>, Vec<f32>)> {
    let mut rng = Rng::with_seed(seed);
    lengths().flat_map(move |dimensions| {
        let mut pair = |draw: Draw| {
            let (left, right) = (
                draw.vector(&mut rng, dimensions),
                draw.vector(&mut rng, dimensions),
            );
            (format!("seed {seed} {draw:?} {dimensions}"), left, right)
        };
        Draw::ALL.map(&mut pair)
    })
}

/// The sum of the terms' sizes.
fn size(left: &[f32], right: &[f32], term: impl Fn(f64, f64) -> f64) -> f64 {
    let terms = left.iter().zip(right);
    terms
        .map(|(l, r)| term(f64::from(*l), f64::from(*r)).abs())
        .sum()
}

/// How far a sum of so many terms may be off. `each` is how often a term is rounded before.
fn off_by(size: f64, dimensions: usize, each: f64) -> f64 {
    let roundings = dimensions as f64 / 16.0 + 5.0 + each;
    1.01 * roundings * ROUNDING * size + (dimensions as f64 + 4.0) * STEP
}

/// Compares where no part of the sum can have been too large, and says whether it did.
fn near(found: f32, exact: f64, size: f64, off_by: f64, case: &str) -> bool {
    if size > f64::from(f32::MAX) {
        return false;
    }
    let found = f64::from(found);
    assert!(
        (found - exact).abs() <= off_by,
        "{case}: {found:e}, numkong {exact:e}, may be off by {off_by:e}"
    );
    true
}

#[test]
fn dot() {
    for kernels in Kernels::available() {
        let (mut compared, mut cases) = (0, 0);
        for (case, left, right) in pairs(1) {
            let case = format!("{} {case}", kernels.name());
            let exact = f32::dot(&left, &right).unwrap();
            let size = size(&left, &right, |l, r| l * r);
            let off_by = off_by(size, left.len(), 0.0);
            let found = kernels.dot(&left, &right).unwrap();
            compared += usize::from(near(found, exact, size, off_by, &case));
            cases += 1;
        }
        assert!(compared * 10 > cases * 8, "{compared} of {cases}");
    }
}

#[test]
fn squared_l2() {
    for kernels in Kernels::available() {
        let (mut compared, mut cases) = (0, 0);
        for (case, left, right) in pairs(2) {
            let case = format!("{} {case}", kernels.name());
            let exact = f32::sqeuclidean(&left, &right).unwrap();
            let size = size(&left, &right, |l, r| (l - r) * (l - r));
            // The difference is rounded, and then multiplied with itself.
            let off_by = off_by(size, left.len(), 2.0);
            let found = kernels.squared_l2(&left, &right).unwrap();
            compared += usize::from(near(found, exact, size, off_by, &case));
            if size > 1.001 * f64::from(f32::MAX) {
                assert_eq!(found, f32::INFINITY, "{case}");
                assert_eq!(exact as f32, f32::INFINITY, "{case}");
            }
            cases += 1;
        }
        assert!(compared * 10 > cases * 8, "{compared} of {cases}");
    }
}

#[test]
fn cosine() {
    for kernels in Kernels::available() {
        let (mut compared, mut without, mut cases) = (0, 0, 0);
        for (case, left, right) in pairs(3) {
            let case = format!("{} {case}", kernels.name());
            cases += 1;
            let exact = 1.0 - f32::cosine(&left, &right).unwrap();
            let found = kernels.cosine(&left, &right).unwrap();
            let parts = [(&left, &right), (&left, &left), (&right, &right)].map(|(l, r)| {
                let size = size(l, r, |l, r| l * r);
                (size, off_by(size, l.len(), 0.0))
            });
            let [
                (_, dot_off_by),
                (left_square, left_off_by),
                (right_square, right_off_by),
            ] = parts;
            let unsure = left_off_by / left_square + right_off_by / right_square;
            let Some(found) = found else {
                // A square that `f32` takes for zero.
                without += 1;
                let least = left_square.min(right_square);
                assert!(least <= left_off_by.max(right_off_by), "{case}: none");
                continue;
            };
            assert!((-1.0..=1.0).contains(&found), "{case}: {found}");
            // Where squares overflow the sum is one of f64, which only does it more exactly.
            let off_by = dot_off_by / (left_square.sqrt() * right_square.sqrt())
                + unsure * exact.abs()
                + 2.0 * ROUNDING;
            if unsure < 0.25 {
                let found = f64::from(found);
                let difference = (found - exact).abs();
                assert!(
                    difference <= off_by,
                    "{case}: {found}, numkong {exact}, may be off by {off_by:e}"
                );
                compared += 1;
            }
        }
        assert!(compared * 10 > cases * 7, "{compared} of {cases}");
        assert!(without * 10 > cases, "{without} of {cases}");
    }
}

/// A sum of one sign that is too large is infinite for us, and numkong says that it is too large.
#[test]
fn what_overflows_is_infinite() {
    for kernels in Kernels::available() {
        for dimensions in lengths() {
            let vector = vec![3e19_f32; dimensions];
            let other: Vec<f32> = vector.iter().map(|number| -number).collect();
            for (right, infinite) in [(&vector, f32::INFINITY), (&other, f32::NEG_INFINITY)] {
                let exact = f32::dot(&vector, right).unwrap();
                assert!(exact.abs() > f64::from(f32::MAX));
                assert_eq!(kernels.dot(&vector, right).unwrap(), infinite);
                // The cosine goes another way and stays right.
                let cosine = kernels.cosine(&vector, right).unwrap();
                assert_eq!(cosine, Some(1_f32.copysign(infinite)));
            }
            assert_eq!(kernels.squared_l2(&vector, &other).unwrap(), f32::INFINITY);
        }
    }
}

/// One number that is none, at any place: any NaN becomes the one NaN, there is no cosine, and what
/// is infinite stays so. Here numkong only shows that the question makes sense.
#[test]
fn what_is_no_number_stays_none() {
    let mut rng = Rng::with_seed(5);
    for kernels in Kernels::available() {
        for dimensions in lengths() {
            let right = Draw::Plain.vector(&mut rng, dimensions);
            let place = rng.usize(..dimensions);
            for odd in [
                f32::NAN,
                -f32::NAN,
                f32::from_bits(0x7f80_0001),
                f32::INFINITY,
                f32::NEG_INFINITY,
            ] {
                let case = format!("{} {dimensions} {odd} at {place}", kernels.name());
                let mut left = Draw::Plain.vector(&mut rng, dimensions);
                left[place] = odd;
                let want = if odd.is_nan() {
                    f32::NAN
                } else {
                    odd * right[place]
                };
                let found = kernels.dot(&left, &right).unwrap();
                assert_eq!(found.to_bits(), want.to_bits(), "{case}");
                let theirs = f32::dot(&left, &right).unwrap();
                assert!(!theirs.is_finite(), "{case}: {theirs}");
                let want = if odd.is_nan() {
                    f32::NAN
                } else {
                    f32::INFINITY
                };
                let found = kernels.squared_l2(&left, &right).unwrap();
                assert_eq!(found.to_bits(), want.to_bits(), "{case}");
                assert_eq!(kernels.cosine(&left, &right).unwrap(), None, "{case}");
                assert_eq!(kernels.cosine(&right, &left).unwrap(), None, "{case}");
            }
        }
    }
}

/// Numbers that are extreme half of the time.
fn signed(rng: &mut Rng, dimensions: usize, least: i8) -> Vec<i8> {
    let draw = |rng: &mut Rng| match rng.u8(..4) {
        0 => least,
        1 => i8::MAX,
        _ => rng.i8(least..),
    };
    (0..dimensions).map(|_| draw(rng)).collect()
}

#[test]
fn codes() {
    let mut rng = Rng::with_seed(6);
    for dimensions in lengths() {
        let (query, stored) = (
            signed(&mut rng, dimensions, -127),
            signed(&mut rng, dimensions, -127),
        );
        let want = i8::dot(&query, &stored).unwrap();
        let code: Vec<u8> = stored.iter().map(|n| n.cast_unsigned() ^ 0x80).collect();
        let offset: i32 = query.iter().map(|number| i32::from(*number)).sum();
        for kernels in CodeKernels::available() {
            let found = kernels.dot(&query, &code).unwrap() - 128 * offset;
            assert_eq!(found, want, "{} {dimensions}", kernels.name());
        }
    }
}

#[test]
fn half_codes() {
    let mut rng = Rng::with_seed(7);
    for dimensions in lengths() {
        let mut query = signed(&mut rng, dimensions, -127);
        let nibbles: Vec<i8> = (0..dimensions).map(|_| rng.i8(..16)).collect();
        let nibbles: Vec<i8> = nibbles.into_iter().map(|nibble| nibble & 15).collect();
        let want = i8::dot(&query, &nibbles).unwrap();
        query.resize(halves::padded(dimensions), 0);
        let mut row = vec![0; halves::packed_bytes(dimensions)];
        halves::pack(
            nibbles.iter().map(|nibble| nibble.cast_unsigned()),
            &mut row,
        );
        for kernels in HalfKernels::available() {
            let found = kernels.dot(&query, &row).unwrap();
            assert_eq!(found, want, "{} {dimensions}", kernels.name());
        }
    }
}
