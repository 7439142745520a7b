//! Paths: variables, selectors, nodes and groups.
//!
//! Next: `relationship.rs`.

use super::Result;
use super::cursor::{Parser, is_name};
use super::expected::Expected;
use crate::ast::{
    Element, Expression, GroupPattern, NodePattern, PathPattern, Selector, SelectorKind,
};
use crate::error::ParseErrorKind;
use crate::lex::{Keyword, Magnitude, TokenKind, magnitude};

impl Parser<'_> {
    /// `[variable =] [selector] elements`.
    pub(super) fn path_pattern(&mut self) -> Result<PathPattern> {
        let outer = self.enter()?;
        let start = self.peek().span;
        self.note(Expected::Pattern);
        let mut variable = None;
        if is_name(self.peek()) && self.ahead(1).kind == TokenKind::Equal {
            variable = Some(self.name(Expected::NewName)?);
            self.take();
        }
        self.note(Expected::Pattern);
        let mut path = match self.shortest_path_function()? {
            Some(path) => path,
            None => {
                let selector = self.selector()?;
                let elements = self.elements(false)?;
                PathPattern {
                    variable: None,
                    selector,
                    elements,
                    span: self.since(start),
                }
            }
        };
        path.variable = variable;
        path.span = self.since(start);
        self.leave(outer);
        Ok(path)
    }

    /// `shortestPath(path)` and `allShortestPaths(path)`, if it begins here.
    pub(super) fn shortest_path_function(&mut self) -> Result<Option<PathPattern>> {
        let start = self.peek();
        let kind = match start.keyword {
            Some(Keyword::ShortestPath) => SelectorKind::Shortest(1),
            Some(Keyword::AllShortestPaths) => SelectorKind::AllShortest,
            _ => return Ok(None),
        };
        if self.ahead(1).kind != TokenKind::OpenParenthesis {
            return Ok(None);
        }
        self.take();
        let selector = Some(Selector {
            kind,
            span: start.span,
        });
        self.take();
        let elements = self.elements(false)?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(Some(PathPattern {
            variable: None,
            selector,
            elements,
            span: self.since(start.span),
        }))
    }

    /// `ALL`, `ANY 2`, `SHORTEST 3 GROUPS` and their kin, if one begins here.
    fn selector(&mut self) -> Result<Option<Selector>> {
        let start = self.peek().span;
        let kind = if self.accept_word(Keyword::All).is_some() {
            match self.accept_word(Keyword::Shortest) {
                Some(_) => SelectorKind::AllShortest,
                None => SelectorKind::All,
            }
        } else if self.accept_word(Keyword::Any).is_some() {
            match self.accept_word(Keyword::Shortest) {
                Some(_) => SelectorKind::Shortest(1),
                None => SelectorKind::Any(self.count()?.unwrap_or(1)),
            }
        } else if self.accept_word(Keyword::Shortest).is_some() {
            let count = self.count()?;
            let groups = self.accept_word(Keyword::Groups).is_some()
                || self.accept_word(Keyword::Group).is_some();
            match (count, groups) {
                (count, true) => SelectorKind::ShortestGroups(count.unwrap_or(1)),
                (Some(count), false) => SelectorKind::Shortest(count),
                (None, false) => {
                    self.note(Expected::Number);
                    return self.unexpected();
                }
            }
        } else {
            return Ok(None);
        };
        let span = self.since(start);
        if self.accept_word(Keyword::Paths).is_none() {
            self.accept_word(Keyword::Path);
        }
        Ok(Some(Selector { kind, span }))
    }

    /// A whole number, if one stands here.
    pub(super) fn count(&mut self) -> Result<Option<u64>> {
        self.note(Expected::Number);
        if !self.is(TokenKind::Integer) {
            return Ok(None);
        }
        let token = self.take();
        match magnitude(token.span.of(self.text)) {
            Magnitude::Fits(number) => Ok(u64::try_from(number).ok()),
            Magnitude::Smallest | Magnitude::TooLarge => Err(self.mistake(
                ParseErrorKind::IntegerOverflow,
                token.span,
                "this number does not fit into 64 bits",
            )),
        }
    }

    /// Nodes, relationships and groups. In an expression `-` and `<` may also be operators after the path.
    pub(super) fn elements(&mut self, in_expression: bool) -> Result<Vec<Element>> {
        let mut elements = vec![self.node_or_group()?];
        loop {
            self.note(Expected::Symbol(TokenKind::Minus));
            self.note(Expected::Symbol(TokenKind::Less));
            let relationship = if in_expression {
                self.is_relationship_to_node(self.place())
            } else {
                matches!(self.peek().kind, TokenKind::Minus | TokenKind::Less)
            };
            if relationship {
                let relationship = self.relationship()?;
                elements.push(Element::Relationship(relationship));
                elements.push(self.node_or_group()?);
            } else if self.is(TokenKind::OpenParenthesis) {
                // Only next to a group two of them may stand without a relationship between.
                let beside_group = matches!(elements.last(), Some(Element::Group(_)));
                if !beside_group && !self.begins_group() {
                    return self.unexpected();
                }
                elements.push(self.node_or_group()?);
            } else {
                return Ok(elements);
            }
        }
    }

    fn node_or_group(&mut self) -> Result<Element> {
        self.note(Expected::Pattern);
        if !self.is(TokenKind::OpenParenthesis) {
            return self.unexpected();
        }
        if self.begins_group() {
            Ok(Element::Group(self.group()?))
        } else {
            Ok(Element::Node(self.node()?))
        }
    }

    /// Whether the `(` here holds a path, not what a node has.
    pub(super) fn begins_group(&self) -> bool {
        self.ahead(1).kind == TokenKind::OpenParenthesis
            || (is_name(self.ahead(1)) && self.ahead(2).kind == TokenKind::Equal)
    }

    /// `(path WHERE filter){1,3}`.
    fn group(&mut self) -> Result<GroupPattern> {
        let start = self.take().span;
        let path = self.path_pattern()?;
        let filter = self.filter()?;
        self.expect(TokenKind::CloseParenthesis)?;
        let quantifier = self.quantifier()?;
        Ok(GroupPattern {
            path: Box::new(path),
            filter,
            quantifier,
            span: self.since(start),
        })
    }

    /// `(variable:Label {key: value} WHERE filter)`.
    pub(super) fn node(&mut self) -> Result<NodePattern> {
        let start = self.expect(TokenKind::OpenParenthesis)?;
        self.note(Expected::NewName);
        let mut variable = None;
        if self.begins_variable(TokenKind::CloseParenthesis) {
            variable = Some(self.name(Expected::NewName)?);
        }
        let mut labels = None;
        if self.accept(TokenKind::Colon).is_some() || self.accept_word(Keyword::Is).is_some() {
            labels = Some(self.labels(Expected::Label)?);
        }
        let properties = self.pattern_properties()?;
        let filter = self.filter()?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(NodePattern {
            variable,
            labels,
            properties,
            filter,
            span: self.since(start),
        })
    }

    /// Whether the name here is a variable of a pattern that ends with `close`, and no keyword of it.
    pub(super) fn begins_variable(&self, close: TokenKind) -> bool {
        let (first, second) = (self.peek(), self.ahead(1));
        if !is_name(first) {
            return false;
        }
        let ends = second.kind == close || second.kind == TokenKind::Colon;
        match first.keyword {
            // (WHERE n.x) or (where WHERE n.x): a name cannot follow a name.
            Some(Keyword::Where) => {
                ends || matches!(second.keyword, Some(Keyword::Where | Keyword::Is))
                    && self.ahead(2).kind != close
            }
            Some(Keyword::Is) => {
                let label_where = matches!(
                    self.ahead(2).kind,
                    TokenKind::Bar | TokenKind::Ampersand | TokenKind::Colon
                ) || self.ahead(2).kind == close;
                ends || !self.begins_label(1)
                    || (second.keyword == Some(Keyword::Where) && !label_where)
                    || (second.keyword == Some(Keyword::Is) && self.begins_label(2))
            }
            _ => true,
        }
    }

    /// `{key: value}` or `$parameter`.
    pub(super) fn pattern_properties(&mut self) -> Result<Option<Expression>> {
        self.note(Expected::Symbol(TokenKind::OpenBrace));
        self.note(Expected::Parameter);
        let start = self.peek().span;
        match self.peek().kind {
            TokenKind::OpenBrace => {
                let outer = self.enter()?;
                let kind = self.map()?;
                self.raise()?;
                self.leave(outer);
                Ok(Some(Expression {
                    kind,
                    span: self.since(start),
                }))
            }
            TokenKind::Parameter => Ok(Some(Expression {
                kind: self.parameter()?,
                span: start,
            })),
            _ => Ok(None),
        }
    }
}
