//! Operands: an atom, the signs before it, and what is taken of it.
//!
//! Next: `atom.rs`.

use super::Result;
use super::cursor::Parser;
use super::expected::Expected;
use crate::ast::{Expression, ExpressionKind, Literal};
use crate::lex::{Magnitude, Token, TokenKind, magnitude};
use crate::span::Span;

impl Parser<'_> {
    /// `-a`, `+a`, `a`.
    pub(super) fn signed(&mut self) -> Result<Expression> {
        let start = self.peek();
        if !matches!(start.kind, TokenKind::Minus | TokenKind::Plus) {
            return self.postfix(start.span);
        }
        self.after_sign(start)
    }

    /// What has a sign; apart from what has none, so that that takes less of the stack.
    fn after_sign(&mut self, start: Token) -> Result<Expression> {
        let number = self.ahead(1);
        if start.kind == TokenKind::Minus
            && number.kind == TokenKind::Integer
            && matches!(magnitude(number.span.of(self.text)), Magnitude::Smallest)
        {
            self.take();
            self.take();
            let smallest = Expression {
                kind: ExpressionKind::Literal(Literal::Integer(i64::MIN)),
                span: self.since(start.span),
            };
            return self.postfix_of(smallest, start.span);
        }
        self.take();
        let outer = self.enter()?;
        let operand = Box::new(self.signed()?);
        self.raise()?;
        self.leave(outer);
        Ok(Expression {
            kind: match start.kind {
                TokenKind::Minus => ExpressionKind::Negate(operand),
                _ => ExpressionKind::Plus(operand),
            },
            span: self.since(start.span),
        })
    }

    /// An atom and the properties and elements taken of it.
    pub(super) fn postfix(&mut self, start: Span) -> Result<Expression> {
        let atom = self.atom()?;
        self.postfix_of(atom, start)
    }

    pub(super) fn postfix_of(&mut self, mut of: Expression, start: Span) -> Result<Expression> {
        loop {
            let kind = if self.accept(TokenKind::Dot).is_some() {
                ExpressionKind::Property {
                    of: Box::new(of),
                    key: self.name(Expected::Property)?,
                }
            } else if self.accept(TokenKind::OpenBracket).is_some() {
                self.element_or_slice(of)?
            } else {
                return Ok(of);
            };
            self.raise()?;
            of = Expression {
                kind,
                span: self.since(start),
            };
        }
    }

    /// `index]`, `from..to]`.
    fn element_or_slice(&mut self, of: Expression) -> Result<ExpressionKind> {
        let mut from = None;
        if !self.is(TokenKind::DotDot) {
            from = Some(Box::new(self.expression()?));
        }
        if self.accept(TokenKind::DotDot).is_none() {
            self.expect(TokenKind::CloseBracket)?;
            return match from {
                Some(index) => Ok(ExpressionKind::Index {
                    of: Box::new(of),
                    index,
                }),
                None => self.unexpected(),
            };
        }
        let mut to = None;
        if !self.is(TokenKind::CloseBracket) {
            to = Some(Box::new(self.expression()?));
        }
        self.expect(TokenKind::CloseBracket)?;
        Ok(ExpressionKind::Slice {
            of: Box::new(of),
            from,
            to,
        })
    }
}
