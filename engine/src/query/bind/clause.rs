//! Queries, clause by clause.
//!
//! Next: `projection.rs`, `pattern.rs`, `write.rs`, `procedure.rs`.

use super::Binder;
use super::expr::{element_types, wrong_type};
use super::scope::{Scope, Variable};
use super::{already_bound, undefined};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, Slot};
use crate::query::plan::{
    BoundArm, BoundClause, BoundMatch, BoundQuery, BoundSubquery, InTransactions,
};
use crate::query::types::Types;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{
    CallSubquery, Clause, ExpressionKind, Identifier, Imports, Literal, Match, Projection, Query,
    SingleQuery, Unwind,
};

/// The columns of a query, with what is known of their values.
type Columns = Vec<Variable>;

impl Binder<'_> {
    /// A whole statement.
    pub(super) fn top(&mut self, query: &Query) -> Result<BoundQuery, Fault> {
        self.query(&Scope::default(), query, false)
    }

    /// A query that begins with the variables of `scope`. Within an expression it needs no `RETURN`.
    pub(super) fn query(
        &mut self,
        scope: &Scope,
        query: &Query,
        within: bool,
    ) -> Result<BoundQuery, Fault> {
        self.query_from(query, within, &mut |_, _| Ok(scope.clone()))
            .map(|(query, _)| query)
    }

    /// A query whose arms begin with the variables that `begin` gives them.
    fn query_from(
        &mut self,
        query: &Query,
        within: bool,
        begin: &mut dyn FnMut(&mut Self, &SingleQuery) -> Result<Scope, Fault>,
    ) -> Result<(BoundQuery, Columns), Fault> {
        let distinct = query.unions.first().is_some_and(|union| !union.all);
        if let Some(mixed) = query.unions.iter().find(|union| union.all == distinct) {
            return Err(raise(
                Detail::InvalidClauseComposition,
                "UNION and UNION ALL cannot be mixed",
            )
            .at(mixed.span)
            .hint("unite some of the queries in CALL { ... } first"));
        }
        let mut arms = Vec::with_capacity(query.parts.len());
        let mut columns: Option<Columns> = None;
        for part in &query.parts {
            let mut scope = begin(self, part)?;
            let (arm, of_arm) = self.arm(&mut scope, part, within, query.parts.len() == 1)?;
            match &mut columns {
                None => columns = Some(of_arm),
                Some(columns) => unite(columns, &of_arm, part)?,
            }
            arms.push(arm);
        }
        let mut columns = columns.unwrap_or_default();
        if arms.len() > 1 {
            for column in &mut columns {
                column.slot = self.slot();
            }
        }
        let query = BoundQuery {
            arms,
            distinct,
            columns: columns
                .iter()
                .map(|column| (Arc::clone(&column.name), column.slot))
                .collect(),
        };
        Ok((query, columns))
    }

    fn arm(
        &mut self,
        scope: &mut Scope,
        part: &SingleQuery,
        within: bool,
        alone: bool,
    ) -> Result<(BoundArm, Columns), Fault> {
        let mut clauses = Vec::with_capacity(part.clauses.len());
        let mut columns = Vec::new();
        let last = part.clauses.len().saturating_sub(1);
        for (at, clause) in part.clauses.iter().enumerate() {
            match clause {
                Clause::Return(projection) => {
                    columns = self.returned(scope, projection, &mut clauses)?;
                }
                Clause::Call(call) => {
                    let standalone = alone && !within && last == 0;
                    let yielded = self.procedure(scope, call, standalone, &mut clauses)?;
                    if standalone {
                        columns = yielded;
                    }
                }
                Clause::Show(show) => {
                    let yielded = self.show(scope, show, &mut clauses)?;
                    if at == last {
                        columns = yielded;
                    }
                }
                _ => self.clause(scope, clause, &mut clauses)?,
            }
        }
        if !within {
            check_end(part)?;
        }
        let returns = columns.iter().map(|column| column.slot).collect();
        Ok((BoundArm { clauses, returns }, columns))
    }

    /// Any clause but those that end a query.
    fn clause(
        &mut self,
        scope: &mut Scope,
        clause: &Clause,
        into: &mut Vec<BoundClause>,
    ) -> Result<(), Fault> {
        match clause {
            Clause::Match(matched) => {
                let bound = self.matching(scope, matched)?;
                into.push(BoundClause::Match(bound));
            }
            Clause::Unwind(unwind) => {
                let bound = self.unwind(scope, unwind)?;
                into.push(bound);
            }
            Clause::With(projection) => self.with(scope, projection, into)?,
            Clause::Create(create) => self.create(scope, create, into)?,
            Clause::Merge(merge) => self.merge(scope, merge, into)?,
            Clause::Set(set) => {
                self.check_writable(set.span)?;
                let items = self.set_items(scope, &set.items)?;
                into.push(BoundClause::Set(items));
            }
            Clause::Remove(remove) => {
                self.check_writable(remove.span)?;
                let items = self.remove_items(scope, &remove.items)?;
                into.push(BoundClause::Remove(items));
            }
            Clause::Delete(delete) => {
                let bound = self.delete(scope, delete)?;
                into.push(bound);
            }
            Clause::Foreach(foreach) => {
                let bound = self.foreach(scope, foreach)?;
                into.push(bound);
            }
            Clause::Subquery(subquery) => {
                let bound = self.call_subquery(scope, subquery)?;
                into.push(bound);
            }
            Clause::Finish(_) => into.push(BoundClause::Finish),
            Clause::Return(_) | Clause::Call(_) | Clause::Show(_) => {
                return Err(crate::error::Error::bug("a clause at the wrong place").into());
            }
        }
        Ok(())
    }

    /// The clauses of `FOREACH`, which only write.
    pub(super) fn writing_clauses(
        &mut self,
        scope: &mut Scope,
        clauses: &[Clause],
    ) -> Result<Vec<BoundClause>, Fault> {
        let mut bound = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let writes = matches!(
                clause,
                Clause::Create(_)
                    | Clause::Merge(_)
                    | Clause::Set(_)
                    | Clause::Remove(_)
                    | Clause::Delete(_)
                    | Clause::Foreach(_)
            );
            if !writes {
                let message = "FOREACH takes only clauses that write";
                return Err(raise(Detail::InvalidClauseComposition, message)
                    .at(clause.span())
                    .hint("use UNWIND, or CALL { ... }, to read for each element"));
            }
            self.clause(scope, clause, &mut bound)?;
        }
        Ok(bound)
    }

    fn matching(&mut self, scope: &mut Scope, matched: &Match) -> Result<BoundMatch, Fault> {
        let mut bound = self.pattern(scope, &matched.pattern)?;
        bound.optional = matched.optional;
        if let Some(filter) = &matched.filter {
            self.conjuncts(scope, filter, &mut bound.pattern.filters)?;
        }
        Ok(bound)
    }

    fn unwind(&mut self, scope: &mut Scope, unwind: &Unwind) -> Result<BoundClause, Fault> {
        let list = self.expr(scope, &unwind.list)?;
        let mut variable = self.variable(&unwind.variable.name, Types::ANY);
        if scope.find(&variable.name).is_some() {
            return Err(already_bound(&unwind.variable));
        }
        variable.types = element_types(scope, &list);
        let into = variable.slot;
        scope.push(variable);
        Ok(BoundClause::Unwind { list, into })
    }

    /// `CALL { ... }`.
    fn call_subquery(
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
        let (query, columns) = bound?;
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

    /// `RETURN`.
    fn returned(
        &mut self,
        scope: &mut Scope,
        projection: &Projection,
        into: &mut Vec<BoundClause>,
    ) -> Result<Columns, Fault> {
        let (bound, columns) = self.projection(scope, projection, true)?;
        into.push(BoundClause::Project(Box::new(bound)));
        Ok(columns)
    }

    /// `WITH`.
    fn with(
        &mut self,
        scope: &mut Scope,
        projection: &Projection,
        into: &mut Vec<BoundClause>,
    ) -> Result<(), Fault> {
        let (bound, variables) = self.projection(scope, projection, false)?;
        into.push(BoundClause::Project(Box::new(bound)));
        *scope = scope.renewed(variables);
        Ok(())
    }

    /// A count of rows for `SKIP`, `LIMIT`.
    pub(super) fn row_count(
        &mut self,
        from: Option<&stratigraph_query_lang::ast::Expression>,
        what: &str,
    ) -> Result<Option<Expr>, Fault> {
        let Some(from) = from else {
            return Ok(None);
        };
        let bound = self.without_groups(|binder| binder.expr(&mut Scope::default(), from));
        let bound = bound.map_err(|fault| match fault {
            Fault::Raised(raised) if raised.detail == Detail::UndefinedVariable => raise(
                Detail::NonConstantExpression,
                format!("{what} cannot depend on a row"),
            )
            .at(raised.span.unwrap_or(from.span))
            .hint("use a number or a parameter"),
            other => other,
        })?;
        let is_null = matches!(from.kind, ExpressionKind::Literal(Literal::Null));
        if is_null || !bound.types.may_be(Types::INTEGER) {
            return Err(wrong_type(&bound, what, "a whole number"));
        }
        if let ExpressionKind::Literal(Literal::Integer(number)) = from.kind
            && number < 0
        {
            return Err(negative(what, from.span));
        }
        if let ExpressionKind::Negate(of) = &from.kind
            && matches!(of.kind, ExpressionKind::Literal(_))
        {
            return Err(negative(what, from.span));
        }
        Ok(Some(bound))
    }
}

fn negative(what: &str, span: stratigraph_query_lang::Span) -> Fault {
    let message = format!("{what} cannot be negative");
    raise(Detail::NegativeIntegerArgument, message).at(span)
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
    let mut scope = Scope::default();
    for variable in outer.visible() {
        scope.push(variable);
    }
    scope
}

/// Whether a query gives rows.
fn returns(query: &Query) -> bool {
    let last = query.parts.first().and_then(|part| part.clauses.last());
    matches!(last, Some(Clause::Return(_)))
}

/// The arms of a union have the same columns.
fn unite(columns: &mut Columns, of_arm: &Columns, part: &SingleQuery) -> Result<(), Fault> {
    let names = |columns: &Columns| -> Vec<Arc<str>> {
        columns
            .iter()
            .map(|column| Arc::clone(&column.name))
            .collect()
    };
    let (first, this) = (names(columns), names(of_arm));
    if first != this {
        let message = format!(
            "the queries of a UNION return the same columns: the first has {}, this one {}",
            listed(&first),
            listed(&this)
        );
        return Err(raise(Detail::DifferentColumnsInUnion, message)
            .at(part.span)
            .hint("name them alike with AS, in the same order"));
    }
    for (column, other) in columns.iter_mut().zip(of_arm) {
        column.types = column.types.or(other.types);
        column.elements = column.elements.or(other.elements);
    }
    Ok(())
}

fn listed(names: &[Arc<str>]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.is_empty() {
        true => "none".to_owned(),
        false => quoted.join(", "),
    }
}

/// A query ends with something that gives rows or changes something.
fn check_end(part: &SingleQuery) -> Result<(), Fault> {
    let what = match part.clauses.last() {
        Some(Clause::Match(_)) => "MATCH",
        Some(Clause::Unwind(_)) => "UNWIND",
        Some(Clause::With(_)) => "WITH",
        _ => return Ok(()),
    };
    let span = part.clauses.last().map_or(part.span, Clause::span);
    Err(raise(
        Detail::UnexpectedSyntax,
        format!("a query cannot end with {what}"),
    )
    .at(span)
    .hint("end it with RETURN, with FINISH or with a clause that writes"))
}

/// The slots of variables.
pub(super) fn slots(variables: &[Variable]) -> Vec<Slot> {
    variables.iter().map(|variable| variable.slot).collect()
}
