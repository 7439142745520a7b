//! From a folded word to the terms that are stored for it.

use super::{Analysis, Kind, fold};
use frostem::{Algorithm, Stemmer};

/// Longer words are names, chains of figures or noise, and Snowball walks over them several times.
const MAX_STEMMED_BYTES: usize = 64;

/// Stems words of one language.
pub(crate) struct Stems {
    stemmer: Option<Stemmer>,
    accents: bool,
    plain: String,
}

impl Stems {
    pub(crate) fn new(analysis: Analysis) -> Self {
        let algorithm = match analysis {
            Analysis::English => Some(Algorithm::English),
            Analysis::Italian => Some(Algorithm::Italian),
            Analysis::Plain | Analysis::Chinese => None,
        };
        Self {
            stemmer: algorithm.map(Stemmer::new),
            accents: analysis == Analysis::Italian,
            plain: String::new(),
        }
    }

    /// Whether a token is its own and only term, whatever else there is.
    pub(crate) fn keeps(&self, token: &str, kind: Kind) -> bool {
        (kind != Kind::Word || self.stemmer.is_none()) && (!self.accents || token.is_ascii())
    }

    /// Calls `visit` with the terms of a token: one, and for an accented Italian word whose stem without the
    /// accent would be another, that one as well. `università` is then found by `universita`, which people write.
    pub(crate) fn terms(&mut self, token: &str, kind: Kind, mut visit: impl FnMut(&str)) {
        // An ending may be replaced by a longer one, and an accent may be all there is.
        let mut visit = |term: &str| {
            let term = super::cut(term);
            if !term.is_empty() {
                visit(term);
            }
        };
        let stemmer = match &self.stemmer {
            Some(stemmer) if kind == Kind::Word && token.len() <= MAX_STEMMED_BYTES => stemmer,
            _ => {
                if self.accents && !token.is_ascii() {
                    fold::without_accents(token, &mut self.plain);
                    return visit(&self.plain);
                }
                return visit(token);
            }
        };
        if token.is_ascii() || !self.accents {
            return visit(&stemmer.stem(token));
        }
        fold::without_accents(&stemmer.stem(token), &mut self.plain);
        visit(&self.plain);
        let first = self.plain.clone();
        fold::without_accents(token, &mut self.plain);
        let second = stemmer.stem(&self.plain);
        if second != first {
            visit(&second);
        }
    }
}
