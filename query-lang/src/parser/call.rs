//! `CALL` of procedures and subqueries.
//!
//! Next: `schema.rs`.

use super::Result;
use super::cursor::{Parser, is_name};
use super::expected::Expected;
use crate::ast::{
    CallSubquery, Clause, Identifier, Imports, InTransactions, OnError, ProcedureCall, Yield,
    YieldItem,
};
use crate::error::ParseErrorKind;
use crate::lex::{Keyword, TokenKind};
use crate::span::Span;

impl Parser<'_> {
    /// `CALL ...`; `start` is where the clause begins.
    pub(super) fn call(&mut self, optional: bool, start: Span) -> Result<Clause> {
        self.expect_word(Keyword::Call)?;
        self.note(Expected::Procedure);
        let next = self.peek().kind;
        if matches!(next, TokenKind::OpenBrace | TokenKind::OpenParenthesis) {
            return self.call_subquery(optional, start);
        }
        self.note(Expected::Symbol(TokenKind::OpenBrace));
        self.note(Expected::Symbol(TokenKind::OpenParenthesis));
        let mut name = vec![self.name(Expected::Procedure)?];
        while self.accept(TokenKind::Dot).is_some() {
            name.push(self.name(Expected::Procedure)?);
        }
        let arguments = match self.accept(TokenKind::OpenParenthesis) {
            Some(_) => Some(self.expressions_until(TokenKind::CloseParenthesis)?),
            None => None,
        };
        let yields = match self.accept_word(Keyword::Yield) {
            Some(span) => Some(self.yields(span, false)?),
            None => None,
        };
        Ok(Clause::Call(ProcedureCall {
            optional,
            name,
            arguments,
            yields,
            span: self.since(start),
        }))
    }

    /// What follows `YIELD`, which stands at `start`; only after `SHOW` it may be sorted and cut.
    pub(super) fn yields(&mut self, start: Span, shown: bool) -> Result<Yield> {
        let all = self.accept(TokenKind::Star);
        let items = match all {
            Some(_) => Vec::new(),
            None => self.yield_items()?,
        };
        let (order, skip, limit) = if shown {
            self.order_and_page()?
        } else {
            (Vec::new(), None, None)
        };
        let filter = self.filter()?;
        Ok(Yield {
            all,
            items,
            order,
            skip,
            limit,
            filter,
            span: self.since(start),
        })
    }

    /// `column [AS variable], ...`.
    pub(super) fn yield_items(&mut self) -> Result<Vec<YieldItem>> {
        let mut items = vec![self.yield_item()?];
        while self.accept(TokenKind::Comma).is_some() {
            items.push(self.yield_item()?);
        }
        Ok(items)
    }

    fn yield_item(&mut self) -> Result<YieldItem> {
        let column = self.name(Expected::Column)?;
        let alias = self.alias()?;
        Ok(YieldItem {
            span: self.since(column.span),
            column,
            alias,
        })
    }

    fn call_subquery(&mut self, optional: bool, start: Span) -> Result<Clause> {
        let outer = self.enter()?;
        let imports = match self.accept(TokenKind::OpenParenthesis) {
            Some(_) => self.imports()?,
            None => Imports::Leading,
        };
        self.expect(TokenKind::OpenBrace)?;
        let query = self.query()?;
        self.expect(TokenKind::CloseBrace)?;
        let transactions = self.in_transactions()?;
        self.leave(outer);
        Ok(Clause::Subquery(CallSubquery {
            optional,
            imports,
            query,
            transactions,
            span: self.since(start),
        }))
    }

    fn imports(&mut self) -> Result<Imports> {
        if let Some(span) = self.accept(TokenKind::Star) {
            self.expect(TokenKind::CloseParenthesis)?;
            return Ok(Imports::All(span));
        }
        let mut names: Vec<Identifier> = Vec::new();
        if self.accept(TokenKind::CloseParenthesis).is_some() {
            return Ok(Imports::Named(names));
        }
        names.push(self.name(Expected::Variable)?);
        while self.accept(TokenKind::Comma).is_some() {
            names.push(self.name(Expected::Variable)?);
        }
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(Imports::Named(names))
    }

    /// `IN TRANSACTIONS [OF n ROWS] [ON ERROR ...] [REPORT STATUS AS s]`, if it begins here.
    fn in_transactions(&mut self) -> Result<Option<InTransactions>> {
        let Some(start) = self.accept_word(Keyword::In) else {
            return Ok(None);
        };
        self.refuse_concurrent()?;
        if self.accept_word(Keyword::Transactions).is_none() {
            self.expect_word(Keyword::Transaction)?;
        }
        let mut rows = None;
        if self.accept_word(Keyword::Of).is_some() {
            rows = Some(self.expression()?);
            if self.accept_word(Keyword::Rows).is_none() {
                self.expect_word(Keyword::Row)?;
            }
        }
        let mut on_error = OnError::Fail;
        let mut report = None;
        loop {
            if self.accept_words(Keyword::On, Keyword::Error).is_some() {
                on_error = if self.accept_word(Keyword::Continue).is_some() {
                    OnError::Continue
                } else if self.accept_word(Keyword::Break).is_some() {
                    OnError::Break
                } else {
                    self.expect_word(Keyword::Fail)?;
                    OnError::Fail
                };
            } else if report.is_none()
                && self
                    .accept_words(Keyword::Report, Keyword::Status)
                    .is_some()
            {
                self.expect_word(Keyword::As)?;
                report = Some(self.name(Expected::NewName)?);
            } else {
                break;
            }
        }
        Ok(Some(InTransactions {
            rows,
            on_error,
            report,
            span: self.since(start),
        }))
    }

    /// `IN 4 CONCURRENT TRANSACTIONS`: one writer writes at a time.
    fn refuse_concurrent(&mut self) -> Result<()> {
        let counted = !is_name(self.peek()) && self.ahead(1).keyword == Some(Keyword::Concurrent);
        if !counted && !self.is_word(Keyword::Concurrent) {
            return Ok(());
        }
        let mut mistake = self.mistake(
            ParseErrorKind::UnexpectedSyntax,
            self.ahead(usize::from(counted)).span,
            "transactions do not run concurrently: there is one writer at a time",
        );
        mistake.hint = Some("leave CONCURRENT out: IN TRANSACTIONS OF 1000 ROWS".to_owned());
        Err(mistake)
    }
}
