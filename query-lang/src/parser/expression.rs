//! Expressions: operators and what binds how tightly.
//!
//! Next: `operand.rs`.

use super::Result;
use super::cursor::Parser;
use super::expected::Expected;
use crate::MAX_DEPTH;
use crate::ast::{
    ArithmeticOperator, ComparisonOperator, Expression, ExpressionKind, PredicateOperator,
};
use crate::lex::{Keyword, TokenKind};
use crate::span::Span;

/// How tightly an operator binds, from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    Xor,
    And,
    Not,
    Comparison,
    Predicate,
    Sum,
    Product,
    Power,
}

/// Operators and what is to the left of them, waiting for what is to the right.
struct Pending {
    level: Level,
    left: Left,
    /// Where the leftmost operand begins.
    start: Span,
    /// How high the tallest of its operands is.
    height: usize,
}

/// What waits.
enum Left {
    /// `a OR b OR`, and the same of `XOR` and `AND`.
    Chain(Vec<Expression>),
    Not,
    Comparison {
        first: Box<Expression>,
        rest: Vec<(ComparisonOperator, Expression)>,
        next: ComparisonOperator,
    },
    Arithmetic {
        first: Box<Expression>,
        rest: Vec<(ArithmeticOperator, Expression)>,
        next: ArithmeticOperator,
    },
    Predicate {
        left: Box<Expression>,
        operator: PredicateOperator,
    },
}

impl Parser<'_> {
    /// An expression in which `|` may be part of labels.
    pub(super) fn expression(&mut self) -> Result<Expression> {
        self.whole(false)
    }

    /// An expression that a `|` ends.
    pub(super) fn expression_before_bar(&mut self) -> Result<Expression> {
        self.whole(true)
    }

    fn whole(&mut self, bar_ends: bool) -> Result<Expression> {
        let outer = self.enter()?;
        let bar_ends = std::mem::replace(&mut self.bar_ends, bar_ends);
        let expression = self.operators(None)?;
        self.bar_ends = bar_ends;
        self.leave(outer);
        Ok(expression)
    }

    /// The rest of an expression, the first operand of which is taken already.
    pub(super) fn rest_of_expression(
        &mut self,
        first: Expression,
        start: Span,
    ) -> Result<Expression> {
        let outer = self.enter()?;
        let bar_ends = std::mem::replace(&mut self.bar_ends, false);
        let first = self.postfix_of(first, start)?;
        let expression = self.operators(Some((first, start)))?;
        self.bar_ends = bar_ends;
        self.leave(outer);
        Ok(expression)
    }

    /// Operands with operators between them. Operators wait on a stack of their own, not on the
    /// program's, for what is to the right of them: only brackets recurse.
    fn operators(&mut self, mut first: Option<(Expression, Span)>) -> Result<Expression> {
        let mut pending: Vec<Pending> = Vec::new();
        loop {
            let (mut operand, mut start) = match first.take() {
                Some(first) => first,
                None => self.operand(&mut pending)?,
            };
            loop {
                self.note(Expected::Operator);
                let level = self.operator_level();
                while let Some(top) =
                    pending.pop_if(|top| level.is_none_or(|level| top.ends_before(level)))
                {
                    (operand, start) = self.finish(top, operand)?;
                }
                match level {
                    None => return Ok(operand),
                    Some(Level::Predicate) => match self.predicate(operand, start, &mut pending)? {
                        Some(done) => operand = done,
                        None => break,
                    },
                    Some(level) => {
                        self.wait(level, operand, start, &mut pending);
                        break;
                    }
                }
            }
        }
    }

    /// An operand with the signs before it; every `NOT` before it waits.
    fn operand(&mut self, pending: &mut Vec<Pending>) -> Result<(Expression, Span)> {
        let mut start = self.peek().span;
        while pending.last().is_none_or(|top| top.level <= Level::Not) && self.is_not() {
            self.take();
            // At most one of each other level waits, so that these are nearly all NOT.
            if pending.len() > 2 * MAX_DEPTH {
                return Err(self.too_deep());
            }
            pending.push(Pending {
                level: Level::Not,
                left: Left::Not,
                start,
                height: 0,
            });
            start = self.peek().span;
        }
        Ok((self.signed()?, start))
    }

    /// Takes the operator here, which waits with its left operand.
    fn wait(&mut self, level: Level, operand: Expression, start: Span, pending: &mut Vec<Pending>) {
        let token = self.take();
        let height = self.take_height();
        if let Some(top) = pending.last_mut().filter(|top| top.level == level) {
            top.height = top.height.max(height);
            match &mut top.left {
                Left::Chain(operands) => operands.push(operand),
                Left::Comparison { rest, next, .. } => {
                    let next = std::mem::replace(next, comparison(token.kind));
                    rest.push((next, operand));
                }
                Left::Arithmetic { rest, next, .. } => {
                    let next = std::mem::replace(next, arithmetic(token.kind));
                    rest.push((next, operand));
                }
                Left::Not | Left::Predicate { .. } => {}
            }
            return;
        }
        let left = match level {
            Level::Or | Level::Xor | Level::And | Level::Not => Left::Chain(vec![operand]),
            Level::Comparison | Level::Predicate => Left::Comparison {
                first: Box::new(operand),
                rest: Vec::new(),
                next: comparison(token.kind),
            },
            Level::Sum | Level::Product | Level::Power => Left::Arithmetic {
                first: Box::new(operand),
                rest: Vec::new(),
                next: arithmetic(token.kind),
            },
        };
        pending.push(Pending {
            level,
            left,
            start,
            height,
        });
    }

    /// Puts what waited together with its right operand, which was taken last.
    fn finish(&mut self, pending: Pending, right: Expression) -> Result<(Expression, Span)> {
        let kind = match pending.left {
            Left::Not => ExpressionKind::Not(Box::new(right)),
            Left::Chain(mut operands) => {
                operands.push(right);
                match pending.level {
                    Level::Or => ExpressionKind::Or(operands),
                    Level::Xor => ExpressionKind::Xor(operands),
                    _ => ExpressionKind::And(operands),
                }
            }
            Left::Comparison {
                first,
                mut rest,
                next,
            } => {
                rest.push((next, right));
                ExpressionKind::Comparison { first, rest }
            }
            Left::Arithmetic {
                first,
                mut rest,
                next,
            } => {
                rest.push((next, right));
                ExpressionKind::Arithmetic { first, rest }
            }
            Left::Predicate { left, operator } => ExpressionKind::Predicate {
                left,
                operator,
                right: Box::new(right),
            },
        };
        self.raise_over(pending.height)?;
        let span = self.since(pending.start);
        Ok((Expression { kind, span }, pending.start))
    }

    /// How tightly the operator that stands here binds, if one does.
    fn operator_level(&self) -> Option<Level> {
        let token = self.peek();
        Some(match token.kind {
            TokenKind::Word => match token.keyword? {
                Keyword::Or => Level::Or,
                Keyword::Xor => Level::Xor,
                Keyword::And => Level::And,
                Keyword::In | Keyword::Contains | Keyword::Is => Level::Predicate,
                Keyword::Starts | Keyword::Ends if self.ahead(1).keyword == Some(Keyword::With) => {
                    Level::Predicate
                }
                _ => return None,
            },
            TokenKind::Matches | TokenKind::Colon => Level::Predicate,
            TokenKind::Plus | TokenKind::Minus | TokenKind::BarBar => Level::Sum,
            TokenKind::Star | TokenKind::Slash | TokenKind::Percent => Level::Product,
            TokenKind::Caret => Level::Power,
            TokenKind::Equal
            | TokenKind::NotEqual
            | TokenKind::Less
            | TokenKind::LessOrEqual
            | TokenKind::Greater
            | TokenKind::GreaterOrEqual => Level::Comparison,
            _ => return None,
        })
    }

    /// `left IS NULL`, `left:Label`; or `left IN`, which waits.
    fn predicate(
        &mut self,
        left: Expression,
        start: Span,
        pending: &mut Vec<Pending>,
    ) -> Result<Option<Expression>> {
        let token = self.take();
        let operator = match token.keyword {
            Some(Keyword::In) => PredicateOperator::In,
            Some(Keyword::Contains) => PredicateOperator::Contains,
            Some(Keyword::Starts) => {
                self.take();
                PredicateOperator::StartsWith
            }
            Some(Keyword::Ends) => {
                self.take();
                PredicateOperator::EndsWith
            }
            _ if token.kind == TokenKind::Matches => PredicateOperator::Matches,
            keyword => {
                let kind = if keyword == Some(Keyword::Is) {
                    self.is_what(left)?
                } else {
                    self.has_labels(left)?
                };
                self.raise()?;
                return Ok(Some(Expression {
                    kind,
                    span: self.since(start),
                }));
            }
        };
        let height = self.take_height();
        pending.push(Pending {
            level: Level::Predicate,
            left: Left::Predicate {
                left: Box::new(left),
                operator,
            },
            start,
            height,
        });
        Ok(None)
    }

    fn is_what(&mut self, left: Expression) -> Result<ExpressionKind> {
        let negated = self.accept_word(Keyword::Not).is_some();
        let is_null = if negated {
            Some(self.expect_word(Keyword::Null)?)
        } else {
            self.accept_word(Keyword::Null)
        };
        if is_null.is_some() {
            return Ok(ExpressionKind::IsNull {
                of: Box::new(left),
                negated,
            });
        }
        self.has_labels(left)
    }

    fn has_labels(&mut self, left: Expression) -> Result<ExpressionKind> {
        Ok(ExpressionKind::HasLabels {
            of: Box::new(left),
            labels: self.any_of_labels(Expected::Label)?,
        })
    }

    /// Whether `NOT` stands here and is no name.
    fn is_not(&mut self) -> bool {
        self.note(Expected::Keyword(Keyword::Not));
        self.is_word(Keyword::Not)
            && (self.begins_operand(1) || self.ahead(1).kind == TokenKind::End)
    }
}

impl Pending {
    /// Whether this has its right operand when an operator of `level` follows.
    fn ends_before(&self, level: Level) -> bool {
        self.level > level || (self.level == level && level == Level::Predicate)
    }
}

/// The operator that a token of [`Level::Comparison`] is.
fn comparison(kind: TokenKind) -> ComparisonOperator {
    match kind {
        TokenKind::NotEqual => ComparisonOperator::NotEqual,
        TokenKind::Less => ComparisonOperator::Less,
        TokenKind::LessOrEqual => ComparisonOperator::LessOrEqual,
        TokenKind::Greater => ComparisonOperator::Greater,
        TokenKind::GreaterOrEqual => ComparisonOperator::GreaterOrEqual,
        _ => ComparisonOperator::Equal,
    }
}

/// The operator that a token of [`Level::Sum`], [`Level::Product`] or [`Level::Power`] is.
fn arithmetic(kind: TokenKind) -> ArithmeticOperator {
    match kind {
        TokenKind::Minus => ArithmeticOperator::Subtract,
        TokenKind::BarBar => ArithmeticOperator::Concatenate,
        TokenKind::Star => ArithmeticOperator::Multiply,
        TokenKind::Slash => ArithmeticOperator::Divide,
        TokenKind::Percent => ArithmeticOperator::Remainder,
        TokenKind::Caret => ArithmeticOperator::Power,
        _ => ArithmeticOperator::Add,
    }
}
