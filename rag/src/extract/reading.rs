//! A piece as an extractor is given it: with its document, its place, and what the one before it said.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::Extracted;
use super::rules::Counted;
use crate::Document;
use crate::chunk::{Characters, Chunker, Chunking, Piece};

/// A document that is extracted from, with what is counted and cut of it once for all its pieces.
#[derive(Debug)]
pub struct OpenDocument<'a> {
    document: &'a Document,
    counted: OnceLock<Counted>,
    wide: Mutex<Vec<(Chunking, Arc<[Piece]>)>>,
}

impl<'a> OpenDocument<'a> {
    /// Opens a document. Nothing is counted before somebody asks.
    #[must_use]
    pub fn new(document: &'a Document) -> Self {
        Self {
            document,
            counted: OnceLock::new(),
            wide: Mutex::default(),
        }
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> &'a Document {
        self.document
    }

    pub(super) fn counted(&self) -> &Counted {
        self.counted
            .get_or_init(|| Counted::of(self.document.text()))
    }

    /// Its pieces if it is cut so, in characters.
    pub(super) fn wide(&self, chunking: Chunking) -> Arc<[Piece]> {
        let mut all = self.wide.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, pieces)) = all.iter().find(|(known, _)| *known == chunking) {
            return Arc::clone(pieces);
        }
        let pieces = Chunker::new(chunking, &Characters).pieces(self.document);
        let pieces: Arc<[Piece]> = pieces.into();
        all.push((chunking, Arc::clone(&pieces)));
        pieces
    }
}

/// A piece that is read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    open: &'a OpenDocument<'a>,
    piece: &'a Piece,
    before: Option<&'a Extracted>,
    by_reader: &'a [Option<Extracted>],
}

impl<'a> Reading<'a> {
    /// A piece of this document.
    #[must_use]
    pub fn new(open: &'a OpenDocument<'a>, piece: &'a Piece) -> Self {
        Self {
            open,
            piece,
            before: None,
            by_reader: &[],
        }
    }

    /// Along with what the piece before it says.
    #[must_use]
    pub fn after(mut self, before: &'a Extracted) -> Self {
        self.before = Some(before);
        self
    }

    /// Along with what each of several readers says of the piece before it by itself: [`Outcome::by_reader`].
    ///
    /// [`Outcome::by_reader`]: super::Outcome::by_reader
    #[must_use]
    pub fn after_each(mut self, by_reader: &'a [Option<Extracted>]) -> Self {
        self.by_reader = by_reader;
        self
    }

    /// The same piece, and nothing of the one before it.
    pub(super) fn alone(&self) -> Self {
        Self::new(self.open, self.piece)
    }

    /// What the reader at this place among several says of the piece before it; what all say if that is not known.
    pub(super) fn before_by(&self, reader: usize) -> Option<&'a Extracted> {
        match self.by_reader {
            [] => self.before,
            each => each.get(reader)?.as_ref(),
        }
    }

    /// Its document, with what is kept of it.
    pub(super) fn open(&self) -> &'a OpenDocument<'a> {
        self.open
    }

    /// Its document.
    #[must_use]
    pub fn document(&self) -> &'a Document {
        self.open.document
    }

    /// The piece.
    #[must_use]
    pub fn piece(&self) -> &'a Piece {
        self.piece
    }

    /// What the piece before it says, if it is read along.
    #[must_use]
    pub fn before(&self) -> Option<&'a Extracted> {
        self.before
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.piece.text(self.open.document)
    }

    /// The last lines of the piece before it.
    #[must_use]
    pub fn carried(&self) -> Option<&'a str> {
        let carried = self.piece.carried.clone()?;
        Some(self.open.document.text_of(carried))
    }

    /// The titles it stands under, from the document's own down, each once.
    #[must_use]
    pub fn titles(&self) -> Vec<&'a str> {
        let document = self.open.document;
        let mut titles = vec![document.title()];
        let path = document.heading_path(self.piece.section);
        titles.extend(path.into_iter().filter(|title| *title != document.title()));
        titles.retain(|title| !title.trim().is_empty());
        titles
    }

    /// What it is, for people: `rocks.md, part 2/5`.
    #[must_use]
    pub fn shown(&self) -> String {
        let (part, parts) = self.piece.part;
        format!("{}, part {part}/{parts}", self.open.document.id())
    }

    pub(super) fn counted(&self) -> &'a Counted {
        self.open.counted()
    }

    /// Its sentences, as spans of the document's text, without those that have no word.
    pub(super) fn sentences(&self) -> Vec<std::ops::Range<usize>> {
        let (start, text) = (self.piece.span.start, self.text());
        let spans = crate::chunk::sentences(text).filter_map(|span| {
            let words = &text[span.clone()];
            let from = span.start + words.len() - words.trim_start().len();
            let trimmed = from..from + words.trim().len();
            words
                .contains(char::is_alphanumeric)
                .then_some(start + trimmed.start..start + trimmed.end)
        });
        spans.collect()
    }
}
