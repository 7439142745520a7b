//! How a plan is shown: an operator a line, nested ones indented, in the order in which rows go through them.
//!
//! Variables are called as in the text, and nameless ones by their slot; expressions are shown as they stand
//! in the text.
//!
//! Next: `explain/sources.rs`, `explain/traverse.rs`.

mod sources;
mod traverse;

use super::{
    Aggregate, CreateItem, ExpandMany, LabelOf, Op, Plan, Repeat, ScanBy, Segment, TypeNames,
    WalkedNode, Walks,
};
use crate::algo::walks::Times;
use crate::query::exec::key_of;
use crate::query::expr::{Expr, ExprKind, Labels, Slot};
use std::sync::Arc;
use stratigraph_query_lang::ast::{Arrow, SelectorKind};

impl Plan {
    /// The plan, a line for each operator and for some of their parts.
    pub(crate) fn lines(&self, text: &str) -> Vec<PlanLine> {
        let mut shown = Shown {
            plan: self,
            text,
            lines: Vec::new(),
            key: None,
        };
        shown.ops(&self.ops, 0);
        shown.lines
    }
}

/// A line of a plan.
#[derive(Clone, Debug)]
pub(crate) struct PlanLine {
    pub(crate) depth: usize,
    pub(crate) text: String,
    /// What the operator is known by; none for a part of one.
    pub(crate) key: Option<usize>,
}

struct Shown<'a> {
    plan: &'a Plan,
    text: &'a str,
    lines: Vec<PlanLine>,
    /// The operator whose line comes next.
    key: Option<usize>,
}

impl Shown<'_> {
    fn ops(&mut self, ops: &[Op], depth: usize) {
        for op in ops {
            self.op(op, depth);
        }
    }

    fn line(&mut self, depth: usize, line: &str) {
        self.lines.push(PlanLine {
            depth,
            text: line.trim_end().to_owned(),
            key: self.key.take(),
        });
    }

    fn op(&mut self, op: &Op, depth: usize) {
        self.key = Some(key_of(op));
        let line = match op {
            Op::Scan { into, by } => self.scan(*into, by, "Node"),
            Op::ScanRelationships { into, by } => self.scan(*into, by, "Relationship"),
            Op::Search(search) => {
                self.line(depth, &self.search(search));
                let among = search.among.as_deref().unwrap_or_default();
                return self.ops(among, depth + 1);
            }
            Op::Expand(op) => {
                let far = if op.to_bound { "ExpandInto" } else { "Expand" };
                let way = self.way(op.from, Some(op.relationship), op.to, op.arrow, &op.types);
                let most = op.most.iter().map(|most| self.expr(most));
                match most.collect::<Vec<_>>().join(" + ") {
                    most if most.is_empty() => format!("{far} {way}"),
                    most => format!("{far} {way} at most {most}"),
                }
            }
            Op::Ends(op) => {
                let way = self.way(op.from, Some(op.relationship), op.to, op.arrow, &op.types);
                format!("Ends {way}")
            }
            Op::ExpandMany(op) => format!("ExpandMany {}", self.many(op)),
            Op::Traverse(op) => return self.traverse(op, depth),
            Op::Shortest(op) => match op.segments.as_slice() {
                [Segment::Link { link, .. }] => {
                    let both = match op.from_both && op.plain().is_some() {
                        true => " from both ends",
                        false => "",
                    };
                    format!("{} {}{both}", chosen(op.kind), self.many(link))
                }
                segments => {
                    let (from, to) = (self.name(op.from), self.name(op.to));
                    self.line(depth, &format!("{} ({from}) to ({to})", chosen(op.kind)));
                    for segment in segments {
                        self.segment(segment, depth + 1);
                    }
                    return;
                }
            },
            Op::Repeat(op) => return self.repeat(op, depth),
            Op::Filter(condition) => format!("Filter {}", self.condition(condition)),
            Op::Compute(items) => {
                let items = items.iter();
                let items = items.map(|(slot, item)| match &item.kind {
                    ExprKind::Path { .. } => format!("path {}", self.name(*slot)),
                    _ => format!("{} = {}", self.name(*slot), self.expr(item)),
                });
                format!("Compute {}", items.collect::<Vec<_>>().join(", "))
            }
            Op::Unwind { list, into } => {
                format!("Unwind {} AS {}", self.expr(list), self.name(*into))
            }
            Op::Optional { ops, .. } => {
                self.line(depth, "Optional");
                return self.ops(ops, depth + 1);
            }
            Op::Union(union) => {
                self.line(depth, if union.distinct { "Union" } else { "Union all" });
                for (ops, _) in &union.arms {
                    self.line(depth + 1, "Arm");
                    self.ops(ops, depth + 2);
                }
                return;
            }
            Op::Apply(apply) => {
                let mode = match (&apply.transactions, apply.optional) {
                    (Some(_), _) => "Subquery in transactions",
                    (None, true) => "Optional subquery",
                    (None, false) => "Subquery",
                };
                self.line(depth, mode);
                return self.ops(&apply.ops, depth + 1);
            }
            Op::Call(call) => format!("Call {}", call.procedure.name()),
            Op::Aggregate(aggregate) => format!("Aggregate {}", self.aggregated(aggregate)),
            Op::Walks(walks) => format!("Walks {}", self.walks(walks)),
            Op::Sort {
                by, skip, limit, ..
            } => {
                let keys = by.iter().map(|key| {
                    let way = if key.descending { " DESC" } else { "" };
                    format!("{}{way}", self.expr(&key.expr))
                });
                let keys = keys.collect::<Vec<_>>().join(", ");
                let skip = skip.as_ref().map(|skip| format!("{} + ", self.expr(skip)));
                let skip = skip.unwrap_or_default();
                match limit {
                    Some(limit) => format!("Top {skip}{} BY {keys}", self.expr(limit)),
                    None => format!("Sort {keys}"),
                }
            }
            Op::Distinct(slots) => {
                let names: Vec<String> = slots.iter().map(|slot| self.name(*slot)).collect();
                format!("Distinct {}", names.join(", "))
            }
            Op::Skip(rows) => format!("Skip {}", self.expr(rows)),
            Op::Limit(rows) => format!("Limit {}", self.expr(rows)),
            Op::Eager { why, .. } => format!("Eager ({why})"),
            Op::Drain => "Drain".to_owned(),
            Op::Create(items) => format!("Create {}", self.created(items)),
            Op::Merge(merge) => {
                self.line(depth, &format!("Merge {}", self.created(&merge.create)));
                return self.ops(&merge.ops, depth + 1);
            }
            Op::Set(_) => "Set".to_owned(),
            Op::Remove(_) => "Remove".to_owned(),
            Op::Delete { detach, .. } => if *detach { "DetachDelete" } else { "Delete" }.to_owned(),
            Op::Foreach { list, into, ops } => {
                let list = self.expr(list);
                self.line(depth, &format!("Foreach {} IN {list}", self.name(*into)));
                return self.ops(ops, depth + 1);
            }
        };
        self.line(depth, &line);
    }

    /// What is computed of groups, and what the groups are.
    fn aggregated(&self, aggregate: &Aggregate) -> String {
        let groups = aggregate.groups.iter();
        let groups: Vec<String> = groups.map(|(group, _)| self.expr(group)).collect();
        let aggregates = aggregate.aggregates.iter();
        let aggregates: Vec<&str> = aggregates.map(|one| one.span.of(self.text)).collect();
        format!("{} BY [{}]", aggregates.join(", "), groups.join(", "))
    }

    /// The links of a figure, what is asked of its nodes, and what is counted.
    fn walks(&self, walks: &Walks) -> String {
        let slot = |number: usize| walks.nodes.get(number).map(|node| node.slot);
        let links = walks.links.iter().filter_map(|link| {
            let (from, to) = (slot(link.from)?, slot(link.to)?);
            let way = self.way(from, Some(link.relationship), to, link.arrow, &link.types);
            Some(match link.times {
                Times::Each => way,
                Times::AtLeastOnce => format!("optional {way}"),
                Times::OnceIf(1, u64::MAX) => format!("if {way}"),
                Times::OnceIf(0, 0) => format!("unless {way}"),
                Times::OnceIf(least, u64::MAX) => format!("if {least}.. {way}"),
                Times::OnceIf(least, most) => format!("if {least}..{most} {way}"),
            })
        });
        let mut shown = links.collect::<Vec<_>>().join(", ");
        let labels = |node: &WalkedNode| {
            let name = self.name(node.slot);
            let labels = node.labels.iter();
            let labels = labels.map(move |label| format!("{name}:{label}"));
            labels.collect::<Vec<_>>()
        };
        let mut tests = Vec::new();
        for (number, node) in walks.nodes.iter().enumerate() {
            if let (0, Some(ScanBy::Label(label))) = (number, &walks.begins) {
                tests.push(format!("{}:{label}", self.name(node.slot)));
            }
            tests.extend(labels(node));
            tests.extend(node.tests.iter().map(|test| self.condition(test)));
        }
        let bars = walks.bars.iter();
        tests.extend(bars.map(|bar| self.condition(&bar.condition)));
        if !tests.is_empty() {
            shown = format!("{shown} WHERE {}", tests.join(" AND "));
        }
        format!("{shown}: {}", self.aggregated(&walks.aggregate))
    }

    fn repeat(&mut self, op: &Repeat, depth: usize) {
        let way = self.way(op.from, None, op.to, Arrow::Right, &None);
        let bounds = bounds(op.min, op.max);
        self.line(depth, &format!("Repeat {way} {bounds}"));
        self.ops(&op.ops, depth + 1);
    }

    /// One link of a chain.
    fn segment(&mut self, segment: &Segment, depth: usize) {
        match segment {
            Segment::Link { link, single: true } => {
                let way = self.way(
                    link.from,
                    Some(link.relationships),
                    link.to,
                    link.arrow,
                    &link.types,
                );
                self.line(depth, &format!("Along {way}"));
            }
            Segment::Link { link, .. } => {
                let many = self.many(link);
                self.line(depth, &format!("Along {many}"));
            }
            Segment::Rounds(repeat) => self.repeat(repeat, depth),
        }
    }

    fn many(&self, op: &ExpandMany) -> String {
        let way = self.way(op.from, Some(op.relationships), op.to, op.arrow, &op.types);
        let each = op
            .each
            .as_ref()
            .map(|(_, each)| format!(" each {}", self.expr(each)));
        format!(
            "{way} {}{}",
            bounds(op.min, op.max),
            each.unwrap_or_default()
        )
    }

    fn way(
        &self,
        from: Slot,
        over: Option<Slot>,
        to: Slot,
        arrow: Arrow,
        types: &TypeNames,
    ) -> String {
        let types = match types {
            Some(types) => {
                let types: Vec<&str> = types.iter().map(|name| &**name).collect();
                format!(":{}", types.join("|"))
            }
            None => String::new(),
        };
        let (left, right) = match arrow {
            Arrow::Right => ("-", "->"),
            Arrow::Left => ("<-", "-"),
            Arrow::Either => ("-", "-"),
        };
        let over = over.map_or(String::new(), |slot| self.name(slot));
        format!(
            "({}){left}[{over}{types}]{right}({})",
            self.name(from),
            self.name(to)
        )
    }

    fn created(&self, items: &[CreateItem]) -> String {
        let shown = items.iter().map(|item| match item {
            CreateItem::Node { into, labels, .. } => {
                let labels: String = labels
                    .iter()
                    .map(|label| format!(":{}", label_name(label)))
                    .collect();
                format!("({}{labels})", self.name(*into))
            }
            CreateItem::Relationship {
                into,
                from,
                to,
                relationship_type,
                ..
            } => {
                let (from, into, to) = (self.name(*from), self.name(*into), self.name(*to));
                format!(
                    "({from})-[{into}:{}]->({to})",
                    label_name(relationship_type)
                )
            }
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// What a slot is called: as its variable, or as the column that it becomes.
    fn name(&self, slot: Slot) -> String {
        let column = || {
            let mut columns = self.plan.columns.iter();
            columns.find(|(_, of)| *of == slot).map(|(name, _)| name)
        };
        let own = self.plan.names.get(slot.at());
        match own.filter(|name| !name.is_empty()).or_else(column) {
            Some(name) => name.to_string(),
            None => format!("#{}", slot.0),
        }
    }

    /// A condition with the variable that it is about, which a pattern has in another place.
    fn condition(&self, condition: &Expr) -> String {
        let shown = self.expr(condition);
        let variable = |of: &Expr| match of.kind {
            ExprKind::Slot(slot) => Some(self.name(slot)),
            _ => None,
        };
        let whole = match &condition.kind {
            // What an index is on is a condition that nobody wrote down.
            ExprKind::HasLabels {
                of,
                labels: Labels::Name(name),
            } if condition.span.of(self.text).is_empty() => {
                variable(of).map(|of| format!("{of}:{name}"))
            }
            ExprKind::HasLabels { of, .. } if !shown.contains([':', ' ']) => {
                variable(of).map(|name| format!("{name}:{shown}"))
            }
            ExprKind::Comparison { first, .. } => match &first.kind {
                ExprKind::Property { of, key } => {
                    let rest = shown
                        .strip_prefix(&**key)
                        .and_then(|rest| rest.strip_prefix(':'));
                    let name = variable(of);
                    name.zip(rest)
                        .map(|(name, rest)| format!("{name}.{key} ={rest}"))
                }
                _ => None,
            },
            ExprKind::IsNull { of, negated: true } if condition.span.of(self.text).is_empty() => {
                variable(of).map(|name| format!("{name} IS NOT NULL"))
            }
            _ => None,
        };
        whole.unwrap_or(shown)
    }

    fn expr(&self, expr: &Expr) -> String {
        let shown = expr.span.of(self.text);
        if shown.is_empty() {
            return format!("{:?}", expr.types);
        }
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn label_name(label: &LabelOf) -> Arc<str> {
    match label {
        LabelOf::Name(name) => Arc::clone(name),
        LabelOf::Dynamic(_) => "$(...)".into(),
    }
}

/// Which of all paths are taken.
fn chosen(kind: SelectorKind) -> String {
    match kind {
        SelectorKind::All => "All".to_owned(),
        SelectorKind::Any(most) => format!("Any {most}"),
        SelectorKind::Shortest(most) => format!("Shortest {most}"),
        SelectorKind::AllShortest => "AllShortest".to_owned(),
        SelectorKind::ShortestGroups(most) => format!("ShortestGroups {most}"),
    }
}

fn bounds(min: u64, max: Option<u64>) -> String {
    match max {
        Some(max) => format!("{{{min},{max}}}"),
        None => format!("{{{min},}}"),
    }
}
