//! What is wrong with a text: where, why, and what to do.

use crate::span::Span;

/// A text that is no statement.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// What kind of mistake it is.
    pub kind: ParseErrorKind,
    /// Where.
    pub span: Span,
    /// What is wrong, in a sentence without its period.
    pub message: String,
    /// What to do about it, if that is known.
    pub hint: Option<String>,
}

/// The kinds of mistakes; each has a word of the conformance suite, which the engine gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// Something stands where it cannot: `UnexpectedSyntax`.
    UnexpectedSyntax,
    /// A whole number that does not fit: `IntegerOverflow`.
    IntegerOverflow,
    /// A number with a point or exponent that does not fit: `FloatingPointOverflow`.
    FloatingPointOverflow,
    /// A number that is none: `InvalidNumberLiteral`.
    InvalidNumberLiteral,
    /// `\u` without its digits: `InvalidUnicodeLiteral`.
    InvalidUnicodeLiteral,
    /// A character that no statement has: `InvalidUnicodeCharacter`.
    InvalidUnicodeCharacter,
    /// A relationship pattern that is none: `InvalidRelationshipPattern`.
    InvalidRelationshipPattern,
    /// A list or call clause at the wrong place: `InvalidClauseComposition`.
    InvalidClauseComposition,
    /// A part of a clause that is there already: `DuplicateSubclause`.
    DuplicateSubclause,
    /// A step of `TRAVERSE` that is more than one: `InvalidTraverseStep`.
    InvalidTraverseStep,
    /// `RECOVER` without a last level: `UnboundedRecover`.
    UnboundedRecover,
    /// Nested deeper than [`MAX_DEPTH`](crate::MAX_DEPTH): `NestingTooDeep`.
    NestingTooDeep,
    /// Longer than [`MAX_BYTES`](crate::MAX_BYTES): `QueryTooLong`.
    TooLong,
}
