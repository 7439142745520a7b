//! Where statements end.
//!
//! Strings, quoted names and comments may hold a `;` that ends nothing. What is between two of them need
//! be no statement: this never fails.
//!
//! Next: `complete.rs`.

use crate::lex::{Scanner, TokenKind};
use crate::span::Span;

/// The statements of a text, each with its place, without what stands around them.
///
/// ```
/// let texts: Vec<&str> = stratigraph_query_lang::split("RETURN ';'; RETURN 2")
///     .map(|(text, _)| text)
///     .collect();
/// assert_eq!(texts, ["RETURN ';'", "RETURN 2"]);
/// ```
pub fn split(text: &str) -> impl Iterator<Item = (&str, Span)> {
    let mut tokens = Scanner::new(text);
    std::iter::from_fn(move || {
        let mut whole: Option<Span> = None;
        for token in tokens.by_ref() {
            if token.kind != TokenKind::Semicolon {
                whole = Some(whole.map_or(token.span, |whole| whole.to(token.span)));
            } else if whole.is_some() {
                break;
            }
        }
        whole.map(|span| (span.of(text), span))
    })
}

/// Whether `text` ends with a `;` outside of strings, comments and brackets, so that nothing more need be
/// typed.
#[must_use]
pub fn is_complete(text: &str) -> bool {
    let mut open = 0_usize;
    let mut complete = false;
    for token in Scanner::new(text) {
        match token.kind {
            TokenKind::OpenParenthesis | TokenKind::OpenBracket | TokenKind::OpenBrace => open += 1,
            TokenKind::CloseParenthesis | TokenKind::CloseBracket | TokenKind::CloseBrace => {
                open = open.saturating_sub(1);
            }
            _ => {}
        }
        complete = token.kind == TokenKind::Semicolon && open == 0;
    }
    complete
}
