//! Chunkers: a document is cut into pieces that a model can read, each with its place.
//!
//! A piece is spans of the document's text and never text of its own, so nothing is lost or made up on the
//! way. How long a piece is, the embedder's own tokenizer says ([`Measure`]). The ways to cut are those of
//! the published systems ([`Chunking`]); what all of them share is in `atoms.rs`, which finds the least
//! pieces that stay whole, and `pack.rs`, which puts them together. `reach.rs` leaves room for headings; `written.rs` reads a
//! way to cut as doors take it. `telling.rs` has the sentences of a piece that say something.
//!
//! EmPULIA begins each piece with `# title (part i/n)`. Ours is put under its headings (`Document::heading_line`), which say
//! the title and more, and without its number: one paragraph more would be another number before every piece of a
//! document, and so another vector and another call of the model for each of them.

mod atoms;
mod measure;
mod pack;
mod reach;
mod sentences;
mod telling;
mod written;

use std::ops::Range;

use crate::Document;
use pack::{Packing, pack};

pub use measure::{Characters, Measure, Measured, Tokens, Words};
pub use reach::Reach;
pub use sentences::sentences;
pub(crate) use telling::{is_heading, telling_sentences};
pub use written::{BadChunks, Chunks};

/// A piece of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The lowest section that holds all of it, among [`Document::sections`].
    pub section: usize,
    /// Where it stands.
    pub span: Range<usize>,
    /// The last lines of the piece before it, for models that read them along.
    pub carried: Option<Range<usize>>,
    /// Which piece of the document it is, from 1, and how many there are.
    pub part: (usize, usize),
}

impl Piece {
    /// Its text as the document has it.
    #[must_use]
    pub fn text<'a>(&self, document: &'a Document) -> &'a str {
        document.text_of(self.span.clone())
    }
}

/// How a document is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Chunking {
    /// At its lowest headings, and a section that is too long again; each further piece of it carries the
    /// last lines of the one before. As BAG-RAG does.
    Headings {
        /// The most units of a piece.
        limit: usize,
        /// How many lines are carried.
        carried_lines: usize,
    },
    /// In windows of so many units, wherever they fall. As TagRAG does with 1,200 and 100 tokens.
    Windows {
        /// The units of a window.
        size: usize,
        /// How many of them the next window begins with.
        overlap: usize,
    },
    /// At paragraphs, else lines, else sentences, else words, up to so many units. As HybridRAG does with
    /// 2,024 and 204 characters, and with 1,024 and none.
    Text {
        /// The most units of a piece.
        size: usize,
        /// The most units that the next piece begins with again.
        overlap: usize,
    },
    /// At headings and blocks, which stay whole where they fit, up to so many units. What is short is put
    /// together with its neighbours under the same heading. As EmPULIA does.
    Structure {
        /// The most units of a piece.
        limit: usize,
    },
    /// So many sentences, of which the next piece begins with the last ones again.
    Sentences {
        /// The sentences of a piece.
        count: usize,
        /// How many of them the next piece begins with.
        overlap: usize,
    },
}

/// Cuts documents.
#[derive(Clone, Copy)]
pub struct Chunker<'a> {
    chunking: Chunking,
    measure: &'a dyn Measure,
    join: usize,
    beside_headings: bool,
}

impl<'a> Chunker<'a> {
    /// Cuts in this way, measured so.
    #[must_use]
    pub fn new(chunking: Chunking, measure: &'a dyn Measure) -> Self {
        Self {
            chunking,
            measure,
            join: 1,
            beside_headings: false,
        }
    }

    /// Joins so many consecutive pieces into one, as EmPULIA does with three.
    #[must_use]
    pub fn join(mut self, pieces: usize) -> Self {
        self.join = pieces.max(1);
        self
    }

    /// Cuts sections so that each piece is read whole by the embedder whose units are counted, with its heading before it.
    ///
    /// It says nothing to windows, texts and sentences, nor where pieces are joined, and leaves a limit as it is that is above
    /// the embedder's own: who asks for that wants pieces that are not read whole.
    #[must_use]
    pub fn beside_headings(mut self) -> Self {
        self.beside_headings = true;
        self
    }

    /// The pieces in the order of the text. None is without a word, and together they hold every word that
    /// stands in a section and is not a heading; windows and text hold the headings too.
    #[must_use]
    pub fn pieces(&self, document: &Document) -> Vec<Piece> {
        let measured = Measured::of(document.text(), self.measure);
        let whole = document.sections()[0].span.clone();
        let mut pieces = match self.chunking {
            Chunking::Windows { size, overlap } => {
                let spans = measured.windows(&whole, size.max(1), overlap);
                spans.into_iter().map(Rough::alone).collect()
            }
            Chunking::Text { size, overlap } => {
                let atoms = atoms::of_text(&measured, &whole, size.max(1));
                let packing = Packing {
                    limit: size.max(1),
                    overlap,
                };
                pack(&measured, &atoms, packing)
                    .into_iter()
                    .map(Rough::alone)
                    .collect()
            }
            Chunking::Sentences { count, overlap } => of_sentences(document, count.max(1), overlap),
            Chunking::Structure { .. } => self.by_section(document, &measured, 0),
            Chunking::Headings { carried_lines, .. } => {
                self.by_section(document, &measured, carried_lines)
            }
        };
        if self.chunking.limit().is_some() {
            pieces = self.kept_to_limit(document, pieces);
        }
        for piece in &mut pieces {
            piece.span = trimmed(document.text(), &piece.span);
        }
        pieces.retain(|piece| {
            document
                .text_of(piece.span.clone())
                .contains(char::is_alphanumeric)
        });
        finished(document, joined(document, &pieces, self.join))
    }
}

impl Chunking {
    /// The most units of a piece, if it has such a limit.
    fn limit(&self) -> Option<usize> {
        match *self {
            Self::Headings { limit, .. } | Self::Structure { limit } => Some(limit.max(1)),
            Self::Windows { size, .. } | Self::Text { size, .. } => Some(size.max(1)),
            Self::Sentences { .. } => None,
        }
    }
}

impl Chunker<'_> {
    /// A tokenizer may make more of a word that was cut than of the same letters within the text, so pieces
    /// with such a border are measured alone, and cut again if need be.
    fn kept_to_limit(&self, document: &Document, pieces: Vec<Rough>) -> Vec<Rough> {
        let text = document.text();
        let mut kept = Vec::with_capacity(pieces.len());
        let mut rest: Vec<Rough> = pieces.into_iter().rev().collect();
        while let Some(piece) = rest.pop() {
            let (start, end) = (piece.span.start, piece.span.end);
            let words = &text[start..end];
            if !(within_word(text, start) || within_word(text, end)) {
                kept.push(piece);
                continue;
            }
            let ends = self.measure.ends(words);
            let section = lowest(document, &piece.span);
            let limit = self.limit_in(document, section, words.len());
            let cut = ends
                .get(limit - 1)
                .copied()
                .filter(|cut| *cut < words.trim_end().len());
            match cut.filter(|cut| *cut > 0 && words.is_char_boundary(*cut)) {
                None => kept.push(piece),
                Some(cut) => {
                    rest.push(Rough::alone(start + cut..end));
                    let span = start..start + cut;
                    kept.push(Rough { span, ..piece });
                }
            }
        }
        kept
    }

    /// The most units of a piece in a section, of a text of so many bytes. Beside one that fits with any heading, none
    /// is measured: there may be many of them, and their headings long.
    fn limit_in(&self, document: &Document, section: usize, bytes: usize) -> usize {
        let limit = self.chunking.limit().unwrap_or(usize::MAX);
        let reach = match self.chunking {
            Chunking::Structure { .. } | Chunking::Headings { .. }
                if self.beside_headings && self.join == 1 =>
            {
                self.measure.reach()
            }
            _ => None,
        };
        match reach {
            Some(reach) if limit <= reach.limit && bytes > limit.min(reach.beside_any()) => {
                let heading = document.heading_line(section);
                limit.min(reach.beside(&heading, self.measure))
            }
            _ => limit,
        }
    }

    /// The bodies of all sections, each by its blocks.
    fn by_section(
        &self,
        document: &Document,
        measured: &Measured<'_>,
        carried_lines: usize,
    ) -> Vec<Rough> {
        let mut pieces = Vec::new();
        for (place, section) in document.sections().iter().enumerate() {
            let limit = self.limit_in(document, place, section.body.len());
            let blocks = document.blocks_in(&section.body);
            let atoms = atoms::of_blocks(measured, &section.body, blocks, limit);
            let packing = Packing { limit, overlap: 0 };
            let mut before: Option<Range<usize>> = None;
            for span in pack(measured, &atoms, packing) {
                let last =
                    |before: &Range<usize>| last_lines(document.text(), before, carried_lines);
                let carried = before.as_ref().filter(|_| carried_lines > 0).map(last);
                before = Some(span.clone());
                pieces.push(Rough { span, carried });
            }
        }
        pieces
    }
}

/// Whether a border has letters on both sides.
fn within_word(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    let after = text[at..].chars().next();
    before.is_some_and(|sign| !sign.is_whitespace())
        && after.is_some_and(|sign| !sign.is_whitespace())
}

/// A piece before it is known which of how many it is.
struct Rough {
    span: Range<usize>,
    carried: Option<Range<usize>>,
}

impl Rough {
    fn alone(span: Range<usize>) -> Self {
        Self {
            span,
            carried: None,
        }
    }
}

fn of_sentences(document: &Document, count: usize, overlap: usize) -> Vec<Rough> {
    let step = count - overlap.min(count - 1);
    let mut pieces = Vec::new();
    for section in document.sections() {
        let sentences: Vec<Range<usize>> = sentences(document.text_of(section.body.clone()))
            .map(|span| section.body.start + span.start..section.body.start + span.end)
            .filter(|span| {
                document
                    .text_of(span.clone())
                    .contains(char::is_alphanumeric)
            })
            .collect();
        let mut at = 0;
        while at < sentences.len() {
            let end = (at + count).min(sentences.len());
            pieces.push(Rough::alone(sentences[at].start..sentences[end - 1].end));
            if end == sentences.len() {
                break;
            }
            at += step;
        }
    }
    pieces
}

/// The last so many lines that have words, as one span.
fn last_lines(text: &str, span: &Range<usize>, count: usize) -> Range<usize> {
    let mut start = span.end;
    let mut lines = 0;
    let words = &text[span.clone()];
    for line in words.split_inclusive('\n').rev() {
        if lines == count {
            break;
        }
        start -= line.len();
        lines += usize::from(!line.trim().is_empty());
    }
    trimmed(text, &(start..span.end))
}

fn joined(document: &Document, pieces: &[Rough], join: usize) -> Vec<Rough> {
    let groups = pieces.chunks(join);
    let joined = groups.filter_map(|group| {
        let (first, last) = (group.first()?, group.last()?);
        let start = match group {
            [_] => first.span.start,
            _ => beginning(document, &first.span, last.span.end),
        };
        Some(Rough {
            span: start..last.span.end,
            carried: first.carried.clone(),
        })
    });
    joined.collect()
}

/// Where several pieces begin as one. If they are of several sections the headings of all but the first stand between
/// them, so the first one's is taken along: nothing else would say that it ends where the next begins.
fn beginning(document: &Document, first: &Range<usize>, end: usize) -> usize {
    let section = &document.sections()[lowest(document, first)];
    let before = document.text().get(section.body.start..first.start);
    let is_whole = before.is_some_and(|before| before.trim().is_empty());
    match is_whole && end > section.body.end {
        true => section.span.start,
        false => first.start,
    }
}

fn finished(document: &Document, rough: Vec<Rough>) -> Vec<Piece> {
    let parts = rough.len();
    let pieces = rough.into_iter().enumerate().map(|(place, rough)| Piece {
        section: lowest(document, &rough.span),
        span: rough.span,
        carried: rough.carried,
        part: (place + 1, parts),
    });
    pieces.collect()
}

/// The lowest section that holds a span.
fn lowest(document: &Document, span: &Range<usize>) -> usize {
    let sections = document.sections();
    let mut at = sections
        .partition_point(|section| section.span.start <= span.start)
        .max(1)
        - 1;
    while sections[at].span.end < span.end {
        let Some(parent) = sections[at].parent else {
            break;
        };
        at = parent;
    }
    at
}

/// The span without the blanks at its ends.
fn trimmed(text: &str, span: &Range<usize>) -> Range<usize> {
    let words = &text[span.clone()];
    let start = span.start + words.len() - words.trim_start().len();
    start..start + words.trim().len()
}

#[cfg(test)]
mod tests;
