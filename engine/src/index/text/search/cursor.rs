//! Walks over the documents of one term in one segment.
//!
//! Moving only turns to the block in which a document may be; the block is unpacked when its postings are asked
//! for. A list that goes on in other pages is followed there, past those that end before the document.

use super::located::{Located, head};
use super::score::Lengths;
use crate::error::Result;
use crate::index::text::postings::block::Block;
use crate::index::text::postings::list::{BlockInfo, List, UNKNOWN};
use crate::index::text::segment::page::Page;
use crate::index::text::segment::positions;
use crate::index::text::segment::view::{Reader, SegmentView, damaged_postings, missing};
use crate::keys::KeyRead;
use std::sync::Arc;

/// There are no more documents.
pub(crate) const END: u32 = u32::MAX;

/// How much a cursor has done.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steps {
    pub(crate) blocks: u64,
    pub(crate) postings: u64,
}

/// A walk over the documents of a term.
pub(crate) struct Cursor<'s, K> {
    reader: &'s Reader<'s, K>,
    segment: &'s SegmentView,
    page: Arc<Page>,
    page_number: usize,
    list: List,
    /// Which block it is at.
    at: usize,
    block: Box<Block>,
    /// Whether the block is unpacked.
    unpacked: bool,
    /// Where in the block it is.
    place: usize,
    /// The best score of each block of this page's list, as it was worked out.
    bounds: Vec<Option<f64>>,
    /// No document of the segment scores more by this term.
    bound: f64,
    weight: f32,
    total: u64,
    pub(crate) steps: Steps,
    positions: PositionsAt,
}

/// How far the positions of a block were read.
#[derive(Default)]
struct PositionsAt {
    page: Option<(u32, Arc<[u8]>)>,
    /// The block's page, its number and how many of its postings were passed.
    block: Option<(usize, usize)>,
    passed: usize,
    offset: u32,
}

impl<'s, K: KeyRead> Cursor<'s, K> {
    /// A cursor before the first document.
    pub(crate) fn new(
        reader: &'s Reader<'s, K>,
        segment: &'s SegmentView,
        located: Located,
        weight: f32,
        lengths: &Lengths,
    ) -> Result<Self> {
        let Located {
            page,
            page_number,
            list,
        } = located;
        let mut cursor = Self {
            total: u64::from(list.here) + u64::from(list.later),
            reader,
            segment,
            page,
            page_number,
            list,
            at: 0,
            block: Box::default(),
            unpacked: false,
            place: 0,
            bounds: Vec::new(),
            bound: 0.0,
            weight,
            steps: Steps::default(),
            positions: PositionsAt::default(),
        };
        match &cursor.list.impacts {
            Some(impacts) => cursor.bound = lengths.bound(weight, impacts),
            None => {
                cursor.unpack()?;
                let scores = cursor.block.postings();
                let scores =
                    scores.map(|posting| lengths.score(weight, posting.frequency, posting.norm));
                cursor.bound = scores.fold(0.0, f64::max);
            }
        }
        Ok(cursor)
    }

    /// How many postings the whole list has.
    pub(crate) fn postings(&self) -> u64 {
        self.total
    }

    /// The most that a document from `from` to before `to` scores by this term; `None` if none has it. `from` may
    /// not fall from call to call, and documents before it are passed.
    pub(crate) fn bound_between(
        &mut self,
        from: u32,
        to: u32,
        lengths: &Lengths,
    ) -> Result<Option<f64>> {
        if !self.turn(from)? {
            return Ok(None);
        }
        if self.unpacked {
            let documents = &self.block.documents[..self.block.count];
            while documents.get(self.place).is_some_and(|here| *here < from) {
                self.place += 1;
            }
        }
        if self.first_possible() >= to {
            return Ok(None);
        }
        if self.list.impacts.is_none() {
            return Ok(Some(self.bound));
        }
        let mut bound: Option<f64> = None;
        let mut at = self.at;
        while let Some((before, last)) = self
            .list
            .blocks
            .get(at)
            .map(|info| (info.before, info.last))
        {
            if before.is_some_and(|before| before.saturating_add(1) >= to) {
                return Ok(bound);
            }
            let here = self.block_bound(at, lengths);
            bound = Some(bound.map_or(here, |bound| bound.max(here)));
            if last >= to - 1 {
                return Ok(bound);
            }
            at += 1;
        }
        // What is in the next page is not known without reading it.
        Ok(if self.list.later > 0 {
            Some(self.bound)
        } else {
            bound
        })
    }

    /// Until where nothing changes of what [`bound_between`](Self::bound_between) said of a window that ends before
    /// `to`; no less than `to`.
    pub(crate) fn same_until(&self, to: u32) -> u32 {
        let first = self.first_possible();
        if first >= to {
            return first;
        }
        let block = self.list.blocks.get(self.at);
        block.map_or(to, |info| to.max(info.last.saturating_add(1)))
    }

    /// No document before this has the term, of those that were not passed yet.
    fn first_possible(&self) -> u32 {
        match self.list.blocks.get(self.at) {
            Some(info) if self.unpacked => {
                let rest = self.block.documents[..self.block.count].get(self.place);
                rest.copied().unwrap_or(info.last)
            }
            Some(info) => info.before.map_or(0, |before| before.saturating_add(1)),
            None if self.list.later > 0 => 0,
            None => END,
        }
    }

    fn block_bound(&mut self, at: usize, lengths: &Lengths) -> f64 {
        if self.bounds.len() != self.list.blocks.len() {
            self.bounds.clear();
            self.bounds.resize(self.list.blocks.len(), None);
        }
        let impacts = self
            .list
            .blocks
            .get(at)
            .and_then(|info| info.impacts.as_ref());
        match (self.bounds.get_mut(at), impacts) {
            (Some(bound), Some(impacts)) => {
                *bound.get_or_insert_with(|| lengths.bound(self.weight, impacts))
            }
            _ => self.bound,
        }
    }

    /// Turns to the block that may hold `document` or what follows; whether there is one.
    fn turn(&mut self, document: u32) -> Result<bool> {
        loop {
            while let Some(info) = self.list.blocks.get(self.at) {
                if info.last >= document {
                    return Ok(true);
                }
                self.at += 1;
                self.unpacked = false;
                self.place = 0;
            }
            if self.list.later == 0 {
                return Ok(false);
            }
            self.next_page(document)?;
        }
    }

    fn next_page(&mut self, document: u32) -> Result<()> {
        let wrong = || damaged_postings(missing("postings page"));
        let directory = &self.segment.directory;
        let next = self.page_number + 1;
        if next >= directory.len() {
            return Err(wrong());
        }
        let number = directory.page_with(next, document);
        let page = self.reader.page(&self.segment.record, number)?;
        let (term, ..) = page.entry(0).map_err(damaged_postings)?;
        if term != directory.term(next) {
            return Err(wrong());
        }
        let list = head(&page, 0)?;
        if list.later >= self.list.later {
            return Err(wrong());
        }
        self.page = page;
        self.page_number = number;
        self.list = list;
        self.at = 0;
        self.place = 0;
        self.unpacked = false;
        self.bounds.clear();
        // The last part of a long list may be a single block, which has no pairs of its own.
        if self.list.impacts.is_none() && !self.list.blocks.is_empty() {
            self.unpack()?;
        }
        Ok(())
    }

    fn unpack(&mut self) -> Result<()> {
        if self.unpacked {
            return Ok(());
        }
        // A long walk over what is in the cache never comes to the store, which would ask.
        self.reader.keys.may_go_on()?;
        if let Some(info) = self.list.blocks.get_mut(self.at) {
            let span = self.segment.record.span;
            info.read(self.page.bytes(), span, &mut self.block)
                .map_err(damaged_postings)?;
            if info.last == UNKNOWN {
                info.last = self
                    .block
                    .documents
                    .get(info.count - 1)
                    .copied()
                    .unwrap_or_default();
            }
            self.steps.blocks += 1;
            self.steps.postings += info.count as u64;
            self.unpacked = true;
            self.place = 0;
        }
        Ok(())
    }

    /// Moves to the first document that is not before `document`; [`END`] if there is none.
    pub(crate) fn advance(&mut self, document: u32) -> Result<u32> {
        if !self.turn(document)? {
            return Ok(END);
        }
        self.unpack()?;
        let documents = &self.block.documents[..self.block.count];
        while let Some(here) = documents.get(self.place) {
            if *here >= document {
                return Ok(*here);
            }
            self.place += 1;
        }
        Ok(END)
    }

    /// The score of the document that the cursor stands at.
    pub(crate) fn score(&self, lengths: &Lengths) -> f64 {
        let place = self.place.min(self.block.count.saturating_sub(1));
        lengths.score(
            self.weight,
            self.block.frequencies[place],
            self.block.norms[place],
        )
    }

    /// Calls `visit` with each document from `from` to before `to`, and its score.
    pub(crate) fn each_between(
        &mut self,
        from: u32,
        to: u32,
        lengths: &Lengths,
        mut visit: impl FnMut(u32, f64),
    ) -> Result<()> {
        while self.turn(from)? {
            let starts = self.list.blocks.get(self.at).and_then(|info| info.before);
            if starts.is_some_and(|before| before.saturating_add(1) >= to) {
                return Ok(());
            }
            self.unpack()?;
            let count = self.block.count;
            let rows = self.block.documents[..count]
                .iter()
                .zip(&self.block.frequencies)
                .zip(&self.block.norms);
            for ((document, frequency), norm) in rows.skip(self.place) {
                if *document >= to {
                    return Ok(());
                }
                self.place += 1;
                if *document >= from {
                    visit(*document, lengths.score(self.weight, *frequency, *norm));
                }
            }
            self.at += 1;
            self.unpacked = false;
            self.place = 0;
        }
        Ok(())
    }

    /// Reads where the term is in the document that the cursor stands at.
    pub(crate) fn positions(&mut self, into: &mut Vec<u32>) -> Result<()> {
        into.clear();
        let Some(BlockInfo {
            positions: spot, ..
        }) = self.list.blocks.get(self.at)
        else {
            return Ok(());
        };
        let here = Some((self.page_number, self.at));
        let state = &mut self.positions;
        if state.block != here || state.passed > self.place {
            state.block = here;
            state.passed = 0;
            state.offset = spot.offset;
        }
        let page = match &state.page {
            Some((number, page)) if *number == spot.page => Arc::clone(page),
            _ => {
                let page = self.reader.positions(&self.segment.record, spot.page)?;
                state.page = Some((spot.page, Arc::clone(&page)));
                page
            }
        };
        let mut record = positions::block(&page, state.offset).map_err(damaged_postings)?;
        while state.passed < self.place {
            positions::skip(&mut record).map_err(damaged_postings)?;
            state.passed += 1;
        }
        state.offset += record.position() as u32;
        positions::decode(&mut record, into).map_err(damaged_postings)
    }
}
