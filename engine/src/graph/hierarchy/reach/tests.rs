//! Paths against a full search, and how little is read where little has to be.

use super::super::model::{Model, Refused, ids};
use super::*;
use fastrand::Rng;
use std::cell::Cell;

const PLENTY: u64 = 1_000_000;

fn path(model: &Model, from: u64, to: u64) -> Option<Vec<NodeId>> {
    find_path(model, NodeId::new(from), NodeId::new(to), PLENTY).unwrap()
}

#[test]
fn paths_are_the_shortest_there_are() {
    let mut found = 0;
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let nodes = rng.u64(2..30);
        // Sparse and dense ones, and with cycles too: the search does not rely on their absence.
        let relationships = rng.u64(1..nodes * 3);
        let model = Model::of((0..relationships).map(|_| (rng.u64(0..nodes), rng.u64(0..nodes))));
        for from in 0..nodes {
            let distances = model.reachable(from);
            for to in 0..nodes {
                let path = path(&model, from, to);
                assert_eq!(
                    path.as_ref().map(|path| path.len() as u64 - 1),
                    distances.get(&to).copied(),
                    "seed {seed}, from {from} to {to}"
                );
                let Some(path) = path else { continue };
                assert_eq!(path.first(), Some(&NodeId::new(from)), "seed {seed}");
                assert_eq!(path.last(), Some(&NodeId::new(to)), "seed {seed}");
                for pair in path.windows(2) {
                    let children = model.children_of(pair[0].get());
                    assert!(children.contains(&pair[1].get()), "seed {seed}: {path:?}");
                }
                found += 1;
            }
        }
    }
    assert!(found > 10_000, "the graphs hold too few paths: {found}");
}

#[test]
fn a_node_reaches_itself() {
    let model = Model::default();
    assert_eq!(path(&model, 7, 7), Some(ids([7])));
    assert_eq!(model.reads.get(), 0);
}

#[test]
fn the_cycle_of_a_new_relationship_is_named_from_child_to_parent() {
    let model = Model::of([(1, 2), (2, 3), (3, 4), (1, 4)]);
    // 4 -> 1 would close it.
    assert_eq!(path(&model, 1, 4), Some(ids([1, 4])));
    assert_eq!(path(&model, 1, 3), Some(ids([1, 2, 3])));
    assert_eq!(path(&model, 3, 1), None);
}

/// Node 0 with `leaves` children 1, 2, ..., below a line of `depth` nodes: `TOP`, `TOP + 1`, ...
struct Hub {
    leaves: u64,
    depth: u64,
    read: Cell<u64>,
}

const TOP: u64 = 1 << 40;

impl Hub {
    fn answer(&self, neighbours: impl Iterator<Item = u64>, limit: usize, out: &mut Vec<NodeId>) {
        let before = out.len();
        out.extend(neighbours.take(limit).map(NodeId::new));
        self.read
            .set(self.read.get() + 1 + (out.len() - before) as u64);
    }
}

impl Lineage for Hub {
    type Error = Refused;

    fn parents_after(
        &self,
        child: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<(), Refused> {
        let child = child.get();
        let parent = match child {
            0 if self.depth > 0 => Some(TOP + self.depth - 1),
            _ if child > TOP => Some(child - 1),
            _ if child > 0 && child <= self.leaves => Some(0),
            _ => None,
        };
        let parent = parent.filter(|&parent| after.is_none_or(|after| parent > after.get()));
        self.answer(parent.into_iter(), limit, out);
        Ok(())
    }

    fn children_after(
        &self,
        parent: NodeId,
        after: Option<NodeId>,
        limit: usize,
        out: &mut Vec<NodeId>,
    ) -> Result<(), Refused> {
        let parent = parent.get();
        let first = after.map_or(0, |after| after.get() + 1);
        let range = match parent {
            0 => first.max(1)..self.leaves + 1,
            _ if parent >= TOP && parent + 1 < TOP + self.depth => {
                first.max(parent + 1)..parent + 2
            }
            _ if parent + 1 == TOP + self.depth => first..1,
            _ => 0..0,
        };
        self.answer(range, limit, out);
        Ok(())
    }

    fn is_named(&self, _: NodeId) -> Result<bool, Refused> {
        Ok(false)
    }

    fn stored_level(&self, _: NodeId) -> Result<Option<u32>, Refused> {
        Ok(None)
    }
}

fn cost(hub: &Hub, from: u64, to: u64) -> (Option<usize>, u64) {
    hub.read.set(0);
    let path = find_path(hub, NodeId::new(from), NodeId::new(to), u64::MAX).unwrap();
    (path.map(|path| path.len()), hub.read.get())
}

#[test]
fn a_new_leaf_and_a_new_root_cost_a_few_reads() {
    let hub = Hub {
        leaves: 1_000_000,
        depth: 100_000,
        read: Cell::new(0),
    };
    let new = 2_000_000;
    // A leaf below a leaf, below the hub, and a root above everything.
    assert_eq!(cost(&hub, new, 1), (None, 1));
    assert_eq!(cost(&hub, new, 0), (None, 1));
    let (path, read) = cost(&hub, TOP, new);
    assert_eq!(path, None);
    assert!(read <= 4, "{read}");
    // A root above the hub reads one portion of the million.
    let (path, read) = cost(&hub, 0, new);
    assert_eq!(path, None);
    assert!(read <= 20, "{read}");
}

#[test]
fn a_hub_is_not_read_to_its_end_when_the_other_side_is_small() {
    for (depth, most) in [(0, 30), (10, 150), (1000, 10_000)] {
        let hub = Hub {
            leaves: 1_000_000,
            depth,
            read: Cell::new(0),
        };
        // From the end of the line to the hub again: a parallel one, which closes no cycle.
        let (path, read) = cost(&hub, 0, (TOP + depth).max(TOP + 1) - 1);
        assert_eq!(path, None);
        assert!(read <= most, "{read} reads above a line of {depth}");
    }
}

#[test]
fn what_is_found_below_a_hub_needs_the_hub_not_all_its_children() {
    let hub = Hub {
        leaves: 1_000_000,
        depth: 0,
        read: Cell::new(0),
    };
    // The last leaf above the hub: upwards it is one step.
    let (path, read) = cost(&hub, 0, 1_000_000);
    assert_eq!(path, Some(2));
    assert!(read <= 50, "{read}");
}

#[test]
fn the_limit_is_an_outcome() {
    let model = Model::of((0..1000).map(|node| (node, node + 1)));
    let (from, to) = (NodeId::new(0), NodeId::new(1000));
    assert_eq!(
        find_path(&model, from, to, 500),
        Err(LineageError::LimitReached { limit: 500 })
    );
    let read = model.reads.get() + model.neighbours.get();
    assert!(read <= 502, "{read}");
    assert_eq!(
        find_path(&model, from, to, 5000).unwrap().unwrap().len(),
        1001
    );
}

#[test]
fn at_the_limit_a_path_that_is_known_is_returned() {
    let mut known_before_certain = 0;
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let model = Model::of((0..300).map(|_| (rng.u64(0..60), rng.u64(0..60))));
        let (from, to) = (NodeId::new(0), NodeId::new(59));
        let Some(shortest) = find_path(&model, from, to, PLENTY).unwrap() else {
            continue;
        };
        for limit in (0..600).step_by(7) {
            match find_path(&model, from, to, limit) {
                Ok(Some(path)) => {
                    assert!(path.len() <= shortest.len() + 1, "seed {seed}");
                    known_before_certain += u32::from(path.len() > shortest.len());
                }
                Ok(None) => panic!("seed {seed}, limit {limit}: a path was denied"),
                Err(error) => assert_eq!(error, LineageError::LimitReached { limit }),
            }
        }
    }
    assert!(known_before_certain > 0);
}

#[test]
fn what_the_view_fails_with_comes_through() {
    let model = Model::of((0..10).map(|node| (node, node + 1)));
    for reads in 0..5 {
        model.fails_after.set(Some(reads));
        assert_eq!(
            find_path(&model, NodeId::new(0), NodeId::new(10), PLENTY),
            Err(LineageError::View(Refused))
        );
    }
}
