//! The definitions, written down once more as slowly as they read: a dense matrix, sums over all
//! pairs, a search through all partitions. Nothing here may call what it is compared with.

use super::super::{Quality, Undirected};

/// A graph that owns its rows, made from a list of edges.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    pub(super) offsets: Vec<u32>,
    pub(super) targets: Vec<u32>,
    pub(super) weights: Vec<f32>,
}

impl Rows {
    pub(super) fn new(nodes: usize, edges: &[(u32, u32, f32)]) -> Self {
        let mut rows = vec![Vec::new(); nodes];
        for &(a, b, weight) in edges {
            rows[a as usize].push((b, weight));
            if a != b {
                rows[b as usize].push((a, weight));
            }
        }
        let mut made = Self {
            offsets: vec![0],
            targets: Vec::new(),
            weights: Vec::new(),
        };
        for row in rows {
            for (target, weight) in row {
                made.targets.push(target);
                made.weights.push(weight);
            }
            made.offsets.push(made.targets.len() as u32);
        }
        made
    }

    pub(super) fn view(&self) -> Undirected<'_> {
        Undirected::new(&self.offsets, &self.targets, Some(&self.weights)).unwrap()
    }

    pub(super) fn unweighted(&self) -> Undirected<'_> {
        Undirected::new(&self.offsets, &self.targets, None).unwrap()
    }
}

/// A graph as a dense matrix: what stands in a row of the view, and twice that for loops.
pub(super) struct Matrix {
    pub(super) nodes: usize,
    cells: Vec<f64>,
}

impl Matrix {
    pub(super) fn new(graph: &Undirected<'_>) -> Self {
        let nodes = graph.offsets.len() - 1;
        let mut cells = vec![0.0; nodes * nodes];
        for a in 0..nodes {
            for entry in graph.offsets[a] as usize..graph.offsets[a + 1] as usize {
                let b = graph.targets[entry] as usize;
                let weight = graph
                    .weights
                    .map_or(1.0, |weights| f64::from(weights[entry]));
                cells[a * nodes + b] += if a == b { 2.0 * weight } else { weight };
            }
        }
        Self { nodes, cells }
    }

    pub(super) fn at(&self, a: usize, b: usize) -> f64 {
        self.cells[a * self.nodes + b]
    }

    fn strength(&self, a: usize) -> f64 {
        (0..self.nodes).map(|b| self.at(a, b)).sum()
    }

    /// Newman's definition, or the constant Potts model's, over all pairs of nodes.
    pub(super) fn quality(&self, kind: Quality, resolution: f64, community: &[u32]) -> f64 {
        let twice: f64 = self.cells.iter().sum();
        let strengths: Vec<f64> = (0..self.nodes).map(|a| self.strength(a)).collect();
        let mut sum = 0.0;
        for a in 0..self.nodes {
            for b in 0..self.nodes {
                if community[a] == community[b] {
                    sum += match kind {
                        Quality::Modularity if twice == 0.0 => 0.0,
                        Quality::Modularity => {
                            (self.at(a, b) - resolution * strengths[a] * strengths[b] / twice)
                                / twice
                        }
                        Quality::ConstantPotts => {
                            let pair = if a == b { 0.0 } else { resolution };
                            (self.at(a, b) - pair) / 2.0
                        }
                    };
                }
            }
        }
        sum
    }

    /// The best quality there is, by trying every partition.
    pub(super) fn best_quality(&self, kind: Quality, resolution: f64) -> f64 {
        let mut best = f64::NEG_INFINITY;
        let mut community = vec![0u32; self.nodes];
        self.try_all(kind, resolution, &mut community, 0, 0, &mut best);
        best
    }

    fn try_all(
        &self,
        kind: Quality,
        resolution: f64,
        community: &mut Vec<u32>,
        node: usize,
        used: u32,
        best: &mut f64,
    ) {
        if node == self.nodes {
            *best = best.max(self.quality(kind, resolution, community));
            return;
        }
        for own in 0..=used {
            community[node] = own;
            self.try_all(
                kind,
                resolution,
                community,
                node + 1,
                used.max(own + 1),
                best,
            );
        }
    }

    /// Whether the nodes reach each other by edges among themselves.
    pub(super) fn connected(&self, nodes: &[usize]) -> bool {
        let mut reached = vec![nodes[0]];
        let mut next = 0;
        while next < reached.len() {
            for &node in nodes {
                if self.at(reached[next], node) > 0.0 && !reached.contains(&node) {
                    reached.push(node);
                }
            }
            next += 1;
        }
        reached.len() == nodes.len()
    }
}

/// The members of each community.
pub(super) fn members(community: &[u32], count: u32) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); count as usize];
    for (node, &own) in community.iter().enumerate() {
        members[own as usize].push(node);
    }
    members
}
