//! `SEARCH`, a part of `MATCH`.
//!
//! Next: `traverse.rs`.

use super::Result;
use super::cursor::Parser;
use super::expected::Expected;
use crate::ast::{Expression, Search, SearchKind};
use crate::error::{ParseError, ParseErrorKind};
use crate::lex::{Keyword, TokenKind};

impl Parser<'_> {
    /// `[SEARCH ...] [WHERE filter]` in either order, each at most once.
    pub(super) fn search_and_filter(
        &mut self,
    ) -> Result<(Option<Box<Search>>, Option<Expression>)> {
        let mut search = self.search()?;
        let filter = self.filter()?;
        if search.is_none() {
            search = self.search()?;
        }
        let Some(_) = &search else {
            return Ok((search, filter));
        };
        if self.is_word(Keyword::Search) {
            let hint = "match the other variable in a MATCH of its own";
            return Err(self.duplicate("MATCH", hint));
        }
        if filter.is_some() && self.is_word(Keyword::Where) {
            return Err(self.duplicate("MATCH", "join the conditions with AND"));
        }
        Ok((search, filter))
    }

    /// `SEARCH variable IN (VECTOR INDEX name FOR query [WHERE filter] LIMIT limit [EXACT]) [SCORE AS score]`,
    /// if it begins here.
    fn search(&mut self) -> Result<Option<Box<Search>>> {
        let Some(start) = self.accept_word(Keyword::Search) else {
            return Ok(None);
        };
        let variable = self.name(Expected::Variable)?;
        self.expect_word(Keyword::In)?;
        self.expect(TokenKind::OpenParenthesis)?;
        let kind = if self.accept_word(Keyword::Vector).is_some() {
            SearchKind::Vector
        } else {
            self.expect_word(Keyword::FullText)?;
            SearchKind::Fulltext
        };
        self.expect_word(Keyword::Index)?;
        let index = self.schema_name()?;
        self.expect_word(Keyword::For)?;
        let query = self.expression()?;
        let filter = self.filter()?;
        self.expect_word(Keyword::Limit)?;
        let limit = self.expression()?;
        let exact = match kind {
            SearchKind::Vector => self.accept_word(Keyword::Exact),
            SearchKind::Fulltext => None,
        };
        self.expect(TokenKind::CloseParenthesis)?;
        let score = match self.accept_word(Keyword::Score) {
            Some(_) => {
                self.expect_word(Keyword::As)?;
                Some(self.name(Expected::NewName)?)
            }
            None => None,
        };
        Ok(Some(Box::new(Search {
            variable,
            kind,
            index,
            query,
            filter,
            limit,
            exact,
            score,
            span: self.since(start),
        })))
    }

    /// The mistake that the part of `clause` that begins here is there already.
    pub(super) fn duplicate(&self, clause: &str, hint: &str) -> Box<ParseError> {
        let token = self.peek();
        let part = token.keyword.map_or("part", Keyword::text);
        let mut mistake = self.mistake(
            ParseErrorKind::DuplicateSubclause,
            token.span,
            &format!("{clause} has one {part} only"),
        );
        mistake.hint = Some(hint.to_owned());
        mistake
    }
}
