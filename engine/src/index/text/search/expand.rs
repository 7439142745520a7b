//! The terms that begin with a prefix.
//!
//! At most [`MAX_TERMS`] are looked for, the first in the order of their bytes; a search says when there are more.

use super::cursor::{Cursor, Located};
use super::score::Lengths;
use crate::database::keys::KeyRead;
use crate::error::Result;
use crate::index::text::postings::list::List;
use crate::index::text::segment::view::{Reader, SegmentView, damaged_postings};
use std::collections::BTreeMap;

/// So many terms of a prefix are looked for.
pub(crate) const MAX_TERMS: usize = 1024;

/// A prefix's terms.
pub(super) struct Expanded {
    terms: Vec<Vec<u8>>,
    pub(super) is_cut: bool,
}

/// Finds the terms that begin with `prefix`, and the stem that the prefix itself has.
pub(super) fn expand<K: KeyRead>(
    reader: &Reader<'_, K>,
    segments: &[SegmentView],
    prefix: &[u8],
    stem: &[u8],
) -> Result<Expanded> {
    let mut counted: BTreeMap<Vec<u8>, i64> = BTreeMap::new();
    for segment in segments {
        let mut here = 0;
        let first = segment.directory.page_of(prefix).unwrap_or_default();
        'segment: for number in first..segment.directory.len() {
            let page = reader.page(&segment.record, number)?;
            let (mut at, _) = page.find(prefix).map_err(damaged_postings)?;
            if at < page.count() && segment.directory.term(number) > prefix {
                at = 0;
            }
            while at < page.count() {
                let (term, mut record, begin) = page.entry(at).map_err(damaged_postings)?;
                if !term.starts_with(prefix) {
                    break 'segment;
                }
                // A long list goes on in further pages, whose parts were counted in the first.
                let list = List::decode(&mut record, begin).map_err(damaged_postings)?;
                let is_part =
                    at == 0 && number > 0 && segment.directory.page_of(term) != Some(number);
                if !is_part {
                    *counted.entry(term.to_vec()).or_default() += list.counted();
                    here += 1;
                    // Live terms among these may be fewer; the rest of a prefix this wide is cut anyway.
                    if here > 4 * MAX_TERMS {
                        break 'segment;
                    }
                }
                at += 1;
            }
        }
    }
    let mut terms: Vec<Vec<u8>> = counted
        .into_iter()
        .filter(|(_, counted)| *counted > 0)
        .map(|(term, _)| term)
        .collect();
    let is_cut = terms.len() > MAX_TERMS;
    terms.truncate(MAX_TERMS);
    if !stem.is_empty() && !stem.starts_with(prefix) {
        terms.push(stem.to_vec());
    }
    Ok(Expanded { terms, is_cut })
}

impl Expanded {
    /// The documents of a segment that have any of the terms.
    pub(super) fn documents<K: KeyRead>(
        &self,
        reader: &Reader<'_, K>,
        segment: &SegmentView,
        lengths: &Lengths,
    ) -> Result<Vec<u32>> {
        let mut documents = Vec::new();
        for term in &self.terms {
            let Some(located) = Located::find(reader, segment, term)? else {
                continue;
            };
            if located.list().here == 0 {
                continue;
            }
            let mut cursor = Cursor::new(reader, segment, located, 0.0, lengths)?;
            cursor.each_between(0, segment.record.span, lengths, |document, _| {
                documents.push(document);
            })?;
        }
        documents.sort_unstable();
        documents.dedup();
        Ok(documents)
    }
}
