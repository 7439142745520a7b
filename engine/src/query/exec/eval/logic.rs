//! AND, OR, comparisons and operators.
//!
//! Next: `access.rs`.

use super::{Context, eval};
use crate::query::error::Fault;
use crate::query::expr::{ArithmeticOperator, ComparisonOperator, Expr, PredicateOperator};
use crate::query::functions::operators::{
    and, arithmetic, compare, contains, ends_with, is_in, matches, not, or, starts_with, truth, xor,
};
use crate::value::Value;

fn known(truth: Option<bool>) -> Value {
    truth.map_or(Value::Null, Value::Bool)
}

fn truth_of(
    context: &mut Context<'_>,
    part: &Expr,
    row: &mut [Value],
) -> Result<Option<bool>, Fault> {
    let value = eval(context, part, row)?;
    truth(&value).map_err(|fault| fault.at(part.span))
}

/// `AND`: what is false settles it.
pub(super) fn and_of(
    context: &mut Context<'_>,
    parts: &[Expr],
    row: &mut [Value],
) -> Result<Value, Fault> {
    fold(context, parts, row, (Some(true), and), Some(false))
}

/// `OR`: what is true settles it.
pub(super) fn or_of(
    context: &mut Context<'_>,
    parts: &[Expr],
    row: &mut [Value],
) -> Result<Value, Fault> {
    fold(context, parts, row, (Some(false), or), Some(true))
}

/// `XOR`: nothing settles it.
pub(super) fn xor_of(
    context: &mut Context<'_>,
    parts: &[Expr],
    row: &mut [Value],
) -> Result<Value, Fault> {
    fold(context, parts, row, (Some(false), xor), None)
}

type Join = fn(Option<bool>, Option<bool>) -> Option<bool>;

/// The truth of some parts, which are asked until one settles it.
fn fold(
    context: &mut Context<'_>,
    parts: &[Expr],
    row: &mut [Value],
    (mut so_far, join): (Option<bool>, Join),
    settles: Option<bool>,
) -> Result<Value, Fault> {
    for part in parts {
        so_far = join(so_far, truth_of(context, part, row)?);
        if settles.is_some() && so_far == settles {
            break;
        }
    }
    Ok(known(so_far))
}

/// `NOT`.
pub(super) fn not_of(
    context: &mut Context<'_>,
    of: &Expr,
    row: &mut [Value],
) -> Result<Value, Fault> {
    let value = eval(context, of, row)?;
    not(&value).map_err(|fault| fault.at(of.span))
}

/// `a < b <= c`: each with the next, and all of them must hold.
pub(super) fn comparison(
    context: &mut Context<'_>,
    first: &Expr,
    rest: &[(ComparisonOperator, Expr)],
    row: &mut [Value],
) -> Result<Value, Fault> {
    let mut left = eval(context, first, row)?;
    let mut so_far = Some(true);
    for (operator, right) in rest {
        let right = eval(context, right, row)?;
        let holds = compare(*operator, &left, &right);
        so_far = and(so_far, holds.as_bool());
        if so_far == Some(false) {
            break;
        }
        left = right;
    }
    Ok(known(so_far))
}

/// `a + b - c`, from left to right.
pub(super) fn calculation(
    context: &mut Context<'_>,
    first: &Expr,
    rest: &[(ArithmeticOperator, Expr)],
    row: &mut [Value],
) -> Result<Value, Fault> {
    let mut so_far = eval(context, first, row)?;
    for (operator, right) in rest {
        let value = eval(context, right, row)?;
        so_far = arithmetic(*operator, &so_far, &value).map_err(|fault| fault.at(right.span))?;
    }
    Ok(so_far)
}

/// `IN`, `STARTS WITH` and their kin.
pub(super) fn predicate(
    context: &mut Context<'_>,
    left: &Expr,
    operator: PredicateOperator,
    right: &Expr,
    row: &mut [Value],
) -> Result<Value, Fault> {
    let left = eval(context, left, row)?;
    let right = eval(context, right, row)?;
    match operator {
        PredicateOperator::In => is_in(&left, &right),
        PredicateOperator::StartsWith => Ok(starts_with(&left, &right)),
        PredicateOperator::EndsWith => Ok(ends_with(&left, &right)),
        PredicateOperator::Contains => Ok(contains(&left, &right)),
        PredicateOperator::Matches => matches(&left, &right),
    }
}
