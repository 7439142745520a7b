//! A piece as an extractor is given it: with its document, its place, and what the one before it said.

use std::ops::Range;
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

    /// Its sentences, as spans of the document's text, without those that have no word. Headings that it spans are among them:
    /// whoever reads it is to see them.
    pub(super) fn sentences(&self) -> Vec<Range<usize>> {
        self.within(self.piece.span.clone()).collect()
    }

    /// The same, none of them across a heading of the document, and each with whether it is one itself.
    pub(super) fn sentences_and_headings(&self) -> Vec<(Range<usize>, bool)> {
        let (document, piece) = (self.document(), &self.piece.span);
        let sections = document.sections();
        let first = sections.partition_point(|section| section.body.start <= piece.start);
        let headings = sections.iter().skip(first);
        let headings = headings.map(|section| section.span.start..section.body.start);
        let mut all = Vec::new();
        let mut from = piece.start;
        for heading in headings.take_while(|heading| heading.start < piece.end) {
            // A window may begin or end within one.
            let heading = heading.start.max(from)..heading.end.min(piece.end);
            all.extend(self.within(from..heading.start).map(|span| (span, false)));
            from = heading.end;
            all.extend(with_words(document.text(), heading).map(|span| (span, true)));
        }
        all.extend(self.within(from..piece.end).map(|span| (span, false)));
        all
    }

    /// The sentences of a span of the document's text.
    fn within(&self, span: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let document = self.document();
        let sentences = crate::chunk::sentences(document.text_of(span.clone()));
        sentences.filter_map(move |sentence| {
            let sentence = span.start + sentence.start..span.start + sentence.end;
            with_words(document.text(), sentence)
        })
    }
}

/// A span without the blanks at its ends; nothing if there is no word in it.
fn with_words(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let words = text.get(span.clone())?;
    let from = span.start + words.len() - words.trim_start().len();
    let has_words = words.contains(char::is_alphanumeric);
    has_words.then(|| from..from + words.trim().len())
}
