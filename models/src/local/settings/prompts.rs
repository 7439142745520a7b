//! What is put before a text, so that the model knows whether it asks or answers.
//!
//! What the files say counts. Some families say it only in words, to people who read about them; those are
//! recognised by their names.

use super::Check;
use crate::error::ModelError;
use std::collections::BTreeMap;

/// Every known one is a sentence.
const LONGEST: usize = 4096;

/// What is put before a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prompts {
    pub(crate) question: String,
    pub(crate) passage: String,
}

impl Prompts {
    fn new(question: &str, passage: &str) -> Self {
        Self {
            question: question.to_owned(),
            passage: passage.to_owned(),
        }
    }

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
                .find_map(|name| known(name))
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

/// What those who made a family tell its users to put before texts.
fn known(name: &str) -> Option<Prompts> {
    let name = name.to_lowercase();
    // The folder or the repository, without who made it.
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    const RETRIEVE: &str = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:";
    if name.contains("e5-") && name.contains("instruct") {
        return Some(Prompts::new(&format!("{RETRIEVE} "), ""));
    }
    if name.starts_with("e5-") || name.contains("-e5-") {
        return Some(Prompts::new("query: ", "passage: "));
    }
    if name.starts_with("bge-") && name.contains("-en") {
        let prompt = "Represent this sentence for searching relevant passages: ";
        return Some(Prompts::new(prompt, ""));
    }
    if name.starts_with("bge-") && name.contains("-zh") {
        let prompt = "为这个句子生成表示以用于检索相关文章：";
        return Some(Prompts::new(prompt, ""));
    }
    name.starts_with("qwen3-embedding")
        .then(|| Prompts::new(RETRIEVE, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_known_by_their_names() {
        for (name, question, passage) in [
            ("intfloat/e5-small-v2", "query: ", "passage: "),
            ("multilingual-e5-base", "query: ", "passage: "),
            (
                "BAAI/bge-small-en-v1.5",
                "Represent this sentence for searching relevant passages: ",
                "",
            ),
            (
                "models/bge-large-zh-v1.5",
                "为这个句子生成表示以用于检索相关文章：",
                "",
            ),
        ] {
            assert_eq!(known(name), Some(Prompts::new(question, passage)), "{name}");
        }
        let instruct = known("intfloat/multilingual-e5-large-instruct").unwrap();
        assert!(instruct.question.starts_with("Instruct: ") && instruct.passage.is_empty());
        for name in ["all-MiniLM-L6-v2", "bge-m3", "thenlper/gte-base", "", "/"] {
            assert_eq!(known(name), None, "{name}");
        }
    }

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
