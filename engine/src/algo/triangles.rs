//! Triangles, and how densely the neighbours of each node are connected.
//!
//! Direction does not matter, and neither do parallel relationships or those from a node to itself:
//! what counts is which nodes are neighbours. Every pair of neighbours is kept once, at the end
//! with fewer of them, so that the long rows of hubs disappear and intersecting sorted rows finds
//! each triangle exactly once.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::parallel::{even_ranges, run_jobs};
use super::{AlgoError, Projection};
use crate::storage::cancel::Watch;

/// How many rows a thread handles between two looks at the cancel token.
const ROWS_PER_BEAT: usize = 1 << 10;

/// The triangles of a graph; see [`triangles`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Triangles {
    /// By place: how many triangles the node is a corner of.
    pub counts: Vec<u64>,
    /// By place: how many other nodes are its neighbours.
    pub neighbours: Vec<u32>,
    /// How many triangles there are.
    pub total: u64,
}

impl Triangles {
    /// By place: the share of pairs of neighbours that are neighbours themselves, from 0 to 1; 0
    /// for a node with fewer than two neighbours.
    #[must_use]
    pub fn clustering(&self) -> Vec<f64> {
        let share = |(&count, &neighbours): (&u64, &u32)| {
            let neighbours = f64::from(neighbours);
            let pairs = neighbours * (neighbours - 1.0) / 2.0;
            if pairs > 0.0 {
                count as f64 / pairs
            } else {
                0.0
            }
        };
        self.counts
            .iter()
            .zip(&self.neighbours)
            .map(share)
            .collect()
    }
}

/// Counts the triangles of the graph and of every node, on up to `threads` threads.
///
/// ```
/// use stratigraph::algo;
/// # use stratigraph::algo::{ProjectionBuilder, ProjectionOptions};
/// # use stratigraph::storage::cancel::Watch;
/// # use stratigraph::value::{NodeId, RelationshipId};
/// # let nodes = [1, 2, 3, 4].map(NodeId::new);
/// # let builder = ProjectionBuilder::new(nodes, ProjectionOptions::default())?;
/// # let mut part = builder.part();
/// # for (id, (a, b)) in (0..).zip([(0, 1), (1, 2), (2, 0), (2, 3)]) {
/// #     part.push(nodes[a], nodes[b], RelationshipId::new(id), None)?;
/// # }
/// # drop(part);
/// # let mut watch = Watch::quiet();
/// # let graph = builder.build(1, &mut watch)?;
/// // 1 - 2 - 3 - 1, and 3 - 4
/// let found = algo::triangles(&graph, 2, &mut watch)?;
/// assert_eq!(found.counts, [1, 1, 1, 0]);
/// assert_eq!(found.clustering(), [1.0, 1.0, 1.0 / 3.0, 0.0]);
/// # Ok::<(), algo::AlgoError>(())
/// ```
///
/// Besides the projection it holds about 28 bytes per node and 4 per relationship; it does not need
/// the incoming direction.
///
/// # Errors
/// Cancellation.
pub fn triangles(
    projection: &Projection,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<Triangles, AlgoError> {
    let pairs = Pairs::of(projection, watch)?;
    let counts: Vec<AtomicU64> = (0..projection.len()).map(|_| AtomicU64::new(0)).collect();
    // Whole numbers add up to the same sum in any order, so threads may share the counts.
    let jobs = even_ranges(&pairs.offsets, threads);
    let totals = run_jobs(jobs, "count triangles", watch, |ranks, pulse| {
        let mut total = 0;
        for rank in ranks.clone() {
            if rank.is_multiple_of(ROWS_PER_BEAT) {
                pulse.beat(rank - ranks.start, ranks.len())?;
            }
            total += pairs.corners_from(rank, &counts);
        }
        Ok(total)
    })?;
    Ok(Triangles {
        counts: counts.into_iter().map(AtomicU64::into_inner).collect(),
        neighbours: pairs.neighbours,
        total: totals.into_iter().sum(),
    })
}

/// Pairs of neighbours, each kept once. Rows are numbered by rank: fewest entries first.
struct Pairs {
    offsets: Vec<u32>,
    /// Ranks, ascending within a row, all above the row's own.
    higher: Vec<u32>,
    /// By rank.
    places: Vec<u32>,
    /// By place: the number of other nodes it is paired with.
    neighbours: Vec<u32>,
}

impl Pairs {
    fn of(projection: &Projection, watch: &mut Watch<'_>) -> Result<Self, AlgoError> {
        const STEPS: u64 = 3;
        let nodes = projection.len();
        let ends = || {
            let rows = 0..nodes as u32;
            rows.flat_map(|place| {
                projection
                    .neighbours(place)
                    .iter()
                    .map(move |&to| (place, to))
            })
        };
        watch.step("order nodes by degree", 0, STEPS)?;
        // Parallel relationships count here: any order will do, as long as hubs come late. An entry
        // has two ends, which together may exceed 32 bits.
        let mut entries = vec![0_u64; nodes];
        for (from, to) in ends() {
            entries[from as usize] += 1;
            entries[to as usize] += 1;
        }
        let mut places: Vec<u32> = (0..nodes as u32).collect();
        places.sort_by_key(|&place| entries[place as usize]);
        let mut ranks = vec![0_u32; nodes];
        for (rank, &place) in (0_u32..).zip(&places) {
            ranks[place as usize] = rank;
        }
        drop(entries);

        watch.step("pair neighbours", 1, STEPS)?;
        let ranked = || {
            ends()
                .filter(|(from, to)| from != to)
                .map(|(from, to)| (ranks[from as usize], ranks[to as usize]))
                .map(|(a, b)| (a.min(b), a.max(b)))
        };
        let mut offsets = vec![0_u32; nodes + 1];
        for (low, _) in ranked() {
            offsets[low as usize + 1] += 1;
        }
        let mut end = 0;
        for offset in &mut offsets {
            end += *offset;
            *offset = end;
        }
        let mut next = offsets.clone();
        let mut higher = vec![0_u32; end as usize];
        for (low, high) in ranked() {
            let at = &mut next[low as usize];
            higher[*at as usize] = high;
            *at += 1;
        }

        watch.step("drop doubles", 2, STEPS)?;
        let mut neighbours = vec![0_u32; nodes];
        let mut kept = 0;
        for rank in 0..nodes {
            let row = offsets[rank] as usize..offsets[rank + 1] as usize;
            higher[row.clone()].sort_unstable();
            offsets[rank] = kept as u32;
            let mut last = None;
            for at in row {
                let other = higher[at];
                if last != Some(other) {
                    last = Some(other);
                    higher[kept] = other;
                    kept += 1;
                    neighbours[places[rank] as usize] += 1;
                    neighbours[places[other as usize] as usize] += 1;
                }
            }
        }
        offsets[nodes] = kept as u32;
        higher.truncate(kept);
        Ok(Self {
            offsets,
            higher,
            places,
            neighbours,
        })
    }

    fn row(&self, rank: usize) -> &[u32] {
        let row: Range<usize> = self.offsets[rank] as usize..self.offsets[rank + 1] as usize;
        &self.higher[row]
    }

    /// Counts the triangles whose lowest corner has this rank.
    fn corners_from(&self, rank: usize, counts: &[AtomicU64]) -> u64 {
        let add = |rank: usize, found: u64| {
            counts[self.places[rank] as usize].fetch_add(found, Ordering::Relaxed);
        };
        let mut total = 0;
        let row = self.row(rank);
        for (number, &middle) in row.iter().enumerate() {
            // The third corner comes after the second, so what is before it need not be looked at.
            let (mut left, mut right) = (&row[number + 1..], self.row(middle as usize));
            let mut found = 0;
            while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
                if a == b {
                    found += 1;
                    add(*a as usize, 1);
                }
                if a <= b {
                    left = left_rest;
                }
                if b <= a {
                    right = right_rest;
                }
            }
            if found > 0 {
                add(middle as usize, found);
                total += found;
            }
        }
        if total > 0 {
            add(rank, total);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::random_graph::{RandomGraph, cancelled_after};

    #[test]
    fn triangles_are_those_of_trying_all_triples() {
        let mut most = 0;
        for seed in 0..500 {
            let graph = RandomGraph::new(seed, 30);
            let nodes = graph.ids.len();
            let mut adjacent = vec![vec![false; nodes]; nodes];
            for (a, b, ..) in graph.steps(true) {
                adjacent[a as usize][b as usize] = a != b;
            }
            let mut counts = vec![0; nodes];
            let mut total = 0;
            for a in 0..nodes {
                for b in 0..a {
                    for c in 0..b {
                        if adjacent[a][b] && adjacent[b][c] && adjacent[c][a] {
                            total += 1;
                            for corner in [a, b, c] {
                                counts[corner] += 1;
                            }
                        }
                    }
                }
            }
            most = most.max(total);
            let neighbours: Vec<u32> = adjacent
                .iter()
                .map(|row| row.iter().filter(|&&is| is).count() as u32)
                .collect();
            let clustering: Vec<f64> = (0..nodes)
                .map(|at| {
                    let around: Vec<usize> =
                        (0..nodes).filter(|&other| adjacent[at][other]).collect();
                    let pairs = around.len() * around.len().saturating_sub(1);
                    let each = around
                        .iter()
                        .flat_map(|&a| around.iter().map(move |&b| (a, b)));
                    let closed = each.filter(|&(a, b)| adjacent[a][b]).count();
                    if pairs == 0 {
                        0.0
                    } else {
                        closed as f64 / pairs as f64
                    }
                })
                .collect();
            let expected = Triangles {
                counts,
                neighbours,
                total,
            };
            for undirected in [false, true] {
                let projection = graph.project(undirected);
                for threads in [1, 3] {
                    let found = triangles(&projection, threads, &mut Watch::quiet()).unwrap();
                    assert_eq!(found, expected, "seed {seed}");
                    assert_eq!(found.clustering(), clustering, "seed {seed}");
                }
            }
        }
        assert!(
            most > 50,
            "the graphs are too easy: at most {most} triangles"
        );
    }

    #[test]
    fn counting_can_be_cancelled() {
        let projection = RandomGraph::new(5, 30).project(false);
        for steps in 0..3 {
            let outcome = cancelled_after(steps, |watch| triangles(&projection, 2, watch));
            assert!(outcome.is_err(), "{steps} steps");
        }
    }
}
