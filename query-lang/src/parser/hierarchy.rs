//! `CREATE HIERARCHY`: which relationships lead from parent to child.
//!
//! Next: `pattern.rs`.

use super::Result;
use super::cursor::Parser;
use super::expected::Expected;
use crate::ast::{Arrow, CreateHierarchy};
use crate::error::ParseErrorKind;
use crate::lex::{Keyword, TokenKind};
use crate::span::Span;

impl Parser<'_> {
    /// `name [IF NOT EXISTS] FOR ()-[:TYPE|OTHER]->() [AS TREE]`.
    pub(super) fn create_hierarchy(&mut self, start: Span) -> Result<CreateHierarchy> {
        let name = self.schema_name()?;
        let if_not_exists = self.if_not_exists_for()?;
        let on = self.expect(TokenKind::OpenParenthesis)?;
        self.expect(TokenKind::CloseParenthesis)?;
        let left = self.accept(TokenKind::Less).is_some();
        self.expect(TokenKind::Minus)?;
        self.expect(TokenKind::OpenBracket)?;
        self.expect(TokenKind::Colon)?;
        let types = self.names_between_bars(Expected::Type)?;
        self.expect(TokenKind::CloseBracket)?;
        self.expect(TokenKind::Minus)?;
        let right = self.accept(TokenKind::Greater).is_some();
        self.expect(TokenKind::OpenParenthesis)?;
        self.expect(TokenKind::CloseParenthesis)?;
        let arrow = match (left, right) {
            (false, true) => Arrow::Right,
            (true, false) => Arrow::Left,
            _ => {
                let mut mistake = self.mistake(
                    ParseErrorKind::InvalidRelationshipPattern,
                    self.since(on),
                    "a hierarchy leads one way: from parent to child",
                );
                mistake.hint = Some("write ()-[:TYPE]->()".to_owned());
                return Err(mistake);
            }
        };
        let mut tree = None;
        if let Some(start) = self.accept_word(Keyword::As) {
            tree = Some(start.to(self.expect_word(Keyword::Tree)?));
        }
        Ok(CreateHierarchy {
            name,
            if_not_exists,
            types,
            arrow,
            tree,
            span: self.since(start),
        })
    }
}
