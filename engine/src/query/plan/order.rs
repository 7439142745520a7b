//! In which order a pattern is found: the one with the least work, as far as counts tell.
//!
//! What is known and walked so far is a part of the pattern, whichever way it was come to, and so are its rows. So
//! the cheapest way to each part is looked for, the cheapest parts first, until the part is the whole: dynamic
//! programming over parts in the order of what they cost. The number of parts that are looked at is bounded; beyond
//! that the best way so far is gone on from, one cheapest step after the other.
//!
//! Next: `start.rs`.

use super::estimate::{Estimate, Part};
use super::matching::Matcher;
use super::{Planner, Rule};
use crate::query::expr::Slot;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// How many parts are looked at. A chain of ten nodes has 55 without gaps.
const MOST_PARTS: usize = 400;
/// How many nodes, and how many links, a part can have.
const MOST_IN_PART: usize = 64;

/// What comes next of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A node is found by itself.
    Scan(Slot),
    /// A link is walked, by its place.
    Walk(usize),
}

/// A way to a part.
struct Way {
    part: Part,
    cost: f64,
    rows: f64,
    /// The way before its last step, and that step; none where everything begins.
    last: Option<(usize, Step)>,
    steps: u32,
}

/// A way that waits: the cheapest comes first, of equal ones that which was found first.
struct Waiting {
    cost: f64,
    at: usize,
}

impl Planner<'_> {
    /// All steps in their order; none where there is nothing to choose.
    pub(super) fn order(&self, matcher: &Matcher) -> Vec<Step> {
        let follows = self.follows(Rule::OrderByCost) && self.follows(Rule::StartWhereLeastIs);
        let (nodes, links) = (matcher.nodes.len(), matcher.links.len());
        if !follows || !matcher.loose.is_empty() || nodes.max(links) > MOST_IN_PART {
            return Vec::new();
        }
        let missing = matcher.nodes.iter();
        let missing = missing.filter(|node| matcher.is_missing(**node)).count();
        let choices = match links {
            0 => missing > 1,
            // Where one end is known it is walked from there, and where both are there is no other way.
            1 => missing == nodes && missing > 0,
            _ => true,
        };
        if !choices {
            return Vec::new();
        }
        let estimate = self.estimate(matcher);
        estimate.map_or_else(Vec::new, |estimate| cheapest(&estimate))
    }
}

/// The cheapest order.
fn cheapest(of: &Estimate) -> Vec<Step> {
    let whole = Part {
        nodes: ones(of.nodes.len()),
        links: ones(of.links.len()),
    };
    let mut ways = vec![Way {
        part: of.given,
        cost: 0.0,
        rows: 1.0,
        last: None,
        steps: 0,
    }];
    let mut best: HashMap<Part, usize> = HashMap::from([(of.given, 0)]);
    let mut waiting = BinaryHeap::from([Waiting { cost: 0.0, at: 0 }]);
    let mut moves = Vec::new();
    while let Some(Waiting { at, .. }) = waiting.pop() {
        let here = ways[at].part;
        // A cheaper way to the same part was found meanwhile.
        if best.get(&here) != Some(&at) {
            continue;
        }
        if here == whole {
            return steps_to(&ways, at);
        }
        if ways.len() > MOST_PARTS {
            break;
        }
        next_ways(of, &ways, at, &mut moves);
        for way in moves.drain(..) {
            let known = best.get(&way.part).map(|known| ways[*known].cost);
            if known.is_some_and(|known| known <= way.cost) {
                continue;
            }
            best.insert(way.part, ways.len());
            waiting.push(Waiting {
                cost: way.cost,
                at: ways.len(),
            });
            ways.push(way);
        }
    }
    // From where most is done already, without looking back.
    let farthest = (0..ways.len()).max_by(|one, other| {
        let (one, other) = (&ways[*one], &ways[*other]);
        let steps = one.steps.cmp(&other.steps);
        steps.then_with(|| other.cost.total_cmp(&one.cost))
    });
    let mut at = farthest.unwrap_or_default();
    while ways[at].part != whole {
        next_ways(of, &ways, at, &mut moves);
        let cheapest = moves.drain(..).min_by(|one, other| {
            let (one, other) = (one.cost + one.rows, other.cost + other.rows);
            one.total_cmp(&other)
        });
        let Some(way) = cheapest else {
            // Nothing goes on from here: what is left is put in order as without counts.
            break;
        };
        at = ways.len();
        ways.push(way);
    }
    steps_to(&ways, at)
}

/// The ways that go one step farther than another: links in the order of the text, then nodes.
fn next_ways(of: &Estimate, ways: &[Way], at: usize, into: &mut Vec<Way>) {
    let here = &ways[at];
    let mut go = |more: Part, cost: f64, step: Step| {
        into.push(Way {
            part: here.part.with(more),
            // Less than a row is still asked for as one.
            cost: here.cost + here.rows.max(1.0) * cost,
            rows: (here.rows * of.factor(here.part, more)).clamp(1e-9, 1e15),
            last: Some((at, step)),
            steps: here.steps + 1,
        });
    };
    let mut in_reach = false;
    for (number, link) in of.links.iter().enumerate() {
        let ends = Part::node(link.from).with(Part::node(link.to));
        let touches = ends.nodes & here.part.nodes != 0 || link.bound;
        if here.part.has(Part::link(number)) || !here.part.has(link.needs) || !touches {
            continue;
        }
        in_reach = true;
        let cost = of.walk(number, here.part);
        go(ends.with(Part::link(number)), cost, Step::Walk(number));
    }
    for (number, node) in of.nodes.iter().enumerate() {
        if here.part.has(Part::node(number)) {
            continue;
        }
        let Some((cost, few)) = of.scan(number, here.part) else {
            continue;
        };
        // To look for another node while links are in reach pays only if it is found at once.
        if !in_reach || few {
            go(Part::node(number), cost, Step::Scan(node.slot));
        }
    }
}

fn steps_to(ways: &[Way], mut at: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some((before, step)) = ways[at].last {
        steps.push(step);
        at = before;
    }
    steps.reverse();
    steps
}

fn ones(count: usize) -> u64 {
    match count {
        64.. => u64::MAX,
        count => (1 << count) - 1,
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        let cost = other.cost.total_cmp(&self.cost);
        cost.then_with(|| other.at.cmp(&self.at))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}
