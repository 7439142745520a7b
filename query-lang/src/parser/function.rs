//! What has a name and brackets after it: calls, quantifiers, `reduce`, subqueries.
//!
//! Next: `crate::print`, the way back.

use super::Result;
use super::cursor::{Parser, is_name};
use super::expected::Expected;
use crate::ast::{Expression, ExpressionKind, FunctionCall, ListQuantifier, Subquery};
use crate::lex::{Keyword, TokenKind};

impl Parser<'_> {
    /// How many names with dots between them stand here before a `(`; `None` if there is no `(`.
    pub(super) fn call_parts(&self) -> Option<usize> {
        let mut parts = 1;
        loop {
            let at = 2 * parts - 1;
            match self.ahead(at).kind {
                TokenKind::OpenParenthesis => return Some(parts),
                TokenKind::Dot if is_name(self.ahead(at + 1)) => parts += 1,
                _ => return None,
            }
        }
    }

    /// `name([DISTINCT] arguments)`.
    pub(super) fn function_call(&mut self, parts: usize) -> Result<ExpressionKind> {
        let mut name = vec![self.name(Expected::Function)?];
        for _ in 1..parts {
            self.expect(TokenKind::Dot)?;
            name.push(self.name(Expected::Function)?);
        }
        self.expect(TokenKind::OpenParenthesis)?;
        self.note(Expected::Keyword(Keyword::Distinct));
        let distinct = self.is_word(Keyword::Distinct) && self.begins_operand(1);
        // ALL is what is done anyway; `all(x IN ...` is a quantifier.
        let quantifier = self.ahead(1).kind == TokenKind::OpenParenthesis
            && is_name(self.ahead(2))
            && self.ahead(3).keyword == Some(Keyword::In);
        let all = self.is_word(Keyword::All) && self.begins_operand(1) && !quantifier;
        if distinct || all {
            self.take();
        }
        let arguments = self.expressions_until(TokenKind::CloseParenthesis)?;
        Ok(ExpressionKind::Call(FunctionCall {
            name,
            distinct,
            arguments,
        }))
    }

    /// Expressions with commas between them, and `close`.
    pub(super) fn expressions_until(&mut self, close: TokenKind) -> Result<Vec<Expression>> {
        let mut expressions = Vec::new();
        if self.accept(close).is_some() {
            return Ok(expressions);
        }
        loop {
            expressions.push(self.expression()?);
            if self.accept(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect(close)?;
        Ok(expressions)
    }

    /// What looks like a call and is none, if it begins here.
    pub(super) fn special_call(&mut self) -> Result<Option<ExpressionKind>> {
        let Some(keyword) = self.peek().keyword else {
            return Ok(None);
        };
        match self.ahead(1).kind {
            TokenKind::OpenBrace => self.subquery(keyword),
            TokenKind::OpenParenthesis => self.special_function(keyword),
            _ => Ok(None),
        }
    }

    fn special_function(&mut self, keyword: Keyword) -> Result<Option<ExpressionKind>> {
        let (first, second) = (self.ahead(2), self.ahead(3));
        let of_elements = is_name(first) && second.keyword == Some(Keyword::In);
        let quantifier = match keyword {
            Keyword::All => Some(ListQuantifier::All),
            Keyword::Any => Some(ListQuantifier::Any),
            Keyword::None => Some(ListQuantifier::None),
            Keyword::Single => Some(ListQuantifier::Single),
            _ => None,
        };
        if let Some(quantifier) = quantifier.filter(|_| of_elements) {
            return self.quantified(quantifier).map(Some);
        }
        match keyword {
            Keyword::Count if first.kind == TokenKind::Star => self.count_all().map(Some),
            Keyword::Reduce if is_name(first) && second.kind == TokenKind::Equal => {
                self.reduce().map(Some)
            }
            Keyword::ShortestPath | Keyword::AllShortestPaths
                if first.kind == TokenKind::OpenParenthesis =>
            {
                self.shortest_path_call()
            }
            _ => Ok(None),
        }
    }

    /// `count(*)`.
    fn count_all(&mut self) -> Result<ExpressionKind> {
        self.take();
        self.take();
        self.take();
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(ExpressionKind::CountAll)
    }

    /// `shortestPath((a)-[*]-(b))`.
    fn shortest_path_call(&mut self) -> Result<Option<ExpressionKind>> {
        let outer = self.enter()?;
        let path = self.shortest_path_function()?;
        self.leave(outer);
        Ok(path.map(|path| ExpressionKind::ShortestPath(Box::new(path))))
    }

    /// `all(x IN list WHERE predicate)`.
    fn quantified(&mut self, kind: ListQuantifier) -> Result<ExpressionKind> {
        self.take();
        self.take();
        let variable = self.name(Expected::NewName)?;
        self.expect_word(Keyword::In)?;
        let list = Box::new(self.expression()?);
        let predicate = self.filter()?.map(Box::new);
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(ExpressionKind::Quantified {
            kind,
            variable,
            list,
            predicate,
        })
    }

    /// `reduce(total = 0, x IN list | total + x)`.
    fn reduce(&mut self) -> Result<ExpressionKind> {
        self.take();
        self.take();
        let accumulator = self.name(Expected::NewName)?;
        self.take();
        let initial = Box::new(self.expression()?);
        self.expect(TokenKind::Comma)?;
        let (variable, list) = self.element_of()?;
        self.expect(TokenKind::Bar)?;
        let result = Box::new(self.expression()?);
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(ExpressionKind::Reduce {
            accumulator,
            initial,
            variable,
            list: Box::new(list),
            result,
        })
    }

    /// `EXISTS { ... }`, `COUNT { ... }`, `COLLECT { ... }`; not `count {.key}`.
    fn subquery(&mut self, keyword: Keyword) -> Result<Option<ExpressionKind>> {
        if !matches!(keyword, Keyword::Exists | Keyword::Count | Keyword::Collect) {
            return Ok(None);
        }
        let (first, second) = (self.ahead(2), self.ahead(3));
        let projection = matches!(first.kind, TokenKind::Dot | TokenKind::CloseBrace)
            || (is_name(first)
                && matches!(
                    second.kind,
                    TokenKind::Colon | TokenKind::Comma | TokenKind::CloseBrace
                ));
        if projection {
            return Ok(None);
        }
        let outer = self.enter()?;
        self.take();
        self.take();
        let reading = std::mem::replace(&mut self.reading, true);
        let subquery = Box::new(self.subquery_body()?);
        self.reading = reading;
        self.expect(TokenKind::CloseBrace)?;
        self.leave(outer);
        Ok(Some(match keyword {
            Keyword::Exists => ExpressionKind::Exists(subquery),
            Keyword::Count => ExpressionKind::Count(subquery),
            _ => ExpressionKind::Collect(subquery),
        }))
    }

    /// A query, or a pattern without `MATCH`.
    fn subquery_body(&mut self) -> Result<Subquery> {
        self.note(Expected::Pattern);
        let first = self.peek();
        let pattern = first.kind == TokenKind::OpenParenthesis
            || (is_name(first) && self.ahead(1).kind == TokenKind::Equal)
            || matches!(
                first.keyword,
                Some(
                    Keyword::All
                        | Keyword::Any
                        | Keyword::Shortest
                        | Keyword::ShortestPath
                        | Keyword::AllShortestPaths
                )
            );
        if !pattern {
            return self.query().map(Subquery::Query);
        }
        let pattern = self.graph_pattern()?;
        let filter = self.filter()?;
        Ok(Subquery::Pattern { pattern, filter })
    }
}
