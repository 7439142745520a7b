//! Makes one segment of several that follow each other.
//!
//! Documents keep their numbers, those that are gone are dropped, and what is found afterwards is what was found
//! before, score for score. The correction of a term loses one for each document that is dropped, since that no
//! longer counts. What the merge writes it returns; the old segments' keys are removed with it.

use super::build::{EncodedPositions, SegmentBuilder};
use super::columns::{Columns, Document};
use super::page::Page;
use super::positions;
use super::view::{Reader, SegmentView, damaged_postings};
use crate::codec::CodecError;
use crate::error::Result;
use crate::graph::pending::{Pairs, pair};
use crate::index::text::keys::{DocumentsKey, PageKey, PageNo, Part, SegmentId};
use crate::index::text::postings::Posting;
use crate::index::text::postings::block::Block;
use crate::index::text::postings::list::List;
use crate::index::text::statistics::SegmentRecord;
use crate::keys::KeyRead;
use crate::storage::family::Family;
use std::sync::Arc;

/// Merges segments, in the order of their documents, into one with the number `id`.
pub(crate) fn merge<K: KeyRead>(
    reader: &Reader<'_, K>,
    records: &[SegmentRecord],
    id: SegmentId,
) -> Result<(SegmentRecord, Pairs)> {
    let first = records.first().map_or(0, |record| record.first);
    let end = records
        .last()
        .map_or(0, |record| record.first + record.span);
    let mut streams = Vec::with_capacity(records.len());
    let mut columns = Columns::default();
    for record in records {
        let view = reader.view(*record)?;
        let shift = record.first - first;
        for document in view
            .columns
            .documents()
            .iter()
            .filter(|document| !view.is_gone(document.number))
        {
            columns.push(Document {
                number: document.number + shift,
                ..*document
            });
        }
        let mut stream = TermStream::new(view, shift);
        if stream.next(reader)? {
            streams.push(stream);
        }
    }
    let mut builder = SegmentBuilder::new(reader.index, id);
    let (mut postings, mut places) = (Vec::new(), EncodedPositions::default());
    while let Some(term) = streams.iter().map(|stream| &stream.term).min().cloned() {
        postings.clear();
        places.clear();
        let mut correction = 0;
        let mut at = 0;
        while let Some(stream) = streams.get_mut(at) {
            if stream.term == term {
                correction += stream.take(&mut postings, &mut places);
                if !stream.next(reader)? {
                    // The streams stay in the order of their documents.
                    streams.remove(at);
                    continue;
                }
            }
            at += 1;
        }
        builder.add(&term, correction, &postings, &places);
    }
    let (record, mut pairs) = builder.finish(first, end - first, &columns);
    for record in records {
        remove(reader, record, &mut pairs);
    }
    Ok((record, pairs))
}

/// Removes the keys of a segment.
fn remove<K>(reader: &Reader<'_, K>, record: &SegmentRecord, pairs: &mut Pairs) {
    let parts = [
        (Part::Terms, record.pages),
        (Part::Positions, record.position_pages),
    ];
    for (part, pages) in parts {
        for page in 0..pages {
            let key = PageKey {
                index: reader.index,
                segment: record.id,
                part,
                page: PageNo(page),
            };
            pairs.push(pair(Family::Postings, &key.encode(), None));
        }
    }
    let mut keys = vec![
        DocumentsKey::Directory(record.id),
        DocumentsKey::Columns(record.id),
    ];
    if record.gone > 0 {
        keys.push(DocumentsKey::Gone(record.id));
    }
    for key in keys {
        pairs.push(pair(Family::TextDocuments, &key.encode(reader.index), None));
    }
}

/// Walks over the terms of a segment, each with all its postings.
pub(crate) struct TermStream {
    view: SegmentView,
    /// How much the numbers of documents rise by.
    shift: u32,
    page: Option<Arc<Page>>,
    next_page: usize,
    next_entry: usize,
    /// The term that the stream is at.
    pub(crate) term: Vec<u8>,
    pub(crate) correction: i64,
    pub(crate) postings: Vec<Posting>,
    pub(crate) positions: EncodedPositions,
}

impl TermStream {
    pub(crate) fn new(view: SegmentView, shift: u32) -> Self {
        Self {
            view,
            shift,
            page: None,
            next_page: 0,
            next_entry: 0,
            term: Vec::new(),
            correction: 0,
            postings: Vec::new(),
            positions: EncodedPositions::default(),
        }
    }

    /// Moves to the next term; `false` at the end.
    pub(crate) fn next<K: KeyRead>(&mut self, reader: &Reader<'_, K>) -> Result<bool> {
        self.postings.clear();
        self.positions.clear();
        let Some(page) = self.turn(reader)? else {
            return Ok(false);
        };
        let mut later = self.read_entry(reader, &page, true)?;
        while later > 0 {
            let wrong = || {
                damaged_postings(CodecError::NotCanonical {
                    what: "postings page",
                    at: 0,
                })
            };
            let page = self.turn(reader)?.ok_or_else(wrong)?;
            let next = self.read_entry(reader, &page, false)?;
            if next >= later {
                return Err(wrong());
            }
            later = next;
        }
        Ok(true)
    }

    /// The page of the next entry.
    fn turn<K: KeyRead>(&mut self, reader: &Reader<'_, K>) -> Result<Option<Arc<Page>>> {
        if let Some(page) = self
            .page
            .as_ref()
            .filter(|page| self.next_entry < page.count())
        {
            return Ok(Some(Arc::clone(page)));
        }
        if self.next_page >= self.view.directory.len() {
            return Ok(None);
        }
        let page = reader.page(&self.view.record, self.next_page)?;
        self.next_page += 1;
        self.next_entry = 0;
        self.page = Some(Arc::clone(&page));
        Ok(Some(page))
    }

    /// Reads an entry, the first of its term or a later part; returns how many postings still follow.
    fn read_entry<K: KeyRead>(
        &mut self,
        reader: &Reader<'_, K>,
        page: &Page,
        first: bool,
    ) -> Result<u32> {
        let wrong = |at| {
            damaged_postings(CodecError::NotCanonical {
                what: "postings page",
                at,
            })
        };
        let (term, mut record, begin) = page.entry(self.next_entry).map_err(damaged_postings)?;
        self.next_entry += 1;
        if first {
            if !self.term.is_empty() && term <= self.term.as_slice() {
                return Err(wrong(begin));
            }
            self.term = term.to_vec();
        } else if term != self.term {
            return Err(wrong(begin));
        }
        let list = List::decode(&mut record, begin).map_err(damaged_postings)?;
        if first {
            self.correction = list.correction;
        }
        let mut block = Block::default();
        for info in &list.blocks {
            info.read(page.bytes(), self.view.record.span, &mut block)
                .map_err(damaged_postings)?;
            let bytes = reader.positions(&self.view.record, info.positions.page)?;
            let mut record =
                positions::block(&bytes, info.positions.offset).map_err(damaged_postings)?;
            let begin = info.positions.offset as usize;
            for posting in block.postings() {
                let from = begin + record.position();
                positions::skip(&mut record).map_err(damaged_postings)?;
                let to = begin + record.position();
                if self
                    .postings
                    .last()
                    .is_some_and(|last| last.document >= posting.document)
                {
                    return Err(wrong(begin));
                }
                self.postings.push(posting);
                self.positions.push(bytes.get(from..to).unwrap_or_default());
            }
        }
        Ok(list.later)
    }

    /// Appends what is not gone; returns the correction that is left.
    fn take(&mut self, postings: &mut Vec<Posting>, positions: &mut EncodedPositions) -> i64 {
        let mut correction = self.correction;
        let mut begin = 0;
        for (posting, end) in self.postings.iter().zip(&self.positions.ends) {
            let end = *end as usize;
            if self.view.is_gone(posting.document) {
                correction += 1;
            } else {
                postings.push(Posting {
                    document: posting.document + self.shift,
                    ..*posting
                });
                positions.push(self.positions.bytes.get(begin..end).unwrap_or_default());
            }
            begin = end;
        }
        correction
    }
}
