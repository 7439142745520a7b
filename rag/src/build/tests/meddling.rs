//! An embedder while which somebody else writes.

use std::sync::Mutex;

use stratigraph_models::{Embedder, Lexical, ModelError, Rows};

type Deed = Box<dyn FnOnce() + Send>;

/// An embedder while which somebody else does something.
#[derive(Default)]
pub(super) struct Meddling {
    next: Mutex<Option<Deed>>,
    measured: Mutex<Option<Deed>>,
    lexical: Lexical,
}

impl Meddling {
    pub(super) fn next(&self, deed: impl FnOnce() + Send + 'static) {
        *self.next.lock().unwrap() = Some(Box::new(deed));
    }

    /// The same when it is asked how long its vectors are.
    pub(super) fn when_measured(&self, deed: impl FnOnce() + Send + 'static) {
        *self.measured.lock().unwrap() = Some(Box::new(deed));
    }
}

impl Embedder for Meddling {
    fn name(&self) -> &str {
        self.lexical.name()
    }

    fn dimensions(&self) -> usize {
        let deed = self.measured.lock().unwrap().take();
        if let Some(deed) = deed {
            deed();
        }
        self.lexical.dimensions()
    }

    fn max_tokens(&self) -> usize {
        self.lexical.max_tokens()
    }

    fn embed(&self, texts: &[&str]) -> Result<Rows, ModelError> {
        let deed = self.next.lock().unwrap().take();
        if let Some(deed) = deed {
            deed();
        }
        self.lexical.embed(texts)
    }
}
