//! The terms that begin with a prefix.
//!
//! At most [`MAX_TERMS`] of each prefix and [`MAX_TERMS_OF_ALL`] of a query are looked for, the first in the order of
//! their bytes; a search says when there are more. Only those count that a live document has.

use super::cursor::Cursor;
use super::located::Located;
use super::score::Lengths;
use crate::error::Result;
use crate::index::text::postings::list::List;
use crate::index::text::query::plan::Prefix;
use crate::index::text::segment::page::Page;
use crate::index::text::segment::view::{Reader, SegmentView, damaged_postings};
use crate::keys::KeyRead;
use roaring::RoaringBitmap;
use std::sync::Arc;

/// So many terms of a prefix are looked for.
const MAX_TERMS: usize = 1024;
/// So many of all prefixes of a query: each of them is looked up in each segment.
pub(super) const MAX_TERMS_OF_ALL: usize = 8 * MAX_TERMS;

/// A prefix's terms.
pub(super) struct Expanded {
    pub(super) terms: Vec<Vec<u8>>,
    pub(super) is_cut: bool,
}

/// Finds the terms that begin with a prefix, `room` of them at most, and the stem that the prefix itself has.
pub(super) fn expand<K: KeyRead>(
    reader: &Reader<'_, K>,
    segments: &[SegmentView],
    Prefix { prefix, stem }: &Prefix,
    room: usize,
) -> Result<Expanded> {
    let mut walks = Vec::with_capacity(segments.len());
    for segment in segments {
        let mut walk = TermWalk::new(segment, prefix);
        if walk.next(reader)? {
            walks.push(walk);
        }
    }
    let (mut terms, mut is_cut) = (Vec::new(), false);
    while let Some(term) = walks.iter().map(|walk| &walk.term).min().cloned() {
        let mut counted = 0;
        let mut at = 0;
        while let Some(walk) = walks.get_mut(at) {
            if walk.term == term {
                counted += walk.counted;
                if !walk.next(reader)? {
                    walks.swap_remove(at);
                    continue;
                }
            }
            at += 1;
        }
        if counted > 0 {
            if terms.len() == MAX_TERMS.min(room) {
                is_cut = true;
                break;
            }
            terms.push(term);
        }
    }
    if !stem.is_empty() && !stem.starts_with(prefix) {
        terms.push(stem.clone());
    }
    Ok(Expanded { terms, is_cut })
}

/// Walks over the terms of a segment that begin with a prefix.
struct TermWalk<'s> {
    segment: &'s SegmentView,
    prefix: &'s [u8],
    page: Option<Arc<Page>>,
    next_page: usize,
    next_entry: usize,
    term: Vec<u8>,
    /// How much the segment adds to the number of live documents with the term.
    counted: i64,
}

impl<'s> TermWalk<'s> {
    fn new(segment: &'s SegmentView, prefix: &'s [u8]) -> Self {
        Self {
            segment,
            prefix,
            page: None,
            next_page: segment.directory.page_of(prefix).unwrap_or_default(),
            next_entry: 0,
            term: Vec::new(),
            counted: 0,
        }
    }

    /// Moves to the next term; `false` at the end.
    fn next<K: KeyRead>(&mut self, reader: &Reader<'_, K>) -> Result<bool> {
        loop {
            let page = match &self.page {
                Some(page) if self.next_entry < page.count() => Arc::clone(page),
                before => {
                    let is_first = before.is_none();
                    if self.next_page >= self.segment.directory.len() {
                        return Ok(false);
                    }
                    let page = reader.page(&self.segment.record, self.next_page)?;
                    // In later pages everything is greater than the prefix.
                    self.next_entry = match is_first {
                        true => page.find(self.prefix).map_err(damaged_postings)?.0,
                        false => 0,
                    };
                    self.next_page += 1;
                    self.page = Some(page);
                    continue;
                }
            };
            let at = self.next_entry;
            self.next_entry += 1;
            let (term, mut record, begin) = page.entry(at).map_err(damaged_postings)?;
            if !term.starts_with(self.prefix) {
                return Ok(false);
            }
            // A long list goes on in further pages, whose parts were counted in the first.
            let number = self.next_page - 1;
            if at == 0 && number > 0 && self.segment.directory.page_of(term) != Some(number) {
                continue;
            }
            let list = List::decode(&mut record, begin).map_err(damaged_postings)?;
            self.term.clear();
            self.term.extend_from_slice(term);
            self.counted = list.counted();
            return Ok(true);
        }
    }
}

impl Expanded {
    /// The documents of a segment that have any of the terms.
    pub(super) fn documents<K: KeyRead>(
        &self,
        reader: &Reader<'_, K>,
        segment: &SegmentView,
        lengths: &Lengths,
    ) -> Result<RoaringBitmap> {
        let mut documents = RoaringBitmap::new();
        for term in &self.terms {
            let Some(located) = Located::find(reader, segment, term)? else {
                continue;
            };
            if located.list().here == 0 {
                continue;
            }
            let mut cursor = Cursor::new(reader, segment, located, 0.0, lengths)?;
            cursor.each_between(0, segment.record.span, lengths, |document, _| {
                documents.insert(document);
            })?;
        }
        documents.optimize();
        Ok(documents)
    }
}
