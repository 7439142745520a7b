//! The graph against looking at everything, and what must hold of every link.

use super::*;
use crate::kernel::Kernels;
use fastrand::Rng;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

const HOW: Building = Building {
    links: 31,
    first_links: 16,
    breadth: 96,
    slack: 1.0,
    threads: 2,
    seed: 1,
};

/// Vectors about a few hundred centres, which overlap: a graph over plain noise proves nothing.
fn vectors(random: &mut Rng, count: usize, dimensions: usize) -> Vec<f32> {
    let normal = |random: &mut Rng| (0..6).map(|_| random.f32() - 0.5).sum::<f32>();
    let centres: Vec<f32> = (0..200 * dimensions).map(|_| normal(random)).collect();
    let mut vectors = Vec::with_capacity(count * dimensions);
    for _ in 0..count {
        let centre = random.usize(..200) * dimensions;
        let spread = 0.5 + random.f32();
        vectors.extend((0..dimensions).map(|at| centres[centre + at] + spread * normal(random)));
    }
    vectors
}

fn links(graph: &Graph, slot: u32) -> Vec<u32> {
    let links = graph.blocks.links(slot).iter();
    let links = links.map(|link| link.load(Ordering::Relaxed));
    let links = links.take_while(|link| *link != blocks::NO_SLOT);
    links.map(|link| link & !blocks::KEPT).collect()
}

#[test]
fn links_lead_to_other_slots_and_to_each_once() {
    let mut random = Rng::with_seed(1);
    for (count, dimensions) in [(0, 8), (1, 8), (2, 3), (50, 70), (3000, 24)] {
        let vectors = vectors(&mut random, count, dimensions);
        for metric in [Metric::Cosine, Metric::Dot, Metric::Euclidean] {
            let graph = Graph::build(&vectors, dimensions, metric, HOW).unwrap();
            for slot in 0..count as u32 {
                let links = links(&graph, slot);
                let distinct: BTreeSet<u32> = links.iter().copied().collect();
                assert_eq!(distinct.len(), links.len(), "{metric:?} {slot}: {links:?}");
                assert!(!distinct.contains(&slot) && distinct.iter().all(|to| *to < count as u32));
                assert!(count < 2 || !links.is_empty(), "{metric:?} {slot}");
            }
        }
    }
}

#[test]
fn the_graph_is_the_same_on_any_number_of_threads() {
    let vectors = vectors(&mut Rng::with_seed(2), 4000, 32);
    let build = |threads| {
        let how = Building { threads, ..HOW };
        let graph = Graph::build(&vectors, 32, Metric::Cosine, how).unwrap();
        (0..4000)
            .map(|slot| links(&graph, slot))
            .collect::<Vec<_>>()
    };
    let alone = build(1);
    assert_eq!(build(2), alone);
    assert_eq!(build(5), alone);
}

#[test]
fn what_is_near_is_found_by_every_metric() {
    let (count, dimensions) = (5000, 48);
    let mut random = Rng::with_seed(3);
    let all = vectors(&mut random, count + 100, dimensions);
    let (base, queries) = all.split_at(count * dimensions);
    for metric in [Metric::Cosine, Metric::Dot, Metric::Euclidean] {
        let graph = Graph::build(base, dimensions, metric, HOW).unwrap();
        let (mut room, mut found, mut right) = (Room::default(), Vec::new(), 0);
        for query in queries.chunks_exact(dimensions) {
            let mut all: Vec<(f32, u32)> = base
                .chunks_exact(dimensions)
                .zip(0..)
                .map(|(row, slot)| {
                    let score = code::exact(Kernels::best(), metric, query, row)
                        .unwrap()
                        .unwrap();
                    (
                        if metric == Metric::Euclidean {
                            score
                        } else {
                            -score
                        },
                        slot,
                    )
                })
                .collect();
            all.sort_by(|left, right| left.0.total_cmp(&right.0));
            graph.near(query, 100, &mut room, &mut found).unwrap();
            assert_eq!(found.len(), 100);
            right += all[..10]
                .iter()
                .filter(|(_, slot)| found.contains(slot))
                .count();
        }
        assert!(right >= 980, "{metric:?}: {right} of 1000");
    }
}

#[test]
fn every_slot_can_be_reached_from_every_other() {
    let (count, dimensions) = (3000, 16);
    let mut random = Rng::with_seed(4);
    let mut all = vectors(&mut random, count, dimensions);
    // Many of the same, which all want the same few parents.
    for copy in 0..500 {
        all.copy_within(0..dimensions, (1000 + copy) * dimensions);
    }
    for metric in [Metric::Dot, Metric::Euclidean] {
        let graph = Graph::build(&all, dimensions, metric, HOW).unwrap();
        let forward: Vec<Vec<u32>> = (0..count as u32).map(|slot| links(&graph, slot)).collect();
        let mut backward = vec![Vec::new(); count];
        for (slot, links) in forward.iter().enumerate() {
            links
                .iter()
                .for_each(|to| backward[*to as usize].push(slot as u32));
        }
        // All from one, and one from all, is all from all.
        for ways in [&forward, &backward] {
            let (mut seen, mut next) = (BTreeSet::from([0]), vec![0]);
            while let Some(slot) = next.pop() {
                let near = ways[slot as usize].iter().copied();
                next.extend(near.filter(|to| seen.insert(*to)));
            }
            assert_eq!(seen.len(), count, "{metric:?}");
        }
    }
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let build = |vector: &[f32], metric| Graph::build(vector, 2, metric, HOW).map(|_| ());
    assert_eq!(
        build(&[0.0, 0.0], Metric::Cosine),
        Err(IndexError::NoDirection)
    );
    assert_eq!(build(&[0.0, 0.0], Metric::Dot), Ok(()));
    assert_eq!(build(&[1e-30, -1e-38], Metric::Cosine), Ok(()));
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = build(&[1.0, wrong], Metric::Euclidean).unwrap_err();
        assert!(
            matches!(error, IndexError::NotFinite { place: 1, .. }),
            "{error}"
        );
    }
}
