//! The terms of a text, for whoever compares texts by the words that an index would compare them by.

use super::{Analysis, Kind, Stems};
use std::collections::{HashMap, HashSet};

/// What a pair of Han characters counts that is no word.
pub(in crate::index::text) const PAIR_WEIGHT: f32 = 0.5;

/// A term of a text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Term {
    /// As an index has it: folded, without its ending.
    pub text: String,
    /// What it counts in a question: 1 for words, half for pairs of Han characters that are no word, nothing for
    /// characters that pairs already say.
    pub weight: f32,
}

impl Analysis {
    /// The distinct terms of a text, in the order in which they come first.
    ///
    /// ```
    /// use stratigraph::Analysis;
    ///
    /// let terms = Analysis::English.terms("The rocks, and a rock");
    /// let terms: Vec<&str> = terms.iter().map(|term| term.text.as_str()).collect();
    /// assert_eq!(terms, ["the", "rock", "and", "a"]);
    /// ```
    #[must_use]
    pub fn terms(self, text: &str) -> Vec<Term> {
        let mut stems = Stems::new(self);
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut terms: Vec<Term> = Vec::new();
        let paired = self.paired(text);
        self.tokens(text, |token| {
            let weight = match token.kind {
                Kind::Character if paired.contains(&token.position) => 0.0,
                Kind::Pair if !token.is_word => PAIR_WEIGHT,
                _ => 1.0,
            };
            stems.terms(token.text, token.kind, |term| match places.get(term) {
                Some(place) => {
                    if let Some(known) = terms.get_mut(*place) {
                        known.weight = known.weight.max(weight);
                    }
                }
                None => {
                    places.insert(term.to_owned(), terms.len());
                    let text = term.to_owned();
                    terms.push(Term { text, weight });
                }
            });
        });
        terms
    }

    /// The positions of Han characters that are in pairs.
    pub(in crate::index::text) fn paired(self, text: &str) -> HashSet<u32> {
        let mut paired = HashSet::new();
        if text.is_ascii() {
            return paired;
        }
        self.tokens(text, |token| {
            if token.kind == Kind::Pair {
                paired.extend([token.position, token.position + 1]);
            }
        });
        paired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn han_counts_once() {
        let terms = Analysis::Plain.terms("玄武岩 basalt");
        let of = |weight: f32| -> Vec<&str> {
            let same = terms.iter().filter(|term| term.weight == weight);
            same.map(|term| term.text.as_str()).collect()
        };
        assert_eq!(of(0.0), ["玄", "武", "岩"]);
        assert_eq!(of(0.5), ["玄武", "武岩"]);
        assert_eq!(of(1.0), ["basalt"]);
        // One alone says itself.
        let alone = Analysis::Plain.terms("岩");
        assert_eq!((alone.len(), alone[0].weight), (1, 1.0));
    }

    #[test]
    fn terms_are_those_of_the_index() {
        let texts = |analysis: Analysis, text: &str| -> Vec<String> {
            let terms = analysis.terms(text).into_iter();
            terms.map(|term| term.text).collect()
        };
        assert_eq!(texts(Analysis::English, "Rocks' ROCK"), ["rock"]);
        assert_eq!(texts(Analysis::Plain, "Rocks rock"), ["rocks", "rock"]);
        assert!(texts(Analysis::Plain, "!?").is_empty());
    }
}
