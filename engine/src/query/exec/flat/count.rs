//! All rows but the first, and only the first.
//!
//! Next: `change.rs`.

use crate::query::error::{Detail, ErrorType, Fault, raise};
use crate::query::exec::context::Context;
use crate::query::exec::eval::eval;
use crate::query::exec::stage::{Input, Poll, Site};
use crate::query::expr::Expr;
use crate::query::functions::operators::with_article;
use crate::value::Value;

/// How many rows are still to be skipped or given, once that is known.
#[derive(Default)]
pub(in crate::query::exec) struct Counted {
    left: Option<usize>,
    /// Whether rows were asked for.
    asked: bool,
}

/// How many rows an expression says. It knows no row but `known`: mostly the one that the operators were given; of a
/// search, the one that it is made for.
pub(in crate::query::exec) fn row_count(
    what: &str,
    expr: &Expr,
    context: &mut Context<'_>,
    known: &[Value],
) -> Result<usize, Fault> {
    let mut row = known.to_vec();
    let (detail, message) = match eval(context, expr, &mut row)? {
        Value::Int(rows) if rows >= 0 => return Ok(usize::try_from(rows).unwrap_or(usize::MAX)),
        Value::Int(rows) => (
            Detail::NegativeIntegerArgument,
            format!("{what} takes a number of rows, and {rows} is negative"),
        ),
        other => (
            Detail::InvalidArgumentType,
            format!(
                "{what} takes an integer, not {}",
                with_article(other.kind())
            ),
        ),
    };
    Err(raise(detail, message)
        .of_type(ErrorType::SyntaxError)
        .at(expr.span))
}

impl Counted {
    /// Lets all rows through but the first.
    pub(in crate::query::exec) fn skip(
        &mut self,
        rows: &Expr,
        input: &mut Input,
        site: &mut Site<'_, '_>,
    ) -> Result<Poll, Fault> {
        let left = self.left(("SKIP", rows), site)?;
        let Some(mut batch) = input.take() else {
            return Ok(input.without_rows());
        };
        let skipped = left.min(batch.len());
        self.left = Some(left - skipped);
        batch.drop_first(skipped);
        if batch.is_empty() {
            return Ok(input.without_rows());
        }
        Ok(Poll::Rows(batch))
    }

    /// Lets only the first rows through, and asks for no more.
    pub(in crate::query::exec) fn limit(
        &mut self,
        rows: &Expr,
        input: &mut Input,
        site: &mut Site<'_, '_>,
    ) -> Result<Poll, Fault> {
        let left = self.left(("LIMIT", rows), site)?;
        // Rows are asked for once even if none is wanted: what is written before them must be written.
        if left == 0 && self.asked {
            return Ok(Poll::Done);
        }
        let Some(mut batch) = input.take() else {
            return Ok(input.without_rows());
        };
        self.asked = true;
        if left == 0 {
            return Ok(Poll::Done);
        }
        batch.truncate(left);
        self.left = Some(left - batch.len());
        Ok(Poll::Rows(batch))
    }

    fn left(
        &mut self,
        (what, rows): (&str, &Expr),
        site: &mut Site<'_, '_>,
    ) -> Result<usize, Fault> {
        if let Some(left) = self.left {
            return Ok(left);
        }
        let left = row_count(what, rows, site.context, &site.frame.argument)?;
        self.left = Some(left);
        Ok(left)
    }
}
