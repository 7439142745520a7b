//! What is put before a text, so that a model knows whether it asks or answers.
//!
//! Families of which their makers say it only in words, to people who read about them, are recognised by their names.

use sha2::{Digest, Sha256};

const RETRIEVE: &str =
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:";
const REPRESENT: &str = "Represent this sentence for searching relevant passages: ";

/// How the names of a family begin, what else they have, and what is put before questions and passages. The first counts.
const FAMILIES: [(&str, &str, &str, &str); 9] = [
    ("bge-", "-en", REPRESENT, ""),
    ("bge-", "-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    ("mxbai-embed-large", "", REPRESENT, ""),
    ("snowflake-arctic-embed2", "", "query: ", ""),
    ("snowflake-arctic-embed", "v2.", "query: ", ""),
    ("snowflake-arctic-embed", "", REPRESENT, ""),
    ("qwen3-embedding", "", RETRIEVE, ""),
    (
        "nomic-embed-text",
        "",
        "search_query: ",
        "search_document: ",
    ),
    (
        "embeddinggemma",
        "",
        "task: search result | query: ",
        "title: none | text: ",
    ),
];

/// What is put before a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prompts {
    pub(crate) question: String,
    pub(crate) passage: String,
}

impl Prompts {
    pub(crate) fn new(question: &str, passage: &str) -> Self {
        Self {
            question: question.to_owned(),
            passage: passage.to_owned(),
        }
    }

    /// What those who made a family tell its users to put before texts, if the name is of a known one.
    pub(crate) fn of_family(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        // The folder or the repository, without who made it.
        let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
        if name.contains("e5-") && name.contains("instruct") {
            return Some(Self::new(&format!("{RETRIEVE} "), ""));
        }
        if name.starts_with("e5-") || name.contains("-e5-") {
            return Some(Self::new("query: ", "passage: "));
        }
        let of = |family: &&(&str, &str, &str, &str)| {
            name.starts_with(family.0) && name.contains(family.1)
        };
        let (_, _, question, passage) = FAMILIES.iter().find(of)?;
        Some(Self::new(question, passage))
    }

    /// Eight digits that are others for other prompts, or another limit of what is read.
    pub(crate) fn fingerprint(&self, limit: impl std::fmt::Display) -> String {
        let Self { question, passage } = self;
        // With its length, so that no two settings are the same bytes.
        let all = format!("{}:{question}{passage}:{limit}", question.len());
        let hash = Sha256::digest(all.as_bytes());
        hash[..4].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_known_by_their_names() {
        const REPRESENT: &str = "Represent this sentence for searching relevant passages: ";
        for (name, question, passage) in [
            ("intfloat/e5-small-v2", "query: ", "passage: "),
            ("multilingual-e5-base", "query: ", "passage: "),
            ("BAAI/bge-small-en-v1.5", REPRESENT, ""),
            (
                "models/bge-large-zh-v1.5",
                "为这个句子生成表示以用于检索相关文章：",
                "",
            ),
            ("mxbai-embed-large:latest", REPRESENT, ""),
            ("snowflake-arctic-embed:22m", REPRESENT, ""),
            ("snowflake-arctic-embed2", "query: ", ""),
            ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
            ("nomic-embed-text", "search_query: ", "search_document: "),
            (
                "embeddinggemma:300m",
                "task: search result | query: ",
                "title: none | text: ",
            ),
        ] {
            let known = Prompts::of_family(name);
            assert_eq!(known, Some(Prompts::new(question, passage)), "{name}");
        }
        for name in [
            "intfloat/multilingual-e5-large-instruct",
            "qwen3-embedding:0.6b",
        ] {
            let told = Prompts::of_family(name).unwrap();
            assert!(
                told.question.starts_with("Instruct: ") && told.passage.is_empty(),
                "{name}"
            );
        }
        for name in ["all-MiniLM-L6-v2", "bge-m3", "thenlper/gte-base", "", "/"] {
            assert_eq!(Prompts::of_family(name), None, "{name}");
        }
    }
}
