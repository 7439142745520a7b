//! How much of a pattern there is, by what is counted: nodes of labels, relationships of types that leave and reach
//! them, entries of indexes. Only orders are compared by these numbers; no row depends on them.
//!
//! A set of nodes and links has about
//!
//! ```text
//!   nodes that fulfil their conditions, multiplied
//!   × for each link: its relationships ÷ (nodes at one end × nodes at the other)
//!   × for each condition on several of them: the share that fulfils it
//! ```
//!
//! rows, in whatever order they are found. What an order costs is what it looks at on its way there.
//!
//! Next: `order.rs`.

use super::matching::Matcher;
use super::start::{Known, Start, label_of};
use super::{Link, LinkKind, Planner, ScanBy, Seek};
use crate::algo::dbscan::places;
use crate::query::expr::{ComparisonOperator, Expr, ExprKind, Labels, PredicateOperator, Slot};
use stratigraph_query_lang::ast::Arrow;

/// The least that a number of rows counts: a share of a row is walked from as a whole one.
const LEAST: f64 = 1e-6;
/// The most: what is larger is not told apart.
const MOST: f64 = 1e15;
/// Rounds of a link without an upper bound that are reckoned with.
const ROUNDS: u64 = 6;

/// A set of nodes and links of a pattern, by their places in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Part {
    pub(super) nodes: u64,
    pub(super) links: u64,
}

impl Part {
    pub(super) fn has(self, other: Self) -> bool {
        other.nodes & !self.nodes == 0 && other.links & !self.links == 0
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self {
            nodes: self.nodes | other.nodes,
            links: self.links | other.links,
        }
    }

    pub(super) fn node(at: usize) -> Self {
        Self {
            nodes: 1 << at,
            links: 0,
        }
    }

    pub(super) fn link(at: usize) -> Self {
        Self {
            nodes: 0,
            links: 1 << at,
        }
    }
}

/// A pattern in numbers.
pub(super) struct Estimate {
    pub(super) nodes: Vec<NodeOf>,
    pub(super) links: Vec<LinkOf>,
    /// Conditions on several parts: the parts, and the share that fulfils it.
    joins: Vec<(Part, f64)>,
    /// What is known from the beginning.
    pub(super) given: Part,
}

/// A node of it.
pub(super) struct NodeOf {
    pub(super) slot: Slot,
    /// How many nodes have its label.
    domain: f64,
    /// How many fulfil all its own conditions.
    rows: f64,
    /// How many conditions are asked of each that is met.
    conditions: f64,
    /// Scans, each with what it needs to be known.
    starts: Vec<StartOf>,
}

/// A scan.
struct StartOf {
    needs: Part,
    rows: f64,
    /// Whether it goes straight to what it finds.
    sought: bool,
}

/// A link of it.
pub(super) struct LinkOf {
    pub(super) from: usize,
    pub(super) to: usize,
    /// What its conditions need to be known.
    pub(super) needs: Part,
    /// Whether the relationship is known, so that it needs no end to begin with.
    pub(super) bound: bool,
    /// How many relationships there are with such ends.
    edges: f64,
    /// How many leave, and reach, nodes with the labels of its ends.
    leaving: f64,
    reaching: f64,
    /// How often it is walked, if not once.
    rounds: Option<(u64, u64)>,
    /// Whether it is walked both ways.
    either: bool,
    /// How many relationships a node has on average.
    fan: f64,
}

impl Planner<'_> {
    /// The numbers of a pattern; none if it has something that is not reckoned with.
    pub(super) fn estimate(&self, matcher: &Matcher) -> Option<Estimate> {
        let all = self.statistics.nodes() as f64;
        let mut nodes = Vec::with_capacity(matcher.nodes.len());
        let mut given = Part::default();
        for (at, slot) in matcher.nodes.iter().enumerate() {
            if !matcher.is_missing(*slot) {
                given = given.with(Part::node(at));
            }
            nodes.push(self.node_of(matcher, *slot, all));
        }
        let place = |slot: Slot| matcher.nodes.iter().position(|node| *node == slot);
        let mut links = Vec::with_capacity(matcher.links.len());
        for link in matcher.links.iter().flatten() {
            let (from, to) = (place(link.from)?, place(link.to)?);
            let labels = (self.label(matcher, link.from), self.label(matcher, link.to));
            let mut found = self.link_of(link, labels, all)?;
            (found.from, found.to) = (from, to);
            found.needs = matcher.part(link.reads.iter().copied())?;
            links.push(found);
        }
        let mut joins = Vec::new();
        for filter in matcher.filters.iter().flatten() {
            let mut reads = Vec::new();
            filter.each_slot(&mut |slot| reads.push(slot));
            let Some(part) = matcher.part(reads.into_iter()) else {
                continue;
            };
            let several = part.nodes.count_ones() + part.links.count_ones() > 1;
            if several || part.links != 0 {
                joins.push((part, share(filter)));
            }
        }
        Some(Estimate {
            nodes,
            links,
            joins,
            given,
        })
    }

    fn node_of(&self, matcher: &Matcher, slot: Slot, all: f64) -> NodeOf {
        let (mut domain, mut kept, mut conditions) = (all, 1.0, 0.0);
        let (mut labels, mut joined) = (0, false);
        for filter in matcher.filters.iter().flatten() {
            if !filter.reads(slot) {
                continue;
            }
            if !matcher.knows_but(filter, slot) {
                joined = true;
                continue;
            }
            conditions += 1.0;
            match label_of(filter, slot) {
                Some(label) => {
                    labels += 1;
                    domain = domain.min(self.statistics.labelled(label) as f64);
                }
                None => kept *= share(filter),
            }
        }
        if labels > 1 {
            kept *= 0.5;
        }
        let mut starts = Vec::new();
        if matcher.is_missing(slot) {
            let now = self.starts(Known::now(matcher), slot);
            starts.extend(now.iter().map(|start| StartOf::new(start, Part::default())));
            // An index may also look up what another node of the pattern has.
            if joined {
                for start in self.starts(Known::at_last(matcher), slot) {
                    if let Some(needs) = needs(&start.by, matcher)
                        && needs != Part::default()
                    {
                        starts.push(StartOf::new(&start, needs));
                    }
                }
            }
        }
        let at_once = starts.iter().filter(|start| start.needs == Part::default());
        let least = at_once.map(|start| start.rows).fold(MOST, f64::min);
        NodeOf {
            slot,
            domain: domain.max(1.0),
            rows: (domain * kept).min(least).max(LEAST),
            conditions,
            starts,
        }
    }

    /// The label of a node that the fewest nodes have.
    fn label<'m>(&self, matcher: &'m Matcher, node: Slot) -> Option<&'m str> {
        let filters = matcher.filters.iter().flatten();
        let labels = filters.filter_map(|filter| label_of(filter, node));
        let least = labels.min_by_key(|label| self.statistics.labelled(label));
        least.map(|label| &**label)
    }

    fn link_of(
        &self,
        link: &Link,
        (from, to): (Option<&str>, Option<&str>),
        all: f64,
    ) -> Option<LinkOf> {
        let (types, rounds, bound) = match &link.kind {
            LinkKind::One { types, bound, .. } => (types.as_deref(), None, *bound),
            LinkKind::Many {
                types, min, max, ..
            } => {
                let far = min.saturating_add(ROUNDS);
                let max = max.unwrap_or(far).min(far);
                (types.as_deref(), Some((*min, max)), false)
            }
            // What a round is like is known when it is planned, and the shortest ways have an order of their own.
            LinkKind::Rounds { .. } | LinkKind::Chosen(_) => return None,
        };
        let either = link.arrow == Arrow::Either;
        let (source, target) = match link.arrow {
            Arrow::Left => (to, from),
            Arrow::Right | Arrow::Either => (from, to),
        };
        let (mut edges, mut out, mut back) = (0.0, 0.0, 0.0);
        let mut add = |of: Option<&str>| {
            let count = self.statistics.relationships(of) as f64;
            let at = |label: Option<&str>, way: &dyn Fn(&str, &str) -> u64| match (label, of) {
                (None, _) => count,
                (Some(label), Some(of)) => way(label, of) as f64,
                // Of all types together nothing is counted by labels.
                (Some(label), None) => {
                    count * (self.statistics.labelled(label) as f64 / all.max(1.0)).min(1.0)
                }
            };
            let leaving = |label: &str, of: &str| self.statistics.leaving(label, of);
            let reaching = |label: &str, of: &str| self.statistics.reaching(label, of);
            let mut one = (at(source, &leaving), at(target, &reaching));
            let mut both = count;
            if either {
                // As seen from each end: those that leave it and those that reach it.
                one.0 += at(source, &reaching);
                one.1 += at(target, &leaving);
                both *= 2.0;
            }
            edges += one.0 * one.1 / both.max(1.0);
            out += one.0;
            back += one.1;
        };
        match types {
            Some(types) => types.iter().for_each(|of| add(Some(&**of))),
            None => add(None),
        }
        let fan = match either {
            true => (out + back) / 2.0,
            false => out.max(back),
        };
        // As seen from `from`, whichever way the arrow points.
        let (leaving, reaching) = match link.arrow {
            Arrow::Left => (back, out),
            Arrow::Right | Arrow::Either => (out, back),
        };
        Some(LinkOf {
            from: 0,
            to: 0,
            needs: Part::default(),
            bound,
            edges,
            leaving,
            reaching,
            rounds,
            either,
            fan: fan / all.max(1.0),
        })
    }
}

impl Matcher {
    /// The parts of the pattern that fill these slots; none if one of them is filled by something else.
    fn part(&self, slots: impl Iterator<Item = Slot>) -> Option<Part> {
        let mut part = Part::default();
        for slot in slots {
            if !self.is_missing(slot) {
                continue;
            }
            if let Some(at) = self.nodes.iter().position(|node| *node == slot) {
                part = part.with(Part::node(at));
                continue;
            }
            let fills = |link: &Option<Link>| {
                let fills = link.as_ref().map(Link::fills);
                fills.is_some_and(|fills| fills.contains(&slot))
            };
            part = part.with(Part::link(self.links.iter().position(fills)?));
        }
        Some(part)
    }
}

impl Estimate {
    /// The best scan of a node where a part is known, if there is one: what it costs for each row, and whether it
    /// goes straight to few nodes.
    pub(super) fn scan(&self, at: usize, known: Part) -> Option<(f64, bool)> {
        let node = &self.nodes[at];
        let starts = node.starts.iter().filter(|start| known.has(start.needs));
        let best = starts.min_by(|one, other| one.rows.total_cmp(&other.rows))?;
        let cost = SEEK + best.rows * (ROW + node.conditions * CHECK);
        Some((cost, best.sought && best.rows <= FEW))
    }

    /// What walking a link costs for each row where a part is known, one end at least.
    pub(super) fn walk(&self, at: usize, known: Part) -> f64 {
        let link = &self.links[at];
        let knows = |node: usize| known.has(Part::node(node));
        if link.bound && link.rounds.is_none() {
            return SEEK;
        }
        let (near, far, edges) = match knows(link.from) {
            true => (link.from, link.to, link.leaving),
            false => (link.to, link.from, link.reaching),
        };
        let degree = edges / self.nodes[near].domain;
        let closing = knows(far);
        let checks = match closing {
            true => 0.0,
            false => self.nodes[far].conditions,
        };
        match link.rounds {
            Some((_, most)) => {
                let met = grown(degree, link.fan, (0, most));
                met * (SEEK + ROW + checks * CHECK)
            }
            // Only what is between the two is read.
            None if closing => SEEK * if link.either { 2.0 } else { 1.2 },
            None => SEEK + degree * (ROW + checks * CHECK),
        }
    }

    /// How many times as many rows there are with a node or a link more than in a part.
    pub(super) fn factor(&self, known: Part, more: Part) -> f64 {
        let all = known.with(more);
        let mut factor = 1.0;
        for node in places(more.nodes & !known.nodes) {
            factor *= self.nodes[node].rows;
        }
        for link in places(more.links & !known.links) {
            let link = &self.links[link];
            let (from, to) = (&self.nodes[link.from], &self.nodes[link.to]);
            let ways = match link.rounds {
                _ if link.bound => 1.0,
                Some(bounds) => grown(link.edges / from.domain, link.fan, bounds) * from.domain,
                None => link.edges,
            };
            factor *= ways / (from.domain * to.domain);
        }
        for (part, share) in &self.joins {
            if all.has(*part) && !known.has(*part) {
                factor *= share;
            }
        }
        factor
    }
}

/// A read of the store, a row that is made, a condition that is asked: in reads.
const SEEK: f64 = 1.0;
const ROW: f64 = 0.25;
const CHECK: f64 = 0.5;
/// So many rows for each row are few: both ends of a link may be looked up before it is walked.
const FEW: f64 = 16.0;

impl StartOf {
    fn new(start: &Start, needs: Part) -> Self {
        let sought = match &start.by {
            ScanBy::Id { one_of, .. } | ScanBy::Entity { one_of, .. } => !one_of,
            ScanBy::Index { seek, .. } => matches!(seek, Seek::Equal(_)),
            ScanBy::All | ScanBy::Label(_) | ScanBy::Level { .. } => false,
        };
        Self {
            needs,
            rows: start.rows as f64,
            sought,
        }
    }
}

/// What the values of a scan need to be known; none if that is no part of the pattern.
fn needs(by: &ScanBy, matcher: &Matcher) -> Option<Part> {
    let mut reads = Vec::new();
    let mut note = |expr: &Expr| expr.each_slot(&mut |slot| reads.push(slot));
    match by {
        ScanBy::All | ScanBy::Label(_) => {}
        ScanBy::Entity { value, .. } => note(value),
        ScanBy::Level { level, .. } => note(level),
        ScanBy::Id { id, .. } => note(id),
        ScanBy::Index { seek, .. } => match seek {
            Seek::Equal(values) => values.iter().for_each(note),
            Seek::AnyOf(value) | Seek::StartsWith(value) => note(value),
            Seek::Range { above, below } => {
                above.iter().chain(below).for_each(|(bound, _)| note(bound));
            }
        },
    }
    matcher.part(reads.into_iter())
}

/// How many ways there are of so many rounds, if the first goes on to so many and each other to so many.
fn grown(first: f64, each: f64, (min, max): (u64, u64)) -> f64 {
    let mut ways = if min == 0 { 1.0 } else { 0.0 };
    let mut here = first;
    for round in 1..=max {
        if round >= min {
            ways += here;
        }
        here = (here * each).min(MOST);
    }
    ways.clamp(LEAST, MOST)
}

/// The share of rows that fulfil a condition of which nothing is counted.
fn share(filter: &Expr) -> f64 {
    match &filter.kind {
        ExprKind::Comparison { rest, .. } => {
            let shares = rest.iter().map(|(operator, _)| match operator {
                ComparisonOperator::Equal => 0.1,
                ComparisonOperator::NotEqual => 0.9,
                _ => 0.3,
            });
            shares.product()
        }
        ExprKind::Predicate { operator, .. } => match operator {
            PredicateOperator::In => 0.3,
            _ => 0.1,
        },
        ExprKind::IsNull { negated, .. } => match negated {
            true => 1.0,
            false => 0.1,
        },
        ExprKind::HasLabels {
            labels: Labels::Name(_),
            ..
        } => 0.5,
        ExprKind::And(parts) => parts.iter().map(share).product(),
        ExprKind::Or(parts) => parts.iter().map(share).sum::<f64>().min(1.0),
        ExprKind::Not(of) => 1.0 - share(of),
        _ => 0.5,
    }
}
