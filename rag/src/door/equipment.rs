//! What a process was started with.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use stratigraph_models::{Embedder, Generator, Lexical, Reranker, knows_english_alone};

use super::DoorError;
use super::recent::RecentReplies;
use crate::extract::Calls;
use crate::extract::model::{Answers, QuestionReader, Relevance};
use crate::read::{PdfParsing, Source};

/// Opens an embedder by the name that a database has for it, if it is there.
type ByName = dyn Fn(&str) -> Option<Arc<dyn Embedder>> + Send + Sync;

/// The models of a process, and who parses PDF for it. Without anything: the embedder that needs no files, rules that
/// read, and no PDF.
#[derive(Clone)]
#[must_use]
pub struct Equipment {
    embedder: Arc<dyn Embedder>,
    /// Who opens the embedder of a database, where nobody has said which it is.
    by_name: Option<Arc<ByName>>,
    /// What he has opened.
    opened: Arc<Mutex<Vec<Arc<dyn Embedder>>>>,
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
            by_name: None,
            opened: Arc::default(),
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

    /// With somebody who opens an embedder by its name, for a process that was told of none: a database is opened with the one
    /// that it was built with then, if it is there. What he gives for a name has to be called so.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use stratigraph::Database;
    /// use stratigraph_models::{Embedder, GivenVectors};
    /// use stratigraph_rag::door::{Equipment, Library, Wanted};
    ///
    /// let given = || Arc::new(GivenVectors::new("given", 3)) as Arc<dyn Embedder>;
    /// let db = Database::in_memory()?;
    /// Library::new(&db, Equipment::default().embedder(given())).create(&Wanted::default())?;
    ///
    /// let finds = move |name: &str| (name == "given").then(given);
    /// let untold = Equipment::default().embedder_by_name(finds);
    /// assert_eq!(Library::new(&db, untold).open()?.embedder_name(), "given");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn embedder_by_name(
        mut self,
        open: impl Fn(&str) -> Option<Arc<dyn Embedder>> + Send + Sync + 'static,
    ) -> Self {
        self.by_name = Some(Arc::new(open));
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

    /// Whether nobody has said which embedder it is, and that of the database is taken.
    pub(super) fn takes_what_is_there(&self) -> bool {
        self.by_name.is_some()
    }

    /// The embedder that a database was built with: the configured one, the one that needs no files, or one that is opened
    /// by its name.
    pub(super) fn embedder_named(&self, name: &str) -> Result<Arc<dyn Embedder>, DoorError> {
        if self.embedder.name() == name {
            return Ok(Arc::clone(&self.embedder));
        }
        let lexical = Lexical::new();
        if lexical.name() == name {
            return Ok(Arc::new(lexical));
        }
        if let Some(opened) = self.opened_by_name(name) {
            return Ok(opened);
        }
        Err(DoorError::NoEmbedder {
            stored: name.to_owned(),
            given: self.embedder.name().to_owned(),
        })
    }

    /// Each is kept: reading weights takes long, each call of a procedure opens the layers anew, and a process may have several
    /// databases.
    fn opened_by_name(&self, name: &str) -> Option<Arc<dyn Embedder>> {
        let open = self.by_name.as_deref()?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened.iter().find(|known| known.name() == name) {
            return Some(Arc::clone(known));
        }
        let found = open(name).filter(|found| found.name() == name)?;
        opened.push(Arc::clone(&found));
        Some(found)
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
