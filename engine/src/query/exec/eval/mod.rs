//! Expressions over a row.
//!
//! Variables of comprehensions are slots of the same row: they are filled while their part is computed, and
//! put back afterwards. The stack is as deep as the text nests, which the parser bounds.
//!
//! | what | where |
//! |---|---|
//! | AND, OR, comparisons, operators | `logic.rs` |
//! | properties, elements, labels, map projections | `access.rs` |
//! | what goes through lists | `lists.rs` |
//! | subqueries, paths | `graph.rs` |
//! | functions of the host, one by one and many at once | `host.rs` |

mod access;
mod graph;
pub(crate) mod host;
mod lists;
mod logic;

use super::context::Context;
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind, FunctionOf};
use crate::query::functions::operators::{index, negate, plus, slice, truth, with_article};
use crate::query::functions::{Call, Function, Nulls, limits};
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The value of an expression over a row.
pub(crate) fn eval(
    context: &mut Context<'_>,
    expr: &Expr,
    row: &mut [Value],
) -> Result<Value, Fault> {
    let value = match &expr.kind {
        ExprKind::Constant(value) => value.clone(),
        ExprKind::Slot(slot) => row.get(slot.at()).cloned().unwrap_or(Value::Null),
        ExprKind::Parameter(number) => {
            let value = context.parameters.get(*number as usize);
            value.cloned().unwrap_or(Value::Null)
        }
        _ => compute(context, expr, row).map_err(|fault| fault.at(expr.span))?,
    };
    context.handle(&value)?;
    Ok(value)
}

/// Whether a condition holds: null does not.
pub(crate) fn is_true(
    context: &mut Context<'_>,
    expr: &Expr,
    row: &mut [Value],
) -> Result<bool, Fault> {
    let value = eval(context, expr, row)?;
    let truth = truth(&value).map_err(|fault| fault.at(expr.span))?;
    Ok(truth == Some(true))
}

/// What is more than a look.
fn compute(context: &mut Context<'_>, expr: &Expr, row: &mut [Value]) -> Result<Value, Fault> {
    match &expr.kind {
        ExprKind::Constant(_) | ExprKind::Slot(_) | ExprKind::Parameter(_) => {
            eval(context, expr, row)
        }
        ExprKind::List(items) => list(context, items, row),
        ExprKind::Map(entries) => map(context, entries, row),
        ExprKind::Or(parts) => logic::or_of(context, parts, row),
        ExprKind::Xor(parts) => logic::xor_of(context, parts, row),
        ExprKind::And(parts) => logic::and_of(context, parts, row),
        ExprKind::Not(of) => logic::not_of(context, of, row),
        ExprKind::Comparison { first, rest } => logic::comparison(context, first, rest, row),
        ExprKind::Arithmetic { first, rest } => logic::calculation(context, first, rest, row),
        ExprKind::Negate(of) => negate(&eval(context, of, row)?),
        ExprKind::Plus(of) => plus(&eval(context, of, row)?),
        ExprKind::Predicate {
            left,
            operator,
            right,
        } => logic::predicate(context, left, *operator, right, row),
        ExprKind::IsNull { of, negated } => {
            let null = eval(context, of, row)?.is_null();
            Ok(Value::Bool(null != *negated))
        }
        ExprKind::HasLabels { of, labels } => access::has_labels(context, of, labels, row),
        ExprKind::Property { of, key } => access::property(context, of, key, row),
        ExprKind::Index { of, index: at } => {
            let of = eval(context, of, row)?;
            let at = eval(context, at, row)?;
            match &of {
                Value::Node(_) | Value::Relationship(_) => access::dynamic(context, &of, &at),
                _ => index(&of, &at),
            }
        }
        ExprKind::Slice { of, from, to } => {
            let of = eval(context, of, row)?;
            let from = maybe(context, from.as_deref(), row)?;
            let to = maybe(context, to.as_deref(), row)?;
            slice(&of, from.as_ref(), to.as_ref())
        }
        ExprKind::Call {
            function: FunctionOf::Engine(function),
            arguments,
        } => call(context, function, arguments, row),
        ExprKind::Call {
            function: FunctionOf::Host(function),
            arguments,
        } => host::call(context, function, arguments, row),
        ExprKind::Case {
            subject,
            arms,
            otherwise,
        } => case(context, subject.as_deref(), arms, otherwise.as_deref(), row),
        ExprKind::ListComprehension {
            element,
            list,
            filter,
            result,
        } => lists::comprehension(
            context,
            *element,
            list,
            filter.as_deref(),
            result.as_deref(),
            row,
        ),
        ExprKind::Quantified {
            kind,
            element,
            list,
            predicate,
        } => lists::quantified(context, *kind, *element, list, predicate, row),
        ExprKind::Reduce {
            accumulator,
            initial,
            element,
            list,
            result,
        } => lists::reduce(
            context,
            (*accumulator, initial),
            *element,
            list,
            result,
            row,
        ),
        ExprKind::MapProjection { of, items } => access::map_projection(context, of, items, row),
        ExprKind::Subquery { kind, body } => graph::subquery(context, kind, body, row),
        ExprKind::Path { start, steps } => graph::path(context, *start, steps, row),
    }
}

/// An expression that may be missing.
fn maybe(
    context: &mut Context<'_>,
    expr: Option<&Expr>,
    row: &mut [Value],
) -> Result<Option<Value>, Fault> {
    expr.map(|expr| eval(context, expr, row)).transpose()
}

fn list(context: &mut Context<'_>, items: &[Expr], row: &mut [Value]) -> Result<Value, Fault> {
    limits::list_of(all(context, items, row)?)
}

/// The values of some expressions. They are charged until all are there: a few words may ask for many long lists.
fn all(context: &mut Context<'_>, items: &[Expr], row: &mut [Value]) -> Result<Vec<Value>, Fault> {
    let mut values = Vec::with_capacity(items.len());
    let mut held = 0;
    for item in items {
        let value = eval(context, item, row)?;
        held += context.memory.hold(&value)?;
        values.push(value);
    }
    context.memory.release(held);
    Ok(values)
}

fn map(
    context: &mut Context<'_>,
    entries: &[(Arc<str>, Expr)],
    row: &mut [Value],
) -> Result<Value, Fault> {
    let mut values = BTreeMap::new();
    let mut held = 0;
    for (key, value) in entries {
        let value = eval(context, value, row)?;
        held += context.memory.hold(&value)?;
        values.insert(Arc::clone(key), value);
    }
    context.memory.release(held);
    limits::map_of(values)
}

fn call(
    context: &mut Context<'_>,
    function: &'static Function,
    arguments: &[Expr],
    row: &mut [Value],
) -> Result<Value, Fault> {
    let values = match function.nulls {
        Nulls::FirstKnown => until_known(context, arguments, row)?,
        Nulls::GiveNull | Nulls::Taken => all(context, arguments, row)?,
    };
    if function.nulls == Nulls::GiveNull && values.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    let call = Call {
        graph: &context.graph,
        moments: &context.moments,
        random: &context.random,
    };
    (function.run)(&call, &values)
}

/// The values of some expressions up to the first that is not null. What stands after it is not asked: it may fail where
/// it is not needed.
fn until_known(
    context: &mut Context<'_>,
    items: &[Expr],
    row: &mut [Value],
) -> Result<Vec<Value>, Fault> {
    let mut values = Vec::new();
    for item in items {
        let value = eval(context, item, row)?;
        let is_known = !value.is_null();
        values.push(value);
        if is_known {
            break;
        }
    }
    Ok(values)
}

fn case(
    context: &mut Context<'_>,
    subject: Option<&Expr>,
    arms: &[(Vec<Expr>, Expr)],
    otherwise: Option<&Expr>,
    row: &mut [Value],
) -> Result<Value, Fault> {
    let subject = maybe(context, subject, row)?;
    for (conditions, result) in arms {
        for condition in conditions {
            let chosen = match &subject {
                Some(subject) => {
                    let value = eval(context, condition, row)?;
                    subject.equals(&value) == Some(true)
                }
                None => is_true(context, condition, row)?,
            };
            if chosen {
                return eval(context, result, row);
            }
        }
    }
    Ok(maybe(context, otherwise, row)?.unwrap_or(Value::Null))
}

/// A value that is of another kind than is needed.
fn wrong_kind(what: &str, value: &Value) -> Fault {
    let message = format!("{what}, and this is {}", with_article(value.kind()));
    raise(Detail::InvalidArgumentType, message)
}
