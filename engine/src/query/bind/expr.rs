//! Expressions.
//!
//! Next: `access.rs`, `call.rs`, `subquery.rs`.

use super::scope::{Scope, Variable};
use super::{Binder, undefined};
use crate::query::error::{Detail, Fault, raise};
use crate::query::expr::{Expr, ExprKind, Projected, Slot};
use crate::query::types::Types;
use crate::value::Value;
use std::sync::Arc;
use stratigraph_query_lang::Span;
use stratigraph_query_lang::ast::{
    ArithmeticOperator, CaseArm, Expression, ExpressionKind, Identifier, Literal,
    MapProjectionItem, PredicateOperator,
};

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
            ExpressionKind::ListComprehension { .. }
            | ExpressionKind::Quantified { .. }
            | ExpressionKind::Reduce { .. } => self.over_list(scope, from),
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

    fn condition_part(&mut self, scope: &mut Scope, from: &Expression) -> Result<Expr, Fault> {
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

    fn chain<O: Copy>(
        &mut self,
        scope: &mut Scope,
        rest: &[(O, Expression)],
    ) -> Result<Vec<(O, Expr)>, Fault> {
        let bind = |(operator, right): &(O, Expression)| Ok((*operator, self.expr(scope, right)?));
        rest.iter().map(bind).collect()
    }

    fn booleans(
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

    fn boolean_operand(
        &mut self,
        scope: &mut Scope,
        of: &Expression,
        operator: &str,
    ) -> Result<Expr, Fault> {
        let bound = self.condition_part(scope, of)?;
        check_boolean(bound, operator)
    }

    fn signed(&mut self, scope: &mut Scope, of: &Expression, sign: &str) -> Result<Expr, Fault> {
        let of = self.expr(scope, of)?;
        if of.types.may_be(Types::NUMBER.or(Types::DURATION)) {
            return Ok(of);
        }
        Err(wrong_type(&of, &format!("`{sign}`"), "a number"))
    }

    fn arithmetic(
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
                    symbol(*operator),
                    right.types
                );
                raise(Detail::InvalidArgumentType, message).at(right.span)
            })?;
        }
        Ok(typed(ExprKind::Arithmetic { first, rest }, span, types))
    }

    fn predicate_operator(
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

    /// What goes through a list with a variable of its own.
    fn over_list(&mut self, scope: &mut Scope, from: &Expression) -> Result<Expr, Fault> {
        let span = from.span;
        match &from.kind {
            ExpressionKind::ListComprehension {
                variable,
                list,
                filter,
                result,
            } => {
                let (list, element) = self.element(scope, variable, list)?;
                let len = scope.len();
                let slot = self.push_local(scope, element);
                let (filter, result) = self.per_element(|binder| {
                    let filter = filter
                        .as_deref()
                        .map(|filter| binder.condition(scope, filter));
                    let filter = filter.transpose()?.map(Box::new);
                    Ok((filter, binder.boxed(scope, result.as_deref())?))
                })?;
                scope.cut(len);
                let kind = ExprKind::ListComprehension {
                    element: slot,
                    list,
                    filter,
                    result,
                };
                Ok(typed(kind, span, Types::LIST))
            }
            ExpressionKind::Quantified {
                kind,
                variable,
                list,
                predicate,
            } => {
                let (list, element) = self.element(scope, variable, list)?;
                let len = scope.len();
                let slot = self.push_local(scope, element);
                let predicate = match predicate {
                    Some(predicate) => {
                        self.per_element(|binder| binder.condition(scope, predicate))?
                    }
                    None => typed(ExprKind::Slot(slot), variable.span, Types::ANY),
                };
                scope.cut(len);
                let kind = ExprKind::Quantified {
                    kind: *kind,
                    element: slot,
                    list,
                    predicate: Box::new(predicate),
                };
                Ok(boolean(kind, span))
            }
            ExpressionKind::Reduce {
                accumulator,
                initial,
                variable,
                list,
                result,
            } => {
                let initial = Box::new(self.expr(scope, initial)?);
                let (list, element) = self.element(scope, variable, list)?;
                let len = scope.len();
                let total = self.variable(&accumulator.name, Types::ANY);
                let accumulator = self.push_local(scope, total);
                let element = self.push_local(scope, element);
                let result = self.per_element(|binder| binder.expr(scope, result))?;
                let result = Box::new(result);
                scope.cut(len);
                let kind = ExprKind::Reduce {
                    accumulator,
                    initial,
                    element,
                    list,
                    result,
                };
                Ok(typed(kind, span, Types::ANY))
            }
            _ => Err(crate::error::Error::bug("no expression over a list").into()),
        }
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

    fn map_projection(
        &mut self,
        scope: &mut Scope,
        of: &Expression,
        items: &[MapProjectionItem],
        span: Span,
    ) -> Result<Expr, Fault> {
        let of = self.expr(scope, of)?;
        if !of.types.may_be(Types::ENTITY.or(Types::MAP)) {
            return Err(wrong_type(
                &of,
                "a map projection",
                "a node, a relationship or a map",
            ));
        }
        let mut bound = Vec::with_capacity(items.len());
        for item in items {
            bound.push(match item {
                MapProjectionItem::Property(key) => Projected::Property(Arc::clone(&key.name)),
                MapProjectionItem::All(_) => Projected::All,
                MapProjectionItem::Entry(key, value) => {
                    Projected::Entry(Arc::clone(&key.name), self.expr(scope, value)?)
                }
                MapProjectionItem::Variable(name) => {
                    let kind = ExpressionKind::Variable(Arc::clone(&name.name));
                    let value = self.expr(
                        scope,
                        &Expression {
                            kind,
                            span: name.span,
                        },
                    )?;
                    Projected::Entry(Arc::clone(&name.name), value)
                }
            });
        }
        let of = Box::new(of);
        let kind = ExprKind::MapProjection { of, items: bound };
        Ok(typed(kind, span, Types::MAP))
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

fn check_boolean(expr: Expr, what: &str) -> Result<Expr, Fault> {
    if expr.types.may_be(Types::BOOLEAN) {
        return Ok(expr);
    }
    Err(wrong_type(&expr, what, "a boolean"))
}

/// An operand or argument of a type that cannot be.
pub(super) fn wrong_type(expr: &Expr, what: &str, wanted: &str) -> Fault {
    let message = format!("{what} needs {wanted}, and this is {}", expr.types);
    raise(Detail::InvalidArgumentType, message).at(expr.span)
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
            crate::query::expr::FunctionOf::Engine(function) => match function.name {
                "range" => Types::INTEGER,
                "nodes" => Types::NODE,
                "relationships" => Types::RELATIONSHIP,
                "labels" | "keys" | "split" => Types::STRING,
                _ => Types::ANY,
            },
        },
        _ => Types::ANY,
    }
}

fn symbol(operator: ArithmeticOperator) -> &'static str {
    match operator {
        ArithmeticOperator::Add => "+",
        ArithmeticOperator::Subtract => "-",
        ArithmeticOperator::Multiply => "*",
        ArithmeticOperator::Divide => "/",
        ArithmeticOperator::Remainder => "%",
        ArithmeticOperator::Power => "^",
        ArithmeticOperator::Concatenate => "||",
    }
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
