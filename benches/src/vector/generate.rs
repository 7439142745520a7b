//! Vectors that are as hard to search as those of sentences.
//!
//! Points around many centres in a space of few dimensions, bent into many by two random layers with a
//! `tanh` between them, with a little noise. How many the few are decides how hard it is: plain clusters
//! are far too easy, every graph finds them at once. [`latent`] was set so that hnswlib with 16 links
//! reaches recall 0.94 to 0.97 with a list of 48, which is what it reaches on sentences; every run
//! prints what it is.

use anyhow::Result;
use std::f64::consts::TAU;
use stratigraph_vector::{Kernels, Rows};

const CENTRES: usize = 200;
const HIDDEN: usize = 256;
const NOISE: f32 = 0.05;
const THREADS: usize = 2;

/// What is generated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recipe {
    pub(crate) rows: usize,
    pub(crate) dims: usize,
    pub(crate) latent: usize,
    pub(crate) seed: u64,
}

/// How many dimensions the points really have. More rows lie closer to each other, hence harder; into
/// how many dimensions they are bent makes no difference.
pub(crate) fn latent(rows: usize) -> usize {
    match rows {
        ..40_000 => 26,
        40_000..75_000 => 24,
        75_000..300_000 => 22,
        _ => 18,
    }
}

/// Rows of length one, one after another. Each has a random number generator of its own, so that the
/// number of threads decides nothing.
pub(crate) fn generate(recipe: Recipe) -> Result<Vec<f32>> {
    let net = Net::new(recipe);
    let mut values = vec![0.0; recipe.rows * recipe.dims];
    let rows_each = recipe.rows.div_ceil(THREADS).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = values
            .chunks_mut(rows_each * recipe.dims)
            .enumerate()
            .map(|(part, values)| {
                let net = &net;
                scope.spawn(move || net.fill(part * rows_each, values))
            })
            .collect();
        parts.into_iter().try_for_each(|part| {
            part.join()
                .unwrap_or_else(|_| anyhow::bail!("a generating thread panicked"))
        })
    })?;
    Ok(values)
}

/// The two layers, each row of them what makes one number of its output.
struct Net {
    recipe: Recipe,
    centres: Vec<f32>,
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Net {
    fn new(recipe: Recipe) -> Self {
        let mut normal = Normal::new(recipe.seed, u64::MAX);
        let mut many = |count: usize, scale: f32| -> Vec<f32> {
            (0..count).map(|_| normal.next() * scale).collect()
        };
        let latent = recipe.latent;
        Self {
            recipe,
            centres: many(CENTRES * latent, 0.6),
            // 1.2: far enough into the bends of `tanh`.
            first: many(HIDDEN * latent, 1.2 / (latent as f32).sqrt()),
            second: many(recipe.dims * HIDDEN, 1.0 / (HIDDEN as f32).sqrt()),
        }
    }

    /// The rows from `start` on.
    fn fill(&self, start: usize, values: &mut [f32]) -> Result<()> {
        let Recipe { dims, latent, .. } = self.recipe;
        let kernels = Kernels::best();
        let first = Rows::new(&self.first, latent)?;
        let second = Rows::new(&self.second, HIDDEN)?;
        let mut point = vec![0.0; latent];
        let mut hidden = vec![0.0; HIDDEN];
        for (number, row) in values.chunks_exact_mut(dims).enumerate() {
            let mut normal = Normal::new(self.recipe.seed, (start + number) as u64);
            let centre = normal.random.usize(..CENTRES) * latent;
            for (coordinate, centre) in point.iter_mut().zip(&self.centres[centre..]) {
                *coordinate = centre + normal.next();
            }
            kernels.dot_rows(&point, first, &mut hidden)?;
            hidden.iter_mut().for_each(|value| *value = value.tanh());
            kernels.dot_rows(&hidden, second, row)?;
            row.iter_mut()
                .for_each(|value| *value += NOISE * normal.next());
            let length = kernels.norm(row);
            row.iter_mut().for_each(|value| *value /= length);
        }
        Ok(())
    }
}

/// Normally distributed numbers, made two at a time.
struct Normal {
    random: fastrand::Rng,
    second: Option<f32>,
}

impl Normal {
    /// One stream of many that share a seed.
    fn new(seed: u64, stream: u64) -> Self {
        let mut seeds = fastrand::Rng::with_seed(seed);
        let mixed = seeds.u64(..) ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self {
            random: fastrand::Rng::with_seed(mixed),
            second: None,
        }
    }

    fn next(&mut self) -> f32 {
        if let Some(second) = self.second.take() {
            return second;
        }
        // 1 - x: the logarithm of 0 would not be a number.
        let length = (-2.0 * (1.0 - self.random.f64()).ln()).sqrt();
        let angle = TAU * self.random.f64();
        self.second = Some((length * angle.sin()) as f32);
        (length * angle.cos()) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Recipe = Recipe {
        rows: 301,
        dims: 24,
        latent: 8,
        seed: 7,
    };

    #[test]
    fn a_seed_makes_the_same_rows_however_they_are_shared_out() {
        let whole = generate(SMALL).unwrap();
        assert_eq!(generate(SMALL).unwrap(), whole);
        let mut alone = vec![0.0; 24 * 10];
        Net::new(SMALL).fill(290, &mut alone).unwrap();
        assert_eq!(alone, whole[24 * 290..24 * 300]);
        let other = generate(Recipe { seed: 8, ..SMALL }).unwrap();
        assert_ne!(other, whole);
    }

    #[test]
    fn rows_have_length_one_and_differ() {
        let rows = generate(SMALL).unwrap();
        let mut seen = std::collections::HashSet::new();
        for row in rows.chunks_exact(24) {
            let length: f32 = row.iter().map(|value| value * value).sum();
            assert!((length - 1.0).abs() < 1e-5, "{length}");
            assert!(seen.insert(row.iter().map(|value| value.to_bits()).collect::<Vec<_>>()));
        }
    }

    #[test]
    fn numbers_are_normally_distributed() {
        let mut normal = Normal::new(1, 2);
        let numbers: Vec<f64> = (0..100_000).map(|_| f64::from(normal.next())).collect();
        let mean = numbers.iter().sum::<f64>() / 1e5;
        let square = numbers.iter().map(|number| number * number).sum::<f64>() / 1e5;
        let fourth = numbers.iter().map(|number| number.powi(4)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.02 && (square - 1.0).abs() < 0.02 && (fourth - 3.0).abs() < 0.2);
    }
}
