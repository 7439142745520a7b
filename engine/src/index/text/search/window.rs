//! Any of some terms: windows of documents, from each of which is left out what cannot reach the best k.
//!
//! In each window the terms are sorted by the most that they can add there. Those that together stay below the
//! worst of the best k so far only decide for documents that another term has found: they are looked up document
//! by document, and given up as soon as it cannot be enough. The others are walked whole and added up in an array,
//! which costs less per posting than keeping cursors in order. Windows in which no document can reach the best k
//! are passed without unpacking anything. (MaxScore by blocks, as in Lucene's bulk scorer.)

use super::cursor::{Cursor, END};
use super::score::Lengths;
use super::{Accept, Work};
use crate::error::Result;
use crate::index::text::segment::view::SegmentView;
use crate::keys::KeyRead;

/// How many documents a window has.
const WINDOW: u32 = 2048;
const WORDS: usize = WINDOW as usize / 64;

/// The scores of a window's documents.
pub(crate) struct Sums {
    sums: Box<[f64]>,
    touched: Box<[u64]>,
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            sums: vec![0.0; WINDOW as usize].into(),
            touched: vec![0; WORDS].into(),
        }
    }
}

/// Offers the documents of a segment that have any of the terms.
pub(crate) fn search<K: KeyRead>(
    segment: &SegmentView,
    cursors: &mut [Cursor<'_, K>],
    lengths: &Lengths,
    sums: &mut Sums,
    accept: &mut Accept<'_>,
    work: &mut Work,
) -> Result<()> {
    let mut order: Vec<(f64, usize)> = Vec::with_capacity(cursors.len());
    // What the terms up to each, in that order, can add together.
    let mut below: Vec<f64> = Vec::with_capacity(cursors.len());
    let span = segment.record.span;
    let mut from = 0;
    while from < span {
        let to = from.saturating_add(WINDOW).min(span);
        order.clear();
        for (at, cursor) in cursors.iter_mut().enumerate() {
            let bound = cursor.bound_between(from, to, lengths)?;
            order.extend(bound.map(|bound| (bound, at)));
        }
        order.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        below.clear();
        let mut sum = 0.0;
        for (bound, _) in &order {
            sum += *bound;
            below.push(sum);
        }
        let threshold = accept.threshold();
        let optional = below.partition_point(|sum| *sum < threshold);
        if optional == order.len() {
            work.windows_skipped += u64::from(!order.is_empty());
            // It is so until one of the terms comes to another block, or to its first.
            let same = cursors.iter().map(|cursor| cursor.same_until(to));
            from = same.min().unwrap_or(END).max(to);
            continue;
        }
        for (_, at) in order.get(optional..).unwrap_or_default() {
            let Some(cursor) = cursors.get_mut(*at) else {
                continue;
            };
            cursor.each_between(from, to, lengths, |document, score| {
                let place = (document - from) as usize;
                if let (Some(sum), Some(word)) =
                    (sums.sums.get_mut(place), sums.touched.get_mut(place / 64))
                {
                    *sum += score;
                    *word |= 1 << (place % 64);
                }
            })?;
        }
        let optional = order.get(..optional).unwrap_or_default();
        for at in 0..WORDS {
            let mut word = sums.touched.get_mut(at).map_or(0, std::mem::take);
            while word != 0 {
                let place = at * 64 + word.trailing_zeros() as usize;
                word &= word - 1;
                let score = sums.sums.get_mut(place).map_or(0.0, std::mem::take);
                let document = from + place as u32;
                work.documents += 1;
                finish(
                    segment, cursors, optional, &below, document, score, lengths, accept,
                )?;
            }
        }
        from = to;
    }
    Ok(())
}

/// Adds what the optional terms have of a document, as long as it can be enough, and offers it.
#[expect(
    clippy::too_many_arguments,
    reason = "the inner step of one loop, apart to be read"
)]
#[inline]
fn finish<K: KeyRead>(
    segment: &SegmentView,
    cursors: &mut [Cursor<'_, K>],
    optional: &[(f64, usize)],
    below: &[f64],
    document: u32,
    mut score: f64,
    lengths: &Lengths,
    accept: &mut Accept<'_>,
) -> Result<()> {
    let threshold = accept.threshold();
    let mut left = optional.len();
    if score
        + left
            .checked_sub(1)
            .and_then(|last| below.get(last))
            .copied()
            .unwrap_or_default()
        < threshold
    {
        return Ok(());
    }
    if accept.is_filtered() && !accept.allows(segment, document) {
        return Ok(());
    }
    while left > 0 {
        if score + below.get(left - 1).copied().unwrap_or_default() < threshold {
            return Ok(());
        }
        left -= 1;
        let cursor = optional.get(left).and_then(|(_, at)| cursors.get_mut(*at));
        if let Some(cursor) = cursor {
            let found = cursor.advance(document)?;
            if found == document && found != END {
                score += cursor.score(lengths);
            }
        }
    }
    if score >= threshold {
        accept.offer(segment, document, score);
    }
    Ok(())
}
