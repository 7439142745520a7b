//! `CREATE INDEX` of each kind: on what, and on which properties.
//!
//! Next: `hierarchy.rs`.

use super::Result;
use super::cursor::Parser;
use super::expected::Expected;
use crate::ast::{
    CreateFulltextIndex, CreateIndex, CreateVectorIndex, DeclaredOn, Expression, Identifier,
    IndexedOn, SchemaCommand,
};
use crate::error::ParseErrorKind;
use crate::lex::{Keyword, TokenKind};
use crate::span::Span;

impl Parser<'_> {
    /// What follows `CREATE`: `[RANGE | VECTOR | FULLTEXT] INDEX ...`.
    pub(super) fn create_any_index(&mut self, start: Span) -> Result<SchemaCommand> {
        let vector = self.accept_word(Keyword::Vector).is_some();
        let fulltext = !vector && self.accept_word(Keyword::FullText).is_some();
        if !vector && !fulltext {
            self.accept_word(Keyword::Range);
        }
        self.expect_word(Keyword::Index)?;
        Ok(if vector {
            SchemaCommand::CreateVectorIndex(self.create_vector_index(start)?)
        } else if fulltext {
            SchemaCommand::CreateFulltextIndex(self.create_fulltext_index(start)?)
        } else {
            SchemaCommand::CreateIndex(self.create_index(start)?)
        })
    }

    fn create_index(&mut self, start: Span) -> Result<CreateIndex> {
        let (name, if_not_exists) = self.declared_name()?;
        let on = self.declared_on()?;
        self.expect_word(Keyword::On)?;
        let properties = self.declared_properties(&on.variable)?;
        let options = self.index_options()?;
        Ok(CreateIndex {
            name,
            if_not_exists,
            on,
            properties,
            options,
            span: self.since(start),
        })
    }

    fn create_vector_index(&mut self, start: Span) -> Result<CreateVectorIndex> {
        let (name, if_not_exists) = self.declared_name()?;
        let on = self.indexed_on()?;
        self.expect_word(Keyword::On)?;
        let bracketed = self.accept(TokenKind::OpenParenthesis).is_some();
        let property = self.declared_property(&on.variable)?;
        if bracketed {
            if self.is(TokenKind::Comma) {
                let mut mistake = self.mistake(
                    ParseErrorKind::UnexpectedSyntax,
                    self.peek().span,
                    "a vector index is on one property",
                );
                mistake.hint = Some("name what a search may be filtered by after WITH".to_owned());
                return Err(mistake);
            }
            self.expect(TokenKind::CloseParenthesis)?;
        }
        let filters = match self.accept_word(Keyword::With) {
            Some(_) => self.listed_properties(&on.variable)?,
            None => Vec::new(),
        };
        let options = self.index_options()?;
        Ok(CreateVectorIndex {
            name,
            if_not_exists,
            on,
            property,
            filters,
            options,
            span: self.since(start),
        })
    }

    fn create_fulltext_index(&mut self, start: Span) -> Result<CreateFulltextIndex> {
        let (name, if_not_exists) = self.declared_name()?;
        let on = self.indexed_on()?;
        self.expect_word(Keyword::On)?;
        self.expect_word(Keyword::Each)?;
        let properties = self.listed_properties(&on.variable)?;
        let options = self.index_options()?;
        Ok(CreateFulltextIndex {
            name,
            if_not_exists,
            on,
            properties,
            options,
            span: self.since(start),
        })
    }

    /// `[OPTIONS map]`.
    fn index_options(&mut self) -> Result<Option<Expression>> {
        match self.accept_word(Keyword::Options) {
            Some(_) => self.expression().map(Some),
            None => Ok(None),
        }
    }

    /// `(n:Label)` or `()-[r:TYPE]-()`.
    pub(super) fn declared_on(&mut self) -> Result<DeclaredOn> {
        let start = self.expect(TokenKind::OpenParenthesis)?;
        let relationships = self.begins_indexed_relationship()?;
        let variable = self.name(Expected::NewName)?;
        self.expect(TokenKind::Colon)?;
        let name = self.name(declared(relationships))?;
        self.end_indexed(relationships)?;
        Ok(DeclaredOn {
            variable,
            relationships,
            name,
            span: self.since(start),
        })
    }

    /// `(n:Label|Other)`, `()-[r:TYPE|OTHER]-()`, or the same without labels or types.
    fn indexed_on(&mut self) -> Result<IndexedOn> {
        let start = self.expect(TokenKind::OpenParenthesis)?;
        let relationships = self.begins_indexed_relationship()?;
        let variable = self.name(Expected::NewName)?;
        let names = match self.accept(TokenKind::Colon) {
            Some(_) => self.names_between_bars(declared(relationships))?,
            None => Vec::new(),
        };
        self.end_indexed(relationships)?;
        Ok(IndexedOn {
            variable,
            relationships,
            names,
            span: self.since(start),
        })
    }

    /// `A|B`, names only.
    pub(super) fn names_between_bars(&mut self, what: Expected) -> Result<Vec<Identifier>> {
        let mut names = vec![self.name(what)?];
        while self.accept(TokenKind::Bar).is_some() {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// `)-[` or `)<-[`, if it begins here.
    fn begins_indexed_relationship(&mut self) -> Result<bool> {
        if self.accept(TokenKind::CloseParenthesis).is_none() {
            return Ok(false);
        }
        self.accept(TokenKind::Less);
        self.expect(TokenKind::Minus)?;
        self.expect(TokenKind::OpenBracket)?;
        Ok(true)
    }

    /// `)`; `]-()` and `]->()` of a relationship, whose direction means nothing to an index.
    fn end_indexed(&mut self, relationships: bool) -> Result<()> {
        if relationships {
            self.expect(TokenKind::CloseBracket)?;
            self.expect(TokenKind::Minus)?;
            self.accept(TokenKind::Greater);
            self.expect(TokenKind::OpenParenthesis)?;
        }
        self.expect(TokenKind::CloseParenthesis)?;
        Ok(())
    }

    /// `n.key`, `(n.key, n.other)`.
    pub(super) fn declared_properties(&mut self, of: &Identifier) -> Result<Vec<Identifier>> {
        if self.accept(TokenKind::OpenParenthesis).is_none() {
            return Ok(vec![self.declared_property(of)?]);
        }
        self.properties_until(of, TokenKind::CloseParenthesis)
    }

    /// `[n.key, n.other]`.
    fn listed_properties(&mut self, of: &Identifier) -> Result<Vec<Identifier>> {
        self.expect(TokenKind::OpenBracket)?;
        self.properties_until(of, TokenKind::CloseBracket)
    }

    fn properties_until(&mut self, of: &Identifier, close: TokenKind) -> Result<Vec<Identifier>> {
        let mut properties = vec![self.declared_property(of)?];
        while self.accept(TokenKind::Comma).is_some() {
            properties.push(self.declared_property(of)?);
        }
        self.expect(close)?;
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
}

/// What names the things that are declared for.
fn declared(relationships: bool) -> Expected {
    match relationships {
        true => Expected::Type,
        false => Expected::Label,
    }
}
