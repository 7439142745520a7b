//! The requests of `cargo xtask bench text`: insert texts, answer questions, each timed here.
//!
//! `texts.jsonl` and `questions.jsonl` lie in the folder, a JSON string a line; a text's number is its line.

use crate::clock::Cost;
use crate::say;
use crate::tantivy::Tantivy;
use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::Path;

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Request {
    /// Begins an index anew and adds all texts, committing after each `portion`.
    Insert { portion: usize },
    /// Answers all questions, and tells the texts it found.
    Search { k: usize },
}

pub fn serve(folder: &Path) -> Result<()> {
    let texts = lines(&folder.join("texts.jsonl"))?;
    let questions = lines(&folder.join("questions.jsonl"))?;
    let mut index: Option<Tantivy> = None;
    for (round, line) in std::io::stdin().lock().lines().enumerate() {
        match serde_json::from_str(&line?)? {
            Request::Insert { portion } => {
                drop(index.take());
                let place = folder.join(format!("tantivy-{round}"));
                let cost = Cost::begin();
                index = Some(Tantivy::build(&place, &texts, portion)?);
                say(cost.end(json!({ "stage": "insert", "texts": texts.len() })));
            }
            Request::Search { k } => {
                let index = index.as_ref().context("search before insert")?;
                let mut found = Vec::with_capacity(questions.len());
                let cost = Cost::begin();
                for question in &questions {
                    found.push(index.search(question, k)?);
                }
                say(cost.end(json!({ "stage": "search", "questions": questions.len(), "found": found })));
            }
        }
        say(json!({ "stage": "end" }));
    }
    Ok(())
}

fn lines(path: &Path) -> Result<Vec<String>> {
    let file = std::fs::File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    BufReader::new(file).lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}
