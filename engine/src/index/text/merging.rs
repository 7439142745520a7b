//! When segments are merged, and which.
//!
//! Segments are of tiers by their bytes, each eight times as large as the one below. When [`FACTOR`] segments of
//! one tier follow each other, with nothing but smaller ones between, they all become one. Small ones are merged by the transaction that
//! makes them too many, so that an index never has more than a few dozen; what takes longer is left to
//! [`merge_some`], which a thread in the background calls in transactions of its own. If nobody ever calls it,
//! searches read more segments and find the same.
//!
//! A segment of which much is gone is written anew without it.

use super::TextIndex;
use super::cache::TextCache;
use super::keys::{DocumentsKey, SegmentId};
use super::segment::merge::merge;
use super::segment::view::{Reader, statistics};
use super::statistics::{SegmentRecord, Statistics};
use super::{Occasion, write_pairs};
use crate::error::{Error, Result};
use crate::graph::pending::{Pairs, pair};
use crate::keys::{KeyRead, KeyWrite, KeyWriteTxn};
use crate::storage::family::Family;
use std::ops::Range;

/// So many segments of one tier become one.
const FACTOR: usize = 8;
/// Segments up to this size are of the lowest tier.
const LOWEST_BYTES: u64 = 16 << 10;
/// A transaction merges by itself what is not larger, together.
const SMALL_BYTES: u64 = 1 << 20;
/// No segment becomes larger by merging: a merge is one transaction, which has to hold it.
const LARGEST_BYTES: u64 = 64 << 20;
/// A segment is written anew when one in so many documents of it is gone, and at least [`MANY_GONE`].
const GONE_SHARE: u32 = 4;
const MANY_GONE: u32 = 64;

/// What a call of [`merge_some`] has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// How many segments were merged.
    pub segments: u64,
    /// How many bytes of postings were written.
    pub bytes: u64,
    /// Whether something is left to merge.
    pub more: bool,
}

/// Merges one group of segments, if there is one that should be.
///
/// It takes no longer than reading and writing 64 MiB. The transaction may be dropped: then nothing has happened.
///
/// # Errors
/// [`Error::TransactionTooLarge`], [`Error::Cancelled`], damage in what is stored.
pub fn merge_some(keys: &mut KeyWriteTxn, index: &TextIndex) -> Result<Merged> {
    let (merged, pairs) = next_merge(keys, index, keys.limit_bytes())?;
    write_pairs(keys, pairs, Occasion::Midway)?;
    Ok(merged)
}

/// What [`merge_some`] writes in a transaction that may hold so many bytes; nothing if no group should be merged.
pub(crate) fn next_merge(
    keys: &impl KeyRead,
    index: &TextIndex,
    transaction_bytes: u64,
) -> Result<(Merged, Pairs)> {
    let mut statistics = statistics(keys, index.id())?;
    let limit = largest(transaction_bytes);
    let Some(group) = wanted(&statistics.segments, limit) else {
        return Ok((Merged::default(), Pairs::new()));
    };
    let segments = group.len() as u64;
    let (bytes, pairs) = merge_group(keys, index, &mut statistics, group)?;
    let merged = Merged {
        segments,
        bytes,
        more: wanted(&statistics.segments, limit).is_some(),
    };
    Ok((merged, pairs))
}

/// Whether [`merge_some`] has something to do in a transaction that may hold so many bytes.
///
/// # Errors
/// Damage in what is stored.
pub fn should_merge(
    keys: &impl KeyRead,
    index: &TextIndex,
    transaction_bytes: u64,
) -> Result<bool> {
    let segments = statistics(keys, index.id())?.segments;
    Ok(wanted(&segments, largest(transaction_bytes)).is_some())
}

/// How many bytes are merged in one transaction: beside the new segment it holds what removes the old ones.
fn largest(transaction_bytes: u64) -> u64 {
    LARGEST_BYTES.min(transaction_bytes / 4)
}

/// Merges what is small, after a transaction has added a segment.
pub(super) fn merge_small(
    keys: &mut impl KeyWrite,
    index: &TextIndex,
    occasion: Occasion,
) -> Result<()> {
    let mut statistics = statistics(keys, index.id())?;
    while let Some(group) = piled_up(&statistics.segments, SMALL_BYTES) {
        let (_, pairs) = merge_group(keys, index, &mut statistics, group)?;
        // Merging can wait, also at a commit.
        let occasion = match occasion {
            Occasion::Commit => Occasion::Midway,
            other => other,
        };
        match write_pairs(keys, pairs, occasion) {
            // Whoever comes later may have more room.
            Err(Error::TransactionTooLarge { .. }) => return Ok(()),
            other => other?,
        }
    }
    Ok(())
}

/// Merges a range of segments, whatever their sizes: how many bytes it takes, and what to write.
pub(super) fn merge_group(
    keys: &impl KeyRead,
    index: &TextIndex,
    statistics: &mut Statistics,
    group: Range<usize>,
) -> Result<(u64, Pairs)> {
    let records = statistics
        .segments
        .get(group.clone())
        .unwrap_or_default()
        .to_vec();
    let id = SegmentId(statistics.next_segment);
    // What a merge reads is read once and goes: it needs no cache.
    let cache = TextCache::new(0);
    let reader = Reader {
        keys,
        index: index.id(),
        cache: &cache,
    };
    let (record, mut pairs) = merge(&reader, &records, id)?;
    let mut after = statistics.clone();
    let exhausted = Error::TooMany {
        what: "segments of a text index (build it anew)",
        count: u64::from(id.0) + 1,
        limit: u32::MAX.into(),
    };
    after.next_segment = id.0.checked_add(1).ok_or(exhausted)?;
    let bytes = record.bytes;
    // Without documents and corrections nothing is left of it.
    let is_empty = record.present == 0 && record.pages == 0;
    after.segments.splice(group, (!is_empty).then_some(record));
    if is_empty {
        for key in [DocumentsKey::Directory(id), DocumentsKey::Columns(id)] {
            pairs.push(pair(Family::TextDocuments, &key.encode(index.id()), None));
        }
    }
    let key = DocumentsKey::Statistics.encode(index.id());
    pairs.push(pair(Family::TextDocuments, &key, Some(after.encode())));
    *statistics = after;
    Ok((bytes, pairs))
}

/// The group that should be merged next.
fn wanted(segments: &[SegmentRecord], limit: u64) -> Option<Range<usize>> {
    let spent = |segment: &SegmentRecord| {
        segment.gone >= MANY_GONE.min(segment.present)
            && segment.gone > 0
            && segment.gone.saturating_mul(GONE_SHARE) >= segment.present
            && segment.bytes <= limit
    };
    piled_up(segments, limit).or_else(|| {
        let at = segments.iter().position(spent)?;
        Some(at..at + 1)
    })
}

/// The first group of segments of one tier, from the lowest up, that together have at most `limit` bytes.
fn piled_up(segments: &[SegmentRecord], limit: u64) -> Option<Range<usize>> {
    let tiers: Vec<u32> = segments.iter().map(tier).collect();
    let mut all: Vec<u32> = tiers.clone();
    all.sort_unstable();
    all.dedup();
    for tier in all {
        let mut begin = 0;
        while begin < segments.len() {
            let run = tiers
                .get(begin..)?
                .iter()
                .take_while(|other| **other <= tier)
                .count();
            if run == 0 {
                begin += 1;
                continue;
            }
            let group = begin..begin + run;
            // Only those of the tier itself count: one large segment and a few small ones would be written
            // anew with every few commits. Smaller ones between them go along.
            let same = tiers
                .get(group.clone())?
                .iter()
                .filter(|other| **other == tier)
                .count();
            if same >= FACTOR {
                let bytes: u64 = segments
                    .get(group.clone())?
                    .iter()
                    .map(|segment| segment.bytes)
                    .sum();
                if bytes <= limit {
                    return Some(group);
                }
                let fitting = fitting(segments, &group, limit);
                if fitting.len() >= FACTOR {
                    return Some(fitting);
                }
            }
            begin += run;
        }
    }
    None
}

/// As many of a group, from its end, as have at most `limit` bytes together.
fn fitting(segments: &[SegmentRecord], group: &Range<usize>, limit: u64) -> Range<usize> {
    let mut bytes = 0;
    let mut begin = group.end;
    while begin > group.start {
        bytes += segments
            .get(begin - 1)
            .map_or(u64::MAX, |segment| segment.bytes);
        if bytes > limit {
            break;
        }
        begin -= 1;
    }
    begin..group.end
}

fn tier(segment: &SegmentRecord) -> u32 {
    let mut tier = 0;
    let mut bytes = LOWEST_BYTES;
    while segment.bytes > bytes {
        bytes = bytes.saturating_mul(FACTOR as u64);
        tier += 1;
    }
    tier
}
