//! The graph against looking at everything, and what must hold of every link.

use super::prune::Choice;
use super::upper::batches;
use super::*;
use crate::coding::{Code, Coder, Coding};
use crate::measure::Measure;
use crate::metric::Metric;
use crate::parallel::Pace;
use fastrand::Rng;
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::Ordering;

/// How graphs are linked here.
fn linking(metric: Metric, threads: usize) -> Linking<'static> {
    static PACE: Pace = Pace::new();
    Linking {
        choice: Choice { metric },
        breadth: 96,
        links: 16,
        threads,
        pace: &PACE,
    }
}

fn lives(_slot: u32) -> bool {
    true
}

fn ground(graph: &Graph, slots: usize) -> Ground<'_> {
    Ground {
        blocks: &graph.blocks,
        slots: slots as u32,
        lives: &lives,
        hidden: None,
    }
}

/// A graph of all vectors.
fn graph(vectors: &[f32], dimensions: usize, coding: Coding, how: Linking<'_>) -> Graph {
    let count = vectors.len() / dimensions;
    let coder = Coder::new(coding, how.choice.metric, dimensions);
    let graph = Graph::new(Blocks::new(coder, 31, count as u32).unwrap(), 1);
    let mut code = Code::default();
    for (slot, vector) in vectors.chunks_exact(dimensions).enumerate() {
        graph.blocks.coder.encode(vector, &mut code).unwrap();
        #[expect(unsafe_code, reason = "the slot is new")]
        // SAFETY: this thread has the blocks for itself.
        unsafe {
            graph.blocks.fill(slot as u32, &code);
        }
    }
    let all: Vec<u32> = (0..count as u32).collect();
    let mut linkers = Vec::new();
    for batch in batches(0, count) {
        if batch.start.is_power_of_two() && batch.start > 500 {
            graph.raise(0..batch.start as u32, how, &mut linkers);
        }
        graph.link(
            &ground(&graph, count),
            how,
            &HashSet::new(),
            &all[batch],
            &mut linkers,
        );
    }
    graph.raise(0..count as u32, how, &mut linkers);
    graph
}

/// The nearest by codes.
fn near(graph: &Graph, slots: usize, query: &[f32], breadth: usize) -> Vec<u32> {
    let (mut walker, mut starts, mut code) = (Walker::default(), Vec::new(), Code::default());
    graph.blocks.coder.encode(query, &mut code).unwrap();
    let scorer = Scorer::new(&graph.blocks, &code);
    graph.find(&scorer, &mut walker, &mut starts);
    walker.walk(&ground(graph, slots), &scorer, &starts, breadth);
    walker
        .nearest
        .found()
        .iter()
        .map(|near| near.node())
        .collect()
}

/// The slots from which all others can be reached along these ways.
fn reached(ways: &[Vec<u32>], from: u32) -> BTreeSet<u32> {
    let (mut seen, mut next) = (BTreeSet::from([from]), vec![from]);
    while let Some(slot) = next.pop() {
        let near = ways[slot as usize].iter().copied();
        next.extend(near.filter(|to| seen.insert(*to)));
    }
    seen
}

/// Links from each slot, and to each.
fn ways(graph: &Graph, count: usize) -> [Vec<Vec<u32>>; 2] {
    let forward: Vec<Vec<u32>> = (0..count as u32).map(|slot| links(graph, slot)).collect();
    let mut backward = vec![Vec::new(); count];
    for (slot, links) in forward.iter().enumerate() {
        links
            .iter()
            .for_each(|to| backward[*to as usize].push(slot as u32));
    }
    [forward, backward]
}

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
            let graph = graph(&vectors, dimensions, Coding::Bytes, linking(metric, 2));
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
        let graph = graph(
            &vectors,
            32,
            Coding::Halves,
            linking(Metric::Cosine, threads),
        );
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
        for (coding, least) in [
            (Coding::Halves, 950),
            (Coding::Bytes, 980),
            (Coding::Whole, 980),
        ] {
            let graph = graph(base, dimensions, coding, linking(metric, 2));
            let mut right = 0;
            for query in queries.chunks_exact(dimensions) {
                let measure = Measure::new(metric, query);
                let rows = base.chunks_exact(dimensions).zip(0..);
                let mut all: Vec<(f32, u32)> =
                    rows.map(|(row, slot)| (measure.far(row), slot)).collect();
                all.sort_by(|left, right| left.0.total_cmp(&right.0));
                let found = near(&graph, count, query, 100);
                assert_eq!(found.len(), 100);
                right += all[..10]
                    .iter()
                    .filter(|(_, slot)| found.contains(slot))
                    .count();
            }
            assert!(right >= least, "{metric:?} {coding:?}: {right} of 1000");
        }
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
        let graph = graph(&all, dimensions, Coding::Bytes, linking(metric, 2));
        for ways in ways(&graph, count) {
            assert_eq!(reached(&ways, 0).len(), count, "{metric:?}");
        }
    }
}

#[test]
fn what_is_taken_out_leaves_no_gap() {
    let (count, dimensions) = (3000, 16);
    let mut random = Rng::with_seed(5);
    let mut all = vectors(&mut random, count, dimensions);
    for copy in 0..300 {
        all.copy_within(0..dimensions, (1000 + copy) * dimensions);
    }
    let how = linking(Metric::Euclidean, 2);
    let graph = graph(&all, dimensions, Coding::Bytes, how);
    let mut stay: Vec<u32> = (0..count as u32).collect();
    // The first of all, by which all came in, goes with the first portion; at last only one is left.
    let mut linkers = Vec::new();
    while stay.len() > 1 {
        random.shuffle(&mut stay[1..]);
        let most = (stay.len() - 1).min(700);
        let mut gone: Vec<u32> = stay.drain(..1 + random.usize(..most)).collect();
        gone.sort_unstable();
        graph.unlink(&ground(&graph, count), how, &gone, &[], &mut linkers);
        let entry = graph.entry().unwrap();
        assert!(stay.contains(&entry), "{entry}");
        let stays: BTreeSet<u32> = stay.iter().copied().collect();
        for slot in &stay {
            let links = links(&graph, *slot);
            let distinct: BTreeSet<u32> = links.iter().copied().collect();
            assert!(distinct.is_subset(&stays), "a link to one that went");
            assert!(distinct.len() == links.len() && !distinct.contains(slot));
        }
        let [forward, _] = ways(&graph, count);
        assert_eq!(reached(&forward, entry), stays);
        // Links to those that stay lead back.
        let mut backward = vec![Vec::new(); count];
        for slot in &stay {
            links(&graph, *slot)
                .iter()
                .for_each(|to| backward[*to as usize].push(*slot));
        }
        assert_eq!(reached(&backward, entry), stays);
    }
}
