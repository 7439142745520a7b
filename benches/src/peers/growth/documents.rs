//! Documents: taken in without a model until the graph has so many nodes, one more then, and questions through presets.
//!
//! The layers are those of ours (`strata`): documents, sections, chunks, and what rules find named in them. Vectors are
//! those of the embedder of letters.

use super::{Timed, least, on_processors};
use crate::ingest::content::Texts;
use crate::ingest::read;
use crate::measure::rest::{until_linked, until_quiet};
use crate::measure::rounds::median;
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stratigraph::{Database, Read as _};
use stratigraph_models::Lexical;
use stratigraph_rag::build::Layers;
use stratigraph_rag::chunk::Words;
use stratigraph_rag::ingest::{Ingest, Recipe, System};
use stratigraph_rag::retrieve::{Desk, Pipeline, Question};

/// The most words of a piece: what `stratigraph ingest` gives.
const WORDS: usize = 512;
/// The most documents that are taken in at a time.
const PORTION: u64 = 64;
/// So many more, each by itself.
const MORE: usize = 9;
const QUESTIONS: usize = 50;
const PRESETS: [&str; 2] = ["vector", "strata"];

/// A document's name and its text.
type Written = (String, String);

/// A graph of so many nodes, in a database of its own.
pub(super) fn at_size(folder: &Path, nodes: usize, seed: u64) -> Result<Vec<Timed>> {
    let db = Database::create(folder.join("documents"))?;
    let recipe = Recipe::new(System::Strata, WORDS);
    let embedder = Arc::new(Lexical::new());
    let layers = Layers::open(&db, recipe.profile(), embedder.clone())?;
    let ingest = Ingest::new(&layers, &recipe).measure(&Words);
    let mut texts = Texts::new(seed);
    let mut taken_in = Duration::ZERO;
    let mut questions: Vec<Question> = Vec::new();
    let (mut documents, mut there) = (0, 0);
    while there < nodes as u64 {
        let some: Vec<Written> = (0..portion(nodes as u64 - there, there, documents))
            .map(|_| texts.next())
            .collect();
        // The same at every size: what the first documents say.
        for (_, text) in some.iter().take(QUESTIONS - questions.len()) {
            questions.push(Question::new(first_sentence(text)?)?);
        }
        let begun = Instant::now();
        take_in(&ingest, &some)?;
        taken_in += begun.elapsed();
        documents += some.len() as u64;
        there = db.read()?.node_count(None)?;
    }
    let begun = Instant::now();
    until_linked(&db)?;
    taken_in += begun.elapsed();
    until_quiet();
    // For each: a graph with twice the nodes has more than twice the documents, as later ones name what is there already.
    let mut all: Vec<Timed> = vec![(
        "documents: each, without a model".into(),
        "ms of the wall clock",
        taken_in.as_secs_f64() * 1e3 / documents as f64,
    )];
    let mut each = Vec::with_capacity(MORE);
    for _ in 0..MORE {
        let one = [texts.next()];
        let begun = Instant::now();
        take_in(&ingest, &one)?;
        each.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    all.push(("documents: one more".into(), "ms", median(&each)));
    until_quiet();
    for preset in PRESETS {
        let pipeline = Pipeline::preset(preset)?;
        let asked = least(questions.len(), || {
            on_processors(|| {
                for question in &questions {
                    let read = db.read()?;
                    let desk = Desk::new(&read, embedder.as_ref(), question);
                    let found = pipeline.retrieve(&desk)?.found;
                    ensure!(!found.is_empty(), "{preset} finds nothing");
                }
                Ok(())
            })
        })?;
        all.push((format!("retrieve: {preset}"), "us", asked));
    }
    drop(ingest);
    drop(layers);
    db.close()?;
    Ok(all)
}

/// How many documents to take in next, so that not many more nodes come than are wanted: one at first, and then by what
/// those before have made.
fn portion(wanted: u64, there: u64, documents: u64) -> u64 {
    let of_each = there
        .checked_div(documents)
        .map_or(u64::MAX, |of_each| of_each.max(1));
    (wanted / of_each).clamp(1, PORTION)
}

fn take_in(ingest: &Ingest<'_>, texts: &[Written]) -> Result<()> {
    let report = ingest.run(texts.iter().map(|(id, text)| read(id, text)), &|_| ());
    ensure!(
        report.problems.count_failed == 0 && report.ended.is_none(),
        "documents could not be taken in: {report:?}"
    );
    Ok(())
}

/// What a document says first below its headings.
fn first_sentence(text: &str) -> Result<&str> {
    let said = text
        .lines()
        .find(|line| !line.is_empty() && !line.starts_with('#'));
    let sentence = said.and_then(|line| line.split_once(". "));
    Ok(sentence.context("a document that says nothing")?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_end_where_they_should() {
        assert_eq!(portion(10_000, 0, 0), 1);
        assert_eq!(portion(10_000, 20, 1), 64);
        assert_eq!(portion(100, 9_900, 495), 5);
        assert_eq!(portion(3, 9_997, 500), 1);
    }

    #[test]
    fn a_small_graph_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let timed = at_size(folder.path(), 300, 1).unwrap();
        let names: Vec<&str> = timed.iter().map(|(name, ..)| name.as_str()).collect();
        let wanted = [
            "documents: each, without a model",
            "documents: one more",
            "retrieve: vector",
            "retrieve: strata",
        ];
        assert_eq!(names, wanted);
        assert!(timed.iter().all(|(.., value)| *value > 0.0));
    }
}
