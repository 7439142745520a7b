//! How good what was retrieved for a question is, by what is known to be right.
//!
//! `covered.rs` knows where texts stand that are right, `facts.rs` which facts are. What is measured of which gold is in
//! `docs/evaluation.md`.

mod covered;
mod facts;

use std::collections::{BTreeMap, HashSet};

use super::set::{Gold, KnownFacts, Labelled, LabelledSet, squeezed};
use super::{
    all_recall_at, average_precision, context_precision, hit_at, ndcg_at, recall_at,
    reciprocal_rank, set_recall,
};
use crate::read::ReadError;
use crate::retrieve::{Found, Retrieved};
use covered::Right;

/// So many documents or facts that were found are kept for each question.
const MOST_FOUND: usize = 20;

/// Judges what is retrieved for the questions of a set.
#[derive(Debug)]
pub struct Judge {
    right: Right,
    facts: KnownFacts,
    has_facts: bool,
    has_rows: bool,
}

/// So many other things may be found before facts.
const OTHERS: usize = 1000;

impl Judge {
    /// For a set. Where the texts that are right stand in their documents is looked up once.
    ///
    /// # Errors
    /// A document cannot be read.
    pub fn new(set: &LabelledSet) -> Result<Self, ReadError> {
        Ok(Self {
            right: Right::of(set)?,
            facts: set.facts_by_key(),
            has_facts: !set.facts.is_empty(),
            has_rows: !set.entities.is_empty(),
        })
    }

    /// How many texts that are said to be right are in no document that is said to have them.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.right.missing
    }

    /// How much of what is found for a question has to be told, so that all that counts is seen.
    #[must_use]
    pub fn needs(&self, question: &Labelled) -> usize {
        match &question.gold {
            // Among facts there may be other things, which do not count.
            Gold::Facts(ids) => OTHERS + facts::counted(ids.len()),
            _ => MOST_FOUND,
        }
    }

    /// The names of the first documents that were found; where gold are facts, of the first facts.
    #[must_use]
    pub fn names(&self, retrieved: &Retrieved) -> Vec<String> {
        let mut names = match self.has_facts {
            true => {
                let (found, _) = facts::found_and_gold(&self.facts, &retrieved.found, &[]);
                let names = found.into_iter().map(|number| self.facts.name(number));
                names.map(str::to_owned).collect()
            }
            false if self.has_rows => { retrieved.found.iter() }
                .map(|found| format!("{} {}", found.receipt.name.kind, found.receipt.name.key))
                .collect(),
            false => documents(&retrieved.found),
        };
        names.truncate(MOST_FOUND);
        names
    }

    /// All measures that the question's gold allows, by name.
    #[must_use]
    pub fn values(&self, question: &Labelled, retrieved: &Retrieved) -> BTreeMap<String, f64> {
        let mut values = BTreeMap::new();
        let found = &retrieved.found;
        match &question.gold {
            Gold::Documents(grades) => {
                let gold: Vec<String> = grades.iter().map(|(id, _)| id.clone()).collect();
                of_documents(found, &gold, &mut values);
                values.insert("ndcg10".to_owned(), ndcg_at(&documents(found), grades, 10));
            }
            Gold::Texts(texts) => {
                let gold: Vec<String> = texts.iter().map(|(id, _)| id.clone()).collect();
                of_documents(found, &gold, &mut values);
                let packed = found.iter().filter(|found| found.packed);
                let shares = [
                    ("covered", self.right.covered(&question.id, packed)),
                    (
                        "covered5",
                        self.right.covered(&question.id, found.iter().take(5)),
                    ),
                    (
                        "covered10",
                        self.right.covered(&question.id, found.iter().take(10)),
                    ),
                ];
                let shares = shares.into_iter();
                values.extend(shares.filter_map(|(name, share)| Some((name.to_owned(), share?))));
            }
            Gold::Facts(ids) => {
                let (found, gold) = facts::found_and_gold(&self.facts, found, ids);
                facts::measure(&found, &gold, &mut values);
            }
            Gold::Rows(tables) => rows(found, question, tables, &mut values),
            Gold::Nothing => {
                let refused = f64::from(retrieved.is_refused());
                values.insert("refused".to_owned(), refused);
                if self.has_facts {
                    // As published, of the list and of no threshold: nothing for nothing is all right, and anything for
                    // nothing all wrong.
                    let is_right = f64::from(found.is_empty());
                    let names = ["cp", "cr", "ap", "recall"];
                    values.extend(names.map(|name| (name.to_owned(), is_right)));
                }
            }
        }
        if !question.answers.is_empty() && question.gold != Gold::Nothing {
            let answers = question.answers.iter();
            let answers: Vec<String> = answers.map(|answer| plain(answer)).collect();
            let is_in = |text: &str| {
                let text = plain(text);
                f64::from(answers.iter().any(|answer| text.contains(answer)))
            };
            let first = |k: usize| {
                let texts = found.iter().take(k);
                let texts = texts.map(|found| format!("{}\n{}", found.heading, found.text));
                texts.collect::<Vec<_>>().join("\n")
            };
            let mut put = |name: &str, value| values.insert(name.to_owned(), value);
            put("answer_in_context", is_in(&retrieved.context));
            put("answer_in_context5", is_in(&first(5)));
            put("answer_in_context10", is_in(&first(10)));
        }
        values
    }
}

/// The measures of rows of tables: whether one of the first has an answer in a cell, and whether the first is of a right type.
fn rows(
    found: &[Found],
    question: &Labelled,
    tables: &[String],
    values: &mut BTreeMap<String, f64>,
) {
    let answers = |found: &Found| {
        let lines = found.text.lines().filter_map(|line| line.split_once(": "));
        let mut cells = lines.map(|(_, cell)| cell);
        cells.any(|cell| question.answers.iter().any(|answer| answer == cell))
    };
    let is_right = |found: &Found| tables.contains(&found.receipt.name.kind);
    let mut put = |name: &str, is: bool| values.insert(name.to_owned(), f64::from(is));
    put("row1", found.iter().take(1).any(answers));
    put("row5", found.iter().take(5).any(answers));
    put("type1", found.first().is_some_and(is_right));
}

/// A text as it is looked for within others: without blanks and capitals.
fn plain(text: &str) -> String {
    squeezed(&text.to_lowercase())
}

/// The measures of a list of documents.
fn of_documents(all: &[Found], gold: &[String], values: &mut BTreeMap<String, f64>) {
    let mut put = |name: &str, value| values.insert(name.to_owned(), value);
    let found = documents(all);
    for (name, k) in [
        ("r1", 1),
        ("r2", 2),
        ("r4", 4),
        ("r5", 5),
        ("r10", 10),
        ("r20", 20),
    ] {
        put(name, recall_at(&found, gold, k));
    }
    put("all5", all_recall_at(&found, gold, 5));
    put("all", all_recall_at(&found, gold, usize::MAX));
    for (name, k) in [("hit1", 1), ("hit3", 3), ("hit4", 4)] {
        put(name, hit_at(&found, gold, k));
    }
    put("mrr", reciprocal_rank(&found, gold));
    put("ap", average_precision(&found, gold));
    // All documents that the first three rest on: a summary rests on many.
    let first = &all[..all.len().min(3)];
    put("support3", set_recall(&documents(first), gold));
    let packed = documents(all.iter().filter(|found| found.packed));
    put("packed_recall", set_recall(&packed, gold));
    put("packed_ap", average_precision(&packed, gold));
    // As HybridRAG has it: graph context behind vector context lowers it, and what is missing does not.
    put("packed_cp", context_precision(&packed, gold));
}

/// The documents of what was found, each where it is first.
#[must_use]
pub fn documents<'f>(found: impl IntoIterator<Item = &'f Found>) -> Vec<String> {
    let mut seen = HashSet::new();
    let places = found.into_iter().flat_map(|found| &found.receipt.places);
    let documents = places.map(|place| &place.document);
    documents
        .filter(|document| seen.insert(*document))
        .cloned()
        .collect()
}
