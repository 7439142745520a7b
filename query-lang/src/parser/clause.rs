//! `MATCH`, `UNWIND` and what else only reads.
//!
//! Next: `projection.rs`.

use super::Result;
use super::cursor::Parser;
use super::expected::Expected;
use crate::ast::{Expression, GraphPattern, Match, Unwind};
use crate::lex::{Keyword, TokenKind};

impl Parser<'_> {
    /// `MATCH pattern [SEARCH ...] [WHERE filter]`.
    pub(super) fn match_clause(&mut self, optional: bool) -> Result<Match> {
        let start = self.peek().span;
        if optional {
            self.note(Expected::Keyword(Keyword::Call));
            self.note(Expected::Keyword(Keyword::Traverse));
        }
        self.expect_word(Keyword::Match)?;
        let pattern = self.graph_pattern()?;
        let (search, filter) = self.search_and_filter()?;
        Ok(Match {
            optional,
            pattern,
            search,
            filter,
            span: self.since(start),
        })
    }

    /// Paths, with commas between them.
    pub(super) fn graph_pattern(&mut self) -> Result<GraphPattern> {
        let start = self.peek().span;
        let mut paths = vec![self.path_pattern()?];
        while self.accept(TokenKind::Comma).is_some() {
            paths.push(self.path_pattern()?);
        }
        Ok(GraphPattern {
            paths,
            span: self.since(start),
        })
    }

    /// `[WHERE expression]`.
    pub(super) fn filter(&mut self) -> Result<Option<Expression>> {
        if self.accept_word(Keyword::Where).is_none() {
            return Ok(None);
        }
        self.expression().map(Some)
    }

    /// `UNWIND list AS variable`.
    pub(super) fn unwind(&mut self) -> Result<Unwind> {
        let start = self.take().span;
        let list = self.expression()?;
        self.expect_word(Keyword::As)?;
        let variable = self.name(Expected::NewName)?;
        Ok(Unwind {
            list,
            variable,
            span: self.since(start),
        })
    }
}
