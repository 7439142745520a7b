//! From characters to tokens.
//!
//! One pass, linear in the text. It never fails: what is no token becomes one that the parser refuses
//! when it comes to it, because the place decides what the mistake is called. It decodes nothing either;
//! numbers and strings are decoded when the parser takes them.
//!
//! | what | where |
//! |---|---|
//! | the tokens and their pass | here |
//! | keywords | `keyword.rs` |
//! | strings and quoted names | `text.rs` |
//! | numbers | `number.rs` |
//!
//! Next: `keyword.rs`.

mod keyword;
mod number;
mod text;

pub(crate) use keyword::Keyword;
pub(crate) use number::{Magnitude, float, magnitude};
pub(crate) use text::{BadEscape, decode, decode_name};

use crate::span::Span;
use unicode_ident::{is_xid_continue, is_xid_start};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name or keyword.
    Word,
    /// A name in backquotes.
    Quoted,
    /// A string in either kind of quotes.
    String,
    /// A whole number.
    Integer,
    /// A number with a point or exponent.
    Float,
    /// What begins as a number and is none.
    BadNumber,
    /// `$name`.
    Parameter,
    /// `$` alone.
    Dollar,
    OpenParenthesis,
    CloseParenthesis,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Comma,
    Semicolon,
    Colon,
    Dot,
    DotDot,
    Bar,
    BarBar,
    Ampersand,
    Exclamation,
    Plus,
    PlusEqual,
    Minus,
    Star,
    Slash,
    Percent,
    Caret,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Matches,
    /// A string or quoted name without its end.
    Unclosed,
    /// A comment without its end.
    UnclosedComment,
    /// A character that begins nothing.
    BadCharacter,
    /// The end of the text.
    End,
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// The keyword it could be.
    pub(crate) keyword: Option<Keyword>,
    /// The number of the token that closes this bracket; 0 if it is none or never closed.
    pub(crate) partner: u32,
    /// Its place.
    pub(crate) span: Span,
}

/// The tokens of `text`, an [`TokenKind::End`] last. `text` is at most [`MAX_BYTES`](crate::MAX_BYTES) long.
pub(crate) fn lex(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    let mut open: Vec<(TokenKind, usize)> = Vec::new();
    for token in Scanner::new(text) {
        match closed_by(token.kind) {
            None if closing(token.kind) => {
                if open
                    .last()
                    .is_some_and(|&(kind, _)| closed_by(kind) == Some(token.kind))
                    && let Some((_, at)) = open.pop()
                    && let Ok(here) = u32::try_from(tokens.len())
                {
                    let opening: &mut Token = &mut tokens[at];
                    opening.partner = here;
                }
            }
            None => {}
            Some(_) => open.push((token.kind, tokens.len())),
        }
        tokens.push(token);
    }
    let end = tokens.last().map_or(0, |last| last.span.end);
    tokens.push(token(TokenKind::End, end, end));
    tokens
}

/// What closes a bracket.
fn closed_by(kind: TokenKind) -> Option<TokenKind> {
    match kind {
        TokenKind::OpenParenthesis => Some(TokenKind::CloseParenthesis),
        TokenKind::OpenBracket => Some(TokenKind::CloseBracket),
        TokenKind::OpenBrace => Some(TokenKind::CloseBrace),
        _ => None,
    }
}

/// Whether this closes a bracket.
fn closing(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::CloseParenthesis | TokenKind::CloseBracket | TokenKind::CloseBrace
    )
}

fn token(kind: TokenKind, start: u32, end: u32) -> Token {
    Token {
        kind,
        keyword: None,
        partner: 0,
        span: Span::new(start, end),
    }
}

/// Gives one token after the other.
pub(crate) struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, at }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.at + ahead)
            .copied()
            .unwrap_or(0)
    }

    /// Passes over spaces and comments; the beginning of a comment that never ends.
    fn skip(&mut self) -> Option<usize> {
        loop {
            match self.byte(0) {
                b' ' | b'\t'..=b'\r' => self.at += 1,
                b'/' if self.byte(1) == b'/' => {
                    let rest = &self.text[self.at..];
                    self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
                }
                b'/' if self.byte(1) == b'*' => match self.text[self.at + 2..].find("*/") {
                    Some(end) => self.at += end + 4,
                    None => {
                        let start = self.at;
                        self.at = self.text.len();
                        return Some(start);
                    }
                },
                0x80.. => match self.text[self.at..].chars().next() {
                    Some(space) if space.is_whitespace() => self.at += space.len_utf8(),
                    _ => return None,
                },
                _ => return None,
            }
        }
    }

    /// Up to where `text` from `start` on is made of characters that names are made of.
    fn name_end(&self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                at += 1;
            } else if byte < 0x80 {
                break;
            } else {
                match self.text[at..].chars().next() {
                    Some(character) if is_xid_continue(character) => at += character.len_utf8(),
                    _ => break,
                }
            }
        }
        at
    }

    /// Up to the end of what is quoted, which begins at `start`; `None` without an end.
    fn quoted_end(&self, start: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let quote = *bytes.get(start)?;
        let mut at = start + 1;
        loop {
            match *bytes.get(at)? {
                b'\\' => at += 2,
                byte if byte == quote && bytes.get(at + 1) == Some(&quote) => at += 2,
                byte if byte == quote => return Some(at + 1),
                _ => at += 1,
            }
        }
    }

    fn quoted(&self, kind: TokenKind, from: usize) -> (TokenKind, usize) {
        match self.quoted_end(from) {
            Some(end) if end <= self.text.len() => (kind, end),
            _ => (TokenKind::Unclosed, self.text.len()),
        }
    }

    fn dollar(&self) -> (TokenKind, usize) {
        let from = self.at + 1;
        if self.byte(1) == b'`' {
            return self.quoted(TokenKind::Parameter, from);
        }
        let end = self.name_end(from);
        let kind = if end == from {
            TokenKind::Dollar
        } else {
            TokenKind::Parameter
        };
        (kind, end)
    }

    fn symbol(&self, first: u8) -> Option<(TokenKind, usize)> {
        use TokenKind as Kind;
        let two = match (first, self.byte(1)) {
            (b'.', b'.') => Some(Kind::DotDot),
            (b'|', b'|') => Some(Kind::BarBar),
            (b'+', b'=') => Some(Kind::PlusEqual),
            (b'<', b'>') => Some(Kind::NotEqual),
            (b'<', b'=') => Some(Kind::LessOrEqual),
            (b'>', b'=') => Some(Kind::GreaterOrEqual),
            (b'=', b'~') => Some(Kind::Matches),
            _ => None,
        };
        if let Some(kind) = two {
            return Some((kind, self.at + 2));
        }
        let kind = match first {
            b'(' => Kind::OpenParenthesis,
            b')' => Kind::CloseParenthesis,
            b'[' => Kind::OpenBracket,
            b']' => Kind::CloseBracket,
            b'{' => Kind::OpenBrace,
            b'}' => Kind::CloseBrace,
            b',' => Kind::Comma,
            b';' => Kind::Semicolon,
            b':' => Kind::Colon,
            b'.' => Kind::Dot,
            b'|' => Kind::Bar,
            b'&' => Kind::Ampersand,
            b'!' => Kind::Exclamation,
            b'+' => Kind::Plus,
            b'-' => Kind::Minus,
            b'*' => Kind::Star,
            b'/' => Kind::Slash,
            b'%' => Kind::Percent,
            b'^' => Kind::Caret,
            b'=' => Kind::Equal,
            b'<' => Kind::Less,
            b'>' => Kind::Greater,
            _ => return None,
        };
        Some((kind, self.at + 1))
    }

    fn other(&self) -> (TokenKind, usize) {
        let character = self.text[self.at..].chars().next().unwrap_or(' ');
        if character == '_' || is_xid_start(character) {
            (TokenKind::Word, self.name_end(self.at))
        } else {
            (TokenKind::BadCharacter, self.at + character.len_utf8())
        }
    }
}

impl Iterator for Scanner<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let comment = self.skip();
        let start = comment.unwrap_or(self.at);
        let (kind, end) = match self.byte(0) {
            _ if comment.is_some() => (TokenKind::UnclosedComment, self.text.len()),
            0 if self.at >= self.text.len() => return None,
            b'\'' | b'"' => self.quoted(TokenKind::String, self.at),
            b'`' => self.quoted(TokenKind::Quoted, self.at),
            b'$' => self.dollar(),
            b'0'..=b'9' => number::scan(self.text, self.at, |from| self.name_end(from)),
            b'.' if self.byte(1).is_ascii_digit() => {
                number::scan(self.text, self.at, |from| self.name_end(from))
            }
            byte => self.symbol(byte).unwrap_or_else(|| self.other()),
        };
        self.at = end;
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let mut token = token(kind, place(start), place(end));
        if kind == TokenKind::Word {
            token.keyword = Keyword::of(&self.text[start..end]);
        }
        Some(token)
    }
}
