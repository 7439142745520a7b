//! Known graphs, the shape of the input, options and cancelling. What holds for all graphs is in
//! `tests/guarantees.rs`, checked against `tests/slow.rs`.

use super::*;
use crate::error::Error;
use crate::storage::cancel::{CancelToken, Progress};
use fastrand::Rng;
use slow::{Matrix, Rows};
use std::ops::Range;

mod guarantees;
mod slow;
mod twins;

/// Seeds of random cases; each failure prints its own.
fn seeds(count: u64) -> Range<u64> {
    0..count
}

fn run(graph: &Undirected<'_>, options: &LeidenOptions) -> Communities {
    leiden(graph, options, &mut Watch::quiet()).unwrap()
}

fn seeded(seed: u64) -> LeidenOptions {
    LeidenOptions {
        seed,
        ..LeidenOptions::default()
    }
}

/// Zachary's karate club, from 0.
#[rustfmt::skip]
const KARATE: [(u32, &[u32]); 27] = [
    (0, &[1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31]),
    (1, &[2, 3, 7, 13, 17, 19, 21, 30]), (2, &[3, 7, 8, 9, 13, 27, 28, 32]), (3, &[7, 12, 13]),
    (4, &[6, 10]), (5, &[6, 10, 16]), (6, &[16]), (8, &[30, 32, 33]), (9, &[33]), (13, &[33]),
    (14, &[32, 33]), (15, &[32, 33]), (18, &[32, 33]), (19, &[33]), (20, &[32, 33]),
    (22, &[32, 33]), (23, &[25, 27, 29, 32, 33]), (24, &[25, 27, 31]), (25, &[31]),
    (26, &[29, 33]), (27, &[33]), (28, &[31, 33]), (29, &[32, 33]), (30, &[32, 33]),
    (31, &[32, 33]), (32, &[33]), (33, &[]),
];

fn karate() -> Rows {
    let edges: Vec<_> = KARATE
        .iter()
        .flat_map(|&(a, ends)| ends.iter().map(move |&b| (a, b, 1.0)))
        .collect();
    assert_eq!(edges.len(), 78);
    Rows::new(34, &edges)
}

#[test]
fn the_karate_club_splits_into_its_four_communities() {
    let rows = karate();
    let mut best = f64::NEG_INFINITY;
    for seed in seeds(20) {
        let found = run(&rows.unweighted(), &seeded(seed));
        // The best known modularity is 0.4198; 0.4156 is the next peak.
        let quality = found.best().quality;
        assert!(
            (0.4155..0.41980).contains(&quality),
            "seed {seed}: {quality}"
        );
        if quality > best {
            best = quality;
        }
    }
    assert!((best - 0.419_789_6).abs() < 1e-6, "{best}");
}

#[test]
fn one_seed_means_one_result() {
    let mut rng = Rng::with_seed(1);
    let edges: Vec<_> = (0..900)
        .map(|_| (rng.u32(..300), rng.u32(..300), rng.f32()))
        .collect();
    let rows = Rows::new(300, &edges);
    let first = run(&rows.view(), &seeded(5));
    assert_eq!(first, run(&rows.view(), &seeded(5)));
    let others = (6..12).map(|seed| run(&rows.view(), &seeded(seed)));
    assert!(
        others.into_iter().any(|other| other != first),
        "the seed is not used"
    );
}

#[test]
fn weights_of_one_change_nothing() {
    let rows = karate();
    for seed in seeds(5) {
        let options = seeded(seed);
        assert_eq!(
            run(&rows.view(), &options),
            run(&rows.unweighted(), &options)
        );
    }
}

#[test]
fn modularity_does_not_depend_on_the_unit_of_weight() {
    for seed in seeds(20) {
        let mut rng = Rng::with_seed(seed);
        let edges: Vec<_> = (0..200)
            .map(|_| (rng.u32(..60), rng.u32(..60), rng.f32()))
            .collect();
        // A power of two, so that only exponents change.
        let scaled: Vec<_> = edges
            .iter()
            .map(|&(a, b, w)| (a, b, w * 65_536.0))
            .collect();
        let (small, large) = (Rows::new(60, &edges), Rows::new(60, &scaled));
        let options = LeidenOptions {
            theta: 0.3,
            ..seeded(seed)
        };
        assert_eq!(
            run(&small.view(), &options),
            run(&large.view(), &options),
            "seed {seed}"
        );
    }
}

#[test]
fn resolution_makes_communities_smaller() {
    let rows = karate();
    let counts: Vec<u32> = [0.0, 0.3, 1.0, 4.0, 100.0]
        .iter()
        .map(|&resolution| {
            run(
                &rows.view(),
                &LeidenOptions {
                    resolution,
                    ..seeded(1)
                },
            )
            .best()
            .count
        })
        .collect();
    assert!(counts.is_sorted(), "{counts:?}");
    assert_eq!((counts[0], counts[4]), (1, 34));
}

#[test]
fn graphs_without_edges_have_only_single_nodes() {
    for quality in [Quality::Modularity, Quality::ConstantPotts] {
        let options = LeidenOptions {
            quality,
            ..seeded(0)
        };
        let none = run(&Rows::new(0, &[]).view(), &options);
        assert_eq!((none.best().count, none.best().quality), (0, 0.0));
        let lonely = run(&Rows::new(3, &[(1, 2, 0.0)]).view(), &options);
        assert_eq!(lonely.best().community, [0, 1, 2]);
        assert_eq!(lonely.best().quality, 0.0);
    }
    let looped = run(&Rows::new(2, &[(1, 1, 2.0)]).view(), &seeded(0));
    assert_eq!(looped.best().community, [0, 1]);
}

#[test]
fn passes_are_limited() {
    let rows = karate();
    for passes in 1..4 {
        let options = LeidenOptions {
            max_passes: Some(passes),
            ..seeded(1)
        };
        let found = run(&rows.view(), &options);
        assert!(found.pass_qualities.len() <= passes as usize);
    }
}

#[test]
fn options_out_of_range_are_named() {
    let rows = karate();
    let refused = |options: LeidenOptions| {
        let mut watch = Watch::quiet();
        match leiden(&rows.view(), &options, &mut watch) {
            Err(LeidenError::Option { name, .. }) => name,
            other => panic!("{other:?}"),
        }
    };
    let good = seeded(0);
    assert_eq!(
        refused(LeidenOptions {
            resolution: -1.0,
            ..good.clone()
        }),
        "resolution"
    );
    // Finite itself, but no quality would be.
    for quality in [Quality::Modularity, Quality::ConstantPotts] {
        assert_eq!(
            refused(LeidenOptions {
                resolution: 1e308,
                quality,
                ..good.clone()
            }),
            "resolution"
        );
    }
    assert_eq!(
        refused(LeidenOptions {
            theta: f64::NAN,
            ..good.clone()
        }),
        "theta"
    );
    assert_eq!(
        refused(LeidenOptions {
            max_passes: Some(0),
            ..good.clone()
        }),
        "max_passes"
    );
    assert_eq!(
        refused(LeidenOptions {
            max_community_nodes: Some(0),
            ..good
        }),
        "max_community_nodes"
    );
}

#[test]
fn rows_that_do_not_fit_are_refused() {
    let make = |offsets: &[u32], targets: &[u32], weights: Option<&[f32]>| {
        Undirected::new(offsets, targets, weights)
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    for (offsets, at) in [
        (&[][..], 0),
        (&[1, 2], 0),
        (&[0, 2, 1, 2], 2),
        (&[0, 1], 1),
        (&[0, 3], 1),
    ] {
        let message = make(offsets, &[0, 0], None);
        assert!(
            message.starts_with(&format!("offset {at} does not fit")),
            "{message}"
        );
    }
    assert_eq!(
        make(&[0, 1, 2], &[1, 2], None),
        "entry 1 leads to node 2, but there are 2 nodes"
    );
    assert_eq!(
        make(&[0, 1, 2], &[1, 0], Some(&[1.0])),
        "1 weights for 2 targets: there must be one each, or none at all"
    );
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        let message = make(&[0, 1, 2], &[1, 0], Some(&[1.0, bad]));
        assert!(message.starts_with("entry 1 has weight"), "{message}");
    }
}

#[test]
fn rows_that_disagree_are_found() {
    for seed in seeds(300) {
        let mut rng = Rng::with_seed(seed);
        let edges: Vec<_> = (0..20)
            .map(|_| (rng.u32(..8), rng.u32(..8), rng.u8(1..4).into()))
            .collect();
        let mut rows = Rows::new(8, &edges);
        // The order within a row says nothing, also where edges are parallel.
        for node in 0..8 {
            let row = rows.offsets[node] as usize..rows.offsets[node + 1] as usize;
            for place in row.clone() {
                let other = rng.usize(row.start..=place);
                rows.targets.swap(place, other);
                rows.weights.swap(place, other);
            }
        }
        rows.view().check_symmetric().unwrap();
        let entry = rng.usize(..rows.targets.len());
        if rng.bool() {
            rows.weights[entry] += 1.0;
        } else {
            rows.targets[entry] = (rows.targets[entry] + rng.u32(1..8)) % 8;
        }
        let graph = Undirected {
            offsets: &rows.offsets,
            targets: &rows.targets,
            weights: Some(&rows.weights),
        };
        let matrix = Matrix::new(&graph);
        let pairs = (0..8).flat_map(|a| (0..8).map(move |b| (a, b)));
        let differ = |&(a, b): &(usize, usize)| matrix.at(a, b) != matrix.at(b, a);
        match graph.check_symmetric() {
            Err(LeidenError::NotSymmetric { from, to }) => {
                assert!(
                    differ(&(from as usize, to as usize)),
                    "seed {seed}: {from}, {to}"
                );
            }
            other => {
                let missed = pairs.into_iter().find(differ);
                assert_eq!(missed, None, "seed {seed}: {other:?}");
            }
        }
    }
}

/// About one in sixty of these goes in circles without a limit on visits.
#[test]
fn rows_that_disagree_end_all_the_same() {
    for seed in seeds(500) {
        let mut rng = Rng::with_seed(seed);
        let nodes = rng.u32(3..6);
        let (mut offsets, mut targets) = (vec![0], Vec::new());
        for a in 0..nodes {
            targets.extend((0..nodes).filter(|&b| a != b && rng.bool()));
            offsets.push(targets.len() as u32);
        }
        let weights: Vec<f32> = targets.iter().map(|_| rng.u8(1..4).into()).collect();
        let graph = Undirected {
            offsets: &offsets,
            targets: &targets,
            weights: Some(&weights),
        };
        let options = LeidenOptions {
            quality: Quality::ConstantPotts,
            ..seeded(seed)
        };
        let found = run(&graph, &options);
        assert_eq!(found.best().community.len(), nodes as usize);
    }
}

#[test]
fn subgraphs_hold_the_edges_among_their_nodes() {
    for seed in seeds(50) {
        let mut rng = Rng::with_seed(seed);
        let edges: Vec<_> = (0..60)
            .map(|_| (rng.u32(..15), rng.u32(..15), rng.f32()))
            .collect();
        let rows = Rows::new(15, &edges);
        let mut nodes: Vec<u32> = (0..15).collect();
        rng.shuffle(&mut nodes);
        nodes.truncate(rng.usize(..=15));
        let part = Subgraph::induced(&rows.view(), &nodes).unwrap();
        part.view().check_symmetric().unwrap();
        let (whole, part) = (Matrix::new(&rows.view()), Matrix::new(&part.view()));
        assert_eq!(part.nodes, nodes.len());
        for (i, &a) in nodes.iter().enumerate() {
            for (j, &b) in nodes.iter().enumerate() {
                assert_eq!(
                    part.at(i, j),
                    whole.at(a as usize, b as usize),
                    "seed {seed}"
                );
            }
        }
    }
    let rows = karate();
    let refused = |nodes: &[u32]| Subgraph::induced(&rows.view(), nodes).unwrap_err();
    assert!(matches!(
        refused(&[3, 34]),
        LeidenError::UnknownNode {
            place: 1,
            node: 34,
            nodes: 34
        }
    ));
    assert!(matches!(
        refused(&[3, 4, 3]),
        LeidenError::RepeatedNode { place: 2, node: 3 }
    ));
}

#[test]
fn cancelling_stops_at_any_look() {
    let rows = karate();
    let mut looks = 0;
    let mut count = |_: Progress<'_>| looks += 1;
    leiden(
        &rows.view(),
        &seeded(1),
        &mut Watch::new(&mut count, CancelToken::new()),
    )
    .unwrap();
    assert!(looks > 5, "{looks}");
    for stop_at in 0..looks - 1 {
        let cancel = CancelToken::new();
        let (mut seen, token) = (0, cancel.clone());
        let mut report = |_: Progress<'_>| {
            if seen == stop_at {
                token.cancel();
            }
            seen += 1;
        };
        let stopped = leiden(
            &rows.view(),
            &seeded(1),
            &mut Watch::new(&mut report, cancel),
        );
        assert!(matches!(
            stopped,
            Err(LeidenError::Stopped(Error::Cancelled))
        ));
        assert_eq!(seen, stop_at + 1);
    }
}

#[test]
fn communities_are_split_where_nothing_connects_them() {
    // 0-1 and 2-3 in one community, with a bridge of weight 0; 4 in another with an edge to 1.
    let rows = Rows::new(5, &[(0, 1, 1.0), (1, 2, 0.0), (2, 3, 1.0), (1, 4, 1.0)]);
    let graph = rows.view();
    let base = Base::new(&graph, graph.weights().unwrap(), Quality::Modularity);
    let parts = level::connected_parts(&base.level(), &[0, 0, 0, 0, 1]);
    assert_eq!(parts, [0, 0, 2, 2, 4]);
}
