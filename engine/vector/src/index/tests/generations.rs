//! An index in which much has come and gone is as good as a new one.

use super::{Space, recall, rounds, settings};
use crate::{Coding, Index, Metric};
use fastrand::Rng;

/// An index in which ids of one generation go and others come.
struct Lives {
    random: Rng,
    space: Space,
    index: Index,
    living: Vec<(u64, Vec<f32>)>,
    sequence: u64,
    next: u64,
}

impl Lives {
    fn new(seed: u64, metric: Metric, coding: Coding) -> Self {
        let mut random = Rng::with_seed(seed);
        Self {
            space: Space::new(&mut random, 24),
            index: settings(24, metric, coding).breadth(64).build().unwrap(),
            living: Vec::new(),
            sequence: 0,
            next: 0,
            random,
        }
    }

    fn insert(&mut self, count: usize) {
        for _ in 0..count {
            let vector = self.space.vector(&mut self.random);
            self.sequence += 1;
            self.next += 1;
            self.index
                .insert(self.sequence, self.next, &vector)
                .unwrap();
            self.living.push((self.next, vector));
        }
    }

    fn remove(&mut self, count: usize) {
        for _ in 0..count {
            let (id, _) = self
                .living
                .swap_remove(self.random.usize(..self.living.len()));
            self.sequence += 1;
            assert!(self.index.remove(self.sequence, id).unwrap());
        }
    }

    fn tend(&self) {
        self.index.tend(self.sequence);
        self.index.assert_sound();
    }

    /// An index of what lives now in which nothing ever died.
    fn anew(&self) -> Index {
        let settings = self.index.settings.clone();
        let index = settings.build().unwrap();
        for (id, vector) in &self.living {
            index.insert(1, *id, vector).unwrap();
        }
        index.tend(1);
        index
    }

    fn compare(&self, what: &str) {
        let anew = self.anew();
        for breadth in [48, 32, 24] {
            let (old, new) = (
                recall(&self.index, &self.space, breadth),
                recall(&anew, &self.space, breadth),
            );
            println!("{what}: {old} at {breadth}, {new} in a new one");
            assert!(
                old >= new - 0.01,
                "{what}: {old} at {breadth}, but {new} in a new one"
            );
        }
    }
}

const KINDS: [(Metric, Coding); 3] = [
    (Metric::Cosine, Coding::Halves),
    (Metric::Euclidean, Coding::Bytes),
    (Metric::Dot, Coding::Whole),
];

#[test]
fn a_hundred_generations_leave_it_as_good_as_new() {
    for (seed, (metric, coding)) in KINDS.into_iter().enumerate() {
        let mut lives = Lives::new(seed as u64, metric, coding);
        let count = 3000 * rounds();
        lives.insert(count);
        lives.tend();
        for _ in 0..100 {
            lives.remove(count / 100);
            lives.insert(count / 100);
            lives.tend();
        }
        lives.compare(&format!("seed {seed}, {metric:?} {coding:?}"));
    }
}

#[test]
fn with_half_of_it_gone_it_is_as_good_as_new() {
    for (seed, (metric, coding)) in KINDS.into_iter().enumerate() {
        let mut lives = Lives::new(10 + seed as u64, metric, coding);
        let count = 5000 * rounds();
        lives.insert(count);
        lives.tend();
        lives.remove(count / 2);
        lives.tend();
        lives.compare(&format!("seed {seed}, {metric:?} {coding:?}"));
    }
}

#[test]
fn all_may_go_and_others_come_again_and_again() {
    for (seed, (metric, coding)) in KINDS.into_iter().enumerate() {
        let mut lives = Lives::new(20 + seed as u64, metric, coding);
        for stays in [0, 1, 2, 20, 0, 500, 1] {
            lives.insert(1500);
            lives.tend();
            // Not all that die are taken out at once.
            let count = lives.living.len() - stays;
            lives.remove(count / 3);
            lives.tend();
            lives.remove(count - count / 3);
            if stays % 2 == 0 {
                lives.tend();
            }
        }
        lives.insert(3000);
        lives.tend();
        lives.compare(&format!("seed {seed}, {metric:?} {coding:?}"));
    }
}
