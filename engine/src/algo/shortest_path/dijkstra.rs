//! Distances by weight, after Dijkstra.
//!
//! Distances are 64-bit sums along the path, from the source on. A relationship lies on a shortest
//! path exactly if the distance of its start plus its weight *is* the distance of its end; since
//! the search computed that very sum, rounding cannot hide one.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::algo::AlgoError;
use crate::algo::pace::Pace;
use crate::algo::projection::{Entry, Ways};
use crate::algo::simple_paths::{PathGraph, Step};
use crate::storage::cancel::Watch;

/// By place: the least sum of weights from any of `sources`; infinite beyond `most`.
pub(super) fn distances(
    nodes: usize,
    sources: &[u32],
    ways: Ways<'_>,
    most: f64,
    watch: &mut Watch<'_>,
) -> Result<Vec<f64>, AlgoError> {
    search(nodes, sources, None, ways, most, watch)
}

/// The relationships on all paths of least weight; `None` if there is no path.
pub(super) fn tight_graph(
    nodes: usize,
    source: u32,
    target: u32,
    ways: Ways<'_>,
    back: Ways<'_>,
    watch: &mut Watch<'_>,
) -> Result<Option<PathGraph>, AlgoError> {
    let distance = search(nodes, &[source], Some(target), ways, f64::INFINITY, watch)?;
    let length = distance[target as usize];
    if length == f64::INFINITY {
        return Ok(None);
    }
    let mut pace = Pace::start(watch, "collect shortest paths", 0)?;
    let is_tight = |from: u32, entry: &Entry| {
        let (start, end) = (distance[from as usize], distance[entry.target as usize]);
        end <= length && start + entry.weight == end
    };
    let mut on_path = BTreeSet::from([target]);
    let mut open = vec![target];
    while let Some(place) = open.pop() {
        pace.advance(1 + back.degree(place))?;
        for entry in back.entries(place) {
            let previous = entry.target;
            let forwards = Entry {
                target: place,
                ..entry
            };
            if is_tight(previous, &forwards) && on_path.insert(previous) {
                open.push(previous);
            }
        }
    }
    let mut graph = PathGraph::new(on_path);
    for from in 0..graph.places().len() {
        let place = graph.places()[from];
        let step = |entry: Entry| {
            Some(Step {
                to: graph.position(entry.target)?,
                relationship: entry.relationship,
                length: entry.weight,
            })
        };
        let tight = ways.entries(place).filter(|entry| is_tight(place, entry));
        let steps = tight.filter_map(step).collect();
        graph.add_steps(from, steps);
        if place == target {
            graph.add_goal(from);
        }
    }
    Ok(Some(graph))
}

/// Settles nodes in the order of their distance, as far as `most` and no further than `target`.
fn search(
    nodes: usize,
    sources: &[u32],
    target: Option<u32>,
    ways: Ways<'_>,
    most: f64,
    watch: &mut Watch<'_>,
) -> Result<Vec<f64>, AlgoError> {
    let mut pace = Pace::start(watch, "measure distances", nodes as u64)?;
    let mut distance = vec![f64::INFINITY; nodes];
    // The bits of numbers that are not negative sort like the numbers.
    let mut open = BinaryHeap::new();
    for &source in sources {
        distance[source as usize] = 0.0;
        open.push(Reverse((0.0_f64.to_bits(), source)));
    }
    while let Some(Reverse((bits, place))) = open.pop() {
        let here = f64::from_bits(bits);
        // Nodes as far away as the target may still lie on a path to it, over weights of 0.
        if target.is_some_and(|target| here > distance[target as usize]) {
            break;
        }
        if here > distance[place as usize] {
            continue;
        }
        pace.advance(1 + ways.degree(place))?;
        for entry in ways.entries(place) {
            let there = here + entry.weight;
            let known = &mut distance[entry.target as usize];
            if there < *known && there <= most {
                *known = there;
                open.push(Reverse((there.to_bits(), entry.target)));
            }
        }
    }
    Ok(distance)
}
