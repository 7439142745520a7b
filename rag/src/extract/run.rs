//! Many pieces at once: a bounded number of threads, results that do not depend on who was first.
//!
//! Pieces that carry lines of the one before them wait for it; all others are read in any order. A document
//! that fails ends alone. Who stops half-way has lost nothing that was paid for: the replies are kept, and
//! the next run finds them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{
    Cost, Estimate, ExtractError, Extracted, Extractor, Foreseen, OpenDocument, Outcome, Reading,
};
use crate::Document;
use crate::chunk::{Measure, Piece};
use stratigraph::storage::cancel::CancelToken;

/// Reads the pieces of documents.
#[derive(Clone)]
pub struct Run<'a> {
    extractor: &'a dyn Extractor,
    threads: usize,
    cancel: CancelToken,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The pieces that are read.
    pub pieces: usize,
    /// How many there are.
    pub of: usize,
    /// What was spent so far.
    pub cost: Cost,
}

/// What came of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Done {
    /// What each of its pieces says.
    pub pieces: Vec<Extracted>,
    /// What it cost together.
    pub cost: Cost,
}

/// Pieces that are read one after the other.
struct Line {
    document: usize,
    pieces: std::ops::Range<usize>,
}

/// What came of a line.
type Read = Result<Vec<Outcome>, ExtractError>;

impl<'a> Run<'a> {
    /// Reads with this extractor, one piece at a time.
    #[must_use]
    pub fn new(extractor: &'a dyn Extractor) -> Self {
        Self {
            extractor,
            threads: 1,
            cancel: CancelToken::new(),
        }
    }

    /// Reads so many pieces at once: as many as the model takes calls, or as there are processors.
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

    /// What all of it would cost, without asking anybody.
    ///
    /// # Errors
    ///
    /// When the replies that are kept cannot be read.
    pub fn estimate(
        &self,
        documents: &[(&Document, &[Piece])],
        measure: &dyn Measure,
    ) -> Result<Estimate, ExtractError> {
        let mut sum = Estimate::default();
        for line in self.lines(documents) {
            let (document, pieces) = documents[line.document];
            let open = OpenDocument::new(document);
            let mut before = Foreseen::default();
            for piece in &pieces[line.pieces] {
                if self.cancel.is_cancelled() {
                    return Err(ExtractError::Cancelled);
                }
                let reading = Reading::new(&open, piece).after_each(&before.by_reader);
                let said = before.extracted.as_ref();
                let reading = match said.filter(|_| self.extractor.carries()) {
                    Some(said) => reading.after(said),
                    None => reading,
                };
                let foreseen = self.extractor.estimate(&reading, measure)?;
                sum += foreseen.estimate;
                before = foreseen;
            }
        }
        Ok(sum)
    }

    /// What each document says, in their order. `report` is told after each piece.
    pub fn extract(
        &self,
        documents: &[(&Document, &[Piece])],
        report: &(dyn Fn(Progress) + Sync),
    ) -> Vec<Result<Done, ExtractError>> {
        let lines = self.lines(documents);
        let open: Vec<OpenDocument<'_>> = documents
            .iter()
            .map(|(document, _)| OpenDocument::new(document))
            .collect();
        let failed: Vec<AtomicBool> = documents.iter().map(|_| AtomicBool::new(false)).collect();
        let progress = Mutex::new(Progress {
            of: documents.iter().map(|(_, pieces)| pieces.len()).sum(),
            ..Progress::default()
        });
        let next = AtomicUsize::new(0);
        let results: Vec<Mutex<Option<Read>>> = lines.iter().map(|_| Mutex::new(None)).collect();
        let work = || {
            while let Some((line, result)) = {
                let place = next.fetch_add(1, Ordering::Relaxed);
                lines.get(place).zip(results.get(place))
            } {
                let pieces = &documents[line.document].1[line.pieces.clone()];
                let stop =
                    || self.cancel.is_cancelled() || failed[line.document].load(Ordering::Relaxed);
                let spent = |pieces, cost| {
                    let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
                    progress.pieces += pieces;
                    progress.cost += cost;
                    report(*progress);
                };
                let read = self.line(&open[line.document], pieces, &stop, &spent);
                if read.is_err() {
                    failed[line.document].store(true, Ordering::Relaxed);
                }
                *result.lock().unwrap_or_else(PoisonError::into_inner) = Some(read);
            }
        };
        let threads = self.threads.min(lines.len());
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
        let empty = || Ok(Done::default());
        let mut done: Vec<Result<Done, ExtractError>> = documents.iter().map(|_| empty()).collect();
        for (line, result) in lines.iter().zip(results) {
            let result = result.into_inner().unwrap_or_else(PoisonError::into_inner);
            let result = result.unwrap_or(Err(ExtractError::Cancelled));
            join(&mut done[line.document], result);
        }
        done
    }

    /// The lines of pieces, in the order of documents and pieces.
    fn lines(&self, documents: &[(&Document, &[Piece])]) -> Vec<Line> {
        let mut lines = Vec::new();
        for (document, (_, pieces)) in documents.iter().enumerate() {
            let mut start = 0;
            for place in 1..=pieces.len() {
                let follows = |piece: &Piece| self.extractor.carries() && piece.carried.is_some();
                if pieces.get(place).is_some_and(follows) {
                    continue;
                }
                lines.push(Line {
                    document,
                    pieces: start..place,
                });
                start = place;
            }
        }
        lines
    }

    fn line(
        &self,
        open: &OpenDocument<'_>,
        pieces: &[Piece],
        stop: &dyn Fn() -> bool,
        spent: &dyn Fn(usize, Cost),
    ) -> Read {
        let mut read: Vec<Outcome> = Vec::with_capacity(pieces.len());
        let mut by_reader = Vec::new();
        for piece in pieces {
            if stop() {
                return Err(ExtractError::Cancelled);
            }
            let reading = Reading::new(open, piece);
            let reading = match read.last().filter(|_| self.extractor.carries()) {
                Some(before) => reading.after(&before.extracted).after_each(&by_reader),
                None => reading,
            };
            let outcome = self.extractor.extract(&reading);
            let mut outcome = outcome.inspect_err(|error| {
                // What failed is on the bill too.
                let cost = error.cost();
                if cost != Cost::default() {
                    spent(0, cost);
                }
            })?;
            spent(1, outcome.cost);
            // Nobody but the next piece asks who said what, and all outcomes are held until the last line is read.
            by_reader = std::mem::take(&mut outcome.by_reader);
            read.push(outcome);
        }
        Ok(read)
    }
}

/// Adds what came of a line. Of several errors the first in the text counts that is more than a stop.
fn join(done: &mut Result<Done, ExtractError>, read: Read) {
    match (done.as_mut(), read) {
        (Ok(done), Ok(read)) => {
            for outcome in read {
                done.cost += outcome.cost;
                done.pieces.push(outcome.extracted);
            }
        }
        (Ok(_) | Err(ExtractError::Cancelled), Err(error)) => *done = Err(error),
        (Err(_), _) => {}
    }
}

#[cfg(test)]
mod tests;
