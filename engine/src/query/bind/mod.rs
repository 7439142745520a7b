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
//! | clauses | `clause.rs`, `projection.rs`, `call_subquery.rs`, `traverse.rs`, `write.rs`, `procedure.rs` |
//! | patterns that are matched, and those that are created | `pattern.rs`, `link.rs`, `conditions.rs`, `search.rs`, `chosen.rs`, `create.rs` |

mod access;
mod aggregation;
mod call;
mod call_subquery;
mod chosen;
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
mod traverse;
mod write;

use super::asked::{AskedName, NameOf};
use super::error::{Detail, Fault, raise};
use super::expr::Slot;
use super::plan::{BoundQuery, Needed};
use super::procedures::Registry;
use super::types::Types;
use crate::catalog::Catalog;
use aggregation::Aggregation;
use scope::{Scope, Variable};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use stratigraph_query_lang::ast::{Identifier, Query};
use stratigraph_query_lang::{Span, nearest};

/// A statement with its names resolved.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) query: BoundQuery,
    /// What each slot is called; empty if it has no name.
    pub(crate) names: Vec<Arc<str>>,
    /// The parameters, by number.
    pub(crate) parameters: Vec<Needed>,
    /// Whether it changes the graph.
    pub(crate) writes: bool,
    /// Whether it commits on its own: `IN TRANSACTIONS`.
    pub(crate) transactions: bool,
    /// The first call of what changes the graph in transactions of its own, and what that is.
    pub(crate) commits: Option<(Span, Arc<str>)>,
    /// The names that it asks for.
    pub(crate) asked: BTreeSet<AskedName>,
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
        numbers: HashMap::new(),
        aggregation: None,
        writes: false,
        transactions: false,
        commits: None,
        asked: BTreeSet::new(),
        within_subquery: false,
        uncommitted: false,
        read_only: None,
    };
    let query = binder.top(query).map_err(|fault| binder.hidden(fault))?;
    binder.check_commits()?;
    Ok(Bound {
        query,
        names: binder.names,
        parameters: binder.parameters,
        writes: binder.writes,
        transactions: binder.transactions,
        commits: binder.commits,
        asked: binder.asked,
    })
}

struct Binder<'a> {
    text: &'a str,
    registry: &'a Registry,
    /// What is declared: the indexes that are searched.
    catalog: &'a Catalog,
    /// What each slot is called.
    names: Vec<Arc<str>>,
    parameters: Vec<Needed>,
    /// The numbers of the parameters, by name.
    numbers: HashMap<Arc<str>, u32>,
    /// What is known of groups while an item with aggregates is bound.
    aggregation: Option<Aggregation>,
    writes: bool,
    transactions: bool,
    /// The first call of what changes the graph in transactions of its own.
    commits: Option<(Span, Arc<str>)>,
    asked: BTreeSet<AskedName>,
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
            tells: None,
        }
    }

    /// Notes that something of this name is asked for.
    fn asks(&mut self, of: NameOf, name: &Arc<str>) {
        self.asked.insert(AskedName::new(of, name));
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
    fn parameter(&mut self, name: &Arc<str>, span: Span) -> u32 {
        let next = self.parameters.len() as u32;
        let number = *self.numbers.entry(Arc::clone(name)).or_insert(next);
        if number == next {
            let name = Arc::clone(name);
            self.parameters.push(Needed { name, span });
        }
        number
    }

    /// Refuses what changes the graph where nothing may.
    fn check_writable(&mut self, span: Span) -> Result<(), Fault> {
        self.writes = true;
        self.uncommitted = true;
        self.check_changes(span)
    }

    /// Refuses a change where nothing may be changed, however it is committed.
    fn check_changes(&self, span: Span) -> Result<(), Fault> {
        match self.read_only {
            None => Ok(()),
            Some(within) => Err(raise(
                Detail::InvalidClauseComposition,
                format!("nothing can be changed within {within}"),
            )
            .at(span)),
        }
    }

    /// Refuses a statement that holds the writer's place while it calls what waits for it.
    fn check_commits(&self) -> Result<(), Fault> {
        match &self.commits {
            Some((span, name)) if self.writes || self.transactions => Err(raise(
                Detail::InvalidTransaction,
                format!("{name} changes the graph in transactions of its own, and the rest of this statement in another"),
            )
            .hint("call it in a statement that changes nothing else")
            .at(*span)),
            _ => Ok(()),
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
