//! Cycles against a full search, with planted ones.

use super::super::model::{Model, Refused, set};
use super::*;
use fastrand::Rng;

const PLENTY: u64 = 10_000_000;

fn cycle_from(model: &Model, starts: impl IntoIterator<Item = u64>) -> Option<Vec<u64>> {
    let cycle = find_cycle(model, &set(starts), PLENTY).unwrap();
    cycle.map(|cycle| cycle.into_iter().map(NodeId::get).collect())
}

/// Whether the nodes are parents of each other in turn, each once.
fn is_cycle(model: &Model, nodes: &[u64]) -> bool {
    let next = nodes.iter().skip(1).chain(nodes.first());
    let mut different = nodes.to_vec();
    different.sort_unstable();
    different.dedup();
    different.len() == nodes.len()
        && nodes
            .iter()
            .zip(next)
            .all(|(&parent, child)| model.children_of(parent).contains(child))
}

#[test]
fn cycles_are_found_if_and_only_if_they_are_reachable() {
    let (mut with, mut without) = (0, 0);
    for seed in 0..1000 {
        let mut rng = Rng::with_seed(seed);
        let nodes = rng.u64(2..25);
        let relationships = rng.u64(1..nodes * 2);
        let model = Model::of((0..relationships).map(|_| {
            let (one, other) = (rng.u64(0..nodes), rng.u64(0..nodes));
            // Mostly downwards, or nearly all of them would have a cycle.
            if rng.u8(..) < 220 {
                (one.min(other), one.max(other) + 1)
            } else {
                (one, other)
            }
        }));
        let starts: Vec<u64> = (0..=nodes).filter(|_| rng.u8(..) < 80).collect();
        // A node lies on a cycle if one of its children reaches it.
        let expected = starts
            .iter()
            .flat_map(|&start| model.reachable(start).into_keys())
            .any(|node| {
                let mut children = model.children_of(node).into_iter();
                children.any(|child| model.reachable(child).contains_key(&node))
            });
        let cycle = cycle_from(&model, starts);
        assert_eq!(cycle.is_some(), expected, "seed {seed}");
        if let Some(cycle) = cycle {
            assert!(is_cycle(&model, &cycle), "seed {seed}: {cycle:?}");
            with += 1;
        } else {
            without += 1;
        }
    }
    assert!(
        with > 100 && without > 100,
        "{with} with, {without} without"
    );
}

#[test]
fn a_node_that_is_its_own_parent_is_a_cycle_of_one() {
    let model = Model::of([(1, 2), (2, 2), (2, 3)]);
    assert_eq!(cycle_from(&model, [1]), Some(vec![2]));
    assert_eq!(cycle_from(&model, [3]), None);
}

#[test]
fn parallel_relationships_are_no_cycle() {
    let model = Model::of([(1, 2), (1, 2), (1, 2), (2, 3)]);
    assert_eq!(cycle_from(&model, [1, 2]), None);
}

#[test]
fn one_relationship_back_in_a_long_chain_is_found_and_reads_stay_linear() {
    let length = 100_000;
    let mut model = Model::of((0..length).map(|node| (node, node + 1)));
    model.count_from_zero();
    assert_eq!(cycle_from(&model, [0]), None);
    assert_eq!(model.neighbours.get(), 2 * length);
    assert_eq!(model.reads.get(), 2 * (length + 1));
    model.add(length, 3);
    let cycle = cycle_from(&model, [0]).unwrap();
    assert_eq!(cycle.len() as u64, length - 2);
    assert!(is_cycle(&model, &cycle));
}

#[test]
fn the_limit_and_failures_are_outcomes() {
    let mut model = Model::of([(1, 2), (2, 3), (3, 4)]);
    let starts = set([1]);
    assert_eq!(
        find_cycle(&model, &starts, 5),
        Err(LineageError::LimitReached { limit: 5 })
    );
    model.fails_after.set(Some(2));
    assert_eq!(
        find_cycle(&model, &starts, PLENTY),
        Err(LineageError::View(Refused))
    );
    model.fails_after.set(None);
    model.add(4, 2);
    model.hide_parent(4, 2);
    let one_sided = find_cycle(&model, &starts, PLENTY);
    assert_eq!(
        one_sided,
        Err(LineageError::OneSided {
            node: NodeId::new(2)
        })
    );
}
