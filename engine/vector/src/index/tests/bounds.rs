//! Bounds by codes hold for every vector and every query, however they were chosen, and are not far from what
//! they must be.

use super::{Space, normal, rounds, settings};
use crate::coding::Code;
use crate::graph::bounds::{Between, Bounds};
use crate::graph::score::{Scorer, Scores};
use crate::kernel::{Kernels, cosine_of};
use crate::{Coding, Index, Metric};
use fastrand::Rng;

/// Kinds of vectors, each with its own way to be difficult.
const KINDS: u32 = 11;

/// Vectors of one kind; a metric may refuse some of them.
fn vector(random: &mut Rng, space: &Space, kind: u32) -> Vec<f32> {
    let dimensions = space.dimensions;
    let times = |vector: Vec<f32>, by: f32| vector.into_iter().map(|one| one * by).collect();
    match kind {
        0 => space.vector(random),
        // Huge and tiny ones, some of whose squares do not fit.
        1 => times(space.vector(random), 10.0_f32.powi(random.i32(-17..=17))),
        2 => times(space.vector(random), 10.0_f32.powi(random.i32(-37..=37))),
        // Hardly any digits.
        3 => times(space.vector(random), 1e-44),
        4 => {
            let mut one = vec![0.0; dimensions];
            one[random.usize(..dimensions)] = if random.bool() { 1.0 } else { -3e15 };
            one
        }
        5 => (0..dimensions)
            .map(|_| {
                if random.u8(..20) == 0 {
                    normal(random)
                } else {
                    0.0
                }
            })
            .collect(),
        6 => vec![random.f32() - 0.5; dimensions],
        // Of very different components.
        7 => (0..dimensions)
            .map(|_| normal(random) * 10.0_f32.powi(random.i32(-8..=8)))
            .collect(),
        8 => (0..dimensions)
            .map(|at| if at % 2 == 0 { 1.0 } else { -1.0 })
            .collect(),
        // Nearly the same.
        9 => (0..dimensions)
            .map(|_| 1.0 + f32::EPSILON * f32::from(random.u8(..4)))
            .collect(),
        _ => (0..dimensions)
            .map(|_| f32::from_bits(random.u32(..)))
            .map(|one| if one.is_finite() { one } else { 1.0 })
            .collect(),
    }
}

fn truth(kernels: &Kernels, metric: Metric, query: &[f32], row: &[f32]) -> f64 {
    let dot = kernels.dot(query, row).unwrap();
    let score = match metric {
        Metric::Cosine => {
            let squares = [kernels.square(query), kernels.square(row)];
            cosine_of(query, row, dot, squares).unwrap()
        }
        _ => dot,
    };
    f64::from(score)
}

/// An index of these vectors, as far as it takes them.
fn index_of(
    (dimensions, metric, coding): (usize, Metric, Coding),
    vectors: &mut Vec<Vec<f32>>,
) -> Index {
    let index = settings(dimensions, metric, coding).build().unwrap();
    vectors.retain(|vector| metric.check(dimensions, vector).is_ok());
    for (id, vector) in vectors.iter().enumerate() {
        index.insert(1, id as u64, vector).unwrap();
    }
    index
}

/// What bounds say of all slots, by half of their codes and by all bits.
fn bounds(index: &Index, query: &[f32]) -> Option<Vec<[Between; 2]>> {
    let blocks = &index.graph.blocks;
    let mut code = Code::default();
    let length = blocks.coder.check(query).unwrap();
    blocks.coder.encode_query(query, length, &mut code);
    let bounds = Bounds::new(blocks, &code, length)?;
    let scorer = Scorer::new(blocks, &code);
    let mut scores = Scores::default();
    let slots: Vec<u32> = (0..index.used()).collect();
    let high = scorer.sums(&slots, &mut scores).to_vec();
    let low = scorer.low_sums(&slots, &mut scores);
    let both = slots.iter().map(|slot| {
        let at = *slot as usize;
        let sum = low.get(at).map_or(high[at], |low| 16 * high[at] + low);
        let by_half = bounds.by_half(*slot, high[at]);
        [by_half, bounds.by_all_bits(*slot, sum)]
    });
    Some(both.collect())
}

#[test]
fn no_true_score_is_ever_outside() {
    let (mut bounded, mut all) = (0, 0);
    for seed in 0..(60 * rounds() as u64) {
        let mut random = Rng::with_seed(seed);
        let dimensions = match seed % 3 {
            0 => random.usize(1..20),
            1 => random.usize(20..300),
            _ => random.usize(300..=1536),
        };
        let space = Space::new(&mut random, dimensions);
        let coding = [Coding::Halves, Coding::Bytes][random.usize(..2)];
        let metric = [Metric::Cosine, Metric::Dot][random.usize(..2)];
        let mut vectors: Vec<Vec<f32>> = (0..66)
            .map(|at| vector(&mut random, &space, at % KINDS))
            .collect();
        let index = index_of((dimensions, metric, coding), &mut vectors);
        for at in 0..2 * KINDS {
            // Also one of the vectors, and its opposite.
            let query: Vec<f32> = match random.u8(..4) {
                0 => random.choice(vectors.iter()).unwrap().clone(),
                1 => {
                    let one = random.choice(vectors.iter()).unwrap().iter();
                    one.map(|component| -component).collect()
                }
                _ => vector(&mut random, &space, at % KINDS),
            };
            if metric.check(dimensions, &query).is_err() {
                continue;
            }
            let Some(bounds) = bounds(&index, &query) else {
                continue;
            };
            for kernels in Kernels::available() {
                for (slot, row) in vectors.iter().enumerate() {
                    let score = truth(kernels, metric, &query, row);
                    for between in bounds[slot] {
                        all += 1;
                        bounded += usize::from(between != Between::ANYWHERE);
                        assert!(
                            between.least <= score && score <= between.most,
                            "seed {seed}, {metric:?} {coding:?} {dimensions}, slot {slot}: {score} in {between:?}"
                        );
                    }
                }
            }
        }
    }
    assert!(bounded * 2 > all, "{bounded} of {all} are bounded");
}

#[test]
fn a_query_that_is_what_a_code_leaves_out_comes_close_to_the_bound() {
    let mut random = Rng::with_seed(9);
    let (mut half, mut whole) = (0.0_f64, 0.0_f64);
    for dimensions in [40, 64, 200] {
        let space = Space::new(&mut random, dimensions);
        let mut vectors: Vec<Vec<f32>> = (0..40).map(|_| space.vector(&mut random)).collect();
        let index = index_of((dimensions, Metric::Cosine, Coding::Halves), &mut vectors);
        let coder = &index.graph.blocks.coder;
        // What the turn makes of each axis; turned back it is the other way round.
        let turned: Vec<Vec<f32>> = (0..dimensions)
            .map(|axis| {
                let mut vector = vec![0.0; dimensions];
                vector[axis] = 1.0;
                coder.rotation.turn(&mut vector);
                vector
            })
            .collect();
        let back = |vector: &[f64]| -> Vec<f32> {
            let dot = |axis: &Vec<f32>| {
                let products = axis.iter().zip(vector);
                products.map(|(a, b)| f64::from(*a) * b).sum::<f64>() as f32
            };
            turned.iter().map(dot).collect()
        };
        for (slot, row) in vectors.iter().enumerate() {
            let mut code = Code::default();
            coder.encode(row, &mut code).unwrap();
            let value = |byte: u8| (f64::from(byte) - 127.5) * coder.half_step();
            let both = code.components.iter().zip(&code.stored);
            let by_all = both
                .clone()
                .map(|(one, byte)| f64::from(*one) - value(*byte));
            let by_half =
                both.map(|(_, byte)| value(*byte) - value(byte & 0xf0) - 7.5 * coder.half_step());
            for (left, most, at) in [
                (by_half.collect::<Vec<f64>>(), &mut half, 0),
                (by_all.collect(), &mut whole, 1),
            ] {
                let query = back(&left);
                let score = truth(Kernels::best(), Metric::Cosine, &query, row);
                let between = bounds(&index, &query).unwrap()[slot][at];
                assert!(between.least <= score && score <= between.most);
                let (middle, width) = (
                    (between.least + between.most) / 2.0,
                    (between.most - between.least) / 2.0,
                );
                *most = most.max((score - middle).abs() / width);
            }
        }
    }
    // With bounds of half the width these would be outside.
    assert!(half > 0.5, "by half of a code {half} of its bound");
    assert!(whole > 0.5, "by all bits {whole} of its bound");
}

#[test]
fn bounds_are_narrow() {
    let mut random = Rng::with_seed(10);
    for (dimensions, coding, half, whole) in [
        (384, Coding::Halves, 0.14, 0.024),
        (768, Coding::Halves, 0.15, 0.026),
        (128, Coding::Bytes, 0.02, 0.02),
    ] {
        let space = Space::new(&mut random, dimensions);
        let mut vectors: Vec<Vec<f32>> = (0..300).map(|_| space.vector(&mut random)).collect();
        let index = index_of((dimensions, Metric::Cosine, coding), &mut vectors);
        let bounds = bounds(&index, &space.vector(&mut random)).unwrap();
        let width = |at: usize| {
            let widths = bounds.iter().map(|both| both[at].most - both[at].least);
            widths.sum::<f64>() / 2.0 / bounds.len() as f64
        };
        println!("{dimensions} {coding:?}: {} {}", width(0), width(1));
        assert!(width(0) < half, "{dimensions} {coding:?}: {}", width(0));
        assert!(width(1) < whole, "{dimensions} {coding:?}: {}", width(1));
    }
}
