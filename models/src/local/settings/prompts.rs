//! What the files of a model say is put before a text. It counts more than what is known of its family.

use super::Check;
use crate::error::ModelError;
use crate::prompts::Prompts;
use std::collections::BTreeMap;

/// Every known one is a sentence.
const LONGEST: usize = 4096;

impl Prompts {
    /// By the names that sentence-transformers looks for, then its default, then what is known of the family.
    pub(super) fn choose(
        prompts: &BTreeMap<String, String>,
        default: Option<&str>,
        names: &[&str],
    ) -> Self {
        let find = |wanted: &[&str]| {
            let found = wanted.iter().find_map(|name| prompts.get(*name));
            found.or_else(|| prompts.get(default?)).cloned()
        };
        let question = find(&["query"]);
        let passage = find(&["document", "passage", "corpus"]);
        if question.is_none() && passage.is_none() {
            return names
                .iter()
                .find_map(|name| Self::of_family(name))
                .unwrap_or_default();
        }
        Self {
            question: question.unwrap_or_default(),
            passage: passage.unwrap_or_default(),
        }
    }

    pub(super) fn check(&self, check: &Check<'_>) -> Result<(), ModelError> {
        let longest = self.question.len().max(self.passage.len());
        let fits = longest <= LONGEST;
        check.that("prompts", longest, fits, "prompts of at most 4096 bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_files_say_counts_more_than_the_name() {
        let said = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            let owned = |pair: &(&str, &str)| (pair.0.to_owned(), pair.1.to_owned());
            pairs.iter().map(owned).collect()
        };
        let names = ["e5-base"];
        let chosen = Prompts::choose(&said(&[("query", "Q: ")]), None, &names);
        assert_eq!(chosen, Prompts::new("Q: ", ""));
        let both = said(&[("query", "Q: "), ("passage", "P: "), ("other", "O: ")]);
        let chosen = Prompts::choose(&both, Some("other"), &names);
        assert_eq!(chosen, Prompts::new("Q: ", "P: "));
        let chosen = Prompts::choose(&said(&[("other", "O: ")]), Some("other"), &names);
        assert_eq!(chosen, Prompts::new("O: ", "O: "));
        let chosen = Prompts::choose(&said(&[("other", "O: ")]), None, &names);
        assert_eq!(chosen, Prompts::new("query: ", "passage: "));
    }
}
