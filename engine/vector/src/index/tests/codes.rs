//! A code depends on its vector alone, however often it is made and wherever it went.

use super::{Space, recall, settings};
use crate::coding::Code;
use crate::graph::score::{Scorer, Scores};
use crate::measure::Measure;
use crate::{Coding, Index, Metric};
use fastrand::Rng;

/// All that is kept of a slot's vector to walk by.
fn stored(index: &Index, slot: u32) -> (Vec<u8>, Vec<u8>, u32, u32) {
    let blocks = &index.graph.blocks;
    let (scale, square) = (blocks.scale(slot), blocks.square(slot));
    (
        blocks.code(slot).to_vec(),
        blocks.low_half(slot).to_vec(),
        scale.to_bits(),
        square.to_bits(),
    )
}

// Three tests, which the processors share.
#[test]
fn a_code_made_again_has_the_same_bits_by_cosine() {
    a_code_made_again_has_the_same_bits(Metric::Cosine);
}

#[test]
fn a_code_made_again_has_the_same_bits_by_dot() {
    a_code_made_again_has_the_same_bits(Metric::Dot);
}

#[test]
fn a_code_made_again_has_the_same_bits_by_euclidean() {
    a_code_made_again_has_the_same_bits(Metric::Euclidean);
}

fn a_code_made_again_has_the_same_bits(metric: Metric) {
    for coding in [Coding::Halves, Coding::Bytes, Coding::Whole] {
        let mut random = Rng::with_seed(3);
        let space = Space::new(&mut random, 37);
        let index = settings(37, metric, coding).build().unwrap();
        let vectors: Vec<Vec<f32>> = (0..1500).map(|_| space.vector(&mut random)).collect();
        let write = |sequence| {
            for (id, vector) in vectors.iter().enumerate() {
                index.insert(sequence, id as u64, vector).unwrap();
            }
            index.tend(sequence);
        };
        write(1);
        let codes = || -> Vec<_> {
            (0..1500)
                .map(|id| stored(&index, index.slot(id).unwrap()))
                .collect()
        };
        let first = codes();
        // Each time from the originals, into other slots.
        for sequence in 2..8 {
            write(sequence);
            assert_eq!(codes(), first, "{metric:?} {coding:?}");
        }
        let mut code = Code::default();
        let mut again = Code::default();
        for vector in &vectors {
            index.graph.blocks.coder.encode(vector, &mut code).unwrap();
            index.graph.blocks.coder.encode(vector, &mut again).unwrap();
            assert_eq!(code, again);
        }
    }
}

#[test]
fn no_vector_differs_from_its_own_code() {
    for metric in [Metric::Cosine, Metric::Dot, Metric::Euclidean] {
        for coding in [Coding::Halves, Coding::Bytes, Coding::Whole] {
            let mut random = Rng::with_seed(6);
            // Of so many components some lie beyond the outermost cell, on either side.
            let space = Space::new(&mut random, 384);
            let index = settings(384, metric, coding).build().unwrap();
            let vectors: Vec<Vec<f32>> = (0..200).map(|_| space.vector(&mut random)).collect();
            for (id, vector) in vectors.iter().enumerate() {
                index.insert(1, id as u64, vector).unwrap();
            }
            for (id, vector) in vectors.iter().enumerate() {
                let differs = index.differs(1, id as u64, vector);
                assert_eq!(differs, None, "{metric:?} {coding:?} {id}");
                let another = &vectors[(id + 1) % vectors.len()];
                let differs = index.differs(1, id as u64, another);
                assert!(differs.is_some(), "{metric:?} {coding:?} {id}");
            }
        }
    }
}

#[test]
fn recall_stays_when_all_that_comes_is_elsewhere() {
    for (metric, coding) in [
        (Metric::Cosine, Coding::Halves),
        (Metric::Euclidean, Coding::Bytes),
        (Metric::Dot, Coding::Bytes),
    ] {
        let mut random = Rng::with_seed(4);
        let mut space = Space::new(&mut random, 64);
        let index = settings(64, metric, coding).build().unwrap();
        let mut sequence = 0;
        for generation in 0..12 {
            // All move to one side, and what they are about changes as well.
            space.shift = generation as f32 * 0.1;
            if generation % 4 == 3 {
                let shift = space.shift;
                space = Space::new(&mut random, 64);
                space.shift = shift;
            }
            for id in 0..500 {
                sequence += 1;
                index
                    .insert(
                        sequence,
                        generation % 6 * 500 + id,
                        &space.vector(&mut random),
                    )
                    .unwrap();
            }
            index.tend(sequence);
            index.assert_sound();
            let recall = recall(&index, &space, 64);
            println!("{metric:?} {coding:?}, generation {generation}: {recall}");
            assert!(
                recall >= 0.93,
                "{metric:?} {coding:?}, generation {generation}: {recall}"
            );
        }
    }
}

/// The deviation of some differences from their mean.
fn deviation(differences: &[f32]) -> f32 {
    let count = differences.len() as f32;
    let mean = differences.iter().sum::<f32>() / count;
    let squares = differences.iter().map(|one| (one - mean).powi(2));
    (squares.sum::<f32>() / count).sqrt()
}

#[test]
fn codes_lose_about_as_much_as_is_said() {
    let mut random = Rng::with_seed(5);
    for (dimensions, coding) in [
        (384, Coding::Halves),
        (100, Coding::Halves),
        (100, Coding::Bytes),
    ] {
        for metric in [Metric::Cosine, Metric::Dot, Metric::Euclidean] {
            let space = Space::new(&mut random, dimensions);
            let index = settings(dimensions, metric, coding).build().unwrap();
            let vectors: Vec<Vec<f32>> = (0..1000).map(|_| space.vector(&mut random)).collect();
            for (id, vector) in vectors.iter().enumerate() {
                index.insert(1, id as u64, vector).unwrap();
            }
            let slots: Vec<u32> = (0..1000).collect();
            let (mut code, mut scores) = (Code::default(), Scores::default());
            for _ in 0..10 {
                let query = space.vector(&mut random);
                let blocks = &index.graph.blocks;
                blocks.coder.encode(&query, &mut code).unwrap();
                let scorer = Scorer::new(blocks, &code);
                scorer.far(&slots, &mut scores);
                let half = scores.far.clone();
                scorer.far_by_all_bits(&slots, &mut scores);
                let measure = Measure::new(metric, &query);
                let lost = scores.far.iter().zip(&vectors);
                let lost: Vec<f32> = lost.map(|(far, row)| measure.far(row) - far).collect();
                let by_half = half.iter().zip(&scores.far);
                let by_half: Vec<f32> = by_half.map(|(half, all)| all - half).collect();
                let said = scorer.noise(&slots);
                for (found, said) in [
                    (deviation(&by_half), said.half),
                    (deviation(&lost), said.all_bits),
                ] {
                    // The longest vector speaks for all, and where all are as long it is just about that.
                    assert!(
                        found <= 1.3 * said,
                        "{coding:?} {metric:?}: {found} of {said}"
                    );
                    assert!(
                        metric != Metric::Cosine || found >= 0.5 * said,
                        "{coding:?}: {found} of {said}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_was_removed_since_was_there() {
    let mut random = Rng::with_seed(7);
    let space = Space::new(&mut random, 16);
    let index = settings(16, Metric::Cosine, Coding::Halves)
        .build()
        .unwrap();
    let vector = space.vector(&mut random);
    index.insert(1, 5, &vector).unwrap();
    index.remove(2, 5).unwrap();
    assert_eq!(index.differs(1, 5, &vector), None);
    assert_eq!(index.differs(2, 5, &vector), Some("is not there"));
    assert_eq!(index.differs(1, 6, &vector), Some("is not there"));
}
