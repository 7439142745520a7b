//! DBSCAN by comparing all pairs, block by block, twice.
//!
//! The first round finds the cores, the second joins them and gives each border row its lowest core.
//! Nothing is kept of the pairs in between, so memory grows with the rows and never with the pairs;
//! the second round skips every pair that can tell it nothing new, which in dense clusters is nearly
//! all. A block of rows stays in the cache while another passes by it.
//!
//! Next: `expand.rs`, which comes to the same by asking one row at a time.

use super::sets::Sets;
use super::spread::spread;
use super::vectors::{Radius, Vectors};
use super::{Clusters, DbscanOptions, Density, NONE, RangeQuery};
use crate::error::Result;
use crate::storage::cancel::Watch;
use std::ops::Range;

/// Numbers in a block: 128 KiB, so that two blocks fit the second cache of any processor.
const BLOCK_NUMBERS: usize = 32 * 1024;

/// The rows in blocks.
struct Blocks<'v> {
    vectors: &'v Vectors<'v>,
    radius: Radius,
    rows: usize,
    /// Rows per block.
    size: usize,
}

impl Blocks<'_> {
    fn count(&self) -> usize {
        self.rows.div_ceil(self.size)
    }

    fn rows_of(&self, block: usize) -> Range<usize> {
        block * self.size..self.rows.min((block + 1) * self.size)
    }

    fn near(&self, a: usize, b: usize) -> bool {
        self.vectors.near(a, b, &self.radius)
    }

    /// Shows `visit` every pair of two rows, the smaller first, whose smaller row is in `block`.
    fn pairs_from(
        &self,
        block: usize,
        go_on: &mut dyn FnMut() -> bool,
        mut visit: impl FnMut(usize, usize),
    ) {
        for other in block..self.count() {
            if !go_on() {
                return;
            }
            for a in self.rows_of(block) {
                let others = self.rows_of(other);
                for b in others.start.max(a + 1)..others.end {
                    visit(a, b);
                }
            }
        }
    }
}

pub(super) fn cluster(
    vectors: &Vectors<'_>,
    options: &DbscanOptions<'_>,
    watch: &mut Watch<'_>,
) -> Result<Clusters> {
    let blocks = Blocks {
        vectors,
        radius: vectors.radius(options.eps),
        rows: vectors.rows(),
        size: (BLOCK_NUMBERS / vectors.stride()).clamp(8, 256),
    };
    let core = match options.density {
        Density::Rows(least) => cores_by_count(&blocks, least, options.threads, watch)?,
        Density::Weight { weights, least } => {
            cores_by_weight(&blocks, weights, least, options.threads, watch)?
        }
    };
    join(&blocks, core, options.threads, watch)
}

fn cores_by_count(
    blocks: &Blocks<'_>,
    least: u32,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<Vec<bool>> {
    let gathered = spread(
        (blocks.count(), threads),
        (watch, "count neighbours"),
        || vec![0u32; blocks.rows],
        |counts, block, go_on| {
            blocks.pairs_from(block, go_on, |a, b| {
                if blocks.near(a, b) {
                    counts[a] += 1;
                    counts[b] += 1;
                }
            });
        },
    )?;
    let count = |row| gathered.iter().map(|counts| counts[row]).sum::<u32>();
    // Itself included.
    Ok((0..blocks.rows)
        .map(|row| count(row) + 1 >= least)
        .collect())
}

/// Sums of fractions depend on their order, so each row is summed by one thread, over all rows in
/// their order; that takes every pair twice.
fn cores_by_weight(
    blocks: &Blocks<'_>,
    weights: &[f32],
    least: f64,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<Vec<bool>> {
    let gathered = spread(
        (blocks.count(), threads),
        (watch, "weigh neighbours"),
        Vec::new,
        |sums: &mut Vec<(usize, f64)>, block, go_on| {
            let first = sums.len();
            sums.extend(blocks.rows_of(block).map(|row| (row, 0.0)));
            for other in 0..blocks.count() {
                if !go_on() {
                    return;
                }
                for (row, sum) in &mut sums[first..] {
                    for near in blocks.rows_of(other) {
                        if near == *row || blocks.near(*row, near) {
                            *sum += f64::from(weights[near]);
                        }
                    }
                }
            }
        },
    )?;
    let mut core = vec![false; blocks.rows];
    for (row, sum) in gathered.into_iter().flatten() {
        core[row] = sum >= least;
    }
    Ok(core)
}

/// What one thread has joined.
struct Joined {
    sets: Sets,
    /// The lowest core within reach of each row that is not one.
    lowest_core: Vec<u32>,
}

impl Joined {
    fn nothing(rows: usize) -> Self {
        Self {
            sets: Sets::new(rows),
            lowest_core: vec![NONE; rows],
        }
    }

    /// Adds what another thread has joined; the order of threads does not matter.
    fn absorb(&mut self, other: &Self) {
        self.sets.absorb(&other.sets);
        for (lowest, &found) in self.lowest_core.iter_mut().zip(&other.lowest_core) {
            *lowest = (*lowest).min(found);
        }
    }
}

fn join(
    blocks: &Blocks<'_>,
    core: Vec<bool>,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<Clusters> {
    let gathered = spread(
        (blocks.count(), threads),
        (watch, "join cores"),
        || Joined::nothing(blocks.rows),
        |joined, block, go_on| {
            let Joined { sets, lowest_core } = joined;
            blocks.pairs_from(block, go_on, |a, b| {
                let (row_a, row_b) = (a as u32, b as u32);
                match (core[a], core[b]) {
                    (true, true) => {
                        if sets.root(row_a) != sets.root(row_b) && blocks.near(a, b) {
                            sets.merge(row_a, row_b);
                        }
                    }
                    (true, false) => {
                        if row_a < lowest_core[b] && blocks.near(a, b) {
                            lowest_core[b] = row_a;
                        }
                    }
                    (false, true) => {
                        if row_b < lowest_core[a] && blocks.near(a, b) {
                            lowest_core[a] = row_b;
                        }
                    }
                    (false, false) => {}
                }
            });
        },
    )?;
    let mut all = Joined::nothing(blocks.rows);
    for joined in &gathered {
        all.absorb(joined);
    }
    let Joined {
        mut sets,
        lowest_core,
    } = all;
    // The root of a set is its first row, so its number is known before those of its other rows.
    let mut number = vec![NONE; blocks.rows];
    let mut count = 0;
    for row in (0..blocks.rows).filter(|&row| core[row]) {
        let root = sets.root(row as u32) as usize;
        if root == row {
            number[row] = count;
            count += 1;
        } else {
            number[row] = number[root];
        }
    }
    Ok(Clusters::new(core, &number, &lowest_core, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_threads_have_joined_adds_up_in_any_order() {
        let joined = |pairs: &[(u32, u32)], lowest_core: [u32; 5]| {
            let mut joined = Joined::nothing(5);
            pairs.iter().for_each(|&(a, b)| joined.sets.merge(a, b));
            joined.lowest_core = lowest_core.to_vec();
            joined
        };
        let parts = [
            joined(&[(3, 4)], [NONE, NONE, 4, NONE, NONE]),
            joined(&[(1, 4)], [NONE, 3, 1, NONE, NONE]),
        ];
        for order in [[0, 1], [1, 0]] {
            let mut all = Joined::nothing(5);
            for part in order {
                all.absorb(&parts[part]);
            }
            let roots: Vec<u32> = (0..5).map(|row| all.sets.root(row)).collect();
            assert_eq!(roots, [0, 1, 2, 1, 1]);
            assert_eq!(all.lowest_core, [NONE, 3, 1, NONE, NONE]);
        }
    }
}
