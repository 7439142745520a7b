//! Patterns of which only numbers are asked: counted at once, without a row for each match.
//!
//! An aggregate forgets all slots but those that it fills. So where it asks how many matches there are, and what
//! it groups by is one node, nobody reads the others, and the operators before it become one.
//!
//! Next: `exec/walks/`, which counts.

use super::matching::turned;
use super::{Aggregate, Aggregated, Arrow, Expand, Op, Ops, Planner, Rule, ScanBy, TypeNames};
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
    /// Where the first node comes from; none if it is in the rows.
    pub(crate) begins: Option<ScanBy>,
    /// The node that is grouped by, or of which is asked how many there are.
    pub(crate) of: Option<usize>,
    /// The property of the only link that is grouped by.
    pub(crate) property: Option<Arc<str>>,
    /// What is computed. Each aggregate is a count: of matches, or with DISTINCT of that node.
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
}

impl Planner<'_> {
    /// Makes one operator of each aggregate and what it counts, where that can be.
    pub(super) fn walks(&self, ops: Vec<Op>) -> Vec<Op> {
        if !self.follows(Rule::CountWalksAtOnce) {
            return ops;
        }
        let mut after: Vec<Op> = Vec::with_capacity(ops.len());
        for op in ops {
            if let Op::Aggregate(aggregate) = &op
                && let Some((begin, walks)) = walks_before(&after, aggregate)
            {
                after.truncate(begin);
                after.push(Op::Walks(Box::new(walks)));
                continue;
            }
            after.push(op);
        }
        after
    }
}

/// The walks that an aggregate counts, and from which operator on they replace those before it.
fn walks_before(ops: &[Op], aggregate: &Aggregate) -> Option<(usize, Walks)> {
    let is_part = |op: &&Op| matches!(op, Op::Expand(_) | Op::Filter(_));
    let mut begin = ops.len() - ops.iter().rev().take_while(is_part).count();
    let filters = ops[begin..].iter().map_while(|op| match op {
        Op::Filter(condition) => Some(condition),
        _ => None,
    });
    // What else is asked of the first node may leave few, and those are better found before.
    let are_labels = { filters }.all(is_label);
    let scan = match begin.checked_sub(1).and_then(|at| ops.get(at)) {
        Some(Op::Scan { into, by })
            if are_labels && matches!(by, ScanBy::All | ScanBy::Label(_)) =>
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
    let mut figure = FigureOf::default();
    match (&scan, ops.get(begin)) {
        (Some((into, _)), _) => figure.nodes.push(node(*into)),
        (None, Some(Op::Expand(expand))) => figure.nodes.push(node(expand.from)),
        _ => return None,
    }
    for op in &ops[begin + usize::from(scan.is_some())..] {
        match op {
            Op::Filter(condition) => figure.test(condition)?,
            Op::Expand(expand) => figure.link(expand)?,
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
        begins: scan.map(|(_, by)| by),
        of,
        property,
        aggregate: aggregate.clone(),
        by_rows: ops[begin..].to_vec().into(),
    };
    Some((begin, walks))
}

/// Whether a condition asks for one label.
fn is_label(condition: &Expr) -> bool {
    let labels = match &condition.kind {
        ExprKind::HasLabels { labels, .. } => labels,
        _ => return false,
    };
    matches!(labels, Labels::Name(_))
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
    /// Relationships that must not be the same: of a link, and of one that was walked before.
    apart: Vec<(Slot, Slot)>,
}

impl FigureOf {
    fn number(&self, slot: Slot) -> Option<usize> {
        self.nodes.iter().position(|node| node.slot == slot)
    }

    /// A condition on one of its nodes.
    fn test(&mut self, condition: &Expr) -> Option<()> {
        let mut slots = BTreeSet::new();
        condition.each_slot(&mut |slot| {
            slots.insert(slot);
        });
        let mut slots = slots.into_iter();
        let (slot, None) = (slots.next()?, slots.next()) else {
            return None;
        };
        let number = self.number(slot)?;
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

    fn link(&mut self, expand: &Expand) -> Option<()> {
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
        let mut types = expand.types.clone();
        if let Some(names) = &mut types {
            names.sort_unstable();
            names.dedup();
        }
        self.links.push(WalkedLink {
            from,
            to,
            relationship: expand.relationship,
            arrow,
            types,
            apart: Vec::new(),
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
        Some(())
    }

    /// The property that an aggregate groups by, if that is one of the only link, and it asks for counts alone.
    fn grouped_by(&self, aggregate: &Aggregate) -> Option<Arc<str>> {
        let ([link], [(group, _)]) = (self.links.as_slice(), aggregate.groups.as_slice()) else {
            return None;
        };
        let mut aggregates = aggregate.aggregates.iter();
        let are_plain = aggregates.all(|one| self.is_counted(one) == Some(None));
        let key = group.property_of(link.relationship);
        key.filter(|_| are_plain).cloned()
    }

    /// The node that an aggregate asks about, if it asks for counts alone, and about one node at most.
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
            (Some(slot), None) => Some(Some(self.number(slot)?)),
            _ => None,
        }
    }

    /// Whether an aggregate is a count of matches, or which nodes it counts.
    fn is_counted(&self, one: &Aggregated) -> Option<Option<Slot>> {
        let [argument] = one.arguments.as_slice() else {
            return None;
        };
        if one.function.name != "count" {
            return None;
        }
        match (&argument.kind, one.distinct) {
            (ExprKind::Constant(value), false) if !value.is_null() => Some(None),
            // Nodes and relationships of a match are never null.
            (ExprKind::Slot(slot), false) => {
                let mut links = self.links.iter();
                let is_link = links.any(|link| link.relationship == *slot);
                (is_link || self.number(*slot).is_some()).then_some(None)
            }
            (ExprKind::Slot(slot), true) => self.number(*slot).map(|_| Some(*slot)),
            _ => None,
        }
    }
}
