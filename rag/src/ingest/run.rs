//! The run: a few documents at a time, from texts to commits.

use std::cell::LazyCell;
use std::sync::{Arc, Mutex, PoisonError};

use stratigraph::ErrorKind;
use stratigraph::storage::cancel::CancelToken;
use stratigraph_models::Generator;

use super::replies::of_database;
use super::unchanged::{Unchanged, made_of};
use super::{Ended, Forecast, Progress, Recipe, Report, Unread};
use crate::Document;
use crate::build::{BuildError, Contribution, Layers, hash, hash_of};
use crate::chunk::{Measure, Piece, Tokens};
use crate::extract::{Calls, ExtractError, Extractor, Run};
use crate::read::ReadError;

/// So many documents are held at a time, and committed together,
const MOST_DOCUMENTS: usize = 64;
/// or fewer, if their texts have so many bytes.
const MOST_BYTES: usize = 4 << 20;

/// So many pieces of a document are looked at for whether the embedder reads them, spread over all.
const MOST_LOOKED_AT: usize = 16;

/// Takes documents into a graph.
pub struct Ingest<'a> {
    pub(super) layers: &'a Layers,
    pub(super) recipe: &'a Recipe,
    extractor: Box<dyn Extractor>,
    /// What decides what is read in pieces, if it is the recipe that says who reads.
    pub(super) reader: Option<String>,
    tokens: Tokens<'a>,
    pub(super) measure: Option<&'a dyn Measure>,
    threads: usize,
    pub(super) cancel: CancelToken,
}

/// A document with what was cut of it.
struct Cut {
    document: Document,
    pieces: Vec<Piece>,
    /// Its hash, if it is kept with it.
    hash: Option<String>,
}

/// The next few documents.
#[derive(Default)]
struct Portion {
    cut: Vec<Cut>,
    unreadable: Vec<ReadError>,
    unchanged: Unchanged,
}

impl Portion {
    fn documents(&self) -> usize {
        self.cut.len() + self.unreadable.len() + self.unchanged.documents
    }
}

impl<'a> Ingest<'a> {
    /// Into these layers, by this recipe, without a model.
    #[must_use]
    pub fn new(layers: &'a Layers, recipe: &'a Recipe) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let extractor = recipe.extractor(None);
        Self {
            layers,
            recipe,
            reader: Some(extractor.version().to_owned()),
            extractor,
            tokens: Tokens(layers.embedder()),
            measure: None,
            threads,
            cancel: CancelToken::new(),
        }
    }

    /// With a model that reads the pieces. Its replies are kept in the database.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn Generator>) -> Self {
        let name = model.name().to_owned();
        let calls = Calls::new(model, Arc::new(self.layers.replies().clone()));
        self.extractor = self.recipe.extractor(Some(calls));
        self.reader = Some(format!("{} of {name}", self.extractor.version()));
        self
    }

    /// With somebody else who reads the pieces. Nobody knows whether he says what he said before, so that documents
    /// that are there unchanged are read again.
    #[must_use]
    pub fn extractor(mut self, extractor: Box<dyn Extractor>) -> Self {
        self.extractor = extractor;
        self.reader = None;
        self
    }

    /// Pieces are measured so; by the tokenizer of the embedder if nothing is said. Nobody knows whether another measure
    /// cuts as before, so that documents that are there unchanged are cut again.
    #[must_use]
    pub fn measure(mut self, measure: &'a dyn Measure) -> Self {
        self.measure = Some(measure);
        self
    }

    /// Reads so many pieces at once: as many as the model takes calls. As many as there are processors if nothing is
    /// said.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads.max(1);
        self
    }

    /// Stops when this says so.
    #[must_use]
    pub fn cancel(mut self, cancel: CancelToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// Takes documents in as they come. Those that are there already as they would be taken in are left alone: they
    /// are neither cut nor read. Those that cannot be read or written are told in the report, and are in the
    /// graph as they were before; `told` hears how far it has come. If it is stopped, or the database takes nothing
    /// any more, the report says so: documents that are done are done, and no other was touched.
    pub fn run(
        &self,
        documents: impl IntoIterator<Item = Result<Document, ReadError>>,
        told: &(dyn Fn(Progress) + Sync),
    ) -> Report {
        let mut report = Report::default();
        let mut documents = documents.into_iter();
        while report.ended.is_none() {
            let portion = self.some(&mut documents);
            if portion.documents() == 0 {
                break;
            }
            for error in portion.unreadable {
                report.problems.unreadable(error);
            }
            report.leave(&portion.unchanged);
            if portion.cut.is_empty() {
                told(report.progress());
                self.stops(&mut report);
            } else {
                self.take_in(&portion.cut, &mut report, told);
            }
        }
        report
    }

    /// What that would cost, without asking a model or writing anything, and which documents cannot be read.
    ///
    /// # Errors
    /// When replies that are kept cannot be read, and [`ExtractError::Cancelled`].
    pub fn forecast(
        &self,
        documents: impl IntoIterator<Item = Result<Document, ReadError>>,
    ) -> Result<Forecast, ExtractError> {
        let mut forecast = Forecast::default();
        let mut documents = documents.into_iter();
        loop {
            let portion = self.some(&mut documents);
            if portion.documents() == 0 {
                return Ok(forecast);
            }
            if self.cancel.is_cancelled() {
                return Err(ExtractError::Cancelled);
            }
            for error in portion.unreadable {
                forecast.problems.unreadable(error);
            }
            forecast.leave(&portion.unchanged);
            let parts = parts(&portion.cut);
            forecast.estimate += self.reading().estimate(&parts, self.measured_by())?;
            for Cut {
                document, pieces, ..
            } in &portion.cut
            {
                let text = hash([document.text()]);
                match self.layers.standing(document.id(), &text) {
                    Ok(standing) => {
                        forecast.compare(standing);
                        forecast.count(document, pieces, self.measured_by());
                    }
                    // It could not be taken in under that name either.
                    Err(error) => forecast.problems.fail(Some(document.id()), error),
                }
            }
        }
    }

    /// Whether somebody said that it should stop; then the report says so.
    pub(super) fn stops(&self, report: &mut Report) -> bool {
        let stops = self.cancel.is_cancelled();
        if stops {
            report.ended.get_or_insert(Ended::Stopped);
        }
        stops
    }

    pub(super) fn measured_by(&self) -> &dyn Measure {
        self.measure.unwrap_or(&self.tokens)
    }

    fn reading(&self) -> Run<'_> {
        Run::new(&*self.extractor)
            .threads(self.threads)
            .cancel(self.cancel.clone())
    }

    /// The next few documents.
    fn some(&self, documents: &mut impl Iterator<Item = Result<Document, ReadError>>) -> Portion {
        let chunker = self.recipe.chunker(self.measured_by());
        // Many names may be agreed to: they are read when a document comes. If they cannot be read, whoever takes it in
        // says so.
        let way = LazyCell::new(|| self.way(&self.layers.agreed().ok()?));
        let (mut portion, mut bytes) = (Portion::default(), 0);
        while portion.documents() < MOST_DOCUMENTS && bytes < MOST_BYTES {
            let document = match documents.next() {
                Some(Ok(document)) => document,
                Some(Err(error)) => {
                    portion.unreadable.push(error);
                    continue;
                }
                None => break,
            };
            bytes += document.text().len();
            let way = way.as_deref();
            let hash = way.map(|_| hash_of(&document));
            // One that comes twice is compared with what it was before, and is not that any more.
            let mut before = portion.cut.iter();
            let is_first = !before.any(|cut| cut.document.id() == document.id());
            let there = hash.as_deref().zip(way).filter(|_| is_first);
            let there = there.and_then(|(hash, way)| self.there(&document, hash, way));
            match there {
                Some(parts) => portion.unchanged.add(&document, parts),
                None => {
                    let pieces = chunker.pieces(&document);
                    portion.cut.push(Cut {
                        document,
                        pieces,
                        hash,
                    });
                }
            }
        }
        portion
    }

    fn take_in(&self, cut: &[Cut], report: &mut Report, told: &(dyn Fn(Progress) + Sync)) {
        let before = report.progress();
        // What failed documents have cost was paid for as well.
        let spent = Mutex::new(before);
        let extracted = self.reading().extract(&parts(cut), &|run| {
            let mut now = before;
            now.pieces += run.pieces;
            now.cost += run.cost;
            *spent.lock().unwrap_or_else(PoisonError::into_inner) = now;
            told(now);
        });
        let spent = spent.into_inner().unwrap_or_else(PoisonError::into_inner);
        (report.pieces, report.cost) = (spent.pieces, spent.cost);
        let agreed = match self.layers.agreed() {
            Ok(agreed) => agreed,
            Err(error) => return report.end(error),
        };
        let way = self.way(&agreed);
        let mut ready = Vec::with_capacity(cut.len());
        for (cut, done) in cut.iter().zip(extracted) {
            let Cut {
                document,
                pieces,
                hash,
            } = cut;
            let mut extracted = match done {
                Ok(done) => done.pieces,
                Err(ExtractError::Cancelled) => {
                    report.ended = Some(Ended::Stopped);
                    continue;
                }
                Err(error) => {
                    match of_database(error) {
                        Ok(error) => {
                            report.ended.get_or_insert(Ended::Database(error));
                        }
                        Err(error) => report.problems.fail(Some(document.id()), error),
                    }
                    continue;
                }
            };
            report.bytes += document.text().len() as u64;
            extracted.iter_mut().for_each(|said| agreed.apply(said));
            match Contribution::new(document, pieces, &extracted, self.layers.profile()) {
                Ok(contribution) => {
                    let text = |at: usize| pieces[at].text(document);
                    self.look_at(document.id(), pieces.len(), text, report);
                    ready.push(match (hash, &way) {
                        (Some(hash), Some(way)) => contribution.made_of(&made_of(hash, way)),
                        _ => contribution,
                    });
                }
                Err(error) => report.problems.fail(Some(document.id()), error),
            }
        }
        self.write(&ready, report);
        // What was paid for outlasts the portion, also where none of its documents was written.
        if let Err(error) = self.layers.replies().sync() {
            report.ended.get_or_insert(Ended::Database(error));
        }
        told(report.progress());
        self.stops(report);
    }

    /// Tells if the embedder cannot read what a document says.
    pub(super) fn look_at<T: AsRef<str>>(
        &self,
        document: &str,
        texts: usize,
        text: impl Fn(usize) -> T,
        report: &mut Report,
    ) {
        let step = texts.div_ceil(MOST_LOOKED_AT).max(1);
        let some: Vec<T> = (0..texts).step_by(step).map(text).collect();
        let some: Vec<&str> = some.iter().map(AsRef::as_ref).collect();
        let embedder = self.layers.embedder();
        // Where texts cannot be cut into tokens, whoever embeds them says so.
        let Ok(Some(coverage)) = embedder.coverage(&some) else {
            return;
        };
        if !coverage.is_enough() {
            report.unread(Unread {
                document: document.to_owned(),
                embedder: embedder.name().to_owned(),
                coverage,
            });
        }
    }

    /// Writes these in one commit, or, if that does not go, each in its own.
    pub(super) fn write(&self, ready: &[Contribution], report: &mut Report) {
        // Nobody takes the writer's place for nothing.
        if ready.is_empty() {
            return;
        }
        let alone = ready.len() == 1;
        match self.layers.upsert_all(ready) {
            Ok(change) => return report.wrote(ready.len(), change),
            Err(error) if alone => return refused(&ready[0], error, report),
            Err(_) => {}
        }
        for document in ready {
            if self.stops(report) {
                return;
            }
            match self.layers.upsert(document) {
                Ok(change) => report.wrote(1, change),
                Err(error) => refused(document, error, report),
            }
            if report.ended.is_some() {
                return;
            }
        }
    }
}

/// Tells that a document cannot be written, and whether others would fare better.
fn refused(document: &Contribution, error: BuildError, report: &mut Report) {
    match error {
        // It takes too long, and others need not.
        BuildError::Database(stratigraph::Error::TransactionExpired { .. }) => {
            report.problems.fail(Some(document.document()), error);
        }
        BuildError::Database(error) if error.kind() != ErrorKind::Request => {
            report.ended = Some(Ended::Database(error));
        }
        error => report.problems.fail(Some(document.document()), error),
    }
}

fn parts(cut: &[Cut]) -> Vec<(&Document, &[Piece])> {
    cut.iter()
        .map(|cut| (&cut.document, cut.pieces.as_slice()))
        .collect()
}
