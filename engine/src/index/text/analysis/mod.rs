//! From text to terms, one way for what is stored and for what is asked.
//!
//! [`chunk`] cuts the original text into words, codes and runs of Han, with byte spans that point into it;
//! [`fold`] makes equal what only looks different (case, accents, full-width forms); [`stem`] takes endings off;
//! [`han`] divides Chinese; [`terms`] lists them. Which of them work is the index's [`Analysis`].
//!
//! Positions count words: a code such as `ISO-9001` is at the position of its first part, and each of its parts
//! at one of its own, so that phrases see the parts alone. A Han character takes one position; pairs and words
//! are where their first character is. There are no stop words: what is in every text scores next to nothing and
//! costs searches little, phrases need it, and "IT" or "a" mean something in some text.
//!
//! Limits: a term is cut after [`MAX_TERM_BYTES`] bytes, in texts and queries alike, so that it is still found;
//! what lies beyond [`MAX_POSITIONS`] positions of a property is not indexed.

mod chunk;
mod fold;
mod han;
mod stem;
mod terms;

use chunk::{Chunk, Chunks};
use serde::{Deserialize, Serialize};
use std::ops::Range;
pub(super) use stem::Stems;
pub(super) use terms::PAIR_WEIGHT;
pub use terms::Term;

/// The longest term in bytes; what is longer is cut at a character.
pub const MAX_TERM_BYTES: usize = 128;
/// How many positions of one property are indexed.
pub const MAX_POSITIONS: u32 = 1 << 20;
/// A code of more parts than this is no code: a path or an address, of which only the parts count.
const MAX_PARTS: usize = 16;

/// How text becomes terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "lowercase")]
pub enum Analysis {
    /// Words as they are, folded; Han as characters and pairs.
    Plain,
    /// English words without their endings.
    English,
    /// Italian words without their endings and elided articles.
    Italian,
    /// Chinese words of a dictionary beside characters and pairs; other words as they are.
    Chinese,
}

/// What kind of term a token is, which says how it is weighed and whether phrases see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// A word, which may be stemmed.
    Word,
    /// A number, or a part of a code with figures in it: never stemmed.
    Exact,
    /// A code as a whole, beside its parts.
    Whole,
    /// The same with signs before or after its parts, which they do not say: `C++`, `§12`.
    Signed,
    /// A Han character.
    Character,
    /// Two of them that follow each other.
    Pair,
    /// A Chinese word of three characters or more.
    HanWord,
}

/// A folded word of a text, before it is stemmed.
#[derive(Debug)]
pub(super) struct Token<'a> {
    /// Folded; for words of Italian still with accents, which its endings have.
    pub(super) text: &'a str,
    /// Where it is in the original text.
    pub(super) span: Range<usize>,
    pub(super) position: u32,
    pub(super) kind: Kind,
    /// Of a pair of Han characters: whether a dictionary word begins and ends with it.
    pub(super) is_word: bool,
}

impl Analysis {
    /// Calls `visit` with the tokens of a text in rising order of positions; returns how many positions it has.
    pub(super) fn tokens(self, text: &str, mut visit: impl FnMut(&Token<'_>)) -> u32 {
        let mut scratch = Scratch::default();
        let mut position = 0;
        let mut chunks = Chunks::new(text);
        while let Some(chunk) = chunks.next() {
            if position >= MAX_POSITIONS {
                break;
            }
            match chunk {
                Chunk::Word { span, code } => {
                    let parts = chunks.parts();
                    position =
                        self.word(text, &span, parts, code, position, &mut scratch, &mut visit);
                }
                Chunk::Han(span) => {
                    position = self.han(text, &span, position, &mut scratch, &mut visit);
                }
            }
        }
        position
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one chunk and where they go"
    )]
    fn word(
        self,
        text: &str,
        span: &Range<usize>,
        parts: &[Range<usize>],
        code: bool,
        position: u32,
        scratch: &mut Scratch,
        visit: &mut impl FnMut(&Token<'_>),
    ) -> u32 {
        let accents = self == Self::Italian;
        let mut next = position;
        let inner = parts.first().zip(parts.last());
        let is_signed =
            inner.is_some_and(|(first, last)| first.start != span.start || last.end != span.end);
        if code && (parts.len() > 1 || is_signed) && parts.len() <= MAX_PARTS {
            fold::fold(slice(text, span), false, &mut scratch.folded);
            visit(&Token {
                text: cut(&scratch.folded),
                span: span.clone(),
                position,
                kind: if is_signed { Kind::Signed } else { Kind::Whole },
                is_word: false,
            });
        }
        let last = parts.len().saturating_sub(1);
        for (at, part) in parts.iter().enumerate() {
            if next >= MAX_POSITIONS {
                break;
            }
            let original = slice(text, part);
            fold::fold(original, accents, &mut scratch.folded);
            if accents && at < last && is_elided(text, part, &scratch.folded) {
                continue;
            }
            if self == Self::English && at > 0 && is_possessive(text, part, &scratch.folded) {
                continue;
            }
            if scratch.folded.is_empty() {
                continue;
            }
            let exact = scratch.folded.bytes().any(|byte| byte.is_ascii_digit());
            visit(&Token {
                text: cut(&scratch.folded),
                span: part.clone(),
                position: next,
                kind: if exact { Kind::Exact } else { Kind::Word },
                is_word: true,
            });
            next += 1;
        }
        next
    }

    fn han(
        self,
        text: &str,
        span: &Range<usize>,
        position: u32,
        scratch: &mut Scratch,
        visit: &mut impl FnMut(&Token<'_>),
    ) -> u32 {
        let run = slice(text, span);
        let words = if self == Self::Chinese {
            han::words(run)
        } else {
            Vec::new()
        };
        let mut words = words.into_iter().peekable();
        let mut token = |from: usize, to: usize, at: u32, kind, is_word| {
            let span = span.start + from..span.start + to;
            fold::fold(
                run.get(from..to).unwrap_or_default(),
                false,
                &mut scratch.folded,
            );
            visit(&Token {
                text: cut(&scratch.folded),
                span,
                position: at,
                kind,
                is_word,
            });
        };
        let mut characters = characters(run).peekable();
        let mut at = position;
        while let Some(Range {
            start: from,
            end: to,
        }) = characters.next()
        {
            token(from, to, at, Kind::Character, false);
            while words.next_if(|word| word.start < from).is_some() {}
            let word = words
                .next_if(|word| word.start == from)
                .map(|word| word.end);
            if let Some(end) = characters.peek().map(|second| second.end) {
                token(from, end, at, Kind::Pair, word == Some(end));
                if let Some(word) = word.filter(|word| *word > end) {
                    token(from, word, at, Kind::HanWord, true);
                }
            }
            at += 1;
            if at >= MAX_POSITIONS {
                break;
            }
        }
        at
    }
}

/// The characters of a run of Han, each with what belongs to it.
fn characters(run: &str) -> impl Iterator<Item = Range<usize>> {
    let mut characters = run.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, character) = characters.next()?;
        let mut end = start + character.len_utf8();
        while let Some((at, mark)) = characters.next_if(|(_, next)| chunk::is_voicing(*next)) {
            end = at + mark.len_utf8();
        }
        Some(start..end)
    })
}

/// The folded form of a text, without accents.
pub(super) fn folded(text: &str) -> String {
    let mut folded = String::new();
    fold::fold(text, false, &mut folded);
    folded
}

/// Memory that one text's tokens share.
#[derive(Default)]
struct Scratch {
    folded: String,
}

fn slice<'a>(text: &'a str, span: &Range<usize>) -> &'a str {
    text.get(span.clone()).unwrap_or_default()
}

/// As much of a term as is stored.
fn cut(term: &str) -> &str {
    term.get(..term.floor_char_boundary(MAX_TERM_BYTES))
        .unwrap_or_default()
}

/// Articles and the like that Italian joins to the next word, without their vowel.
const ELIDED: [&str; 25] = [
    "c", "l", "all", "dall", "dell", "nell", "sull", "coll", "pell", "gl", "agl", "dagl", "degl",
    "negl", "sugl", "un", "m", "t", "s", "v", "d", "quest", "quell", "sant", "com",
];

/// Whether a part is an article before an apostrophe.
fn is_elided(text: &str, part: &Range<usize>, folded: &str) -> bool {
    let apostrophe = text.get(part.end..).and_then(|rest| rest.chars().next());
    apostrophe.is_some_and(chunk::is_apostrophe) && ELIDED.contains(&folded)
}

/// Whether a part is the s of "company's".
fn is_possessive(text: &str, part: &Range<usize>, folded: &str) -> bool {
    let before = text
        .get(..part.start)
        .and_then(|before| before.chars().next_back());
    folded == "s" && before.is_some_and(chunk::is_apostrophe)
}

#[cfg(test)]
mod tests;
