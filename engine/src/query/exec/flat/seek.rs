//! Nodes by what is known of them: values of indexed properties, or their ids.
//!
//! What is found is in the order of ids, as without an index, so that a result does not depend on which indexes
//! there are.
//!
//! Next: `expand.rs`.

use crate::error::Error;
use crate::query::error::Fault;
use crate::query::exec::context::Context;
use crate::query::exec::eval::eval;
use crate::query::exec::graph::Sought;
use crate::query::expr::Expr;
use crate::query::plan::Seek;
use crate::value::{NodeId, Value};
use std::ops::Bound;

/// The nodes that an index finds.
pub(super) fn by_index(
    index: &str,
    seek: &Seek,
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Vec<NodeId>, Fault> {
    match seek {
        Seek::Equal(exprs) => {
            let mut values = Vec::with_capacity(exprs.len());
            for expr in exprs {
                values.push(eval(context, expr, row)?);
            }
            find(context, index, &Sought::Equal(&values))
        }
        Seek::AnyOf(expr) => match eval(context, expr, row)? {
            Value::List(values) => {
                // What no index can hold is no reason to find nothing of the others.
                let mut found = Vec::new();
                for value in values.iter() {
                    context.step()?;
                    let one = std::slice::from_ref(value);
                    found.extend(find(context, index, &Sought::Equal(one))?);
                }
                found.sort_unstable();
                found.dedup();
                Ok(found)
            }
            _ => Ok(Vec::new()),
        },
        Seek::Range { above, below } => {
            let above = bound(above.as_ref(), context, row)?;
            let below = bound(below.as_ref(), context, row)?;
            match (above, below) {
                (Some(above), Some(below)) => find(context, index, &Sought::Range(above, below)),
                _ => Ok(Vec::new()),
            }
        }
        Seek::StartsWith(expr) => match eval(context, expr, row)? {
            Value::String(prefix) => find(context, index, &Sought::StartsWith(&prefix)),
            _ => Ok(Vec::new()),
        },
    }
}

/// The bound that is said; nothing if it is null, which nothing is above or below.
fn bound(
    said: Option<&(Expr, bool)>,
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Option<Bound<Value>>, Fault> {
    let Some((expr, counts)) = said else {
        return Ok(Some(Bound::Unbounded));
    };
    Ok(match eval(context, expr, row)? {
        Value::Null => None,
        value if *counts => Some(Bound::Included(value)),
        value => Some(Bound::Excluded(value)),
    })
}

fn find(context: &Context<'_>, index: &str, sought: &Sought<'_>) -> Result<Vec<NodeId>, Fault> {
    match context.graph.nodes_of_index(index, sought) {
        Ok(found) => Ok(found),
        // A value that no property can have is equal to none.
        Err(Error::NotIndexable { .. }) => Ok(Vec::new()),
        Err(error) => Err(error.into()),
    }
}

/// The nodes with an id, or with one of a list of them.
pub(super) fn by_id(
    expr: &Expr,
    element: bool,
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Vec<NodeId>, Fault> {
    let value = eval(context, expr, row)?;
    let mut ids: Vec<u64> = match &value {
        Value::List(values) => values
            .iter()
            .filter_map(|one| number(one, element))
            .collect(),
        one => number(one, element).into_iter().collect(),
    };
    ids.sort_unstable();
    ids.dedup();
    let mut found = Vec::with_capacity(ids.len());
    for id in ids.into_iter().map(NodeId::new) {
        if context.graph.contains(id)? {
            found.push(id);
        }
    }
    Ok(found)
}

/// The id that a value is equal to.
fn number(value: &Value, element: bool) -> Option<u64> {
    match value {
        Value::Int(number) if !element => u64::try_from(*number).ok(),
        // 7.0 equals 7. Whole numbers below this bound are exact as floats.
        Value::Float(float)
            if !element && *float >= 0.0 && *float < 9e15 && float.fract() == 0.0 =>
        {
            Some(*float as u64)
        }
        Value::String(text) if element => {
            let id: u64 = text.parse().ok()?;
            // Only as it is written: 07 and +7 are other texts.
            (id.to_string() == **text).then_some(id)
        }
        _ => None,
    }
}
