//! The clauses that change the graph.
//!
//! Next: `call.rs`.

use super::Result;
use super::cursor::Parser;
use super::expected::Expected;
use crate::ast::{
    Create, Delete, Expression, ExpressionKind, Foreach, Identifier, LabelName, Merge, MergeAction,
    Remove, RemoveItem, Set, SetItem,
};
use crate::error::ParseErrorKind;
use crate::lex::{Keyword, TokenKind};

impl Parser<'_> {
    /// `CREATE pattern`.
    pub(super) fn create(&mut self) -> Result<Create> {
        let start = self.take().span;
        let pattern = self.graph_pattern()?;
        Ok(Create {
            pattern,
            span: self.since(start),
        })
    }

    /// `MERGE path [ON CREATE SET ...] [ON MATCH SET ...]`.
    pub(super) fn merge(&mut self) -> Result<Merge> {
        let start = self.take().span;
        let path = self.path_pattern()?;
        let mut actions = Vec::new();
        while let Some(on) = self.accept_word(Keyword::On) {
            let on_create = self.accept_word(Keyword::Create).is_some();
            if !on_create {
                self.expect_word(Keyword::Match)?;
            }
            self.expect_word(Keyword::Set)?;
            let items = self.set_items()?;
            actions.push(MergeAction {
                on_create,
                items,
                span: self.since(on),
            });
        }
        Ok(Merge {
            path,
            actions,
            span: self.since(start),
        })
    }

    /// `SET ...`.
    pub(super) fn set(&mut self) -> Result<Set> {
        let start = self.take().span;
        let items = self.set_items()?;
        Ok(Set {
            items,
            span: self.since(start),
        })
    }

    fn set_items(&mut self) -> Result<Vec<SetItem>> {
        let mut items = vec![self.set_item()?];
        while self.accept(TokenKind::Comma).is_some() {
            items.push(self.set_item()?);
        }
        Ok(items)
    }

    fn set_item(&mut self) -> Result<SetItem> {
        let target = self.target()?;
        match target.kind {
            ExpressionKind::Property { of, key } => {
                self.expect(TokenKind::Equal)?;
                Ok(SetItem::Property {
                    of: *of,
                    key,
                    value: self.expression()?,
                })
            }
            ExpressionKind::Index { of, index } => {
                self.expect(TokenKind::Equal)?;
                Ok(SetItem::DynamicProperty {
                    of: *of,
                    key: *index,
                    value: self.expression()?,
                })
            }
            ExpressionKind::Variable(name) => {
                let variable = Identifier {
                    name,
                    span: target.span,
                };
                if self.accept(TokenKind::PlusEqual).is_some() {
                    let value = self.expression()?;
                    return Ok(SetItem::Add { variable, value });
                }
                if let Some((labels, span)) = self.label_names()? {
                    return Ok(SetItem::Labels {
                        variable,
                        labels,
                        span,
                    });
                }
                self.expect(TokenKind::Equal)?;
                let value = self.expression()?;
                Ok(SetItem::Replace { variable, value })
            }
            _ => Err(self.mistake(
                ParseErrorKind::UnexpectedSyntax,
                target.span,
                "this is nothing that can be set: expected a variable or a property",
            )),
        }
    }

    /// What `SET` and `REMOVE` change: a variable, or a property of anything.
    fn target(&mut self) -> Result<Expression> {
        let outer = self.enter()?;
        let start = self.peek().span;
        let target = self.postfix(start)?;
        self.leave(outer);
        Ok(target)
    }

    /// `:Label:Other`, `IS Label`, `:$(expression)`, if it begins here.
    fn label_names(&mut self) -> Result<Option<(Vec<LabelName>, crate::span::Span)>> {
        let begins =
            self.accept(TokenKind::Colon).is_some() || self.accept_word(Keyword::Is).is_some();
        if !begins {
            return Ok(None);
        }
        let start = self.peek().span;
        let mut labels = vec![self.label_name()?];
        while self.accept(TokenKind::Colon).is_some() || self.accept(TokenKind::Ampersand).is_some()
        {
            labels.push(self.label_name()?);
        }
        Ok(Some((labels, self.since(start))))
    }

    fn label_name(&mut self) -> Result<LabelName> {
        match self.dynamic_label()? {
            Some(expression) => Ok(LabelName::Dynamic(expression)),
            None => Ok(LabelName::Static(self.name(Expected::Label)?)),
        }
    }

    /// `REMOVE ...`.
    pub(super) fn remove(&mut self) -> Result<Remove> {
        let start = self.take().span;
        let mut items = vec![self.remove_item()?];
        while self.accept(TokenKind::Comma).is_some() {
            items.push(self.remove_item()?);
        }
        Ok(Remove {
            items,
            span: self.since(start),
        })
    }

    fn remove_item(&mut self) -> Result<RemoveItem> {
        let target = self.target()?;
        match target.kind {
            ExpressionKind::Property { of, key } => Ok(RemoveItem::Property { of: *of, key }),
            ExpressionKind::Index { of, index } => Ok(RemoveItem::DynamicProperty {
                of: *of,
                key: *index,
            }),
            ExpressionKind::Variable(name) => match self.label_names()? {
                Some((labels, span)) => Ok(RemoveItem::Labels {
                    variable: Identifier {
                        name,
                        span: target.span,
                    },
                    labels,
                    span,
                }),
                None => self.unexpected(),
            },
            _ => Err(self.mistake(
                ParseErrorKind::UnexpectedSyntax,
                target.span,
                "this is nothing that can be removed: expected a property or a label",
            )),
        }
    }

    /// `[DETACH] DELETE ...`.
    pub(super) fn delete(&mut self) -> Result<Delete> {
        let start = self.peek().span;
        let detach = self.accept_word(Keyword::Detach).is_some();
        self.expect_word(Keyword::Delete)?;
        let mut items = vec![self.expression()?];
        while self.accept(TokenKind::Comma).is_some() {
            items.push(self.expression()?);
        }
        Ok(Delete {
            detach,
            items,
            span: self.since(start),
        })
    }

    /// `FOREACH (variable IN list | clauses)`.
    pub(super) fn foreach(&mut self) -> Result<Foreach> {
        // Counted twice, like a subquery: a clause takes more of the stack than an expression.
        let outer = self.enter()?;
        let inner = self.enter()?;
        let start = self.take().span;
        self.expect(TokenKind::OpenParenthesis)?;
        let variable = self.name(Expected::NewName)?;
        self.expect_word(Keyword::In)?;
        let list = self.expression_before_bar()?;
        self.expect(TokenKind::Bar)?;
        let mut body = Vec::new();
        loop {
            let place = self.peek().span;
            let Some(clause) = self.clause()? else {
                break;
            };
            if !clause.writes() {
                let mut mistake = self.mistake(
                    ParseErrorKind::InvalidClauseComposition,
                    place,
                    "FOREACH holds only clauses that change the graph",
                );
                mistake.hint = Some("use UNWIND and CALL { ... } instead".to_owned());
                return Err(mistake);
            }
            body.push(clause);
        }
        if body.is_empty() {
            return self.unexpected();
        }
        self.expect(TokenKind::CloseParenthesis)?;
        self.leave(inner);
        self.leave(outer);
        Ok(Foreach {
            variable,
            list,
            body,
            span: self.since(start),
        })
    }
}
