//! What can be done for a whole level at once, without a row for each candidate.
//!
//! Next: `exec/flat/traverse/mod.rs`.

use super::{AtOnce, DirectStep, LevelOf};
use crate::query::expr::{Expr, ExprKind, FunctionOf, Labels, Slot};
use crate::query::plan::{Op, ScanBy};
use crate::value::Value;
use std::sync::Arc;
use stratigraph_query_lang::ast::ComparisonOperator;

/// Whether a step is one relationship and a label at each of its ends, so that it needs no rows.
pub(super) fn direct(ops: &[Op], (from, to): (Slot, Slot)) -> Option<DirectStep> {
    let (mut link, mut from_label, mut label) = (None, None, None);
    for op in ops {
        match op {
            Op::Expand(expand) if link.is_none() => link = Some(expand),
            Op::Filter(filter) => {
                let ExprKind::HasLabels {
                    of,
                    labels: Labels::Name(name),
                } = &filter.kind
                else {
                    return None;
                };
                let known = match (of.is_slot(from), of.is_slot(to)) {
                    (true, _) => &mut from_label,
                    (_, true) => &mut label,
                    _ => return None,
                };
                // Two labels at one end are two conditions.
                if known.replace(Arc::clone(name)).is_some() {
                    return None;
                }
            }
            _ => return None,
        }
    }
    let expand = link?;
    if expand.from != from || expand.to_bound || !expand.apart_from.is_empty() {
        return None;
    }
    Some(DirectStep {
        arrow: expand.arrow,
        types: expand.types.clone(),
        from_label,
        label,
    })
}

/// Whether a pattern is the members of the level that is looked at: `(m:Label WHERE level(m, 'name') = level)`.
pub(super) fn level_of(ops: &[Op], node: Slot, level: Slot) -> Option<LevelOf> {
    let [Op::Scan { into, by }, Op::Filter(filter)] = ops else {
        return None;
    };
    let label = match by {
        ScanBy::All => None,
        ScanBy::Label(label) => Some(Arc::clone(label)),
        ScanBy::Index { .. } | ScanBy::Level { .. } | ScanBy::Id { .. } | ScanBy::Entity { .. } => {
            return None;
        }
    };
    let ExprKind::Comparison { first, rest } = &filter.kind else {
        return None;
    };
    let [(ComparisonOperator::Equal, other)] = rest.as_slice() else {
        return None;
    };
    let call = match (first.is_slot(level), other.is_slot(level)) {
        (true, false) => other,
        (false, true) => &**first,
        _ => return None,
    };
    let ("level", [of, name]) = call.engine_call()? else {
        return None;
    };
    let ExprKind::Constant(Value::String(hierarchy)) = &name.kind else {
        return None;
    };
    let hierarchy = Arc::clone(hierarchy);
    (*into == node && of.is_slot(node)).then_some(LevelOf {
        hierarchy,
        label,
        span: call.span,
    })
}

/// Whether a score is a function of the host that is asked once for each level, with the rules and without.
pub(super) fn batch(expr: &Expr) -> Option<AtOnce> {
    let ExprKind::Call {
        function: FunctionOf::Host(function),
        arguments,
    } = &expr.kind
    else {
        return None;
    };
    function.is_batch().then(|| AtOnce::Batch {
        function: Arc::clone(function),
        arguments: arguments.clone(),
    })
}

/// Whether a score is the likeness of a candidate's property to what is the same for all candidates.
pub(super) fn likeness(expr: &Expr, to: Slot, changing: &[Slot]) -> Option<AtOnce> {
    let (name, [left, right]) = expr.engine_call()? else {
        return None;
    };
    let known = ["vector.cosine", "vector.dot", "vector.l2"];
    let function = known.into_iter().find(|known| *known == name)?;
    let of_candidate = |expr: &Expr| expr.property_of(to).cloned();
    let stays = |expr: &Expr| !changing.iter().any(|slot| expr.reads(*slot)) && expr.is_steady();
    let (property, to) = match (of_candidate(left), of_candidate(right)) {
        (Some(property), None) if stays(right) => (property, right),
        (None, Some(property)) if stays(left) => (property, left),
        _ => return None,
    };
    Some(AtOnce::Likeness {
        function,
        property,
        to: to.clone(),
    })
}

/// The threshold that a condition on the score is.
pub(super) fn threshold(filter: &Expr, score: Slot, changing: &[Slot]) -> Option<(Expr, bool)> {
    let ExprKind::Comparison { first, rest } = &filter.kind else {
        return None;
    };
    let [(operator, bound)] = rest.as_slice() else {
        return None;
    };
    let is_score = |expr: &Expr| expr.is_slot(score);
    let stays = |expr: &Expr| !changing.iter().any(|slot| expr.reads(*slot)) && expr.is_steady();
    use ComparisonOperator::{Greater, GreaterOrEqual, Less, LessOrEqual};
    let (bound, counts) = match operator {
        Greater if is_score(first) => (bound, false),
        GreaterOrEqual if is_score(first) => (bound, true),
        Less if is_score(bound) => (&**first, false),
        LessOrEqual if is_score(bound) => (&**first, true),
        _ => return None,
    };
    stays(bound).then(|| (bound.clone(), counts))
}
