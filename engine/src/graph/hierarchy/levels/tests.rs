//! Levels after batches of random changes against a search over everything; and what they cost.

use super::super::model::{Model, Refused, ids, set};
use super::*;
use fastrand::Rng;
use std::collections::BTreeSet;

const PLENTY: u64 = 100_000_000;

/// Asks which levels differ, compares with the slow way, stores them; gives how many they were.
fn settle_all(model: &mut Model, changed: impl IntoIterator<Item = u64>) -> usize {
    model.count_from_zero();
    let changes = relevel(model, &set(changed), PLENTY).unwrap();
    assert_eq!(changes, model.level_changes());
    model.store(&changes);
    changes.len()
}

/// A hierarchy under random changes, and what has changed since its levels were stored.
struct Gardener {
    model: Model,
    rng: Rng,
    nodes: u64,
    is_tree: bool,
    changed: BTreeSet<u64>,
    refused: u64,
}

impl Gardener {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        Self {
            model: Model::default(),
            nodes: rng.u64(3..60),
            is_tree: rng.bool(),
            rng,
            changed: BTreeSet::new(),
            refused: 0,
        }
    }

    fn any_node(&mut self) -> u64 {
        self.rng.u64(0..self.nodes)
    }

    fn any_relationship(&mut self) -> Option<(u64, u64)> {
        let all = self.model.relationships();
        self.rng.choice(all)
    }

    fn add(&mut self, parent: u64, child: u64) {
        let closes_a_cycle = self.model.reachable(child).contains_key(&parent);
        let second_parent = self.is_tree && !self.model.parents_of(child).is_empty();
        if closes_a_cycle || second_parent {
            self.refused += 1;
            return;
        }
        // As little as the contract allows: the parent only if this makes it a member.
        let is_member = self.model.members().contains(&parent);
        if !is_member {
            self.changed.insert(parent);
        }
        self.changed.insert(child);
        self.model.add(parent, child);
    }

    fn remove(&mut self, parent: u64, child: u64) {
        self.model.remove(parent, child);
        if !self.model.parents_of(child).contains(&parent) {
            self.changed.insert(child);
        }
        if self.model.children_of(parent).is_empty() {
            self.changed.insert(parent);
        }
    }

    fn edit(&mut self) {
        match self.rng.u8(0..20) {
            0..8 => {
                let (parent, child) = (self.any_node(), self.any_node());
                self.add(parent, child);
            }
            8..12 => {
                if let Some((parent, child)) = self.any_relationship() {
                    self.remove(parent, child);
                }
            }
            12..15 => {
                // A subtree gets another parent.
                if let Some((parent, child)) = self.any_relationship() {
                    let other = self.any_node();
                    self.remove(parent, child);
                    self.add(other, child);
                }
            }
            15 => {
                let node = self.any_node();
                self.delete(node);
            }
            16 => {
                // Everything below a node, from the top.
                let node = self.any_node();
                for below in self.model.reachable(node).into_keys() {
                    self.delete(below);
                }
            }
            17 => {
                // A node takes the place of another, with its parents and children.
                let (old, new) = (self.any_node(), self.any_node());
                let (parents, children) = (self.model.parents_of(old), self.model.children_of(old));
                self.delete(old);
                for parent in parents {
                    self.add(parent, new);
                }
                for child in children {
                    self.add(new, child);
                }
            }
            18 => {
                let node = self.any_node();
                self.model.name(node);
                self.changed.insert(node);
            }
            _ => {
                let node = self.any_node();
                self.model.unname(node);
                self.changed.insert(node);
            }
        }
    }

    fn delete(&mut self, node: u64) {
        self.changed.insert(node);
        let neighbours = self.model.delete(node);
        self.changed.extend(neighbours);
    }
}

#[test]
fn levels_are_right_after_every_batch_of_random_changes() {
    let (mut edits, mut changes, mut refused) = (0, 0, 0);
    for seed in 0..300 {
        let mut gardener = Gardener::new(seed);
        let largest_batch = gardener.rng.u32(1..30);
        for batch in 0..40 {
            for _ in 0..gardener.rng.u32(1..=largest_batch) {
                gardener.edit();
                edits += 1;
            }
            let changed = set(std::mem::take(&mut gardener.changed));
            let found = relevel(&gardener.model, &changed, PLENTY)
                .unwrap_or_else(|error| panic!("seed {seed}, batch {batch}: {error}"));
            let expected = gardener.model.level_changes();
            assert_eq!(found, expected, "seed {seed}, batch {batch}");
            gardener.model.store(&found);
            changes += found.len();
        }
        refused += gardener.refused;
    }
    assert!(edits > 80_000, "{edits}");
    assert!(changes > 40_000, "{changes}");
    assert!(refused > 1000, "{refused}");
}

#[test]
fn large_random_graphs_change_right() {
    for seed in 0..12 {
        let mut rng = Rng::with_seed(seed);
        let nodes = 2000;
        // Deep: each node has parents among the few before it.
        let reach = rng.u64(1..20);
        let mut model = Model::of((1..nodes).flat_map(|child| {
            let parents = rng.u64(1..4);
            let mut rng = Rng::with_seed(seed ^ child);
            (0..parents).map(move |_| (child - rng.u64(1..=reach.min(child)), child))
        }));
        for batch in 0..20 {
            let mut changed = BTreeSet::new();
            let relationships = model.relationships();
            for _ in 0..rng.u32(1..100) {
                let &(parent, child) = rng.choice(&relationships).unwrap();
                model.remove(parent, child);
                changed.extend([parent, child]);
                let other = rng.u64(0..child.max(1));
                if other != child && rng.bool() {
                    model.add(other, child);
                    changed.extend([other]);
                }
            }
            let found = relevel(&model, &set(changed), PLENTY).unwrap();
            assert_eq!(found, model.level_changes(), "seed {seed}, batch {batch}");
            model.store(&found);
        }
    }
}

#[test]
fn members_come_and_go() {
    let mut model = Model::default();
    model.name(1);
    assert_eq!(settle_all(&mut model, [1]), 1);
    model.add(1, 2);
    assert_eq!(settle_all(&mut model, [2]), 1);
    model.unname(1);
    assert_eq!(settle_all(&mut model, [1]), 0);
    model.remove(1, 2);
    let changes = relevel(&model, &set([1, 2]), PLENTY).unwrap();
    let gone = ids([1, 2]).into_iter().map(|node| (node, None));
    assert_eq!(changes, gone.collect());
}

#[test]
fn a_new_leaf_costs_a_few_reads_wherever_it_is() {
    // Wide and deep: a hub with many children at the end of a chain.
    let chain = (0..1000).map(|node| (node, node + 1));
    let mut model = Model::of(chain.chain((2000..52_000).map(|leaf| (1000, leaf))));
    for (parent, leaf) in [(1000, 90_000), (2500, 90_001), (0, 90_002)] {
        model.add(parent, leaf);
        // With the parent among the changed too, which is not necessary.
        assert_eq!(settle_all(&mut model, [parent, leaf]), 1);
        let read = model.reads.get() + model.neighbours.get() + model.levels_read.get();
        assert!(read <= 40, "{read} for a leaf below {parent}");
    }
}

/// A tree of which every node has `width` children, numbered level by level from `first`.
fn tree(first: u64, width: u64, nodes: u64) -> impl Iterator<Item = (u64, u64)> {
    (1..nodes).map(move |node| (first + (node - 1) / width, first + node))
}

fn all_reads(model: &Model) -> u64 {
    model.reads.get() + model.neighbours.get() + model.levels_read.get()
}

#[test]
fn a_subtree_that_moves_is_read_in_proportion_to_what_changes() {
    let size = 100_000;
    let mut model = Model::of(
        [(0, 1), (1, 2), (2, 3), (1, 10)]
            .into_iter()
            .chain(tree(10, 8, size)),
    );
    // Deeper: everything changes.
    model.remove(1, 10);
    model.add(3, 10);
    assert_eq!(settle_all(&mut model, [1, 3, 10]) as u64, size);
    assert!(all_reads(&model) < 14 * size, "{}", all_reads(&model));
    // Higher: everything changes.
    model.remove(3, 10);
    model.add(0, 10);
    assert_eq!(settle_all(&mut model, [0, 3, 10]) as u64, size);
    assert!(all_reads(&model) < 14 * size, "{}", all_reads(&model));
    // At the same depth below another parent: the subtree is not entered.
    model.add(0, 5);
    model.add(0, 6);
    model.remove(0, 10);
    model.add(5, 10);
    assert_eq!(settle_all(&mut model, [0, 5, 6, 10]) as u64, size + 2);
    model.remove(5, 10);
    model.add(6, 10);
    assert_eq!(settle_all(&mut model, [5, 6, 10]), 0);
    assert!(all_reads(&model) < 40, "{}", all_reads(&model));
}

#[test]
fn a_new_parent_in_the_place_of_the_old_one_leaves_what_is_below_alone() {
    let size = 100_000;
    let mut model = Model::of([(0, 1), (1, 10)].into_iter().chain(tree(10, 8, size)));
    model.delete(1);
    model.add(0, 2);
    model.add(2, 10);
    // 1 is gone and 2 is new: nothing else changes.
    assert_eq!(settle_all(&mut model, [0, 1, 2, 10]), 2);
    assert!(all_reads(&model) < 60, "{}", all_reads(&model));
}

#[test]
fn a_long_chain_is_deleted_from_the_top_in_one_call() {
    let length = 100_000;
    let mut model = Model::of((0..length).map(|node| (node, node + 1)));
    // Only its top: all below it rise by one.
    model.delete(0);
    assert_eq!(settle_all(&mut model, [0, 1]) as u64, length + 1);
    assert!(all_reads(&model) < 14 * length, "{}", all_reads(&model));
    // All of it, top down.
    for node in 1..=length {
        model.delete(node);
    }
    assert_eq!(settle_all(&mut model, 1..=length) as u64, length);
    assert!(all_reads(&model) < 14 * length, "{}", all_reads(&model));
    assert_eq!(model.level_changes().len(), 0);
}

#[test]
fn a_long_chain_sinks_in_one_call() {
    let length = 100_000;
    let mut model = Model::of((1..length).map(|node| (node, node + 1)));
    model.add(0, 1);
    assert_eq!(settle_all(&mut model, [0, 1]) as u64, length + 1);
    assert!(all_reads(&model) < 14 * length, "{}", all_reads(&model));
}

#[test]
fn a_load_gives_all_members_their_levels() {
    let size = 100_000;
    let mut model = Model::default();
    for (parent, child) in tree(0, 8, size) {
        model.add(parent, child);
    }
    assert_eq!(settle_all(&mut model, 0..size) as u64, size);
    assert!(all_reads(&model) < 14 * size, "{}", all_reads(&model));
}

#[test]
fn a_node_below_many_that_sink_is_not_read_again_for_each() {
    // Node `low` lies below all of a chain, and the chain sinks far: one after another its parents
    // come loose, and none of them supports it before the first has settled. A parent that stays
    // where it is may do so before.
    let (length, drop, low) = (2000, 3000, 1_000_000);
    for (other_parent, level) in [(None, drop + 2), (Some(2500), 2501)] {
        let chain = (0..length).map(|node| (node, node + 1));
        let line = (10_000..10_000 + drop).map(|node| (node, node + 1));
        let below = (0..length).map(|node| (node, low));
        let mut model = Model::of(chain.chain(line).chain(below));
        if let Some(depth) = other_parent {
            model.add(10_000 + depth, low);
        }
        model.add(10_000 + drop, 0);
        assert_eq!(settle_all(&mut model, [0]) as u64, length + 2);
        assert_eq!(u64::from(model.levels()[&low]), level);
        assert!(all_reads(&model) < 20 * length, "{}", all_reads(&model));
    }
}

#[test]
fn the_limit_and_failures_are_outcomes() {
    let mut model = Model::of((1..1000).map(|node| (node, node + 1)));
    model.add(0, 1);
    let changed = set([0, 1]);
    let read = |limit| relevel(&model, &changed, limit);
    assert_eq!(read(500), Err(LineageError::LimitReached { limit: 500 }));
    assert!(model.reads.get() + model.neighbours.get() <= 501);
    assert_eq!(read(PLENTY).unwrap().len(), 1001);
    for reads in [0, 1, 2, 3, 10, 1000] {
        model.fails_after.set(Some(reads));
        assert_eq!(read(PLENTY), Err(LineageError::View(Refused)), "{reads}");
    }
}

#[test]
fn a_cycle_that_no_root_leads_to_ends_in_an_error() {
    let mut model = Model::of([(1, 2), (2, 3), (0, 1)]);
    model.add(3, 1);
    model.remove(0, 1);
    let rootless = relevel(&model, &set([0, 1]), PLENTY);
    assert_eq!(
        rootless,
        Err(LineageError::Rootless {
            node: NodeId::new(1)
        })
    );
}

#[test]
fn levels_that_no_graph_can_have_come_to_an_end() {
    // What damaged bytes may say: the result is of no use, but there is one.
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let mut model = Model::of((0..40).map(|_| (rng.u64(0..20), rng.u64(0..20))));
        let strange = (0..20).map(|node| {
            let level = rng.choice([None, Some(0), Some(3), Some(u32::MAX - 1), Some(u32::MAX)]);
            (NodeId::new(node), level.flatten())
        });
        let strange = strange.collect();
        model.store(&strange);
        match relevel(&model, &set(0..20), 10_000) {
            Ok(_) | Err(LineageError::Rootless { .. }) => {}
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
}
