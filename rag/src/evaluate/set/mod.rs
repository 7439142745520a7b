//! Labelled sets: documents, and questions of which somebody has said what answers them.
//!
//! A set is a folder with `questions.jsonl` and one of the following, each perhaps with `.gz`:
//!
//! | file | what a row is |
//! |---|---|
//! | `corpus.jsonl` | a document: `id`, `text` (or `body`), perhaps `title`; everything else that is a text, a number or a truth is metadata |
//! | `pages.jsonl` | a page `{doc, page, text}`, which is a document `doc#page`; `documents.jsonl` may say more of each `doc` |
//! | `entities.jsonl` | a row `{table, name, id, ...}` of a table: a typed thing, of which a question asks for a cell |
//! | `triples.jsonl` | a fact `{id, e1, rel, e2, source}`, perhaps `reversed_of`: the fact that says the same the other way round |
//!
//! A document may have `entities` and `triples`, which somebody has extracted from it; then nobody else is asked. A row
//! of the questions has `id`, `question` and `gold`, which is one of
//!
//! | gold | what is right |
//! |---|---|
//! | a list of ids | these documents, or these facts |
//! | an object of ids and grades | these documents, some more than others |
//! | a list of `{doc, passages}` | these texts of these documents |
//! | a list of `{doc, page}` | these pages |
//! | a list of `{title}`, or `gold_doc`, a title | the documents that are called so |
//! | none, but `evidence`, a list of `{title, fact}` | these texts of the documents that are called so |
//! | none, but `answers`, in a set of rows | a row that the question names and that has an answer in a cell |
//! | an empty list | nothing: whoever asks is to be refused |
//!
//! and perhaps `answer` or `answers` and `answer_aliases`, `only` (an object of metadata that the question is limited to, or
//! `doc_name`, the `doc` of its pages), and `type`, `category` or `kind`. Questions that say `covered: false`, and
//! those of which nothing that is right is in the corpus, are left out, and [`LabelledSet::notes`] says so.

mod corpus;
mod entities;
mod facts;
mod posed;
mod questions;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use thiserror::Error;

use crate::build::hash;
use crate::extract::Extracted;
use crate::read::{Format, ReadError, Source};
use crate::retrieve::{Question, RetrieveError};
use crate::{Document, Metadata};
pub use entities::EntityRow;
pub use facts::FactRow;
pub(super) use facts::KnownFacts;
pub use posed::Posed;
pub(super) use questions::limited;
use questions::{Asked, Known};
use rows::is_there;
pub(super) use rows::{id_of, rows_of, texts_of};

/// A labelled set.
#[derive(Debug)]
pub struct LabelledSet {
    /// The name of its folder.
    pub name: String,
    /// The rows of its corpus.
    pub corpus: Vec<Row>,
    /// Its facts, if it has facts and no corpus.
    pub facts: Vec<FactRow>,
    /// Its rows of tables, if it has these and no corpus.
    pub entities: Vec<EntityRow>,
    /// Its questions.
    pub questions: Vec<Labelled>,
    /// What was left out, and why, for people.
    pub notes: Vec<String>,
    /// Whether no search for any of its questions misses anything that is near ([`Question::exact`]); it may if nothing is said.
    pub exact: bool,
}

/// A row of a corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The name of the document.
    pub id: String,
    /// What it is called; empty if it is not.
    pub title: String,
    /// Its text, as Markdown.
    pub text: String,
    /// What else is known of it.
    pub metadata: Metadata,
    /// What somebody has extracted from it already.
    pub said: Option<Extracted>,
}

/// A question with what answers it.
#[derive(Clone, Debug, PartialEq)]
pub struct Labelled {
    /// Its name among those of the set.
    pub id: String,
    /// The question.
    pub text: String,
    /// Of which kind the set says it is, in one word; empty if it does not.
    pub kind: String,
    /// The metadata that it is limited to.
    pub only: Metadata,
    /// What is right.
    pub gold: Gold,
    /// Short answers, of which any is right.
    pub answers: Vec<String>,
}

/// What answers a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Gold {
    /// These documents, with grades.
    Documents(Vec<(String, f64)>),
    /// These texts of these documents.
    Texts(Vec<(String, Vec<String>)>),
    /// These facts, in the order of the set.
    Facts(Vec<String>),
    /// A row of one of these tables that has an answer in a cell.
    Rows(Vec<String>),
    /// Nothing does.
    Nothing,
}

/// Why a set cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SetError {
    /// A file is not there, or ends early.
    #[error("{file}: {source}")]
    File {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// A row is not what it should be.
    #[error("{file}, line {line}: {problem}")]
    Row {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// Two rows have one name.
    #[error("two of its {what} have the id {id:?}")]
    Twice {
        /// Of what.
        what: &'static str,
        /// The name.
        id: String,
    },
    /// Nobody says of any of its questions what answers it.
    #[error(
        "nobody says what answers its {questions} questions: no row has `gold`, `gold_doc` or `evidence`"
    )]
    NoGold {
        /// How many there are.
        questions: usize,
    },
}

impl LabelledSet {
    /// Reads the set of a folder.
    ///
    /// # Errors
    /// [`SetError`], with the file and the line.
    pub fn read(folder: &Path) -> Result<Self, SetError> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let mut notes = Vec::new();
        let facts = facts::read(folder)?;
        let corpus = corpus::read(folder, &mut notes)?;
        let entities = entities::read(folder)?;
        let titles = corpus.iter();
        let titles = titles.map(|row| (row.title.as_str(), row.id.as_str()));
        let known = Known {
            titles: titles.collect(),
            facts: !facts.is_empty(),
            entities: &entities,
        };
        let (mut questions, mut without, mut not_covered) = (Vec::new(), 0, 0);
        let rows = rows::rows(folder, "questions", |row, number| {
            match questions::read(row, number, &known)? {
                Asked::Labelled(_) if without > 0 => {
                    return Err("says what answers it, and rows before it do not".to_owned());
                }
                Asked::Labelled(labelled) => questions.push(labelled),
                Asked::NoGold if !questions.is_empty() => return Err(questions::no_gold()),
                Asked::NoGold => without += 1,
                Asked::NotCovered => not_covered += 1,
            }
            Ok(())
        })?;
        let count = rows.len();
        if without > 0 {
            return Err(SetError::NoGold { questions: without });
        }
        if not_covered > 0 {
            notes.push(format!("{not_covered} of its {count} questions are not covered by its corpus, as it says itself, and are left out"));
        }
        let mut set = Self {
            name: name.into_owned(),
            corpus,
            facts,
            entities,
            questions,
            notes,
            exact: false,
        };
        set.check_names()?;
        set.leave_out_what_nothing_answers();
        Ok(set)
    }

    /// Two rows of one name would be one, and measured as if they were two.
    fn check_names(&self) -> Result<(), SetError> {
        once("documents", self.corpus.iter().map(|row| &row.id))?;
        once("facts", self.facts.iter().map(|row| &row.id))?;
        once("questions", self.questions.iter().map(|row| &row.id))
    }

    /// Leaves the questions out of which nothing that is right is in the corpus: nobody could find it.
    fn leave_out_what_nothing_answers(&mut self) {
        let count = self.questions.len();
        let ids: BTreeSet<&str> = match self.facts.is_empty() {
            true => self.corpus.iter().map(|row| row.id.as_str()).collect(),
            false => self.facts.iter().map(|fact| fact.id.as_str()).collect(),
        };
        let (mut missing, mut partly) = (0, 0);
        self.questions.retain(|question| {
            let gold = question.gold.ids();
            let there = gold.iter().filter(|id| ids.contains(**id)).count();
            let is_out = match &question.gold {
                Gold::Rows(tables) => tables.is_empty(),
                _ => there == 0 && !gold.is_empty(),
            };
            missing += usize::from(is_out);
            partly += usize::from(!is_out && there < gold.len());
            !is_out
        });
        if missing > 0 {
            self.notes.push(format!(
                "{missing} of its {count} questions are about what is not in its corpus, and are left out"
            ));
        }
        if partly > 0 {
            self.notes.push(format!(
                "{partly} of its questions are in part about what is not in its corpus: not all of that can be found"
            ));
        }
    }

    /// Whether a folder has the files of a set.
    #[must_use]
    pub fn is_one(folder: &Path) -> bool {
        is_there(folder, "questions")
            && ["corpus", "pages", "triples", "entities"]
                .iter()
                .any(|name| is_there(folder, name))
    }

    /// The metadata that its questions are limited to.
    #[must_use]
    pub fn filters(&self) -> BTreeSet<&str> {
        let names = self
            .questions
            .iter()
            .flat_map(|question| question.only.keys());
        names.map(String::as_str).collect()
    }

    /// Its questions alone, limited to nothing, under another name: for the graph and the judge of the set itself.
    #[must_use]
    pub fn without_filters(&self) -> Self {
        let unlimited = |question: &Labelled| Labelled {
            only: Metadata::new(),
            ..question.clone()
        };
        Self {
            name: format!("{}_unfiltered", self.name),
            corpus: Vec::new(),
            facts: Vec::new(),
            entities: Vec::new(),
            questions: self.questions.iter().map(unlimited).collect(),
            notes: Vec::new(),
            exact: self.exact,
        }
    }

    /// One of its questions, as it is asked.
    ///
    /// # Errors
    /// [`RetrieveError::LongQuestion`].
    pub fn question(&self, labelled: &Labelled) -> Result<Question, RetrieveError> {
        let question = labelled.question()?;
        Ok(match self.exact {
            true => question.exact(),
            false => question,
        })
    }

    /// A hash of everything that its graph is made of: who has built it once needs no second look at a graph of the same.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let rows = self.corpus.iter().map(|row| {
            let rest = format!("{:?} {:?}", row.metadata, row.said);
            hash([row.id.as_str(), &row.title, &row.text, &rest])
        });
        let facts = self.facts.iter().map(|fact| format!("{fact:?}"));
        let entities = self.entities.iter().map(|row| row.line.clone());
        let parts: Vec<String> = rows.chain(facts).chain(entities).collect();
        hash(parts.iter().map(String::as_str))
    }

    /// Its documents, read.
    pub fn documents(&self) -> impl Iterator<Item = Result<Document, ReadError>> {
        self.corpus.iter().map(Row::document)
    }

    /// What somebody has extracted from its documents already, by their names.
    #[must_use]
    pub fn said(&self) -> BTreeMap<String, Extracted> {
        let said = self.corpus.iter();
        let said = said.filter_map(|row| Some((row.id.clone(), row.said.clone()?)));
        said.collect()
    }

    /// Texts of it, for whoever wants to know what language it is in: of documents, or of facts.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let facts = self.facts.iter().map(|fact| match &fact.triple.source {
            none if none.is_empty() => fact.triple.subject.as_str(),
            source => source.as_str(),
        });
        let cells = self.entities.iter().flat_map(|row| &row.cells);
        let texts = self.corpus.iter().map(|row| row.text.as_str());
        texts.chain(facts).chain(cells.map(String::as_str))
    }
}

pub(super) fn once<'a>(
    what: &'static str,
    mut ids: impl Iterator<Item = &'a String>,
) -> Result<(), SetError> {
    let mut seen = BTreeSet::new();
    match ids.find(|id| !seen.insert(id.as_str())) {
        None => Ok(()),
        Some(id) => Err(SetError::Twice {
            what,
            id: id.chars().take(64).collect(),
        }),
    }
}

impl Gold {
    /// The documents or facts that it names.
    #[must_use]
    pub fn ids(&self) -> Vec<&str> {
        match self {
            Self::Documents(grades) => grades.iter().map(|(id, _)| id.as_str()).collect(),
            Self::Texts(texts) => texts.iter().map(|(id, _)| id.as_str()).collect(),
            Self::Facts(ids) => ids.iter().map(String::as_str).collect(),
            Self::Rows(_) | Self::Nothing => Vec::new(),
        }
    }
}

impl Row {
    fn document(&self) -> Result<Document, ReadError> {
        let title = self.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = match title.as_str() {
            "" => self.text.clone(),
            title => format!("# {title}\n\n{}", self.text),
        };
        let source = Source::new(&self.id, text.as_bytes());
        source
            .metadata(self.metadata.clone())
            .read(Format::Markdown)
    }
}

/// A text without blanks: what was taken out of a document is often set in another way.
pub(super) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}
