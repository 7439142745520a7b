//! PageRank against a power iteration over a dense matrix, and its layouts against each other.

use super::layout::{self, Layout};
use super::restart::Restart;
use super::tiles::{BLOCK, STRIPE, Tiles};
use super::*;
use crate::algo::random_graph::{RandomGraph, cancelled_after};
use crate::algo::{Direction, ProjectionOptions, degrees};

/// The definition: a matrix of probabilities, multiplied by the scores again and again.
fn slow(
    graph: &RandomGraph,
    undirected: bool,
    restart: &[f64],
    options: &PageRankOptions,
) -> Vec<f64> {
    let nodes = graph.ids.len();
    let mut matrix = vec![vec![0.0; nodes]; nodes];
    let mut away = vec![0.0; nodes];
    for (from, to, _, weight) in graph.steps(undirected) {
        let weight = if options.weighted { weight } else { 1.0 };
        matrix[from as usize][to as usize] += weight;
        away[from as usize] += weight;
    }
    for (row, away) in matrix.iter_mut().zip(&away) {
        for (cell, restart) in row.iter_mut().zip(restart) {
            let follow = if *away > 0.0 { *cell / away } else { *restart };
            *cell = options.damping * follow + (1.0 - options.damping) * restart;
        }
    }
    let mut scores = restart.to_vec();
    for _ in 0..options.iterations {
        scores = (0..nodes)
            .map(|to| (0..nodes).map(|from| scores[from] * matrix[from][to]).sum())
            .collect();
    }
    scores
}

fn assert_close(found: &[f64], expected: &[f64], seed: u64) {
    assert_eq!(found.len(), expected.len(), "seed {seed}");
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        // Relative to the score itself, not to the largest.
        let error = (found - expected).abs();
        assert!(
            error <= 1e-6 * expected,
            "seed {seed}, place {place}: {found} instead of {expected}"
        );
    }
}

fn random_options(random: &mut fastrand::Rng) -> PageRankOptions {
    PageRankOptions {
        damping: [0.0, 0.5, 0.85][random.usize(0..3)],
        iterations: random.u32(0..25),
        tolerance: 0.0,
        weighted: random.bool(),
        threads: random.usize(0..4),
    }
}

#[test]
fn scores_are_those_of_the_matrix() {
    for seed in 0..500 {
        let graph = RandomGraph::new(seed, 30);
        let nodes = graph.ids.len();
        let mut random = fastrand::Rng::with_seed(seed);
        let undirected = random.bool();
        let projection = graph.project(undirected);
        let options = random_options(&mut random);
        let everywhere = vec![1.0 / nodes as f64; nodes];
        let expected = slow(&graph, undirected, &everywhere, &options);
        let found = pagerank(&projection, &options, &mut Watch::quiet()).unwrap();
        assert_close(&found.scores, &expected, seed);
        if nodes == 0 {
            continue;
        }
        assert_eq!(found.iterations, options.iterations);
        assert!(
            (found.scores.iter().sum::<f64>() - 1.0).abs() < 1e-6,
            "seed {seed}"
        );

        // Restarts at a few nodes, some named twice, one perhaps with weight 0.
        let mut named: Vec<(u32, f64)> = (0..random.usize(1..5))
            .map(|_| (random.u32(0..nodes as u32), f64::from(random.u8(0..4))))
            .collect();
        named.push((random.u32(0..nodes as u32), 1.0));
        let sum: f64 = named.iter().map(|&(_, weight)| weight).sum();
        let mut restart = vec![0.0; nodes];
        for &(place, weight) in &named {
            restart[place as usize] += weight / sum;
        }
        let expected = slow(&graph, undirected, &restart, &options);
        let named: Vec<_> = named
            .iter()
            .map(|&(place, weight)| (graph.node(place), weight))
            .collect();
        let found = personalised_pagerank(&projection, &named, &options, &mut Watch::quiet());
        let found = found.unwrap();
        assert_close(&found.scores, &expected, seed);
        let turned: Vec<_> = named.iter().rev().copied().collect();
        let again = personalised_pagerank(&projection, &turned, &options, &mut Watch::quiet());
        assert_eq!(again.unwrap(), found, "seed {seed}");
    }
}

/// A graph of several blocks and stripes with hubs, loops, and nodes that lead nowhere.
fn large_graph(seed: u64, nodes: u32, relationships: usize) -> RandomGraph {
    let mut random = fastrand::Rng::with_seed(seed);
    let ends = (0..relationships)
        .map(|_| {
            let reach = if random.bool() { nodes } else { nodes / 1000 };
            let source = random.u32(0..nodes / 10 * 9);
            (source, random.u32(0..reach), f64::from(random.u8(1..5)))
        })
        .collect();
    RandomGraph {
        ids: (0..u64::from(nodes)).collect(),
        relationships: ends,
    }
}

#[test]
fn layouts_and_threads_do_not_show() {
    // Two stripes and ten blocks; one stripe and two blocks.
    for (seed, nodes, relationships) in [(1, 150_000, 250_000), (2, 20_000, 60_000)] {
        let graph = large_graph(seed, nodes, relationships);
        let projection = graph.project(false);
        for weighted in [false, true] {
            for restart in [
                Restart::Everywhere,
                Restart::at(
                    &projection,
                    &[(graph.node(7), 1.0), (graph.node(19_999), 2.0)],
                )
                .unwrap(),
            ] {
                let run = |threads, layout, tolerance| {
                    let options = PageRankOptions {
                        iterations: 3,
                        tolerance,
                        weighted,
                        threads,
                        ..PageRankOptions::default()
                    };
                    layout::run(&projection, &restart, &options, layout, &mut Watch::quiet())
                        .unwrap()
                };
                let first = run(1, Layout::Rows, 0.0);
                for (threads, layout, tolerance) in [
                    (1, Layout::Tiles, 0.0),
                    (3, Layout::Tiles, 0.0),
                    (2, Layout::Tiles, 1e-300),
                    (
                        64,
                        Layout::of(&projection, &PageRankOptions::default()),
                        0.0,
                    ),
                ] {
                    let other = run(threads, layout, tolerance);
                    let message = format!("seed {seed}, {layout:?} on {threads} threads");
                    assert!(first.scores == other.scores, "{message}");
                }
                assert_eq!(run(1, Layout::Rows, 1e-300), run(3, Layout::Tiles, 1e-300));
            }
        }
    }
}

#[test]
fn large_graphs_keep_six_digits() {
    let graph = large_graph(4, 140_000, 400_000);
    let projection = graph.project(false);
    let options = PageRankOptions {
        iterations: 10,
        tolerance: 0.0,
        threads: 2,
        ..PageRankOptions::default()
    };
    let nodes = graph.ids.len();
    let away = degrees(&projection, Direction::Outgoing, &mut Watch::quiet()).unwrap();
    let mut scores = vec![1.0 / nodes as f64; nodes];
    for _ in 0..options.iterations {
        let dangling: f64 = scores
            .iter()
            .zip(&away)
            .filter(|&(_, &away)| away == 0)
            .map(|(score, _)| score)
            .sum();
        let mut next = vec![(0.15 + 0.85 * dangling) / nodes as f64; nodes];
        for &(source, target, _) in &graph.relationships {
            next[target as usize] += 0.85 * scores[source as usize] / away[source as usize] as f64;
        }
        scores = next;
    }
    let found = pagerank(&projection, &options, &mut Watch::quiet()).unwrap();
    assert_close(&found.scores, &scores, 4);
}

#[test]
fn the_tolerance_ends_the_rounds() {
    let graph = large_graph(5, 1_000, 5_000);
    let projection = graph.project(false);
    let run = |iterations, tolerance| {
        let options = PageRankOptions {
            iterations,
            tolerance,
            ..PageRankOptions::default()
        };
        pagerank(&projection, &options, &mut Watch::quiet()).unwrap()
    };
    let done = run(1000, 1e-5);
    assert!(
        done.iterations > 3 && done.iterations < 100,
        "{}",
        done.iterations
    );
    let before = run(done.iterations - 1, 0.0);
    let changes = done
        .scores
        .iter()
        .zip(&before.scores)
        .map(|(a, b)| (a - b).abs());
    let change: f64 = changes.sum();
    assert!((change - done.change.unwrap()).abs() < 1e-12);
    assert!(change < 1e-5);
    assert!(run(done.iterations - 1, 1e-5).change.unwrap() >= 1e-5);
    assert_eq!(before.change, None);
}

#[test]
fn far_nodes_keep_their_digits() {
    // A chain on which the score falls by 0.85 per step, far below the least normal 32-bit number.
    let nodes = 1200_u32;
    let graph = RandomGraph {
        ids: (0..u64::from(nodes)).collect(),
        relationships: (1..nodes).map(|place| (place - 1, place, 1e-30)).collect(),
    };
    let projection = graph.project(false);
    for weighted in [false, true] {
        let options = PageRankOptions {
            iterations: 700,
            tolerance: 0.0,
            weighted,
            ..PageRankOptions::default()
        };
        let start = [(graph.node(0), 1.0)];
        let found = personalised_pagerank(&projection, &start, &options, &mut Watch::quiet());
        let scores = found.unwrap().scores;
        for place in 0..690_usize {
            let ratio = scores[place + 1] / scores[place];
            assert!((ratio - 0.85).abs() < 1e-6, "{ratio} at {place}");
        }
    }
}

#[test]
fn bad_options_are_refused() {
    let graph = RandomGraph::new(3, 20);
    let projection = graph.project_with(ProjectionOptions::default(), 1, 1);
    let run = |change: fn(&mut PageRankOptions)| {
        let mut options = PageRankOptions::default();
        change(&mut options);
        pagerank(&projection, &options, &mut Watch::quiet()).map(|_| ())
    };
    for change in [
        |options: &mut PageRankOptions| options.damping = 1.0,
        |options: &mut PageRankOptions| options.damping = -0.1,
        |options: &mut PageRankOptions| options.damping = f64::NAN,
        |options: &mut PageRankOptions| options.tolerance = f64::NAN,
        |options: &mut PageRankOptions| options.tolerance = -1.0,
    ] {
        assert!(matches!(run(change), Err(AlgoError::BadOption { .. })));
    }
    assert!(matches!(
        run(|options| options.weighted = true),
        Err(AlgoError::NoWeights)
    ));
    let node = graph.node(0);
    for restart in [
        vec![],
        vec![(node, 0.0)],
        vec![(node, -1.0), (node, 2.0)],
        vec![(node, f64::INFINITY)],
    ] {
        let options = PageRankOptions::default();
        let outcome = personalised_pagerank(&projection, &restart, &options, &mut Watch::quiet());
        assert!(
            matches!(
                outcome,
                Err(AlgoError::BadOption {
                    name: "restart",
                    ..
                })
            ),
            "{restart:?}"
        );
    }
    let unknown = [(NodeId::new(u64::MAX), 1.0)];
    let options = PageRankOptions::default();
    let outcome = personalised_pagerank(&projection, &unknown, &options, &mut Watch::quiet());
    assert!(matches!(outcome, Err(AlgoError::NotProjected { .. })));
    let outcome = cancelled_after(3, |watch| pagerank(&projection, &options, watch));
    assert!(matches!(
        outcome,
        Err(AlgoError::Engine(crate::Error::Cancelled))
    ));
}

#[test]
fn tiles_add_in_the_order_of_rows() {
    // Sums of 32-bit numbers of similar size are exact in 64 bits, in any order. These are not.
    let nodes = 140_000_u32;
    let graph = large_graph(6, nodes, 60_000);
    let projection = graph.project(false);
    let incoming = projection.incoming().unwrap();
    let mut random = fastrand::Rng::with_seed(6);
    let gift = |_| (random.f32() + 0.5) * f32::from_bits(random.u32(100..150) << 23);
    let gifts: Vec<f32> = (0..2 * STRIPE).map(gift).collect();
    let start = 0;
    let tiles = Tiles::of(incoming, start..nodes as usize);
    let (stripes, _) = gifts.as_chunks::<STRIPE>();
    for block in 0..(nodes as usize - start).div_ceil(BLOCK) {
        let mut sums = vec![0.0; BLOCK];
        for (stripe, gifts) in stripes.iter().enumerate() {
            let (blocks, _) = sums.as_chunks_mut::<BLOCK>();
            tiles.add(stripe, block, gifts, &mut blocks[0]);
        }
        for (place, sum) in (start + block * BLOCK..nodes as usize).zip(sums) {
            let sources = incoming.neighbours(place as u32).iter();
            let expected: f64 = sources
                .map(|&source| f64::from(gifts[source as usize]))
                .sum();
            assert!(
                sum == expected,
                "place {place}: {sum} instead of {expected}"
            );
        }
    }
}

#[test]
fn an_empty_restart_list_is_said_to_be_empty() {
    let projection = RandomGraph::new(7, 5).project(false);
    let options = PageRankOptions::default();
    let error = personalised_pagerank(&projection, &[], &options, &mut Watch::quiet());
    assert_eq!(
        error.unwrap_err().to_string(),
        "option restart = 0: name at least one node to restart at"
    );
}
