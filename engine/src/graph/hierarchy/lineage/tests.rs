//! Neighbours come whole, once and in order, wherever the portions end.

use super::super::model::{Model, ids};
use super::*;
use fastrand::Rng;

fn all(mut kin: Kin, model: &Model) -> Vec<NodeId> {
    let mut budget = Budget::new(u64::MAX);
    let mut found = Vec::new();
    while let Some(node) = kin.next(model, &mut budget).unwrap() {
        found.push(node);
    }
    assert_eq!(budget.spent(), model.reads.get() + model.neighbours.get());
    found
}

#[test]
fn every_neighbour_comes_once_and_in_order() {
    // Around the ends of the first portions, and beyond several of the largest.
    for neighbours in [0, 1, 15, 16, 17, 79, 80, 81, 335, 336, 337, 5000] {
        let model = Model::of((1..=neighbours).flat_map(|node| [(0, node), (node, 10_000)]));
        let expected = ids(1..=neighbours);
        model.count_from_zero();
        assert_eq!(all(Kin::children_of(NodeId::new(0)), &model), expected);
        model.count_from_zero();
        assert_eq!(all(Kin::parents_of(NodeId::new(10_000)), &model), expected);
    }
}

#[test]
fn parallel_relationships_are_one_neighbour() {
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let mut model = Model::default();
        // Up to more of them than a portion holds.
        for _ in 0..rng.u64(1..30) {
            let child = rng.u64(1..100);
            for _ in 0..rng.choice([1, 2, 40]).unwrap() {
                model.add(0, child);
            }
        }
        let found = all(Kin::children_of(NodeId::new(0)), &model);
        assert_eq!(found, ids(model.children_of(0)), "seed {seed}");
    }
}

#[test]
fn a_few_neighbours_cost_one_read() {
    let model = Model::of((1..16).map(|child| (0, child)));
    model.count_from_zero();
    all(Kin::children_of(NodeId::new(0)), &model);
    assert_eq!(model.reads.get(), 1);
}
