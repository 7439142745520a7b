//! What models are asked for, one row each: the folder of its prompts, and which places its question has.
//!
//! Next: `prompt.rs`.

use super::Language;
use super::prompt::{Prompt, schema_name};

/// The files of a task.
struct Source {
    name: &'static str,
    schema: &'static str,
    texts: [&'static str; Language::ALL.len()],
}

macro_rules! tasks {
    ($($task:ident: $name:literal [$($place:literal),*];)*) => {
        /// What is asked for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum Task {
            $($task,)*
        }

        impl Task {
            const ALL: &'static [Self] = &[$(Self::$task),*];

            fn source(self) -> Source {
                match self {
                    $(Self::$task => Source {
                        name: $name,
                        schema: include_str!(concat!("../../prompts/", $name, "/schema.json")),
                        texts: [
                            include_str!(concat!("../../prompts/", $name, "/en.md")),
                            include_str!(concat!("../../prompts/", $name, "/it.md")),
                            include_str!(concat!("../../prompts/", $name, "/zh.md")),
                        ],
                    },)*
                }
            }

            #[cfg(test)]
            fn places(self) -> &'static [&'static str] {
                match self {
                    $(Self::$task => &[$($place),*],)*
                }
            }
        }
    };
}

tasks! {
    BagEntities: "bag-entities" ["place", "known", "carried", "sentences"];
    BagRelations: "bag-relations" ["place", "entities", "sentences"];
    Triples: "triples" ["place", "text"];
    Condense: "condense" ["place", "text"];
    TypedTriples: "typed-triples" ["place", "text", "kinds", "verbs"];
    ObjectTags: "object-tags" ["place", "text"];
    TagChain: "tag-chain" ["root", "tag"];
    EntitySummary: "entity-summary" ["name", "descriptions"];
    DomainSummary: "domain-summary" ["chain", "above", "tags", "relations", "before"];
    Relevance: "relevance" ["question", "texts"];
    Answer: "answer" ["question", "passages"];
    Direct: "direct" ["question"];
    Wordings: "wordings" ["question", "count"];
    QuestionTriples: "question-triples" ["question", "count"];
    Statements: "statements" ["question", "text"];
    BorneOut: "borne-out" ["context", "statements"];
    AskedBy: "asked-by" ["text", "count"];
    Alike: "alike" ["question", "first", "second"];
    Better: "better" ["criteria", "question", "first", "second"];
    Users: "users" ["corpus", "users", "tasks"];
    UserQuestions: "task-questions" ["corpus", "user", "task", "count"];
}

impl Task {
    /// Its prompt in this language.
    pub(super) fn prompt(self, language: Language) -> Prompt {
        let source = self.source();
        let place = Language::ALL.iter().position(|one| *one == language);
        Prompt::parse(
            source.name,
            language,
            source.texts[place.unwrap_or(0)],
            source.schema,
        )
    }

    /// The one whose replies are held to the schema of this name.
    pub(super) fn of_schema(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|task| schema_name(task.source().name) == name)
    }

    /// Its versions in all languages: `triples/1.1.1`.
    pub(super) fn versions(self) -> String {
        let versions = Language::ALL.map(|language| self.prompt(language).version.to_string());
        format!("{}/{}", self.source().name, versions.join("."))
    }
}

/// Whether the prompt of this id, as replies are kept with it, is one that pieces of documents are read with.
pub(crate) fn reads_documents(id: &str) -> bool {
    let reading = [
        Task::BagEntities,
        Task::BagRelations,
        Task::Triples,
        Task::Condense,
        Task::TypedTriples,
        Task::ObjectTags,
        Task::TagChain,
    ];
    let name = id.split('/').next();
    reading.iter().any(|task| name == Some(task.source().name))
}

#[cfg(test)]
mod tests {
    use super::super::prompt::Choice;
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn all_prompts_are_whole_in_all_languages() {
        for task in Task::ALL {
            for language in Language::ALL {
                let prompt = task.prompt(language);
                assert!(prompt.version > 0, "{}", prompt.id());
                assert!(prompt.instructions.len() > 100, "{}", prompt.id());
                let kinds = ["person".to_owned()];
                let choices = ["kinds", "verbs", "numbers", "names"];
                let choices: [Choice<'_>; 4] = choices.map(|name| (name, &kinds[..]));
                let schema = prompt.schema(&choices).unwrap();
                assert_eq!(Task::of_schema(schema.name()), Some(*task));
                assert_eq!(
                    schema.json()["additionalProperties"],
                    false,
                    "{}",
                    prompt.id()
                );
                let mut expected: Vec<&str> = task.places().to_vec();
                expected.push("mark");
                for place in expected {
                    let found = prompt.question.contains(&format!("{{{place}}}"));
                    assert!(found, "{} has no {place}", prompt.id());
                }
            }
        }
    }

    /// A reply that is kept belongs to a version; were the text changed under it, old replies would pass for
    /// replies to the new text. If this fails: raise the version in the file, and add the line that it prints.
    #[test]
    fn a_text_changes_only_with_its_version() {
        let known: BTreeMap<&str, &str> = include_str!("../../prompts/versions.txt")
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once(' '))
            .collect();
        let mut wrong = Vec::new();
        for task in Task::ALL {
            for language in Language::ALL {
                let prompt = task.prompt(language);
                if known.get(prompt.id().as_str()) != Some(&prompt.digest().as_str()) {
                    wrong.push(format!("{} {}", prompt.id(), prompt.digest()));
                }
            }
        }
        assert!(
            wrong.is_empty(),
            "not in prompts/versions.txt:\n{}",
            wrong.join("\n")
        );
    }
}
