//! Questions, and the many ways in which sets write down what answers them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::entities::tables_that_answer;
use super::rows::{datum, id_of, page, texts_of};
use super::{EntityRow, Gold, Labelled};
use crate::Metadata;
use crate::retrieve::{Question, RetrieveError};

/// What a row of the questions is.
pub(super) enum Asked {
    /// A question with its gold.
    Labelled(Labelled),
    /// A question of which nobody says what answers it.
    NoGold,
    /// A question about documents that are not in the corpus, by the set's own word.
    NotCovered,
}

/// What questions are read against.
pub(super) struct Known<'a> {
    /// The ids of documents by their titles.
    pub(super) titles: BTreeMap<&'a str, &'a str>,
    /// Whether gold are facts.
    pub(super) facts: bool,
    /// Rows of tables, of which gold are cells.
    pub(super) entities: &'a [EntityRow],
}

/// The question that a text is, of documents with this metadata alone.
pub(in crate::evaluate) fn limited(text: &str, only: &Metadata) -> Result<Question, RetrieveError> {
    let mut question = Question::new(text)?;
    for (name, datum) in only {
        question = question.only(name, datum.clone());
    }
    Ok(question)
}

const NO_GOLD: [&str; 3] = ["gold", "gold_doc", "evidence"];

pub(super) fn read(row: &Json, number: usize, known: &Known<'_>) -> Result<Asked, String> {
    let text = row["question"].as_str().ok_or("has no `question`")?;
    if row["covered"] == Json::Bool(false) {
        return Ok(Asked::NotCovered);
    }
    let answers = answers_of(row);
    let gold = match NO_GOLD.iter().all(|name| row.get(name).is_none()) {
        true if known.entities.is_empty() || answers.is_empty() => return Ok(Asked::NoGold),
        true => Gold::Rows(tables_that_answer(known.entities, text, &answers)),
        false => gold_of(row, known)?,
    };
    Ok(Asked::Labelled(Labelled {
        id: id_of(&row["id"]).unwrap_or_else(|| number.to_string()),
        text: text.to_owned(),
        kind: kind_in(row),
        only: only_of(row),
        gold,
        answers,
    }))
}

/// The kind that a row says it is of.
pub(super) fn kind_in(row: &Json) -> String {
    let mut names = ["type", "category", "kind", "question_type"].iter();
    let kind = names.find_map(|name| row[*name].as_str());
    kind_of(kind.unwrap_or_default())
}

/// What `EmPULIA` calls `1_hop` is a single hop elsewhere. Kinds are parts of names of measures, and so are one word.
fn kind_of(kind: &str) -> String {
    let plain = kind.to_lowercase();
    match plain.as_str() {
        "1_hop" => "single_hop".to_owned(),
        "2_hop" => "two_hop".to_owned(),
        plain => plain
            .split(|sign: char| !sign.is_alphanumeric())
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("_"),
    }
}

pub(super) fn answers_of(row: &Json) -> Vec<String> {
    let mut answers: Vec<String> = match (&row["answers"], &row["answer"]) {
        (Json::Array(_), _) => texts_of(&row["answers"]).map(str::to_owned).collect(),
        (_, Json::String(answer)) => vec![answer.clone()],
        _ => Vec::new(),
    };
    answers.extend(texts_of(&row["answer_aliases"]).map(str::to_owned));
    // An empty text is in every context.
    answers.retain(|answer| !answer.trim().is_empty());
    answers
}

pub(super) fn only_of(row: &Json) -> Metadata {
    let only = row["only"].as_object().into_iter().flatten();
    let mut only: Metadata = only
        .filter_map(|(name, value)| Some((name.clone(), datum(value)?)))
        .collect();
    if let Some(name) = row["doc_name"].as_str() {
        only.insert("doc".to_owned(), name.into());
    }
    only
}

fn gold_of(row: &Json, known: &Known<'_>) -> Result<Gold, String> {
    let called = |title: &Json| {
        let title = title.as_str().unwrap_or_default();
        let id = known.titles.get(title);
        let id = id.ok_or_else(|| format!("no document is called {title:?}"))?;
        Ok::<_, String>((*id).to_owned())
    };
    if row["gold_doc"].is_string() {
        return Ok(Gold::Documents(vec![(called(&row["gold_doc"])?, 1.0)]));
    }
    let (gold, evidence) = (&row["gold"], &row["evidence"]);
    match gold {
        Json::Null => match evidence {
            Json::Array(list) if !list.is_empty() => {
                // The documents in the order in which they are cited, with all that is cited of each.
                let mut texts: Vec<(String, Vec<String>)> = Vec::new();
                for one in list {
                    let document = called(&one["title"])?;
                    let fact = one["fact"]
                        .as_str()
                        .ok_or("`evidence` has an entry without `fact`")?;
                    match texts.iter_mut().find(|(known, _)| *known == document) {
                        Some((_, facts)) => facts.push(fact.to_owned()),
                        None => texts.push((document, vec![fact.to_owned()])),
                    }
                }
                Ok(Gold::Texts(texts))
            }
            Json::Array(_) => Ok(Gold::Nothing),
            _ => Err(no_gold()),
        },
        Json::Array(list) if list.is_empty() => Ok(Gold::Nothing),
        Json::Array(list) if known.facts => {
            let ids = list.iter().map(|id| id_of(id).ok_or_else(no_id));
            Ok(Gold::Facts(ids.collect::<Result<_, String>>()?))
        }
        Json::Array(list) if list.iter().all(|one| one["page"].is_number()) => {
            let pages: BTreeSet<String> = list.iter().filter_map(page).collect();
            let pages = pages.into_iter().map(|page| (page, 1.0));
            Ok(Gold::Documents(pages.collect()))
        }
        Json::Array(list) if list.iter().all(|one| one["title"].is_string()) => {
            let titles: BTreeMap<String, f64> = list
                .iter()
                .map(|one| Ok((called(&one["title"])?, 1.0)))
                .collect::<Result<_, String>>()?;
            Ok(Gold::Documents(titles.into_iter().collect()))
        }
        Json::Array(list) if list.iter().all(Json::is_object) => {
            let texts = list.iter().map(|one| {
                let document = id_of(&one["doc"]).ok_or("`gold` has an entry without `doc`")?;
                if !one["passages"].is_array() {
                    return Err("`gold` has an entry without `passages`".to_owned());
                }
                let passages = texts_of(&one["passages"]).map(str::to_owned);
                Ok((document, passages.collect()))
            });
            Ok(Gold::Texts(texts.collect::<Result<_, String>>()?))
        }
        Json::Array(list) => {
            let ids = list
                .iter()
                .map(|id| Ok((id_of(id).ok_or_else(no_id)?, 1.0)));
            Ok(Gold::Documents(ids.collect::<Result<_, String>>()?))
        }
        Json::Object(grades) => {
            let grades = grades.iter().map(|(id, grade)| {
                let grade = grade
                    .as_f64()
                    .ok_or("`gold` has a grade that is no number")?;
                Ok((id.clone(), grade))
            });
            Ok(Gold::Documents(grades.collect::<Result<_, String>>()?))
        }
        _ => Err(no_gold()),
    }
}

fn no_id() -> String {
    "`gold` has an entry that is no id".to_owned()
}

/// What a row lacks of which nobody says what answers it.
pub(super) fn no_gold() -> String {
    "has no `gold`: a list of ids, an object of ids and grades, or a list of {doc, passages}, {doc, page} or {title}; nor \
     `gold_doc`, nor `evidence`, a list of {title, fact}"
        .to_owned()
}
