//! What is the same for all levels: it is computed once for each row.
//!
//! Next: `shared.rs`.

use super::Of;
use crate::algo::traverse::{Budget, OnExceed};
use crate::query::error::{Detail, Fault, raise};
use crate::query::exec::context::Context;
use crate::query::exec::eval::eval;
use crate::query::exec::pipeline::Run;
use crate::query::exec::stage::Site;
use crate::query::expr::Expr;
use crate::query::functions::operators::with_article;
use crate::query::plan::Roots;
use crate::value::{NodeId, Value};

/// A root is in the list of all, in that without those that came twice, and in level 0.
const ROOT_BYTES: usize = 3 * size_of::<NodeId>();

/// What is the same for all levels.
pub(super) struct Settings {
    pub(super) roots: Vec<NodeId>,
    pub(super) first: u32,
    pub(super) last: Option<u32>,
    pub(super) top: Option<usize>,
    pub(super) recover_top: Option<usize>,
    pub(super) budget: Option<Budget>,
}

impl Settings {
    /// For a row; nothing if it begins at null.
    pub(super) fn of(
        of: &Of,
        site: &mut Site<'_, '_>,
        row: &mut [Value],
    ) -> Result<Option<Self>, Fault> {
        let Some(roots) = roots(&of.roots, site, row)? else {
            return Ok(None);
        };
        let context = &mut *site.context;
        let first = level(of.first_level.as_ref(), context, row)?.unwrap_or(0);
        let last = level(of.last_level.as_ref(), context, row)?;
        let top = count(of.keep.top.as_ref(), "TOP", context, row)?;
        let recover = of.recover.as_ref();
        let recover_top = recover.and_then(|recover| recover.keep.top.as_ref());
        let recover_top = count(recover_top, "TOP", context, row)?;
        let budget = match &of.budget {
            None => None,
            Some(budget) => {
                let limit = count(Some(&budget.limit), "BUDGET", context, row)?;
                let on_exceed = match budget.stops {
                    true => OnExceed::Stop,
                    false => OnExceed::Error,
                };
                limit.map(|limit| Budget {
                    limit: limit as u64,
                    unit: budget.unit,
                    on_exceed,
                })
            }
        };
        Ok(Some(Self {
            roots,
            first,
            last,
            top,
            recover_top,
            budget,
        }))
    }
}

/// Where it begins; nothing if that is null.
fn roots(
    from: &Roots<std::sync::Arc<[crate::query::plan::Op]>>,
    site: &mut Site<'_, '_>,
    row: &mut [Value],
) -> Result<Option<Vec<NodeId>>, Fault> {
    let mut roots = Vec::new();
    match from {
        Roots::Matches { pattern, node } => {
            let mut run = Run::new(pattern, row.len(), row.to_vec());
            while let Some(batch) = run.next(site.context)? {
                site.charge(batch.len() * ROOT_BYTES)?;
                for row in batch.rows() {
                    if let Value::Node(node) = &row[node.at()] {
                        roots.push(node.id());
                    }
                }
            }
        }
        Roots::Value(expr) => match eval(site.context, expr, row)? {
            Value::Null => return Ok(None),
            Value::Node(node) => roots.push(node.id()),
            Value::List(list) => {
                site.charge(list.len() * ROOT_BYTES)?;
                for value in list.iter() {
                    match value {
                        Value::Null => {}
                        Value::Node(node) => roots.push(node.id()),
                        other => return Err(no_root(other).at(expr.span)),
                    }
                }
            }
            other => return Err(no_root(&other).at(expr.span)),
        },
    }
    Ok(Some(roots))
}

fn no_root(value: &Value) -> Fault {
    let kind = with_article(value.kind());
    let message = format!("TRAVERSE begins at a node or at a list of nodes, and {kind} is neither");
    raise(Detail::InvalidArgumentType, message)
        .hint("match them first, or give a pattern: FROM (r:Label)")
}

/// The number of a level; null is as if it were not written.
fn level(
    expr: Option<&Expr>,
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Option<u32>, Fault> {
    let Some(expr) = expr else { return Ok(None) };
    match eval(context, expr, row)? {
        Value::Null => Ok(None),
        value => whole(&value, "a level", "the roots are level 0")
            .map(|level| Some(u32::try_from(level).unwrap_or(u32::MAX)))
            .map_err(|fault| fault.at(expr.span)),
    }
}

/// How many.
fn count(
    expr: Option<&Expr>,
    what: &str,
    context: &mut Context<'_>,
    row: &mut [Value],
) -> Result<Option<usize>, Fault> {
    let Some(expr) = expr else { return Ok(None) };
    let value = eval(context, expr, row)?;
    let hint = format!("leave {what} out to have no bound");
    let count = whole(&value, what, &hint).map_err(|fault| fault.at(expr.span))?;
    Ok(Some(usize::try_from(count).unwrap_or(usize::MAX)))
}

fn whole(value: &Value, what: &str, hint: &str) -> Result<u64, Fault> {
    let Value::Int(number) = value else {
        let kind = with_article(value.kind());
        let message = format!("{what} is a whole number, and this is {kind}");
        return Err(raise(Detail::InvalidArgumentType, message));
    };
    u64::try_from(*number).map_err(|_| {
        let message = format!("{what} cannot be negative, and this is {number}");
        raise(Detail::NumberOutOfRange, message).hint(hint)
    })
}
