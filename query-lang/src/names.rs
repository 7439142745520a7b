//! Which names a text may speak of.
//!
//! Next: `complete.rs`.

use crate::MAX_BYTES;
use crate::lex::{TokenKind, decode_name, lex};
use std::collections::HashSet;

/// The words of a printed text that may be variables: not what stands behind a colon or a dot, nor the keys of
/// maps. Keywords are among them, as they may be names. `None` if the text is too long to be looked through.
///
/// ```
/// # use stratigraph_query_lang::possible_variables;
/// let words = possible_variables("(x:B {key: `y z`}).name").unwrap();
/// assert!(words.contains("x") && words.contains("y z"));
/// assert_eq!(words.len(), 2);
/// ```
#[must_use]
pub fn possible_variables(printed: &str) -> Option<HashSet<String>> {
    if printed.len() > MAX_BYTES {
        return None;
    }
    let tokens = lex(printed);
    let mut words = HashSet::new();
    let mut before = TokenKind::Semicolon;
    for (at, token) in tokens.iter().enumerate() {
        let is_member = matches!(before, TokenKind::Colon | TokenKind::Dot);
        before = token.kind;
        if is_member || !matches!(token.kind, TokenKind::Word | TokenKind::Quoted) {
            continue;
        }
        // A blank is printed behind the colon of a key, and none behind that of a label.
        let is_key = match tokens.get(at + 1..at + 3) {
            Some([colon, next]) => {
                colon.kind == TokenKind::Colon && next.span.start > colon.span.end
            }
            _ => false,
        };
        if !is_key {
            words.extend(decode_name(token.span.of(printed)).ok());
        }
    }
    Some(words)
}
