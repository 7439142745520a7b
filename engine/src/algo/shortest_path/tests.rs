//! Shortest paths against Floyd-Warshall and against listing every path there is.

use super::*;
use crate::algo::ProjectionOptions;
use crate::algo::random_graph::{RandomGraph, cancelled_after};

type Steps = Vec<(u32, u32, u64, f64)>;

fn directed_steps(graph: &RandomGraph, undirected: bool, direction: Direction) -> Steps {
    let forward = graph.steps(undirected);
    let turn =
        |steps: &Steps| -> Steps { steps.iter().map(|&(s, t, id, w)| (t, s, id, w)).collect() };
    match direction {
        _ if undirected => forward,
        Direction::Outgoing => forward,
        Direction::Incoming => turn(&forward),
        Direction::Both => [forward.clone(), turn(&forward)].concat(),
    }
}

/// Floyd-Warshall. Test weights are multiples of a half, so sums are exact.
fn all_distances(nodes: usize, steps: &Steps, weighted: bool) -> Vec<Vec<f64>> {
    let mut distance = vec![vec![f64::INFINITY; nodes]; nodes];
    for (place, row) in distance.iter_mut().enumerate() {
        row[place] = 0.0;
    }
    for &(from, to, _, weight) in steps {
        let known = &mut distance[from as usize][to as usize];
        *known = known.min(if weighted { weight } else { 1.0 });
    }
    for middle in 0..nodes {
        let onwards = distance[middle].clone();
        for row in &mut distance {
            let first = row[middle];
            for (known, rest) in row.iter_mut().zip(&onwards) {
                *known = known.min(first + rest);
            }
        }
    }
    distance
}

/// Every simple path of the given length, by trying everything, as (nodes, relationships).
fn every_path(
    steps: &Steps,
    weighted: bool,
    distance: &[Vec<f64>],
    (source, target): (u32, u32),
) -> Vec<(Vec<u32>, Vec<u64>)> {
    let length = distance[source as usize][target as usize];
    let mut found = Vec::new();
    let mut open = vec![(vec![source], Vec::new(), 0.0)];
    while let Some((nodes, ids, so_far)) = open.pop() {
        let last = *nodes.last().unwrap();
        if last == target {
            if so_far == length {
                found.push((nodes, ids));
            }
            continue;
        }
        for &(from, to, id, weight) in steps {
            let after = so_far + if weighted { weight } else { 1.0 };
            // Only what cannot be part of a shortest path is left out.
            let fits = after + distance[to as usize][target as usize] <= length;
            if from == last && fits && !nodes.contains(&to) {
                let nodes = [nodes.clone(), vec![to]].concat();
                open.push((nodes, [ids.clone(), vec![id]].concat(), after));
            }
        }
    }
    // By (node, relationship) step by step.
    found.sort_by_key(|(nodes, ids)| -> Vec<(u32, u64)> {
        nodes[1..]
            .iter()
            .copied()
            .zip(ids.iter().copied())
            .collect()
    });
    found.dedup();
    found
}

#[test]
fn paths_are_those_of_trying_everything() {
    let mut most = 0;
    for seed in 0..700 {
        let graph = RandomGraph::new(seed, 12);
        let nodes = graph.ids.len();
        if nodes == 0 {
            continue;
        }
        let mut random = fastrand::Rng::with_seed(seed);
        let undirected = random.bool();
        let projection = graph.project(undirected);
        let options = ShortestPathOptions {
            direction: [Direction::Outgoing, Direction::Incoming, Direction::Both]
                [random.usize(0..3)],
            weighted: random.bool(),
        };
        let steps = directed_steps(&graph, undirected, options.direction);
        let distance = all_distances(nodes, &steps, options.weighted);
        for _ in 0..6 {
            let ends = (random.u32(0..nodes as u32), random.u32(0..nodes as u32));
            let expected = every_path(&steps, options.weighted, &distance, ends);
            if expected.len() > 500 {
                continue;
            }
            most = most.max(expected.len());
            let (source, target) = (graph.node(ends.0), graph.node(ends.1));
            for limit in [usize::MAX, expected.len(), expected.len() / 2, 1] {
                let watch = &mut Watch::quiet();
                let found =
                    shortest_paths(&projection, source, target, &options, limit, watch).unwrap();
                let as_lists = found.paths.iter().map(|path| {
                    let places = path
                        .nodes
                        .iter()
                        .map(|&node| projection.place(node).unwrap());
                    let ids = path.relationships.iter().map(|id| id.get());
                    (places.collect::<Vec<_>>(), ids.collect::<Vec<_>>())
                });
                let wanted = &expected[..expected.len().min(limit)];
                let message = format!("seed {seed}, {ends:?}, {options:?}, limit {limit}");
                assert_eq!(as_lists.collect::<Vec<_>>(), wanted, "{message}");
                assert_eq!(found.more, expected.len() > limit, "{message}");
                let length = distance[ends.0 as usize][ends.1 as usize];
                assert!(
                    found.paths.iter().all(|path| path.length == length),
                    "{message}"
                );
            }
            let one = shortest_path(&projection, source, target, &options, &mut Watch::quiet());
            assert_eq!(one.unwrap().is_some(), !expected.is_empty(), "seed {seed}");
        }
    }
    assert!(most > 20, "the graphs are too easy: at most {most} paths");
}

#[test]
fn distances_are_those_of_floyd_and_warshall() {
    for seed in 0..500 {
        let graph = RandomGraph::new(seed, 30);
        let nodes = graph.ids.len();
        let mut random = fastrand::Rng::with_seed(seed);
        let undirected = random.bool();
        let projection = graph.project(undirected);
        let options = DistanceOptions {
            direction: [Direction::Outgoing, Direction::Incoming, Direction::Both]
                [random.usize(0..3)],
            weighted: random.bool(),
            max_distance: [None, Some(1.5), Some(0.0)][random.usize(0..3)],
        };
        let steps = directed_steps(&graph, undirected, options.direction);
        let distance = all_distances(nodes, &steps, options.weighted);
        let sources: Vec<u32> = (0..nodes.min(random.usize(0..4)))
            .map(|_| random.u32(0..nodes as u32))
            .collect();
        let expected: Vec<f64> = (0..nodes)
            .map(|to| {
                let each = sources.iter().map(|&from| distance[from as usize][to]);
                let nearest = each.fold(f64::INFINITY, f64::min);
                let is_near = options.max_distance.is_none_or(|most| nearest <= most);
                if is_near { nearest } else { f64::INFINITY }
            })
            .collect();
        let sources: Vec<_> = sources.iter().map(|&place| graph.node(place)).collect();
        let found = distances(&projection, &sources, &options, &mut Watch::quiet()).unwrap();
        assert_eq!(found, expected, "seed {seed}, {options:?}");
    }
}

#[test]
fn a_tangle_without_weight_is_no_trap() {
    // All weights are 0, so every path between the ends is a shortest one, and most turns are dead
    // ends for a walk that may not visit a node twice.
    let side = 40_u32;
    let mut relationships = Vec::new();
    for a in 0..side {
        for b in 0..side {
            if a != b {
                relationships.push((a, b, 0.0));
            }
        }
    }
    relationships.push((0, side, 0.0));
    relationships.push((side, side + 1, 0.0));
    let graph = RandomGraph {
        ids: (0..u64::from(side) + 2).collect(),
        relationships,
    };
    let projection = graph.project(false);
    let options = ShortestPathOptions {
        weighted: true,
        ..ShortestPathOptions::default()
    };
    let (source, target) = (graph.node(5), graph.node(side + 1));
    let found = shortest_paths(
        &projection,
        source,
        target,
        &options,
        50,
        &mut Watch::quiet(),
    );
    let found = found.unwrap();
    assert_eq!((found.paths.len(), found.more), (50, true));
    assert_eq!(found.paths[0].nodes.len(), 4);
}

#[test]
fn errors_are_typed() {
    let graph = RandomGraph::new(3, 20);
    let projection = graph.project_with(ProjectionOptions::default(), 1, 1);
    let (node, unknown) = (graph.node(0), NodeId::new(u64::MAX));
    let run = |source, target, weighted| {
        let options = ShortestPathOptions {
            weighted,
            ..ShortestPathOptions::default()
        };
        shortest_path(&projection, source, target, &options, &mut Watch::quiet())
    };
    assert!(matches!(run(node, node, true), Err(AlgoError::NoWeights)));
    assert!(matches!(
        run(node, unknown, false),
        Err(AlgoError::NotProjected { .. })
    ));
    assert!(matches!(
        run(unknown, node, false),
        Err(AlgoError::NotProjected { .. })
    ));
    let path = run(node, node, false).unwrap().unwrap();
    assert_eq!((path.nodes, path.length), (vec![node], 0.0));
    let bad = DistanceOptions {
        max_distance: Some(f64::NAN),
        ..DistanceOptions::default()
    };
    let outcome = distances(&projection, &[node], &bad, &mut Watch::quiet());
    assert!(matches!(outcome, Err(AlgoError::BadOption { .. })));

    let nodes = 100_000_u32;
    let chain = RandomGraph {
        ids: (0..u64::from(nodes)).collect(),
        relationships: (1..nodes).map(|place| (place - 1, place, 1.0)).collect(),
    };
    let projection = chain.project(false);
    for weighted in [false, true] {
        let options = ShortestPathOptions {
            weighted,
            ..ShortestPathOptions::default()
        };
        let ends = (chain.node(0), chain.node(nodes - 1));
        let run =
            |watch: &mut Watch<'_>| shortest_path(&projection, ends.0, ends.1, &options, watch);
        let path = run(&mut Watch::quiet()).unwrap().unwrap();
        assert_eq!(path.relationships.len(), nodes as usize - 1);
        assert!(matches!(cancelled_after(2, run), Err(AlgoError::Engine(_))));
    }
}
