//! Text indexes in the database, and rankings of texts and vectors together.

mod basics;
mod hybrid;
mod limits;
mod loads;
mod marks;
mod matching;
mod model;
mod paired;
mod scores;
mod upkeep;

use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::{Analysis, Database, Entity, NodeId, Read, TextIndex, TextSearch};

/// Who is found for some words, the best first.
fn found(read: &impl Read, index: &str, words: &str) -> Vec<Entity> {
    let answer = read
        .search_text(index, &TextSearch::new(words, 10))
        .unwrap();
    answer.hits.iter().map(|hit| hit.entity).collect()
}

/// An index on the property `text` of all nodes.
fn texts_by(analysis: Analysis) -> TextIndex {
    TextIndex::on_any_node(["text"])
        .analysis(analysis)
        .named("texts")
}

/// A database with such an index, and a node for each text.
fn with_texts<T: AsRef<str>>(analysis: Analysis, texts: &[T]) -> (Database, Vec<NodeId>) {
    let db = Database::in_memory().unwrap();
    db.create_text_index(texts_by(analysis)).unwrap();
    let mut txn = db.write().unwrap();
    let nodes = texts
        .iter()
        .map(|text| txn.create_node(["N"], [("text", text.as_ref())]).unwrap());
    let nodes = nodes.collect();
    txn.commit().unwrap();
    (db, nodes)
}

/// Words that nobody else has.
fn words(from: usize, count: usize) -> String {
    let words: Vec<String> = (from..from + count)
        .map(|number| format!("word{number:07}"))
        .collect();
    words.join(" ")
}
