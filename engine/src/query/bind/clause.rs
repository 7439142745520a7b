//! Queries, clause by clause.
//!
//! Next: `projection.rs`, `call_subquery.rs`, `pattern.rs`, `write.rs`, `procedure.rs`.

use super::over_list::element_types;
use super::scope::{Scope, Variable};
use super::{Binder, already_bound};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::Slot;
use crate::query::plan::{BoundArm, BoundClause, BoundMatch, BoundQuery};
use crate::query::types::Types;
use std::sync::Arc;
use stratigraph_query_lang::ast::{Clause, Match, Projection, Query, SingleQuery, Unwind};

/// The columns of a query, with what is known of their values.
pub(super) type Columns = Vec<Variable>;

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
    pub(super) fn query_from(
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
            let before = std::mem::take(&mut self.transactions);
            let mut scope = begin(self, part)?;
            let (arm, of_arm) = self.arm(&mut scope, part, within, query.parts.len() == 1)?;
            if let (true, Some(union)) = (self.transactions, query.unions.first()) {
                let message = "a subquery in transactions cannot stand in a UNION";
                return Err(raise(Detail::InvalidTransaction, message)
                    .at(union.span)
                    .hint("run its arms as statements of their own"));
            }
            self.transactions |= before;
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
            columns: named_slots(&columns),
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
            Clause::Traverse(traverse) => {
                let bound = self.traverse(scope, traverse)?;
                into.push(bound);
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

    /// The clauses of `FOREACH`, of which the parser takes only those that write.
    pub(super) fn writing_clauses(
        &mut self,
        scope: &mut Scope,
        clauses: &[Clause],
    ) -> Result<Vec<BoundClause>, Fault> {
        let mut bound = Vec::with_capacity(clauses.len());
        for clause in clauses {
            self.clause(scope, clause, &mut bound)?;
        }
        Ok(bound)
    }

    fn matching(&mut self, scope: &mut Scope, matched: &Match) -> Result<BoundMatch, Fault> {
        let before = scope.clone();
        let mut bound = self.pattern(scope, &matched.pattern)?;
        bound.optional = matched.optional;
        if let Some(search) = &matched.search {
            self.search((before, scope), search, &mut bound)?;
        }
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
        Some(Clause::Traverse(_)) => "TRAVERSE",
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

/// The columns of a query, as they are called.
pub(super) fn named_slots(columns: &Columns) -> Vec<(Arc<str>, Slot)> {
    let named = columns.iter();
    named
        .map(|column| (Arc::clone(&column.name), column.slot))
        .collect()
}

/// The slots of variables.
pub(super) fn slots(variables: &[Variable]) -> Vec<Slot> {
    variables.iter().map(|variable| variable.slot).collect()
}
