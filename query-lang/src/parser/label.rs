//! Label expressions: `A&B|!C`, `%`, `$(expression)`.
//!
//! Next: `expression.rs`.

use super::Result;
use super::cursor::{Parser, is_name};
use super::expected::Expected;
use crate::ast::{Expression, LabelExpression, LabelExpressionKind};
use crate::lex::TokenKind;

impl Parser<'_> {
    /// Whether a label expression begins `ahead` of here.
    pub(super) fn begins_label(&self, ahead: usize) -> bool {
        let token = self.ahead(ahead);
        is_name(token)
            || matches!(
                token.kind,
                TokenKind::Exclamation
                    | TokenKind::Percent
                    | TokenKind::OpenParenthesis
                    | TokenKind::Dollar
            )
    }

    /// A label expression of a pattern, the colon before it taken.
    pub(super) fn labels(&mut self, what: Expected) -> Result<LabelExpression> {
        let bar_ends = std::mem::replace(&mut self.bar_ends, false);
        let labels = self.any_of_labels(what);
        self.bar_ends = bar_ends;
        labels
    }

    /// `A|B` and `A|:B`.
    pub(super) fn any_of_labels(&mut self, what: Expected) -> Result<LabelExpression> {
        let outer = self.enter()?;
        let start = self.peek().span;
        let first = self.all_of_labels(what)?;
        let mut labels = if self.bar_ends || self.accept(TokenKind::Bar).is_none() {
            first
        } else {
            let mut choices = vec![first];
            loop {
                self.accept(TokenKind::Colon);
                choices.push(self.all_of_labels(what)?);
                if self.accept(TokenKind::Bar).is_none() {
                    break;
                }
            }
            LabelExpression {
                kind: LabelExpressionKind::Or(choices),
                span: start,
            }
        };
        labels.span = self.since(start);
        self.leave(outer);
        Ok(labels)
    }

    /// `A&B` and `A:B`.
    fn all_of_labels(&mut self, what: Expected) -> Result<LabelExpression> {
        let start = self.peek().span;
        let first = self.one_label(what)?;
        if !self.accept_and() {
            return Ok(first);
        }
        let mut all = vec![first];
        loop {
            all.push(self.one_label(what)?);
            if !self.accept_and() {
                break;
            }
        }
        Ok(LabelExpression {
            kind: LabelExpressionKind::And(all),
            span: self.since(start),
        })
    }

    fn accept_and(&mut self) -> bool {
        self.accept(TokenKind::Ampersand).is_some() || self.accept(TokenKind::Colon).is_some()
    }

    /// `A`, `!A`, `%`, `(A|B)`, `$(expression)`.
    fn one_label(&mut self, what: Expected) -> Result<LabelExpression> {
        let start = self.peek().span;
        let kind = if self.accept(TokenKind::Exclamation).is_some() {
            let outer = self.enter()?;
            let negated = self.one_label(what)?;
            self.leave(outer);
            LabelExpressionKind::Not(Box::new(negated))
        } else if self.accept(TokenKind::Percent).is_some() {
            LabelExpressionKind::Any
        } else if self.accept(TokenKind::OpenParenthesis).is_some() {
            let labels = self.labels(what)?;
            self.expect(TokenKind::CloseParenthesis)?;
            return Ok(labels);
        } else if let Some(expression) = self.dynamic_label()? {
            LabelExpressionKind::Dynamic(Box::new(expression))
        } else {
            LabelExpressionKind::Name(self.name(what)?)
        };
        Ok(LabelExpression {
            kind,
            span: self.since(start),
        })
    }

    /// `$(expression)`, if it begins here.
    pub(super) fn dynamic_label(&mut self) -> Result<Option<Expression>> {
        if self.accept(TokenKind::Dollar).is_none() {
            return Ok(None);
        }
        self.expect(TokenKind::OpenParenthesis)?;
        let expression = self.expression()?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(Some(expression))
    }
}
