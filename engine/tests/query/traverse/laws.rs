//! The laws of TRAVERSE, asked of queries: 1 to 8 as `algo::traverse` states them, and two that only queries have.
//!
//! Every answer on the way is given by the clause, without the rules, and by the twin where that can say it, and
//! they have to agree row for row in all columns.
//!
//! Next: `model.rs`.

use super::case::{Case, Keep, Score};
use super::graphs::{Asked, over_graphs, same};
use super::model::{self, Found};
use super::wording;
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use stratigraph::WriteTxn;

/// A case that scores nodes and keeps all of them.
fn bare(seed: u64) -> Case {
    let mut case = Case::random(seed);
    case.levels = (0, None);
    case.unfiltered = false;
    case.score = match seed % 3 {
        0 => Score::Dot,
        1 => Score::Edge,
        _ => Score::Likeness,
    };
    case.keep = None;
    case.recover = None;
    case.candidates = false;
    case.budget = None;
    case
}

/// Its graph with a score for every node.
fn without_nulls(mut case: Case) -> Case {
    for node in &mut case.nodes {
        let embedding = node.embedding.filter(|of| *of != [0.0, 0.0]);
        node.embedding = embedding.or(Some([0.6, 0.8]));
        node.number.get_or_insert(0.25);
    }
    case
}

fn top(most: i64) -> Option<Keep> {
    let top = Some(most);
    Some(Keep {
        top,
        ..Keep::default()
    })
}

fn above(bound: f64) -> Option<Keep> {
    let bound = Some((bound, false));
    Some(Keep {
        bound,
        ..Keep::default()
    })
}

fn levels(found: &[Found]) -> Vec<(usize, i64)> {
    found.iter().map(|row| (row.node, row.level)).collect()
}

fn widths(found: &[Found]) -> BTreeMap<i64, i64> {
    let mut widths = BTreeMap::new();
    for row in found {
        *widths.entry(row.level).or_default() += 1;
    }
    widths
}

type Law = Result<(), String>;

fn law_1_without_keep_levels_are_distances(asked: &mut Asked<'_>, case: &Case) -> Law {
    let mut distances: BTreeMap<usize, i64> = case.roots.iter().map(|root| (*root, 0)).collect();
    let mut queue: VecDeque<usize> = case.roots.iter().copied().collect();
    while let Some(node) = queue.pop_front() {
        let next = distances[&node] + 1;
        for (at, (_, to, _)) in case.edges.iter().enumerate() {
            if case.edges[at].0 == node && case.goes_along(at) && !distances.contains_key(to) {
                distances.insert(*to, next);
                queue.push_back(*to);
            }
        }
    }
    let found = levels(&asked.found(case)?);
    same("law 1", &found.into_iter().collect(), &distances)
}

fn law_2_a_top_that_holds_every_level_is_no_top(asked: &mut Asked<'_>, case: &Case) -> Law {
    let all = asked.found(case)?;
    let widest = widths(&all).into_values().max().unwrap_or(0);
    let mut wide = case.clone();
    wide.keep = top(widest);
    same("law 2", &asked.found(&wide)?, &all)
}

fn law_3_what_stays_grows_as_the_threshold_falls(asked: &mut Asked<'_>, case: &Case) -> Law {
    let mut case = case.clone();
    let mut before = BTreeSet::new();
    for threshold in [0.75, 0.4, 0.0, -2.0] {
        case.keep = above(threshold);
        let found = asked.found(&case)?;
        let now: BTreeSet<usize> = found.iter().map(|row| row.node).collect();
        let grows = before.is_subset(&now);
        same(&format!("law 3 at {threshold}"), &grows, &true)?;
        before = now;
    }
    Ok(())
}

/// On a graph of its own: edges lead from each layer to the next.
fn law_4_in_layers_recover_with_the_same_keep_is_a_flat_scan(
    txn: &mut WriteTxn,
    case: &Case,
    rng: &mut Rng,
) -> Law {
    let mut case = case.clone();
    let layer: Vec<i64> = case.nodes.iter().map(|node| node.level).collect();
    case.edges
        .retain(|(from, to, _)| layer[*to] == layer[*from] + 1);
    case.roots = (0..layer.len()).filter(|node| layer[*node] == 0).collect();
    case.levels = (0, Some(rng.i64(0..5)));
    case.score = Score::Likeness;
    let keep = Keep {
        bound: Some((f64::from(rng.i32(-4..=4)) / 4.0, rng.bool())),
        ..Keep::default()
    };
    case.keep = Some(keep);
    case.recover = Some((keep, None));
    let mut asked = Asked::new(txn, &case);
    let found = asked.found(&case)?;
    let found: Vec<_> = found
        .iter()
        .map(|row| (row.node, Some(row.level), row.score))
        .collect();
    let flat = wording::flat(&case, &asked.stored.nodes);
    same("law 4", &found, &asked.nodes(flat)?)
}

fn law_5_null_scores_pass_neither_threshold_nor_top(asked: &mut Asked<'_>, case: &Case) -> Law {
    let mut case = case.clone();
    for keep in [above(-2.0), top(3)] {
        case.keep = keep;
        let found = asked.found(&case)?;
        let scored = found.iter().all(|row| row.score.is_some());
        same(&format!("law 5 of {keep:?}"), &scored, &true)?;
    }
    Ok(())
}

/// The other order is that of relationships which were made in another order and are gone along backwards.
fn law_6_the_order_of_edges_and_roots_does_not_matter(
    asked: &mut Asked<'_>,
    case: &Case,
    rng: &mut Rng,
) -> Law {
    let mut other = case.clone();
    other.backwards = !case.backwards;
    rng.shuffle(&mut other.roots);
    let mut told = |case: &Case| {
        let answer = asked.traverse(case)?;
        let edges = asked.stored.edges(case);
        let between = |id: u64| edges.iter().position(|edge| *edge == id);
        // Which of two relationships between the same nodes is as good as which of them came first.
        Ok::<_, String>(answer.map(|rows| {
            let rows = rows.into_iter().map(|row| Found {
                edge: row.edge.map(|edge| {
                    let (from, to, _) = case.edges[between(edge).unwrap()];
                    (from * case.nodes.len() + to) as u64
                }),
                ..row
            });
            rows.collect::<Vec<_>>()
        }))
    };
    same("law 6", &told(&other)?, &told(case)?)
}

fn law_7_top_bounds_every_level(asked: &mut Asked<'_>, case: &Case, rng: &mut Rng) -> Law {
    let mut case = case.clone();
    let most = rng.i64(0..4);
    case.keep = top(most);
    let widths_of_all = widths(&asked.found(&case)?);
    let bounded = widths_of_all.values().all(|width| *width <= most);
    same(&format!("law 7 of {most}"), &bounded, &true)?;
    case.keep = top(most).map(|keep| Keep {
        per_parent: true,
        ..keep
    });
    let widths = widths(&asked.found(&case)?);
    let bounded = widths.iter().all(|(level, width)| {
        let parents = level.checked_sub(1).and_then(|above| widths.get(&above));
        *width <= most * parents.copied().unwrap_or(1)
    });
    same(&format!("law 7 of {most} per parent"), &bounded, &true)
}

fn law_8_a_node_stays_once(asked: &mut Asked<'_>, case: &Case) -> Law {
    let mut case = case.clone();
    case.budget = None;
    case.candidates = false;
    let found = asked.found(&case)?;
    let nodes: BTreeSet<usize> = found.iter().map(|row| row.node).collect();
    same("law 8", &found.len(), &nodes.len())
}

/// Row for row: levels and scores in the same order, and the nodes as the design writes it.
fn law_10_with_a_threshold_alone_it_is_the_quantified_path(
    asked: &mut Asked<'_>,
    case: &Case,
    rng: &mut Rng,
) -> Law {
    let mut case = case.clone();
    // A quantifier of nothing is a mistake.
    case.levels = (0, Some(rng.i64(1..4)));
    case.score = Score::Likeness;
    case.keep = Some(Keep {
        bound: Some((f64::from(rng.i32(-4..=3)) / 4.0, rng.bool())),
        ..Keep::default()
    });
    let found = asked.found(&case)?;
    let rows: Vec<_> = found
        .iter()
        .map(|row| (row.node, Some(row.level), row.score))
        .collect();
    let walked = wording::quantified_rows(&case, &asked.stored.nodes);
    same("law 10", &rows, &asked.nodes(walked)?)?;
    let mut nodes: Vec<usize> = found.iter().map(|row| row.node).collect();
    nodes.sort_unstable();
    let walked = asked.nodes(wording::quantified(&case, &asked.stored.nodes))?;
    let mut walked: Vec<usize> = walked.into_iter().map(|(node, ..)| node).collect();
    walked.sort_unstable();
    same("law 10, the nodes alone", &nodes, &walked)
}

#[test]
fn queries_give_what_the_definition_gives() {
    over_graphs("definition=clause,plain,twin", |txn, seed| {
        let case = Case::random(seed);
        let sayable = case.clone().sayable();
        let mut asked = Asked::new(txn, &case);
        let said = wording::twin(&sayable, &asked.stored.nodes);
        same("sayable", &said.is_some(), &true)?;
        for case in [case, sayable] {
            let found = asked.traverse(&case)?;
            let expected = model::traverse(&case, asked.stored.edges(&case));
            let (text, _) = wording::clause(&case, &asked.stored.nodes);
            same(&format!("{text}\n{case:?}"), &found, &expected)?;
        }
        Ok(())
    });
}

#[test]
fn laws_hold_of_queries() {
    over_graphs("laws=1,3,5,6,7,8,10", |txn, seed| {
        let rng = &mut Rng::with_seed(!seed);
        let case = bare(seed);
        let mut asked = Asked::new(txn, &case);
        let asked = &mut asked;
        law_1_without_keep_levels_are_distances(asked, &case)?;
        law_3_what_stays_grows_as_the_threshold_falls(asked, &case)?;
        law_5_null_scores_pass_neither_threshold_nor_top(asked, &case)?;
        law_7_top_bounds_every_level(asked, &case, rng)?;
        law_10_with_a_threshold_alone_it_is_the_quantified_path(asked, &case, rng)?;
        // Everything at once, on the same graph.
        let random = Case::random(seed);
        law_6_the_order_of_edges_and_roots_does_not_matter(asked, &random, rng)?;
        law_8_a_node_stays_once(asked, &random)
    });
}

#[test]
fn laws_hold_of_graphs_of_their_own() {
    over_graphs("laws=2", |txn, seed| {
        let case = without_nulls(bare(seed));
        law_2_a_top_that_holds_every_level_is_no_top(&mut Asked::new(txn, &case), &case)
    });
    over_graphs("laws=4", |txn, seed| {
        let rng = &mut Rng::with_seed(!seed);
        law_4_in_layers_recover_with_the_same_keep_is_a_flat_scan(txn, &bare(seed), rng)
    });
}
