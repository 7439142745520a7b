//! What a condition states about the nodes of a figure: that two of them are not alike, or how often something is found
//! from one.
//!
//! A condition is told from its own shape and from the operators of its subquery. What is not told here is asked row by
//! row, so nothing here may be told by half.
//!
//! Next: `walks.rs`.

use super::{BarredBy, Op, TypeNames};
use crate::algo::walks::Times;
use crate::query::expr::{Body, ComparisonOperator, Expr, ExprKind, Labels, Slot, SubqueryKind};
use crate::value::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The slot that a condition reads, if it is one alone.
pub(super) fn only_slot(condition: &Expr) -> Option<Slot> {
    let mut slots = BTreeSet::new();
    condition.each_slot(&mut |slot| {
        slots.insert(slot);
    });
    let mut slots = slots.into_iter();
    match (slots.next(), slots.next()) {
        (Some(slot), None) => Some(slot),
        _ => None,
    }
}

/// Types in order, and each once, whatever the text says.
pub(super) fn ordered(types: &TypeNames) -> TypeNames {
    let mut types = types.clone();
    if let Some(names) = &mut types {
        names.sort_unstable();
        names.dedup();
    }
    types
}

/// Whether a condition says of one of these slots that it is not null.
pub(super) fn is_there(condition: &Expr, slots: &[Slot]) -> bool {
    match &condition.kind {
        ExprKind::IsNull { of, negated: true } => slots.iter().any(|slot| of.is_slot(*slot)),
        _ => false,
    }
}

/// The two slots of which a condition says that something must not be so between them, and what.
pub(super) fn bar_of(condition: &Expr) -> Option<(Slot, Slot, BarredBy)> {
    match &condition.kind {
        ExprKind::Comparison { first, rest } => match rest.as_slice() {
            [(ComparisonOperator::NotEqual, second)] => differing(first, second),
            _ => None,
        },
        ExprKind::Not(of) => match &of.kind {
            ExprKind::Comparison { first, rest } => match rest.as_slice() {
                [(ComparisonOperator::Equal, second)] => differing(first, second),
                _ => None,
            },
            ExprKind::Subquery {
                kind: SubqueryKind::Exists,
                body: Body::Planned { ops, .. },
            } => unlinked(ops),
            _ => None,
        },
        _ => None,
    }
}

fn differing(first: &Expr, second: &Expr) -> Option<(Slot, Slot, BarredBy)> {
    match (&first.kind, &second.kind) {
        (ExprKind::Slot(one), ExprKind::Slot(other)) => Some((*one, *other, BarredBy::Same)),
        (ExprKind::Property { of, key }, ExprKind::Property { of: to, key: same })
            if key == same =>
        {
            match (&of.kind, &to.kind) {
                (ExprKind::Slot(one), ExprKind::Slot(other)) => {
                    Some((*one, *other, BarredBy::Alike(Arc::clone(key))))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The ends of the only link of a subquery, if it asks for nothing else.
fn unlinked(ops: &[Op]) -> Option<(Slot, Slot, BarredBy)> {
    let (last, filters) = ops.split_last()?;
    let Op::Expand(expand) = last else {
        return None;
    };
    let ends = [expand.from, expand.to];
    let are_there = { filters.iter() }.all(|op| match op {
        Op::Filter(condition) => is_there(condition, &ends),
        _ => false,
    });
    let is_plain = expand.to_bound && expand.apart_from.is_empty() && expand.most.is_empty();
    (are_there && is_plain).then_some((
        expand.from,
        expand.to,
        BarredBy::Linked(expand.arrow, ordered(&expand.types)),
    ))
}

/// Whether a condition asks for one label.
pub(super) fn is_label(condition: &Expr) -> bool {
    let labels = match &condition.kind {
        ExprKind::HasLabels { labels, .. } => labels,
        _ => return false,
    };
    matches!(labels, Labels::Name(_))
}

/// What must be found from a node so often: the operators that find it, and how often that is. Whether anything may be
/// part of a figure is seen when it is hung on one.
pub(super) fn hung_by(condition: &Expr) -> Option<(&[Op], Times)> {
    match &condition.kind {
        ExprKind::Subquery { .. } => {
            let ops = found_by(condition, |kind| matches!(kind, SubqueryKind::Exists));
            ops.map(|ops| (ops, Times::OnceIf(1, u64::MAX)))
        }
        ExprKind::Not(of) => {
            let ops = found_by(of, |kind| matches!(kind, SubqueryKind::Exists));
            ops.map(|ops| (ops, Times::OnceIf(0, 0)))
        }
        ExprKind::Comparison { first, rest } => {
            let [(operator, second)] = rest.as_slice() else {
                return None;
            };
            let is_count = |kind: &SubqueryKind| matches!(kind, SubqueryKind::Count);
            match (found_by(first, is_count), found_by(second, is_count)) {
                (Some(ops), None) => Some((ops, so_often(*operator, second)?)),
                (None, Some(ops)) => Some((ops, so_often(operator.mirrored(), first)?)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The operators of a subquery of a kind.
fn found_by(of: &Expr, is_it: impl Fn(&SubqueryKind) -> bool) -> Option<&[Op]> {
    match &of.kind {
        ExprKind::Subquery {
            kind,
            body: Body::Planned { ops, .. },
        } if is_it(kind) => Some(ops),
        _ => None,
    }
}

/// How often something is found that is found as often as a comparison with a number says.
fn so_often(operator: ComparisonOperator, number: &Expr) -> Option<Times> {
    let ExprKind::Constant(Value::Int(number)) = &number.kind else {
        return None;
    };
    let number = i128::from(*number);
    let (least, most) = match operator {
        ComparisonOperator::Equal => (number, number),
        ComparisonOperator::NotEqual => return None,
        ComparisonOperator::Less => (0, number - 1),
        ComparisonOperator::LessOrEqual => (0, number),
        ComparisonOperator::Greater => (number + 1, i128::from(u64::MAX)),
        ComparisonOperator::GreaterOrEqual => (number, i128::from(u64::MAX)),
    };
    let least = u64::try_from(least.max(0)).ok()?;
    // Nothing is found less than never.
    Some(match u64::try_from(most) {
        Ok(most) => Times::OnceIf(least, most),
        Err(_) => Times::OnceIf(1, 0),
    })
}
