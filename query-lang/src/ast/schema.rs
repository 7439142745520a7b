//! Indexes, constraints and hierarchies.
//!
//! Next: `crate::parser`, which makes all these.

use super::{Arrow, Expression, Identifier};
use crate::span::Span;
use std::sync::Arc;

/// `CREATE` or `DROP` of something declared. (`SHOW` is a clause.)
#[derive(Clone, Debug)]
pub enum SchemaCommand {
    /// `CREATE INDEX`.
    CreateIndex(CreateIndex),
    /// `CREATE VECTOR INDEX`.
    CreateVectorIndex(CreateVectorIndex),
    /// `CREATE FULLTEXT INDEX`.
    CreateFulltextIndex(CreateFulltextIndex),
    /// `CREATE HIERARCHY`.
    CreateHierarchy(CreateHierarchy),
    /// `CREATE CONSTRAINT`.
    CreateConstraint(CreateConstraint),
    /// `DROP INDEX`, of any kind.
    DropIndex(Drop),
    /// `DROP CONSTRAINT`.
    DropConstraint(Drop),
    /// `DROP HIERARCHY`.
    DropHierarchy(Drop),
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

/// `CREATE VECTOR INDEX [name] [IF NOT EXISTS] FOR (n:Label) ON n.key [WITH [n.other, ...]] [OPTIONS ...]`.
#[derive(Clone, Debug)]
pub struct CreateVectorIndex {
    /// Its name; one is made if it is not said.
    pub name: Option<SchemaName>,
    /// Whether it is no error if it is there.
    pub if_not_exists: bool,
    /// On what.
    pub on: IndexedOn,
    /// The property that holds the vectors.
    pub property: Identifier,
    /// `WITH`: the properties that a search may be filtered by; empty if it is not said.
    pub filters: Vec<Identifier>,
    /// `OPTIONS`.
    pub options: Option<Expression>,
    /// Its place.
    pub span: Span,
}

/// `CREATE FULLTEXT INDEX [name] [IF NOT EXISTS] FOR (n:Label) ON EACH [n.key, ...] [OPTIONS ...]`.
#[derive(Clone, Debug)]
pub struct CreateFulltextIndex {
    /// Its name; one is made if it is not said.
    pub name: Option<SchemaName>,
    /// Whether it is no error if it is there.
    pub if_not_exists: bool,
    /// On what.
    pub on: IndexedOn,
    /// The properties that hold the texts.
    pub properties: Vec<Identifier>,
    /// `OPTIONS`.
    pub options: Option<Expression>,
    /// Its place.
    pub span: Span,
}

/// `(n:Label|Other)`, `()-[r:TYPE|OTHER]-()`, `(n)`, `()-[r]-()`.
#[derive(Clone, Debug)]
pub struct IndexedOn {
    /// What stands for it in the properties.
    pub variable: Identifier,
    /// Whether it is about relationships.
    pub relationships: bool,
    /// The labels or types, one of which it has; any, and also none, if none are said.
    pub names: Vec<Identifier>,
    /// Its place.
    pub span: Span,
}

/// `CREATE HIERARCHY name [IF NOT EXISTS] FOR ()-[:TYPE|OTHER]->() [AS TREE]`.
#[derive(Clone, Debug)]
pub struct CreateHierarchy {
    /// Its name.
    pub name: SchemaName,
    /// Whether it is no error if it is there.
    pub if_not_exists: bool,
    /// The types of its relationships, at least one.
    pub types: Vec<Identifier>,
    /// Which way they lead from parent to child, the parent on the left: never either way.
    pub arrow: Arrow,
    /// `AS TREE`: nothing has two parents.
    pub tree: Option<Span>,
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

/// `DROP INDEX name [IF EXISTS]`, and the same of constraints and hierarchies.
#[derive(Clone, Debug)]
pub struct Drop {
    /// Its name.
    pub name: SchemaName,
    /// Whether it is no error if it is not there.
    pub if_exists: bool,
    /// Its place.
    pub span: Span,
}
