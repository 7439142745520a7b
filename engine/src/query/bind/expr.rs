//! Expressions.
//!
//! Next: `operators.rs`, `over_list.rs`, `access.rs`, `call.rs`, `subquery.rs`.

use super::operators::check_boolean;
use super::scope::{Scope, Variable};
use super::{Binder, undefined};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind};
use crate::query::types::Types;
use crate::value::Value;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{CaseArm, Expression, ExpressionKind, Identifier, Literal};

impl Binder<'_> {
    /// An expression.
    pub(super) fn expr(&mut self, scope: &mut Scope, from: &Expression) -> Result<Expr, Fault> {
        if let Some(grouped) = self.grouped(scope, from)? {
            return Ok(grouped);
        }
        let span = from.span;
        match &from.kind {
            ExpressionKind::Literal(literal) => Ok(constant(value_of(literal), span)),
            ExpressionKind::Parameter(name) => {
                let kind = ExprKind::Parameter(self.parameter(name));
                Ok(typed(kind, span, Types::ANY))
            }
            ExpressionKind::Variable(name) => match scope.find(name) {
                Some(variable) => Ok(of_variable(variable, span)),
                None => Err(undefined(scope, name, span)),
            },
            ExpressionKind::List(items) => {
                let items = self.exprs(scope, items)?;
                Ok(typed(ExprKind::List(items), span, Types::LIST))
            }
            ExpressionKind::Map(entries) => {
                let entries = self.entries(scope, entries)?;
                Ok(typed(ExprKind::Map(entries), span, Types::MAP))
            }
            ExpressionKind::Or(parts) => {
                let parts = self.booleans(scope, parts, "OR")?;
                Ok(boolean(ExprKind::Or(parts), span))
            }
            ExpressionKind::Xor(parts) => {
                let parts = self.booleans(scope, parts, "XOR")?;
                Ok(boolean(ExprKind::Xor(parts), span))
            }
            ExpressionKind::And(parts) => {
                let parts = self.booleans(scope, parts, "AND")?;
                Ok(boolean(ExprKind::And(parts), span))
            }
            ExpressionKind::Not(of) => {
                let of = self.boolean_operand(scope, of, "NOT")?;
                Ok(boolean(ExprKind::Not(Box::new(of)), span))
            }
            ExpressionKind::IsNull { of, negated } => {
                let of = Box::new(self.expr(scope, of)?);
                let negated = *negated;
                Ok(boolean(ExprKind::IsNull { of, negated }, span))
            }
            ExpressionKind::Comparison { first, rest } => {
                let first = Box::new(self.expr(scope, first)?);
                let rest = self.chain(scope, rest)?;
                Ok(boolean(ExprKind::Comparison { first, rest }, span))
            }
            ExpressionKind::Arithmetic { first, rest } => self.arithmetic(scope, first, rest, span),
            ExpressionKind::Negate(of) => {
                let of = self.signed(scope, of, "-")?;
                let types = of.types;
                Ok(typed(ExprKind::Negate(Box::new(of)), span, types))
            }
            ExpressionKind::Plus(of) => {
                let of = self.signed(scope, of, "+")?;
                let types = of.types;
                Ok(typed(ExprKind::Plus(Box::new(of)), span, types))
            }
            ExpressionKind::Predicate {
                left,
                operator,
                right,
            } => self.predicate_operator(scope, left, *operator, right, span),
            ExpressionKind::HasLabels { of, labels } => self.has_labels(scope, of, labels, span),
            ExpressionKind::Property { of, key } => self.property(scope, of, key, span),
            ExpressionKind::Index { of, index } => self.index(scope, of, index, span),
            ExpressionKind::Slice { of, from, to } => {
                self.slice(scope, of, from.as_deref(), to.as_deref(), span)
            }
            ExpressionKind::Call(call) => self.call(scope, call, span),
            ExpressionKind::CountAll => self.count_all(span),
            ExpressionKind::Case {
                subject,
                arms,
                otherwise,
            } => self.case(scope, subject.as_deref(), arms, otherwise.as_deref(), span),
            ExpressionKind::ListComprehension {
                variable,
                list,
                filter,
                result,
            } => {
                let parts = (filter.as_deref(), result.as_deref());
                self.list_comprehension(scope, (variable, list), parts, span)
            }
            ExpressionKind::Quantified {
                kind,
                variable,
                list,
                predicate,
            } => self.quantified(scope, *kind, (variable, list), predicate.as_deref(), span),
            ExpressionKind::Reduce {
                accumulator,
                initial,
                variable,
                list,
                result,
            } => {
                let total = (accumulator, initial.as_ref());
                self.reduce(scope, total, (variable, list), result, span)
            }
            ExpressionKind::MapProjection { of, items } => {
                self.map_projection(scope, of, items, span)
            }
            ExpressionKind::Pattern(_) => Err(raise(
                Detail::UnexpectedSyntax,
                "a pattern can stand here only as a condition",
            )
            .at(span)
            .hint(
                "use EXISTS { ... }, COUNT { ... } or a pattern comprehension `[(a)-->(b) | b]`",
            )),
            ExpressionKind::ShortestPath(path) => self.shortest_path(scope, path, span),
            ExpressionKind::PatternComprehension {
                path,
                filter,
                result,
            } => self.pattern_comprehension(scope, path, filter.as_deref(), result, span),
            ExpressionKind::Exists(query) => self.exists(scope, query, span),
            ExpressionKind::Count(query) => self.count_rows(scope, query, span),
            ExpressionKind::Collect(query) => self.collect_rows(scope, query, span),
        }
    }

    /// An expression that decides: a pattern may stand for its existence here.
    pub(super) fn condition(
        &mut self,
        scope: &mut Scope,
        from: &Expression,
    ) -> Result<Expr, Fault> {
        let bound = self.condition_part(scope, from)?;
        check_boolean(bound, "a condition")
    }

    /// The same, of whatever type.
    pub(super) fn condition_part(
        &mut self,
        scope: &mut Scope,
        from: &Expression,
    ) -> Result<Expr, Fault> {
        match &from.kind {
            ExpressionKind::Pattern(path) => self.pattern_predicate(scope, path, from.span),
            _ => self.expr(scope, from),
        }
    }

    /// `WHERE`, taken apart at `AND`.
    pub(super) fn conjuncts(
        &mut self,
        scope: &mut Scope,
        from: &Expression,
        into: &mut Vec<Expr>,
    ) -> Result<(), Fault> {
        if let ExpressionKind::And(parts) = &from.kind {
            for part in parts {
                self.conjuncts(scope, part, into)?;
            }
            return Ok(());
        }
        into.push(self.condition(scope, from)?);
        Ok(())
    }

    pub(super) fn exprs(
        &mut self,
        scope: &mut Scope,
        from: &[Expression],
    ) -> Result<Vec<Expr>, Fault> {
        from.iter().map(|one| self.expr(scope, one)).collect()
    }

    pub(super) fn boxed(
        &mut self,
        scope: &mut Scope,
        from: Option<&Expression>,
    ) -> Result<Option<Box<Expr>>, Fault> {
        from.map(|one| self.expr(scope, one).map(Box::new))
            .transpose()
    }

    fn entries(
        &mut self,
        scope: &mut Scope,
        entries: &[(Identifier, Expression)],
    ) -> Result<Vec<(Arc<str>, Expr)>, Fault> {
        let bind = |(key, value): &(Identifier, Expression)| {
            Ok((Arc::clone(&key.name), self.expr(scope, value)?))
        };
        entries.iter().map(bind).collect()
    }

    fn case(
        &mut self,
        scope: &mut Scope,
        subject: Option<&Expression>,
        arms: &[CaseArm],
        otherwise: Option<&Expression>,
        span: Span,
    ) -> Result<Expr, Fault> {
        let subject = self.boxed(scope, subject)?;
        let mut types = Types::NULL;
        let mut bound = Vec::with_capacity(arms.len());
        for arm in arms {
            let mut conditions = Vec::with_capacity(arm.conditions.len());
            for condition in &arm.conditions {
                conditions.push(match subject {
                    Some(_) => self.expr(scope, condition)?,
                    None => self.condition(scope, condition)?,
                });
            }
            let result = self.expr(scope, &arm.result)?;
            types = types.or(result.types);
            bound.push((conditions, result));
        }
        let otherwise = self.boxed(scope, otherwise)?;
        types = otherwise.as_ref().map_or(types, |one| types.or(one.types));
        let kind = ExprKind::Case {
            subject,
            arms: bound,
            otherwise,
        };
        Ok(typed(kind, span, types))
    }
}

/// An expression with what its value may be.
pub(super) fn typed(kind: ExprKind, span: Span, types: Types) -> Expr {
    Expr { kind, span, types }
}

pub(super) fn boolean(kind: ExprKind, span: Span) -> Expr {
    typed(kind, span, Types::BOOLEAN)
}

pub(super) fn constant(value: Value, span: Span) -> Expr {
    let types = Types::of(&value);
    typed(ExprKind::Constant(value), span, types)
}

pub(super) fn of_variable(variable: &Variable, span: Span) -> Expr {
    typed(ExprKind::Slot(variable.slot), span, variable.types)
}

/// A literal's value.
pub(super) fn value_of(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Boolean(value) => Value::Bool(*value),
        Literal::Integer(value) => Value::Int(*value),
        Literal::Float(value) => Value::Float(*value),
        Literal::String(value) => Value::String(Arc::clone(value)),
    }
}

/// An operand or argument of a type that cannot be.
pub(super) fn wrong_type(expr: &Expr, what: &str, wanted: &str) -> Fault {
    let message = format!("{what} needs {wanted}, and this is {}", expr.types);
    raise(Detail::InvalidArgumentType, message).at(expr.span)
}
