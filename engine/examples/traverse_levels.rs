//! What the level-wise operator costs beyond its distances: a tree of a million sections in five
//! levels, 128 dimensions, a threshold, and RECOVER over every level with a threshold of its own.
//! Run it with `cargo run --release -p stratigraph --example traverse_levels`.
//!
//! The yardstick is the kernel alone, in one call over the same rows in the order of memory. The
//! goal is at most twice its time.

#![expect(
    clippy::disallowed_methods,
    reason = "a measurement reads the clock; the engine does not"
)]

use fastrand::Rng;
use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;
use stratigraph::algo::traverse::{
    Columns, Csr, Keep, Measure, NodeVectors, Recover, Summary, Traverse, VectorScorer, Where,
};
use stratigraph::clock::SystemClock;
use stratigraph::value::{NodeId, RelationshipId};
use stratigraph_vector::{Kernels, Rows, VectorError};

const DIMENSIONS: usize = 128;
const WIDTHS: [usize; 5] = [1, 32, 1_024, 32_768, 966_175];
const ROUNDS: usize = 9;

/// A tree in arrays, with the place of its nodes in each level.
struct Tree {
    nodes: Vec<NodeId>,
    offsets: Vec<u64>,
    targets: Vec<u32>,
    relationships: Vec<RelationshipId>,
    levels: Vec<Vec<NodeId>>,
}

/// Children are spread evenly. Ids go by level, as after a bulk load, or are shuffled.
fn tree(shuffled: bool) -> Tree {
    let count: usize = WIDTHS.iter().sum();
    let mut ids: Vec<usize> = (0..count).collect();
    if shuffled {
        Rng::with_seed(5).shuffle(&mut ids);
    }
    let mut start = 0;
    let levels: Vec<Range<usize>> = (WIDTHS.iter())
        .map(|width| {
            start += width;
            start - width..start
        })
        .collect();
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); count];
    for pair in levels.windows(2) {
        if let [above, below] = pair {
            for at in below.clone() {
                let parent = above.start + (at - below.start) * above.len() / below.len();
                children[ids[parent]].push(u32::try_from(ids[at]).expect("a million"));
            }
        }
    }
    let mut offsets = vec![0];
    let mut targets = Vec::with_capacity(count);
    for of_node in &children {
        targets.extend_from_slice(of_node);
        offsets.push(targets.len() as u64);
    }
    Tree {
        nodes: (0..count as u64).map(NodeId::new).collect(),
        relationships: (0..targets.len() as u64).map(RelationshipId::new).collect(),
        offsets,
        targets,
        levels: (levels.into_iter())
            .map(|range| {
                let mut level: Vec<_> = ids[range]
                    .iter()
                    .map(|id| NodeId::new(*id as u64))
                    .collect();
                level.sort_unstable();
                level
            })
            .collect(),
    }
}

/// The best times of two works that take turns, so that a loaded machine is unfair to both.
fn best_ms(mut one: impl FnMut(), mut other: impl FnMut()) -> (f64, f64) {
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        one();
        best.0 = best.0.min(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        other();
        best.1 = best.1.min(start.elapsed().as_secs_f64() * 1e3);
    }
    best
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count: usize = WIDTHS.iter().sum();
    let mut rng = Rng::with_seed(1);
    let values: Vec<f32> = (0..count * DIMENSIONS).map(|_| rng.f32() - 0.5).collect();
    let query: Vec<f32> = (0..DIMENSIONS).map(|_| rng.f32() - 0.5).collect();
    let rows = Rows::new(&values, DIMENSIONS)?;
    let kernels = Kernels::best();
    let mut dots = vec![0.0; count];
    kernels.dot_rows(&query, rows, &mut dots)?;
    let mut ordered = dots.clone();
    ordered.sort_unstable_by(|left, right| right.total_cmp(left));
    println!(
        "{count} sections of {DIMENSIONS} dimensions, kernel {}",
        kernels.name()
    );
    let vectors = NodeVectors::consecutive(NodeId::new(0), rows);
    let clock = SystemClock::new();
    // A word selects the lines that contain it, such as `100` or `shuffled`.
    let only = std::env::args().nth(1).unwrap_or_default();
    for shuffled in [false, true] {
        let tree = tree(shuffled);
        let graph = Csr::new(
            &tree.nodes,
            &tree.offsets,
            &tree.targets,
            &tree.relationships,
        )?;
        for (measure, threads) in [(Measure::Dot, 1), (Measure::Cosine, 1), (Measure::Dot, 2)] {
            for (kept_percent, recovered_percent, columns) in [
                (10, 20, Columns::default()),
                (50, 60, Columns::default()),
                (100, 100, Columns::default()),
                (
                    50,
                    60,
                    Columns {
                        arrivals: true,
                        ..Columns::default()
                    },
                ),
            ] {
                let name = format!(
                    "{measure:?} {threads} thread(s), KEEP {kept_percent} %, RECOVER {recovered_percent} %, \
                     arrivals {}, {}",
                    columns.arrivals,
                    if shuffled {
                        "ids shuffled"
                    } else {
                        "ids by level"
                    }
                );
                if !name.contains(&only) {
                    continue;
                }
                let threshold = |percent: usize| {
                    let at = (count * percent / 100).min(count - 1);
                    f64::from(ordered[at]) - if percent == 100 { 1.0 } else { 0.0 }
                };
                // The squares of all lengths are nearly the same, so thresholds carry over.
                let scale = match measure {
                    Measure::Cosine => {
                        f64::from(kernels.square(&query)).sqrt() * (DIMENSIONS as f64 / 12.0).sqrt()
                    }
                    _ => 1.0,
                };
                let (keep, recover) = (
                    threshold(kept_percent) / scale,
                    threshold(recovered_percent) / scale,
                );
                let mut summary = Summary::default();
                let mut row_count = 0;
                let alone = || {
                    let _ = kernels.dot_rows(&query, rows, &mut dots);
                    black_box(&dots);
                };
                let (kernel_ms, ms) = best_ms(alone, || {
                    let scorer = VectorScorer::new(&vectors, &query, measure)
                        .map(|scorer| scorer.threads(threads))
                        .expect("the dimensions fit");
                    let members = |level: u32, into: &mut Vec<NodeId>| {
                        into.extend(&tree.levels[level as usize]);
                        Ok::<_, VectorError>(())
                    };
                    let mut graph = graph;
                    let result = Traverse::from([tree.levels[0][0]])
                        .unfiltered()
                        .levels(0, Some(4))
                        .scorer(scorer)
                        .keep(Keep::all().only(Where::Above(keep)))
                        .recover(Recover::new(
                            members,
                            Keep::all().only(Where::Above(recover)),
                        ))
                        .columns(columns)
                        .run(&mut graph, &clock)
                        .expect("nothing fails");
                    summary = result.summary;
                    row_count = result.rows.len();
                    black_box(&result);
                });
                println!(
                    "{name}: {ms:.1} ms, {:.2} x the kernel's {kernel_ms:.1}; \
                     {row_count} rows, {} scored, {} edges, {} members",
                    ms / kernel_ms,
                    summary.scored,
                    summary.edges_read,
                    summary.recover_scanned
                );
            }
        }
    }
    Ok(())
}
