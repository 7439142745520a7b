//! `WITH` and `RETURN`: what is projected, sorted and cut.
//!
//! Next: `write.rs`.

use super::Result;
use super::cursor::Parser;
use super::expected::Expected;
use crate::ast::{Expression, Identifier, Projection, ProjectionItem, SortItem};
use crate::lex::{Keyword, TokenKind};

impl Parser<'_> {
    /// The rest of `WITH` or `RETURN`; only `WITH` has `WHERE`.
    pub(super) fn projection(&mut self, with: bool) -> Result<Projection> {
        let start = self.take().span;
        self.note(Expected::Keyword(Keyword::Distinct));
        self.note(Expected::Keyword(Keyword::All));
        let distinct = self.is_word(Keyword::Distinct)
            && (self.ahead(1).kind == TokenKind::Star || self.begins_operand(1));
        // ALL is what is done anyway.
        if distinct || self.keeps_all() {
            self.take();
        }
        let all = self.accept(TokenKind::Star);
        let mut items = Vec::new();
        if all.is_none() || self.accept(TokenKind::Comma).is_some() {
            items.push(self.projection_item()?);
            while self.accept(TokenKind::Comma).is_some() {
                items.push(self.projection_item()?);
            }
        }
        let (order, skip, limit) = self.order_and_page()?;
        let filter = if with { self.filter()? } else { None };
        Ok(Projection {
            distinct,
            all,
            items,
            order,
            skip,
            limit,
            filter,
            span: self.since(start),
        })
    }

    /// Whether the `ALL` that is no `DISTINCT` stands here. Where what follows can go on with a variable or a function of
    /// that name, as in `all - 1`, `all[0]` and `all(x IN ...)`, it does.
    fn keeps_all(&self) -> bool {
        let follows = |ahead| self.begins_operand(ahead) && !self.begins_clause(ahead);
        self.is_word(Keyword::All)
            && match self.ahead(1).kind {
                // Of `all * 2` the star is no list of all variables.
                TokenKind::Star => !follows(2),
                TokenKind::OpenParenthesis
                | TokenKind::OpenBracket
                | TokenKind::OpenBrace
                | TokenKind::Minus
                | TokenKind::Plus => false,
                _ => follows(1),
            }
    }

    fn projection_item(&mut self) -> Result<ProjectionItem> {
        let start = self.peek().span;
        let mut expression = self.expression()?;
        // The column is called as this is written, parentheses and all.
        expression.span = self.since(start);
        let alias = self.alias()?;
        Ok(ProjectionItem { expression, alias })
    }

    /// `[AS name]`.
    pub(super) fn alias(&mut self) -> Result<Option<Identifier>> {
        match self.accept_word(Keyword::As) {
            Some(_) => self.name(Expected::NewName).map(Some),
            None => Ok(None),
        }
    }

    /// `[ORDER BY ...] [SKIP ...] [LIMIT ...]`.
    pub(super) fn order_and_page(
        &mut self,
    ) -> Result<(Vec<SortItem>, Option<Expression>, Option<Expression>)> {
        let mut order = Vec::new();
        if self.accept_word(Keyword::Order).is_some() {
            self.expect_word(Keyword::By)?;
            order.push(self.sort_item()?);
            while self.accept(TokenKind::Comma).is_some() {
                order.push(self.sort_item()?);
            }
        }
        let skips = self.accept_word(Keyword::Skip).is_some()
            || self.accept_word(Keyword::Offset).is_some();
        let skip = if skips {
            Some(self.expression()?)
        } else {
            None
        };
        let limit = match self.accept_word(Keyword::Limit) {
            Some(_) => Some(self.expression()?),
            None => None,
        };
        Ok((order, skip, limit))
    }

    fn sort_item(&mut self) -> Result<SortItem> {
        let expression = self.expression()?;
        let descending = self.accept_word(Keyword::Desc).is_some()
            || self.accept_word(Keyword::Descending).is_some();
        if !descending && self.accept_word(Keyword::Asc).is_none() {
            self.accept_word(Keyword::Ascending);
        }
        Ok(SortItem {
            expression,
            descending,
        })
    }
}
