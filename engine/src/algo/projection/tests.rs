//! Projections against plain lists, limits, and independence of threads and parts.

use std::collections::HashSet;

use roaring::RoaringTreemap;

use super::*;
use crate::algo::random_graph::{RandomGraph, cancelled_after};
use crate::error::Error;

fn all_columns(undirected: bool) -> ProjectionOptions {
    ProjectionOptions {
        undirected,
        relationships: true,
        weights: true,
        ..ProjectionOptions::default()
    }
}

/// The rows as sorted lists, the slow way.
fn rows(graph: &RandomGraph, steps: &[(u32, u32, u64, f64)]) -> Vec<Vec<(u32, u64, f32)>> {
    let mut rows = vec![Vec::new(); graph.ids.len()];
    for &(source, target, id, weight) in steps {
        rows[source as usize].push((target, id, weight as f32));
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.partial_cmp(b).unwrap());
    }
    rows
}

fn rows_of(adjacency: &Adjacency) -> Vec<Vec<(u32, u64, f32)>> {
    (0..adjacency.len() as u32)
        .map(|place| {
            let targets = adjacency.neighbours(place).iter();
            let ids = adjacency.relationships(place).unwrap().iter();
            let weights = adjacency.weights(place).unwrap().iter();
            targets
                .zip(ids.zip(weights))
                .map(|(&target, (id, &weight))| (target, id.get(), weight))
                .collect()
        })
        .collect()
}

#[test]
fn rows_are_those_of_the_plain_list() {
    for seed in 0..400 {
        let graph = RandomGraph::new(seed, 40);
        for undirected in [false, true] {
            let projection = graph.project(undirected);
            let steps = graph.steps(undirected);
            assert_eq!(
                rows_of(projection.outgoing()),
                rows(&graph, &steps),
                "seed {seed}"
            );
            let back: Vec<_> = steps.iter().map(|&(s, t, id, w)| (t, s, id, w)).collect();
            assert_eq!(
                rows_of(projection.incoming().unwrap()),
                rows(&graph, &back),
                "seed {seed}"
            );
            assert_eq!(
                projection.relationship_count(),
                graph.relationships.len() as u64
            );
            assert_eq!(projection.skipped(), 0);
        }
    }
}

#[test]
fn threads_and_parts_do_not_show() {
    for seed in 0..200 {
        let graph = RandomGraph::new(seed, 200);
        let options = ProjectionOptions {
            incoming: true,
            ..all_columns(seed % 2 == 0)
        };
        let one = graph.project_with(options, 1, 1);
        for (parts, threads) in [(3, 2), (2, 7), (5, 64)] {
            let many = graph.project_with(options, parts, threads);
            assert_eq!(one.outgoing(), many.outgoing(), "seed {seed}");
            assert_eq!(
                one.incoming().unwrap(),
                many.incoming().unwrap(),
                "seed {seed}"
            );
        }
        // Weights keep their order although the ids that gave it are not kept.
        let without_ids = ProjectionOptions {
            relationships: false,
            ..options
        };
        let weights = graph.project_with(without_ids, 3, 2);
        assert_eq!(
            weights.outgoing().all_weights(),
            one.outgoing().all_weights(),
            "seed {seed}"
        );
        assert!(weights.relationships_of(0).is_none());
    }
}

#[test]
fn parts_are_filled_by_several_threads() {
    let nodes = 5_000_u64;
    let make = |threads: u64| {
        let set: RoaringTreemap = (0..nodes).collect();
        let builder = ProjectionBuilder::from_set(&set, all_columns(false)).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let builder = &builder;
                scope.spawn(move || {
                    let mut part = builder.part();
                    for id in (0..200_000_u64).filter(|id| id % threads == thread) {
                        let mixed = id.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
                        let source = NodeId::new(mixed % nodes);
                        let target = NodeId::new((mixed >> 13) % (nodes + 100));
                        part.push(source, target, RelationshipId::new(id), None)
                            .unwrap();
                    }
                });
            }
        });
        builder
            .build(threads as usize, &mut Watch::quiet())
            .unwrap()
    };
    let (one, four) = (make(1), make(4));
    assert_eq!(one.outgoing(), four.outgoing());
    assert_eq!(one.skipped(), four.skipped());
    assert!(one.skipped() > 0);
    assert_eq!(one.skipped() + one.relationship_count(), 200_000);
}

#[test]
fn places_are_found_whatever_the_gaps() {
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let gap = [1, 2, 3, 9, 1 << 40][random.usize(0..5)];
        let mut id = random.u64(0..1000);
        let ids: Vec<u64> = (0..random.usize(0..200))
            .map(|_| {
                id += random.u64(1..=gap);
                id
            })
            .collect();
        let twice = ids.iter().rev().chain(&ids).map(|&id| NodeId::new(id));
        let builder = ProjectionBuilder::new(twice, ProjectionOptions::default()).unwrap();
        let projection = builder.build(1, &mut Watch::quiet()).unwrap();
        assert_eq!(projection.len(), ids.len(), "seed {seed}");
        let set: HashSet<u64> = ids.iter().copied().collect();
        for (place, &id) in (0_u32..).zip(&ids) {
            assert_eq!(
                projection.place(NodeId::new(id)),
                Some(place),
                "seed {seed}"
            );
            assert_eq!(projection.node(place), Some(NodeId::new(id)), "seed {seed}");
            for near in [id.saturating_sub(1), id + 1, 0, u64::MAX] {
                let found = projection.place(NodeId::new(near)).is_some();
                assert_eq!(found, set.contains(&near), "seed {seed}, id {near}");
            }
        }
        assert_eq!(projection.node(ids.len() as u32), None);
        assert_eq!(projection.neighbours(ids.len() as u32), [0_u32; 0]);
        assert_eq!(projection.degree(u32::MAX), 0);
    }
}

#[test]
fn bad_weights_name_their_relationship() {
    let node = NodeId::new(7);
    let builder = ProjectionBuilder::new([node], all_columns(false)).unwrap();
    let mut part = builder.part();
    for bad in [
        f64::NAN,
        -1.0,
        -1e-300,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e300,
    ] {
        let outcome = part.push(node, node, RelationshipId::new(42), Some(bad));
        let Err(AlgoError::BadWeight { relationship, .. }) = outcome else {
            panic!("{bad} gave {outcome:?}");
        };
        assert_eq!(relationship, RelationshipId::new(42));
    }
    for good in [0.0, -0.0, 1e-300, 3e38] {
        part.push(node, node, RelationshipId::new(1), Some(good))
            .unwrap();
    }
    // Nobody asked about a relationship that is skipped.
    part.push(node, NodeId::new(8), RelationshipId::new(2), Some(-1.0))
        .unwrap();
    drop(part);
    let projection = builder.build(1, &mut Watch::quiet()).unwrap();
    let weights = projection.weights(0).unwrap();
    assert!(weights.iter().all(|weight| weight.is_sign_positive()));
    assert_eq!(
        (projection.relationship_count(), projection.skipped()),
        (4, 1)
    );
}

#[test]
fn memory_stays_below_the_limit() {
    // The least limit that works must be close to what is held: nothing large goes uncounted.
    let build = |max_bytes: u64, incoming: bool| -> Result<Projection, AlgoError> {
        let options = ProjectionOptions {
            incoming,
            max_bytes,
            ..all_columns(false)
        };
        let builder = ProjectionBuilder::new((0..10_000).map(NodeId::new), options)?;
        let mut part = builder.part();
        for id in 0..100_000_u64 {
            let (source, target) = (NodeId::new(id % 9_973), NodeId::new(id % 9_967));
            part.push(source, target, RelationshipId::new(id), None)?;
        }
        drop(part);
        assert!(builder.bytes() <= max_bytes);
        builder.build(2, &mut Watch::quiet())
    };
    let whole = build(u64::MAX, false).unwrap();
    assert_eq!(whole.bytes(), 10_000 * 8 + 10_001 * 4 + 100_000 * 16);
    for step in 1..60 {
        let max_bytes = step * 100_000;
        match build(max_bytes, step % 2 == 0) {
            Ok(built) => {
                assert!(max_bytes > 4_400_000, "{max_bytes} cannot do");
                assert!(built.bytes() <= max_bytes);
            }
            Err(AlgoError::TooLarge {
                bytes, limit_bytes, ..
            }) => {
                assert!(bytes > max_bytes && limit_bytes == max_bytes);
                assert!(max_bytes < 4_500_000, "{max_bytes} should do");
            }
            Err(other) => panic!("{other}"),
        }
    }
    // The incoming direction, built later, obeys the same limit: 120 kB and scratch are too much.
    let options = ProjectionOptions {
        max_bytes: 210_000,
        ..ProjectionOptions::default()
    };
    let nodes = (0..10_000).map(NodeId::new);
    let builder = ProjectionBuilder::new(nodes, options).unwrap();
    let tight = builder.build(1, &mut Watch::quiet()).unwrap();
    assert!(matches!(
        tight.incoming(),
        Err(AlgoError::TooLarge {
            limit_bytes: 210_000,
            ..
        })
    ));
    assert!(matches!(build(0, false), Err(AlgoError::TooLarge { .. })));
}

#[test]
fn building_can_be_cancelled() {
    let graph = RandomGraph::new(5, 60);
    for steps in 0..2 {
        let nodes = graph.ids.iter().map(|&id| NodeId::new(id));
        let builder = ProjectionBuilder::new(nodes, all_columns(false)).unwrap();
        let mut part = builder.part();
        part.push(graph.node(0), graph.node(0), RelationshipId::new(0), None)
            .unwrap();
        drop(part);
        let outcome = cancelled_after(steps, |watch| builder.build(3, watch));
        let error = outcome.map(|_| ()).unwrap_err();
        assert!(
            matches!(error, AlgoError::Engine(Error::Cancelled)),
            "{steps} steps"
        );
    }
}
