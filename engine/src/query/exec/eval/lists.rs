//! What goes through lists: comprehensions, quantifiers, reduce.
//!
//! Next: `graph.rs`.

use super::{Context, eval, wrong_kind};
use crate::query::error::Fault;
use crate::query::expr::{Expr, ListQuantifier, Slot};
use crate::query::functions::limits;
use crate::query::functions::operators::truth;
use crate::value::Value;
use std::sync::Arc;

/// The elements of a list; `None` of null.
fn elements(
    context: &mut Context<'_>,
    list: &Expr,
    row: &mut [Value],
) -> Result<Option<Arc<[Value]>>, Fault> {
    match eval(context, list, row)? {
        Value::Null => Ok(None),
        Value::List(elements) => Ok(Some(elements)),
        other => Err(wrong_kind("this needs a list", &other).at(list.span)),
    }
}

/// Fills a slot for as long as a part is computed.
fn with_slot<T>(
    row: &mut [Value],
    slot: Slot,
    run: impl FnOnce(&mut [Value]) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let before = row.get(slot.at()).cloned().unwrap_or(Value::Null);
    let result = run(row);
    put(row, slot, before);
    result
}

fn put(row: &mut [Value], slot: Slot, value: Value) {
    if let Some(place) = row.get_mut(slot.at()) {
        *place = value;
    }
}

/// `[x IN list WHERE filter | result]`.
pub(super) fn comprehension(
    context: &mut Context<'_>,
    element: Slot,
    list: &Expr,
    filter: Option<&Expr>,
    result: Option<&Expr>,
    row: &mut [Value],
) -> Result<Value, Fault> {
    let Some(list) = elements(context, list, row)? else {
        return Ok(Value::Null);
    };
    with_slot(row, element, |row| {
        let mut results = Vec::new();
        let mut held = 0;
        for value in list.iter() {
            context.step()?;
            put(row, element, value.clone());
            if let Some(filter) = filter
                && !super::is_true(context, filter, row)?
            {
                continue;
            }
            let result = match result {
                Some(result) => eval(context, result, row)?,
                None => value.clone(),
            };
            held += context.memory.hold(&result)?;
            results.push(result);
        }
        context.memory.release(held);
        limits::list_of(results)
    })
}

/// `all`, `any`, `none`, `single`: where a predicate is null the answer may be null.
pub(super) fn quantified(
    context: &mut Context<'_>,
    kind: ListQuantifier,
    element: Slot,
    list: &Expr,
    predicate: &Expr,
    row: &mut [Value],
) -> Result<Value, Fault> {
    let Some(list) = elements(context, list, row)? else {
        return Ok(Value::Null);
    };
    with_slot(row, element, |row| {
        let (mut yes, mut no, mut unknown) = (0_usize, 0_usize, 0_usize);
        for value in list.iter() {
            context.step()?;
            put(row, element, value.clone());
            let held = eval(context, predicate, row)?;
            match truth(&held).map_err(|fault| fault.at(predicate.span))? {
                Some(true) => yes += 1,
                Some(false) => no += 1,
                None => unknown += 1,
            }
            let settled = match kind {
                ListQuantifier::All => no > 0,
                ListQuantifier::Any | ListQuantifier::None => yes > 0,
                ListQuantifier::Single => yes > 1,
            };
            if settled {
                break;
            }
        }
        let answer = match kind {
            ListQuantifier::All if no > 0 => Some(false),
            ListQuantifier::Any if yes > 0 => Some(true),
            ListQuantifier::None if yes > 0 => Some(false),
            ListQuantifier::Single if yes > 1 => Some(false),
            _ if unknown > 0 => None,
            ListQuantifier::All | ListQuantifier::None => Some(true),
            ListQuantifier::Any => Some(false),
            ListQuantifier::Single => Some(yes == 1),
        };
        Ok(answer.map_or(Value::Null, Value::Bool))
    })
}

/// `reduce(total = 0, x IN list | total + x)`.
pub(super) fn reduce(
    context: &mut Context<'_>,
    (accumulator, initial): (Slot, &Expr),
    element: Slot,
    list: &Expr,
    result: &Expr,
    row: &mut [Value],
) -> Result<Value, Fault> {
    let first = eval(context, initial, row)?;
    let Some(list) = elements(context, list, row)? else {
        return Ok(Value::Null);
    };
    with_slot(row, accumulator, |row| {
        with_slot(row, element, |row| {
            let mut so_far = first;
            for value in list.iter() {
                context.step()?;
                put(row, accumulator, so_far);
                put(row, element, value.clone());
                so_far = eval(context, result, row)?;
            }
            Ok(so_far)
        })
    })
}
