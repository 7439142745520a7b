//! From tokens to the tree, by recursive descent.
//!
//! One token after the other, never back: where two readings begin alike, a bounded look ahead decides,
//! so that time is linear in the text. Nesting is counted, both the parser's own and the tree's.
//!
//! | what | where |
//! |---|---|
//! | the parser's hands: tokens, names, depth | `cursor.rs` |
//! | what could have stood there | `expected.rs` |
//! | statements, unions | `statement.rs` |
//! | clauses | `clause.rs`, `search.rs`, `traverse.rs`, `projection.rs`, `write.rs`, `call.rs`, `show.rs` |
//! | indexes, constraints, hierarchies | `schema.rs`, `index.rs`, `hierarchy.rs` |
//! | patterns | `pattern.rs`, `relationship.rs`, `label.rs` |
//! | expressions | `expression.rs`, `operand.rs`, `atom.rs`, `bracket.rs`, `function.rs` |
//!
//! Next: `cursor.rs`.

mod atom;
mod bracket;
mod call;
mod clause;
mod cursor;
mod expected;
mod expression;
mod function;
mod hierarchy;
mod index;
mod label;
mod operand;
mod pattern;
mod projection;
mod relationship;
mod schema;
mod search;
mod show;
mod statement;
mod traverse;
mod write;

use crate::MAX_BYTES;
use crate::ast::Statement;
use crate::error::{ParseError, ParseErrorKind};
use crate::lex::{Token, TokenKind, lex};
use crate::span::Span;
use cursor::Parser;
pub(crate) use expected::Expected;

/// What the parser's parts give. The mistake is boxed for the stack: every call on the way down has room
/// for one.
type Result<T> = std::result::Result<T, Box<ParseError>>;

/// The one statement that `text` is; a `;` may end it.
///
/// ```
/// # use stratigraph_query_lang::parse;
/// assert!(parse("MATCH (n) RETURN n").is_ok());
/// let mistake = parse("MATHC (n) RETURN n").unwrap_err();
/// assert_eq!(mistake.span.start, 0);
/// assert_eq!(mistake.hint.as_deref(), Some("did you mean 'MATCH'?"));
/// ```
///
/// # Errors
///
/// If it is none: where, why, and what to do about it.
pub fn parse(text: &str) -> std::result::Result<Statement, ParseError> {
    run(text, |parser| {
        let statement = parser.statement()?;
        parser.accept(TokenKind::Semicolon);
        parser.expect_end()?;
        Ok(statement)
    })
}

/// The statements of `text`, with `;` between them.
///
/// # Errors
///
/// If one of them is none.
pub fn parse_all(text: &str) -> std::result::Result<Vec<Statement>, ParseError> {
    run(text, |parser| {
        let mut statements = Vec::new();
        loop {
            while parser.accept(TokenKind::Semicolon).is_some() {}
            if parser.is(TokenKind::End) {
                return Ok(statements);
            }
            statements.push(parser.statement()?);
            if !parser.is(TokenKind::End) {
                parser.expect(TokenKind::Semicolon)?;
            }
        }
    })
}

/// What could stand at the end of `text`, an unfinished statement.
pub(crate) fn expected_at_end(text: &str) -> Vec<Expected> {
    let tokens = lex(text);
    let mut parser = Parser::watching(text, &tokens, tokens.len().saturating_sub(1));
    // Whether it is a statement already does not matter.
    let _ = parser.statement();
    parser.expected
}

/// Runs `read` over the tokens of `text`. After a mistake it runs again to find out what could have
/// stood at its place: a text without mistakes does not pay for that.
fn run<T>(
    text: &str,
    read: impl Fn(&mut Parser<'_>) -> Result<T>,
) -> std::result::Result<T, ParseError> {
    if text.len() > MAX_BYTES {
        return Err(ParseError {
            kind: ParseErrorKind::TooLong,
            span: Span::default(),
            message: format!(
                "the text has {} bytes, more than the {MAX_BYTES} allowed",
                text.len()
            ),
            hint: Some("pass large values as parameters".to_owned()),
        });
    }
    let tokens: Vec<Token> = lex(text);
    let mut parser = Parser::new(text, &tokens);
    match read(&mut parser) {
        Err(mistake) if parser.is_unexplained() => {
            let mut second = Parser::watching(text, &tokens, parser.place());
            match read(&mut second) {
                Err(_) => Err(*second.explain(mistake)),
                Ok(_) => Err(*mistake),
            }
        }
        outcome => outcome.map_err(|mistake| *mistake),
    }
}
