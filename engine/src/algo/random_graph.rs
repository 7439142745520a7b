//! Small random graphs for the tests of all algorithms, with the edge cases mixed in: no nodes, one
//! node, loops, parallel relationships, isolated nodes, gaps between ids, cycles.

use super::{Projection, ProjectionBuilder, ProjectionOptions};
use crate::storage::cancel::{CancelToken, Progress, Watch};
use crate::value::{NodeId, RelationshipId};

/// A graph as plain lists, which slow reference versions read. Ends are places.
#[derive(Debug, Clone)]
pub(crate) struct RandomGraph {
    pub(crate) ids: Vec<u64>,
    /// Source, target and weight; the relationship's id is the position.
    pub(crate) relationships: Vec<(u32, u32, f64)>,
}

impl RandomGraph {
    /// The graph of this seed. Most have up to `most_nodes` nodes, a few none or one.
    pub(crate) fn new(seed: u64, most_nodes: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let nodes = match seed % 16 {
            0 => 0,
            1 => 1,
            _ => random.usize(1..=most_nodes),
        };
        let gap = random.u64(1..12);
        let mut id = random.u64(0..100);
        let ids = (0..nodes)
            .map(|_| {
                id += random.u64(1..=gap);
                id
            })
            .collect();
        let density = random.usize(0..5);
        let count = if nodes == 0 {
            0
        } else {
            random.usize(0..=nodes * density)
        };
        // Drawing ends from few nodes makes loops, parallel relationships and hubs likely.
        let reach = if random.bool() {
            nodes
        } else {
            nodes.div_ceil(3)
        };
        let acyclic = random.u8(0..4) == 0;
        let mut relationships: Vec<(u32, u32, f64)> = Vec::new();
        for _ in 0..count {
            let (mut source, mut target) = (random.usize(0..nodes), random.usize(0..reach));
            if acyclic && source <= target {
                if source == target {
                    continue;
                }
                (source, target) = (target, source);
            }
            // Few different weights, exact in binary, so that ties are common and sums are exact.
            let weight = f64::from(random.u32(0..6)) * 0.5;
            relationships.push((source as u32, target as u32, weight));
        }
        Self { ids, relationships }
    }

    /// Builds it in two parts, with provenance and weights.
    pub(crate) fn project(&self, undirected: bool) -> Projection {
        let options = ProjectionOptions {
            undirected,
            relationships: true,
            weights: true,
            ..ProjectionOptions::default()
        };
        self.project_with(options, 2, 2)
    }

    pub(crate) fn project_with(
        &self,
        options: ProjectionOptions,
        parts: usize,
        threads: usize,
    ) -> Projection {
        let nodes = self.ids.iter().rev().map(|&id| NodeId::new(id));
        let builder = ProjectionBuilder::new(nodes, options).unwrap();
        for part_number in 0..parts {
            let mut part = builder.part();
            for (id, &(source, target, weight)) in self.relationships.iter().enumerate().rev() {
                if id % parts == part_number {
                    part.push(
                        self.node(source),
                        self.node(target),
                        RelationshipId::new(id as u64),
                        Some(weight),
                    )
                    .unwrap();
                }
            }
        }
        builder.build(threads, &mut Watch::quiet()).unwrap()
    }

    pub(crate) fn node(&self, place: u32) -> NodeId {
        NodeId::new(self.ids[place as usize])
    }

    /// The steps of the graph as (from, to, relationship, weight), in both directions if asked.
    pub(crate) fn steps(&self, undirected: bool) -> Vec<(u32, u32, u64, f64)> {
        let mut steps = Vec::new();
        for (id, &(source, target, weight)) in (0_u64..).zip(&self.relationships) {
            steps.push((source, target, id, weight));
            if undirected && source != target {
                steps.push((target, source, id, weight));
            }
        }
        steps
    }
}

/// Runs `work` with a watch that is cancelled after a number of steps.
pub(crate) fn cancelled_after<R>(steps: u32, work: impl FnOnce(&mut Watch<'_>) -> R) -> R {
    let token = CancelToken::new();
    let stop = token.clone();
    let mut left = steps;
    let mut report = |_: Progress<'_>| {
        if left == 0 {
            stop.cancel();
        }
        left = left.saturating_sub(1);
    };
    work(&mut Watch::new(&mut report, token))
}
