//! Names that are known already, from triples or tables, wherever a text has them.

use aho_corasick::{AhoCorasick, MatchKind};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ops::Range;
use stratigraph::value::json::to_hex;

use super::super::ExtractError;
use super::super::reply::clean_name;
use super::tokens::is_wide;

/// Names that are known already.
#[derive(Clone)]
pub struct Dictionary {
    names: Vec<(String, Option<String>)>,
    search: AhoCorasick,
    digest: String,
}

/// What is shorter is found everywhere and means nothing.
const SHORTEST: usize = 3;
const SHORTEST_WIDE: usize = 2;

impl Dictionary {
    /// These names, each with what kind of thing it is if that is known. Letters of ASCII are found in any case.
    ///
    /// # Errors
    ///
    /// [`ExtractError::Dictionary`] for more names than can be looked for at once.
    pub fn of<'a>(
        names: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    ) -> Result<Self, ExtractError> {
        let mut known: BTreeMap<String, Option<String>> = BTreeMap::new();
        for (name, kind) in names {
            let Some(name) = clean_name(name).filter(|name| is_long_enough(name)) else {
                continue;
            };
            let kind = kind.and_then(clean_name);
            let before = known.entry(name).or_default();
            if before.is_none() {
                *before = kind;
            }
        }
        let names: Vec<(String, Option<String>)> = known.into_iter().collect();
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(true)
            .build(names.iter().map(|(name, _)| name))
            .map_err(|error| ExtractError::Dictionary {
                names: names.len(),
                problem: error.to_string(),
            })?;
        let mut digest = Sha256::new();
        for (name, kind) in &names {
            for part in [name.as_str(), kind.as_deref().unwrap_or_default()] {
                digest.update((part.len() as u64).to_be_bytes());
                digest.update(part);
            }
        }
        let digest = to_hex(&digest.finalize()[..8]);
        Ok(Self {
            names,
            search,
            digest,
        })
    }

    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// What tells it from others.
    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// Calls for each name that stands in the text as a word or words, the longest at each place.
    pub(super) fn each<'a>(
        &'a self,
        text: &str,
        mut each: impl FnMut(Range<usize>, &'a str, Option<&'a str>),
    ) {
        for found in self.search.find_iter(text) {
            if !(is_border(text, found.start()) && is_border(text, found.end())) {
                continue;
            }
            if let Some((name, kind)) = self.names.get(found.pattern().as_usize()) {
                each(found.range(), name, kind.as_deref());
            }
        }
    }
}

impl std::fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dictionary")
            .field("names", &self.names.len())
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}

fn is_long_enough(name: &str) -> bool {
    let wide = name.contains(is_wide);
    name.chars().count() >= if wide { SHORTEST_WIDE } else { SHORTEST }
}

/// Whether a word may begin or end here: not between two letters of a script that has words.
fn is_border(text: &str, at: usize) -> bool {
    let letter = |sign: &char| sign.is_alphanumeric() && !is_wide(*sign);
    let before = text[..at].chars().next_back().filter(letter);
    let after = text[at..].chars().next().filter(letter);
    before.is_none() || after.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_found_as_words_and_the_longest_wins() {
        let names = [
            ("stazione", None),
            ("Stazione appaltante", Some("ente")),
            ("审计机关", None),
            ("Basalt", None),
            ("ab", None),
            ("stazione", Some("luogo")),
        ];
        let dictionary = Dictionary::of(names).unwrap();
        assert_eq!(dictionary.len(), 4);
        let text = "La stazione appaltante e la stazione; basalts, BASALT. 由审计机关进行。ab";
        let mut found = Vec::new();
        dictionary.each(text, |span, name, kind| {
            found.push((text[span].to_owned(), name, kind));
        });
        let expected = [
            (
                "stazione appaltante".to_owned(),
                "Stazione appaltante",
                Some("ente"),
            ),
            ("stazione".to_owned(), "stazione", Some("luogo")),
            ("BASALT".to_owned(), "Basalt", None),
            ("审计机关".to_owned(), "审计机关", None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_order_of_names_does_not_matter() {
        let one = Dictionary::of([("Basalt", None), ("Granite", None)]).unwrap();
        let other = Dictionary::of([("Granite", None), ("Basalt", None)]).unwrap();
        assert_eq!(one.digest(), other.digest());
        assert!(Dictionary::of([]).unwrap().is_empty());
    }
}
