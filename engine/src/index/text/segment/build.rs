//! Writes a segment: terms in rising order, each with all its postings.

use super::columns::Columns;
use super::directory::Directory;
use super::page::PageBuilder;
use super::positions::{self, FULL_BYTES};
use crate::catalog::SchemaId;
use crate::codec::RecordWriter;
use crate::graph::pending::{Pairs, pair};
use crate::index::text::keys::{DocumentsKey, PageKey, PageNo, Part, SegmentId};
use crate::index::text::postings::Posting;
use crate::index::text::postings::block::BLOCK;
use crate::index::text::postings::list::{self, PART, PositionSpot, WrittenPositions};
use crate::index::text::statistics::SegmentRecord;
use crate::storage::family::Family;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The positions of some postings, as `positions.rs` encodes them, one after the other.
#[derive(Debug, Default)]
pub(crate) struct EncodedPositions {
    pub(crate) bytes: Vec<u8>,
    /// Where those of each posting end.
    pub(crate) ends: Vec<u32>,
}

impl EncodedPositions {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Adds those of one posting.
    pub(crate) fn push(&mut self, encoded: &[u8]) {
        self.bytes.extend_from_slice(encoded);
        self.ends.push(self.bytes.len() as u32);
    }

    fn of(&self, from: usize, to: usize) -> &[u8] {
        let end = |count: usize| {
            count
                .checked_sub(1)
                .and_then(|at| self.ends.get(at))
                .map_or(0, |end| *end as usize)
        };
        self.bytes.get(end(from)..end(to)).unwrap_or_default()
    }
}

/// A segment that is being written.
pub(crate) struct SegmentBuilder {
    index: SchemaId,
    segment: SegmentId,
    page: PageBuilder,
    positions: Vec<u8>,
    directory: Directory,
    pages: u32,
    position_pages: u32,
    bytes: u64,
    print: u64,
    pairs: Pairs,
}

impl SegmentBuilder {
    pub(crate) fn new(index: SchemaId, segment: SegmentId) -> Self {
        Self {
            index,
            segment,
            page: PageBuilder::default(),
            positions: vec![positions::FORMAT],
            directory: Directory::default(),
            pages: 0,
            position_pages: 0,
            bytes: 0,
            print: 0,
            pairs: Pairs::new(),
        }
    }

    /// Adds a term, which must come after all before it. One without postings and correction is left out.
    pub(crate) fn add(
        &mut self,
        term: &[u8],
        correction: i64,
        postings: &[Posting],
        positions: &EncodedPositions,
    ) {
        if postings.is_empty() && correction == 0 {
            return;
        }
        let parts = postings.len().div_ceil(PART).max(1);
        if parts > 1 {
            // A list of several parts begins a page, so that the directory leads to each of them.
            self.finish_page();
        }
        for part in 0..parts {
            let from = part * PART;
            let to = (from + PART).min(postings.len());
            let here = postings.get(from..to).unwrap_or_default();
            let later = postings.get(to..).unwrap_or_default();
            let written = self.write_positions(from, to, positions);
            let mut list = RecordWriter::part();
            let correction = if part == 0 { correction } else { 0 };
            list::encode(here, later, correction, &written, &mut list);
            let list = list.as_bytes();
            if !self.page.has_room(term.len() + list.len() + 4) {
                self.finish_page();
            }
            if self.page.is_empty() {
                let first = here.first().map_or(0, |posting| posting.document);
                self.directory.push(term, first);
            }
            self.page.push(term, list);
            if parts > 1 {
                self.finish_page();
            }
        }
    }

    /// Writes the positions of postings block by block.
    fn write_positions(
        &mut self,
        from: usize,
        to: usize,
        positions: &EncodedPositions,
    ) -> Vec<WrittenPositions> {
        let blocks = (from..to).step_by(BLOCK);
        blocks
            .map(|begin| {
                let encoded = positions.of(begin, (begin + BLOCK).min(to));
                let new_page =
                    self.positions.len() > 1 && self.positions.len() + encoded.len() > FULL_BYTES;
                if new_page {
                    self.finish_positions();
                }
                let spot = PositionSpot {
                    page: self.position_pages,
                    offset: self.positions.len() as u32,
                    bytes: encoded.len() as u32,
                };
                self.positions.extend_from_slice(encoded);
                WrittenPositions { spot, new_page }
            })
            .collect()
    }

    fn finish_page(&mut self) {
        if !self.page.is_empty() {
            let bytes = self.page.finish();
            self.put_page(Part::Terms, self.pages, bytes);
            self.pages += 1;
        }
    }

    fn finish_positions(&mut self) {
        let bytes = std::mem::replace(&mut self.positions, vec![positions::FORMAT]);
        if bytes.len() > 1 {
            self.put_page(Part::Positions, self.position_pages, bytes);
            self.position_pages += 1;
        }
    }

    fn put_page(&mut self, part: Part, page: u32, bytes: Vec<u8>) {
        let key = PageKey {
            index: self.index,
            segment: self.segment,
            part,
            page: PageNo(page),
        };
        self.print = xxh3_64_with_seed(&bytes, self.print);
        self.bytes += bytes.len() as u64;
        self.pairs
            .push(pair(Family::Postings, &key.encode(), Some(bytes)));
    }

    /// Ends the segment: what to write, and its line in the statistics.
    pub(crate) fn finish(
        mut self,
        first: u32,
        span: u32,
        columns: &Columns,
    ) -> (SegmentRecord, Pairs) {
        self.finish_page();
        self.finish_positions();
        let directory = self.directory.encode();
        let columns_bytes = columns.encode();
        let print = xxh3_64_with_seed(&columns_bytes, xxh3_64_with_seed(&directory, self.print));
        let record = SegmentRecord {
            id: self.segment,
            first,
            span,
            present: columns.documents().len() as u32,
            gone: 0,
            pages: self.pages,
            position_pages: self.position_pages,
            bytes: self.bytes,
            print,
            gone_print: 0,
        };
        for (key, value) in [
            (DocumentsKey::Directory(self.segment), directory),
            (DocumentsKey::Columns(self.segment), columns_bytes),
        ] {
            self.pairs.push(pair(
                Family::TextDocuments,
                &key.encode(self.index),
                Some(value),
            ));
        }
        (record, self.pairs)
    }
}
