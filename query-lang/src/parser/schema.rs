//! `SHOW`, and the commands that declare and drop indexes and constraints.
//!
//! Next: `pattern.rs`.

use super::Result;
use super::cursor::Parser;
use super::expected::Expected;
use crate::ast::{
    CreateConstraint, CreateIndex, DeclaredOn, Drop, Identifier, Required, SchemaCommand,
    SchemaName, Show, Shown,
};
use crate::error::ParseErrorKind;
use crate::lex::{Keyword, TokenKind};
use crate::span::Span;

impl Parser<'_> {
    /// `CREATE INDEX`, `DROP CONSTRAINT` and their kin, if one begins here.
    pub(super) fn schema_command(&mut self) -> Result<Option<SchemaCommand>> {
        let start = self.peek().span;
        self.note(Expected::Keyword(Keyword::Drop));
        let next = self.ahead(1).keyword;
        if self.is_word(Keyword::Drop) {
            self.take();
            return self.drop_command(start).map(Some);
        }
        let declares = matches!(
            next,
            Some(
                Keyword::Index
                    | Keyword::Range
                    | Keyword::Constraint
                    | Keyword::Vector
                    | Keyword::FullText
                    | Keyword::Hierarchy
            )
        );
        // CREATE index = (a)-->(b) makes a path.
        if !self.is_word(Keyword::Create) || !declares || self.ahead(2).kind == TokenKind::Equal {
            return Ok(None);
        }
        self.take();
        if matches!(
            next,
            Some(Keyword::Vector | Keyword::FullText | Keyword::Hierarchy)
        ) {
            return Err(self.mistake(
                ParseErrorKind::UnexpectedSyntax,
                self.peek().span,
                "the language cannot declare this yet: use the program's own interface",
            ));
        }
        if self.accept_word(Keyword::Constraint).is_some() {
            return self
                .create_constraint(start)
                .map(|made| Some(SchemaCommand::CreateConstraint(made)));
        }
        self.accept_word(Keyword::Range);
        self.expect_word(Keyword::Index)?;
        self.create_index(start)
            .map(|made| Some(SchemaCommand::CreateIndex(made)))
    }

    fn drop_command(&mut self, start: Span) -> Result<SchemaCommand> {
        let constraint = self.accept_word(Keyword::Constraint).is_some();
        if !constraint {
            self.expect_word(Keyword::Index)?;
        }
        let name = self.schema_name()?;
        let if_exists = self.accept_word(Keyword::If).is_some();
        if if_exists {
            self.expect_word(Keyword::Exists)?;
        }
        let drop = Drop {
            name,
            if_exists,
            span: self.since(start),
        };
        Ok(if constraint {
            SchemaCommand::DropConstraint(drop)
        } else {
            SchemaCommand::DropIndex(drop)
        })
    }

    fn schema_name(&mut self) -> Result<SchemaName> {
        let start = self.peek().span;
        self.note(Expected::Parameter);
        if self.is(TokenKind::Parameter) {
            return Ok(SchemaName::Parameter(self.parameter_name()?, start));
        }
        self.name(Expected::NewName).map(SchemaName::Static)
    }

    /// `[name] [IF NOT EXISTS] FOR`.
    fn declared_name(&mut self) -> Result<(Option<SchemaName>, bool)> {
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
        let if_not_exists = self.accept_word(Keyword::If).is_some();
        if if_not_exists {
            self.expect_word(Keyword::Not)?;
            self.expect_word(Keyword::Exists)?;
        }
        self.expect_word(Keyword::For)?;
        Ok((name, if_not_exists))
    }

    fn create_index(&mut self, start: Span) -> Result<CreateIndex> {
        let (name, if_not_exists) = self.declared_name()?;
        let on = self.declared_on()?;
        self.expect_word(Keyword::On)?;
        let properties = self.declared_properties(&on.variable)?;
        let mut options = None;
        if self.accept_word(Keyword::Options).is_some() {
            options = Some(self.expression()?);
        }
        Ok(CreateIndex {
            name,
            if_not_exists,
            on,
            properties,
            options,
            span: self.since(start),
        })
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

    /// `(n:Label)` or `()-[r:TYPE]-()`.
    fn declared_on(&mut self) -> Result<DeclaredOn> {
        let start = self.expect(TokenKind::OpenParenthesis)?;
        if self.accept(TokenKind::CloseParenthesis).is_none() {
            let variable = self.name(Expected::NewName)?;
            self.expect(TokenKind::Colon)?;
            let name = self.name(Expected::Label)?;
            self.expect(TokenKind::CloseParenthesis)?;
            return Ok(DeclaredOn {
                variable,
                relationships: false,
                name,
                span: self.since(start),
            });
        }
        self.accept(TokenKind::Less);
        self.expect(TokenKind::Minus)?;
        self.expect(TokenKind::OpenBracket)?;
        let variable = self.name(Expected::NewName)?;
        self.expect(TokenKind::Colon)?;
        let name = self.name(Expected::Type)?;
        self.expect(TokenKind::CloseBracket)?;
        self.expect(TokenKind::Minus)?;
        self.accept(TokenKind::Greater);
        self.expect(TokenKind::OpenParenthesis)?;
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(DeclaredOn {
            variable,
            relationships: true,
            name,
            span: self.since(start),
        })
    }

    /// `n.key`, `(n.key, n.other)`.
    fn declared_properties(&mut self, variable: &Identifier) -> Result<Vec<Identifier>> {
        if self.accept(TokenKind::OpenParenthesis).is_none() {
            return Ok(vec![self.declared_property(variable)?]);
        }
        let mut properties = vec![self.declared_property(variable)?];
        while self.accept(TokenKind::Comma).is_some() {
            properties.push(self.declared_property(variable)?);
        }
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(properties)
    }

    fn declared_property(&mut self, variable: &Identifier) -> Result<Identifier> {
        let of = self.name(Expected::Variable)?;
        if of.name != variable.name {
            return Err(self.mistake(
                ParseErrorKind::UnexpectedSyntax,
                of.span,
                &format!("a property of '{}' is meant here", variable.name),
            ));
        }
        self.expect(TokenKind::Dot)?;
        self.name(Expected::Property)
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

    /// `SHOW what [YIELD ...] [WHERE ...]`.
    pub(super) fn show(&mut self) -> Result<Show> {
        let start = self.take().span;
        let what = self.shown()?;
        let yields = match self.accept_word(Keyword::Yield) {
            Some(span) => Some(self.yields(span, true)?),
            None => None,
        };
        let filter = if yields.is_none() {
            self.filter()?
        } else {
            None
        };
        Ok(Show {
            what,
            yields,
            filter,
            span: self.since(start),
        })
    }

    fn shown(&mut self) -> Result<Shown> {
        let kind = if self.accept_word(Keyword::Vector).is_some() {
            Shown::VectorIndexes
        } else if self.accept_word(Keyword::FullText).is_some() {
            Shown::FulltextIndexes
        } else if self.accept_word(Keyword::Range).is_some() {
            Shown::RangeIndexes
        } else {
            let all = self.accept_word(Keyword::All).is_some();
            for (keyword, shown) in [
                (Keyword::Constraints, Shown::Constraints),
                (Keyword::Constraint, Shown::Constraints),
                (Keyword::Functions, Shown::Functions),
                (Keyword::Function, Shown::Functions),
                (Keyword::Procedures, Shown::Procedures),
                (Keyword::Procedure, Shown::Procedures),
                (Keyword::Hierarchies, Shown::Hierarchies),
            ] {
                if !(all && keyword == Keyword::Hierarchies) && self.accept_word(keyword).is_some()
                {
                    return Ok(shown);
                }
            }
            Shown::Indexes
        };
        if self.accept_word(Keyword::Indexes).is_none() {
            self.expect_word(Keyword::Index)?;
        }
        Ok(kind)
    }
}
