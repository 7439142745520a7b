//! From names to slots, and every error that can be found without data.
//!
//! The binder walks the tree once, clause by clause, with the variables that are visible. Each variable gets
//! a slot of its own in the statement's one row layout. It knows which types a value may have and refuses
//! what cannot be; what it cannot know it leaves to the run.
//!
//! | what | where |
//! |---|---|
//! | variables | `scope.rs` |
//! | expressions | `expr.rs`, `operators.rs`, `over_list.rs`, `access.rs`, `call.rs`, `host.rs`, `subquery.rs`, `labels.rs` |
//! | aggregates in items | `aggregation.rs` |
//! | clauses | `clause.rs`, `projection.rs`, `call_subquery.rs`, `write.rs`, `procedure.rs` |
//! | patterns that are matched, and those that are created | `pattern.rs`, `link.rs`, `conditions.rs`, `search.rs`, `create.rs` |

mod access;
mod aggregation;
mod call;
mod call_subquery;
mod clause;
mod conditions;
mod create;
mod expr;
mod host;
mod labels;
mod link;
mod operators;
mod over_list;
mod pattern;
mod procedure;
mod projection;
mod scope;
mod search;
mod subquery;
mod write;

use super::error::{Detail, Fault, raise};
use super::expr::Slot;
use super::plan::BoundQuery;
use super::procedures::Registry;
use super::types::Types;
use crate::catalog::Catalog;
use aggregation::Aggregation;
use scope::{Scope, Variable};
use std::sync::Arc;
use stratigraph_query_lang::ast::{Identifier, Query};
use stratigraph_query_lang::{Span, nearest};

/// A statement with its names resolved.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) query: BoundQuery,
    /// What each slot is called; empty if it has no name.
    pub(crate) names: Vec<Arc<str>>,
    /// The names of the parameters, by number.
    pub(crate) parameters: Vec<Arc<str>>,
    /// Whether it changes the graph.
    pub(crate) writes: bool,
    /// Whether it commits on its own: `IN TRANSACTIONS`.
    pub(crate) transactions: bool,
}

/// Resolves the names of a query.
pub(crate) fn bind(
    text: &str,
    query: &Query,
    registry: &Registry,
    catalog: &Catalog,
) -> Result<Bound, Fault> {
    let mut binder = Binder {
        text,
        registry,
        catalog,
        names: Vec::new(),
        parameters: Vec::new(),
        aggregation: None,
        writes: false,
        transactions: false,
        within_subquery: false,
        uncommitted: false,
        read_only: None,
    };
    let query = binder.top(query).map_err(|fault| binder.hidden(fault))?;
    Ok(Bound {
        query,
        names: binder.names,
        parameters: binder.parameters,
        writes: binder.writes,
        transactions: binder.transactions,
    })
}

struct Binder<'a> {
    text: &'a str,
    registry: &'a Registry,
    /// What is declared: the indexes that are searched.
    catalog: &'a Catalog,
    /// What each slot is called.
    names: Vec<Arc<str>>,
    parameters: Vec<Arc<str>>,
    /// What is known of groups while an item with aggregates is bound.
    aggregation: Option<Aggregation>,
    writes: bool,
    transactions: bool,
    /// Whether what is bound stands within `CALL { ... }`.
    within_subquery: bool,
    /// Whether something before is written that no portion of `IN TRANSACTIONS` commits.
    uncommitted: bool,
    /// Within an expression nothing can be written: what the expression is called.
    read_only: Option<&'static str>,
}

impl Binder<'_> {
    /// A new slot.
    fn slot(&mut self) -> Slot {
        self.named_slot(Arc::from(""))
    }

    fn named_slot(&mut self, name: Arc<str>) -> Slot {
        let slot = Slot(self.names.len() as u32);
        self.names.push(name);
        slot
    }

    /// A new variable, not visible yet.
    fn variable(&mut self, name: &Arc<str>, types: Types) -> Variable {
        Variable {
            name: Arc::clone(name),
            slot: self.named_slot(Arc::clone(name)),
            types,
            elements: Types::ANY,
        }
    }

    /// With a hint if a variable that is not known here was bound somewhere before.
    fn hidden(&self, fault: Fault) -> Fault {
        let Fault::Raised(raised) = &fault else {
            return fault;
        };
        let name = raised
            .span
            .map_or("", |span| span.of(self.text))
            .trim_matches('`');
        let bound = !name.is_empty() && self.names.iter().any(|known| **known == *name);
        // Whoever knows better has said so; a guess at the spelling is no match for the very name.
        let told = raised.hint.as_deref();
        let told = told.is_some_and(|hint| !hint.starts_with("did you mean"));
        if raised.detail != Detail::UndefinedVariable || !bound || told {
            return fault;
        }
        let message = format!(
            "`{name}` was bound before: hand it on in WITH, or name it in CALL ({name}) {{ ... }}"
        );
        fault.hint(message)
    }

    /// The number of a parameter.
    fn parameter(&mut self, name: &Arc<str>) -> u32 {
        let known = self.parameters.iter().position(|known| known == name);
        let at = known.unwrap_or_else(|| {
            self.parameters.push(Arc::clone(name));
            self.parameters.len() - 1
        });
        at as u32
    }

    /// Refuses what changes the graph where nothing may.
    fn check_writable(&mut self, span: Span) -> Result<(), Fault> {
        self.writes = true;
        self.uncommitted = true;
        match self.read_only {
            None => Ok(()),
            Some(within) => Err(raise(
                Detail::InvalidClauseComposition,
                format!("nothing can be changed within {within}"),
            )
            .at(span)),
        }
    }
}

/// A variable that is not there.
fn undefined(scope: &Scope, name: &str, span: Span) -> Fault {
    let fault = raise(
        Detail::UndefinedVariable,
        format!("variable `{name}` is not defined"),
    )
    .at(span);
    match nearest(name, scope.names()) {
        Some(other) => fault.hint(format!("did you mean `{other}`?")),
        None => fault,
    }
}

/// A variable that is there already.
fn already_bound(name: &Identifier) -> Fault {
    raise(
        Detail::VariableAlreadyBound,
        format!("variable `{}` is already bound", name.name),
    )
    .at(name.span)
}

/// A variable that is something else than is needed.
fn conflict(name: &Identifier, is: Types, wanted: &str) -> Fault {
    let message = format!(
        "variable `{}` is bound to {is} and cannot be {wanted}",
        name.name
    );
    raise(Detail::VariableTypeConflict, message).at(name.span)
}
