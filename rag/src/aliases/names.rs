//! Names as they are compared: without case, marks, signs and articles.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::extract::is_common;

/// What is compared of a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) normalised: String,
    /// The words that say something, or pairs of signs of scripts without words.
    pub(super) words: Vec<String>,
    /// The numbers in it, sorted.
    pub(super) numbers: Vec<String>,
}

/// What a name begins with and is not part of it.
const ARTICLES: [&str; 12] = [
    "the", "a", "an", "il", "lo", "la", "i", "gli", "le", "l", "un", "una",
];

/// A name without case, marks, signs and articles: "L'Università" and "UNIVERSITA" are the same.
#[must_use]
pub fn normalised(name: &str) -> String {
    let plain: String = name
        .nfkd()
        .filter(|sign| !is_combining_mark(*sign))
        .flat_map(char::to_lowercase)
        .map(|sign| if sign.is_alphanumeric() { sign } else { ' ' })
        .collect();
    let mut words: Vec<&str> = plain.split_whitespace().collect();
    if words.len() > 1 && ARTICLES.contains(&words[0]) {
        words.remove(0);
    }
    words.join(" ")
}

pub(super) fn shape(name: &str) -> Shape {
    let normalised = normalised(name);
    let mut words = Vec::new();
    let mut numbers = Vec::new();
    for word in normalised.split(' ').filter(|word| !word.is_empty()) {
        if word.contains(char::is_numeric) {
            numbers.push(word.to_owned());
        } else if word.chars().any(|sign| sign as u32 >= 0x3041) {
            let signs: Vec<char> = word.chars().collect();
            words.extend(signs.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else if !is_common(word) {
            words.push(word.to_owned());
        }
    }
    numbers.sort();
    Shape {
        normalised,
        words,
        numbers,
    }
}

/// The first letters of a name of several words.
pub(super) fn initials(shape: &Shape) -> Option<String> {
    let letters: String = shape
        .words
        .iter()
        .filter_map(|word| word.chars().next())
        .collect();
    let whole = shape.numbers.is_empty() && shape.words.len() > 1;
    whole.then_some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_marks_signs_and_articles_are_nothing() {
        for (one, other) in [
            ("L'Università di Bari", "UNIVERSITA DI BARI"),
            ("The Bank-of England", "Bank of  England"),
            ("ＧＤＰ", "gdp"),
            ("《审计法》", "审计法"),
        ] {
            assert_eq!(normalised(one), normalised(other), "{one}");
        }
        assert_ne!(normalised("Article 5"), normalised("Article 6"));
        // An article alone is a name.
        assert_eq!(normalised("The"), "the");
        assert_eq!(normalised("!?"), "");
    }
}
