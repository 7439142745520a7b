//! Finds a term in a segment.

use crate::error::Result;
use crate::index::text::postings::list::List;
use crate::index::text::segment::page::Page;
use crate::index::text::segment::view::{Reader, SegmentView, damaged_postings};
use crate::keys::KeyRead;
use std::sync::Arc;

/// A term found in a segment: its page and the head of its list.
#[derive(Debug, Clone)]
pub(crate) struct Located {
    pub(super) page: Arc<Page>,
    pub(super) page_number: usize,
    pub(super) list: List,
}

impl Located {
    /// Looks a term up.
    pub(crate) fn find<K: KeyRead>(
        reader: &Reader<'_, K>,
        segment: &SegmentView,
        term: &[u8],
    ) -> Result<Option<Self>> {
        let Some(page_number) = segment.directory.page_of(term) else {
            return Ok(None);
        };
        let page = reader.page(&segment.record, page_number)?;
        let (at, found) = page.find(term).map_err(damaged_postings)?;
        if !found {
            return Ok(None);
        }
        let list = head(&page, at)?;
        Ok(Some(Self {
            page,
            page_number,
            list,
        }))
    }

    pub(crate) fn list(&self) -> &List {
        &self.list
    }
}

/// The head of the list at a place of a page.
pub(super) fn head(page: &Page, at: usize) -> Result<List> {
    let (_, mut record, begin) = page.entry(at).map_err(damaged_postings)?;
    List::decode(&mut record, begin).map_err(damaged_postings)
}
