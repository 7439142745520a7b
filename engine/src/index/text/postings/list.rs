//! The postings of a term in one page.
//!
//! ```text
//! [here: varint][later: varint][correction: zigzag]
//!   if any are here:   [position page: varint][position offset: varint]
//!   128 or fewer:      [block]
//!   more, or any later: [impacts of these and later ones]
//!                      ([last document, as a gap: varint][bytes: varint][position bytes << 1 | new page: varint]
//!                       [impacts])* a block, then the blocks
//! ```
//! A list that is too long for a page goes on in the next ones, where the term is repeated; `later` says how many
//! postings follow, so that the first part alone tells how many documents there are. Every part stands for
//! itself: its first gap is counted from the segment's first document.
//!
//! The correction is added to the count of documents with the term. It is minus one for each document that a
//! transaction has removed from elsewhere, so that the sum over all segments is what is live, exactly, without
//! reading who is gone. When documents are dropped by a merge, so are their corrections.

use super::block::{self, BLOCK, Block};
use super::impact::Impacts;
use super::{Posting, block::BLOCK as FULL};
use crate::codec::{CodecError, RecordReader, RecordWriter};
use std::ops::Range;

/// A list longer than this, in postings, goes on in another page: such a part takes at most about 30 KiB.
pub(crate) const PART: usize = 32 * FULL;

/// Stands for a last document that is not known yet: no document has this number.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// Where the positions of a block are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PositionSpot {
    pub(crate) page: u32,
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

/// What is known of a block without reading it.
#[derive(Clone, Debug)]
pub(crate) struct BlockInfo {
    /// Its last document; of the only block of a short list it is [`UNKNOWN`] before it is read.
    pub(crate) last: u32,
    /// The last document of the block before.
    pub(crate) before: Option<u32>,
    pub(crate) count: usize,
    /// Its bytes in the page.
    pub(crate) bytes: Range<usize>,
    pub(crate) positions: PositionSpot,
    /// None of the only block of a short list.
    pub(crate) impacts: Option<Impacts>,
}

/// The head of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct List {
    pub(crate) here: u32,
    pub(crate) later: u32,
    pub(crate) correction: i64,
    /// Of all postings from here on; none if there is a single block.
    pub(crate) impacts: Option<Impacts>,
    pub(crate) blocks: Vec<BlockInfo>,
}

/// A block's positions as they were written: how many bytes, and whether they begin a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenPositions {
    pub(crate) spot: PositionSpot,
    pub(crate) new_page: bool,
}

/// Appends a part of a list. `positions` has one element per block; `later` are the postings after these.
pub(crate) fn encode(
    postings: &[Posting],
    later: &[Posting],
    correction: i64,
    positions: &[WrittenPositions],
    record: &mut RecordWriter,
) {
    record
        .push_varint(postings.len() as u64)
        .push_varint(later.len() as u64)
        .push_zigzag(correction);
    let Some(first) = positions.first() else {
        return;
    };
    record
        .push_varint(first.spot.page.into())
        .push_varint(first.spot.offset.into());
    if postings.len() <= BLOCK && later.is_empty() {
        // How many bytes its positions take is found by reading them.
        return block::encode(postings, None, record);
    }
    let blocks: Vec<&[Posting]> = postings.chunks(BLOCK).collect();
    let impacts: Vec<Impacts> = blocks.iter().map(|block| Impacts::of(block)).collect();
    let mut all = Impacts::default();
    impacts.iter().for_each(|impacts| all.merge(impacts));
    later
        .chunks(BLOCK)
        .for_each(|block| all.merge(&Impacts::of(block)));
    all.encode(record);
    let mut bodies = Vec::new();
    let mut before = None;
    for ((block, impacts), written) in blocks.iter().zip(&impacts).zip(positions) {
        let mut body = RecordWriter::part();
        block::encode(block, before, &mut body);
        let last = block.last().map_or(0, |last| last.document);
        let gap = last - before.map_or(0, |before: u32| before + 1);
        record
            .push_varint(gap.into())
            .push_varint(body.as_bytes().len() as u64)
            .push_varint(u64::from(written.spot.bytes) << 1 | u64::from(written.new_page));
        impacts.encode(record);
        bodies.extend_from_slice(body.as_bytes());
        before = Some(last);
    }
    record.push_raw(&bodies);
}

impl List {
    /// How many documents the term has from here on, without those that are gone from elsewhere.
    pub(crate) fn counted(&self) -> i64 {
        i64::from(self.here) + i64::from(self.later) + self.correction
    }

    /// Reads the head of a list whose record begins at byte `begin` of its page.
    pub(crate) fn decode(record: &mut RecordReader<'_>, begin: usize) -> Result<Self, CodecError> {
        let what = record.what();
        let wrong = |at| CodecError::NotCanonical { what, at };
        let mut list = Self {
            here: record.read_varint_u32()?,
            later: record.read_varint_u32()?,
            correction: record.read_zigzag()?,
            ..Self::default()
        };
        let count = list.here as usize;
        if count == 0 {
            return if list.later == 0 {
                Ok(list)
            } else {
                Err(wrong(0))
            };
        }
        let mut spot = PositionSpot {
            page: record.read_varint_u32()?,
            offset: record.read_varint_u32()?,
            bytes: 0,
        };
        if count <= BLOCK && list.later == 0 {
            let bytes = begin + record.position()..begin + record.position() + record.remaining();
            list.blocks.push(BlockInfo {
                last: UNKNOWN,
                before: None,
                count,
                bytes,
                positions: spot,
                impacts: None,
            });
            return Ok(list);
        }
        list.impacts = Some(Impacts::decode(record)?);
        let blocks = count.div_ceil(BLOCK);
        // A block has a gap, two lengths and a pair at least.
        if count > PART || blocks > record.remaining() / 6 {
            return Err(wrong(record.position()));
        }
        let mut lengths = Vec::with_capacity(blocks);
        let mut before: Option<u32> = None;
        for at in 0..blocks {
            let gap = record.read_varint_u32()?;
            let last = before.map_or(0, |before| u64::from(before) + 1) + u64::from(gap);
            let last = u32::try_from(last).map_err(|_| wrong(record.position()))?;
            lengths.push(record.read_varint_u32()? as usize);
            let positions = record.read_varint_u32()?;
            if positions & 1 == 1 && at > 0 {
                spot.page = spot
                    .page
                    .checked_add(1)
                    .ok_or_else(|| wrong(record.position()))?;
                // The first byte of a page is its format.
                spot.offset = 1;
            }
            spot.bytes = positions >> 1;
            list.blocks.push(BlockInfo {
                last,
                before,
                count: (count - at * BLOCK).min(BLOCK),
                bytes: 0..0,
                positions: spot,
                impacts: Some(Impacts::decode(record)?),
            });
            let offset = spot.offset.checked_add(spot.bytes);
            spot.offset = offset.ok_or_else(|| wrong(record.position()))?;
            before = Some(last);
        }
        let mut at = begin + record.position();
        for (block, length) in list.blocks.iter_mut().zip(lengths) {
            record.read_raw(length)?;
            block.bytes = at..at + length;
            at += length;
        }
        if record.remaining() > 0 {
            return Err(wrong(record.position()));
        }
        Ok(list)
    }
}

impl BlockInfo {
    /// Reads the postings; `page` are the bytes of the whole page.
    pub(crate) fn read(&self, page: &[u8], span: u32, into: &mut Block) -> Result<(), CodecError> {
        let bytes = page.get(self.bytes.clone()).unwrap_or_default();
        let mut record = RecordReader::part("postings block", 1, bytes);
        into.decode(&mut record, self.count, self.before, span)?;
        record.finish()?;
        // A last document that is not what the head said would hide postings from whoever skips by it.
        let last = into.documents.get(self.count.wrapping_sub(1)).copied();
        if self.last != UNKNOWN && last != Some(self.last) {
            return Err(CodecError::NotCanonical {
                what: "postings block",
                at: 0,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(count: usize) -> Vec<WrittenPositions> {
        let spot = |at: usize| PositionSpot {
            page: at as u32 / 2,
            offset: 1,
            bytes: 100,
        };
        (0..count.div_ceil(BLOCK))
            .map(|at| WrittenPositions {
                spot: spot(at),
                new_page: at % 2 == 0 && at > 0,
            })
            .collect()
    }

    fn encoded(postings: &[Posting], later: &[Posting], correction: i64) -> Vec<u8> {
        let mut record = RecordWriter::part();
        encode(
            postings,
            later,
            correction,
            &written(postings.len()),
            &mut record,
        );
        record.finish()
    }

    fn decoded(bytes: &[u8], span: u32) -> Result<(List, Vec<Posting>), CodecError> {
        let mut record = RecordReader::part("list", 1, bytes);
        let list = List::decode(&mut record, 0)?;
        let mut block = Block::default();
        let mut postings = Vec::new();
        for info in &list.blocks {
            info.read(bytes, span, &mut block)?;
            postings.extend(block.postings());
        }
        Ok((list, postings))
    }

    #[test]
    fn lists_have_the_bytes_of_their_pictures() {
        let posting = |document, frequency, norm| Posting {
            document,
            frequency,
            norm,
        };
        let short = encoded(&[posting(2, 1, 9), posting(5, 3, 8)], &[], -1);
        assert_eq!(short, [2, 0, 1, 0, 1, 2, 2, 0b1010, 0b1000, 9, 8]);
        assert_eq!(encoded(&[], &[], -3), [0, 0, 5]);
        let long: Vec<Posting> = (0..130).map(|document| posting(document, 1, 7)).collect();
        let bytes = encoded(&long, &[], 0);
        let head = [
            0x82, 1, 0, 0, 0, 1, 1, 1, 7, 127, 0x82, 1, 0xC8, 1, 1, 1, 7, 1, 4, 0xC8, 1, 1, 1, 7,
        ];
        assert_eq!(bytes[..head.len()], head);
    }

    proptest! {
        #[test]
        fn lists_come_back(
            gaps in prop::collection::vec((0..300_u32, 1..9_u32, any::<u8>()), 0..600),
            later in 0..3_usize,
            correction in -5..5_i64,
        ) {
            let mut next = 0;
            let postings: Vec<Posting> = gaps.iter().map(|(gap, frequency, norm)| {
                let document = next + gap;
                next = document + 1;
                Posting { document, frequency: *frequency, norm: *norm }
            }).collect();
            let later: Vec<Posting> = (0..later as u32).map(|at| Posting { document: next + at, frequency: 1, norm: 1 }).collect();
            let later = if postings.is_empty() { Vec::new() } else { later };
            let bytes = encoded(&postings, &later, correction);
            let (list, read) = decoded(&bytes, next).unwrap();
            prop_assert_eq!(read, postings.clone());
            prop_assert_eq!(list.counted(), (postings.len() + later.len()) as i64 + correction);
            if next > 0 {
                prop_assert!(decoded(&bytes, next - 1).is_err(), "a document beyond the segment");
            }
            for end in 0..bytes.len() {
                prop_assert!(decoded(&bytes[..end], next).is_err(), "{} of {} bytes", end, bytes.len());
            }
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400), span in any::<u32>()) {
            let _ = decoded(&bytes, span);
        }
    }
}
