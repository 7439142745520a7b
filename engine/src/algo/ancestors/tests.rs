//! Ancestors against a closure by relaxation, paths to roots against trying everything.

use super::*;
use crate::algo::random_graph::{RandomGraph, cancelled_after};

/// Which places are right above each place.
fn above(graph: &RandomGraph, undirected: bool, direction: Direction) -> Vec<BTreeSet<u32>> {
    let mut above = vec![BTreeSet::new(); graph.ids.len()];
    for (source, target, ..) in graph.steps(undirected) {
        if direction != Direction::Incoming {
            above[source as usize].insert(target);
        }
        if direction != Direction::Outgoing {
            above[target as usize].insert(source);
        }
    }
    above
}

/// The fewest steps between all pairs, at most `most`.
fn depths(above: &[BTreeSet<u32>], most: u32) -> Vec<Vec<Option<u32>>> {
    (0..above.len())
        .map(|start| {
            let mut depth = vec![None; above.len()];
            depth[start] = Some(0);
            for step in 0..most.min(above.len() as u32) {
                for place in 0..above.len() {
                    if depth[place] == Some(step) {
                        for &up in &above[place] {
                            depth[up as usize].get_or_insert(step + 1);
                        }
                    }
                }
            }
            depth
        })
        .collect()
}

fn any_direction(random: &mut fastrand::Rng) -> Direction {
    [Direction::Outgoing, Direction::Incoming, Direction::Both][random.usize(0..3)]
}

#[test]
fn ancestors_are_those_of_the_closure() {
    for seed in 0..500 {
        let graph = RandomGraph::new(seed, 40);
        let nodes = graph.ids.len();
        let mut random = fastrand::Rng::with_seed(seed);
        let undirected = random.u8(0..4) == 0;
        let direction = any_direction(&mut random);
        let max_depth = [None, Some(0), Some(1), Some(3)][random.usize(0..4)];
        // Sometimes more starts than climb together, and the same one twice.
        let count = [1, 3, 150][random.usize(0..3)];
        let starts: Vec<u32> = (0..if nodes == 0 { 0 } else { count })
            .map(|_| random.u32(0..nodes as u32))
            .collect();
        let above = above(&graph, undirected, direction);
        let depths = depths(&above, max_depth.unwrap_or(u32::MAX));
        let mut expected = Vec::new();
        for place in 0..nodes {
            let reaching = (0_u32..)
                .zip(&starts)
                .filter(|&(_, &start)| start as usize != place)
                .filter_map(|(number, &start)| Some((number, depths[start as usize][place]?)));
            let (numbers, distances): (Vec<u32>, Vec<u32>) = reaching.unzip();
            if let Some(&distance) = distances.iter().min() {
                expected.push(Ancestor {
                    node: graph.node(place as u32),
                    distance,
                    starts: numbers,
                    is_root: above[place].iter().all(|&up| up as usize == place),
                });
            }
        }
        expected.sort_by_key(|ancestor| (ancestor.distance, ancestor.node));
        let options = AncestorsOptions {
            direction,
            max_depth,
        };
        let projection = graph.project(undirected);
        let starts: Vec<_> = starts.iter().map(|&start| graph.node(start)).collect();
        let found = ancestors(&projection, &starts, &options, &mut Watch::quiet()).unwrap();
        assert_eq!(found, expected, "seed {seed}");
    }
}

#[test]
fn paths_to_roots_are_those_of_trying_everything() {
    let mut most = 0;
    let mut cut = 0;
    'graphs: for seed in 0..800 {
        let graph = RandomGraph::new(seed, 14);
        let nodes = graph.ids.len();
        if nodes == 0 {
            continue;
        }
        let mut random = fastrand::Rng::with_seed(seed);
        let direction = any_direction(&mut random);
        let above = above(&graph, false, direction);
        let start = random.u32(0..nodes as u32);
        let max_depth = [None, Some(0), Some(2), Some(4)][random.usize(0..4)];
        let mut expected = Vec::new();
        let mut open = vec![vec![start]];
        let mut tried = 0;
        while let Some(path) = open.pop() {
            tried += 1;
            if tried > 50_000 {
                continue 'graphs;
            }
            let last = *path.last().unwrap();
            let ups: Vec<_> = above[last as usize]
                .iter()
                .filter(|&&up| up != last)
                .collect();
            if ups.is_empty() {
                expected.push(path);
                continue;
            }
            for &&up in ups.iter().filter(|up| !path.contains(up)) {
                open.push([path.clone(), vec![up]].concat());
            }
        }
        expected.sort();
        let all = expected.len();
        let most_steps = max_depth.map_or(usize::MAX, |depth: u32| depth as usize);
        expected.retain(|path| path.len() - 1 <= most_steps);
        let is_cut = expected.len() < all;
        cut += u32::from(is_cut);
        most = most.max(expected.len());
        let projection = graph.project(false);
        for most_paths in [usize::MAX, expected.len(), expected.len() / 2] {
            let options = RootPathsOptions {
                direction,
                max_depth,
                most_paths,
            };
            let start = graph.node(start);
            let found = paths_to_roots(&projection, start, &options, &mut Watch::quiet());
            let found = found.unwrap();
            let as_places = found.paths.iter().map(|path| {
                let places = path
                    .nodes
                    .iter()
                    .map(|&node| projection.place(node).unwrap());
                places.collect::<Vec<_>>()
            });
            let wanted = &expected[..expected.len().min(most_paths)];
            assert_eq!(
                as_places.collect::<Vec<_>>(),
                wanted,
                "seed {seed}, {options:?}"
            );
            // With a depth, more may be claimed where nothing more is, but never the reverse.
            let must = is_cut || expected.len() > most_paths;
            assert!(found.more >= must, "seed {seed}, {options:?}");
            assert!(
                max_depth.is_some() || found.more == must,
                "seed {seed}, {options:?}"
            );
        }
    }
    assert!(
        most > 10 && cut > 10,
        "the graphs are too easy: {most} paths, {cut} cut"
    );
}

#[test]
fn the_number_of_paths_may_explode() {
    // Forty diamonds on top of one another have 2^40 ways up; a cycle at the bottom adds dead ends.
    let mut relationships = vec![(0, 121, 1.0), (121, 0, 1.0)];
    for diamond in 0..40_u32 {
        let bottom = diamond * 3;
        relationships.extend([
            (bottom, bottom + 1, 1.0),
            (bottom, bottom + 2, 1.0),
            (bottom + 1, bottom + 3, 1.0),
            (bottom + 2, bottom + 3, 1.0),
        ]);
    }
    let graph = RandomGraph {
        ids: (0..122).collect(),
        relationships,
    };
    let projection = graph.project(false);
    let options = RootPathsOptions::default();
    let start = graph.node(0);
    let found = paths_to_roots(&projection, start, &options, &mut Watch::quiet()).unwrap();
    assert_eq!((found.paths.len(), found.more), (100, true));
    assert!(found.paths.iter().all(|path| path.length == 80.0));

    let everything = RootPathsOptions {
        most_paths: usize::MAX,
        ..options
    };
    let stopped = cancelled_after(5, |watch| {
        paths_to_roots(&projection, start, &everything, watch)
    });
    assert!(matches!(
        stopped,
        Err(AlgoError::Engine(crate::Error::Cancelled))
    ));
    let unknown = NodeId::new(9999);
    let outcome = paths_to_roots(&projection, unknown, &options, &mut Watch::quiet());
    assert!(matches!(outcome, Err(AlgoError::NotProjected { .. })));
}
