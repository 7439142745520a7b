//! Atoms: what no operator divides.
//!
//! Next: `bracket.rs`.

use super::Result;
use super::cursor::{Parser, bad_escape};
use super::expected::Expected;
use crate::ast::{CaseArm, Expression, ExpressionKind, Literal};
use crate::error::ParseErrorKind;
use crate::lex::{Keyword, Magnitude, TokenKind, decode, decode_name, float, magnitude};

impl Parser<'_> {
    /// A literal, parameter, variable, call, or anything in brackets.
    pub(super) fn atom(&mut self) -> Result<Expression> {
        self.note(Expected::Expression);
        self.note(Expected::Variable);
        self.note(Expected::Function);
        self.note(Expected::Parameter);
        let token = self.peek();
        // Apart, for parentheses nest most and so take least of the stack.
        if token.kind == TokenKind::OpenParenthesis && !self.begins_path(0) {
            return self.parenthesized();
        }
        let kind = self.atom_kind(token.kind)?;
        self.raise()?;
        Ok(Expression {
            kind,
            span: self.since(token.span),
        })
    }

    fn atom_kind(&mut self, kind: TokenKind) -> Result<ExpressionKind> {
        match kind {
            TokenKind::OpenParenthesis => self.path_predicate(),
            TokenKind::OpenBracket => self.list(),
            TokenKind::OpenBrace => self.map(),
            TokenKind::Integer | TokenKind::Float | TokenKind::BadNumber => self.number(),
            TokenKind::String => self.string(),
            TokenKind::Parameter => self.parameter(),
            TokenKind::Word | TokenKind::Quoted => self.named(),
            _ => self.unexpected(),
        }
    }

    /// `(expression)`: the parentheses leave no trace in the tree.
    fn parenthesized(&mut self) -> Result<Expression> {
        self.take();
        let expression = self.expression()?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(expression)
    }

    fn number(&mut self) -> Result<ExpressionKind> {
        let token = self.take();
        let digits = token.span.of(self.text);
        let overflow = |kind| {
            let mut mistake =
                self.mistake(kind, token.span, "this number does not fit into 64 bits");
            mistake.hint = match kind {
                ParseErrorKind::IntegerOverflow => Some(format!(
                    "whole numbers go from {} to {}",
                    i64::MIN,
                    i64::MAX
                )),
                _ => None,
            };
            mistake
        };
        match token.kind {
            TokenKind::BadNumber => Err(self.mistake(
                ParseErrorKind::InvalidNumberLiteral,
                token.span,
                &format!("'{digits}' is no number"),
            )),
            TokenKind::Float => match float(digits) {
                Some(number) => Ok(ExpressionKind::Literal(Literal::Float(number))),
                None => Err(overflow(ParseErrorKind::FloatingPointOverflow)),
            },
            _ => match magnitude(digits) {
                Magnitude::Fits(number) => Ok(ExpressionKind::Literal(Literal::Integer(number))),
                Magnitude::Smallest | Magnitude::TooLarge => {
                    Err(overflow(ParseErrorKind::IntegerOverflow))
                }
            },
        }
    }

    fn string(&mut self) -> Result<ExpressionKind> {
        let token = self.take();
        match decode(token.span.of(self.text)) {
            Ok(text) => Ok(ExpressionKind::Literal(Literal::String(text.into()))),
            Err(escape) => Err(bad_escape(&escape, token.span.start)),
        }
    }

    /// The name of the parameter that is the next token.
    pub(super) fn parameter_name(&mut self) -> Result<std::sync::Arc<str>> {
        self.note(Expected::Parameter);
        if !self.is(TokenKind::Parameter) {
            return self.unexpected();
        }
        let token = self.take();
        let name = token.span.of(self.text).strip_prefix('$').unwrap_or("");
        match decode_name(name) {
            Ok(name) => Ok(name.into()),
            Err(escape) => Err(bad_escape(&escape, token.span.start + 1)),
        }
    }

    pub(super) fn parameter(&mut self) -> Result<ExpressionKind> {
        self.parameter_name().map(ExpressionKind::Parameter)
    }

    /// What begins with a name.
    fn named(&mut self) -> Result<ExpressionKind> {
        let token = self.peek();
        let parts = self.call_parts();
        if let Some(keyword) = token.keyword {
            let literal = match keyword {
                Keyword::Null => Some(Literal::Null),
                Keyword::True => Some(Literal::Boolean(true)),
                Keyword::False => Some(Literal::Boolean(false)),
                Keyword::Inf | Keyword::Infinity => Some(Literal::Float(f64::INFINITY)),
                Keyword::Nan => Some(Literal::Float(f64::NAN)),
                _ => None,
            };
            if let Some(literal) = literal.filter(|_| parts.is_none()) {
                self.take();
                return Ok(ExpressionKind::Literal(literal));
            }
            if keyword == Keyword::Case && self.begins_operand(1) {
                return self.case();
            }
        }
        if let Some(kind) = self.special_call()? {
            return Ok(kind);
        }
        if let Some(parts) = parts {
            return self.function_call(parts);
        }
        if self.ahead(1).kind == TokenKind::OpenBrace {
            return self.map_projection();
        }
        let name = self.name(Expected::Variable)?;
        Ok(ExpressionKind::Variable(name.name))
    }

    /// `CASE [subject] WHEN ... THEN ... [ELSE ...] END`.
    fn case(&mut self) -> Result<ExpressionKind> {
        self.take();
        self.note(Expected::Keyword(Keyword::When));
        let mut subject = None;
        if !self.is_word(Keyword::When) {
            subject = Some(Box::new(self.expression()?));
        }
        let mut arms = Vec::new();
        while self.accept_word(Keyword::When).is_some() {
            let mut conditions = vec![self.expression()?];
            while subject.is_some() && self.accept(TokenKind::Comma).is_some() {
                conditions.push(self.expression()?);
            }
            self.expect_word(Keyword::Then)?;
            let result = self.expression()?;
            arms.push(CaseArm { conditions, result });
        }
        if arms.is_empty() {
            return self.unexpected();
        }
        let mut otherwise = None;
        if self.accept_word(Keyword::Else).is_some() {
            otherwise = Some(Box::new(self.expression()?));
        }
        self.expect_word(Keyword::End)?;
        Ok(ExpressionKind::Case {
            subject,
            arms,
            otherwise,
        })
    }

    /// Whether an operand can begin `ahead` of here. A word that goes on with an expression, or ends it,
    /// begins none: so a name before it that is also a keyword is a name.
    pub(super) fn begins_operand(&self, ahead: usize) -> bool {
        use Keyword as K;
        let token = self.ahead(ahead);
        match token.kind {
            TokenKind::Word => !matches!(
                token.keyword,
                Some(
                    K::And
                        | K::Or
                        | K::Xor
                        | K::In
                        | K::Is
                        | K::Starts
                        | K::Ends
                        | K::Contains
                        | K::As
                        | K::Where
                        | K::Order
                        | K::Skip
                        | K::Offset
                        | K::Limit
                        | K::Union
                        | K::Then
                        | K::Else
                        | K::Asc
                        | K::Ascending
                        | K::Desc
                        | K::Descending
                )
            ),
            TokenKind::Quoted
            | TokenKind::String
            | TokenKind::Integer
            | TokenKind::Float
            | TokenKind::BadNumber
            | TokenKind::Parameter
            | TokenKind::OpenParenthesis
            | TokenKind::OpenBracket
            | TokenKind::OpenBrace
            | TokenKind::Minus
            | TokenKind::Plus => true,
            _ => false,
        }
    }
}
