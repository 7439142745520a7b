//! The commands that declare and drop; what constraints demand.
//!
//! Next: `index.rs`.

use super::Result;
use super::cursor::Parser;
use super::expected::Expected;
use crate::ast::{CreateConstraint, Drop, Required, SchemaCommand, SchemaName};
use crate::lex::{Keyword, TokenKind};
use crate::span::Span;

impl Parser<'_> {
    /// `CREATE INDEX`, `DROP CONSTRAINT` and their kin, if one begins here.
    pub(super) fn schema_command(&mut self) -> Result<Option<SchemaCommand>> {
        const DECLARED: [Keyword; 6] = [
            Keyword::Index,
            Keyword::Range,
            Keyword::Vector,
            Keyword::FullText,
            Keyword::Constraint,
            Keyword::Hierarchy,
        ];
        let start = self.peek().span;
        self.note(Expected::Keyword(Keyword::Drop));
        if self.accept_word(Keyword::Drop).is_some() {
            return self.drop_command(start).map(Some);
        }
        if !self.is_word(Keyword::Create) {
            return Ok(None);
        }
        // Both readings of CREATE go on at the next word.
        self.note_ahead(1, Expected::Pattern);
        for keyword in DECLARED {
            self.note_ahead(1, Expected::Keyword(keyword));
        }
        let next = self.ahead(1).keyword;
        let declares = next.is_some_and(|next| DECLARED.contains(&next));
        // CREATE index = (a)-->(b) makes a path.
        if !declares || self.ahead(2).kind == TokenKind::Equal {
            return Ok(None);
        }
        self.take();
        if self.accept_word(Keyword::Constraint).is_some() {
            let made = self.create_constraint(start)?;
            return Ok(Some(SchemaCommand::CreateConstraint(made)));
        }
        if self.accept_word(Keyword::Hierarchy).is_some() {
            let made = self.create_hierarchy(start)?;
            return Ok(Some(SchemaCommand::CreateHierarchy(made)));
        }
        self.create_any_index(start).map(Some)
    }

    fn drop_command(&mut self, start: Span) -> Result<SchemaCommand> {
        let made = if self.accept_word(Keyword::Constraint).is_some() {
            SchemaCommand::DropConstraint
        } else if self.accept_word(Keyword::Hierarchy).is_some() {
            SchemaCommand::DropHierarchy
        } else {
            self.expect_word(Keyword::Index)?;
            SchemaCommand::DropIndex
        };
        let name = self.schema_name()?;
        let if_exists = self.accept_word(Keyword::If).is_some();
        if if_exists {
            self.expect_word(Keyword::Exists)?;
        }
        Ok(made(Drop {
            name,
            if_exists,
            span: self.since(start),
        }))
    }

    /// A name or a parameter.
    pub(super) fn schema_name(&mut self) -> Result<SchemaName> {
        let start = self.peek().span;
        self.note(Expected::Parameter);
        if self.is(TokenKind::Parameter) {
            return Ok(SchemaName::Parameter(self.parameter_name()?, start));
        }
        self.name(Expected::NewName).map(SchemaName::Static)
    }

    /// `[name] [IF NOT EXISTS] FOR`.
    pub(super) fn declared_name(&mut self) -> Result<(Option<SchemaName>, bool)> {
        let unnamed = match self.peek().keyword {
            Some(Keyword::For) => self.ahead(1).kind == TokenKind::OpenParenthesis,
            Some(Keyword::If) => self.ahead(1).keyword == Some(Keyword::Not),
            _ => false,
        };
        let name = if unnamed {
            None
        } else {
            Some(self.schema_name()?)
        };
        Ok((name, self.if_not_exists_for()?))
    }

    /// `[IF NOT EXISTS] FOR`.
    pub(super) fn if_not_exists_for(&mut self) -> Result<bool> {
        let if_not_exists = self.accept_word(Keyword::If).is_some();
        if if_not_exists {
            self.expect_word(Keyword::Not)?;
            self.expect_word(Keyword::Exists)?;
        }
        self.expect_word(Keyword::For)?;
        Ok(if_not_exists)
    }

    fn create_constraint(&mut self, start: Span) -> Result<CreateConstraint> {
        let (name, if_not_exists) = self.declared_name()?;
        let on = self.declared_on()?;
        self.expect_word(Keyword::Require)?;
        let properties = self.declared_properties(&on.variable)?;
        let demand = self.demand()?;
        Ok(CreateConstraint {
            name,
            if_not_exists,
            on,
            properties,
            demand,
            span: self.since(start),
        })
    }

    /// `IS UNIQUE`, `IS NOT NULL`, `IS [NODE] KEY`, `IS TYPED type`.
    fn demand(&mut self) -> Result<Required> {
        self.expect_word(Keyword::Is)?;
        if self.accept_word(Keyword::Not).is_some() {
            self.expect_word(Keyword::Null)?;
            return Ok(Required::NotNull);
        }
        let typed = if self.is(TokenKind::Colon) && self.ahead(1).kind == TokenKind::Colon {
            self.take();
            self.take();
            true
        } else {
            self.accept_word(Keyword::Typed).is_some()
        };
        if typed {
            return self.type_name();
        }
        if self.accept_word(Keyword::Node).is_none() {
            self.accept_word(Keyword::Relationship);
        }
        if self.accept_word(Keyword::Unique).is_some() {
            return Ok(Required::Unique);
        }
        self.expect_word(Keyword::Key)?;
        Ok(Required::Key)
    }

    /// The words of a type: `INTEGER`, `ZONED DATETIME`, `LIST<STRING NOT NULL>`.
    fn type_name(&mut self) -> Result<Required> {
        let start = self.peek().span;
        let mut name = String::new();
        let mut open = 0_usize;
        loop {
            let token = self.peek();
            let begins = name.is_empty() || name.ends_with(['<', '|']);
            match token.kind {
                TokenKind::Word => {}
                _ if begins => return self.unexpected(),
                TokenKind::Less => open += 1,
                TokenKind::Greater if open > 0 => open -= 1,
                TokenKind::Bar => {}
                _ if open > 0 => return self.unexpected(),
                _ => break,
            }
            let spaced = matches!(token.kind, TokenKind::Word | TokenKind::Bar);
            if spaced && !name.is_empty() && !name.ends_with('<') {
                name.push(' ');
            }
            name.push_str(&token.span.of(self.text).to_uppercase());
            self.take();
        }
        Ok(Required::Typed(name.into(), self.since(start)))
    }
}
