//! Laws 1 to 8 of the operator, on random graphs.

use super::super::*;
use super::case::{Case, Condition, Dependence, RecoverCase, Scores};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const GRAPHS: u64 = 4_000;

/// A case with nothing but roots, edges and node scores.
fn bare(seed: u64) -> Case {
    let mut case = Case::random(seed);
    case.scores = Some(Scores {
        seed,
        on: Dependence::Node,
        nulls: true,
    });
    case.first = 0;
    case.last = None;
    case.unfiltered = false;
    case.top = None;
    case.per_parent = false;
    case.condition = Condition::Always;
    case.recover = None;
    case.emit = Emit::Kept;
    case.budget = None;
    case.columns = Columns::default();
    case
}

fn without_nulls(mut case: Case) -> Case {
    if let Some(scores) = &mut case.scores {
        scores.nulls = false;
    }
    case
}

fn admitted(case: &Case) -> Vec<(u64, u32)> {
    let result = case.run().expect("no budget, no error");
    result
        .rows
        .iter()
        .map(|row| (row.node.get(), row.level))
        .collect()
}

fn nodes(case: &Case) -> BTreeSet<u64> {
    admitted(case).into_iter().map(|(node, _)| node).collect()
}

#[test]
fn law_1_without_keep_levels_are_distances() {
    for seed in 0..GRAPHS {
        let case = bare(seed);
        let mut distances: BTreeMap<u64, u32> = case.roots.iter().map(|root| (*root, 0)).collect();
        let mut queue: VecDeque<u64> = case.roots.iter().copied().collect();
        while let Some(node) = queue.pop_front() {
            let next = distances[&node] + 1;
            for edge in case.edges.iter().filter(|edge| edge.parent == node) {
                distances.entry(edge.node).or_insert_with(|| {
                    queue.push_back(edge.node);
                    next
                });
            }
        }
        let seen: BTreeMap<u64, u32> = admitted(&case).into_iter().collect();
        assert_eq!(seen, distances, "seed {seed}");
    }
}

#[test]
fn law_2_a_top_that_holds_every_level_is_no_top() {
    for seed in 0..GRAPHS {
        let case = without_nulls(bare(seed));
        let mut wide = case.clone();
        wide.top = Some(99);
        assert_eq!(admitted(&wide), admitted(&case), "seed {seed}");
    }
}

#[test]
fn law_3_what_is_admitted_grows_as_the_threshold_falls() {
    for seed in 0..GRAPHS {
        let mut case = bare(seed);
        let mut before = BTreeSet::new();
        for threshold in [0.8, 0.4, 0.0, -0.4, -2.0] {
            case.condition = Condition::Above(threshold);
            let now = nodes(&case);
            assert!(before.is_subset(&now), "seed {seed} threshold {threshold}");
            before = now;
        }
    }
}

#[test]
fn law_4_in_strict_layers_recover_with_the_same_keep_is_a_flat_scan() {
    for seed in 0..GRAPHS {
        let mut case = bare(seed);
        let layers: Vec<Vec<u64>> = {
            // Layers of its own: nodes by their distance from the roots.
            let levels = admitted(&case);
            let deepest = levels.iter().map(|(_, level)| *level).max().unwrap_or(0);
            let of = |level| {
                levels
                    .iter()
                    .filter(move |row| row.1 == level)
                    .map(|row| row.0)
            };
            (0..=deepest).map(|level| of(level).collect()).collect()
        };
        let level_of = |node: u64| layers.iter().position(|layer| layer.contains(&node));
        case.edges
            .retain(|edge| match (level_of(edge.parent), level_of(edge.node)) {
                (Some(parent), Some(node)) => node == parent + 1,
                _ => false,
            });
        let threshold = Condition::Above(f64::from(u32::try_from(seed % 20).unwrap()) / 10.0 - 1.0);
        case.condition = threshold;
        case.last = u32::try_from(layers.len() - 1).ok();
        case.recover = Some(RecoverCase {
            members: (0..).zip(layers.clone()).collect(),
            scores: None,
            top: None,
            condition: threshold,
        });
        let scores = case.scores.unwrap();
        let flat: BTreeSet<(u64, u32)> = (0..)
            .zip(&layers)
            .flat_map(|(level, layer)| layer.iter().map(move |node| (*node, level)))
            .filter(|(node, level)| {
                let score = scores.of(*node, None, *level);
                threshold.of(*node, score, *level, None) == Some(true)
            })
            .collect();
        let seen: BTreeSet<(u64, u32)> = admitted(&case).into_iter().collect();
        assert_eq!(seen, flat, "seed {seed}");
    }
}

#[test]
fn law_5_null_scores_pass_neither_threshold_nor_top() {
    let (mut nulls, mut passed) = (0, [0, 0]);
    for seed in 0..GRAPHS {
        let mut by_threshold = bare(seed);
        by_threshold.condition = Condition::Above(-2.0);
        let mut by_top = bare(seed);
        by_top.top = Some(3);
        for (case, passed) in [by_threshold, by_top].into_iter().zip(&mut passed) {
            let result = case.run().unwrap();
            assert!(
                result.rows.iter().all(|row| row.score.is_some()),
                "seed {seed}"
            );
            *passed += result.rows.len();
        }
        let all = bare(seed).run().unwrap();
        nulls += all.rows.iter().filter(|row| row.score.is_none()).count();
    }
    // There were some to keep out, and others that passed.
    assert!(
        nulls > 0 && passed.iter().all(|rows| *rows > 0),
        "{nulls} {passed:?}"
    );
}

#[test]
fn law_6_the_order_of_edges_and_roots_does_not_matter() {
    for seed in 0..GRAPHS {
        let mut case = Case::random(seed);
        case.columns = Columns {
            arrivals: true,
            paths: true,
            roots: true,
        };
        let told = |case: &Case| match case.run() {
            Ok(mut result) => {
                if result.summary.truncated {
                    // How many edges it took to notice depends on who came first.
                    result.summary.edges_read = 0;
                }
                Ok((
                    result.rows.iter().map(facts).collect::<Vec<_>>(),
                    result.summary,
                ))
            }
            Err(TraverseError::BudgetExceeded { level, .. }) => Err(level),
            Err(error) => panic!("seed {seed}: {error}"),
        };
        let first = told(&case);
        case.shuffle ^= 1;
        case.as_projection = !case.as_projection;
        assert_eq!(told(&case), first, "seed {seed}");
    }
}

fn facts(row: Row<'_>) -> String {
    format!(
        "{} {} {:?} {} {:?} {:?} {:?}",
        row.node,
        row.level,
        row.score,
        row.status,
        row.arrival,
        row.path(),
        row.roots()
    )
}

#[test]
fn law_7_top_bounds_every_level() {
    for seed in 0..GRAPHS {
        let mut case = bare(seed);
        case.top = Some(2);
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for (_, level) in admitted(&case) {
            *counts.entry(level).or_default() += 1;
        }
        assert!(counts.values().all(|count| *count <= 2), "seed {seed}");
    }
}

#[test]
fn law_8_a_node_is_admitted_once() {
    for seed in 0..GRAPHS {
        let mut case = Case::random(seed);
        case.budget = None;
        case.emit = Emit::Kept;
        let rows = admitted(&case);
        let nodes: BTreeSet<u64> = rows.iter().map(|(node, _)| *node).collect();
        assert_eq!(nodes.len(), rows.len(), "seed {seed}");
    }
}

/// Not a law but the warning: if this ever fails, the documentation is wrong.
#[test]
fn top_is_not_monotone_in_k() {
    let shrinks = |seed| {
        let mut case = without_nulls(bare(seed));
        case.top = Some(1);
        let narrow = nodes(&case);
        case.top = Some(2);
        !narrow.is_subset(&nodes(&case))
    };
    assert!((0..GRAPHS).any(shrinks));
}
