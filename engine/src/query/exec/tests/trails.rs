//! Trails and shortest ways on small random graphs with loops and parallel relationships, beside a search that
//! simply tries everything.

use super::{Setting, reading, rows_of};
use crate::database::Database;
use crate::graph::NO_PROPERTIES;
use crate::query::expr::Slot;
use crate::query::plan::{
    Arrow, Expand, ExpandMany, Op, Repeat, ScanBy, Segment, SelectorKind, Shortest,
};
use crate::value::{NodeId, RelationshipId, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const ARROWS: [Arrow; 3] = [Arrow::Right, Arrow::Left, Arrow::Either];

/// A graph with numbers for nodes, and for each relationship its ends.
struct Small {
    database: Database,
    nodes: u64,
    ends: Vec<(u64, u64)>,
    /// The ids that the numbers stand for.
    node_ids: Vec<NodeId>,
    relationship_ids: Vec<RelationshipId>,
}

/// Where a trail begins, its relationships, and where it ends.
type Found = (u64, Vec<u64>, u64);

impl Small {
    fn random(random: &mut fastrand::Rng) -> Self {
        let database = Database::in_memory().unwrap();
        let mut txn = database.write().unwrap();
        let nodes = random.u64(1..=5);
        let node_ids: Vec<NodeId> = (0..nodes)
            .map(|_| txn.create_node(["N"], NO_PROPERTIES).unwrap())
            .collect();
        let (mut ends, mut relationship_ids) = (Vec::new(), Vec::new());
        for _ in 0..random.usize(0..=7) {
            let (from, to) = (random.u64(..nodes), random.u64(..nodes));
            let (source, target) = (node_ids[from as usize], node_ids[to as usize]);
            let made = txn.create_relationship(source, "R", target, NO_PROPERTIES);
            relationship_ids.push(made.unwrap());
            ends.push((from, to));
        }
        txn.commit().unwrap();
        Self {
            database,
            nodes,
            ends,
            node_ids,
            relationship_ids,
        }
    }

    fn node(&self, value: &Value) -> u64 {
        let Value::Node(node) = value else {
            panic!("{value} is no node");
        };
        let number = self.node_ids.iter().position(|id| *id == node.id());
        number.unwrap() as u64
    }

    fn relationship(&self, value: &Value) -> u64 {
        let Value::Relationship(relationship) = value else {
            panic!("{value} is no relationship");
        };
        let ids = &mut self.relationship_ids.iter();
        ids.position(|id| *id == relationship.id()).unwrap() as u64
    }

    /// All trails from all nodes.
    fn trails(&self, arrow: Arrow, min: u64, max: Option<u64>) -> Vec<Found> {
        let mut found = Vec::new();
        for from in 0..self.nodes {
            self.walk(arrow, (min, max), (from, from), &mut Vec::new(), &mut found);
        }
        found
    }

    fn walk(
        &self,
        arrow: Arrow,
        (min, max): (u64, Option<u64>),
        (from, at): (u64, u64),
        trail: &mut Vec<u64>,
        found: &mut Vec<Found>,
    ) {
        let length = trail.len() as u64;
        if length >= min && max.is_none_or(|max| length <= max) {
            found.push((from, trail.clone(), at));
        }
        if max.is_some_and(|max| length >= max) {
            return;
        }
        for (number, (source, target)) in self.ends.iter().enumerate() {
            if trail.contains(&(number as u64)) {
                continue;
            }
            let mut next = BTreeSet::new();
            if arrow != Arrow::Left && *source == at {
                next.insert(*target);
            }
            if arrow != Arrow::Right && *target == at {
                next.insert(*source);
            }
            for next in next {
                trail.push(number as u64);
                self.walk(arrow, (min, max), (from, next), trail, found);
                trail.pop();
            }
        }
    }
}

fn link(arrow: Arrow, min: u64, max: Option<u64>, to_bound: bool) -> ExpandMany {
    ExpandMany {
        from: Slot(0),
        relationships: Slot(1),
        bound: false,
        to: Slot(2),
        to_bound,
        arrow,
        types: None,
        min,
        max,
        each: None,
        reversed: false,
        apart_from: Vec::new(),
    }
}

fn scan(into: u32) -> Op {
    Op::Scan {
        into: Slot(into),
        by: ScanBy::All,
    }
}

/// What the last operator finds from every node, or between every two.
fn found(small: &Small, op: Op, to_bound: bool, batch_rows: usize) -> Vec<Found> {
    let mut ops = vec![scan(0)];
    if to_bound {
        ops.push(scan(2));
    }
    ops.push(op);
    let setting = Setting {
        batch_rows,
        ..Setting::default()
    };
    let mut context = reading(&small.database, setting);
    let rows = rows_of(&mut context, ops, 6).unwrap();
    assert_eq!(context.memory.used(), 0);
    let rows = rows.iter().map(|row| {
        let Value::List(list) = &row[1] else {
            panic!("{} is no list", row[1]);
        };
        let trail = list.iter().map(|value| small.relationship(value));
        (small.node(&row[0]), trail.collect(), small.node(&row[2]))
    });
    rows.collect()
}

fn sorted(mut trails: Vec<Found>) -> Vec<Found> {
    trails.sort();
    trails
}

/// Lengths that patterns have.
const LENGTHS: [(u64, Option<u64>); 6] = [
    (0, None),
    (1, None),
    (2, None),
    (0, Some(2)),
    (1, Some(3)),
    (3, Some(3)),
];

#[test]
fn variable_lengths_give_every_trail_once() {
    let mut random = fastrand::Rng::with_seed(6);
    for _ in 0..40 {
        let small = Small::random(&mut random);
        for arrow in ARROWS {
            for (min, max) in LENGTHS {
                let expected = sorted(small.trails(arrow, min, max));
                for (to_bound, batch_rows) in [(false, 1024), (false, 1), (true, 3)] {
                    let op = Op::ExpandMany(link(arrow, min, max, to_bound));
                    let found = sorted(found(&small, op, to_bound, batch_rows));
                    assert_eq!(found, expected, "{:?} {arrow:?} {min} {max:?}", small.ends);
                }
            }
        }
    }
}

#[test]
fn rounds_of_one_relationship_are_trails_too() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..25 {
        let small = Small::random(&mut random);
        for arrow in ARROWS {
            for (min, max) in LENGTHS {
                let round = Op::Expand(Expand {
                    from: Slot(3),
                    relationship: Slot(4),
                    to: Slot(5),
                    to_bound: false,
                    arrow,
                    types: None,
                    apart_from: Vec::new(),
                    most: Vec::new(),
                });
                let repeat = Repeat {
                    from: Slot(0),
                    to: Slot(2),
                    to_bound: false,
                    min,
                    max,
                    ops: Arc::from([round]),
                    round_from: Slot(3),
                    round_to: Slot(5),
                    relationships: vec![Slot(4)],
                    lists: vec![(Slot(4), Slot(1))],
                    reversed: false,
                    apart_from: Vec::new(),
                };
                let found = sorted(found(&small, Op::Repeat(Box::new(repeat)), false, 5));
                assert_eq!(
                    found,
                    sorted(small.trails(arrow, min, max)),
                    "{:?} {arrow:?}",
                    small.ends
                );
            }
        }
    }
}

/// Whether these are the ways between two nodes that were asked for, of all that there are.
fn are_chosen(kind: SelectorKind, given: &[Vec<u64>], all: &[Vec<u64>]) -> bool {
    let lengths = |ways: &[Vec<u64>]| -> Vec<usize> {
        let mut lengths: Vec<usize> = ways.iter().map(Vec::len).collect();
        lengths.sort_unstable();
        lengths
    };
    let distinct: BTreeSet<&Vec<u64>> = given.iter().collect();
    if distinct.len() != given.len() || !given.iter().all(|way| all.contains(way)) {
        return false;
    }
    let (given, all) = (lengths(given), lengths(all));
    let mut smallest = all.clone();
    smallest.dedup();
    let up_to = |groups: u64| -> Vec<usize> {
        let last = smallest.iter().take(groups as usize).next_back().copied();
        all.iter()
            .copied()
            .filter(|length| Some(*length) <= last)
            .collect()
    };
    match kind {
        SelectorKind::All => given == all,
        SelectorKind::Any(most) => given.len() == all.len().min(most as usize),
        SelectorKind::Shortest(most) => given[..] == all[..all.len().min(most as usize)],
        SelectorKind::AllShortest => given == up_to(1),
        SelectorKind::ShortestGroups(groups) => given == up_to(groups),
    }
}

#[test]
fn the_shortest_ways_are_the_shortest_of_all_trails() {
    use SelectorKind::{AllShortest, Any, Shortest as Few, ShortestGroups};
    let kinds = [
        Any(1),
        Any(2),
        Few(1),
        Few(3),
        AllShortest,
        ShortestGroups(1),
        ShortestGroups(2),
    ];
    let mut random = fastrand::Rng::with_seed(8);
    for _ in 0..60 {
        let small = Small::random(&mut random);
        for (arrow, (min, max)) in ARROWS
            .iter()
            .flat_map(|arrow| LENGTHS.map(|length| (*arrow, length)))
        {
            let mut all: BTreeMap<(u64, u64), Vec<Vec<u64>>> = BTreeMap::new();
            for (from, trail, to) in small.trails(arrow, min, max) {
                all.entry((from, to)).or_default().push(trail);
            }
            for (kind, (to_bound, from_both)) in kinds.iter().flat_map(|kind| {
                [(false, false), (true, false), (true, true)].map(|how| (*kind, how))
            }) {
                let segment = Segment::Link {
                    link: link(arrow, min, max, to_bound),
                    single: false,
                };
                let op = Op::Shortest(Box::new(Shortest {
                    from: Slot(0),
                    to: Slot(2),
                    to_bound,
                    segments: vec![segment],
                    checks: vec![Vec::new()],
                    filters: Vec::new(),
                    kind,
                    apart_from: Vec::new(),
                    from_both,
                }));
                let mut given: BTreeMap<(u64, u64), Vec<Vec<u64>>> = BTreeMap::new();
                for (from, trail, to) in found(&small, op, to_bound, 2) {
                    given.entry((from, to)).or_default().push(trail);
                }
                let graph = &small.ends;
                let case =
                    format!("{graph:?} {arrow:?} {min}..{max:?} {kind:?} {to_bound} {from_both}");
                assert!(given.keys().eq(all.keys()), "{case}: {given:?} of {all:?}");
                for (ends, ways) in &given {
                    assert!(
                        are_chosen(kind, ways, &all[ends]),
                        "{case}: {ways:?} of {:?}",
                        all[ends]
                    );
                }
            }
        }
    }
}
