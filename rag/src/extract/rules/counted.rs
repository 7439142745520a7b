//! How often words occur in a document, and with which first letters: a capital at the beginning of a sentence
//! says nothing by itself, and the rest of the document knows.

use std::collections::HashMap;

use super::tokens::{Token, tokens};

/// What is counted of a document.
#[derive(Debug, Default)]
pub(in super::super) struct Counted {
    words: HashMap<String, Count>,
    all: usize,
}

/// How often a word occurs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    /// Without a capital.
    pub(super) small: u32,
    /// With a capital within a sentence.
    pub(super) capital: u32,
    /// In any form.
    pub(super) all: u32,
}

impl Counted {
    /// Counts the words of a text.
    pub(in super::super) fn of(text: &str) -> Self {
        let mut counted = Self::default();
        let mut folded = String::new();
        for token in tokens(text, 0) {
            if !token.is_word() {
                continue;
            }
            fold(token.text(text), &mut folded);
            let within = is_within(text, &token);
            let count = match counted.words.get_mut(&folded) {
                Some(count) => count,
                None => counted.words.entry(folded.clone()).or_default(),
            };
            count.all = count.all.saturating_add(1);
            if !token.capital {
                count.small = count.small.saturating_add(1);
            } else if within {
                count.capital = count.capital.saturating_add(1);
            }
            counted.all += 1;
        }
        counted
    }

    /// How often this word occurs; in lower case.
    pub(super) fn count(&self, word: &str) -> Count {
        self.words.get(word).copied().unwrap_or_default()
    }

    /// How rare a word is: 1 if it occurs all the time, and more the rarer it is.
    pub(super) fn rarity(&self, word: &str) -> f64 {
        let count = f64::from(self.count(word).all.max(1));
        1.0 + (self.all.max(1) as f64 / count).ln().max(0.0)
    }
}

/// Writes a word in lower case.
pub(super) fn fold(word: &str, to: &mut String) {
    to.clear();
    to.extend(word.chars().flat_map(char::to_lowercase));
}

/// Whether a word is surely not the first of a sentence: what is before it is a word or a comma.
fn is_within(text: &str, token: &Token) -> bool {
    let before = text[..token.start]
        .trim_end_matches(' ')
        .chars()
        .next_back();
    before.is_some_and(|sign| sign.is_alphanumeric() || sign == ',')
}
