//! Questions that somebody stops.

use std::sync::atomic::{AtomicUsize, Ordering};

use stratigraph::storage::cancel::CancelToken;
use stratigraph_models::{Embedder, ModelError, Rows};

use super::*;

/// Counts how often it is asked for the tokens of a text.
#[derive(Default)]
struct Counting {
    embedder: Lexical,
    measured: AtomicUsize,
}

impl Embedder for Counting {
    fn name(&self) -> &str {
        self.embedder.name()
    }

    fn dimensions(&self) -> usize {
        self.embedder.dimensions()
    }

    fn max_tokens(&self) -> usize {
        self.embedder.max_tokens()
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        self.embedder.embed(texts)
    }

    fn token_ends(&self, _text: &str) -> Result<Option<Vec<usize>>, ModelError> {
        self.measured.fetch_add(1, Ordering::Relaxed);
        Ok(None)
    }
}

#[test]
fn for_who_is_stopped_after_reading_nothing_is_packed() {
    let (db, _layers) = database();
    let (token, embedder) = (CancelToken::new(), Counting::default());
    let read = db.read().unwrap().with_cancel(token.clone());
    let question = Question::new("basalt, sea").unwrap();
    let desk = Desk::new(&read, &embedder, &question);
    let pipeline = Pipeline::preset("vector").unwrap();
    assert_eq!(pipeline.retrieve(&desk).unwrap().found.len(), 2);
    let measured = embedder.measured.swap(0, Ordering::Relaxed);
    assert!(measured > 0);
    let stopped = pipeline.retrieve_where(&desk, |_| {
        token.cancel();
        true
    });
    assert!(
        matches!(
            stopped,
            Err(RetrieveError::Database(stratigraph::Error::Cancelled))
        ),
        "{stopped:?}"
    );
    assert_eq!(embedder.measured.load(Ordering::Relaxed), 0);
}
