//! Numbers for the terms of a transaction, and what was already stemmed.
//!
//! Most words of a text were in the text before: each is stemmed once, and later only looked up.

use crate::index::text::analysis::{Analysis, Kind, Stems, Token};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use xxhash_rust::xxh3::xxh3_64;

/// The number of a term, counted from 0 within a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TermNo(pub(super) u32);

/// The terms of one token: one, or two for accented words.
#[derive(Clone, Copy, Debug)]
struct TermsOfToken {
    first: TermNo,
    second: Option<TermNo>,
}

type Map<V> = HashMap<Box<[u8]>, V, BuildHasherDefault<ByteHasher>>;

/// The terms of a transaction.
pub(super) struct Terms {
    stems: Stems,
    /// Folded words that may be stemmed.
    words: Map<TermsOfToken>,
    numbers: Map<TermNo>,
    terms: Vec<Box<[u8]>>,
    bytes: usize,
}

impl Terms {
    pub(super) fn new(analysis: Analysis) -> Self {
        Self {
            stems: Stems::new(analysis),
            words: Map::default(),
            numbers: Map::default(),
            terms: Vec::new(),
            bytes: 0,
        }
    }

    /// Calls `visit` with the terms of a token.
    pub(super) fn of_token(&mut self, token: &Token<'_>, mut visit: impl FnMut(TermNo)) {
        if self.stems.keeps(token.text, token.kind) {
            return visit(self.number(token.text.as_bytes()));
        }
        let known = if token.kind == Kind::Word {
            self.words.get(token.text.as_bytes()).copied()
        } else {
            None
        };
        let terms = known.unwrap_or_else(|| self.analyse(token));
        visit(terms.first);
        terms.second.into_iter().for_each(visit);
    }

    fn analyse(&mut self, token: &Token<'_>) -> TermsOfToken {
        let mut found: Vec<Box<[u8]>> = Vec::with_capacity(2);
        self.stems.terms(token.text, token.kind, |term| {
            found.push(term.as_bytes().into());
        });
        let mut numbers = found
            .iter()
            .map(|term| self.number(term))
            .collect::<Vec<_>>()
            .into_iter();
        let first = numbers.next();
        let terms = TermsOfToken {
            first: first.unwrap_or_else(|| self.number(token.text.as_bytes())),
            second: numbers.next(),
        };
        if token.kind == Kind::Word {
            self.bytes += token.text.len() + 48;
            self.words.insert(token.text.as_bytes().into(), terms);
        }
        terms
    }

    /// The number of a term.
    pub(super) fn number(&mut self, term: &[u8]) -> TermNo {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let number = TermNo(self.terms.len() as u32);
        self.bytes += 2 * term.len() + 80;
        self.terms.push(term.into());
        self.numbers.insert(term.into(), number);
        number
    }

    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(super) fn term(&self, number: TermNo) -> &[u8] {
        self.terms.get(number.0 as usize).map_or(&[], |term| term)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.numbers.clear();
        self.terms.clear();
        self.bytes = 0;
    }
}

/// XXH3 of the bytes of a key.
#[derive(Default)]
struct ByteHasher(u64);

impl Hasher for ByteHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 ^= xxh3_64(bytes);
    }

    fn write_usize(&mut self, number: usize) {
        self.0 = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
