//! What the tests of the index share: vectors, a seed that is printed when a test fails, and how long to run.
//!
//! `STRATIGRAPH_VECTOR_ROUNDS` multiplies what the long ones do; with 20 they do what `reliability.md` asks for.

#![allow(dead_code, reason = "each test takes a part of this")]

pub(crate) mod model;

use fastrand::Rng;
use stratigraph_vector::{Coding, Metric};

pub(crate) const METRICS: [Metric; 3] = [Metric::Cosine, Metric::Dot, Metric::Euclidean];
pub(crate) const CODINGS: [Coding; 3] = [Coding::Halves, Coding::Bytes, Coding::Whole];

/// How often to do what is worth doing again.
pub(crate) fn rounds() -> u64 {
    let rounds = std::env::var("STRATIGRAPH_VECTOR_ROUNDS").ok();
    rounds.and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}

/// Says what was going on when a test fails.
pub(crate) struct Told(pub(crate) String);

impl Drop for Told {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed in: {}", self.0);
        }
    }
}

/// Vectors about some centres, which overlap: an index of plain noise proves nothing.
pub(crate) struct Space {
    pub(crate) dimensions: usize,
    centres: Vec<f32>,
    /// How far from the origin all of it is.
    shift: f32,
}

const CENTRES: usize = 40;

impl Space {
    pub(crate) fn new(random: &mut Rng, dimensions: usize) -> Self {
        Self {
            dimensions,
            centres: (0..CENTRES * dimensions).map(|_| normal(random)).collect(),
            shift: 0.0,
        }
    }

    /// The same, elsewhere.
    pub(crate) fn shifted(mut self, shift: f32) -> Self {
        self.shift = shift;
        self
    }

    pub(crate) fn vector(&self, random: &mut Rng) -> Vec<f32> {
        let centre = random.usize(..CENTRES) * self.dimensions;
        let centre = &self.centres[centre..centre + self.dimensions];
        let spread = 0.3 + random.f32();
        let vector = centre
            .iter()
            .map(|at| at + spread * normal(random) + self.shift);
        vector.collect()
    }

    pub(crate) fn vectors(&self, random: &mut Rng, count: usize) -> Vec<Vec<f32>> {
        (0..count).map(|_| self.vector(random)).collect()
    }
}

/// About a normal deviate.
pub(crate) fn normal(random: &mut Rng) -> f32 {
    (0..6).map(|_| random.f32() - 0.5).sum()
}
