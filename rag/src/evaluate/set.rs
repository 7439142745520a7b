//! Labelled sets: documents, and questions of which somebody has said what answers them.
//!
//! A set is a folder with `corpus.jsonl` and `questions.jsonl`, or both with `.gz`. A row of the corpus is a document:
//! `id`, `text`, perhaps `title`, and everything else that is a text, a number or a truth is metadata. A row of
//! the questions has `id`, `question` and `gold`, which is one of
//!
//! | gold | what is right |
//! |---|---|
//! | a list of ids | these documents |
//! | an object of ids and grades | these documents, some more than others |
//! | a list of `{doc, passages}` | these texts of these documents |
//! | a list of `{doc, page}` | these pages |
//! | a list of `{title}`, or `gold_doc`, a title | the documents that are called so |
//! | an empty list | nothing: whoever asks is to be refused |
//!
//! and perhaps `answer` or `answers`, `only` (an object of metadata that the question is limited to) and `type`.
//!
//! A corpus may also be `pages.jsonl`, of rows `{doc, page, text}`. Each page is a document then, `doc#page`, and a question
//! with `doc_name` is limited to the pages of that document.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde_json::Value as Json;
use thiserror::Error;

use crate::read::{Format, ReadError, Source};
use crate::{Datum, Document, Metadata};

/// The longest line of a set.
const LONGEST_LINE: u64 = 64 << 20;

/// A labelled set.
#[derive(Debug)]
pub struct LabelledSet {
    /// The name of its folder.
    pub name: String,
    /// The rows of its corpus.
    pub corpus: Vec<Row>,
    /// Its questions.
    pub questions: Vec<Labelled>,
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
}

/// A question with what answers it.
#[derive(Clone, Debug, PartialEq)]
pub struct Labelled {
    /// Its name among those of the set.
    pub id: String,
    /// The question.
    pub text: String,
    /// Of which kind the set says it is; empty if it does not.
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
    /// Nothing does.
    Nothing,
}

/// Why a set cannot be read.
#[derive(Debug, Error)]
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
}

impl LabelledSet {
    /// Reads the set of a folder.
    ///
    /// # Errors
    /// [`SetError`], with the file and the line.
    pub fn read(folder: &Path) -> Result<Self, SetError> {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let corpus = match is_there(folder, "pages") {
            true => rows(folder, "pages", row_of)?,
            false => rows(folder, "corpus", row_of)?,
        };
        let titles: BTreeMap<&str, &str> = corpus
            .iter()
            .map(|row| (row.title.as_str(), row.id.as_str()))
            .collect();
        let questions = rows(folder, "questions", |row, number| {
            question_of(row, number, &titles)
        })?;
        Ok(Self {
            name: name.into_owned(),
            corpus,
            questions,
        })
    }

    /// Whether a folder has the files of a set.
    #[must_use]
    pub fn is_one(folder: &Path) -> bool {
        is_there(folder, "questions")
            && ["corpus", "pages"]
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

    /// Its documents, read.
    pub fn documents(&self) -> impl Iterator<Item = Result<Document, ReadError>> {
        self.corpus.iter().map(Row::document)
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

fn is_there(folder: &Path, name: &str) -> bool {
    let mut ends = ["jsonl", "jsonl.gz"].iter();
    ends.any(|end| folder.join(format!("{name}.{end}")).is_file())
}

/// The rows of a file, or of the same with `.gz`.
fn rows<T>(
    folder: &Path,
    name: &str,
    mut of: impl FnMut(&Json, usize) -> Result<T, String>,
) -> Result<Vec<T>, SetError> {
    let plain = folder.join(format!("{name}.jsonl"));
    let packed = folder.join(format!("{name}.jsonl.gz"));
    let path = if packed.is_file() { packed } else { plain };
    let file = path.display().to_string();
    let failed = |source| SetError::File {
        file: file.clone(),
        source,
    };
    let opened = File::open(&path).map_err(failed)?;
    let mut lines: Box<dyn BufRead> = match path.extension().is_some_and(|end| end == "gz") {
        true => Box::new(BufReader::new(MultiGzDecoder::new(opened))),
        false => Box::new(BufReader::new(opened)),
    };
    let mut all = Vec::new();
    for line in 1.. {
        let mut text = Vec::new();
        let read = lines
            .by_ref()
            .take(LONGEST_LINE + 1)
            .read_until(b'\n', &mut text);
        if read.map_err(failed)? == 0 {
            break;
        }
        let wrong = |problem| SetError::Row {
            file: file.clone(),
            line,
            problem,
        };
        if text.len() as u64 > LONGEST_LINE {
            return Err(wrong(format!("is longer than {LONGEST_LINE} bytes")));
        }
        if text.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let row: Json = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        all.push(of(&row, all.len()).map_err(wrong)?);
    }
    Ok(all)
}

fn row_of(row: &Json, number: usize) -> Result<Row, String> {
    let known = ["id", "title", "text", "body"];
    let object = row.as_object().ok_or("is no object")?;
    let text = ["text", "body"].iter().find_map(|name| row[*name].as_str());
    let text = text.ok_or("has no `text`")?;
    let title = ["title", "doc"].iter().find_map(|name| row[*name].as_str());
    let rest = object
        .iter()
        .filter(|(name, _)| !known.contains(&name.as_str()));
    let metadata = rest.filter_map(|(name, value)| Some((name.clone(), datum(value)?)));
    Ok(Row {
        id: id_of(&row["id"])
            .or_else(|| page(row))
            .unwrap_or_else(|| number.to_string()),
        title: title.unwrap_or_default().to_owned(),
        text: text.to_owned(),
        metadata: metadata.collect(),
    })
}

fn question_of(row: &Json, number: usize, titles: &Titles<'_>) -> Result<Labelled, String> {
    let text = row["question"].as_str().ok_or("has no `question`")?;
    let answers = match (&row["answers"], &row["answer"]) {
        (Json::Array(answers), _) => answers
            .iter()
            .filter_map(Json::as_str)
            .map(str::to_owned)
            .collect(),
        (_, Json::String(answer)) => vec![answer.clone()],
        _ => Vec::new(),
    };
    let only = row["only"].as_object().into_iter().flatten();
    let mut only: Metadata = only
        .filter_map(|(name, value)| Some((name.clone(), datum(value)?)))
        .collect();
    if let Some(name) = row["doc_name"].as_str() {
        only.insert("doc".to_owned(), name.into());
    }
    let kind = ["type", "category", "kind"]
        .iter()
        .find_map(|name| row[*name].as_str());
    Ok(Labelled {
        id: id_of(&row["id"]).unwrap_or_else(|| number.to_string()),
        text: text.to_owned(),
        kind: kind.unwrap_or_default().to_owned(),
        only,
        gold: gold_of(row, titles)?,
        answers,
    })
}

/// The documents by their titles.
type Titles<'a> = BTreeMap<&'a str, &'a str>;

fn gold_of(row: &Json, titles: &Titles<'_>) -> Result<Gold, String> {
    let called = |title: &Json| {
        let title = title.as_str().unwrap_or_default();
        let id = titles.get(title);
        let id = id.ok_or_else(|| format!("no document is called {title:?}"))?;
        Ok(((*id).to_owned(), 1.0))
    };
    if row["gold_doc"].is_string() {
        return Ok(Gold::Documents(vec![called(&row["gold_doc"])?]));
    }
    match &row["gold"] {
        Json::Array(list) if list.is_empty() => Ok(Gold::Nothing),
        Json::Array(list) if list.iter().all(|one| one["page"].is_number()) => {
            let pages: BTreeSet<String> = list.iter().filter_map(page).collect();
            Ok(Gold::Documents(pages.into_iter().map(|page| (page, 1.0)).collect()))
        }
        Json::Array(list) if list.iter().all(|one| one["title"].is_string()) => {
            let titles: BTreeMap<String, f64> = list
                .iter()
                .map(|one| called(&one["title"]))
                .collect::<Result<_, String>>()?;
            Ok(Gold::Documents(titles.into_iter().collect()))
        }
        Json::Array(list) if list.iter().all(Json::is_object) => {
            let texts = list.iter().map(|one| {
                let document = id_of(&one["doc"]).ok_or("`gold` has an entry without `doc`")?;
                let passages = one["passages"].as_array().ok_or("`gold` has an entry without `passages`")?;
                let passages = passages.iter().filter_map(Json::as_str).map(str::to_owned);
                Ok((document, passages.collect()))
            });
            Ok(Gold::Texts(texts.collect::<Result<_, String>>()?))
        }
        Json::Array(list) => {
            let ids = list.iter().map(|id| Ok((id_of(id).ok_or("`gold` has an entry that is no id")?, 1.0)));
            Ok(Gold::Documents(ids.collect::<Result<_, String>>()?))
        }
        Json::Object(grades) => {
            let grades = grades.iter().map(|(id, grade)| {
                let grade = grade.as_f64().ok_or("`gold` has a grade that is no number")?;
                Ok((id.clone(), grade))
            });
            Ok(Gold::Documents(grades.collect::<Result<_, String>>()?))
        }
        _ => Err("has no `gold`: a list of ids, an object of ids and grades, or a list of {doc, passages}, {doc, page} or {title}".to_owned()),
    }
}

/// The name of a page.
fn page(row: &Json) -> Option<String> {
    Some(format!(
        "{}#{}",
        row["doc"].as_str()?,
        row["page"].as_u64()?
    ))
}

/// A name, which some sets write as a number.
fn id_of(id: &Json) -> Option<String> {
    match id {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn datum(value: &Json) -> Option<Datum> {
    match value {
        Json::String(text) => Some(text.as_str().into()),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => Some(whole.into()),
            None => number.as_f64().map(Datum::Float),
        },
        Json::Bool(truth) => Some(Datum::Boolean(*truth)),
        _ => None,
    }
}

/// A text without blanks: what was taken out of a document is often set in another way.
pub(super) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}
