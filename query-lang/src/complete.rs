//! What may stand at a place of an unfinished text.
//!
//! It knows kinds of names, not names: which labels there are is the caller's to say.
//!
//! Next: `ast/mod.rs`.

use crate::lex::{Keyword, TokenKind, lex};
use crate::parser::Expected;
use crate::{MAX_BYTES, parser};
use unicode_ident::is_xid_continue;

/// Something that may stand at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Completion {
    /// This keyword.
    Keyword(&'static str),
    /// A label.
    Label,
    /// A relationship type.
    Type,
    /// A property.
    Property,
    /// A variable.
    Variable,
    /// A function.
    Function,
    /// A procedure.
    Procedure,
    /// A parameter.
    Parameter,
}

/// What may stand at `offset`, where the cursor is. The beginning of a word that stands there already is
/// part of it: only keywords that begin with it are given.
///
/// ```
/// # use stratigraph_query_lang::{Completion, complete};
/// assert_eq!(complete("MATCH (n:Per", 12), [Completion::Label]);
/// assert!(complete("RET", 3).contains(&Completion::Keyword("RETURN")));
/// ```
#[must_use]
pub fn complete(text: &str, offset: usize) -> Vec<Completion> {
    if text.len() > MAX_BYTES {
        return Vec::new();
    }
    let text = &text[..text.floor_char_boundary(offset)];
    let typed = text.trim_end_matches(is_xid_continue);
    let word = &text[typed.len()..];
    if let Some(before) = typed.strip_suffix('$') {
        return if is_open(before) {
            Vec::new()
        } else {
            vec![Completion::Parameter]
        };
    }
    if is_open(typed) {
        return Vec::new();
    }
    // What came before the last `;` is another statement.
    let start = lex(typed)
        .iter()
        .rev()
        .find(|token| token.kind == TokenKind::Semicolon)
        .map_or(0, |token| token.span.end as usize);
    let mut completions = Vec::new();
    for expected in parser::expected_at_end(&typed[start..]) {
        match expected {
            Expected::Keyword(keyword) => add_keyword(&mut completions, keyword.text(), word),
            Expected::Expression => {
                for keyword in STARTS {
                    add_keyword(&mut completions, keyword.text(), word);
                }
            }
            Expected::Operator => {
                for keyword in OPERATORS {
                    add_keyword(&mut completions, keyword, word);
                }
            }
            Expected::Label => add(&mut completions, Completion::Label),
            Expected::Type => add(&mut completions, Completion::Type),
            Expected::Property => add(&mut completions, Completion::Property),
            Expected::Variable => add(&mut completions, Completion::Variable),
            Expected::Function => add(&mut completions, Completion::Function),
            Expected::Procedure => add(&mut completions, Completion::Procedure),
            Expected::Parameter => add(&mut completions, Completion::Parameter),
            Expected::Symbol(_)
            | Expected::Pattern
            | Expected::NewName
            | Expected::Column
            | Expected::Number
            | Expected::End => {}
        }
    }
    completions
}

/// The keywords that begin an expression.
const STARTS: &[Keyword] = &[
    Keyword::Not,
    Keyword::Null,
    Keyword::True,
    Keyword::False,
    Keyword::Case,
    Keyword::Exists,
    Keyword::Count,
    Keyword::Collect,
];

/// The operators that are words.
const OPERATORS: &[&str] = &[
    "AND",
    "OR",
    "XOR",
    "IN",
    "IS NULL",
    "IS NOT NULL",
    "STARTS WITH",
    "ENDS WITH",
    "CONTAINS",
];

fn add(completions: &mut Vec<Completion>, completion: Completion) {
    if !completions.contains(&completion) {
        completions.push(completion);
    }
}

fn add_keyword(completions: &mut Vec<Completion>, keyword: &'static str, typed: &str) {
    let begins = keyword
        .get(..typed.len())
        .is_some_and(|beginning| beginning.eq_ignore_ascii_case(typed));
    if begins {
        add(completions, Completion::Keyword(keyword));
    }
}

/// Whether the text ends within a string, quoted name or comment.
fn is_open(text: &str) -> bool {
    let open =
        lex(text).iter().rev().nth(1).is_some_and(|last| {
            matches!(last.kind, TokenKind::Unclosed | TokenKind::UnclosedComment)
        });
    // A comment up to the end of the line is no token: a name after it would be one, if it had ended.
    let probe = lex(&format!("{text} x"));
    open || probe.len() == lex(text).len()
}
