//! Prints queries and the clauses that read.
//!
//! Next: `search.rs`.

use super::{
    alias, expressions, filter, full_name, name, optional, pattern, schema, search, separated,
    write,
};
use crate::ast::Expression;
use crate::ast::{
    CallSubquery, Clause, Imports, Match, OnError, ProcedureCall, Projection, ProjectionItem,
    Query, SortItem, Yield, YieldItem,
};
use std::fmt::{Formatter, Result};

pub(super) fn query(f: &mut Formatter<'_>, query: &Query) -> Result {
    let mut unions = query.unions.iter();
    for (number, part) in query.parts.iter().enumerate() {
        if number > 0 {
            let all = unions.next().is_some_and(|union| union.all);
            f.write_str(if all { " UNION ALL " } else { " UNION " })?;
        }
        clauses(f, &part.clauses)?;
    }
    Ok(())
}

pub(super) fn clauses(f: &mut Formatter<'_>, clauses: &[Clause]) -> Result {
    separated(f, clauses, " ", clause)
}

fn clause(f: &mut Formatter<'_>, clause: &Clause) -> Result {
    match clause {
        Clause::Match(clause) => match_clause(f, clause),
        Clause::Traverse(clause) => search::traverse(f, clause),
        Clause::Unwind(clause) => {
            write!(f, "UNWIND {} AS ", clause.list)?;
            name(f, &clause.variable)
        }
        Clause::With(clause) => projection(f, "WITH", clause),
        Clause::Return(clause) => projection(f, "RETURN", clause),
        Clause::Finish(_) => f.write_str("FINISH"),
        Clause::Call(clause) => procedure_call(f, clause),
        Clause::Subquery(clause) => subquery(f, clause),
        Clause::Show(clause) => schema::show(f, clause),
        writing => write::clause(f, writing),
    }
}

fn match_clause(f: &mut Formatter<'_>, clause: &Match) -> Result {
    f.write_str(if clause.optional {
        "OPTIONAL MATCH "
    } else {
        "MATCH "
    })?;
    separated(f, &clause.pattern.paths, ", ", pattern::path)?;
    if let Some(search) = &clause.search {
        search::search(f, search)?;
    }
    filter(f, clause.filter.as_ref())
}

fn projection(f: &mut Formatter<'_>, word: &str, projection: &Projection) -> Result {
    f.write_str(word)?;
    f.write_str(if projection.distinct {
        " DISTINCT "
    } else {
        " "
    })?;
    if projection.all.is_some() {
        f.write_str(if projection.items.is_empty() {
            "*"
        } else {
            "*, "
        })?;
    }
    separated(f, &projection.items, ", ", projection_item)?;
    page(
        f,
        &projection.order,
        projection.skip.as_ref(),
        projection.limit.as_ref(),
    )?;
    filter(f, projection.filter.as_ref())
}

fn projection_item(f: &mut Formatter<'_>, item: &ProjectionItem) -> Result {
    write!(f, "{}", item.expression)?;
    alias(f, item.alias.as_ref())
}

/// ` ORDER BY ... SKIP ... LIMIT ...`.
fn page(
    f: &mut Formatter<'_>,
    order: &[SortItem],
    skip: Option<&Expression>,
    limit: Option<&Expression>,
) -> Result {
    if !order.is_empty() {
        f.write_str(" ORDER BY ")?;
        separated(f, order, ", ", |f, item| {
            write!(f, "{}", item.expression)?;
            f.write_str(if item.descending { " DESC" } else { "" })
        })?;
    }
    optional(f, " SKIP ", skip)?;
    optional(f, " LIMIT ", limit)
}

fn procedure_call(f: &mut Formatter<'_>, call: &ProcedureCall) -> Result {
    f.write_str(if call.optional {
        "OPTIONAL CALL "
    } else {
        "CALL "
    })?;
    full_name(f, &call.name)?;
    if let Some(arguments) = &call.arguments {
        f.write_str("(")?;
        expressions(f, arguments)?;
        f.write_str(")")?;
    }
    match &call.yields {
        Some(yields) => self::yields(f, yields),
        None => Ok(()),
    }
}

/// ` YIELD ...`.
pub(super) fn yields(f: &mut Formatter<'_>, yields: &Yield) -> Result {
    f.write_str(" YIELD ")?;
    if yields.all.is_some() {
        f.write_str("*")?;
    }
    yield_items(f, &yields.items)?;
    page(
        f,
        &yields.order,
        yields.skip.as_ref(),
        yields.limit.as_ref(),
    )?;
    filter(f, yields.filter.as_ref())
}

/// `column AS variable, ...`.
pub(super) fn yield_items(f: &mut Formatter<'_>, items: &[YieldItem]) -> Result {
    separated(f, items, ", ", |f, item| {
        name(f, &item.column)?;
        alias(f, item.alias.as_ref())
    })
}

fn subquery(f: &mut Formatter<'_>, call: &CallSubquery) -> Result {
    f.write_str(if call.optional {
        "OPTIONAL CALL "
    } else {
        "CALL "
    })?;
    match &call.imports {
        Imports::Leading => {}
        Imports::All(_) => f.write_str("(*) ")?,
        Imports::Named(names) => {
            f.write_str("(")?;
            separated(f, names, ", ", name)?;
            f.write_str(") ")?;
        }
    }
    f.write_str("{ ")?;
    query(f, &call.query)?;
    f.write_str(" }")?;
    let Some(transactions) = &call.transactions else {
        return Ok(());
    };
    f.write_str(" IN TRANSACTIONS")?;
    if let Some(rows) = &transactions.rows {
        write!(f, " OF {rows} ROWS")?;
    }
    f.write_str(match transactions.on_error {
        OnError::Fail => "",
        OnError::Continue => " ON ERROR CONTINUE",
        OnError::Break => " ON ERROR BREAK",
    })?;
    if let Some(report) = &transactions.report {
        f.write_str(" REPORT STATUS AS ")?;
        name(f, report)?;
    }
    Ok(())
}
