//! `SEARCH`: the entities of an index that are most like something.
//!
//! Next: `traverse.rs`.

use super::{Expression, Identifier, SchemaName};
use crate::span::Span;

/// `SEARCH variable IN (VECTOR INDEX index FOR query [WHERE filter] LIMIT limit [EXACT]) [SCORE AS score]`.
#[derive(Clone, Debug)]
pub struct Search {
    /// The variable of the pattern that is one of the found.
    pub variable: Identifier,
    /// What kind of index it is.
    pub kind: SearchKind,
    /// The index.
    pub index: SchemaName,
    /// `FOR`: a vector, or a text.
    pub query: Expression,
    /// `WHERE`: only what it is true for is found. It may use the variable.
    pub filter: Option<Expression>,
    /// `LIMIT`: how many are found at most.
    pub limit: Expression,
    /// `EXACT`, only of vectors: all of them are looked at.
    pub exact: Option<Span>,
    /// `SCORE AS`.
    pub score: Option<Identifier>,
    /// Its place.
    pub span: Span,
}

/// What kind of index is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchKind {
    /// `VECTOR INDEX`.
    Vector,
    /// `FULLTEXT INDEX`.
    Fulltext,
}
