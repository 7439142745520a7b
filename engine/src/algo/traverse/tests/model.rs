//! The meaning of TRAVERSE, written a second time: from its definition, slowly, with ordinary maps.
//!
//! It shares nothing with the operator but the case it is asked about.

use super::super::{BudgetUnit, Emit, OnExceed};
use super::case::{Case, Dependence, Edge, Way};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ModelRow {
    pub(super) node: u64,
    pub(super) level: u32,
    pub(super) score: Option<f64>,
    pub(super) status: &'static str,
    pub(super) way: Option<Way>,
    pub(super) rank: usize,
    pub(super) path: (Vec<u64>, Vec<u64>),
    pub(super) roots: Vec<u64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ModelResult {
    pub(super) rows: Vec<ModelRow>,
    pub(super) candidates: u64,
    pub(super) admitted: u64,
    pub(super) scored: u64,
    pub(super) scanned: u64,
    pub(super) truncated: bool,
}

/// One way to a candidate, with the score it gives.
#[derive(Clone, Debug)]
struct Reached {
    score: Option<f64>,
    way: Option<Way>,
    /// The nodes between parent and candidate.
    between: Vec<u64>,
}

/// The order of scores: descending, null last.
fn by_score(left: Option<f64>, right: Option<f64>) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => right.partial_cmp(&left).unwrap(),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

/// What the definition says; the error is the level at which the budget is exceeded.
pub(super) fn traverse(case: &Case) -> Result<ModelResult, u32> {
    let mut result = ModelResult::default();
    let mut admitted: BTreeMap<u64, (Vec<u64>, Vec<u64>)> = BTreeMap::new();
    let mut admitted_roots = BTreeSet::new();
    let mut taken: Vec<(u64, u64)> = Vec::new();
    // Rows that were refused, with the parents that would have led to them.
    let mut refused_parents: BTreeMap<(u32, u64), Vec<u64>> = BTreeMap::new();
    let score = |node: u64, way: Option<&Way>, level| {
        case.scores.and_then(|scores| scores.of(node, way, level))
    };
    let per_way = case
        .scores
        .is_some_and(|scores| scores.on == Dependence::Arrival);

    let mut reached: BTreeMap<u64, Vec<Reached>> = BTreeMap::new();
    for root in &case.roots {
        let start = Reached {
            score: score(*root, None, 0),
            way: None,
            between: vec![],
        };
        reached.insert(*root, vec![start]);
    }
    let mut edges_read = 0;
    let mut new_steps: Vec<(u64, u64)> = Vec::new();
    for level in 0.. {
        let goes_on = case.recover.is_some() && case.last.is_some_and(|last| level <= last);
        // Edges are counted when they are read, even if they lead to nothing new.
        let edges_spent = case
            .budget
            .is_some_and(|budget| budget.unit == BudgetUnit::Edges && edges_read > budget.limit);
        if reached.is_empty() && !goes_on && !edges_spent {
            taken.append(&mut new_steps);
            break;
        }
        let seen = result.candidates + reached.len() as u64;
        if let Some(budget) = case.budget {
            let used = match budget.unit {
                BudgetUnit::Nodes => seen,
                BudgetUnit::Edges => edges_read,
                BudgetUnit::Milliseconds => 0,
            };
            if used > budget.limit {
                if budget.on_exceed == OnExceed::Error {
                    return Err(level);
                }
                result.truncated = true;
                break;
            }
        }
        taken.append(&mut new_steps);
        result.candidates = seen;
        if case.scores.is_some() {
            let asked = reached
                .values()
                .map(|ways| if per_way { ways.len() } else { 1 });
            result.scored += asked.sum::<usize>() as u64;
        }
        for ways in reached.values_mut() {
            ways.sort_by(|left, right| {
                by_score(left.score, right.score).then_with(|| left.way.cmp(&right.way))
            });
        }

        let mut status: BTreeMap<u64, &'static str> = BTreeMap::new();
        let free = case.unfiltered && level == 0;
        let passes = |node: &u64| {
            let best = &reached[node][0];
            free || case
                .condition
                .of(*node, best.score, level, best.way.as_ref())
                == Some(true)
        };
        let k: BTreeSet<u64> = reached
            .keys()
            .copied()
            .filter(|node| passes(node))
            .collect();
        let mut t = k.clone();
        if let (Some(top), false) = (case.top, free) {
            let eligible = k.iter().filter(|node| reached[node][0].score.is_some());
            // Per parent (or for all together) the candidates with the best score from there.
            let mut ranking: BTreeMap<Option<u64>, Vec<(Option<f64>, u64)>> = BTreeMap::new();
            for node in eligible {
                let mut met = BTreeSet::new();
                for way in &reached[node] {
                    let parent = way
                        .way
                        .as_ref()
                        .map(|way| way.0)
                        .filter(|_| case.per_parent);
                    if met.insert(parent) {
                        ranking.entry(parent).or_default().push((way.score, *node));
                    }
                }
            }
            t.clear();
            for ranked in ranking.values_mut() {
                ranked.sort_by(|left, right| by_score(left.0, right.0).then(left.1.cmp(&right.1)));
                t.extend(ranked.iter().take(top).map(|(_, node)| *node));
            }
        }
        for node in reached.keys() {
            let word = if t.contains(node) {
                "kept"
            } else if k.contains(node) {
                "cut"
            } else if reached[node][0].score.is_none() {
                "unscored"
            } else {
                "rejected"
            };
            status.insert(*node, word);
        }

        let mut found: BTreeMap<u64, f64> = BTreeMap::new();
        if let (Some(recover), true) = (&case.recover, level > 0) {
            let members = recover.members.get(&level).cloned().unwrap_or_default();
            let missing: BTreeSet<u64> = (members.into_iter())
                .filter(|node| !admitted.contains_key(node) && !t.contains(node))
                .collect();
            result.scanned += missing.len() as u64;
            let own = recover.scores.or(case.scores);
            let again = recover.scores.is_some() || per_way;
            if own.is_some() {
                let asked = missing
                    .iter()
                    .filter(|node| again || !reached.contains_key(node));
                result.scored += asked.count() as u64;
            }
            let mut scored: Vec<(f64, u64)> = (missing.into_iter())
                .filter_map(|node| {
                    let score = own.and_then(|scores| scores.of(node, None, level));
                    let passes = recover.condition.of(node, score, level, None) == Some(true);
                    Some((score.filter(|_| passes)?, node))
                })
                .collect();
            scored.sort_by(|left, right| {
                by_score(Some(left.0), Some(right.0)).then(left.1.cmp(&right.1))
            });
            scored.truncate(recover.top.unwrap_or(usize::MAX));
            found.extend(scored.into_iter().map(|(score, node)| (node, score)));
        }
        for node in found.keys() {
            status.insert(*node, "recovered");
        }

        let mut rows = Vec::new();
        let mut frontier = Vec::new();
        let before = admitted.clone();
        for (node, word) in status {
            let (score, way, path) = match found.get(&node) {
                Some(score) => (Some(*score), None, (vec![node], vec![])),
                None => {
                    let best = &reached[&node][0];
                    let path = match &best.way {
                        None => (vec![node], vec![]),
                        Some((parent, relationships)) => {
                            let (mut nodes, mut steps) = before[parent].clone();
                            nodes.extend(&best.between);
                            nodes.push(node);
                            steps.extend(relationships);
                            (nodes, steps)
                        }
                    };
                    (best.score, best.way.clone(), path)
                }
            };
            if word == "kept" || word == "recovered" {
                admitted.insert(node, path.clone());
                frontier.push(node);
                if level == 0 {
                    admitted_roots.insert(node);
                }
            } else {
                let parents = reached[&node].iter().filter_map(|way| way.way.as_ref());
                refused_parents.insert((level, node), parents.map(|way| way.0).collect());
            }
            rows.push(ModelRow {
                node,
                level,
                score,
                status: word,
                way,
                rank: 0,
                path,
                roots: vec![],
            });
        }
        rows.sort_by(|left, right| {
            by_score(left.score, right.score).then(left.node.cmp(&right.node))
        });
        for (row, rank) in rows.iter_mut().zip(1..) {
            row.rank = rank;
        }
        if case.emit == Emit::Kept {
            rows.retain(|row| row.status == "kept" || row.status == "recovered");
        }
        if level >= case.first {
            result.rows.append(&mut rows);
        }
        if case.last == Some(level) {
            break;
        }

        reached = BTreeMap::new();
        let steps = case
            .edges
            .iter()
            .filter(|edge| frontier.contains(&edge.parent));
        for edge in steps {
            edges_read += 1;
            new_steps.push((edge.parent, edge.node));
            if !admitted.contains_key(&edge.node) {
                let way = way_of(edge);
                reached.entry(edge.node).or_default().push(Reached {
                    score: score(edge.node, Some(&way), level + 1),
                    way: Some(way),
                    between: edge.via.iter().map(|hop| hop.1).collect(),
                });
            }
        }
    }

    result.admitted = admitted.len() as u64;
    let reach = |root: u64| {
        let mut met = BTreeSet::from([root]);
        let mut queue = vec![root];
        while let Some(node) = queue.pop() {
            for (_, next) in taken.iter().filter(|(from, _)| *from == node) {
                if admitted.contains_key(next) && met.insert(*next) {
                    queue.push(*next);
                }
            }
        }
        met
    };
    let reach: BTreeMap<u64, BTreeSet<u64>> = admitted_roots
        .iter()
        .map(|root| (*root, reach(*root)))
        .collect();
    for row in &mut result.rows {
        let targets = match refused_parents.get(&(row.level, row.node)) {
            Some(_) if row.level == 0 => {
                row.roots = vec![row.node];
                continue;
            }
            Some(parents) => parents.clone(),
            None => vec![row.node],
        };
        let reaches = |met: &BTreeSet<u64>| targets.iter().any(|node| met.contains(node));
        let roots = reach.iter().filter(|(_, met)| reaches(met));
        row.roots = roots.map(|(root, _)| *root).collect();
    }
    Ok(result)
}

fn way_of(edge: &Edge) -> Way {
    let via = edge.via.iter().map(|hop| hop.0);
    (edge.parent, via.chain([edge.relationship]).collect())
}
