//! What a process was started with.

use std::fmt;
use std::sync::Arc;

use stratigraph_models::{Embedder, Generator, Lexical, Reranker, knows_english_alone};

use super::DoorError;
use super::recent::RecentReplies;
use crate::extract::Calls;
use crate::extract::model::{Answers, QuestionReader, Relevance};
use crate::read::{PdfParsing, Source};

/// The models of a process, and who parses PDF for it. Without anything: the embedder that needs no files, rules that
/// read, and no PDF.
#[derive(Clone)]
#[must_use]
pub struct Equipment {
    embedder: Arc<dyn Embedder>,
    model: Option<Arc<dyn Generator>>,
    calls: usize,
    reranker: Option<Arc<dyn Reranker>>,
    pdf: Option<PdfParsing>,
    /// What the model said of questions lately, for whoever asks the same again.
    recent: Arc<RecentReplies>,
}

impl Default for Equipment {
    fn default() -> Self {
        Self {
            embedder: Arc::new(Lexical::new()),
            model: None,
            calls: std::thread::available_parallelism().map_or(1, usize::from),
            reranker: None,
            pdf: None,
            recent: Arc::default(),
        }
    }
}

impl Equipment {
    /// With vectors of this embedder.
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedder = embedder;
        self
    }

    /// With a model that reads and summarises, and is asked so many things at a time.
    pub fn model(mut self, model: Arc<dyn Generator>, calls: usize) -> Self {
        self.model = Some(model);
        self.calls = calls.max(1);
        self
    }

    /// With a model that orders what was found.
    pub fn reranker(mut self, reranker: Arc<dyn Reranker>) -> Self {
        self.reranker = Some(reranker);
        self
    }

    /// With somebody who parses PDF.
    pub fn pdf(mut self, parsing: PdfParsing) -> Self {
        self.pdf = Some(parsing);
        self
    }

    /// Whether there is a model that reads.
    #[must_use]
    pub fn has_model(&self) -> bool {
        self.model.is_some()
    }

    /// The embedder.
    #[must_use]
    pub fn its_embedder(&self) -> &Arc<dyn Embedder> {
        &self.embedder
    }

    /// Whether there is something that its embedder cannot read, and it can tell.
    pub(super) fn may_not_fit(&self) -> Result<bool, DoorError> {
        let tells = self.embedder.coverage(&[]).map_err(DoorError::Embedder)?;
        Ok(tells.is_some() || knows_english_alone(self.embedder.name()))
    }

    pub(super) fn its_model(&self) -> Option<&Arc<dyn Generator>> {
        self.model.as_ref()
    }

    pub(super) fn its_reranker(&self) -> Option<&Arc<dyn Reranker>> {
        self.reranker.as_ref()
    }

    /// The model as it says what is about a question. Its replies are kept in memory: a question changes nothing in a
    /// database.
    pub(super) fn relevance(&self) -> Option<Relevance> {
        let model = Arc::clone(self.model.as_ref()?);
        let recent = Arc::clone(&self.recent);
        Some(Relevance::new(Calls::new(model, recent)))
    }

    /// The model as it puts questions in other words. Its replies are kept as those above.
    pub(super) fn question_reader(&self) -> Option<QuestionReader> {
        let model = Arc::clone(self.model.as_ref()?);
        let recent = Arc::clone(&self.recent);
        Some(QuestionReader::new(Calls::new(model, recent)))
    }

    /// The model as it writes answers.
    pub(super) fn answers(&self) -> Option<Answers> {
        Some(Answers::new(Arc::clone(self.model.as_ref()?)))
    }

    pub(super) fn its_calls(&self) -> usize {
        self.calls
    }

    /// A source with somebody who parses it if it is a PDF.
    #[must_use]
    pub fn equip<'s>(&self, source: Source<'s>) -> Source<'s> {
        match &self.pdf {
            Some(parsing) => source.pdf(parsing.clone()),
            None => source,
        }
    }

    /// The embedder that a database was built with: the configured one, or the one that needs no files.
    pub(super) fn embedder_named(&self, name: &str) -> Result<Arc<dyn Embedder>, DoorError> {
        if self.embedder.name() == name {
            return Ok(Arc::clone(&self.embedder));
        }
        let lexical = Lexical::new();
        if lexical.name() == name {
            return Ok(Arc::new(lexical));
        }
        Err(DoorError::NoEmbedder {
            stored: name.to_owned(),
            given: self.embedder.name().to_owned(),
        })
    }
}

impl fmt::Debug for Equipment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Equipment")
            .field("embedder", &self.embedder.name())
            .field("model", &self.model.as_ref().map(|model| model.name()))
            .field("calls", &self.calls)
            .field("reranker", &self.reranker.as_ref().map(|one| one.name()))
            .finish_non_exhaustive()
    }
}
