//! What the paper promises, on random graphs and against the slow definitions.

use super::super::*;
use super::slow::{Matrix, Rows, members};
use super::{run, seeds};
use crate::algo::random_graph::RandomGraph;
use crate::storage::cancel::Watch;
use fastrand::Rng;

const QUALITIES: [Quality; 2] = [Quality::Modularity, Quality::ConstantPotts];

/// A graph with some structure: edges are likelier between nodes of one residue.
fn random_graph(rng: &mut Rng, nodes: usize) -> Rows {
    let groups = rng.usize(1..=4);
    let (inside, outside) = (rng.f32() * 0.8, rng.f32() * 0.3);
    let weighted = rng.bool();
    let mut edges = Vec::new();
    for a in 0..nodes {
        for b in a..nodes {
            let odds = match (a == b, a % groups == b % groups) {
                (true, _) => 0.05,
                (_, true) => inside,
                (_, false) => outside,
            };
            if rng.f32() < odds {
                // Some weigh nothing: those must not connect.
                let weight = if weighted { rng.u8(0..8).into() } else { 1.0 };
                edges.push((a as u32, b as u32, weight));
            }
        }
    }
    Rows::new(nodes, &edges)
}

fn random_options(rng: &mut Rng, quality: Quality) -> LeidenOptions {
    LeidenOptions {
        quality,
        resolution: match quality {
            Quality::Modularity => [1.0, 1.0, 0.5, 2.0, 0.0][rng.usize(..5)],
            Quality::ConstantPotts => [0.05, 0.2, 0.5, 1.0, 0.0][rng.usize(..5)],
        },
        seed: rng.u64(..),
        max_passes: None,
        theta: [0.01, 0.01, 0.0, 0.5][rng.usize(..4)],
        max_community_nodes: None,
    }
}

#[test]
fn tiny_graphs_come_close_to_the_best_of_all_partitions() {
    let (mut searches, mut equal) = (0, 0);
    for seed in seeds(400) {
        let mut rng = Rng::with_seed(seed);
        let nodes = rng.usize(1..=7);
        let rows = random_graph(&mut rng, nodes);
        let matrix = Matrix::new(&rows.view());
        for quality in QUALITIES {
            let options = random_options(&mut rng, quality);
            let found = run(&rows.view(), &options).best().quality;
            let best = matrix.best_quality(quality, options.resolution);
            assert!(
                found <= best + 1e-9,
                "seed {seed}: {found} is better than the best, {best}"
            );
            let scale = match quality {
                Quality::Modularity => 1.0,
                Quality::ConstantPotts => best.abs().max(1.0),
            };
            assert!(
                best - found <= 0.1 * scale,
                "seed {seed}: {found} is far from the best, {best} ({options:?})"
            );
            searches += 1;
            equal += usize::from(best - found < 1e-9);
        }
    }
    assert!(
        equal * 100 >= searches * 93,
        "only {equal} of {searches} found the best partition"
    );
}

#[test]
fn levels_keep_every_promise() {
    for seed in seeds(150) {
        let mut rng = Rng::with_seed(seed);
        let nodes = rng.usize(1..=60);
        let rows = random_graph(&mut rng, nodes);
        let matrix = Matrix::new(&rows.view());
        for quality in QUALITIES {
            let options = random_options(&mut rng, quality);
            let found = run(&rows.view(), &options);
            let context = format!("seed {seed}, {options:?}");
            check_levels(&matrix, &options, &found, &context);
            check_passes(&found, &context);
            check_settled(&matrix, &options, &found, &context);
        }
    }
}

/// Numbering, quality, connectedness, nesting, and that each set is worth more than its nodes.
fn check_levels(matrix: &Matrix, options: &LeidenOptions, found: &Communities, context: &str) {
    let quality =
        |community: &[u32]| matrix.quality(options.quality, options.resolution, community);
    let mut finer: Option<&Partition> = None;
    for (number, level) in found.levels().iter().enumerate() {
        let context = format!("level {number}, {context}");
        let mut next = 0;
        for &own in &level.community {
            assert!(
                own <= next,
                "communities are not numbered by first members, {context}"
            );
            next = next.max(own + 1);
        }
        assert_eq!(next, level.count, "{context}");
        let slow = quality(&level.community);
        assert!(
            (slow - level.quality).abs() < 1e-7 * slow.abs().max(1.0),
            "quality {} should be {slow}, {context}",
            level.quality
        );
        for set in members(&level.community, level.count) {
            assert!(
                matrix.connected(&set),
                "{set:?} is not connected, {context}"
            );
            if options.max_community_nodes.is_some() {
                continue;
            }
            let alone: Vec<u32> = (0..matrix.nodes as u32).collect();
            let mut together = alone.clone();
            for &node in &set {
                together[node] = set[0] as u32;
            }
            assert!(
                quality(&together) >= quality(&alone) - 1e-7,
                "{set:?} is worth less than its nodes, {context}"
            );
        }
        if let Some(finer) = finer {
            assert!(level.count < finer.count, "{context}");
            for set in members(&finer.community, finer.count) {
                let coarser = level.community[set[0]];
                assert!(
                    set.iter().all(|&node| level.community[node] == coarser),
                    "{set:?} is torn apart, {context}"
                );
            }
        }
        finer = Some(level);
    }
}

fn check_passes(found: &Communities, context: &str) {
    let passes = &found.pass_qualities;
    assert!(passes.is_sorted(), "{passes:?} falls, {context}");
    let last = passes[passes.len() - 1];
    assert!((last - found.best().quality).abs() < 1e-6, "{context}");
}

/// Once settled, no node gains by moving anywhere and no two communities by merging.
fn check_settled(matrix: &Matrix, options: &LeidenOptions, found: &Communities, context: &str) {
    let quality =
        |community: &[u32]| matrix.quality(options.quality, options.resolution, community);
    let best = found.best();
    let settled = quality(&best.community) + 1e-6;
    let mut changed = best.community.clone();
    for node in 0..matrix.nodes {
        // One more than there are: alone.
        for other in 0..=best.count {
            changed[node] = other;
            assert!(
                quality(&changed) <= settled,
                "node {node} gains in community {other}, {context}"
            );
        }
        changed[node] = best.community[node];
    }
    for a in 0..best.count {
        for b in 0..a {
            let merged: Vec<u32> = best
                .community
                .iter()
                .map(|&own| if own == a { b } else { own })
                .collect();
            assert!(
                quality(&merged) <= settled,
                "communities {a} and {b} gain by merging, {context}"
            );
        }
    }
}

#[test]
fn no_community_outgrows_its_limit() {
    for seed in seeds(100) {
        let mut rng = Rng::with_seed(seed);
        let nodes = rng.usize(1..=60);
        let rows = random_graph(&mut rng, nodes);
        let matrix = Matrix::new(&rows.view());
        for quality in QUALITIES {
            let limit = rng.u32(1..=12);
            let options = LeidenOptions {
                max_community_nodes: Some(limit),
                ..random_options(&mut rng, quality)
            };
            let found = run(&rows.view(), &options);
            let context = format!("seed {seed}, {options:?}");
            check_levels(&matrix, &options, &found, &context);
            check_passes(&found, &context);
            for level in found.levels() {
                for set in members(&level.community, level.count) {
                    assert!(set.len() <= limit as usize, "{set:?}, {context}");
                }
            }
        }
    }
}

#[test]
fn cliques_in_a_ring_are_found() {
    for seed in seeds(20) {
        let (cliques, size) = (8, 5);
        let mut edges = Vec::new();
        for clique in 0..cliques {
            let first = clique * size;
            for a in 0..size {
                edges.extend((0..a).map(|b| (first + a, first + b, 1.0)));
            }
            edges.push((first, (first + size + 1) % (cliques * size), 1.0));
        }
        let rows = Rows::new((cliques * size) as usize, &edges);
        let options = LeidenOptions {
            seed,
            ..LeidenOptions::default()
        };
        let found = run(&rows.view(), &options);
        let expected: Vec<u32> = (0..cliques * size).map(|node| node / size).collect();
        assert_eq!(found.best().community, expected, "seed {seed}");
        // 11 edges of each clique and its bridge, 10 of them inside.
        assert!((found.best().quality - (10.0 / 11.0 - 1.0 / 8.0)).abs() < 1e-12);
    }
}

#[test]
fn planted_communities_are_found() {
    for seed in seeds(3) {
        let mut rng = Rng::with_seed(seed);
        let (nodes, groups) = (3000u32, 60);
        let mut edges = Vec::new();
        while edges.len() < 24_000 {
            let (a, b) = (rng.u32(..nodes), rng.u32(..nodes));
            if a != b && (a % groups == b % groups || rng.u32(..200) == 0) {
                edges.push((a, b, 1.0));
            }
        }
        let rows = Rows::new(nodes as usize, &edges);
        let planted: Vec<u32> = (0..nodes).map(|node| node % groups).collect();
        let found = run(
            &rows.unweighted(),
            &LeidenOptions {
                seed,
                ..LeidenOptions::default()
            },
        );
        assert_eq!(found.best().community, planted, "seed {seed}");
    }
}

#[test]
fn a_projection_must_be_undirected() {
    for seed in 0..40 {
        let graph = RandomGraph::new(seed, 30);
        let directed = Undirected::of(&graph.project(false)).map(|_| ());
        assert!(matches!(directed, Err(LeidenError::Directed)));
        let projection = graph.project(true);
        let rows = projection.outgoing();
        let same = Undirected::new(rows.offsets(), rows.targets(), rows.all_weights()).unwrap();
        let view = Undirected::of(&projection).unwrap();
        let communities = |graph: &Undirected<'_>| {
            leiden(graph, &LeidenOptions::default(), &mut Watch::quiet()).unwrap()
        };
        assert_eq!(communities(&view), communities(&same), "seed {seed}");
    }
}
