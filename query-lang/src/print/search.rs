//! Prints `SEARCH` and `TRAVERSE`.
//!
//! Next: `write.rs`.

use super::clause::yield_items;
use super::schema::schema_name;
use super::{alias, filter, optional, pattern, variable};
use crate::ast::{
    Budget, BudgetUnit, Emitted, Keep, Levels, OnExceed, Recover, Roots, Search, SearchKind,
    Traverse,
};
use std::fmt::{Formatter, Result};

/// ` SEARCH ...`.
pub(super) fn search(f: &mut Formatter<'_>, search: &Search) -> Result {
    f.write_str(" SEARCH ")?;
    variable(f, &search.variable.name)?;
    f.write_str(match search.kind {
        SearchKind::Vector => " IN (VECTOR INDEX ",
        SearchKind::Fulltext => " IN (FULLTEXT INDEX ",
    })?;
    schema_name(f, &search.index)?;
    write!(f, " FOR {}", search.query)?;
    filter(f, search.filter.as_ref())?;
    write!(f, " LIMIT {}", search.limit)?;
    f.write_str(if search.exact.is_some() {
        " EXACT)"
    } else {
        ")"
    })?;
    match &search.score {
        Some(score) => {
            f.write_str(" SCORE")?;
            alias(f, Some(score))
        }
        None => Ok(()),
    }
}

pub(super) fn traverse(f: &mut Formatter<'_>, clause: &Traverse) -> Result {
    f.write_str(if clause.optional {
        "OPTIONAL TRAVERSE FROM "
    } else {
        "TRAVERSE FROM "
    })?;
    match &clause.roots {
        Roots::Pattern(node) => pattern::node(f, node)?,
        Roots::Value(value) => write!(f, "{value}")?,
    }
    f.write_str(match clause.unfiltered {
        Some(_) => " UNFILTERED STEP ",
        None => " STEP ",
    })?;
    pattern::path(f, &clause.step)?;
    options(f, clause)?;
    f.write_str(" YIELD ")?;
    yield_items(f, &clause.yields)?;
    filter(f, clause.filter.as_ref())
}

fn options(f: &mut Formatter<'_>, clause: &Traverse) -> Result {
    if let Some(of) = &clause.levels {
        levels(f, of)?;
    }
    if let Some(score) = &clause.score {
        write!(f, " SCORE {}", score.expression)?;
        alias(f, score.alias.as_ref())?;
    }
    if let Some(of) = &clause.keep {
        keep(f, of)?;
    }
    if let Some(of) = &clause.recover {
        recover(f, of)?;
    }
    match clause.emit.map(|emit| emit.what) {
        Some(Emitted::Kept) => f.write_str(" EMIT KEPT")?,
        Some(Emitted::Candidates) => f.write_str(" EMIT CANDIDATES")?,
        None => {}
    }
    match &clause.budget {
        Some(of) => budget(f, of),
        None => Ok(()),
    }
}

fn levels(f: &mut Formatter<'_>, levels: &Levels) -> Result {
    optional(f, " LEVELS ", levels.from.as_ref())?;
    f.write_str(if levels.from.is_some() {
        ".."
    } else {
        " LEVELS .."
    })?;
    optional(f, "", levels.to.as_ref())?;
    alias(f, levels.alias.as_ref())
}

fn keep(f: &mut Formatter<'_>, keep: &Keep) -> Result {
    f.write_str(" KEEP")?;
    if let Some(top) = &keep.top {
        write!(f, " TOP {}", top.count)?;
        f.write_str(if top.per_parent.is_some() {
            " PER PARENT"
        } else {
            ""
        })?;
    }
    filter(f, keep.filter.as_ref())
}

fn recover(f: &mut Formatter<'_>, recover: &Recover) -> Result {
    f.write_str(" RECOVER ")?;
    pattern::node(f, &recover.node)?;
    optional(f, " SCORE ", recover.score.as_ref())?;
    keep(f, &recover.keep)
}

fn budget(f: &mut Formatter<'_>, budget: &Budget) -> Result {
    write!(f, " BUDGET {}", budget.limit)?;
    f.write_str(match budget.unit {
        BudgetUnit::Nodes => " NODES",
        BudgetUnit::Edges => " EDGES",
        BudgetUnit::Milliseconds => " MILLISECONDS",
    })?;
    f.write_str(match budget.on_exceed {
        OnExceed::Error => "",
        OnExceed::Stop => " ON EXCEED STOP",
    })
}
