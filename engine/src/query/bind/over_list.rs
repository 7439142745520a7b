//! What goes through a list with a variable of its own.
//!
//! Next: `access.rs`.

use super::Binder;
use super::expr::{boolean, typed, wrong_type};
use super::scope::{Scope, Variable};
use crate::query::error::Fault;
use crate::query::expr::{Expr, ExprKind, FunctionOf, Slot};
use crate::query::types::Types;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{Expression, Identifier, ListQuantifier};

impl Binder<'_> {
    /// `[variable IN list WHERE filter | result]`.
    pub(super) fn list_comprehension(
        &mut self,
        scope: &mut Scope,
        (variable, list): (&Identifier, &Expression),
        (filter, result): (Option<&Expression>, Option<&Expression>),
        span: Span,
    ) -> Result<Expr, Fault> {
        let (list, element) = self.element(scope, variable, list)?;
        let len = scope.len();
        let element = self.push_local(scope, element);
        let (filter, result) = self.per_element(|binder| {
            let filter = filter.map(|filter| binder.condition(scope, filter));
            let filter = filter.transpose()?.map(Box::new);
            Ok((filter, binder.boxed(scope, result)?))
        })?;
        scope.cut(len);
        let kind = ExprKind::ListComprehension {
            element,
            list,
            filter,
            result,
        };
        Ok(typed(kind, span, Types::LIST))
    }

    /// `all(variable IN list WHERE predicate)` and its kin.
    pub(super) fn quantified(
        &mut self,
        scope: &mut Scope,
        kind: ListQuantifier,
        (variable, list): (&Identifier, &Expression),
        predicate: Option<&Expression>,
        span: Span,
    ) -> Result<Expr, Fault> {
        let (list, element) = self.element(scope, variable, list)?;
        let len = scope.len();
        let element = self.push_local(scope, element);
        let predicate = match predicate {
            Some(predicate) => self.per_element(|binder| binder.condition(scope, predicate))?,
            None => typed(ExprKind::Slot(element), variable.span, Types::ANY),
        };
        scope.cut(len);
        let kind = ExprKind::Quantified {
            kind,
            element,
            list,
            predicate: Box::new(predicate),
        };
        Ok(boolean(kind, span))
    }

    /// `reduce(accumulator = initial, variable IN list | result)`.
    pub(super) fn reduce(
        &mut self,
        scope: &mut Scope,
        (accumulator, initial): (&Identifier, &Expression),
        (variable, list): (&Identifier, &Expression),
        result: &Expression,
        span: Span,
    ) -> Result<Expr, Fault> {
        let initial = Box::new(self.expr(scope, initial)?);
        let (list, element) = self.element(scope, variable, list)?;
        let len = scope.len();
        let total = self.variable(&accumulator.name, Types::ANY);
        let accumulator = self.push_local(scope, total);
        let element = self.push_local(scope, element);
        let result = self.per_element(|binder| binder.expr(scope, result))?;
        scope.cut(len);
        let kind = ExprKind::Reduce {
            accumulator,
            initial,
            element,
            list,
            result: Box::new(result),
        };
        Ok(typed(kind, span, Types::ANY))
    }

    fn push_local(&mut self, scope: &mut Scope, variable: Variable) -> Slot {
        let slot = variable.slot;
        scope.push(variable);
        slot
    }

    /// A list that is gone through, and the variable for its elements.
    fn element(
        &mut self,
        scope: &mut Scope,
        name: &Identifier,
        list: &Expression,
    ) -> Result<(Box<Expr>, Variable), Fault> {
        let list = self.expr(scope, list)?;
        if !list.types.may_be(Types::LIST) {
            return Err(wrong_type(&list, "this", "a list"));
        }
        let mut variable = self.variable(&name.name, Types::ANY);
        variable.types = element_types(scope, &list);
        Ok((Box::new(list), variable))
    }
}

/// What the elements of a list may be.
pub(super) fn element_types(scope: &Scope, list: &Expr) -> Types {
    let union = |types: Types, one: Types| types.or(one);
    match &list.kind {
        ExprKind::List(items) if !items.is_empty() => {
            let known = items.iter().map(|item| item.types);
            known.fold(Types::NULL, union)
        }
        ExprKind::Slot(slot) => scope
            .visible()
            .iter()
            .find(|variable| variable.slot == *slot)
            .map_or(Types::ANY, |variable| variable.elements),
        ExprKind::Call { function, .. } => match function {
            FunctionOf::Engine(function) => match function.name {
                "range" => Types::INTEGER,
                "nodes" | "roots" | "ancestors" => Types::NODE,
                "relationships" => Types::RELATIONSHIP,
                "labels" | "keys" | "split" => Types::STRING,
                _ => Types::ANY,
            },
            FunctionOf::Host(_) => Types::ANY,
        },
        _ => Types::ANY,
    }
}
