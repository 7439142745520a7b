//! Nodes, or relationships, by what is known of them: values of indexed properties, or their ids.
//!
//! What is found is in the order of ids, as without an index, so that a result does not depend on which indexes
//! there are.
//!
//! Next: `expand.rs`.

use crate::error::Error;
use crate::graph::Entity;
use crate::query::element_id::entity_of;
use crate::query::error::Fault;
use crate::query::exec::context::Context;
use crate::query::exec::eval::eval;
use crate::query::exec::graph::Sought;
use crate::query::exec::kind::Kind;
use crate::query::expr::Expr;
use crate::query::plan::Seek;
use crate::value::Value;
use roaring::RoaringTreemap;
use std::ops::Bound;

/// The nodes that an index finds; none if that cannot be sought, and the condition must be asked of every node.
///
/// The condition itself is asked of what is found as well, so more may be found than fulfils it, never less.
pub(super) fn by_index(
    index: &str,
    seek: &Seek,
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Option<Vec<u64>>, Fault> {
    match seek {
        Seek::Equal(exprs) => {
            let mut values = Vec::with_capacity(exprs.len());
            for expr in exprs {
                match sought(expr, context, row)? {
                    Some(value) => values.push(value),
                    None => return Ok(None),
                }
            }
            find(context, index, &Sought::Equal(&values))
        }
        Seek::AnyOf(expr) => match sought(expr, context, row)? {
            Some(Value::List(values)) => {
                // What no index can hold is no reason to find nothing of the others.
                let mut found = Vec::new();
                for value in values.iter() {
                    context.step()?;
                    let one = std::slice::from_ref(value);
                    match find(context, index, &Sought::Equal(one))? {
                        Some(more) => found.extend(more),
                        None => return Ok(None),
                    }
                }
                found.sort_unstable();
                found.dedup();
                Ok(Some(found))
            }
            Some(Value::Null) => Ok(Some(Vec::new())),
            // IN takes lists only, and says so where it is asked.
            _ => Ok(None),
        },
        Seek::Range { above, below } => {
            let (Some(above), Some(below)) = (
                bound(above.as_ref(), context, row)?,
                bound(below.as_ref(), context, row)?,
            ) else {
                return Ok(None);
            };
            find(context, index, &Sought::Range(above, below))
        }
        Seek::StartsWith(expr) => match sought(expr, context, row)? {
            Some(Value::String(prefix)) => find(context, index, &Sought::StartsWith(&prefix)),
            Some(_) => Ok(Some(Vec::new())),
            None => Ok(None),
        },
    }
}

/// The value to look up; none if computing it fails. The condition fails then as well, but only if there is a
/// node that it is asked of.
fn sought(
    expr: &Expr,
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Option<Value>, Fault> {
    let held = context.memory.used();
    match eval(context, expr, row) {
        Ok(value) => Ok(Some(value)),
        Err(fault) if fault.is_limit() => Err(fault),
        Err(Fault::Raised(_)) => {
            context.memory.reset(held);
            Ok(None)
        }
        Err(fault) => Err(fault),
    }
}

/// The bound that is said; none if computing it fails.
fn bound(
    said: Option<&(Expr, bool)>,
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Option<Bound<Value>>, Fault> {
    let Some((expr, counts)) = said else {
        return Ok(Some(Bound::Unbounded));
    };
    let value = sought(expr, context, row)?;
    Ok(value.map(|value| match counts {
        true => Bound::Included(value),
        false => Bound::Excluded(value),
    }))
}

fn find(
    context: &Context<'_>,
    index: &str,
    sought: &Sought<'_>,
) -> Result<Option<Vec<u64>>, Fault> {
    match context.graph.ids_of_index(index, sought) {
        Ok(found) => Ok(Some(found)),
        // A value that no property can have is equal to none.
        Err(Error::NotIndexable { .. }) => Ok(Some(Vec::new())),
        // Lists lie in the index in another order than they are compared in.
        Err(Error::NoRange { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Those with an id, or with one of a list of them; none if all must be asked.
pub(super) fn by_id(
    kind: Kind,
    (expr, element, one_of): (&Expr, bool, bool),
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Option<Vec<u64>>, Fault> {
    let number = |value: &Value| number(kind, value, element);
    by_numbers(kind, (expr, one_of), context, row, number)
}

/// A value itself, or those of a list of them; none if all must be asked.
pub(super) fn by_itself(
    kind: Kind,
    (expr, one_of): (&Expr, bool),
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Option<Vec<u64>>, Fault> {
    by_numbers(kind, (expr, one_of), context, row, |value| {
        kind.number(value)
    })
}

/// The members of a level; none if all must be asked: of what is no level, and of a hierarchy that is gone.
pub(super) fn by_level(
    hierarchy: &str,
    level: &Expr,
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Option<RoaringTreemap>, Fault> {
    let level = match sought(level, context, row)? {
        Some(Value::Int(level)) => u32::try_from(level).ok(),
        _ => None,
    };
    let Some(level) = level else {
        return Ok(None);
    };
    match context.graph.members_in(hierarchy, level) {
        Ok(found) => Ok(Some(found)),
        Err(Fault::Raised(_)) => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// What a value stands for, or the elements of a list of them.
fn by_numbers(
    kind: Kind,
    (expr, one_of): (&Expr, bool),
    context: &mut Context<'_>,
    row: &mut [Value],
    number: impl Fn(&Value) -> Option<u64>,
) -> Result<Option<Vec<u64>>, Fault> {
    let Some(value) = sought(expr, context, row)? else {
        return Ok(None);
    };
    let mut ids: Vec<u64> = match &value {
        Value::List(values) if one_of => values.iter().filter_map(number).collect(),
        Value::Null => Vec::new(),
        // IN takes lists only, and says so where it is asked.
        _ if one_of => return Ok(None),
        one => number(one).into_iter().collect(),
    };
    there(kind, &mut ids, context)?;
    Ok(Some(ids))
}

/// Keeps those that are there, each once and in order.
fn there(kind: Kind, ids: &mut Vec<u64>, context: &Context<'_>) -> Result<(), Fault> {
    ids.sort_unstable();
    ids.dedup();
    let mut found = Vec::with_capacity(ids.len());
    for id in ids.iter().copied() {
        if context.graph.contains(kind.entity(id))? {
            found.push(id);
        }
    }
    *ids = found;
    Ok(())
}

/// The id that a value is equal to.
fn number(kind: Kind, value: &Value, element: bool) -> Option<u64> {
    match value {
        Value::Int(number) if !element => u64::try_from(*number).ok(),
        // 7.0 equals 7. Whole numbers below this bound are exact as floats.
        Value::Float(float)
            if !element && *float >= 0.0 && *float < 9e15 && float.fract() == 0.0 =>
        {
            Some(*float as u64)
        }
        Value::String(text) if element => {
            let entity = entity_of(text)?;
            let same = match entity {
                Entity::Node(_) => kind == Kind::Nodes,
                Entity::Relationship(_) => kind == Kind::Relationships,
            };
            same.then_some(entity.number())
        }
        _ => None,
    }
}
