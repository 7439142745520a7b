//! What the definition of TRAVERSE gives for a case, slowly.
//!
//! Next: `wording.rs`.

use super::case::{Case, Keep, Own, Score};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A row; nodes by their places in the case.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) node: usize,
    pub(super) level: i64,
    pub(super) score: Option<f64>,
    pub(super) status: String,
    pub(super) parent: Option<usize>,
    pub(super) edge: Option<u64>,
    pub(super) path: Vec<usize>,
    pub(super) roots: Vec<usize>,
    pub(super) rank: i64,
}

/// A way to a candidate: its score, and from where along which edge.
type Arrival = (Option<f64>, Option<(usize, usize)>);

fn by_score(left: Option<f64>, right: Option<f64>) -> Ordering {
    match (left, right) {
        (Some(left), Some(right)) => right.partial_cmp(&left).unwrap(),
        (left, right) => right.is_some().cmp(&left.is_some()),
    }
}

fn likeness(embedding: Option<[f32; 2]>) -> Option<f64> {
    let [x, y] = embedding?;
    let square = x * x + y * y;
    (square > 0.0).then(|| f64::from(x / square.sqrt()))
}

fn dot(embedding: Option<[f32; 2]>) -> Option<f64> {
    embedding.map(|[x, _]| x.into())
}

fn score(case: &Case, node: usize, edge: Option<usize>, level: i64) -> Option<f64> {
    let own = &case.nodes[node];
    match case.score {
        Score::None => None,
        Score::Likeness => likeness(own.embedding),
        Score::Dot => dot(own.embedding),
        Score::Edge => match edge {
            Some(edge) => Some(case.edges[edge].2),
            None => own.number,
        },
        Score::NodeAndLevel => own.number.map(|number| number - level as f64 / 4.0),
        Score::Leaving => {
            let leaving = case.edges.iter().filter(|edge| edge.0 == node);
            Some(leaving.count() as f64 / 4.0)
        }
        Score::Between => {
            let parent = edge.map(|edge| case.edges[edge].0);
            Some(case.between(parent, node) as f64 / 4.0)
        }
        Score::IfLeading => {
            let positive = |to: usize| case.nodes[to].number.is_some_and(|number| number > 0.0);
            let mut edges = case.edges.iter();
            let leads = edges.any(|edge| edge.0 == node && positive(edge.1));
            own.number.filter(|_| leads)
        }
    }
}

/// Which of these may stay by KEEP.
fn kept(
    keep: &Keep,
    ok: &BTreeSet<usize>,
    arrivals: &BTreeMap<usize, Vec<Arrival>>,
) -> BTreeSet<usize> {
    let Some(top) = keep.top else {
        return ok.clone();
    };
    let mut groups: BTreeMap<Option<usize>, Vec<(Option<f64>, usize)>> = BTreeMap::new();
    for node in ok {
        let mut met = BTreeSet::new();
        for (score, way) in &arrivals[node] {
            let group = way.map(|(parent, _)| parent).filter(|_| keep.per_parent);
            if arrivals[node][0].0.is_some() && score.is_some() && met.insert(group) {
                groups.entry(group).or_default().push((*score, *node));
            }
        }
    }
    let mut winners = BTreeSet::new();
    for group in groups.values_mut() {
        group.sort_by(|left, right| by_score(left.0, right.0).then(left.1.cmp(&right.1)));
        winners.extend(group.iter().take(top as usize).map(|(_, node)| *node));
    }
    winners
}

pub(super) fn traverse(case: &Case, edges: &[u64]) -> Result<Vec<Found>, String> {
    let all = Keep::default();
    let keep = case.keep.as_ref().unwrap_or(&all);
    let (first, last) = case.levels;
    let mut found = Vec::new();
    // Of what was admitted: its path.
    let mut admitted: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut starts = BTreeSet::new();
    let mut steps: Vec<(usize, usize)> = Vec::new();
    // Those that lead to the next level, which a budget may not let begin.
    let mut next_steps: Vec<(usize, usize)> = Vec::new();
    let mut refused: BTreeMap<(i64, usize), Vec<usize>> = BTreeMap::new();
    let mut arrivals: BTreeMap<usize, Vec<Arrival>> = BTreeMap::new();
    for root in &case.roots {
        arrivals.insert(*root, vec![(score(case, *root, None, 0), None)]);
    }
    let mut seen = 0;
    let mut level = 0;
    while !arrivals.is_empty() || (case.recover.is_some() && last.is_some_and(|last| level <= last))
    {
        seen += arrivals.len() as i64;
        if let Some((limit, stops)) = case.budget
            && seen > limit
        {
            if stops {
                break;
            }
            return Err("BudgetExceeded".to_owned());
        }
        steps.append(&mut next_steps);
        for ways in arrivals.values_mut() {
            ways.sort_by(|left, right| {
                let ids = |way: &Arrival| way.1.map(|(parent, edge)| (parent, edges[edge]));
                by_score(left.0, right.0).then(ids(left).cmp(&ids(right)))
            });
        }
        let free = case.unfiltered && level == 0;
        let ok: BTreeSet<usize> = arrivals
            .iter()
            .filter(|(node, ways)| {
                let parent = ways[0].1.map(|(parent, _)| parent);
                free || keep.passes(case, (**node, parent), ways[0].0)
            })
            .map(|(node, _)| *node)
            .collect();
        let winners = if free {
            ok.clone()
        } else {
            kept(keep, &ok, &arrivals)
        };
        let mut rows: BTreeMap<usize, (Arrival, &str)> = BTreeMap::new();
        for (node, ways) in &arrivals {
            let status = match (winners.contains(node), ok.contains(node)) {
                (true, _) => "kept",
                (false, true) => "cut",
                (false, false) if ways[0].0.is_none() => "unscored",
                (false, false) => "rejected",
            };
            rows.insert(*node, (ways[0], status));
        }
        if let Some((keep, own)) = case.recover.filter(|_| level >= 1) {
            let mut members: Vec<(f64, usize)> = (0..case.nodes.len())
                .filter(|node| case.nodes[*node].level == level)
                .filter(|node| !admitted.contains_key(node) && !winners.contains(node))
                .filter_map(|node| {
                    let score = match own {
                        Some(Own::Number) => case.nodes[node].number,
                        Some(Own::Dot) => dot(case.nodes[node].embedding),
                        None => score(case, node, None, level),
                    };
                    let passes = |score: &f64| keep.passes(case, (node, None), Some(*score));
                    Some((score.filter(passes)?, node))
                })
                .collect();
            members.sort_by(|left, right| {
                right
                    .0
                    .partial_cmp(&left.0)
                    .unwrap()
                    .then(left.1.cmp(&right.1))
            });
            members.truncate(keep.top.map_or(usize::MAX, |top| top as usize));
            for (score, node) in members {
                rows.insert(node, ((Some(score), None), "recovered"));
            }
        }
        let before = admitted.clone();
        let mut ordered: Vec<(usize, (Arrival, &str))> = rows.into_iter().collect();
        ordered.sort_by(|left, right| by_score(left.1.0.0, right.1.0.0).then(left.0.cmp(&right.0)));
        let mut frontier = Vec::new();
        for ((node, ((score, way), status)), rank) in ordered.into_iter().zip(1..) {
            let mut path = way.map_or(Vec::new(), |(parent, _)| before[&parent].clone());
            path.push(node);
            let stays = status == "kept" || status == "recovered";
            if stays {
                admitted.insert(node, path.clone());
                frontier.push(node);
                if level == 0 {
                    starts.insert(node);
                }
            } else {
                let parents = arrivals[&node]
                    .iter()
                    .filter_map(|(_, way)| way.map(|(parent, _)| parent));
                refused.insert((level, node), parents.collect());
            }
            if level >= first && (stays || case.candidates) {
                found.push(Found {
                    node,
                    level,
                    score,
                    status: status.to_owned(),
                    parent: way.map(|(parent, _)| parent),
                    edge: way.map(|(_, edge)| edges[edge]),
                    path,
                    roots: Vec::new(),
                    rank,
                });
            }
        }
        if last == Some(level) {
            break;
        }
        level += 1;
        arrivals = BTreeMap::new();
        for (at, (from, to, _)) in case.edges.iter().enumerate() {
            if !frontier.contains(from) || !case.goes_along(at) {
                continue;
            }
            next_steps.push((*from, *to));
            if !admitted.contains_key(to) {
                let way = (score(case, *to, Some(at), level), Some((*from, at)));
                arrivals.entry(*to).or_default().push(way);
            }
        }
    }
    if arrivals.is_empty() {
        steps.append(&mut next_steps);
    }
    roots(&mut found, &starts, &admitted, &steps, &refused);
    Ok(found)
}

/// Which roots lead to each row.
fn roots(
    found: &mut [Found],
    starts: &BTreeSet<usize>,
    admitted: &BTreeMap<usize, Vec<usize>>,
    steps: &[(usize, usize)],
    refused: &BTreeMap<(i64, usize), Vec<usize>>,
) {
    let reach = |root: usize| {
        let mut met = BTreeSet::from([root]);
        let mut queue = vec![root];
        while let Some(node) = queue.pop() {
            for (_, to) in steps.iter().filter(|(from, _)| *from == node) {
                if admitted.contains_key(to) && met.insert(*to) {
                    queue.push(*to);
                }
            }
        }
        met
    };
    let reached: BTreeMap<usize, BTreeSet<usize>> =
        starts.iter().map(|root| (*root, reach(*root))).collect();
    for row in found {
        let targets = match refused.get(&(row.level, row.node)) {
            Some(_) if row.level == 0 => {
                row.roots = vec![row.node];
                continue;
            }
            Some(parents) => parents.clone(),
            None => vec![row.node],
        };
        let leads = reached
            .iter()
            .filter(|(_, met)| targets.iter().any(|node| met.contains(node)));
        row.roots = leads.map(|(root, _)| *root).collect();
    }
}
