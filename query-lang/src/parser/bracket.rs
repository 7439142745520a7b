//! What stands in brackets: lists, comprehensions, maps, projections of maps, paths as predicates.
//!
//! Next: `function.rs`.

use super::Result;
use super::cursor::{Parser, is_name};
use super::expected::Expected;
use crate::ast::{Expression, ExpressionKind, Identifier, MapProjectionItem, PathPattern};
use crate::lex::{Keyword, TokenKind};

impl Parser<'_> {
    /// `(a)-->(b)`.
    pub(super) fn path_predicate(&mut self) -> Result<ExpressionKind> {
        Ok(ExpressionKind::Pattern(Box::new(self.bare_path()?)))
    }

    /// A path without variable and selector.
    fn bare_path(&mut self) -> Result<PathPattern> {
        let outer = self.enter()?;
        let start = self.peek().span;
        let elements = self.elements(true)?;
        self.leave(outer);
        Ok(PathPattern {
            variable: None,
            selector: None,
            elements,
            span: self.since(start),
        })
    }

    /// `[a, b]`, `[x IN list WHERE filter | result]`, `[path WHERE filter | result]`.
    pub(super) fn list(&mut self) -> Result<ExpressionKind> {
        let open = self.peek();
        let number = self.place();
        self.take();
        let named = is_name(self.peek());
        // [true IN list] is a list with a truth value.
        let literal = matches!(
            self.peek().keyword,
            Some(
                Keyword::Null
                    | Keyword::True
                    | Keyword::False
                    | Keyword::Inf
                    | Keyword::Infinity
                    | Keyword::Nan
            )
        );
        if named
            && !literal
            && self.ahead(1).keyword == Some(Keyword::In)
            && !self.has_comma(number, open.partner as usize)
        {
            return self.list_comprehension();
        }
        if named && self.ahead(1).kind == TokenKind::Equal && self.begins_path(2) {
            let variable = self.name(Expected::NewName)?;
            self.take();
            let mut path = self.bare_path()?;
            path.span = variable.span.to(path.span);
            path.variable = Some(variable);
            return self.pattern_comprehension(path);
        }
        if self.begins_path(0) {
            return self.path_list();
        }
        let elements = self.expressions_until(TokenKind::CloseBracket)?;
        Ok(ExpressionKind::List(elements))
    }

    /// What begins with a path: a comprehension of it, or a list with it as first element.
    fn path_list(&mut self) -> Result<ExpressionKind> {
        let start = self.peek().span;
        let path = self.bare_path()?;
        if self.is(TokenKind::Bar) || self.is_word(Keyword::Where) {
            return self.pattern_comprehension(path);
        }
        self.raise()?;
        let first = Expression {
            kind: ExpressionKind::Pattern(Box::new(path)),
            span: self.since(start),
        };
        let mut elements = vec![self.rest_of_expression(first, start)?];
        while self.accept(TokenKind::Comma).is_some() {
            elements.push(self.expression()?);
        }
        self.expect(TokenKind::CloseBracket)?;
        Ok(ExpressionKind::List(elements))
    }

    /// Whether a comma stands between these brackets and in no others: then it is a list of several
    /// elements. Every token is looked at for the innermost brackets around it only.
    fn has_comma(&self, open: usize, close: usize) -> bool {
        let mut at = open + 1;
        let mut cases = 0_usize;
        let mut named = false;
        while at < close {
            let token = self.token(at);
            match token.keyword {
                Some(Keyword::Case) if !named => cases += 1,
                Some(Keyword::End) if !named => cases = cases.saturating_sub(1),
                _ => {}
            }
            if token.kind == TokenKind::Comma && cases == 0 {
                return true;
            }
            named = matches!(token.kind, TokenKind::Dot | TokenKind::Colon);
            at = (token.partner as usize).max(at) + 1;
        }
        false
    }

    /// `x IN list [WHERE filter] [| result]]`.
    fn list_comprehension(&mut self) -> Result<ExpressionKind> {
        let (variable, list) = self.element_of()?;
        let filter = self.boxed_filter()?;
        let mut result = None;
        if self.accept(TokenKind::Bar).is_some() {
            result = Some(Box::new(self.expression()?));
        }
        self.expect(TokenKind::CloseBracket)?;
        Ok(ExpressionKind::ListComprehension {
            variable,
            list: Box::new(list),
            filter,
            result,
        })
    }

    /// `variable IN list`.
    pub(super) fn element_of(&mut self) -> Result<(Identifier, Expression)> {
        let variable = self.name(Expected::NewName)?;
        self.expect_word(Keyword::In)?;
        Ok((variable, self.expression_before_bar()?))
    }

    fn boxed_filter(&mut self) -> Result<Option<Box<Expression>>> {
        if self.accept_word(Keyword::Where).is_none() {
            return Ok(None);
        }
        Ok(Some(Box::new(self.expression_before_bar()?)))
    }

    /// `[WHERE filter] | result]`.
    fn pattern_comprehension(&mut self, path: PathPattern) -> Result<ExpressionKind> {
        let filter = self.boxed_filter()?;
        self.expect(TokenKind::Bar)?;
        let result = Box::new(self.expression()?);
        self.expect(TokenKind::CloseBracket)?;
        Ok(ExpressionKind::PatternComprehension {
            path: Box::new(path),
            filter,
            result,
        })
    }

    /// `{key: value}`.
    pub(super) fn map(&mut self) -> Result<ExpressionKind> {
        self.expect(TokenKind::OpenBrace)?;
        let mut entries = Vec::new();
        if self.accept(TokenKind::CloseBrace).is_some() {
            return Ok(ExpressionKind::Map(entries));
        }
        loop {
            let key = self.name(Expected::Property)?;
            self.expect(TokenKind::Colon)?;
            entries.push((key, self.expression()?));
            if self.accept(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect(TokenKind::CloseBrace)?;
        Ok(ExpressionKind::Map(entries))
    }

    /// `variable {.key, .*, key: value, other}`.
    pub(super) fn map_projection(&mut self) -> Result<ExpressionKind> {
        let variable = self.name(Expected::Variable)?;
        let of = Box::new(Expression {
            kind: ExpressionKind::Variable(variable.name),
            span: variable.span,
        });
        self.take();
        let mut items = Vec::new();
        if self.accept(TokenKind::CloseBrace).is_some() {
            return Ok(ExpressionKind::MapProjection { of, items });
        }
        loop {
            items.push(self.map_projection_item()?);
            if self.accept(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect(TokenKind::CloseBrace)?;
        Ok(ExpressionKind::MapProjection { of, items })
    }

    fn map_projection_item(&mut self) -> Result<MapProjectionItem> {
        if let Some(dot) = self.accept(TokenKind::Dot) {
            if self.accept(TokenKind::Star).is_some() {
                return Ok(MapProjectionItem::All(self.since(dot)));
            }
            return Ok(MapProjectionItem::Property(self.name(Expected::Property)?));
        }
        let name = self.name(Expected::Variable)?;
        if self.accept(TokenKind::Colon).is_some() {
            return Ok(MapProjectionItem::Entry(name, self.expression()?));
        }
        Ok(MapProjectionItem::Variable(name))
    }
}
