//! Questions as the files of a set.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::Made;

impl Made {
    /// Writes it as a set that [`LabelledSet`](crate::evaluate::LabelledSet) reads: `triples.jsonl` and `questions.jsonl`.
    ///
    /// # Errors
    /// The folder cannot be written to, or there are questions in it: nobody's gold is written over.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let facts = self.facts.iter().map(|fact| {
            let triple = &fact.triple;
            json!({
                "id": fact.id,
                "e1": triple.subject,
                "rel": triple.predicate,
                "e2": triple.object,
                "source": triple.source,
            })
        });
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let questions = self.questions.iter().map(|question| {
            let number = numbers.entry(question.kind).or_default();
            *number += 1;
            let mut row = json!({
                "id": format!("{}-{number}", question.kind),
                "question": question.text,
                "category": question.kind,
                "gold": question.gold,
            });
            if !question.answer.is_empty() {
                row["answer"] = Json::from(question.answer.as_str());
            }
            row
        });
        let questions = lines(questions);
        let path = folder.join("questions.jsonl");
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)?;
        io::Write::write_all(&mut file, questions.as_bytes())?;
        fs::write(folder.join("triples.jsonl"), lines(facts))
    }
}

pub(super) fn lines(rows: impl Iterator<Item = Json>) -> String {
    let mut text = String::new();
    for row in rows {
        text.push_str(&row.to_string());
        text.push('\n');
    }
    text
}
