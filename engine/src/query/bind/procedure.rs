//! `CALL` of procedures, and `SHOW`.
//!
//! Next: `plan/mod.rs`.

use super::call::wrong_count;
use super::expr::{typed, wrong_type};
use super::projection::Tail;
use super::scope::{Scope, Variable};
use super::{Binder, already_bound};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind};
use crate::query::plan::{BoundClause, CallProcedure};
use crate::query::procedures::{Procedure, ProcedureField};
use crate::query::schema::shown;
use crate::query::types::Types;
use std::sync::Arc;
use stratigraph_query_lang::ast::{Expression, Identifier, ProcedureCall, Show, Yield};
use stratigraph_query_lang::{Span, nearest};

impl Binder<'_> {
    /// A call. Alone it gives all its columns; among other clauses those that `YIELD` names.
    pub(super) fn procedure(
        &mut self,
        scope: &mut Scope,
        from: &ProcedureCall,
        standalone: bool,
        into: &mut Vec<BoundClause>,
    ) -> Result<Vec<Variable>, Fault> {
        let (name, span) = from.full_name();
        let Some(procedure) = self.registry.find(&name).cloned() else {
            let fault = raise(
                Detail::ProcedureNotFound,
                format!("there is no procedure `{name}`"),
            )
            .at(span);
            return Err(match self.registry.suggestions(&name).first() {
                Some(other) => fault.hint(format!("did you mean `{other}`?")),
                None => fault.hint("SHOW PROCEDURES lists them"),
            });
        };
        if procedure.commits {
            self.check_changes(from.span)?;
            let named = || (from.span, Arc::clone(&procedure.name));
            self.commits.get_or_insert_with(named);
        } else if procedure.writes() {
            self.check_writable(from.span)?;
        }
        let arguments = match &from.arguments {
            Some(arguments) => self.arguments(scope, &procedure, arguments, from.span)?,
            None if standalone => self.implicit(&procedure, span),
            None => {
                let message = "a procedure among other clauses needs its arguments in parentheses";
                return Err(raise(Detail::InvalidArgumentPassingMode, message)
                    .at(span)
                    .hint(format!("write `{name}(...)`")));
            }
        };
        self.yielded(
            scope,
            (procedure, arguments, from.optional, from.span),
            from.yields.as_ref(),
            standalone,
            into,
        )
    }

    /// `SHOW ...`: as a procedure of that name would be called.
    pub(super) fn show(
        &mut self,
        scope: &mut Scope,
        from: &Show,
        into: &mut Vec<BoundClause>,
    ) -> Result<Vec<Variable>, Fault> {
        let procedure = shown(from.what);
        let call = (procedure, Vec::new(), false, from.span);
        let mut columns = self.yielded(scope, call, from.yields.as_ref(), true, into)?;
        if let Some(filter) = &from.filter {
            let bound = self.condition(scope, filter)?;
            if let Some(BoundClause::Call { filter, .. }) = into.last_mut() {
                *filter = Some(bound);
            }
        }
        if let Some(yields) = &from.yields {
            let tail = Tail {
                order: &yields.order,
                skip: yields.skip.as_ref(),
                limit: yields.limit.as_ref(),
            };
            self.sorted_columns(scope, &mut columns, &tail, into)?;
        }
        Ok(columns)
    }

    fn arguments(
        &mut self,
        scope: &mut Scope,
        procedure: &Procedure,
        arguments: &[Expression],
        span: Span,
    ) -> Result<Vec<Expr>, Fault> {
        let takes = procedure.arguments();
        let required = procedure.required();
        if arguments.len() < required || arguments.len() > takes.len() {
            let found = arguments.len();
            return Err(wrong_count(
                procedure.name(),
                required,
                takes.len(),
                found,
                span,
            ));
        }
        let arguments = self.exprs(scope, arguments)?;
        for (argument, field) in arguments.iter().zip(takes) {
            check_argument(procedure.name(), argument, field)?;
        }
        Ok(arguments)
    }

    /// Arguments from parameters of the same names.
    fn implicit(&mut self, procedure: &Procedure, span: Span) -> Vec<Expr> {
        let takes = procedure.arguments().iter();
        takes
            .map(|field| {
                let kind = ExprKind::Parameter(self.parameter(&Arc::from(field.name()), span));
                typed(kind, span, Types::ANY)
            })
            .collect()
    }

    fn yielded(
        &mut self,
        scope: &mut Scope,
        (procedure, arguments, optional, span): (Arc<Procedure>, Vec<Expr>, bool, Span),
        yields: Option<&Yield>,
        standalone: bool,
        into: &mut Vec<BoundClause>,
    ) -> Result<Vec<Variable>, Fault> {
        let all = match yields {
            Some(yields) => yields.all.is_some(),
            None => standalone,
        };
        let mut columns = Vec::new();
        let mut slots = Vec::new();
        if all {
            for (at, field) in procedure.columns().iter().enumerate() {
                let variable = self.variable(&Arc::from(field.name()), field.of_type().types());
                slots.push((at, variable.slot));
                columns.push(variable);
            }
        }
        for item in yields.map_or(&[][..], |yields| &yields.items) {
            let at = self.column(&procedure, &item.column)?;
            let named = item.alias.as_ref().unwrap_or(&item.column);
            let taken = columns
                .iter()
                .any(|column: &Variable| column.name == named.name);
            if taken || scope.find(&named.name).is_some() {
                return Err(already_bound(named).hint("rename the column with AS"));
            }
            let types = procedure
                .columns()
                .get(at)
                .map_or(Types::ANY, |field| field.of_type().types());
            let variable = self.variable(&named.name, types);
            slots.push((at, variable.slot));
            columns.push(variable);
        }
        for column in &columns {
            scope.push(column.clone());
        }
        let filter = match yields.and_then(|yields| yields.filter.as_ref()) {
            Some(filter) => Some(self.condition(scope, filter)?),
            None => None,
        };
        let call = Box::new(CallProcedure {
            procedure,
            arguments,
            yields: slots,
            optional,
            span,
        });
        into.push(BoundClause::Call { call, filter });
        Ok(columns)
    }

    fn column(&self, procedure: &Procedure, column: &Identifier) -> Result<usize, Fault> {
        let gives = procedure.columns();
        let found = gives.iter().position(|field| field.name() == &*column.name);
        found.ok_or_else(|| {
            let message = format!("`{}` gives no column `{}`", procedure.name(), column.name);
            let names: Vec<&str> = gives.iter().map(ProcedureField::name).collect();
            let hint = match nearest(&column.name, names.iter().copied()) {
                Some(other) => format!("did you mean `{other}`?"),
                None => format!("it gives {}", names.join(", ")),
            };
            raise(Detail::UnknownYieldColumn, message)
                .at(column.span)
                .hint(hint)
        })
    }
}

/// Whether an argument can be what a field of something that is called `of` takes.
pub(super) fn check_argument(
    of: &str,
    argument: &Expr,
    field: &ProcedureField,
) -> Result<(), Fault> {
    // Whole numbers are taken for floats.
    let mut taken = field.of_type().types();
    if taken.may_be(Types::FLOAT) {
        taken = taken.or(Types::INTEGER);
    }
    if argument.types.may_be(taken) {
        return Ok(());
    }
    let what = format!("argument `{}` of `{}`", field.name(), of);
    Err(wrong_type(
        argument,
        &what,
        &field.of_type().types().to_string(),
    ))
}
