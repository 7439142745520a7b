//! What could have stood where a text went wrong, in words.
//!
//! Next: `statement.rs`.

use super::cursor::Parser;
use crate::error::ParseError;
use crate::lex::{Keyword, TokenKind};
use crate::spelling::slips;

/// Something that could stand somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Keyword(Keyword),
    Symbol(TokenKind),
    /// The beginning of any expression.
    Expression,
    /// What may follow an operand.
    Operator,
    /// `(`, where a path begins.
    Pattern,
    Label,
    Type,
    Property,
    Variable,
    /// A name that is made here.
    NewName,
    Function,
    Procedure,
    Column,
    Parameter,
    Number,
    End,
}

/// The keywords that begin clauses.
const CLAUSES: &[Keyword] = &[
    Keyword::Match,
    Keyword::Optional,
    Keyword::Traverse,
    Keyword::Unwind,
    Keyword::With,
    Keyword::Return,
    Keyword::Create,
    Keyword::Merge,
    Keyword::Set,
    Keyword::Remove,
    Keyword::Delete,
    Keyword::Detach,
    Keyword::ForEach,
    Keyword::Call,
    Keyword::Finish,
    Keyword::Show,
    Keyword::Drop,
    Keyword::Explain,
    Keyword::Profile,
    Keyword::Cypher,
    Keyword::Union,
];

/// The keywords that are operators or begin one.
const OPERATORS: &[Keyword] = &[
    Keyword::And,
    Keyword::Or,
    Keyword::Xor,
    Keyword::In,
    Keyword::Is,
    Keyword::Starts,
    Keyword::Ends,
    Keyword::Contains,
];

/// The most things that a message lists.
const LISTED: usize = 8;

impl Parser<'_> {
    /// Tells in `mistake` what could have stood there, as this parser noted.
    pub(super) fn explain(&self, mut mistake: Box<ParseError>) -> Box<ParseError> {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end".to_owned(),
            _ => format!("'{}'", shorten(token.span.of(self.text))),
        };
        let words = self.in_words();
        mistake.message = if words.is_empty() {
            format!("{found} cannot stand here")
        } else {
            format!("expected {}, but found {found}", listed(&words))
        };
        if token.kind == TokenKind::Word && mistake.hint.is_none() {
            mistake.hint = self
                .closest_keyword(token.span.of(self.text))
                .map(|keyword| format!("did you mean '{}'?", keyword.text()));
        }
        if mistake.hint.is_none() {
            mistake.hint = self.sign_of_another_language().map(str::to_owned);
        }
        mistake
    }

    /// What other languages write where this one writes something else.
    fn sign_of_another_language(&self) -> Option<&'static str> {
        let span = self.peek().span;
        let before = self.text.get(..span.start as usize)?;
        let after = self.text.get(span.start as usize..)?;
        if after.starts_with('=') && before.ends_with('=') {
            Some("equality is written '='")
        } else if after.starts_with("!=") {
            Some("inequality is written '<>'")
        } else if after.starts_with("&&") || after.starts_with("||") {
            Some("write AND or OR between conditions")
        } else {
            None
        }
    }

    /// What was expected, each thing in words and once.
    fn in_words(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let mut add = |word: String| {
            if !words.contains(&word) {
                words.push(word);
            }
        };
        let expression = self.expected.contains(&Expected::Expression);
        let operator = self.expected.contains(&Expected::Operator);
        for &expected in &self.expected {
            match expected {
                Expected::Keyword(keyword) if CLAUSES.contains(&keyword) => {
                    add("a clause such as MATCH or RETURN".to_owned());
                }
                Expected::Keyword(keyword) => add(keyword.text().to_owned()),
                Expected::Symbol(TokenKind::Dot | TokenKind::OpenBracket) if operator => {}
                Expected::Symbol(kind) => add(format!("'{}'", symbol(kind))),
                Expected::Variable | Expected::Function | Expected::Parameter if expression => {}
                other => add(other.words().to_owned()),
            }
        }
        words
    }

    /// The expected keyword that `word` is a slip of.
    fn closest_keyword(&self, word: &str) -> Option<Keyword> {
        if word.len() < 3 || word.len() > 20 {
            return None;
        }
        let allowed = if word.len() < 5 { 1 } else { 2 };
        let operators: &[Keyword] = match self.expected.contains(&Expected::Operator) {
            true => OPERATORS,
            false => &[],
        };
        self.expected
            .iter()
            .filter_map(|expected| match expected {
                Expected::Keyword(keyword) => Some(*keyword),
                _ => None,
            })
            .chain(operators.iter().copied())
            .filter_map(|keyword| Some((slips(word, keyword.text())?, keyword)))
            .filter(|&(slips, _)| slips > 0 && slips <= allowed)
            .min_by_key(|&(slips, _)| slips)
            .map(|(_, keyword)| keyword)
    }
}

impl Expected {
    /// What people call it.
    fn words(self) -> &'static str {
        match self {
            Self::Expression => "an expression",
            Self::Operator => "an operator",
            Self::Pattern => "a pattern such as (n)",
            Self::Label => "a label",
            Self::Type => "a relationship type",
            Self::Property => "a property name",
            Self::Variable => "a variable",
            Self::NewName => "a name",
            Self::Function => "a function",
            Self::Procedure => "a procedure",
            Self::Column => "a column",
            Self::Parameter => "a parameter",
            Self::Number => "a whole number",
            Self::End => "the end",
            Self::Keyword(keyword) => keyword.text(),
            Self::Symbol(kind) => symbol(kind),
        }
    }
}

/// `a`, `a or b`, `a, b or c`; only the first few.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        words if words.len() > LISTED => format!("{}, ...", words[..LISTED].join(", ")),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// The beginning of a long text.
fn shorten(text: &str) -> String {
    const KEPT: usize = 30;
    if text.chars().count() <= KEPT {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(KEPT).collect();
    format!("{beginning}...")
}

/// How a symbol is written.
pub(super) fn symbol(kind: TokenKind) -> &'static str {
    use TokenKind as Kind;
    match kind {
        Kind::Dollar => "$",
        Kind::OpenParenthesis => "(",
        Kind::CloseParenthesis => ")",
        Kind::OpenBracket => "[",
        Kind::CloseBracket => "]",
        Kind::OpenBrace => "{",
        Kind::CloseBrace => "}",
        Kind::Comma => ",",
        Kind::Semicolon => ";",
        Kind::Colon => ":",
        Kind::Dot => ".",
        Kind::DotDot => "..",
        Kind::Bar => "|",
        Kind::BarBar => "||",
        Kind::Ampersand => "&",
        Kind::Exclamation => "!",
        Kind::Plus => "+",
        Kind::PlusEqual => "+=",
        Kind::Minus => "-",
        Kind::Star => "*",
        Kind::Slash => "/",
        Kind::Percent => "%",
        Kind::Caret => "^",
        Kind::Equal => "=",
        Kind::NotEqual => "<>",
        Kind::Less => "<",
        Kind::LessOrEqual => "<=",
        Kind::Greater => ">",
        Kind::GreaterOrEqual => ">=",
        Kind::Matches => "=~",
        Kind::Word | Kind::Quoted => "a name",
        Kind::String => "a string",
        Kind::Integer | Kind::Float | Kind::BadNumber => "a number",
        Kind::Parameter => "a parameter",
        Kind::Unclosed | Kind::UnclosedComment | Kind::BadCharacter => "nothing",
        Kind::End => "the end",
    }
}
