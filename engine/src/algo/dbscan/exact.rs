//! DBSCAN by comparing all pairs, tile by tile.
//!
//! The first round finds the cores, the second joins them and gives each border row its lowest core.
//! Which pairs are near is kept in between, a bit each, up to a fixed size, so memory grows with the
//! rows and never with the pairs. Of what could not be kept, the second round measures again only the
//! pairs that can tell it something new, which in dense clusters are few.
//!
//! Next: `tiles.rs` for blocks and bits; `expand.rs`, which comes to the same by asking one row at a
//! time.

use super::sets::Sets;
use super::spread::spread;
use super::tiles::{BLOCK, Tile, Tiles, places, without_below};
use super::vectors::Vectors;
use super::{Clusters, DbscanOptions, Density, NONE, RangeQuery};
use crate::error::Result;
use crate::storage::cancel::Watch;

/// What is kept of near pairs between the rounds: all of them up to some 32,000 rows.
const KEEP_BYTES: usize = 64 << 20;

pub(super) fn cluster(
    vectors: &Vectors<'_>,
    options: &DbscanOptions<'_>,
    watch: &mut Watch<'_>,
) -> Result<Clusters> {
    cluster_keeping(KEEP_BYTES, vectors, options, watch)
}

fn cluster_keeping(
    keep_bytes: usize,
    vectors: &Vectors<'_>,
    options: &DbscanOptions<'_>,
    watch: &mut Watch<'_>,
) -> Result<Clusters> {
    let tiles = Tiles {
        vectors,
        radius: vectors.radius(options.eps),
        rows: vectors.rows(),
        keep_bytes,
    };
    let (core, kept) = match options.density {
        Density::Rows(least) => cores_by_count(&tiles, least, options.threads, watch)?,
        Density::Weight { weights, least } => {
            cores_by_weight(&tiles, weights, least, options.threads, watch)?
        }
    };
    join(&tiles, core, &kept, options.threads, watch)
}

/// Of the first blocks, the tiles with themselves and all later blocks; each pair is in them once.
struct Kept(Vec<Vec<Tile>>);

impl Kept {
    /// Puts together what threads have kept, each of some blocks.
    fn new(tiles: &Tiles<'_>, parts: impl Iterator<Item = (usize, Vec<Tile>)>) -> Self {
        let mut kept = vec![Vec::new(); tiles.kept()];
        for (block, part) in parts {
            kept[block] = part;
        }
        Self(kept)
    }

    fn tile(&self, block: usize, other: usize) -> Option<&Tile> {
        self.0.get(block).map(|row| &row[other - block])
    }
}

fn cores_by_count(
    tiles: &Tiles<'_>,
    least: u32,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<(Vec<bool>, Kept)> {
    let kept = tiles.kept();
    let gathered = spread(
        (tiles.count(), threads),
        (watch, "count neighbours"),
        || (vec![0u32; tiles.rows], Vec::new()),
        |(counts, parts), block, go_on| {
            let mut part = Vec::new();
            for other in block..tiles.count() {
                if !go_on() {
                    return;
                }
                let near = tiles.near_above(block, other);
                for (row, bits) in tiles.rows_of(block).zip(near) {
                    counts[row] += bits.count_ones();
                    for place in places(bits) {
                        counts[other * BLOCK + place] += 1;
                    }
                }
                if block < kept {
                    part.push(near);
                }
            }
            if block < kept {
                parts.push((block, part));
            }
        },
    )?;
    let count = |row: usize| gathered.iter().map(|(counts, _)| counts[row]).sum::<u32>();
    // Itself included.
    let core = (0..tiles.rows).map(|row| count(row) + 1 >= least).collect();
    let parts = gathered.into_iter().flat_map(|(_, parts)| parts);
    Ok((core, Kept::new(tiles, parts)))
}

/// Sums of fractions depend on their order, so each row is summed by one thread, over all rows in
/// their order; that takes every pair twice.
fn cores_by_weight(
    tiles: &Tiles<'_>,
    weights: &[f32],
    least: f64,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<(Vec<bool>, Kept)> {
    let kept = tiles.kept();
    let gathered = spread(
        (tiles.count(), threads),
        (watch, "weigh neighbours"),
        || (Vec::new(), Vec::new()),
        |(sums, parts): &mut (Vec<(usize, f64)>, Vec<_>), block, go_on| {
            let first = sums.len();
            sums.extend(tiles.rows_of(block).map(|row| (row, 0.0)));
            let mut part = Vec::new();
            for other in 0..tiles.count() {
                if !go_on() {
                    return;
                }
                let mut near = tiles.near(block, other);
                for ((_, sum), bits) in sums[first..].iter_mut().zip(near) {
                    for place in places(bits) {
                        *sum += f64::from(weights[other * BLOCK + place]);
                    }
                }
                if block < kept && block <= other {
                    without_below(&mut near, block == other);
                    part.push(near);
                }
            }
            if block < kept {
                parts.push((block, part));
            }
        },
    )?;
    let mut core = vec![false; tiles.rows];
    for &(row, sum) in gathered.iter().flat_map(|(sums, _)| sums) {
        core[row] = sum >= least;
    }
    let parts = gathered.into_iter().flat_map(|(_, parts)| parts);
    Ok((core, Kept::new(tiles, parts)))
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

    /// Takes in that two rows are near.
    fn learn(&mut self, core: &[bool], a: usize, b: usize) {
        let (row_a, row_b) = (a as u32, b as u32);
        let lowest_core = &mut self.lowest_core;
        match (core[a], core[b]) {
            (true, true) => self.sets.merge(row_a, row_b),
            (true, false) => lowest_core[b] = lowest_core[b].min(row_a),
            (false, true) => lowest_core[a] = lowest_core[a].min(row_b),
            (false, false) => {}
        }
    }

    /// Of which pairs of a tile it would be news that they are near.
    fn unknown(&mut self, core: &[bool], tiles: &Tiles<'_>, block: usize, other: usize) -> Tile {
        let Self { sets, lowest_core } = self;
        let mut roots = |block| {
            let mut roots = [NONE; BLOCK];
            for (root, row) in roots.iter_mut().zip(tiles.rows_of(block)) {
                *root = sets.root(row as u32);
            }
            roots
        };
        let (roots, others) = (roots(block), roots(other));
        let mut unknown = [0; BLOCK];
        for ((a, bits), root_a) in tiles.rows_of(block).zip(&mut unknown).zip(roots) {
            for (place, (b, root_b)) in tiles.rows_of(other).zip(others).enumerate() {
                let news = match (core[a], core[b]) {
                    (true, true) => root_a != root_b,
                    (true, false) => (a as u32) < lowest_core[b],
                    (false, true) => (b as u32) < lowest_core[a],
                    (false, false) => false,
                };
                *bits |= u64::from(news) << place;
            }
        }
        without_below(&mut unknown, block == other);
        unknown
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
    tiles: &Tiles<'_>,
    core: Vec<bool>,
    kept: &Kept,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<Clusters> {
    let gathered = spread(
        (tiles.count(), threads),
        (watch, "join cores"),
        || Joined::nothing(tiles.rows),
        |joined, block, go_on| {
            for other in block..tiles.count() {
                if !go_on() {
                    return;
                }
                let near = match kept.tile(block, other) {
                    Some(near) => *near,
                    None => {
                        let unknown = joined.unknown(&core, tiles, block, other);
                        let mut near = tiles.near_among(block, other, &unknown);
                        without_below(&mut near, block == other);
                        near
                    }
                };
                for (a, bits) in tiles.rows_of(block).zip(near) {
                    for place in places(bits) {
                        joined.learn(&core, a, other * BLOCK + place);
                    }
                }
            }
        },
    )?;
    let mut all = Joined::nothing(tiles.rows);
    for joined in &gathered {
        all.absorb(joined);
    }
    let Joined {
        mut sets,
        lowest_core,
    } = all;
    // The root of a set is its first row, so its number is known before those of its other rows.
    let mut number = vec![NONE; tiles.rows];
    let mut count = 0;
    for row in (0..tiles.rows).filter(|&row| core[row]) {
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
    use super::super::Metric;
    use super::*;

    #[test]
    fn what_is_kept_never_shows() {
        let mut kinds = [0, 0];
        for seed in 0..12 {
            let mut rng = fastrand::Rng::with_seed(seed);
            // Six blocks, the last one not full. Few clusters leave little to learn, many a lot.
            let centres = [1, 40][seed as usize % 2];
            let numbers: Vec<f32> = (0..380)
                .flat_map(|_| {
                    [
                        rng.usize(..centres) as f32 + rng.f32() / 2.0,
                        rng.f32() / 2.0,
                    ]
                })
                .collect();
            let vectors = Vectors::new(&numbers, 2, Metric::L2).unwrap();
            let weights: Vec<f32> = (0..380).map(|_| rng.f32()).collect();
            let least = 2.0;
            for density in [
                Density::Rows(4),
                Density::Weight {
                    weights: &weights,
                    least,
                },
            ] {
                let options = DbscanOptions {
                    eps: 0.12,
                    density,
                    threads: 1 + seed as usize % 3,
                };
                let keeping = |tiles: usize| {
                    let bytes = tiles * size_of::<Tile>();
                    cluster_keeping(bytes, &vectors, &options, &mut Watch::quiet()).unwrap()
                };
                let expected = keeping(usize::MAX / size_of::<Tile>());
                for tiles in [0, 6, 15, 21] {
                    assert_eq!(keeping(tiles), expected, "seed {seed}, {tiles} tiles");
                }
                kinds[usize::from(expected.count > 5)] += 1;
            }
        }
        assert!(kinds.iter().all(|count| *count > 5), "{kinds:?}");
    }

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
