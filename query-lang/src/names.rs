//! Which names a text may speak of.
//!
//! Next: `complete.rs`.

use crate::MAX_BYTES;
use crate::lex::{Token, TokenKind, decode_name, lex};
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
    // A blank is printed behind the colon of a key, and none behind that of a label.
    let is_of_label = |colon: &Token, next: &Token| colon.span.end == next.span.start;
    for (at, token) in tokens.iter().enumerate() {
        if !matches!(token.kind, TokenKind::Word | TokenKind::Quoted) {
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_member = before.is_some_and(|before| match before.kind {
            TokenKind::Dot => true,
            TokenKind::Colon => is_of_label(before, token),
            _ => false,
        });
        let is_key = match tokens.get(at + 1..at + 3) {
            Some([colon, next]) => colon.kind == TokenKind::Colon && !is_of_label(colon, next),
            _ => false,
        };
        if !is_member && !is_key {
            words.extend(decode_name(token.span.of(printed)).ok());
        }
    }
    Some(words)
}
