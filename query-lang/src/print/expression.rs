//! Prints expressions: operators, and parentheses where something binds more loosely than its place asks.
//!
//! Next: `bracket.rs`.

use super::{bracket, filter, name, parameter, pattern, separated, string, variable};
use crate::ast::{
    ArithmeticOperator, ComparisonOperator, Expression, ExpressionKind, LabelExpressionKind,
    Literal, PredicateOperator,
};
use std::fmt::{Formatter, Result};

/// How tightly an expression binds, from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Or,
    Xor,
    And,
    Not,
    Comparison,
    Predicate,
    Sum,
    Product,
    Power,
    Sign,
    Postfix,
    Atom,
}

impl Level {
    fn tighter(self) -> Self {
        match self {
            Self::Or => Self::Xor,
            Self::Xor => Self::And,
            Self::And => Self::Not,
            Self::Not => Self::Comparison,
            Self::Comparison => Self::Predicate,
            Self::Predicate => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => Self::Power,
            Self::Power => Self::Sign,
            Self::Sign => Self::Postfix,
            Self::Postfix | Self::Atom => Self::Atom,
        }
    }
}

/// How tightly this binds.
fn level(expression: &Expression) -> Level {
    match &expression.kind {
        ExpressionKind::Or(_) => Level::Or,
        ExpressionKind::Xor(_) => Level::Xor,
        ExpressionKind::And(_) => Level::And,
        // As an operand of anything else a path could swallow what follows: (a)-->(b) - [c] - (d).
        ExpressionKind::Not(_) | ExpressionKind::Pattern(_) => Level::Not,
        ExpressionKind::Comparison { .. } => Level::Comparison,
        ExpressionKind::Predicate { .. }
        | ExpressionKind::IsNull { .. }
        | ExpressionKind::HasLabels { .. } => Level::Predicate,
        ExpressionKind::Arithmetic { rest, .. } => match rest.first() {
            Some((operator, _)) => arithmetic_level(*operator),
            None => Level::Atom,
        },
        ExpressionKind::Negate(_) | ExpressionKind::Plus(_) => Level::Sign,
        ExpressionKind::Literal(Literal::Integer(number)) if *number < 0 => Level::Sign,
        // 1.key would be read as a number with a point.
        ExpressionKind::Literal(Literal::Integer(_) | Literal::Float(_)) => Level::Sign,
        ExpressionKind::Property { .. }
        | ExpressionKind::Index { .. }
        | ExpressionKind::Slice { .. } => Level::Postfix,
        _ => Level::Atom,
    }
}

fn arithmetic_level(operator: ArithmeticOperator) -> Level {
    match operator {
        ArithmeticOperator::Add
        | ArithmeticOperator::Subtract
        | ArithmeticOperator::Concatenate => Level::Sum,
        ArithmeticOperator::Multiply
        | ArithmeticOperator::Divide
        | ArithmeticOperator::Remainder => Level::Product,
        ArithmeticOperator::Power => Level::Power,
    }
}

/// An expression where one is asked for that binds at least as tightly as `least`.
pub(super) fn expression(f: &mut Formatter<'_>, expression: &Expression, least: Level) -> Result {
    if level(expression) >= least {
        return bare(f, expression);
    }
    // (a:B OR c) - [d] - (e) would be read as a path. Two parentheses begin none.
    let doubled = least >= Level::Predicate && begins_like_node(expression);
    let (open, close) = if doubled { ("((", "))") } else { ("(", ")") };
    f.write_str(open)?;
    bare(f, expression)?;
    f.write_str(close)
}

/// Whether this in parentheses begins like a node: `(a:B`, `(a IS`, `({`, `(a {`.
fn begins_like_node(expression: &Expression) -> bool {
    let mut leftmost = expression;
    loop {
        leftmost = match &leftmost.kind {
            ExpressionKind::Map(_) | ExpressionKind::MapProjection { .. } => return true,
            ExpressionKind::HasLabels { of, .. } | ExpressionKind::IsNull { of, .. } => {
                if matches!(of.kind, ExpressionKind::Variable(_)) {
                    return true;
                }
                of
            }
            ExpressionKind::Or(operands)
            | ExpressionKind::Xor(operands)
            | ExpressionKind::And(operands) => match operands.first() {
                Some(first) => first,
                None => return false,
            },
            ExpressionKind::Comparison { first, .. } | ExpressionKind::Arithmetic { first, .. } => {
                first
            }
            ExpressionKind::Predicate { left, .. } => left,
            ExpressionKind::Property { of, .. }
            | ExpressionKind::Index { of, .. }
            | ExpressionKind::Slice { of, .. } => of,
            _ => return false,
        };
    }
}

fn bare(f: &mut Formatter<'_>, whole: &Expression) -> Result {
    match &whole.kind {
        ExpressionKind::Literal(value) => literal(f, value),
        ExpressionKind::Parameter(name) => parameter(f, name),
        ExpressionKind::Variable(name) => variable(f, name),
        ExpressionKind::Or(operands) => chain(f, operands, " OR ", Level::Xor),
        ExpressionKind::Xor(operands) => chain(f, operands, " XOR ", Level::And),
        ExpressionKind::And(operands) => chain(f, operands, " AND ", Level::Not),
        ExpressionKind::Not(operand) => {
            f.write_str("NOT ")?;
            expression(f, operand, Level::Not)
        }
        ExpressionKind::Comparison { first, rest } => {
            expression(f, first, Level::Predicate)?;
            for (operator, right) in rest {
                write!(f, " {} ", comparison(*operator))?;
                expression(f, right, Level::Predicate)?;
            }
            Ok(())
        }
        ExpressionKind::Arithmetic { first, rest } => {
            let tighter = level(whole).tighter();
            expression(f, first, tighter)?;
            for (operator, right) in rest {
                write!(f, " {} ", operator.symbol())?;
                expression(f, right, tighter)?;
            }
            Ok(())
        }
        ExpressionKind::Negate(operand) => {
            f.write_str("-")?;
            signed(f, operand)
        }
        ExpressionKind::Plus(operand) => {
            f.write_str("+")?;
            signed(f, operand)
        }
        ExpressionKind::Predicate {
            left,
            operator,
            right,
        } => {
            expression(f, left, Level::Predicate)?;
            write!(f, " {} ", predicate(*operator))?;
            expression(f, right, Level::Sum)
        }
        ExpressionKind::IsNull { of, negated } => {
            expression(f, of, Level::Predicate)?;
            f.write_str(if *negated { " IS NOT NULL" } else { " IS NULL" })
        }
        ExpressionKind::HasLabels { of, labels } => {
            expression(f, of, Level::Predicate)?;
            // a:B:C has both labels of a; a:B IS (C) asks for C of what a:B says.
            if matches!(of.kind, ExpressionKind::HasLabels { .. }) {
                return write!(f, " IS ({labels})");
            }
            f.write_str(":")?;
            // A bare `|` could end the expression.
            match labels.kind {
                LabelExpressionKind::Or(_) => write!(f, "({labels})"),
                _ => write!(f, "{labels}"),
            }
        }
        ExpressionKind::Property { of, key } => {
            expression(f, of, Level::Postfix)?;
            f.write_str(".")?;
            name(f, key)
        }
        ExpressionKind::Index { of, index } => {
            expression(f, of, Level::Postfix)?;
            write!(f, "[{index}]")
        }
        ExpressionKind::Slice { of, from, to } => {
            expression(f, of, Level::Postfix)?;
            f.write_str("[")?;
            for side in [from, to] {
                if let Some(side) = side {
                    write!(f, "{side}")?;
                }
                if std::ptr::eq(side, from) {
                    f.write_str("..")?;
                }
            }
            f.write_str("]")
        }
        ExpressionKind::Case {
            subject,
            arms,
            otherwise,
        } => {
            f.write_str("CASE")?;
            super::optional(f, " ", subject.as_deref())?;
            for arm in arms {
                f.write_str(" WHEN ")?;
                super::expressions(f, &arm.conditions)?;
                write!(f, " THEN {}", arm.result)?;
            }
            super::optional(f, " ELSE ", otherwise.as_deref())?;
            f.write_str(" END")
        }
        ExpressionKind::Pattern(path) => pattern::path(f, path),
        ExpressionKind::ShortestPath(path) => pattern::shortest_path(f, path),
        ExpressionKind::Quantified {
            kind,
            variable,
            list,
            predicate,
        } => {
            f.write_str(bracket::quantifier(*kind))?;
            bracket::element_of(f, variable, list)?;
            filter(f, predicate.as_deref())?;
            f.write_str(")")
        }
        _ => bracket::bracketed(f, whole),
    }
}

fn chain(f: &mut Formatter<'_>, operands: &[Expression], between: &str, least: Level) -> Result {
    separated(f, operands, between, |f, operand| {
        expression(f, operand, least)
    })
}

/// What follows a sign. Numbers may, unless they have a sign of their own.
fn signed(f: &mut Formatter<'_>, operand: &Expression) -> Result {
    match operand.kind {
        ExpressionKind::Literal(Literal::Integer(number)) if number < 0 => {
            expression(f, operand, Level::Atom)
        }
        _ => expression(f, operand, Level::Sign),
    }
}

fn literal(f: &mut Formatter<'_>, literal: &Literal) -> Result {
    match literal {
        Literal::Null => f.write_str("null"),
        Literal::Boolean(value) => write!(f, "{value}"),
        Literal::Integer(number) => write!(f, "{number}"),
        Literal::Float(number) if number.is_nan() => f.write_str("NaN"),
        Literal::Float(number) if number.is_infinite() => f.write_str("Inf"),
        Literal::Float(number) => write!(f, "{number:?}"),
        Literal::String(text) => string(f, text),
    }
}

fn comparison(operator: ComparisonOperator) -> &'static str {
    match operator {
        ComparisonOperator::Equal => "=",
        ComparisonOperator::NotEqual => "<>",
        ComparisonOperator::Less => "<",
        ComparisonOperator::LessOrEqual => "<=",
        ComparisonOperator::Greater => ">",
        ComparisonOperator::GreaterOrEqual => ">=",
    }
}

fn predicate(operator: PredicateOperator) -> &'static str {
    match operator {
        PredicateOperator::In => "IN",
        PredicateOperator::StartsWith => "STARTS WITH",
        PredicateOperator::EndsWith => "ENDS WITH",
        PredicateOperator::Contains => "CONTAINS",
        PredicateOperator::Matches => "=~",
    }
}
