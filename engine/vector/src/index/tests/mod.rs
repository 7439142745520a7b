//! The index from inside: what must hold of every slot and every link, whatever was done before.

mod bounds;
mod codes;
mod generations;
mod links;
mod meanwhile;
#[cfg(loom)]
mod models;
mod sound;
mod tender;

use super::{Index, Settings};
use crate::metric::Metric;
use crate::{Coding, Effort, Query};
use fastrand::Rng;

/// Vectors about some centres, which overlap.
struct Space {
    dimensions: usize,
    centres: Vec<f32>,
    shift: f32,
}

const CENTRES: usize = 40;

impl Space {
    fn new(random: &mut Rng, dimensions: usize) -> Self {
        Self {
            dimensions,
            centres: (0..CENTRES * dimensions).map(|_| normal(random)).collect(),
            shift: 0.0,
        }
    }

    fn vector(&self, random: &mut Rng) -> Vec<f32> {
        let centre = random.usize(..CENTRES) * self.dimensions;
        let centre = &self.centres[centre..centre + self.dimensions];
        let spread = 0.3 + random.f32();
        centre
            .iter()
            .map(|at| at + spread * normal(random) + self.shift)
            .collect()
    }
}

fn normal(random: &mut Rng) -> f32 {
    (0..6).map(|_| random.f32() - 0.5).sum()
}

fn settings(dimensions: usize, metric: Metric, coding: Coding) -> Settings {
    Settings::new(dimensions, metric)
        .coding(coding)
        .memory_limit(64 << 20)
}

/// Which share of the nearest ten a walk finds.
fn recall(index: &Index, space: &Space, breadth: usize) -> f64 {
    let mut random = Rng::with_seed(77);
    let (mut right, mut all) = (0, 0);
    for _ in 0..400 {
        let query = space.vector(&mut random);
        let search = |effort| {
            let answer = index
                .search(&Query::new(&query, 10).effort(effort))
                .unwrap();
            answer
                .hits
                .into_iter()
                .map(|hit| hit.id)
                .collect::<Vec<u64>>()
        };
        let (found, truth) = (search(Effort::Breadth(breadth)), search(Effort::Exact));
        right += truth.iter().filter(|id| found.contains(id)).count();
        all += truth.len();
    }
    right as f64 / all as f64
}

/// How often to do what is worth doing again; see `tests/shared/mod.rs`.
fn rounds() -> usize {
    let rounds = std::env::var("STRATIGRAPH_VECTOR_ROUNDS").ok();
    rounds.and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}
