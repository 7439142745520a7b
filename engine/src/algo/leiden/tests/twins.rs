//! The local move and refinement once more, slowly: same order of visits, every sum taken afresh.
//!
//! Weights are whole numbers and the resolution a power of two, so that sums are exact in any order
//! and the fast stages must agree to the last node. Communities are random here, not settled ones:
//! that is where the conditions of refinement decide.

use super::super::*;
use super::seeds;
use super::slow::{Matrix, Rows};
use crate::storage::cancel::Watch;
use fastrand::Rng;
use std::collections::VecDeque;

/// A level with masses other than 1, and its definition.
struct Case {
    aggregate: Aggregate,
    /// Weights between nodes, as they stand in the rows; 0 on the diagonal.
    weights: Vec<Vec<f64>>,
    options: LeidenOptions,
}

impl Case {
    fn random(rng: &mut Rng) -> Self {
        let base = rng.u32(1..=40);
        let edges: Vec<_> = (0..rng.usize(..200))
            .map(|_| (rng.u32(..base), rng.u32(..base), rng.u8(1..4).into()))
            .collect();
        let rows = Rows::new(base as usize, &edges);
        let count = rng.u32(1..=base);
        let mut set: Vec<u32> = (0..base).map(|node| node % count).collect();
        rng.shuffle(&mut set);
        let graph = rows.view();
        let given = Base::new(&graph, graph.weights().unwrap(), Quality::ConstantPotts);
        let aggregate = Aggregate::new(&given.level(), &set, count);

        let matrix = Matrix::new(&graph);
        let mut weights = vec![vec![0.0; count as usize]; count as usize];
        for a in 0..base as usize {
            for b in 0..base as usize {
                if set[a] != set[b] {
                    weights[set[a] as usize][set[b] as usize] += matrix.at(a, b);
                }
            }
        }
        let options = LeidenOptions {
            quality: Quality::ConstantPotts,
            resolution: [0.125, 0.25, 0.5, 1.0][rng.usize(..4)],
            theta: 0.0,
            max_community_nodes: rng.bool().then(|| rng.u32(1..=base)),
            ..LeidenOptions::default()
        };
        Self {
            aggregate,
            weights,
            options,
        }
    }

    fn nodes(&self) -> usize {
        self.weights.len()
    }

    fn mass(&self, set: &[usize]) -> f64 {
        set.iter()
            .map(|&node| self.aggregate.level().mass[node])
            .sum()
    }

    fn between(&self, set: &[usize], other: &[usize]) -> f64 {
        let pairs = set.iter().flat_map(|&a| other.iter().map(move |&b| (a, b)));
        pairs.map(|(a, b)| self.weights[a][b]).sum()
    }

    /// What it gains to join the two, which have no node in common.
    fn gain(&self, set: &[usize], other: &[usize]) -> f64 {
        self.between(set, other) - self.options.resolution * self.mass(set) * self.mass(other)
    }

    /// The numbers next to `node`, each once, in the order of its row.
    fn met(&self, node: usize, number: &[u32]) -> Vec<u32> {
        let mut met = Vec::new();
        for (target, _) in self.aggregate.level().neighbours(node as u32) {
            if !met.contains(&number[target as usize]) {
                met.push(number[target as usize]);
            }
        }
        met
    }

    fn slow_move(&self, order: &[u32], community: &mut [u32]) {
        let nodes = self.nodes();
        let mut queue: VecDeque<usize> = order.iter().map(|&node| node as usize).collect();
        while let Some(node) = queue.pop_front() {
            let own = community[node];
            let rest = |of: u32, community: &[u32]| -> Vec<usize> {
                (0..nodes)
                    .filter(|&other| other != node && community[other] == of)
                    .collect()
            };
            let home = rest(own, community);
            let (mut best, mut best_gain) = (None, self.gain(&[node], &home));
            if !home.is_empty() && best_gain < 0.0 {
                (best, best_gain) = (Some((nodes + node) as u32), 0.0);
            }
            for other in self.met(node, community) {
                let there = rest(other, community);
                let members: f64 = self.mass(&there) + self.mass(&[node]);
                let fits = self
                    .options
                    .max_community_nodes
                    .is_none_or(|limit| members <= f64::from(limit));
                let gain = self.gain(&[node], &there);
                if other != own && fits && gain > best_gain {
                    (best, best_gain) = (Some(other), gain);
                }
            }
            let Some(best) = best else { continue };
            community[node] = best;
            // The number of a new community must not be in use already: take a free one.
            if best as usize >= nodes {
                let free = (0..nodes as u32)
                    .find(|own| !community.contains(own))
                    .unwrap();
                community[node] = free;
            }
            for (target, _) in self.aggregate.level().neighbours(node as u32) {
                let target = target as usize;
                if community[target] != community[node] && !queue.contains(&target) {
                    queue.push_back(target);
                }
            }
        }
    }

    fn slow_refine(&self, order: &[u32], community: &[u32]) -> Vec<u32> {
        let nodes = self.nodes();
        let mut refined: Vec<u32> = (0..nodes as u32).collect();
        for &node in order {
            let node = node as usize;
            let set = |of: u32, refined: &[u32]| -> Vec<usize> {
                (0..nodes).filter(|&other| refined[other] == of).collect()
            };
            let well_connected = |set: &[usize]| {
                let rest: Vec<usize> = (0..nodes)
                    .filter(|other| community[*other] == community[node] && !set.contains(other))
                    .collect();
                self.gain(set, &rest) >= 0.0
            };
            if set(refined[node], &refined).len() > 1 || !well_connected(&[node]) {
                continue;
            }
            let mut best: Option<(u32, f64)> = None;
            for other in self.met(node, &refined) {
                let there = set(other, &refined);
                let gain = self.gain(&[node], &there);
                if community[there[0]] == community[node]
                    && gain >= 0.0
                    && well_connected(&there)
                    && best.is_none_or(|(_, most)| gain > most)
                {
                    best = Some((other, gain));
                }
            }
            if let Some((other, _)) = best {
                refined[node] = other;
            }
        }
        refined
    }
}

fn random_partition(rng: &mut Rng, nodes: usize) -> Vec<u32> {
    let groups = rng.usize(1..=nodes) as u32;
    let mut community: Vec<u32> = (0..nodes).map(|_| rng.u32(..groups)).collect();
    level::renumber(&mut community);
    community
}

/// Runs `compare` on random cases, each with its seed and the order of visits of the fast stage.
fn for_each_case(compare: impl Fn(u64, &Case, &[u32], Vec<u32>, &mut Random, &mut Watch<'_>)) {
    for seed in seeds(500) {
        let mut rng = Rng::with_seed(seed);
        let case = Case::random(&mut rng);
        let community = random_partition(&mut rng, case.nodes());
        let mut random = Random::new(seed);
        let mut order = vec![0; case.nodes()];
        random.clone().permutation(&mut order);
        let mut watch = Watch::quiet();
        compare(seed, &case, &order, community, &mut random, &mut watch);
    }
}

#[test]
fn the_local_move_does_what_its_slow_twin_does() {
    for_each_case(|seed, case, order, mut community, random, watch| {
        let level = case.aggregate.level();
        let rule = Rule::new(&level, &case.options);
        let mut slow = community.clone();
        case.slow_move(order, &mut slow);
        Mover::new(case.nodes())
            .run(&level, &rule, &mut community, random, watch)
            .unwrap();
        level::renumber(&mut community);
        level::renumber(&mut slow);
        assert_eq!(community, slow, "seed {seed}, {:?}", case.options);
    });
}

#[test]
fn refinement_does_what_its_slow_twin_does() {
    for_each_case(|seed, case, order, community, random, watch| {
        let level = case.aggregate.level();
        let rule = Rule::new(&level, &case.options);
        let slow = case.slow_refine(order, &community);
        let refined = Refiner::new(case.nodes())
            .run(&level, &rule, &community, random, watch)
            .unwrap();
        assert_eq!(refined, slow, "seed {seed}, {:?}", case.options);
    });
}
