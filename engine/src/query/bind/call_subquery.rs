//! `CALL { ... }`: what a subquery sees of what is around it, and its transactions.
//!
//! Next: `projection.rs`.

use super::clause::{Columns, named_slots, slots};
use super::expr::of_variable;
use super::scope::{Scope, Variable};
use super::{Binder, already_bound, undefined};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::Slot;
use crate::query::plan::{BoundClause, BoundProjection, BoundQuery, BoundSubquery, InTransactions};
use crate::query::types::Types;
use std::collections::HashSet;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{
    CallSubquery, Clause, ExpressionKind, Identifier, Imports, Query, SingleQuery,
};

impl Binder<'_> {
    /// `CALL { ... }`.
    pub(super) fn call_subquery(
        &mut self,
        scope: &mut Scope,
        call: &CallSubquery,
    ) -> Result<BoundClause, Fault> {
        let given = match &call.imports {
            Imports::Leading => None,
            Imports::All(_) => Some(Scope::around(scope.visible())),
            Imports::Named(names) => Some(Scope::around(imported(scope, names)?)),
        };
        let outer = scope.clone();
        let uncommitted = self.uncommitted;
        let within = std::mem::replace(&mut self.within_subquery, true);
        let bound = self.query_from(&call.query, true, &mut |_, part| match &given {
            Some(given) => Ok(given.clone()),
            None => Ok(leading(&outer, part)),
        });
        self.within_subquery = within;
        let (mut query, mut columns) = bound?;
        self.with_own_slots(&outer, &mut query, &mut columns, call.query.span);
        if let Some(wanted) = &call.transactions {
            self.check_portions(uncommitted, wanted.span)?;
        }
        for column in &columns {
            if scope.find(&column.name).is_some() {
                let message = format!("variable `{}` is already bound", column.name);
                return Err(raise(Detail::VariableAlreadyBound, message)
                    .at(call.query.span)
                    .hint("let the subquery return it under another name"));
            }
        }
        let transactions = self.in_transactions(scope, call, &columns)?;
        let gives_rows = returns(&call.query);
        for column in columns {
            scope.push(column);
        }
        Ok(BoundClause::Subquery(Box::new(BoundSubquery {
            query,
            gives_rows,
            optional: call.optional,
            transactions,
        })))
    }

    /// Gives a slot of its own to what is returned as it came from around: where nothing is returned the column
    /// becomes null, and what is around has to stay as it is.
    fn with_own_slots(
        &mut self,
        outer: &Scope,
        query: &mut BoundQuery,
        columns: &mut Columns,
        span: Span,
    ) {
        // The columns of a union have slots of their own.
        let [arm] = query.arms.as_mut_slice() else {
            return;
        };
        let around: HashSet<Slot> = outer.slots_from(0).into_iter().collect();
        let mut items = Vec::new();
        for column in columns.iter_mut() {
            if around.contains(&column.slot) {
                let from = of_variable(column, span);
                column.slot = self.slot();
                items.push((column.slot, from));
            }
        }
        if items.is_empty() {
            return;
        }
        arm.returns = slots(columns);
        query.columns = named_slots(columns);
        arm.clauses
            .push(BoundClause::Project(Box::new(BoundProjection {
                aggregate: None,
                items,
                scope: slots(columns),
                distinct: false,
                order: Vec::new(),
                skip: None,
                limit: None,
                filter: None,
            })));
    }

    /// Refuses portions where their commits would take something along that is not theirs.
    fn check_portions(&mut self, uncommitted: bool, span: Span) -> Result<(), Fault> {
        let (message, hint) = if self.within_subquery {
            (
                "a subquery in transactions cannot stand within another one",
                "put IN TRANSACTIONS behind the outermost CALL { ... }",
            )
        } else if uncommitted {
            (
                "what was written before would be committed with the first portion",
                "write it in a statement of its own, or within the subquery",
            )
        } else {
            // Each portion commits what it has written itself.
            self.uncommitted = false;
            return Ok(());
        };
        Err(raise(Detail::InvalidTransaction, message)
            .hint(hint)
            .at(span))
    }

    fn in_transactions(
        &mut self,
        scope: &mut Scope,
        call: &CallSubquery,
        columns: &Columns,
    ) -> Result<Option<InTransactions>, Fault> {
        let Some(wanted) = &call.transactions else {
            return Ok(None);
        };
        if let Some(within) = self.read_only {
            let message = format!("nothing can be committed within {within}");
            return Err(raise(Detail::InvalidClauseComposition, message).at(wanted.span));
        }
        self.transactions = true;
        let rows = match &wanted.rows {
            Some(rows) => Some(self.expr(&mut Scope::default(), rows)?),
            None => None,
        };
        let report = match &wanted.report {
            Some(name) => {
                let taken = columns.iter().any(|column| column.name == name.name);
                if taken || scope.find(&name.name).is_some() {
                    return Err(already_bound(name));
                }
                let variable = self.variable(&name.name, Types::MAP);
                let slot = variable.slot;
                scope.push(variable);
                Some(slot)
            }
            None => None,
        };
        Ok(Some(InTransactions {
            rows,
            on_error: wanted.on_error,
            report,
            span: wanted.span,
        }))
    }
}

/// The variables that a subquery names in its parentheses.
fn imported(scope: &Scope, names: &[Identifier]) -> Result<Vec<Variable>, Fault> {
    let find = |name: &Identifier| {
        let known = scope.find(&name.name).cloned();
        known.ok_or_else(|| undefined(scope, &name.name, name.span))
    };
    names.iter().map(find).collect()
}

/// The scope of a subquery without parentheses: its first `WITH` sees what is around, if it only names
/// variables.
fn leading(outer: &Scope, part: &SingleQuery) -> Scope {
    let Some(Clause::With(with)) = part.clauses.first() else {
        return Scope::default();
    };
    let plain = with.items.iter().all(|item| {
        matches!(item.expression.kind, ExpressionKind::Variable(_)) && item.alias.is_none()
    });
    if !plain {
        return Scope::default();
    }
    Scope::of(outer.visible())
}

/// Whether a query gives rows.
fn returns(query: &Query) -> bool {
    let last = query.parts.first().and_then(|part| part.clauses.last());
    matches!(last, Some(Clause::Return(_)))
}
