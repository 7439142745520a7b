//! Where a pattern begins: the scan that gives the fewest rows.
//!
//! Next: `explain.rs`.

use super::matching::Matcher;
use super::{Planner, Rule, ScanBy, Seek};
use crate::catalog::{IndexDef, PropertyId, Readiness, Scope};
use crate::query::expr::{ComparisonOperator, Expr, ExprKind, Labels, PredicateOperator, Slot};
use crate::query::types::Types;
use crate::value::Value;
use std::sync::Arc;

/// A scan, what it is expected to give, and the conditions that it makes true.
pub(super) struct Start {
    node: Slot,
    pub(super) by: ScanBy,
    pub(super) rows: u64,
    settles: Vec<usize>,
}

/// What is known where a scan stands.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    matcher: &'a Matcher,
    /// Whether that is everything but the node itself.
    all: bool,
}

impl<'a> Known<'a> {
    /// What is known by now.
    pub(super) fn now(matcher: &'a Matcher) -> Self {
        Self {
            matcher,
            all: false,
        }
    }

    /// What will be known when everything else was found.
    pub(super) fn at_last(matcher: &'a Matcher) -> Self {
        Self { matcher, all: true }
    }

    /// Whether a value is known before there is a node, and the same for all nodes.
    fn may_be_sought(self, value: &Expr, node: Slot) -> bool {
        let known = match self.all {
            true => !value.reads(node),
            false => self.matcher.knows(value),
        };
        known && value.is_steady()
    }
}

/// A condition on one property of a node.
struct Condition<'a> {
    key: &'a str,
    test: Test<'a>,
    /// Which filter says it.
    filter: usize,
    /// Whether that filter says nothing else.
    alone: bool,
}

enum Test<'a> {
    Equal(&'a Expr),
    AnyOf(&'a Expr),
    Above(&'a Expr, bool),
    Below(&'a Expr, bool),
    StartsWith(&'a Expr),
}

impl Planner<'_> {
    /// The best start among the nodes that are not found yet.
    pub(super) fn best_start(&self, matcher: &mut Matcher) -> Option<(Slot, ScanBy)> {
        let nodes = matcher.nodes.iter().chain(&matcher.loose).copied();
        let missing = nodes.filter(|node| matcher.is_missing(*node));
        let starts = missing.flat_map(|node| self.starts(Known::now(matcher), node));
        least(starts).map(|best| matcher.settle(best))
    }

    /// The best start with one node.
    pub(super) fn best_start_of(&self, matcher: &mut Matcher, node: Slot) -> Option<ScanBy> {
        let best = least(self.starts(Known::now(matcher), node).into_iter())?;
        Some(matcher.settle(best).1)
    }

    /// Every way to begin with a node.
    pub(super) fn starts(&self, known: Known<'_>, node: Slot) -> Vec<Start> {
        let matcher = known.matcher;
        let is_loose = matcher.loose.contains(&node);
        let all = Start {
            node,
            by: ScanBy::All,
            rows: match is_loose {
                true => self.statistics.relationships(None),
                false => self.statistics.nodes(),
            },
            settles: Vec::new(),
        };
        let mut starts = vec![all];
        let mut conditions = Vec::new();
        for (at, filter) in matcher.filters.iter().enumerate() {
            let Some(filter) = filter else { continue };
            if let Some((id, element, one_of)) = by_id(filter, node)
                && known.may_be_sought(id, node)
            {
                let id = self.expr(id.clone());
                starts.push(Start {
                    node,
                    by: ScanBy::Id {
                        id,
                        element,
                        one_of,
                    },
                    rows: 1,
                    settles: Vec::new(),
                });
            }
            if let Some((value, one_of)) = by_itself(filter, node)
                && known.may_be_sought(value, node)
            {
                let value = self.expr(value.clone());
                starts.push(Start {
                    node,
                    by: ScanBy::Entity { value, one_of },
                    rows: 1,
                    settles: Vec::new(),
                });
            }
            if self.follows(Rule::LevelFromHierarchy)
                && !is_loose
                && let Some((hierarchy, level)) = by_level(filter, node)
                && let Some(members) = self.statistics.members(hierarchy)
            {
                starts.push(Start {
                    node,
                    by: ScanBy::Level {
                        hierarchy: Arc::clone(hierarchy),
                        level: level.clone(),
                    },
                    // Levels are few, and not of one size.
                    rows: members / 4 + 1,
                    settles: Vec::new(),
                });
            }
            conditions_on((at, filter), node, known, &mut conditions);
        }
        for (at, filter) in matcher.filters.iter().enumerate() {
            let Some(label) = filter.as_ref().and_then(|filter| label_of(filter, node)) else {
                continue;
            };
            starts.push(Start {
                node,
                by: ScanBy::Label(Arc::clone(label)),
                rows: match is_loose {
                    true => self.statistics.relationships(Some(label)),
                    false => self.statistics.labelled(label),
                },
                settles: vec![at],
            });
            starts.extend(self.seeks((node, is_loose), label, &conditions, at));
        }
        starts
    }

    /// The indexes on a label that the conditions can use.
    fn seeks(
        &self,
        (node, is_loose): (Slot, bool),
        label: &Arc<str>,
        conditions: &[Condition<'_>],
        at: usize,
    ) -> Vec<Start> {
        let catalog = self.statistics.catalog();
        let scope = match is_loose {
            true => catalog.types.id(label).map(Scope::Type),
            false => catalog.labels.id(label).map(Scope::Label),
        };
        let Some(rules) = scope.and_then(|scope| catalog.rules(scope)) else {
            return Vec::new();
        };
        let ready = rules
            .indexes
            .iter()
            .filter(|index| index.readiness == Readiness::Ready);
        let starts = ready.filter_map(|index| {
            let (seek, rows, mut settles) = self.seek(index, conditions)?;
            settles.push(at);
            Some(Start {
                node,
                by: ScanBy::Index {
                    index: Arc::clone(&index.name),
                    seek,
                    label: Arc::clone(label),
                },
                rows,
                settles,
            })
        });
        starts.collect()
    }

    /// What to look up in an index, how many rows that gives, and the conditions that it makes true.
    fn seek(
        &self,
        index: &IndexDef,
        conditions: &[Condition<'_>],
    ) -> Option<(Seek, u64, Vec<usize>)> {
        let catalog = self.statistics.catalog();
        let asked = |property: &PropertyId| {
            let name = catalog.properties.name(*property);
            let mut conditions = conditions.iter();
            conditions.any(|one| name.is_some_and(|name| **name == *one.key))
        };
        // The index has only what has all of its properties, so there must be a condition on each.
        if !index.properties.iter().all(asked) {
            return None;
        }
        let one = self.statistics.found_by(index);
        let (mut equal, mut settles) = (Vec::new(), Vec::new());
        for property in &index.properties {
            let name = catalog.properties.name(*property)?;
            let found = conditions.iter().find_map(|one| match one.test {
                Test::Equal(value) if *one.key == **name => Some((one, value)),
                _ => None,
            });
            let Some((condition, value)) = found else {
                break;
            };
            equal.push(self.expr(value.clone()));
            if condition.alone {
                settles.push(condition.filter);
            }
        }
        if !self.follows(Rule::AskTheIndexAlone) || !equal.iter().all(is_at_hand) {
            settles.clear();
        }
        if !equal.is_empty() {
            // Each property that is not named lets through more.
            let open = index.properties.len() - equal.len();
            let rows = one.saturating_mul(1 << (4 * open.min(8)));
            return Some((Seek::Equal(equal), rows, settles));
        }
        let [property] = index.properties.as_slice() else {
            return None;
        };
        let name = catalog.properties.name(*property)?;
        let tests = conditions.iter().filter(|one| *one.key == **name);
        let (mut above, mut below) = (None, None);
        for condition in tests {
            match condition.test {
                Test::AnyOf(list) => {
                    let rows = one.saturating_mul(8);
                    return Some((Seek::AnyOf(self.expr(list.clone())), rows, settles));
                }
                Test::StartsWith(prefix) => {
                    let rows = one.saturating_mul(16);
                    return Some((Seek::StartsWith(self.expr(prefix.clone())), rows, settles));
                }
                Test::Above(bound, counts) => above = Some((self.expr(bound.clone()), counts)),
                Test::Below(bound, counts) => below = Some((self.expr(bound.clone()), counts)),
                Test::Equal(_) => {}
            }
        }
        if above.is_none() && below.is_none() {
            return None;
        }
        // A third of what the label has, as nothing is known about how values are spread.
        let all = self.statistics.entries(index);
        let rows = all
            / if above.is_some() && below.is_some() {
                10
            } else {
                3
            };
        Some((Seek::Range { above, below }, rows + 1, settles))
    }
}

/// The first of those that give the fewest rows.
fn least(starts: impl Iterator<Item = Start>) -> Option<Start> {
    starts.min_by_key(|start| start.rows)
}

impl Matcher {
    /// Takes a start: what it makes true is not asked again.
    fn settle(&mut self, start: Start) -> (Slot, ScanBy) {
        for settled in start.settles {
            if let Some(filter) = self.filters.get_mut(settled) {
                *filter = None;
            }
        }
        (start.node, start.by)
    }
}

/// The hierarchy and the level that a condition demands of a node. Of what is only known in a row, `RECOVER` is a part
/// of it that knows its levels itself.
fn by_level(filter: &Expr, node: Slot) -> Option<(&Arc<str>, &Expr)> {
    let ExprKind::Comparison { first, rest } = &filter.kind else {
        return None;
    };
    let [(ComparisonOperator::Equal, other)] = rest.as_slice() else {
        return None;
    };
    let is_at_hand = |of: &Expr| matches!(of.kind, ExprKind::Constant(_) | ExprKind::Parameter(_));
    let (call, level) = match (is_at_hand(first), is_at_hand(other)) {
        (false, true) => (&**first, other),
        (true, false) => (other, &**first),
        _ => return None,
    };
    let ("level", [of, name]) = call.engine_call()? else {
        return None;
    };
    match &name.kind {
        ExprKind::Constant(Value::String(hierarchy)) if of.is_slot(node) => {
            Some((hierarchy, level))
        }
        _ => None,
    }
}

/// The label that a condition demands of a node.
pub(super) fn label_of(filter: &Expr, node: Slot) -> Option<&Arc<str>> {
    match &filter.kind {
        ExprKind::HasLabels {
            of,
            labels: Labels::Name(name),
        } if of.is_slot(node) => Some(name),
        _ => None,
    }
}

/// The node that a condition demands, or with `true` the list of such.
fn by_itself(filter: &Expr, node: Slot) -> Option<(&Expr, bool)> {
    let is_it = |expr: &Expr| expr.is_slot(node);
    match &filter.kind {
        ExprKind::Comparison { first, rest } => match rest.as_slice() {
            [(ComparisonOperator::Equal, right)] if is_it(first) => Some((right, false)),
            [(ComparisonOperator::Equal, right)] if is_it(right) => Some((first, false)),
            _ => None,
        },
        ExprKind::Predicate {
            left,
            operator: PredicateOperator::In,
            right,
        } if is_it(left) => Some((right, true)),
        _ => None,
    }
}

/// The id that a condition demands of a node, whether it is an element id, and whether it is a list of such.
fn by_id(filter: &Expr, node: Slot) -> Option<(&Expr, bool, bool)> {
    let (left, right, equal) = match &filter.kind {
        ExprKind::Comparison { first, rest } => match rest.as_slice() {
            [(ComparisonOperator::Equal, right)] => (&**first, right, true),
            _ => return None,
        },
        ExprKind::Predicate {
            left,
            operator: PredicateOperator::In,
            right,
        } => (&**left, &**right, false),
        _ => return None,
    };
    if let Some(element) = id_of(left, node) {
        return Some((right, element, !equal));
    }
    id_of(right, node)
        .filter(|_| equal)
        .map(|element| (left, element, false))
}

/// Whether this is the id of a node: its number, or its element id.
fn id_of(expr: &Expr, node: Slot) -> Option<bool> {
    match expr.engine_call()? {
        ("id", [of]) if of.is_slot(node) => Some(false),
        ("elementId", [of]) if of.is_slot(node) => Some(true),
        _ => None,
    }
}

/// What a condition says about single properties of a node, with values that are known.
fn conditions_on<'a>(
    (at, filter): (usize, &'a Expr),
    node: Slot,
    known: Known<'_>,
    into: &mut Vec<Condition<'a>>,
) {
    let key_of = |expr: &'a Expr| expr.property_of(node).map(|key| &**key);
    let known = |expr: &Expr| known.may_be_sought(expr, node);
    match &filter.kind {
        ExprKind::Comparison { first, rest } => {
            let mut left = &**first;
            let says = |key, test| Condition {
                key,
                test,
                filter: at,
                alone: rest.len() == 1,
            };
            for (operator, right) in rest {
                if let Some(key) = key_of(left)
                    && known(right)
                {
                    into.extend(test(*operator, right).map(|test| says(key, test)));
                }
                if let Some(key) = key_of(right)
                    && known(left)
                {
                    let test = test(operator.mirrored(), left);
                    into.extend(test.map(|test| says(key, test)));
                }
                left = right;
            }
        }
        ExprKind::Predicate {
            left,
            operator,
            right,
        } => {
            let Some(key) = key_of(left) else { return };
            if !known(right) {
                return;
            }
            let test = match operator {
                PredicateOperator::In => Test::AnyOf(right),
                PredicateOperator::StartsWith => Test::StartsWith(right),
                _ => return,
            };
            into.push(Condition {
                key,
                test,
                filter: at,
                alone: false,
            });
        }
        _ => {}
    }
}

/// Whether a value only has to be taken, which cannot fail: where looking it up fails, the condition is asked of every
/// node, and so must be kept.
fn is_at_hand(value: &Expr) -> bool {
    matches!(
        value.kind,
        ExprKind::Constant(_) | ExprKind::Slot(_) | ExprKind::Parameter(_)
    )
}

fn test(operator: ComparisonOperator, value: &Expr) -> Option<Test<'_>> {
    let ranged = Types::NUMBER.or(Types::STRING).or(Types::INSTANT);
    Some(match operator {
        ComparisonOperator::Equal => Test::Equal(value),
        ComparisonOperator::NotEqual => return None,
        // Lists are compared in another way than they are sorted.
        _ if !value.types.may_be(ranged) => return None,
        ComparisonOperator::Greater => Test::Above(value, false),
        ComparisonOperator::GreaterOrEqual => Test::Above(value, true),
        ComparisonOperator::Less => Test::Below(value, false),
        ComparisonOperator::LessOrEqual => Test::Below(value, true),
    })
}
