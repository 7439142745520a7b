//! Text indexes in the database, and rankings of texts and vectors together.

mod basics;
mod hybrid;
mod loads;
mod model;
mod paired;

use stratigraph::storage::cancel::{CancelToken, Progress, Watch};
use stratigraph::{Database, Entity, NodeId, Read, TextIndex, TextSearch};

fn unwatched<T>(work: impl FnOnce(&mut Watch<'_>) -> T) -> T {
    let mut report = |_: Progress<'_>| {};
    work(&mut Watch::new(&mut report, CancelToken::new()))
}

/// Who is found for some words, the best first.
fn found(read: &impl Read, index: &str, words: &str) -> Vec<Entity> {
    let answer = read
        .search_text(index, &TextSearch::new(words, 10))
        .unwrap();
    answer.hits.iter().map(|hit| hit.entity).collect()
}
