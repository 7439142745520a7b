//! Indexes and constraints.
//!
//! Next: `crate::parser`, which makes all these.

use super::{Expression, Identifier};
use crate::span::Span;
use std::sync::Arc;

/// `CREATE` or `DROP` of something declared. (`SHOW` is a clause.)
#[derive(Clone, Debug)]
pub enum SchemaCommand {
    /// `CREATE INDEX`.
    CreateIndex(CreateIndex),
    /// `CREATE CONSTRAINT`.
    CreateConstraint(CreateConstraint),
    /// `DROP INDEX`.
    DropIndex(Drop),
    /// `DROP CONSTRAINT`.
    DropConstraint(Drop),
}

/// The name of something declared.
#[derive(Clone, Debug)]
pub enum SchemaName {
    /// By name.
    Static(Identifier),
    /// `$name`.
    Parameter(Arc<str>, Span),
}

/// `CREATE [RANGE] INDEX [name] [IF NOT EXISTS] FOR (n:Label) ON (n.key, ...) [OPTIONS ...]`.
#[derive(Clone, Debug)]
pub struct CreateIndex {
    /// Its name; one is made if it is not said.
    pub name: Option<SchemaName>,
    /// Whether it is no error if it is there.
    pub if_not_exists: bool,
    /// On what.
    pub on: DeclaredOn,
    /// The properties.
    pub properties: Vec<Identifier>,
    /// `OPTIONS`.
    pub options: Option<Expression>,
    /// Its place.
    pub span: Span,
}

/// `(n:Label)` or `()-[r:TYPE]-()`.
#[derive(Clone, Debug)]
pub struct DeclaredOn {
    /// What stands for it in the properties.
    pub variable: Identifier,
    /// Whether it is about relationships.
    pub relationships: bool,
    /// The label or type.
    pub name: Identifier,
    /// Its place.
    pub span: Span,
}

/// `CREATE CONSTRAINT [name] [IF NOT EXISTS] FOR (n:Label) REQUIRE n.key IS ...`.
#[derive(Clone, Debug)]
pub struct CreateConstraint {
    /// Its name; one is made if it is not said.
    pub name: Option<SchemaName>,
    /// Whether it is no error if it is there.
    pub if_not_exists: bool,
    /// On what.
    pub on: DeclaredOn,
    /// The properties.
    pub properties: Vec<Identifier>,
    /// What is demanded.
    pub demand: Required,
    /// Its place.
    pub span: Span,
}

/// What a constraint demands.
#[derive(Clone, Debug)]
pub enum Required {
    /// `IS UNIQUE`.
    Unique,
    /// `IS NOT NULL`.
    NotNull,
    /// `IS KEY`: unique and not null.
    Key,
    /// `IS TYPED type`, `IS :: type`: the words of the type, in capitals, one space between two.
    Typed(Arc<str>, Span),
}

/// `DROP INDEX name [IF EXISTS]`.
#[derive(Clone, Debug)]
pub struct Drop {
    /// Its name.
    pub name: SchemaName,
    /// Whether it is no error if it is not there.
    pub if_exists: bool,
    /// Its place.
    pub span: Span,
}
