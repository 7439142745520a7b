//! Relationships of a pattern: arrows, lengths and quantifiers.
//!
//! Next: `label.rs`.

use super::Result;
use super::cursor::{Parser, is_name};
use super::expected::Expected;
use crate::ast::{Arrow, Length, Quantifier, RelationshipPattern};
use crate::error::{ParseError, ParseErrorKind};
use crate::lex::{Keyword, TokenKind};
use crate::span::Span;

impl Parser<'_> {
    /// Whether a `(` stands `ahead` of here and begins a path with a relationship, rather than an
    /// expression in parentheses: looks at what it begins with and at what follows its end.
    pub(super) fn begins_path(&self, ahead: usize) -> bool {
        let open = self.ahead(ahead);
        if open.kind != TokenKind::OpenParenthesis || open.partner == 0 {
            return false;
        }
        let (first, second) = (self.ahead(ahead + 1), self.ahead(ahead + 2));
        let node = match first.kind {
            TokenKind::CloseParenthesis | TokenKind::Colon | TokenKind::OpenBrace => true,
            TokenKind::Parameter => {
                second.kind == TokenKind::CloseParenthesis || second.keyword == Some(Keyword::Where)
            }
            _ if is_name(first) => {
                matches!(
                    second.kind,
                    TokenKind::CloseParenthesis
                        | TokenKind::Colon
                        | TokenKind::OpenBrace
                        | TokenKind::Parameter
                ) || matches!(second.keyword, Some(Keyword::Is | Keyword::Where))
                    || matches!(first.keyword, Some(Keyword::Is | Keyword::Where))
            }
            _ => false,
        };
        node && self.is_relationship_to_node(open.partner as usize + 1)
    }

    /// Whether a relationship and a `(` stand at the token numbered `at`.
    pub(super) fn is_relationship_to_node(&self, mut at: usize) -> bool {
        if self.token(at).kind == TokenKind::Less {
            at += 1;
        }
        if self.token(at).kind != TokenKind::Minus {
            return false;
        }
        at += 1;
        let bracket = self.token(at);
        if bracket.kind == TokenKind::OpenBracket {
            if bracket.partner == 0 {
                return false;
            }
            at = bracket.partner as usize + 1;
        }
        if self.token(at).kind != TokenKind::Minus {
            return false;
        }
        at += 1;
        if self.token(at).kind == TokenKind::Greater {
            // Nothing else has `->`, so that a quantifier may follow.
            return true;
        }
        self.token(at).kind == TokenKind::OpenParenthesis
    }

    /// `-[variable:TYPE *1..3 {key: value} WHERE filter]->{1,3}`.
    pub(super) fn relationship(&mut self) -> Result<RelationshipPattern> {
        let start = self.peek().span;
        let left = self.accept(TokenKind::Less).is_some();
        self.expect(TokenKind::Minus)?;
        let mut relationship = RelationshipPattern {
            variable: None,
            types: None,
            length: None,
            quantifier: None,
            properties: None,
            filter: None,
            arrow: Arrow::Either,
            span: start,
        };
        if self.accept(TokenKind::OpenBracket).is_some() {
            self.relationship_body(&mut relationship)?;
            self.expect(TokenKind::CloseBracket)?;
        }
        self.expect(TokenKind::Minus)?;
        let right = self.accept(TokenKind::Greater).is_some();
        relationship.arrow = match (left, right) {
            (true, false) => Arrow::Left,
            (false, true) => Arrow::Right,
            _ => Arrow::Either,
        };
        relationship.quantifier = self.quantifier()?;
        relationship.span = self.since(start);
        Ok(relationship)
    }

    fn relationship_body(&mut self, relationship: &mut RelationshipPattern) -> Result<()> {
        self.note(Expected::NewName);
        if self.begins_variable(TokenKind::CloseBracket) {
            relationship.variable = Some(self.name(Expected::NewName)?);
        }
        if self.accept(TokenKind::Colon).is_some() || self.accept_word(Keyword::Is).is_some() {
            relationship.types = Some(self.labels(Expected::Type)?);
        }
        relationship.length = self.length()?;
        relationship.properties = self.pattern_properties()?;
        relationship.filter = self.filter()?;
        Ok(())
    }

    /// `*`, `*2`, `*1..`, `*..3`, `*1..3`, if it begins here.
    fn length(&mut self) -> Result<Option<Length>> {
        if matches!(self.peek().kind, TokenKind::DotDot | TokenKind::Integer) {
            let span = self.peek().span;
            return Err(self.bad_length(span, "a length begins with '*'"));
        }
        let Some(start) = self.accept(TokenKind::Star) else {
            return Ok(None);
        };
        if self.is(TokenKind::Minus) {
            let span = self.peek().span;
            return Err(self.bad_length(span, "a length cannot be negative"));
        }
        if matches!(self.peek().kind, TokenKind::Float | TokenKind::BadNumber) {
            let span = self.peek().span;
            return Err(self.bad_length(span, "a length is a whole number"));
        }
        let min = self.count()?;
        let max = match self.accept(TokenKind::DotDot) {
            Some(_) => {
                if self.is(TokenKind::Minus) {
                    let span = self.peek().span;
                    return Err(self.bad_length(span, "a length cannot be negative"));
                }
                self.count()?
            }
            None => min,
        };
        Ok(Some(Length {
            min,
            max,
            span: self.since(start),
        }))
    }

    fn bad_length(&self, span: Span, message: &str) -> Box<ParseError> {
        let mut mistake = self.mistake(ParseErrorKind::InvalidRelationshipPattern, span, message);
        mistake.hint = Some("write a length as '*', '*2', '*1..' or '*1..3'".to_owned());
        mistake
    }

    /// `+`, `*`, `{2}`, `{1,}`, `{,3}`, `{1,3}`, if it begins here.
    pub(super) fn quantifier(&mut self) -> Result<Option<Quantifier>> {
        let start = self.peek().span;
        if self.accept(TokenKind::Plus).is_some() {
            return Ok(Some(Quantifier {
                min: 1,
                max: None,
                span: start,
            }));
        }
        if self.accept(TokenKind::Star).is_some() {
            return Ok(Some(Quantifier {
                min: 0,
                max: None,
                span: start,
            }));
        }
        if self.accept(TokenKind::OpenBrace).is_none() {
            return Ok(None);
        }
        let fewest = self.count()?;
        let most = match self.accept(TokenKind::Comma) {
            Some(_) => self.count()?,
            None if fewest.is_none() => return self.unexpected(),
            None => fewest,
        };
        self.expect(TokenKind::CloseBrace)?;
        Ok(Some(Quantifier {
            min: fewest.unwrap_or(0),
            max: most,
            span: self.since(start),
        }))
    }
}
