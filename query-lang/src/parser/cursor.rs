//! The parser's hands: it looks at tokens, takes them, and counts how deep it is.
//!
//! It must never give a token back.
//!
//! Next: `expected.rs`.

use super::Result;
use super::expected::Expected;
use crate::MAX_DEPTH;
use crate::ast::Identifier;
use crate::error::{ParseError, ParseErrorKind};
use crate::lex::{BadEscape, Keyword, Token, TokenKind, decode_name};
use crate::span::Span;

/// Reads tokens.
pub(crate) struct Parser<'t> {
    pub(super) text: &'t str,
    tokens: &'t [Token],
    at: usize,
    /// How deep the parser is.
    depth: usize,
    /// How high the tallest tree is that was made since the last [`Parser::enter`].
    tallest: usize,
    /// Whether a `|` ends the expression: then it is no part of a label expression.
    pub(super) bar_ends: bool,
    /// Whether the clauses may only read.
    pub(super) reading: bool,
    /// The token at which it is noted what could stand there.
    watched: Option<usize>,
    /// What could stand there.
    pub(super) expected: Vec<Expected>,
    /// Whether the mistake still wants to be told what could stand there.
    unexplained: bool,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, tokens: &'t [Token]) -> Self {
        Self {
            text,
            tokens,
            at: 0,
            depth: 0,
            tallest: 0,
            bar_ends: false,
            reading: false,
            watched: None,
            expected: Vec::new(),
            unexplained: false,
        }
    }

    /// Notes what could stand at the token numbered `place`.
    pub(super) fn watching(text: &'t str, tokens: &'t [Token], place: usize) -> Self {
        Self {
            watched: Some(place),
            ..Self::new(text, tokens)
        }
    }

    pub(super) fn is_unexplained(&self) -> bool {
        self.unexplained
    }

    /// The number of the next token.
    pub(super) fn place(&self) -> usize {
        self.at
    }

    /// The next token.
    pub(super) fn peek(&self) -> Token {
        self.token(self.at)
    }

    /// The token `ahead` of the next.
    pub(super) fn ahead(&self, ahead: usize) -> Token {
        self.token(self.at + ahead)
    }

    /// The token with this number; the last, if there is none.
    pub(super) fn token(&self, number: usize) -> Token {
        match self.tokens.get(number).or(self.tokens.last()) {
            Some(token) => *token,
            None => Token {
                kind: TokenKind::End,
                keyword: None,
                partner: 0,
                span: Span::default(),
            },
        }
    }

    /// Takes the next token.
    pub(super) fn take(&mut self) -> Token {
        let token = self.peek();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    /// Whether the next token is of this kind.
    pub(super) fn is(&self, kind: TokenKind) -> bool {
        self.peek().kind == kind
    }

    /// Whether the next token is this keyword.
    pub(super) fn is_word(&self, keyword: Keyword) -> bool {
        self.peek().keyword == Some(keyword)
    }

    /// Takes the next token if it is of this kind.
    pub(super) fn accept(&mut self, kind: TokenKind) -> Option<Span> {
        self.note(Expected::Symbol(kind));
        self.is(kind).then(|| self.take().span)
    }

    /// Takes the next token if it is this keyword.
    pub(super) fn accept_word(&mut self, keyword: Keyword) -> Option<Span> {
        self.note(Expected::Keyword(keyword));
        self.is_word(keyword).then(|| self.take().span)
    }

    /// Takes the next two tokens if they are these keywords.
    pub(super) fn accept_words(&mut self, first: Keyword, second: Keyword) -> Option<Span> {
        self.note(Expected::Keyword(first));
        if !self.is_word(first) || self.ahead(1).keyword != Some(second) {
            return None;
        }
        let start = self.take().span;
        Some(start.to(self.take().span))
    }

    pub(super) fn expect(&mut self, kind: TokenKind) -> Result<Span> {
        match self.accept(kind) {
            Some(span) => Ok(span),
            None => self.unexpected(),
        }
    }

    pub(super) fn expect_word(&mut self, keyword: Keyword) -> Result<Span> {
        match self.accept_word(keyword) {
            Some(span) => Ok(span),
            None => self.unexpected(),
        }
    }

    pub(super) fn expect_end(&mut self) -> Result<()> {
        self.note(Expected::End);
        if self.is(TokenKind::End) {
            Ok(())
        } else {
            self.unexpected()
        }
    }

    /// Takes a name; `what` tells of what.
    pub(super) fn name(&mut self, what: Expected) -> Result<Identifier> {
        self.note(what);
        if !is_name(self.peek()) {
            return self.unexpected();
        }
        let token = self.take();
        self.identifier(token)
    }

    /// The name that a token is.
    pub(super) fn identifier(&self, token: Token) -> Result<Identifier> {
        let text = token.span.of(self.text);
        let name = if text.starts_with('`') {
            let name = decode_name(text).map_err(|escape| bad_escape(&escape, token.span.start))?;
            name.into()
        } else {
            text.into()
        };
        Ok(Identifier {
            name,
            span: token.span,
        })
    }

    /// Notes that `expected` could be the next token.
    pub(super) fn note(&mut self, expected: Expected) {
        self.note_ahead(0, expected);
    }

    /// Notes that `expected` could be the token `ahead` of the next.
    pub(super) fn note_ahead(&mut self, ahead: usize, expected: Expected) {
        if self.watched == Some(self.at + ahead) && !self.expected.contains(&expected) {
            self.expected.push(expected);
        }
    }

    /// From the beginning of `start` to the end of what was taken last.
    pub(super) fn since(&self, start: Span) -> Span {
        let last = self
            .at
            .checked_sub(1)
            .map_or(start, |at| self.token(at).span);
        Span::new(start.start, last.end.max(start.end))
    }

    /// Goes one level down. What it gives is for [`Parser::leave`].
    pub(super) fn enter(&mut self) -> Result<usize> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.too_deep());
        }
        Ok(std::mem::take(&mut self.tallest))
    }

    /// Goes one level up.
    pub(super) fn leave(&mut self, tallest_before: usize) {
        self.depth -= 1;
        self.tallest = self.tallest.max(tallest_before);
    }

    /// Notes that a node stands on the tallest tree.
    pub(super) fn raise(&mut self) -> Result<()> {
        self.tallest += 1;
        if self.tallest > MAX_DEPTH {
            return Err(self.too_deep());
        }
        Ok(())
    }

    /// The height of the tallest tree, which is forgotten.
    pub(super) fn take_height(&mut self) -> usize {
        std::mem::take(&mut self.tallest)
    }

    /// Notes that a node stands on the tallest tree and on another that is `height` high.
    pub(super) fn raise_over(&mut self, height: usize) -> Result<()> {
        self.tallest = self.tallest.max(height);
        self.raise()
    }

    pub(super) fn too_deep(&self) -> Box<ParseError> {
        let mut mistake = self.mistake(
            ParseErrorKind::NestingTooDeep,
            self.peek().span,
            &format!("this is nested more than {MAX_DEPTH} deep"),
        );
        mistake.hint = Some("split the expression, or pass the value as a parameter".to_owned());
        mistake
    }

    /// A mistake that needs no list of what could have stood there.
    #[expect(clippy::unused_self, reason = "reads as the parser's own")]
    pub(super) fn mistake(
        &self,
        kind: ParseErrorKind,
        span: Span,
        message: &str,
    ) -> Box<ParseError> {
        Box::new(ParseError {
            kind,
            span,
            message: message.to_owned(),
            hint: None,
        })
    }

    /// The next token cannot stand there.
    pub(super) fn unexpected<T>(&mut self) -> Result<T> {
        let token = self.peek();
        self.unexplained = true;
        let (kind, message) = match token.kind {
            TokenKind::BadNumber => (ParseErrorKind::UnexpectedSyntax, "this is no number"),
            TokenKind::Unclosed => {
                self.unexplained = false;
                (
                    ParseErrorKind::UnexpectedSyntax,
                    "the closing quote is missing",
                )
            }
            TokenKind::UnclosedComment => {
                self.unexplained = false;
                (ParseErrorKind::UnexpectedSyntax, "the comment has no '*/'")
            }
            TokenKind::BadCharacter => {
                self.unexplained = false;
                let text = token.span.of(self.text);
                let kind = if text.is_ascii() {
                    ParseErrorKind::UnexpectedSyntax
                } else {
                    ParseErrorKind::InvalidUnicodeCharacter
                };
                // What cannot be seen is shown by its number.
                let shown = if text.chars().all(char::is_control) {
                    text.escape_default().to_string()
                } else {
                    text.to_owned()
                };
                let message = format!("'{shown}' stands for nothing here");
                let mut mistake = self.mistake(kind, token.span, &message);
                mistake.hint = typed_as(text).map(|typed| format!("write {typed}"));
                return Err(mistake);
            }
            _ => (ParseErrorKind::UnexpectedSyntax, "unexpected"),
        };
        let span = match token.kind {
            // The quote that was opened, not all that follows it.
            TokenKind::Unclosed | TokenKind::UnclosedComment => {
                let first = token.span.start;
                let length = if token.kind == TokenKind::Unclosed {
                    1
                } else {
                    2
                };
                Span::new(first, token.span.end.min(first + length))
            }
            _ => token.span,
        };
        Err(self.mistake(kind, span, message))
    }
}

/// What a word processor has made another character of.
fn typed_as(text: &str) -> Option<&'static str> {
    match text {
        "\u{2010}" | "\u{2011}" | "\u{2012}" | "\u{2013}" | "\u{2014}" | "\u{2212}" => {
            Some("a plain '-'")
        }
        "\u{2018}" | "\u{2019}" | "\u{201c}" | "\u{201d}" => Some("plain quotes: ' or \""),
        "\u{2264}" => Some("'<='"),
        "\u{2265}" => Some("'>='"),
        "\u{2260}" => Some("'<>'"),
        "\u{2192}" => Some("'->'"),
        "\u{2190}" => Some("'<-'"),
        _ => None,
    }
}

/// Whether this is a name.
pub(super) fn is_name(token: Token) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Quoted)
}

/// The mistake in a quoted text that begins at `start`.
pub(super) fn bad_escape(escape: &BadEscape, start: u32) -> Box<ParseError> {
    Box::new(ParseError {
        kind: escape.kind,
        span: Span::new(start + escape.span.start, start + escape.span.end),
        message: escape.message.to_owned(),
        hint: Some("write a backslash as '\\\\'".to_owned()),
    })
}
