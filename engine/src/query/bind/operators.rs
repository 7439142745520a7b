//! Operators: what their operands may be, and what they give.
//!
//! Next: `over_list.rs`.

use super::Binder;
use super::expr::{boolean, typed, wrong_type};
use super::scope::Scope;
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind};
use crate::query::types::Types;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{ArithmeticOperator, Expression, PredicateOperator};

impl Binder<'_> {
    pub(super) fn chain<O: Copy>(
        &mut self,
        scope: &mut Scope,
        rest: &[(O, Expression)],
    ) -> Result<Vec<(O, Expr)>, Fault> {
        let bind = |(operator, right): &(O, Expression)| Ok((*operator, self.expr(scope, right)?));
        rest.iter().map(bind).collect()
    }

    pub(super) fn booleans(
        &mut self,
        scope: &mut Scope,
        parts: &[Expression],
        operator: &str,
    ) -> Result<Vec<Expr>, Fault> {
        parts
            .iter()
            .map(|part| self.boolean_operand(scope, part, operator))
            .collect()
    }

    pub(super) fn boolean_operand(
        &mut self,
        scope: &mut Scope,
        of: &Expression,
        operator: &str,
    ) -> Result<Expr, Fault> {
        let bound = self.condition_part(scope, of)?;
        check_boolean(bound, operator)
    }

    pub(super) fn signed(
        &mut self,
        scope: &mut Scope,
        of: &Expression,
        sign: &str,
    ) -> Result<Expr, Fault> {
        let of = self.expr(scope, of)?;
        if of.types.may_be(Types::NUMBER.or(Types::DURATION)) {
            return Ok(of);
        }
        Err(wrong_type(&of, &format!("`{sign}`"), "a number"))
    }

    pub(super) fn arithmetic(
        &mut self,
        scope: &mut Scope,
        first: &Expression,
        rest: &[(ArithmeticOperator, Expression)],
        span: Span,
    ) -> Result<Expr, Fault> {
        let first = Box::new(self.expr(scope, first)?);
        let rest = self.chain(scope, rest)?;
        let mut types = first.types;
        for (operator, right) in &rest {
            types = arithmetic_types(*operator, types, right.types).ok_or_else(|| {
                let message = format!(
                    "`{}` does not work with {types} and {}",
                    operator.symbol(),
                    right.types
                );
                raise(Detail::InvalidArgumentType, message).at(right.span)
            })?;
        }
        Ok(typed(ExprKind::Arithmetic { first, rest }, span, types))
    }

    pub(super) fn predicate_operator(
        &mut self,
        scope: &mut Scope,
        left: &Expression,
        operator: PredicateOperator,
        right: &Expression,
        span: Span,
    ) -> Result<Expr, Fault> {
        let left = Box::new(self.expr(scope, left)?);
        let right = Box::new(self.expr(scope, right)?);
        if operator == PredicateOperator::In && !right.types.may_be(Types::LIST) {
            return Err(wrong_type(&right, "IN", "a list"));
        }
        let kind = ExprKind::Predicate {
            left,
            operator,
            right,
        };
        Ok(boolean(kind, span))
    }
}

/// Refuses what is certainly no boolean.
pub(super) fn check_boolean(expr: Expr, what: &str) -> Result<Expr, Fault> {
    if expr.types.may_be(Types::BOOLEAN) {
        return Ok(expr);
    }
    Err(wrong_type(&expr, what, "a boolean"))
}

/// What `+` takes, in either order: a list takes anything, a text what has a text of its own.
const ADDED: &[(Types, Types)] = &[
    (Types::NUMBER, Types::NUMBER),
    (Types::STRING, PRINTED),
    (PRINTED, Types::STRING),
    (Types::LIST, Types::ANY),
    (Types::ANY, Types::LIST),
    (Types::TEMPORAL, Types::DURATION),
    (Types::DURATION, Types::TEMPORAL),
];

/// What `||` takes.
const CONCATENATED: &[(Types, Types)] =
    &[(Types::STRING, Types::STRING), (Types::LIST, Types::LIST)];

/// What a text can be joined with.
const PRINTED: Types = Types::STRING
    .or(Types::BOOLEAN)
    .or(Types::NUMBER)
    .or(Types::TEMPORAL);

/// What an operator gives; `None` if it certainly cannot give anything but an error.
fn arithmetic_types(operator: ArithmeticOperator, left: Types, right: Types) -> Option<Types> {
    let numbers = left.is_within(Types::NUMBER) && right.is_within(Types::NUMBER);
    let integers = left.is_within(Types::INTEGER) && right.is_within(Types::INTEGER);
    match operator {
        ArithmeticOperator::Add | ArithmeticOperator::Concatenate => {
            let pairs: &[(Types, Types)] = match operator {
                ArithmeticOperator::Add => ADDED,
                _ => CONCATENATED,
            };
            let mut pairs = pairs.iter();
            if !pairs.any(|(first, second)| left.may_be(*first) && right.may_be(*second)) {
                return None;
            }
            let both = |types: Types| left.is_within(types) && right.is_within(types);
            Some(match () {
                () if integers => Types::INTEGER,
                () if numbers => Types::NUMBER,
                () if both(Types::STRING) => Types::STRING,
                () => Types::ANY.without(Types::ENTITY.or(Types::PATH).or(Types::MAP)),
            })
        }
        _ => {
            let operands = Types::NUMBER.or(Types::TEMPORAL);
            if !left.may_be(operands) || !right.may_be(operands) {
                return None;
            }
            Some(match operator {
                ArithmeticOperator::Power => Types::FLOAT,
                _ if integers => Types::INTEGER,
                _ if numbers => Types::NUMBER,
                _ => operands,
            })
        }
    }
}
