//! What the parts of a text are, for whoever shows it in colours, finished or not.
//!
//! Next: `complete.rs`.

use crate::MAX_BYTES;
use crate::lex::{TokenKind, lex};
use crate::span::Span;

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Paint {
    /// A word that the language knows. It may be a name all the same, where the grammar takes one.
    Keyword,
    /// A text in quotes.
    String,
    /// A number.
    Number,
    /// `$name`.
    Parameter,
    /// A comment.
    Comment,
    /// What cannot be right: a quote that is not closed, a character that begins nothing.
    Wrong,
}

/// The parts of a text that are more than names and signs, in their order.
///
/// ```
/// # use stratigraph_query_lang::{Paint, paint};
/// let text = "RETURN 'a' // b";
/// let parts: Vec<_> = paint(text).into_iter().map(|(span, paint)| (span.of(text), paint)).collect();
/// assert_eq!(parts, [("RETURN", Paint::Keyword), ("'a'", Paint::String), ("// b", Paint::Comment)]);
/// ```
#[must_use]
pub fn paint(text: &str) -> Vec<(Span, Paint)> {
    if text.len() > MAX_BYTES {
        return Vec::new();
    }
    let mut parts = Vec::new();
    let (mut end, mut before) = (0, TokenKind::Semicolon);
    for token in lex(text) {
        comments(text, end, token.span.start, &mut parts);
        end = token.span.end;
        // After a colon or a dot a word is a label, a type or a property.
        let is_name = matches!(before, TokenKind::Colon | TokenKind::Dot);
        before = token.kind;
        let paint = match token.kind {
            TokenKind::Word if token.keyword.is_some() && !is_name => Paint::Keyword,
            TokenKind::String => Paint::String,
            TokenKind::Integer | TokenKind::Float => Paint::Number,
            TokenKind::Parameter => Paint::Parameter,
            TokenKind::Unclosed | TokenKind::BadCharacter | TokenKind::BadNumber => Paint::Wrong,
            TokenKind::UnclosedComment => Paint::Comment,
            _ => continue,
        };
        parts.push((token.span, paint));
    }
    // The end of the tokens is that of the last one, and a comment may follow it.
    comments(text, end, text.len() as u32, &mut parts);
    parts
}

/// Between two tokens there are blanks and comments.
fn comments(text: &str, start: u32, end: u32, parts: &mut Vec<(Span, Paint)>) {
    let gap = Span { start, end }.of(text);
    let trimmed = gap.trim();
    if trimmed.is_empty() {
        return;
    }
    let at = start + (gap.len() - gap.trim_start().len()) as u32;
    let span = Span {
        start: at,
        end: at + trimmed.len() as u32,
    };
    parts.push((span, Paint::Comment));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_also_in_unfinished_texts() {
        let cases: [(&str, &[(&str, Paint)]); 6] = [
            ("", &[]),
            (
                "MATCH (n:Match) WHERE n.limit > $x",
                &[
                    ("MATCH", Paint::Keyword),
                    ("WHERE", Paint::Keyword),
                    ("$x", Paint::Parameter),
                ],
            ),
            (
                "RETURN 1.5, 'a",
                &[
                    ("RETURN", Paint::Keyword),
                    ("1.5", Paint::Number),
                    ("'a", Paint::Wrong),
                ],
            ),
            ("/* a */ x", &[("/* a */", Paint::Comment)]),
            ("x /* a", &[("/* a", Paint::Comment)]),
            ("地 // é", &[("// é", Paint::Comment)]),
        ];
        for (text, parts) in cases {
            let found: Vec<_> = paint(text)
                .into_iter()
                .map(|(span, paint)| (span.of(text), paint))
                .collect();
            assert_eq!(found, parts, "{text}");
        }
    }
}
