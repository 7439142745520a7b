//! Patterns of which only numbers are asked: counted at once, without a row for each match.
//!
//! An aggregate forgets all slots but those that it fills. So where it asks how many matches there are, and what
//! it groups by is one node, nobody reads the others, and the operators before it become one.
//!
//! Next: `stated.rs`, then `exec/walks/`, which counts.

use super::matching::turned;
use super::stated::{bar_of, hung_by, is_label, is_there, only_slot, ordered};
use super::{Aggregate, Aggregated, Arrow, Expand, Op, Ops, Planner, Rule, ScanBy, TypeNames};
use crate::algo::walks::Times;
use crate::query::expr::{Expr, ExprKind, Labels, Slot};
use crate::query::types::Types;
use std::collections::BTreeSet;
use std::sync::Arc;

/// More nodes than this are matched row by row: their links would be too many to tell apart.
const MOST_NODES: usize = 8;
/// Links that may be walked either way double the work, each of them.
const MOST_EITHER: usize = 4;

/// A figure of nodes and links, and the aggregate that counts its matches.
#[derive(Clone, Debug)]
pub(crate) struct Walks {
    /// The nodes, each after those that it is linked to.
    pub(crate) nodes: Vec<WalkedNode>,
    /// The links, in the order of the nodes that they lead to.
    pub(crate) links: Vec<WalkedLink>,
    /// What must not be so between two nodes.
    pub(crate) bars: Vec<WalkedBar>,
    /// Where the first node comes from; none if it is in the rows.
    pub(crate) begins: Option<ScanBy>,
    /// The node that is grouped by, or of which is asked how many there are.
    pub(crate) of: Option<usize>,
    /// The property of the only link that is grouped by.
    pub(crate) property: Option<Arc<str>>,
    /// What is computed: counts of matches, or with DISTINCT of that node, and sums and extremes of what that node has.
    pub(crate) aggregate: Aggregate,
    /// The same matches row by row, without the aggregate: for what was written and not committed, and where there
    /// is no memory for it.
    pub(crate) by_rows: Ops,
}

/// A node of a figure.
#[derive(Clone, Debug)]
pub(crate) struct WalkedNode {
    pub(crate) slot: Slot,
    /// The labels that it must have.
    pub(crate) labels: Vec<Arc<str>>,
    /// What else must be true of it; nothing of it may fail, or read anything else.
    pub(crate) tests: Vec<Expr>,
}

/// A link of a figure.
#[derive(Clone, Debug)]
pub(crate) struct WalkedLink {
    /// The nodes, by number; `from` comes first.
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) relationship: Slot,
    /// As seen from `from`.
    pub(crate) arrow: Arrow,
    /// In order, and each once.
    pub(crate) types: TypeNames,
    /// The links before it, of the same types, that must walk another relationship.
    pub(crate) apart: Vec<usize>,
    /// How often it counts, with all that hangs on it: each time, or as something that need not be there, or as a
    /// condition on the node that it hangs on.
    pub(crate) times: Times,
}

/// What must not be so between two nodes of a figure.
#[derive(Clone, Debug)]
pub(crate) struct WalkedBar {
    /// The nodes, by number, in their order.
    pub(crate) nodes: (usize, usize),
    pub(crate) what: BarredBy,
    /// The condition that says so.
    pub(crate) condition: Expr,
}

/// What it is.
#[derive(Clone, Debug)]
pub(crate) enum BarredBy {
    /// They are one node.
    Same,
    /// They have the same value of a property, or one of them has none.
    Alike(Arc<str>),
    /// There is a relationship between them; the arrow is seen from the first.
    Linked(Arrow, TypeNames),
}

impl Planner<'_> {
    /// Makes one operator of each aggregate and what it counts, where that can be.
    pub(super) fn walks(&self, ops: Vec<Op>) -> Vec<Op> {
        if !self.follows(Rule::CountWalksAtOnce) {
            return ops;
        }
        let takes = Takes {
            across: self.follows(Rule::CountAcrossNodes),
            hung: self.follows(Rule::CountWhereSomethingHangs),
            sums: self.follows(Rule::SumOverCounts),
        };
        let mut after: Vec<Op> = Vec::with_capacity(ops.len());
        for op in ops {
            if let Op::Aggregate(aggregate) = &op {
                // What begins later, or is less, may still be counted, if all of it cannot be.
                let mut tries = takes.and_less();
                let found = tries.find_map(|takes| walks_before(&after, aggregate, takes));
                if let Some((begin, walks)) = found {
                    after.truncate(begin);
                    after.push(Op::Walks(Box::new(walks)));
                    continue;
                }
            }
            after.push(op);
        }
        after
    }
}

/// What is taken into a figure beside links and conditions on one node.
#[derive(Clone, Copy, Default, PartialEq)]
struct Takes {
    /// Conditions on two nodes, and what need not be there.
    across: bool,
    /// Conditions on how often something is found from a node.
    hung: bool,
    /// Sums and extremes.
    sums: bool,
}

impl Takes {
    /// All of it, then less and less.
    fn and_less(self) -> impl Iterator<Item = Self> {
        let all = [(true, true), (true, false), (false, true), (false, false)];
        let all = { all.into_iter() }.map(move |(across, hung)| Self {
            across,
            hung,
            sums: self.sums,
        });
        all.filter(move |less| (self.across || !less.across) && (self.hung || !less.hung))
    }
}

/// The walks that an aggregate counts, and from which operator on they replace those before it.
fn walks_before(ops: &[Op], aggregate: &Aggregate, takes: Takes) -> Option<(usize, Walks)> {
    let is_part = |op: &&Op| match op {
        Op::Expand(_) | Op::Filter(_) => true,
        Op::Optional { .. } => takes.across,
        _ => false,
    };
    let mut begin = ops.len() - ops.iter().rev().take_while(is_part).count();
    // A pattern without links is a scan, and there is nothing to be saved.
    if ops[begin..].iter().all(|op| matches!(op, Op::Filter(_))) {
        return None;
    }
    let filters = ops[begin..].iter().map_while(|op| match op {
        Op::Filter(condition) => Some(condition),
        _ => None,
    });
    // What else is asked of the first node may leave few, and those are better found before.
    let is_taken = |condition| is_label(condition) || takes.hung && hung_by(condition).is_some();
    let are_taken = { filters }.all(is_taken);
    let scan = match begin.checked_sub(1).and_then(|at| ops.get(at)) {
        Some(Op::Scan { into, by })
            if are_taken && matches!(by, ScanBy::All | ScanBy::Label(_)) =>
        {
            begin -= 1;
            Some((*into, by.clone()))
        }
        _ => None,
    };
    if scan.is_none() {
        // What is asked of the rows before the first link stays where it is.
        let filters = ops[begin..].iter();
        begin += filters.take_while(|op| matches!(op, Op::Filter(_))).count();
    }
    let mut figure = FigureOf {
        takes,
        ..FigureOf::default()
    };
    match (&scan, ops.get(begin)) {
        (Some((into, _)), _) => figure.nodes.push(node(*into)),
        (None, Some(Op::Expand(expand))) => figure.nodes.push(node(expand.from)),
        _ => return None,
    }
    for op in &ops[begin + usize::from(scan.is_some())..] {
        match op {
            Op::Filter(condition) => figure.test(condition)?,
            Op::Expand(expand) => figure.link(expand)?,
            Op::Optional { ops, .. } => figure.hang(ops, Times::AtLeastOnce)?,
            _ => return None,
        }
    }
    let property = match scan {
        Some(_) => figure.grouped_by(aggregate),
        None => None,
    };
    let of = match property {
        Some(_) => None,
        None => figure.counted(aggregate)?,
    };
    figure.settle()?;
    let walks = Walks {
        nodes: figure.nodes,
        links: figure.links,
        bars: figure.bars,
        begins: scan.map(|(_, by)| by),
        of,
        property,
        aggregate: aggregate.clone(),
        by_rows: ops[begin..].to_vec().into(),
    };
    Some((begin, walks))
}

fn node(slot: Slot) -> WalkedNode {
    WalkedNode {
        slot,
        labels: Vec::new(),
        tests: Vec::new(),
    }
}

/// A figure that is being put together.
#[derive(Default)]
struct FigureOf {
    nodes: Vec<WalkedNode>,
    links: Vec<WalkedLink>,
    bars: Vec<WalkedBar>,
    /// Relationships that must not be the same: of a link, and of one that was walked before.
    apart: Vec<(Slot, Slot)>,
    /// What need not be there: nodes and relationships. They are asked about by nobody else.
    optional: BTreeSet<Slot>,
    takes: Takes,
}

impl FigureOf {
    fn number(&self, slot: Slot) -> Option<usize> {
        self.nodes.iter().position(|node| node.slot == slot)
    }

    /// A condition on one of its nodes, or on two.
    fn test(&mut self, condition: &Expr) -> Option<()> {
        if self.takes.across
            && let Some((one, other, what)) = bar_of(condition)
        {
            return self.bar((one, other), what, condition);
        }
        if self.takes.hung
            && let Some((ops, times)) = hung_by(condition)
        {
            return self.hang(ops, times);
        }
        self.test_one(only_slot(condition)?, condition)
    }

    /// A condition on one of its nodes, which must be there.
    fn test_one(&mut self, slot: Slot, condition: &Expr) -> Option<()> {
        let number = self.number(slot)?;
        // Of null it may be true.
        if self.optional.contains(&slot) {
            return None;
        }
        let node = self.nodes.get_mut(number)?;
        match &condition.kind {
            ExprKind::HasLabels {
                of,
                labels: Labels::Name(label),
            } if of.is_slot(slot) => node.labels.push(Arc::clone(label)),
            // Whatever is matched is not null.
            ExprKind::IsNull { of, negated: true } if of.is_slot(slot) => {}
            // It is asked of nodes that no match may have, so it must not fail on any.
            _ if condition.is_steady()
                && condition.types == Types::BOOLEAN
                && !condition.may_fail() =>
            {
                node.tests.push(condition.clone());
            }
            _ => return None,
        }
        Some(())
    }

    /// What must not be so between two of its nodes.
    fn bar(&mut self, (one, other): (Slot, Slot), what: BarredBy, condition: &Expr) -> Option<()> {
        if [one, other].iter().any(|slot| self.optional.contains(slot)) {
            return None;
        }
        let (one, other) = (self.number(one)?, self.number(other)?);
        let (nodes, what) = match what {
            _ if one == other => return None,
            BarredBy::Linked(arrow, types) if one > other => {
                ((other, one), BarredBy::Linked(turned(arrow), types))
            }
            what => ((one.min(other), one.max(other)), what),
        };
        self.bars.push(WalkedBar {
            nodes,
            what,
            condition: condition.clone(),
        });
        Some(())
    }

    /// What need not be there, or is there so often: a chain or a tree that hangs on one node by one link.
    fn hang(&mut self, ops: &[Op], times: Times) -> Option<()> {
        let (links, bars) = (self.links.len(), self.bars.len());
        let from = ops.iter().find_map(|op| match op {
            Op::Expand(expand) => Some(expand.from),
            _ => None,
        });
        // A condition on what may be null is no condition on places: null is in none.
        if times != Times::AtLeastOnce && self.optional.contains(&from?) {
            return None;
        }
        // Another node that need not be there decides whether anything hangs here.
        let before = self.nodes.iter().map(|node| node.slot);
        let is_sure = |slot: &Slot| Some(*slot) == from || !self.optional.contains(slot);
        let before: Vec<Slot> = before.filter(is_sure).collect();
        let mut hung = BTreeSet::new();
        for op in ops {
            match op {
                // Where it is null, nothing hangs on it, and that is one match all the same.
                Op::Filter(condition) if is_there(condition, &before) => {}
                Op::Filter(condition) => {
                    let slot = only_slot(condition)?;
                    // Of a node that is there anyway it would drop what hangs, not the node.
                    if !hung.contains(&slot) {
                        return None;
                    }
                    self.test_one(slot, condition)?;
                }
                Op::Expand(expand) if !expand.to_bound => {
                    let is_first = self.links.len() == links;
                    if is_first == hung.contains(&expand.from) {
                        return None;
                    }
                    self.link_any(expand)?;
                    if is_first {
                        self.links.last_mut()?.times = times;
                    }
                    hung.extend([expand.relationship, expand.to]);
                }
                _ => return None,
            }
        }
        self.optional.extend(hung);
        (self.links.len() > links && self.bars.len() == bars).then_some(())
    }

    /// A link that must be there.
    fn link(&mut self, expand: &Expand) -> Option<()> {
        let ends = [expand.from, expand.to];
        match ends.iter().any(|end| self.optional.contains(end)) {
            true => None,
            false => self.link_any(expand),
        }
    }

    fn link_any(&mut self, expand: &Expand) -> Option<()> {
        // Some of them are no number of them.
        if !expand.most.is_empty() {
            return None;
        }
        let from = self.number(expand.from)?;
        let (from, to, arrow) = match (self.number(expand.to), expand.to_bound) {
            (None, false) => {
                self.nodes.push(node(expand.to));
                (from, self.nodes.len() - 1, expand.arrow)
            }
            (Some(to), true) if from < to => (from, to, expand.arrow),
            (Some(to), true) if to < from => (to, from, turned(expand.arrow)),
            // From a node to itself, or to one that was known before.
            _ => return None,
        };
        for other in &expand.apart_from {
            self.apart.push((expand.relationship, *other));
        }
        self.links.push(WalkedLink {
            from,
            to,
            relationship: expand.relationship,
            arrow,
            types: ordered(&expand.types),
            apart: Vec::new(),
            times: Times::Each,
        });
        Some(())
    }

    /// Puts the links in the order of their nodes, with those that each must differ from; none if it cannot be told
    /// whether two of them may be the same relationship, or if there are too many.
    fn settle(&mut self) -> Option<()> {
        let either = self.links.iter().filter(|link| link.arrow == Arrow::Either);
        let too_many = self.nodes.len() > MOST_NODES || either.count() > MOST_EITHER;
        if self.links.is_empty() || too_many {
            return None;
        }
        self.links.sort_by_key(|link| link.to);
        let links = self.links.iter();
        let known: Vec<(Slot, TypeNames)> = links
            .map(|link| (link.relationship, link.types.clone()))
            .collect();
        let number = |slot: Slot| known.iter().position(|(own, _)| *own == slot);
        for (one, other) in &self.apart {
            let (one, other) = (number(*one)?, number(*other)?);
            let (first, second) = (one.min(other), one.max(other));
            match (&known.get(first)?.1, &known.get(second)?.1) {
                (left, right) if left == right => self.links.get_mut(second)?.apart.push(first),
                (Some(left), Some(right)) if left.iter().all(|name| !right.contains(name)) => {}
                _ => return None,
            }
        }
        // What hangs on a node is counted by itself: nothing in it may depend on what else is there.
        let mut hung = self.links.iter();
        let is_alone =
            hung.all(|link| !self.optional.contains(&link.relationship) || link.apart.is_empty());
        is_alone.then_some(())
    }

    /// The property that an aggregate groups by, if that is one of the only link, and it asks for counts alone.
    fn grouped_by(&self, aggregate: &Aggregate) -> Option<Arc<str>> {
        let ([link], [(group, _)]) = (self.links.as_slice(), aggregate.groups.as_slice()) else {
            return None;
        };
        let mut aggregates = aggregate.aggregates.iter();
        let are_plain = aggregates.all(|one| self.is_counted(one) == Some(None));
        let key = group.property_of(link.relationship);
        let is_plain = are_plain && self.bars.is_empty() && link.times == Times::Each;
        key.filter(|_| is_plain).cloned()
    }

    /// The node that an aggregate asks about, if it asks for nothing but counts, sums and extremes, and about one node at
    /// most.
    fn counted(&self, aggregate: &Aggregate) -> Option<Option<usize>> {
        let mut about = BTreeSet::new();
        for (group, _) in &aggregate.groups {
            let mut reads = false;
            group.each_slot(&mut |slot| {
                reads = true;
                about.insert(slot);
            });
            if !reads || !group.is_steady() {
                return None;
            }
        }
        for one in &aggregate.aggregates {
            if let Some(slot) = self.is_counted(one)? {
                about.insert(slot);
            }
        }
        let mut about = about.into_iter();
        match (about.next(), about.next()) {
            (None, _) => Some(None),
            (Some(slot), None) if self.optional.contains(&slot) => None,
            (Some(slot), None) => Some(Some(self.number(slot)?)),
            _ => None,
        }
    }

    /// Whether an aggregate is a count of matches, or of which node it asks anything.
    fn is_counted(&self, one: &Aggregated) -> Option<Option<Slot>> {
        let [argument] = one.arguments.as_slice() else {
            return None;
        };
        if !one.counts() {
            return self.is_summed(one, argument).map(Some);
        }
        match (&argument.kind, one.distinct) {
            (ExprKind::Constant(value), false) if !value.is_null() => Some(None),
            // Nodes and relationships of a match are never null, but for those that need not be there.
            (ExprKind::Slot(slot), false) if !self.optional.contains(slot) => {
                let mut links = self.links.iter();
                let is_link = links.any(|link| link.relationship == *slot);
                (is_link || self.number(*slot).is_some()).then_some(None)
            }
            (ExprKind::Slot(slot), true) => self.number(*slot).map(|_| Some(*slot)),
            _ => None,
        }
    }

    /// The node of which an aggregate sums something up, or takes the least or the most.
    fn is_summed(&self, one: &Aggregated, argument: &Expr) -> Option<Slot> {
        let is_known = ["count", "sum", "avg", "min", "max"].contains(&one.function.name);
        if !self.takes.sums || !is_known || one.distinct || !argument.is_steady() {
            return None;
        }
        let slot = only_slot(argument)?;
        self.number(slot).map(|_| slot)
    }
}
