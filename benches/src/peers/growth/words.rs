//! Texts that are found by their words: a node for each, one full-text index, and questions by BM25.

use super::{Timed, least, on_processors};
use crate::measure::rest::until_quiet;
use anyhow::{Result, ensure};
use fastrand::Rng;
use std::path::Path;
use std::time::Instant;
use stratigraph::storage::cancel::Watch;
use stratigraph::{BulkOptions, Database, Read as _, TextIndex, TextSearch, Value};

const INDEX: &str = "words";
/// Different words there are.
const VOCABULARY: usize = 20_000;
/// Words of a text, and of a question, of which any may be there.
const LENGTH: usize = 40;
const ASKED: usize = 4;
const QUESTIONS: usize = 200;
/// So many hits are asked for.
const K: usize = 10;

/// So many texts in a database of their own.
pub(super) fn at_size(folder: &Path, texts: usize, seed: u64) -> Result<Vec<Timed>> {
    let db = Database::create(folder.join("texts"))?;
    let mut random = Rng::with_seed(seed);
    let mut load = db.bulk_load_with(BulkOptions::new().threads(1))?;
    for _ in 0..texts {
        let text = words(&mut random, LENGTH);
        load.add_node(["Text"], [("words", Value::from(text.as_str()))])?;
    }
    load.finish(&mut Watch::quiet())?;
    let begun = Instant::now();
    db.create_text_index(TextIndex::on_nodes("Text", ["words"]).named(INDEX))?;
    let built = begun.elapsed().as_secs_f64();
    until_quiet();
    // From a seed of their own, so that they are the same at every size.
    let mut random = Rng::with_seed(!seed);
    let questions: Vec<String> = (0..QUESTIONS).map(|_| words(&mut random, ASKED)).collect();
    let searched = least(QUESTIONS, || {
        on_processors(|| {
            for question in &questions {
                let answer = db
                    .read()?
                    .search_text(INDEX, &TextSearch::new(question, K))?;
                ensure!(
                    !answer.hits.is_empty(),
                    "no text has a word of {question:?}"
                );
            }
            Ok(())
        })
    })?;
    db.close()?;
    Ok(vec![
        (
            "words: full-text index".into(),
            "s of the wall clock",
            built,
        ),
        ("words: search by BM25".into(), "us", searched),
    ])
}

/// Few words are in most texts, and most words in few.
fn words(random: &mut Rng, count: usize) -> String {
    let words = (0..count).map(|_| {
        let share = random.f64();
        let rank = (share * share * share * VOCABULARY as f64) as usize;
        format!("w{rank}")
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_texts_are_measured() {
        let folder = tempfile::tempdir().unwrap();
        let timed = at_size(folder.path(), 3_000, 1).unwrap();
        assert_eq!(timed.len(), 2);
        assert!(timed.iter().all(|(.., value)| *value > 0.0));
    }
}
