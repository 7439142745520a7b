//! The graphs a search works on: the one it was given, and the smaller ones made from it.
//!
//! Rows of a [`Level`] hold only edges to other nodes as far as the stages see; what lies inside a
//! node is summed in `loops`. The base borrows the caller's rows and aggregates own theirs, with
//! weights of their own type, so the stages are generic over [`EdgeWeights`] and unweighted graphs
//! read no weights at all.
//!
//! Next: `moving.rs` and `refine.rs`, which read levels.

use super::graph::Undirected;
use super::rule::Quality;
use std::iter::repeat_n;
use std::ops::Range;

/// Weights of the edges, one per target.
pub(super) trait EdgeWeights: Copy {
    /// The weights of the targets in `row`.
    fn row(&self, row: Range<usize>) -> impl Iterator<Item = f64>;
}

/// Every edge weighs 1.
#[derive(Clone, Copy)]
pub(super) struct Ones;

impl EdgeWeights for Ones {
    fn row(&self, row: Range<usize>) -> impl Iterator<Item = f64> {
        repeat_n(1.0, row.len())
    }
}

impl<N: Copy + Into<f64>> EdgeWeights for &[N] {
    fn row(&self, row: Range<usize>) -> impl Iterator<Item = f64> {
        self[row].iter().map(|&weight| weight.into())
    }
}

/// A graph as the stages see it.
#[derive(Clone, Copy)]
pub(super) struct Level<'g, W> {
    offsets: &'g [u32],
    targets: &'g [u32],
    weights: W,
    /// The edge weight inside each node.
    pub(super) loops: &'g [f64],
    /// The mass of each node (see `rule.rs`).
    pub(super) mass: &'g [f64],
    /// How many nodes of the base are in each node.
    pub(super) members: &'g [u32],
}

impl<W: EdgeWeights> Level<'_, W> {
    pub(super) fn nodes(&self) -> usize {
        self.mass.len()
    }

    /// The number of nodes, which [`Undirected`] has checked to fit.
    pub(super) fn node_count(&self) -> u32 {
        self.nodes() as u32
    }

    /// The neighbours of `node` with the weights of the edges; without `node` itself.
    #[inline]
    pub(super) fn neighbours(&self, node: u32) -> impl Iterator<Item = (u32, f64)> {
        let at = node as usize;
        let row = self.offsets[at] as usize..self.offsets[at + 1] as usize;
        let targets = self.targets[row.clone()].iter().copied();
        targets
            .zip(self.weights.row(row))
            .filter(move |&(target, _)| target != node)
    }

    /// The weight of all edges, and how many there are.
    pub(super) fn total_weight_and_edges(&self) -> (f64, f64) {
        let mut between = 0.0;
        let mut entries = 0.0;
        for node in 0..self.node_count() {
            for (_, weight) in self.neighbours(node) {
                between += weight;
                entries += 1.0;
            }
        }
        let loops = self.targets.len() as f64 - entries;
        (
            between / 2.0 + self.loops.iter().sum::<f64>(),
            entries / 2.0 + loops,
        )
    }
}

/// The graph as it was given.
pub(super) struct Base<'g, W> {
    graph: Undirected<'g>,
    weights: W,
    loops: Vec<f64>,
    mass: Vec<f64>,
    members: Vec<u32>,
}

impl<'g, W: EdgeWeights> Base<'g, W> {
    pub(super) fn new(graph: &Undirected<'g>, weights: W, quality: Quality) -> Self {
        let nodes = graph.nodes();
        let mut loops = vec![0.0; nodes];
        let mut mass = vec![1.0; nodes];
        for node in 0..nodes {
            let row = graph.row(node);
            let mut strength = 0.0;
            for (&target, weight) in graph.targets[row.clone()].iter().zip(weights.row(row)) {
                strength += weight;
                if target as usize == node {
                    loops[node] += weight;
                }
            }
            if quality == Quality::Modularity {
                // Both ends of a loop are here, and its row names it once.
                mass[node] = strength + loops[node];
            }
        }
        Self {
            graph: *graph,
            weights,
            loops,
            mass,
            members: vec![1; nodes],
        }
    }

    pub(super) fn level(&self) -> Level<'_, W> {
        Level {
            offsets: self.graph.offsets,
            targets: self.graph.targets,
            weights: self.weights,
            loops: &self.loops,
            mass: &self.mass,
            members: &self.members,
        }
    }
}

/// A graph whose nodes are sets of nodes of another.
pub(super) struct Aggregate {
    offsets: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<f64>,
    loops: Vec<f64>,
    mass: Vec<f64>,
    members: Vec<u32>,
}

impl Aggregate {
    /// Makes one node of each of the `count` sets, where `set` says in which each node of `level` is.
    pub(super) fn new<W: EdgeWeights>(level: &Level<'_, W>, set: &[u32], count: u32) -> Self {
        let sets = count as usize;
        let (starts, order) = group(set, sets);
        let mut made = Self {
            offsets: Vec::with_capacity(sets + 1),
            targets: Vec::new(),
            weights: Vec::new(),
            loops: vec![0.0; sets],
            mass: vec![0.0; sets],
            members: vec![0; sets],
        };
        made.offsets.push(0);
        let mut weight_to = vec![0.0; sets];
        let mut touched: Vec<u32> = Vec::with_capacity(sets);
        for own in 0..sets {
            for &node in &order[starts[own]..starts[own + 1]] {
                let at = node as usize;
                made.loops[own] += level.loops[at];
                made.mass[own] += level.mass[at];
                made.members[own] += level.members[at];
                for (target, weight) in level.neighbours(node) {
                    let other = set[target as usize];
                    if weight_to[other as usize] == 0.0 {
                        touched.push(other);
                    }
                    weight_to[other as usize] += weight;
                }
            }
            for other in touched.drain(..) {
                // Taking the weight also keeps a set that was noted twice (edges of weight 0) from
                // standing twice in the row.
                let weight = std::mem::take(&mut weight_to[other as usize]);
                if other as usize == own {
                    // Edges inside the set were met from both ends.
                    made.loops[own] += weight / 2.0;
                } else if weight > 0.0 {
                    made.targets.push(other);
                    made.weights.push(weight);
                }
            }
            made.offsets.push(made.targets.len() as u32);
        }
        made
    }

    pub(super) fn level(&self) -> Level<'_, &[f64]> {
        Level {
            offsets: &self.offsets,
            targets: &self.targets,
            weights: &self.weights,
            loops: &self.loops,
            mass: &self.mass,
            members: &self.members,
        }
    }
}

/// The nodes of each set side by side: where each set starts, and the nodes.
fn group(set: &[u32], sets: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; sets + 1];
    for &own in set {
        starts[own as usize + 1] += 1;
    }
    for own in 0..sets {
        starts[own + 1] += starts[own];
    }
    let mut next = starts.clone();
    let mut order = vec![0; set.len()];
    for (node, &own) in set.iter().enumerate() {
        order[next[own as usize]] = node as u32;
        next[own as usize] += 1;
    }
    (starts, order)
}

/// Numbers the sets anew, in the order of their first nodes; returns how many there are.
pub(super) fn renumber(set: &mut [u32]) -> u32 {
    const UNSEEN: u32 = u32::MAX;
    let mut numbers = vec![UNSEEN; set.len()];
    let mut count = 0;
    for own in set {
        let number = &mut numbers[*own as usize];
        if *number == UNSEEN {
            *number = count;
            count += 1;
        }
        *own = *number;
    }
    count
}

/// The set of each node, given the set of each part and the part of each node.
pub(super) fn compose(part: &[u32], set: &[u32]) -> Vec<u32> {
    part.iter().map(|&part| set[part as usize]).collect()
}

/// Splits communities into the parts that are connected inside them; a part is named by one of its
/// nodes.
pub(super) fn connected_parts<W: EdgeWeights>(level: &Level<'_, W>, community: &[u32]) -> Vec<u32> {
    const UNSEEN: u32 = u32::MAX;
    let mut part = vec![UNSEEN; community.len()];
    let mut open = Vec::new();
    for first in 0..level.node_count() {
        if part[first as usize] != UNSEEN {
            continue;
        }
        part[first as usize] = first;
        open.push(first);
        while let Some(node) = open.pop() {
            for (target, weight) in level.neighbours(node) {
                let same = community[target as usize] == community[node as usize];
                if same && weight > 0.0 && part[target as usize] == UNSEEN {
                    part[target as usize] = first;
                    open.push(target);
                }
            }
        }
    }
    part
}
