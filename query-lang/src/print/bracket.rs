//! Prints what stands in brackets: lists, maps, comprehensions, calls, subqueries.
//!
//! Next: `pattern.rs`.

use super::expression::{Level, expression};
use super::{clause, expressions, filter, function, name, optional, pattern, separated, variable};
use crate::ast::{
    Expression, ExpressionKind, Identifier, ListQuantifier, MapProjectionItem, PredicateOperator,
    Subquery,
};
use std::fmt::{Formatter, Result};

pub(super) fn bracketed(f: &mut Formatter<'_>, whole: &Expression) -> Result {
    match &whole.kind {
        ExpressionKind::List(elements) => list(f, elements),
        ExpressionKind::Map(entries) => map(f, entries),
        ExpressionKind::Call(call) => {
            function(f, &call.name)?;
            f.write_str(if call.distinct { "(DISTINCT " } else { "(" })?;
            expressions(f, &call.arguments)?;
            f.write_str(")")
        }
        ExpressionKind::CountAll => f.write_str("count(*)"),
        ExpressionKind::ListComprehension {
            variable,
            list,
            filter: condition,
            result,
        } => {
            f.write_str("[")?;
            element_of(f, variable, list)?;
            filter(f, condition.as_deref())?;
            optional(f, " | ", result.as_deref())?;
            f.write_str("]")
        }
        ExpressionKind::PatternComprehension {
            path,
            filter: condition,
            result,
        } => {
            f.write_str("[")?;
            pattern::path(f, path)?;
            filter(f, condition.as_deref())?;
            write!(f, " | {result}]")
        }
        ExpressionKind::Reduce {
            accumulator,
            initial,
            variable,
            list,
            result,
        } => {
            f.write_str("reduce(")?;
            name(f, accumulator)?;
            write!(f, " = {initial}, ")?;
            element_of(f, variable, list)?;
            write!(f, " | {result})")
        }
        ExpressionKind::MapProjection { of, items } => {
            expression(f, of, Level::Atom)?;
            f.write_str(" {")?;
            separated(f, items, ", ", map_projection_item)?;
            f.write_str("}")
        }
        ExpressionKind::Exists(query) => subquery(f, "EXISTS", query),
        ExpressionKind::Count(query) => subquery(f, "COUNT", query),
        ExpressionKind::Collect(query) => subquery(f, "COLLECT", query),
        // All other kinds are printed where this was called from.
        _ => Ok(()),
    }
}

/// `[a, b]`. One element that begins like a comprehension has parentheses.
fn list(f: &mut Formatter<'_>, elements: &[Expression]) -> Result {
    f.write_str("[")?;
    match elements {
        [only] if begins_with_in(only) => write!(f, "({only})")?,
        elements => expressions(f, elements)?,
    }
    f.write_str("]")
}

/// Whether this is printed as `name IN ...`.
fn begins_with_in(expression: &Expression) -> bool {
    let mut leftmost = expression;
    loop {
        leftmost = match &leftmost.kind {
            ExpressionKind::Or(operands)
            | ExpressionKind::Xor(operands)
            | ExpressionKind::And(operands) => match operands.first() {
                Some(first) => first,
                None => return false,
            },
            ExpressionKind::Comparison { first, .. } => first,
            ExpressionKind::IsNull { of, .. } | ExpressionKind::HasLabels { of, .. } => of,
            ExpressionKind::Predicate { left, operator, .. } => {
                if *operator == PredicateOperator::In
                    && matches!(left.kind, ExpressionKind::Variable(_))
                {
                    return true;
                }
                left
            }
            _ => return false,
        };
    }
}

/// `{key: value}`.
pub(super) fn map(f: &mut Formatter<'_>, entries: &[(Identifier, Expression)]) -> Result {
    f.write_str("{")?;
    separated(f, entries, ", ", |f, (key, value)| {
        name(f, key)?;
        write!(f, ": {value}")
    })?;
    f.write_str("}")
}

/// `variable IN list`.
pub(super) fn element_of(f: &mut Formatter<'_>, element: &Identifier, list: &Expression) -> Result {
    variable(f, &element.name)?;
    write!(f, " IN {list}")
}

/// The beginning of `all(x IN list)`.
pub(super) fn quantifier(kind: ListQuantifier) -> &'static str {
    match kind {
        ListQuantifier::All => "all(",
        ListQuantifier::Any => "any(",
        ListQuantifier::None => "none(",
        ListQuantifier::Single => "single(",
    }
}

fn map_projection_item(f: &mut Formatter<'_>, item: &MapProjectionItem) -> Result {
    match item {
        MapProjectionItem::Property(key) => {
            f.write_str(".")?;
            name(f, key)
        }
        MapProjectionItem::All(_) => f.write_str(".*"),
        MapProjectionItem::Entry(key, value) => {
            name(f, key)?;
            write!(f, ": {value}")
        }
        MapProjectionItem::Variable(other) => variable(f, &other.name),
    }
}

fn subquery(f: &mut Formatter<'_>, word: &str, subquery: &Subquery) -> Result {
    write!(f, "{word} {{ ")?;
    match subquery {
        Subquery::Query(query) => clause::query(f, query)?,
        Subquery::Pattern {
            pattern,
            filter: condition,
        } => {
            separated(f, &pattern.paths, ", ", pattern::path)?;
            filter(f, condition.as_ref())?;
        }
    }
    f.write_str(" }")
}
