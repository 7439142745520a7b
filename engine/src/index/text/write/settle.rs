//! Writes the notes of a transaction as one segment, and marks what they replace as gone.

use super::document::{self, StoredDocument};
use super::draft::Draft;
use super::terms::{TermNo, Terms};
use crate::codec::{CodecError, RecordWriter};
use crate::error::{Error, Result};
use crate::graph::pending::{Pairs, pair};
use crate::index::text::keys::{DocumentsKey, SegmentId};
use crate::index::text::merging;
use crate::index::text::postings::{MAX_FREQUENCY, Posting, norm};
use crate::index::text::segment::build::{EncodedPositions, SegmentBuilder};
use crate::index::text::segment::columns::{Columns, Document};
use crate::index::text::segment::gone;
use crate::index::text::segment::view::{damaged, statistics};
use crate::index::text::statistics::Statistics;
use crate::index::text::{Occasion, OwnerId, TextIndex, write_pairs};
use crate::keys::{KeyRead, KeyWrite};
use crate::storage::family::Family;
use roaring::RoaringBitmap;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// What settling has written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Documents that are new, or new versions.
    pub written: u64,
    /// Documents, or versions of them, that are gone.
    pub removed: u64,
}

/// What a transaction takes away.
#[derive(Default)]
struct Removed {
    /// By place in the list of segments.
    gone: BTreeMap<usize, RoaringBitmap>,
    /// By number of the term.
    corrections: Vec<i64>,
    count: u64,
}

pub(super) fn settle(
    keys: &mut impl KeyWrite,
    index: &TextIndex,
    changes: &BTreeMap<OwnerId, Option<Draft>>,
    terms: &mut Terms,
    occasion: Occasion,
) -> Result<Settled> {
    let mut statistics = statistics(keys, index.id())?;
    let mut pairs = Pairs::new();
    let removed = remove_old(keys, index, changes, terms, &mut statistics, &mut pairs)?;
    let drafts: Vec<(OwnerId, &Draft)> = changes
        .iter()
        .filter_map(|(owner, draft)| Some((*owner, draft.as_ref()?)))
        .collect();
    let settled = Settled {
        written: drafts.len() as u64,
        removed: removed.count,
    };
    if settled == Settled::default() {
        return Ok(settled);
    }
    write_gone(keys, index, removed.gone, &mut statistics, &mut pairs)?;
    write_segment(
        index,
        &drafts,
        &removed.corrections,
        terms,
        &mut statistics,
        &mut pairs,
    )?;
    pairs.push(pair(
        Family::TextDocuments,
        &DocumentsKey::Statistics.encode(index.id()),
        Some(statistics.encode()),
    ));
    write_pairs(keys, pairs, occasion)?;
    merging::merge_small(keys, index, occasion)?;
    Ok(settled)
}

/// Takes the stored versions of what changed away.
fn remove_old(
    keys: &impl KeyRead,
    index: &TextIndex,
    changes: &BTreeMap<OwnerId, Option<Draft>>,
    terms: &mut Terms,
    statistics: &mut Statistics,
    pairs: &mut Pairs,
) -> Result<Removed> {
    let mut removed = Removed::default();
    if statistics.live == 0 {
        return Ok(removed);
    }
    for (owner, draft) in changes {
        let key = DocumentsKey::Document(*owner).encode(index.id());
        let stored = keys.get_with(Family::TextDocuments, &key, StoredDocument::decode)?;
        let Some(document) = stored.transpose().map_err(damaged)? else {
            continue;
        };
        let wrong = || {
            damaged(CodecError::NotCanonical {
                what: "text document",
                at: 1,
            })
        };
        let at = statistics.segment_of(document.number).ok_or_else(wrong)?;
        let segment = statistics.segments.get(at).ok_or_else(wrong)?;
        removed
            .gone
            .entry(at)
            .or_default()
            .insert(document.number - segment.first);
        statistics.live = statistics.live.checked_sub(1).ok_or_else(wrong)?;
        let length = statistics.length.checked_sub(document.length.into());
        statistics.length = length.ok_or_else(wrong)?;
        for term in &document.terms {
            let number = terms.number(term).0 as usize;
            if removed.corrections.len() <= number {
                removed.corrections.resize(number + 1, 0);
            }
            if let Some(correction) = removed.corrections.get_mut(number) {
                *correction -= 1;
            }
        }
        removed.count += 1;
        if draft.is_none() {
            pairs.push(pair(Family::TextDocuments, &key, None));
        }
    }
    Ok(removed)
}

/// Adds what is gone to the sets of its segments.
fn write_gone(
    keys: &impl KeyRead,
    index: &TextIndex,
    gone: BTreeMap<usize, RoaringBitmap>,
    statistics: &mut Statistics,
    pairs: &mut Pairs,
) -> Result<()> {
    for (at, fresh) in gone {
        let Some(segment) = statistics.segments.get_mut(at) else {
            continue;
        };
        let key = DocumentsKey::Gone(segment.id).encode(index.id());
        let decode = |bytes: &[u8]| gone::decode(bytes, segment.span);
        let stored = keys.get_with(Family::TextDocuments, &key, decode)?;
        let mut all = stored.transpose().map_err(damaged)?.unwrap_or_default();
        all |= fresh;
        let bytes = gone::encode(&mut all);
        segment.gone = all.len() as u32;
        segment.gone_print = xxh3_64(&bytes);
        pairs.push(pair(Family::TextDocuments, &key, Some(bytes)));
    }
    Ok(())
}

/// Writes the new documents, and the corrections for the old ones.
fn write_segment(
    index: &TextIndex,
    drafts: &[(OwnerId, &Draft)],
    corrections: &[i64],
    terms: &Terms,
    statistics: &mut Statistics,
    pairs: &mut Pairs,
) -> Result<()> {
    let first = statistics.next_document;
    let span = drafts.len() as u32;
    let exhausted = || Error::TooMany {
        what: "versions of documents in a text index (build it anew)",
        count: u64::from(first) + drafts.len() as u64,
        limit: u32::MAX.into(),
    };
    statistics.next_document = first.checked_add(span).ok_or_else(exhausted)?;
    let segment = SegmentId(statistics.next_segment);
    statistics.next_segment = segment.0.checked_add(1).ok_or_else(exhausted)?;

    let order = in_order(terms);
    // Sorting a document's terms by their places in this order is cheaper than by their bytes.
    let mut ranks = vec![0_u32; order.len()];
    for (term, rank) in order.iter().zip(0..) {
        if let Some(slot) = ranks.get_mut(term.0 as usize) {
            *slot = rank;
        }
    }
    let mut own: Vec<u32> = Vec::new();
    let mut columns = Columns::default();
    let mut record = RecordWriter::new(0);
    for ((owner, draft), number) in drafts.iter().zip(0..) {
        columns.push(Document {
            number,
            owner: *owner,
            length: draft.length,
        });
        statistics.live += 1;
        statistics.length += u64::from(draft.length);
        own.clear();
        own.extend(
            draft
                .uses
                .iter()
                .map(|one| ranks.get(one.term.0 as usize).copied().unwrap_or_default()),
        );
        own.sort_unstable();
        let sorted = own.iter().map(|rank| {
            order
                .get(*rank as usize)
                .map_or(&[][..], |term| terms.term(*term))
        });
        document::encode(first + number, draft.length, sorted, &mut record);
        let key = DocumentsKey::Document(*owner).encode(index.id());
        pairs.push((
            Family::TextDocuments,
            key.as_slice().into(),
            Some(record.as_bytes().into()),
        ));
    }

    let uses = by_term(drafts, terms.len());
    let mut builder = SegmentBuilder::new(index.id(), segment);
    let (mut postings, mut positions) = (Vec::new(), EncodedPositions::default());
    for term in order.iter().copied() {
        postings.clear();
        positions.clear();
        for (document, at) in uses.of(term) {
            let Some((_, draft)) = drafts.get(document as usize) else {
                continue;
            };
            let Some(one) = draft.uses.get(at as usize) else {
                continue;
            };
            postings.push(Posting {
                document,
                frequency: one.frequency.clamp(1, MAX_FREQUENCY),
                norm: norm::encode(draft.length),
            });
            positions.push(draft.positions(at as usize));
        }
        let correction = corrections
            .get(term.0 as usize)
            .copied()
            .unwrap_or_default();
        builder.add(terms.term(term), correction, &postings, &positions);
    }
    let (record, written) = builder.finish(first, span, &columns);
    pairs.extend(written);
    statistics.segments.push(record);
    Ok(())
}

/// The terms in the order of their bytes.
fn in_order(terms: &Terms) -> Vec<TermNo> {
    let mut order: Vec<TermNo> = (0..terms.len() as u32).map(TermNo).collect();
    order.sort_unstable_by(|one, other| terms.term(*one).cmp(terms.term(*other)));
    order
}

/// The uses of all drafts, by term and then by document.
struct UsesByTerm {
    ends: Vec<u32>,
    uses: Vec<(u32, u32)>,
}

impl UsesByTerm {
    fn of(&self, term: TermNo) -> impl Iterator<Item = (u32, u32)> {
        let end = |at: usize| self.ends.get(at).map_or(0, |end| *end as usize);
        let begin = (term.0 as usize).checked_sub(1).map_or(0, end);
        self.uses
            .get(begin..end(term.0 as usize))
            .unwrap_or_default()
            .iter()
            .copied()
    }
}

/// Sorts by counting: documents come in order, and stay in it.
fn by_term(drafts: &[(OwnerId, &Draft)], terms: usize) -> UsesByTerm {
    let mut next = vec![0_u32; terms + 1];
    let all = || drafts.iter().flat_map(|(_, draft)| draft.uses.iter());
    for one in all() {
        if let Some(count) = next.get_mut(one.term.0 as usize + 1) {
            *count += 1;
        }
    }
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let mut uses = vec![(0, 0); next.last().map_or(0, |all| *all as usize)];
    for ((_, draft), document) in drafts.iter().zip(0..) {
        for (one, at) in draft.uses.iter().zip(0..) {
            let Some(place) = next.get_mut(one.term.0 as usize) else {
                continue;
            };
            if let Some(slot) = uses.get_mut(*place as usize) {
                *slot = (document, at);
            }
            *place += 1;
        }
    }
    // Each place now stands where its term's uses end.
    UsesByTerm { ends: next, uses }
}
