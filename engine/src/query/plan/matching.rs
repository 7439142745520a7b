//! A pattern: in which order its parts are found.
//!
//! The order with the least work is looked for as a whole (`order.rs`), conditions coming as soon as they can be
//! asked. Where there is nothing to choose, or too much, what is cheapest comes next: first links between nodes
//! that are known, then links from a known node, and where no link is in reach a scan. Without the rules the order is
//! that of the text.
//!
//! Next: `order.rs`, then `start.rs`, which chooses scans.

use super::clauses::always;
use super::order::Step;
use super::{
    Chosen, ChosenLink, Ends, Expand, ExpandMany, Link, LinkKind, Op, Ops, Pattern, Planner,
    Repeat, Rule, ScanBy, Segment, Shortest,
};
use crate::query::expr::{Expr, Slot};
use crate::query::types::Types;
use std::collections::HashSet;
use stratigraph_query_lang::ast::Arrow;

/// A pattern that is being put in order.
pub(super) struct Matcher {
    pub(super) ops: Vec<Op>,
    /// What the pattern fills, and is still to be filled.
    missing: HashSet<Slot>,
    pub(super) nodes: Vec<Slot>,
    /// Relationships that are found by themselves.
    pub(super) loose: Vec<Slot>,
    pub(super) links: Vec<Option<Link>>,
    pub(super) filters: Vec<Option<Expr>>,
    paths: Vec<Option<(Slot, Expr)>>,
    /// Relationships, and lists of them, that were walked: no other link may walk them.
    walked: Vec<Slot>,
}

/// How a link is walked.
struct Walk {
    ends: (Slot, Slot),
    to_bound: bool,
    /// Whether against the text.
    reversed: bool,
    apart_from: Vec<Slot>,
}

impl Planner<'_> {
    /// The operators that find a pattern.
    pub(super) fn matching(&self, pattern: Pattern) -> Vec<Op> {
        let mut missing: HashSet<Slot> = pattern.nodes.iter().copied().collect();
        for given in &pattern.given {
            missing.remove(given);
        }
        for link in &pattern.links {
            missing.extend(link.fills());
        }
        missing.extend(pattern.paths.iter().map(|(slot, _)| *slot));
        missing.extend(&pattern.loose);
        let mut ops = Vec::new();
        if let Some(search) = pattern.search {
            // First: it knows nothing of the rest of the pattern.
            missing.remove(&search.search.into);
            ops.push(self.search(*search));
        }
        let filters = pattern.filters.into_iter().filter(|filter| !always(filter));
        let mut matcher = Matcher {
            ops,
            missing,
            nodes: pattern.nodes,
            loose: pattern.loose,
            links: pattern.links.into_iter().map(Some).collect(),
            filters: filters.map(Some).collect(),
            paths: pattern.paths.into_iter().map(Some).collect(),
            walked: Vec::new(),
        };
        let mut order = self.order(&matcher).into_iter();
        loop {
            match self.follows(Rule::FilterEarly) {
                true => self.ready_filters(&mut matcher),
                // A link may read a path.
                false => self.ready_paths(&mut matcher),
            }
            match order.next() {
                Some(Step::Walk(at)) => {
                    // One that cannot be walked yet is left to the others.
                    let link = matcher.links.get(at).and_then(Option::as_ref);
                    if link.is_some_and(|link| matcher.cost(link).is_some())
                        && let Some(link) = matcher.links.get_mut(at).and_then(Option::take)
                    {
                        self.walk(&mut matcher, link);
                    }
                    continue;
                }
                Some(Step::Scan(node)) => {
                    if let Some(by) = self.best_start_of(&mut matcher, node) {
                        matcher.scan(node, by);
                    }
                    continue;
                }
                None => {}
            }
            if let Some(at) = self.next_link(&matcher) {
                if let Some(link) = matcher.links.get_mut(at).and_then(Option::take) {
                    self.walk(&mut matcher, link);
                }
                continue;
            }
            let Some((node, by)) = self.next_start(&mut matcher) else {
                break;
            };
            matcher.scan(node, by);
        }
        self.ready_filters(&mut matcher);
        // Nothing is missing any more; should something be, a condition is still never left out.
        for filter in std::mem::take(&mut matcher.filters).into_iter().flatten() {
            matcher.ops.push(Op::Filter(self.expr(filter)));
        }
        matcher.ops
    }

    /// Conditions of which everything is known, and paths that can be made.
    fn ready_filters(&self, matcher: &mut Matcher) {
        self.ready_paths(matcher);
        for at in 0..matcher.filters.len() {
            let ready = matcher.filters[at].as_ref();
            if ready.is_some_and(|filter| matcher.may_come(filter))
                && let Some(filter) = matcher.filters[at].take()
            {
                matcher.ops.push(Op::Filter(self.expr(filter)));
            }
        }
    }

    fn ready_paths(&self, matcher: &mut Matcher) {
        for at in 0..matcher.paths.len() {
            let ready = matcher.paths[at].as_ref();
            if ready.is_some_and(|(_, path)| matcher.knows(path))
                && let Some((slot, path)) = matcher.paths[at].take()
            {
                matcher.fill(slot);
                matcher.ops.push(Op::Compute(vec![(slot, self.expr(path))]));
            }
        }
    }

    /// The link that is walked next; none if no end of any is known.
    fn next_link(&self, matcher: &Matcher) -> Option<usize> {
        let links = matcher.links.iter().enumerate();
        let costs = links.filter_map(|(at, link)| Some((at, matcher.cost(link.as_ref()?)?)));
        match self.follows(Rule::CloseBeforeOpening) {
            // The first of the cheapest.
            true => costs.min_by_key(|(_, cost)| *cost).map(|(at, _)| at),
            false => costs.map(|(at, _)| at).next(),
        }
    }

    /// Where to go on if no link is in reach.
    fn next_start(&self, matcher: &mut Matcher) -> Option<(Slot, ScanBy)> {
        let mut nodes = matcher.nodes.iter().chain(&matcher.loose).copied();
        if !self.follows(Rule::StartWhereLeastIs) {
            let first = nodes.find(|node| matcher.missing.contains(node))?;
            return Some((first, ScanBy::All));
        }
        self.best_start(matcher)
    }

    /// Adds the operator that walks a link.
    fn walk(&self, matcher: &mut Matcher, link: Link) {
        let apart_from: Vec<Slot> = { &matcher.walked }
            .iter()
            .copied()
            .filter(|slot| !link.relationships.contains(slot))
            .collect();
        let knows_from = !matcher.missing.contains(&link.from);
        let knows_to = !matcher.missing.contains(&link.to);
        // From the end that is known; against the text if that is the right one.
        let reversed = !knows_from && knows_to;
        let (from, to, arrow) = match reversed {
            true => (link.to, link.from, turned(link.arrow)),
            false => (link.from, link.to, link.arrow),
        };
        let to_bound = knows_from && knows_to;
        for slot in link.fills() {
            matcher.fill(slot);
        }
        matcher.fill(from);
        matcher.fill(to);
        matcher.walked.extend(&link.relationships);
        let op = match link.kind {
            LinkKind::One {
                relationship,
                bound: true,
                types,
            } => Op::Ends(Ends {
                relationship,
                from: link.from,
                from_bound: knows_from,
                to: link.to,
                to_bound: knows_to,
                arrow: link.arrow,
                types,
                apart_from,
            }),
            LinkKind::One {
                relationship,
                bound: false,
                types,
            } => Op::Expand(Expand {
                from,
                relationship,
                to,
                to_bound,
                arrow,
                types,
                apart_from,
                most: Vec::new(),
            }),
            LinkKind::Many {
                relationships,
                bound,
                types,
                min,
                max,
                each,
            } => Op::ExpandMany(ExpandMany {
                from,
                relationships,
                bound,
                to,
                to_bound,
                arrow,
                types,
                min,
                max,
                each: each.map(|(slot, each)| (slot, self.expr(each))),
                reversed,
                apart_from,
            }),
            LinkKind::Rounds { .. } => {
                let walk = Walk {
                    ends: (from, to),
                    to_bound,
                    reversed,
                    apart_from,
                };
                match self.repeat(link.kind, walk) {
                    Some(repeat) => Op::Repeat(Box::new(repeat)),
                    None => return,
                }
            }
            LinkKind::Chosen(chosen) => {
                let walk = Walk {
                    ends: (from, to),
                    to_bound,
                    reversed,
                    apart_from,
                };
                Op::Shortest(Box::new(self.shortest(*chosen, walk)))
            }
        };
        matcher.ops.push(op);
    }

    /// Rounds of a pattern.
    fn repeat(&self, kind: LinkKind, walk: Walk) -> Option<Repeat> {
        let LinkKind::Rounds {
            pattern,
            round_from,
            round_to,
            min,
            max,
            lists,
            relationships,
        } = kind
        else {
            return None;
        };
        let ops = self.round(pattern, round_from, round_to, walk.reversed);
        let (round_from, round_to) = match walk.reversed {
            true => (round_to, round_from),
            false => (round_from, round_to),
        };
        Some(Repeat {
            from: walk.ends.0,
            to: walk.ends.1,
            to_bound: walk.to_bound,
            min,
            max,
            ops,
            round_from,
            round_to,
            relationships,
            lists,
            reversed: walk.reversed,
            apart_from: walk.apart_from,
        })
    }

    /// The shortest ways over a chain, walked from its last node if `reversed`.
    fn shortest(&self, chosen: Chosen, walk: Walk) -> Shortest {
        let kind = chosen.kind;
        let filters = chosen.filters.into_iter().map(|filter| self.expr(filter));
        let filters = filters.collect();
        let mut links = chosen.links;
        // What is asked of a node stands with the link before it, which is the one after it if turned round.
        let mut checks: Vec<Vec<Expr>> = { &mut links }
            .iter_mut()
            .map(|one| std::mem::take(&mut one.checks))
            .map(|checks| checks.into_iter().map(|check| self.expr(check)).collect())
            .collect();
        if walk.reversed {
            links.reverse();
            checks.pop();
            checks.reverse();
            checks.push(Vec::new());
        }
        let segments = links
            .into_iter()
            .filter_map(|ChosenLink { link, single, .. }| {
                let (ends, arrow) = match walk.reversed {
                    true => ((link.to, link.from), turned(link.arrow)),
                    false => ((link.from, link.to), link.arrow),
                };
                let part = Walk {
                    ends,
                    to_bound: false,
                    reversed: walk.reversed,
                    apart_from: walk.apart_from.clone(),
                };
                match link.kind {
                    LinkKind::Many {
                        relationships,
                        bound,
                        types,
                        min,
                        max,
                        each,
                    } => Some(Segment::Link {
                        link: ExpandMany {
                            from: ends.0,
                            relationships,
                            bound,
                            to: ends.1,
                            to_bound: false,
                            arrow,
                            types,
                            min,
                            max,
                            each: each.map(|(slot, each)| (slot, self.expr(each))),
                            reversed: walk.reversed,
                            apart_from: part.apart_from,
                        },
                        single,
                    }),
                    kind => self.repeat(kind, part).map(Segment::Rounds),
                }
            });
        let segments: Vec<Segment> = segments.collect();
        // From the other end relationships are come to that no way from the first one has: asking about those must do no harm.
        let is_harmless = |segment: &Segment| match segment {
            Segment::Link { link, .. } => {
                let each = link.each.as_ref().map(|(_, each)| each);
                each.is_none_or(|each| !each.may_fail() && each.is_steady())
            }
            _ => true,
        };
        let from_both = walk.to_bound
            && self.follows(Rule::SearchFromBothEnds)
            && segments.iter().all(is_harmless);
        Shortest {
            from: walk.ends.0,
            to: walk.ends.1,
            to_bound: walk.to_bound,
            segments,
            checks,
            filters,
            kind,
            apart_from: walk.apart_from,
            from_both,
        }
    }

    /// The operators of one round, from whichever end it is walked.
    fn round(&self, mut pattern: Pattern, from: Slot, to: Slot, reversed: bool) -> Ops {
        if reversed {
            pattern.given.retain(|given| *given != from);
            pattern.given.push(to);
        }
        self.matching(pattern).into()
    }
}

impl Matcher {
    /// Whether everything that an expression reads is known.
    pub(super) fn knows(&self, expr: &Expr) -> bool {
        let mut known = true;
        expr.each_slot(&mut |slot| known &= !self.missing.contains(&slot));
        known
    }

    /// Whether a condition may be asked now. What may fail waits for a row of the pattern: where there is none,
    /// nobody would have asked.
    fn may_come(&self, filter: &Expr) -> bool {
        let safe = filter.types == Types::BOOLEAN && !filter.may_fail();
        let begun = !self.ops.is_empty() || self.missing.is_empty();
        self.knows(filter) && (begun || safe)
    }

    /// Whether everything but one slot is known.
    pub(super) fn knows_but(&self, expr: &Expr, but: Slot) -> bool {
        let mut known = true;
        expr.each_slot(&mut |slot| known &= slot == but || !self.missing.contains(&slot));
        known
    }

    pub(super) fn is_missing(&self, slot: Slot) -> bool {
        self.missing.contains(&slot)
    }

    fn fill(&mut self, slot: Slot) {
        self.missing.remove(&slot);
    }

    /// Adds the operator that finds a node by itself, or a relationship.
    fn scan(&mut self, into: Slot, by: ScanBy) {
        self.fill(into);
        self.ops.push(match self.loose.contains(&into) {
            true => Op::ScanRelationships { into, by },
            false => Op::Scan { into, by },
        });
    }

    /// What walking a link costs, roughly; none if it cannot be walked yet.
    fn cost(&self, link: &Link) -> Option<u32> {
        if link.reads.iter().any(|slot| self.missing.contains(slot)) {
            return None;
        }
        let ends = [link.from, link.to];
        let known = ends
            .iter()
            .filter(|end| !self.missing.contains(end))
            .count();
        let base = match &link.kind {
            LinkKind::One { bound: true, .. } => return Some(0),
            LinkKind::One { .. } => 1,
            // Its other end is found first if that is narrowed down: a way to everything is dear.
            LinkKind::Chosen(_) if known == 1 && self.is_narrow_elsewhere(link) => {
                return None;
            }
            LinkKind::Many { .. } | LinkKind::Rounds { .. } | LinkKind::Chosen(_) => 4,
        };
        match known {
            0 => None,
            1 => Some(base + 1),
            _ => Some(base),
        }
    }

    /// Whether the end of a link that is not known has conditions of its own.
    fn is_narrow_elsewhere(&self, link: &Link) -> bool {
        let ends = [link.from, link.to];
        let Some(far) = ends.into_iter().find(|end| self.missing.contains(end)) else {
            return false;
        };
        let mut waiting = self.filters.iter().flatten();
        waiting.any(|filter| filter.reads(far) && self.knows_but(filter, far))
    }
}

/// An arrow seen from its other end.
pub(crate) fn turned(arrow: Arrow) -> Arrow {
    match arrow {
        Arrow::Right => Arrow::Left,
        Arrow::Left => Arrow::Right,
        Arrow::Either => Arrow::Either,
    }
}
